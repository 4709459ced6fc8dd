"""Suites that came from ADK go back with its own criteria; where these judge otherwise is told."""

import json

import pytest
from msgspec.structs import replace

from passhat.case import ExpectedCall
from passhat.convert import convert_file
from passhat.suitefile import read_suite, write_suite


def written(folder, call, criterion, rubric=None):
    content = {"parts": [{"text": "Pay."}]}
    case = {
        "eval_id": "one",
        "conversation": [{"user_content": content, "intermediate_data": {"tool_uses": [call]}}],
    }
    if rubric is not None:
        held = {"text_property": json.dumps(rubric)}
        case["rubrics"] = [{"rubric_id": "r", "type": "PASSHAT_CHECK", "rubric_content": held}]
    path = folder / "x.evalset.json"
    path.write_text(json.dumps({"eval_set_id": "x", "eval_cases": [case]}))
    config = {"criteria": {"tool_trajectory_avg_score": criterion}}
    (folder / "test_config.json").write_text(json.dumps(config))
    return path


def told(report):
    return [(note.field, note.run) for note in report.notes if note.kind == "approximated"]


def back(folder, suite):
    (folder / "back").mkdir()
    write_suite(suite, folder / "edited.yaml")
    return convert_file(folder / "edited.yaml", folder / "back" / "x.evalset.json", to="adk")


@pytest.mark.parametrize(
    ("args", "run"),
    [
        (
            {"order": "A1", "express": True},
            "actual [pay(express=1)], expected [pay(express=True)]: theirs 1.0, ours False",
        ),
        (
            {"of": [0, "x"]},
            "actual [pay(of=[False, 'x'])], expected [pay(of=[0, 'x'])]: theirs 1.0",
        ),
        ({}, "actual [pay], expected [pay()]: theirs 0.0, ours True"),
    ],
)
def test_a_call_of_the_case_shows_it_both_ways(tmp_path, args, run):
    source = written(tmp_path, {"name": "pay", "args": args}, 1.0)
    report = convert_file(source, tmp_path / "there.yaml", to="passhat")
    ((field, shown),) = told(report)
    assert field == "mode"
    assert shown.startswith(run)
    assert told(back(tmp_path, read_suite(tmp_path / "there.yaml"))) == [("mode", shown)]
    assert convert_file(source, tmp_path / "back" / "x.evalset.json", to="adk", force=True).lossless


@pytest.mark.parametrize(
    ("criterion", "keys", "fields"),
    [
        ("EXACT", {"mode": "superset"}, ["mode"]),
        ("EXACT", {"expected_calls": (ExpectedCall("pay", {"order": "A2"}),)}, ["expected_calls"]),
        ("EXACT", {"retries": "fold"}, ["expected_calls"]),
        ("EXACT", {"tags": ("money",), "before": (("look", "pay"),)}, []),
        ("ANY_ORDER", {"mode": "exact", "retries": "fold"}, []),  # it passes all that this passes
        ("ANY_ORDER", {"mode": "subset"}, ["mode"]),
    ],
)
def test_a_criterion_that_fails_what_an_edited_case_passes_is_told(
    tmp_path, criterion, keys, fields
):
    call = {"name": "pay", "args": {"order": "A1"}}
    source = written(tmp_path, call, {"threshold": 1.0, "match_type": criterion})
    assert convert_file(source, tmp_path / "there.yaml", to="passhat").lossless
    suite = read_suite(tmp_path / "there.yaml")
    case = replace(suite.cases[0], **keys)
    report = back(tmp_path, replace(suite, cases=(case,)))
    assert [field for field, _ in told(report)] == fields
    notes = [note.note for note in report.notes if note.kind == "approximated"]
    assert all("without it passhat_case alone judges them" in note for note in notes)


def test_a_rubric_written_by_hand_is_not_lost(tmp_path):
    call = {"name": "pay", "args": {"order": "A1"}}
    source = written(tmp_path, call, 1.0, {"before": [["look", "pay"]]})
    report = convert_file(source, tmp_path / "there.yaml", to="passhat", strict=True)
    assert report.lossless
    assert read_suite(tmp_path / "there.yaml").cases[0].before
    notes = {note.field: note.note for note in report.notes if note.side == "read"}
    assert notes["rubrics[0]"] == "before"
