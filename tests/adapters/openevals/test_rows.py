"""Rows with settings: what they mean, what their evaluator is, and what is wrong with them."""

import copy
import json

import pytest

from passhat import Case, ExpectedCall, Suite, grade
from passhat.adapter import sniffed
from passhat.convert import convert_file
from passhat.errors import SuiteError, UsageError
from passhat_openevals import adapter, evaluator_for, from_suite, to_suite, to_trace


def message(*calls):
    listed = [
        {
            "id": f"c{at}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(args)},
        }
        for at, (name, args) in enumerate(calls)
    ]
    return {"role": "assistant", "content": "", "tool_calls": listed}


ROW = {"reference_outputs": [message(("f", {"x": 1}))]}


@pytest.mark.parametrize(
    ("settings", "mode", "call"),
    [
        ({}, "exact", ExpectedCall("f", {"x": 1}, extra_args="forbid")),
        (
            {"trajectory_match_mode": "unordered"},
            "unordered",
            ExpectedCall("f", {"x": 1}, extra_args="forbid"),
        ),
        (
            {"trajectory_match_mode": "subset", "tool_args_match_mode": "ignore"},
            "subset",
            ExpectedCall("f"),
        ),
        (
            {"trajectory_match_mode": "strict", "tool_args_match_mode": "superset"},
            "exact",
            ExpectedCall("f", {"x": 1}),
        ),
        (
            {"trajectory_match_mode": "superset", "tool_args_match_overrides": {"f": "ignore"}},
            "superset",
            ExpectedCall("f"),
        ),
        (
            {"trajectory_match_mode": "superset", "tool_args_match_overrides": {"f": ["x"]}},
            "superset",
            ExpectedCall("f", {"x": 1}),
        ),
    ],
)
def test_settings_in_our_words(settings, mode, call):
    for row in ({**ROW, **settings}, {**ROW, "evaluator": settings}):
        case = to_suite([row]).cases[0]
        assert (case.mode, case.expected_calls) == (mode, (call,))


def test_calls_of_one_message_are_a_group():
    row = {"reference_outputs": [message(("f", {}), ("g", {})), message(("h", {}))]}
    entries = to_suite([row]).cases[0].expected_calls
    assert [type(entry).__name__ for entry in entries] == ["tuple", "ExpectedCall"]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({**ROW, "trajectory_match_mode": "supersett"}, "supersett"),
        (
            {
                **ROW,
                "evaluator": {"trajectory_match_mod": "strict", "tool_args_match_mode": "exact"},
            },
            "did you mean trajectory_match_mode",
        ),
        ({**ROW, "tool_args_match_overrides": {"f": 5}}, "tool_args_match_overrides: f"),
        ({**ROW, "evaluator": "strict"}, "object"),
        (
            {"reference_outputs": [{"role": "assistant", "content": "", "tool_calls": 5}]},
            "tool calls",
        ),
        ({"reference_outputs": "x", "trajectory_match_mode": "strict"}, "messages"),
        (5, "object"),
    ],
)
def test_what_is_wrong_with_a_row_is_told_with_its_place(row, told):
    with pytest.raises((SuiteError, UsageError), match=told):
        to_suite([ROW, row])


def test_settings_of_all_rows_that_are_none_are_told_with_their_place():
    with pytest.raises(SuiteError) as caught:
        to_suite([{"evaluator": 5}, ROW])
    assert (
        str(caught.value) == "$[0].evaluator: an evaluator's settings are an object, not a number"
    )


@pytest.mark.parametrize("kind", [{"a": 1}, [], 5, None])
def test_parts_whose_type_is_no_text_are_read_past(kind):
    messages = [{"role": "assistant", "content": [{"type": kind, "text": "hi"}]}]
    assert to_suite([{"reference_outputs": messages}]).cases[0].expected_calls == ()


@pytest.mark.parametrize("around", [lambda said: said, lambda said: {"messages": said}])
def test_a_run_that_ends_with_what_a_tool_gave_lacks_nothing(around):
    said = [message(("f", {"x": 1})), {"role": "tool", "tool_call_id": "c0", "content": "ok"}]
    trace = adapter.to_trace({"inputs": "Do it.", "outputs": around(said)})
    assert not trace.gaps
    assert grade(trace, Case("c", expected_calls=["f"])).status == "passed"


def test_all_faults_are_told_at_once():
    with pytest.raises(SuiteError) as caught:
        to_suite([{**ROW, "id": "a", "evaluator": 1}, {**ROW, "id": "b", "evaluator": 2}])
    assert len(caught.value.faults) == 2


def test_a_row_that_was_edited_counts_as_it_is_now():
    case = Case(
        "a",
        "hi",
        tags=["t"],
        expected_calls=[ExpectedCall("f", {"x": 7}, extra_args="forbid")],
        mode="superset",
    )
    rows = from_suite(Suite("s", (case,)))
    assert to_suite(rows).cases == (case,)
    rows[0]["evaluator"]["trajectory_match_mode"] = "unordered"
    edited = to_suite(rows).cases[0]
    assert (edited.mode, edited.tags) == ("unordered", ("t",))


@pytest.mark.parametrize("library", ["openevals", "agentevals"])
def test_the_evaluator_of_a_row_is_theirs_where_it_asks_for_it(library):
    pytest.importorskip(library)
    row = {**ROW, "evaluator": {"trajectory_match_mode": "superset"}, "library": library}
    judge = evaluator_for(row)
    said = judge(
        outputs=[message(("f", {"x": 1}), ("g", {}))],
        reference_outputs=copy.deepcopy(row["reference_outputs"]),
    )
    assert (said["key"], said["score"]) == ("trajectory_superset_match", True)


def test_the_evaluator_of_a_row_is_ours_where_no_setting_says_it():
    case = Case("a", "hi", expected_calls=["f", "g"], mode="in_order", forbidden_calls=["h"])
    (row,) = from_suite(Suite("s", (case,)))
    assert row["evaluator"] == {"passhat": ["trajectory", "forbidden_calls"]}
    judge = evaluator_for(row)
    right, wrong = (
        [message(("f", {})), message(("g", {}))],
        [message(("g", {})), message(("f", {}))],
    )
    assert judge(outputs=right, reference_outputs=row["reference_outputs"])[0]["score"] == 1.0
    assert judge(outputs=wrong, reference_outputs=row["reference_outputs"])[0]["score"] == 0.0


@pytest.mark.parametrize("mode", ["unordered", "subset", "superset"])
@pytest.mark.parametrize("style", ["equal", "ignore", "mixed"])
def test_what_is_translated_gets_the_same_verdict_from_the_real_library(mode, style):
    """On all runs but those with broken arguments, where theirs raises."""
    from itertools import product

    from passhat import grade

    pytest.importorskip("openevals")
    pool = [("f", {"x": 3}), ("f", {"x": 2}), ("g", {}), ("g", {"y": "b"})]

    def expected(name, args):
        if style == "ignore" or (style == "mixed" and name == "g"):
            return ExpectedCall(name)
        return ExpectedCall(name, args, extra_args="forbid")

    wanted = [*product(pool, repeat=1), *product(pool[:3], repeat=2)]
    for calls in wanted:
        wants = [expected(*call) for call in calls]
        case = Case("a", "hi", expected_calls=wants, mode=mode, retries="count")
        (row,) = from_suite(Suite("s", (case,)))
        assert "trajectory_match_mode" in row["evaluator"], row
        judge = evaluator_for(row)
        for made in [(), *product(pool, repeat=1), *product(pool, repeat=2)]:
            outputs = [message(call) for call in made] or [{"role": "assistant", "content": "x"}]
            theirs = judge(
                outputs=copy.deepcopy(outputs),
                reference_outputs=copy.deepcopy(row["reference_outputs"]),
            )
            ours = grade(to_trace(outputs), case).result("trajectory")
            assert theirs["score"] == (ours.status == "passed"), (mode, calls, made)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"evaluator": {"trajectory_match_mode": "unordered"}},
        {"evaluator": {"trajectory_match_mode": "strict"}, "library": "agentevals"},
        {"evaluator": {"tool_args_match_mode": "ignore"}},
    ],
)
def test_a_row_comes_back_with_the_settings_it_had_and_no_others(more, tmp_path):
    row = {"id": "a", "inputs": "hi", "reference_outputs": [message(("f", {"flag": True}))], **more}
    (tmp_path / "r.jsonl").write_text(json.dumps(row) + "\n")
    report = convert_file(tmp_path / "r.jsonl", tmp_path / "again.jsonl", to="openevals")
    assert json.loads((tmp_path / "again.jsonl").read_text()) == row
    assert report.lossless
    convert_file(tmp_path / "r.jsonl", tmp_path / "s.yaml", to="passhat")
    convert_file(tmp_path / "s.yaml", tmp_path / "back.jsonl", to="openevals")
    assert json.loads((tmp_path / "back.jsonl").read_text()) == row


@pytest.mark.parametrize(
    "row",
    [
        {"inputs": "2+2?", "outputs": "4", "reference_outputs": "4"},
        {"inputs": {"q": "cap"}, "reference_outputs": {"a": "Paris"}},
        {"id": "g", "reference_outputs": {"results": [], "steps": [["agent", "tools"]]}},
        {"id": "n", "inputs": None, "reference_outputs": None},
    ],
)
def test_a_row_without_messages_is_known_by_its_reference_outputs(row, tmp_path):
    (tmp_path / "r.jsonl").write_text(json.dumps(row) + "\n")
    assert sniffed(tmp_path / "r.jsonl").name == "openevals"
    run = {**row, "id": "r", "run_type": "chain", "trace_id": "r", "dotted_order": "r"}
    (tmp_path / "r.jsonl").write_text(json.dumps(run) + "\n")
    assert sniffed(tmp_path / "r.jsonl").name == "langsmith"


def test_a_reference_that_is_null_expects_no_call_as_theirs_do():
    rows = [
        {"id": "null", "inputs": "x", "reference_outputs": None, "trajectory_match_mode": "subset"},
        {"id": "none", "inputs": "y", "trajectory_match_mode": "subset"},
    ]
    suite, fidelity = adapter.read_suite(rows)
    null, none = suite.cases
    assert (null.expected_calls, null.mode) == ((), "subset")
    assert none.expected_calls is None
    told = {note.what: (note.kind, note.note) for note in fidelity.notes}
    assert told["null: reference_outputs"][0] == "translated"
    assert told["none: evaluator"] == (
        "carried",
        "there are no reference_outputs: nothing is expected",
    )
