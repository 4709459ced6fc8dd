"""What is read of another world's modes: the same verdicts, or a run that shows they are not."""

import itertools
import json
from functools import cache

import pytest

from passhat import grade
from passhat.convert import convert_file
from passhat.suitefile import read_suite

DEEP = {"y": {"z": [2.5, "b", None]}}
ODD = {"y": {"z": [1, True]}}
"""Python takes 1 for True."""
ALIKE = {"y": {"z": [True, 1.0]}}

EXPECTED = [
    [],
    [("f", {"x": 7})],
    [("f", {"x": 7}), ("f", {"x": 7})],
    [("f", {"x": 7}), ("g", DEEP)],
    [("g", DEEP), ("f", {"x": 7})],
    [("f", {"x": 7}), ("f", {"x": 8})],
    [("g", ODD)],
    [("g", {})],
]
MADE = [
    ("f", {"x": 7}, None),
    ("f", {"x": 7}, "timeout"),
    ("f", {"x": 8}, "timeout"),
    ("g", DEEP, None),
    ("g", ALIKE, None),
    ("g", {}, None),
]


def runs():
    """All runs of up to three calls: failed, repeated, nested; one by one, and asked for together."""
    for number in range(4):
        for calls in itertools.product(MADE[:: 1 + number // 3], repeat=number):
            yield [[one] for one in calls]
            if number > 1:
                yield [list(calls)]
            if number > 2:
                yield [list(calls[:1]), list(calls[1:])]


RUNS = list(runs())


@pytest.fixture(scope="module")
def traces(trace_of):
    return [trace_of(requests) for requests in RUNS]


def converted(path, folder):
    """The case that a file of theirs becomes, and what of it is told as approximated."""
    target = folder / "s.yaml"
    report = convert_file(path, target, to="passhat", force=True)
    told = [note for note in report.notes if note.kind == "approximated"]
    assert all(note.run for note in told), told
    return read_suite(target).cases[0], told


def passes(trace, case):
    return grade(trace, case, ["trajectory"]).status == "passed"


@cache
def adk_invocations():
    return [[invocation([call for request in run for call in request])] for run in RUNS]


def invocation(calls):
    from google.adk.evaluation.eval_case import Invocation

    uses = [{"name": name, "args": args} for name, args, *_ in calls]
    said = {"parts": [{"text": "hi"}], "role": "user"}
    return Invocation.model_validate(
        {"user_content": said, "intermediate_data": {"tool_uses": uses}}
    )


def adk_says(expected, match_type, ignore):
    """How ADK's own evaluator judges each run."""
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator

    criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=match_type, ignore_args=ignore)
    metric = EvalMetric(metric_name="t", threshold=1.0, criterion=criterion)
    evaluator = TrajectoryEvaluator(eval_metric=metric)
    wanted = [invocation(expected)]

    return [
        evaluator.evaluate_invocations(made, wanted).overall_eval_status.name == "PASSED"
        for made in adk_invocations()
    ]


@pytest.mark.parametrize("ignore", [False, True])
@pytest.mark.parametrize("match_type", ["EXACT", "IN_ORDER", "ANY_ORDER"])
def test_adk_judges_as_the_suite_that_is_made_of_it(match_type, ignore, traces, tmp_path):
    pytest.importorskip("google.adk")
    criterion = {"threshold": 1.0, "match_type": match_type, "ignore_args": ignore}
    config = {"criteria": {"tool_trajectory_avg_score": criterion}}
    (tmp_path / "test_config.json").write_text(json.dumps(config))
    same = 0
    for expected in EXPECTED:
        uses = [{"name": name, "args": args} for name, args in expected]
        turn = {
            "user_content": {"parts": [{"text": "hi"}]},
            "intermediate_data": {"tool_uses": uses},
        }
        evalset = {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [turn]}]}
        path = tmp_path / "s.evalset.json"
        path.write_text(json.dumps(evalset))
        case, told = converted(path, tmp_path)
        says = adk_says(expected, match_type, ignore)
        parted = [
            run
            for run, trace, passed in zip(RUNS, traces, says, strict=True)
            if passed != passes(trace, case)
        ]
        if not told:
            same += 1
            assert not parted, (expected, parted[0])
        elif expected != [("g", {})]:  # No run here has a call without arguments, which is None.
            assert parted, (expected, told)
    assert same >= (7 if ignore else 5)


def messages(requests, answer="Done."):
    made = [{"role": "user", "content": "hi"}]
    number = itertools.count()
    for request in requests:
        calls = [
            {
                "id": f"c{next(number)}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(args)},
            }
            for name, args, *_ in request
        ]
        made.append({"role": "assistant", "content": "", "tool_calls": calls})
        made += [
            {"role": "tool", "tool_call_id": call["id"], "content": one[2] or "ok"}
            for call, one in zip(calls, [(*one, None)[:3] for one in request], strict=True)
        ]
    return [*made, {"role": "assistant", "content": answer}]


@pytest.mark.parametrize(
    ("args", "overrides"),
    [
        *((args, {}) for args in ("exact", "ignore", "subset", "superset")),
        *(("exact", {"f": way}) for way in (["x"], "ignore", [])),
    ],
)
@pytest.mark.parametrize("mode", ["unordered", "subset", "superset"])
@pytest.mark.parametrize("library", ["openevals", "agentevals"])
def test_openevals_and_agentevals_judge_as_the_suite_that_is_made_of_them(
    library, mode, args, overrides, traces, tmp_path
):
    pytest.importorskip(library)
    from passhat_openevals import evaluator_for

    settings = {"trajectory_match_mode": mode, "tool_args_match_mode": args}
    if overrides:
        settings["tool_args_match_overrides"] = overrides
    few = range(0, len(RUNS), 3)
    for expected in EXPECTED:
        row = {
            "id": "a",
            "inputs": "hi",
            "reference_outputs": messages([[one] for one in expected]),
            "evaluator": settings,
            "library": library,
        }
        path = tmp_path / "r.jsonl"
        path.write_text(json.dumps(row) + "\n")
        case, told = converted(path, tmp_path)
        if told:
            continue
        judge = evaluator_for(row)
        for at in few:
            theirs = judge(outputs=messages(RUNS[at]), reference_outputs=row["reference_outputs"])[
                "score"
            ]
            assert bool(theirs) == passes(traces[at], case), (expected, RUNS[at])


def test_strict_is_told_with_a_run_that_parts_the_two(tmp_path):
    pytest.importorskip("openevals")
    from passhat_openevals import evaluator_for, to_trace

    reference = messages([[("f", {"x": 7})]])
    row = {"id": "a", "inputs": "hi", "reference_outputs": reference}
    row["evaluator"] = {"trajectory_match_mode": "strict"}
    (tmp_path / "r.jsonl").write_text(json.dumps(row) + "\n")
    case, (told,) = converted(tmp_path / "r.jsonl", tmp_path)
    assert "one more message of the assistant" in told.run
    outputs = [*reference[:1], {"role": "assistant", "content": "One moment."}, *reference[1:]]
    assert evaluator_for(row)(outputs=outputs, reference_outputs=reference)["score"] is False
    assert grade(to_trace(outputs), case).status == "passed"


def config_of(tmp_path, criteria):
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": criteria}))


def evalset_of(tmp_path, *turns):
    conversation = [
        {
            "user_content": {"parts": [{"text": "hi"}]},
            "intermediate_data": {"tool_uses": [{"name": "f", "args": {"x": 7}}]},
            **turn,
        }
        for turn in turns
    ]
    value = {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": conversation}]}
    path = tmp_path / "s.evalset.json"
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("threshold", "turns", "same"),
    [(0.8, 1, True), (0.8, 4, True), (0.8, 5, False), (1.0, 9, True)],
)
def test_a_share_of_turns_is_told_where_a_case_has_so_many(threshold, turns, same, tmp_path):
    config_of(tmp_path, {"tool_trajectory_avg_score": {"threshold": threshold}})
    _, told = converted(evalset_of(tmp_path, *[{}] * turns), tmp_path)
    assert [note.field for note in told] == ([] if same else ["turns"])


def test_the_mean_of_responses_is_told(tmp_path):
    config_of(tmp_path, {"response_match_score": {"threshold": 0.8}})
    answer = {"final_response": {"parts": [{"text": "Done."}]}}
    assert converted(evalset_of(tmp_path, answer), tmp_path)[1] == []
    _, (told,) = converted(evalset_of(tmp_path, answer, answer), tmp_path)
    assert (told.field, told.run) == (
        "turns",
        "2 turns, one scores 0.6 and the other 1: theirs 0.8, which passes, ours False",
    )
    _, (told,) = converted(evalset_of(tmp_path, {}), tmp_path)
    assert told.field == "reference"
