"""A mode is translated only to one that means the same; else the target gets our check."""

import itertools
import json

import pytest

from passhat import grade
from passhat.case import MODES, Case, ExpectedCall, Suite
from passhat.convert import convert_file
from passhat.match.dialects import (
    equivalents,
    find_dialect,
    ours_holds,
    parted,
    translation,
    verdict,
)
from passhat.suitefile import read_suite, write_suite


def suite_of(mode, *calls, **keys):
    return Suite("s", (Case("a", "hi", expected_calls=calls, mode=mode, **keys),))


def call(style, name="f"):
    if style == "ignore":
        return ExpectedCall(name)
    return ExpectedCall(name, {"x": 7}, extra_args="forbid" if style == "equal" else "allow")


def converted(suite, folder, to):
    source = write_suite(suite, folder / "s.yaml")
    report = convert_file(source, folder / "t.json", to=to)
    return report, note(report, "mode")


def note(report, field):
    return next(one for one in report.notes if one.field == field and one.side == "written")


@pytest.mark.parametrize("style", ["equal", "contains", "ignore"])
@pytest.mark.parametrize("mode", MODES)
def test_adk_gets_its_own_criterion_only_where_one_means_the_same(mode, style, tmp_path):
    suite = suite_of(mode, call(style), retries="count")
    report, told = converted(suite, tmp_path, "adk")
    theirs = [
        (word, args)
        for (dialect, word, args), ours in equivalents.items()
        if dialect == "adk@2.13" and ours and (ours.mode, ours.args) == (mode, style)
    ]
    config = json.loads((tmp_path / "test_config.json").read_text())
    if theirs:
        criterion = config["criteria"]["tool_trajectory_avg_score"]
        assert criterion["match_type"].lower() == theirs[0][0]
        assert criterion.get("ignore_args", False) == (theirs[0][1] == "ignore")
        assert "custom_metrics" not in config
        assert "is mode" in told.note
    else:
        assert config["custom_metrics"]["passhat_case"]
        assert "tool_trajectory_avg_score" not in config["criteria"]
        assert "custom metric" in told.note
    assert report.lossless


@pytest.mark.parametrize("style", ["equal", "contains", "ignore"])
@pytest.mark.parametrize("mode", MODES)
def test_openevals_gets_its_own_settings_only_where_they_mean_the_same(mode, style, tmp_path):
    suite = suite_of(mode, call(style), retries="count")
    report, told = converted(suite, tmp_path, "openevals")
    row = json.loads((tmp_path / "t.json").read_text())
    held = row["evaluator"]
    theirs = equivalents.get(
        ("openevals@0.2.2", held.get("trajectory_match_mode"), held.get("tool_args_match_mode"))
    )
    if theirs is not None:
        assert (theirs.mode, theirs.args) == (mode, style)
        assert "means the same" in told.note
    else:
        assert held == {"passhat": ["trajectory"]}
        assert "evaluator_for" in told.note
    assert (theirs is None) == (mode in ("exact", "in_order") or style == "contains")
    assert report.lossless


def test_langsmith_gets_the_line_of_our_evaluator(tmp_path):
    _, told = converted(suite_of("in_order", call("equal")), tmp_path, "langsmith")
    assert "evaluators=[passhat_langsmith.as_evaluator()]" in told.note


@pytest.mark.parametrize(
    "other",
    [
        Case("b", "hi", expected_calls=[call("equal")], mode="in_order"),
        Case("b", "hi", expected_calls=[call("equal")], mode="superset", forbidden_calls=["g"]),
        Case(
            "b", "hi", expected_calls=[call("equal")], mode="superset", match={"f": {"x": "text"}}
        ),
        Case("b", "hi", expected_calls=[call("equal")], mode="superset", checks={"loops": {}}),
        Case("b", "hi", expected_calls=[], mode="superset"),
        Case("b", "hi", response_must_include=["x"]),
        Case("b", turns=["hi", "ho"]),
    ],
)
def test_one_case_that_asks_for_more_is_enough_for_our_metric(other, tmp_path):
    first = Case("a", "hi", expected_calls=[call("equal")], mode="superset")
    write_suite(Suite("s", (first, other)), tmp_path / "s.yaml")
    convert_file(tmp_path / "s.yaml", tmp_path / "t.json", to="adk")
    config = json.loads((tmp_path / "test_config.json").read_text())
    assert list(config["criteria"]) == ["passhat_case"]
    assert read_suite(tmp_path / "s.yaml").cases[1] == other


def test_an_approximation_shows_the_smallest_run_that_parts_them(tmp_path):
    arguments = {"name": "f", "arguments": "{}"}
    said = {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": arguments}]}
    row = {
        "reference_outputs": [said],
        "trajectory_match_mode": "superset",
        "tool_args_match_mode": "superset",
    }
    (tmp_path / "r.jsonl").write_text(json.dumps(row) + "\n")
    report = convert_file(tmp_path / "r.jsonl", tmp_path / "s.yaml", to="passhat")
    (told,) = (one for one in report.notes if one.kind == "approximated")
    assert told.run == "actual [a(x=1), a()], expected [a(), a(x=1)]: theirs False, ours True"
    a, b = {"name": "a", "args": {"x": 1}}, {"name": "a", "args": {}}
    nearest = next(
        o
        for (d, m, g), o in equivalents.items()
        if (d, m, g) == ("openevals@0.2.2", "superset", "exact")
    )
    assert verdict("openevals", "superset", [a, b], [b, a], "superset") is False
    assert ours_holds(type(nearest)("superset", "contains"), [a, b], [b, a])
    assert not report.lossless


def test_settings_that_nobody_translates_come_back_as_they_were(tmp_path):
    arguments = {"name": "f", "arguments": '{"x": 1}'}
    said = {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": arguments}]}
    settings = {
        "trajectory_match_mode": "subset",
        "tool_args_match_mode": "superset",
        "tool_args_match_overrides": {"f": ["x"], "g": "ignore"},
    }
    row = {"id": "r", "reference_outputs": [said], "evaluator": settings, "library": "agentevals"}
    (tmp_path / "r.jsonl").write_text(json.dumps(row) + "\n")
    convert_file(tmp_path / "r.jsonl", tmp_path / "s.yaml", to="passhat")
    convert_file(tmp_path / "s.yaml", tmp_path / "back.jsonl", to="openevals")
    assert json.loads((tmp_path / "back.jsonl").read_text()) == row
    same = convert_file(tmp_path / "r.jsonl", tmp_path / "again.jsonl", to="openevals")
    assert same.lossless


DEEP = {"y": {"z": [2.5, "b", None]}}
EITHER = [("f", {"x": 7}, None), ("f", {"x": 7}, "timeout"), ("g", DEEP, None)]
F, G = (
    ExpectedCall(name, args, extra_args="forbid") for name, args in (("f", {"x": 7}), ("g", DEEP))
)


def runs():
    """All runs of up to three calls, failed ones among them, one by one and asked for together."""
    for number in range(4):
        for calls in itertools.product(EITHER, repeat=number):
            yield [[one] for one in calls]
            if number > 1:
                yield [list(calls)]
            if number > 2:
                yield [list(calls[:2]), list(calls[2:])]


def adk_says(folder):
    """How ADK's own evaluator judges a run, by what was written; None where our metric judges."""
    pytest.importorskip("google.adk")
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator

    criteria = json.loads((folder / "test_config.json").read_text())["criteria"]
    if "tool_trajectory_avg_score" not in criteria:
        return None
    criterion = ToolTrajectoryCriterion.model_validate(criteria["tool_trajectory_avg_score"])
    metric = EvalMetric(metric_name="t", threshold=1.0, criterion=criterion)
    (case,) = json.loads((folder / "t.json").read_text())["eval_cases"]
    expected = [Invocation.model_validate(turn) for turn in case["conversation"]]

    def says(trace):
        uses = [{"name": call.name, "args": call.args} for call in trace.calls]
        said = {"parts": [{"text": "hi"}], "role": "user"}
        actual = Invocation.model_validate(
            {"user_content": said, "intermediate_data": {"tool_uses": uses}}
        )
        judged = TrajectoryEvaluator(eval_metric=metric).evaluate_invocations([actual], expected)
        return judged.overall_eval_status.name == "PASSED"

    return says


def openevals_says(folder):
    """The same for openevals."""
    pytest.importorskip("openevals")
    from passhat_openevals import evaluator_for, from_trace

    row = json.loads((folder / "t.json").read_text())
    if "passhat" in row["evaluator"]:
        return None
    evaluator = evaluator_for(row)

    def says(trace):
        reference = json.loads(json.dumps(row["reference_outputs"]))
        return bool(evaluator(outputs=from_trace(trace), reference_outputs=reference)["score"])

    return says


@pytest.mark.parametrize(("to", "evaluator"), [("adk", adk_says), ("openevals", openevals_says)])
def test_where_their_own_evaluator_judges_its_verdicts_are_those_of_the_suite(
    to, evaluator, trace_of, tmp_path
):
    traces = [trace_of(requests) for requests in runs()]
    native = 0
    expectations = [(), (F,), (F, G), ((F, G),), (F, F)]
    ways = itertools.product(MODES, (None, "count"), (None, "ordered"), expectations)
    for number, (mode, retries, parallel, calls) in enumerate(ways):
        suite = suite_of(mode, *calls, retries=retries, parallel=parallel)
        folder = tmp_path / str(number)
        folder.mkdir()
        converted(suite, folder, to)
        says = evaluator(folder)
        if says is None:
            continue
        native += 1
        for trace in traces:
            ours = grade(trace, suite.cases[0]).status == "passed"
            assert says(trace) == ours, (mode, retries, parallel, calls, trace.calls)
    assert native > 15


def test_a_turn_without_calls_is_not_left_to_adk_where_it_would_pass_anything(tmp_path):
    turns = [
        {"input": "a", "expected_calls": [F], "mode": "superset"},
        {"input": "b", "expected_calls": [], "mode": "superset"},
    ]
    write_suite(Suite("s", (Case("a", turns=turns),)), tmp_path / "s.yaml")
    convert_file(tmp_path / "s.yaml", tmp_path / "t.json", to="adk")
    config = json.loads((tmp_path / "test_config.json").read_text())
    assert list(config["criteria"]) == ["passhat_case"]


def test_rows_that_expect_no_call_in_superset_are_told_as_approximated(tmp_path):
    row = {
        "id": "r",
        "reference_outputs": [{"role": "assistant", "content": "Hi."}],
        "trajectory_match_mode": "superset",
    }
    (tmp_path / "r.jsonl").write_text(json.dumps(row) + "\n")
    report = convert_file(tmp_path / "r.jsonl", tmp_path / "s.yaml", to="passhat")
    (told,) = (one for one in report.notes if one.kind == "approximated")
    assert told.run == "actual [], expected []: theirs True, ours not evaluated"


@pytest.mark.parametrize(
    ("args", "limit"),
    [({"x": 1}, "booleans"), ({"x": {"y": [False]}}, "booleans"), ({}, "no arguments")],
)
def test_arguments_that_adk_compares_otherwise_are_left_to_our_metric(args, limit, tmp_path):
    suite = suite_of("superset", ExpectedCall("f", args, extra_args="forbid"))
    converted(suite, tmp_path, "adk")
    config = json.loads((tmp_path / "test_config.json").read_text())
    assert list(config["criteria"]) == ["passhat_case"]
    theirs = translation(find_dialect("adk"), "any_order")
    assert parted(suite.cases[0], theirs) == limit
