"""Verdicts compared with the libraries themselves, where they are installed."""

import json
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passhat.match.dialects import Raises, Trajectory, verdict

pytestmark = pytest.mark.filterwarnings("ignore")

VALUES = st.one_of(
    st.sampled_from([1, 2, 1.0, True, False, 0, "1", "", None, 10**20]),
    st.sampled_from([[1, 2], [2, 1], {"p": 1}, {"p": True}, {"q": 2, "p": 1}, {"p": 1, "q": 2}]),
)
ARGS = st.dictionaries(st.sampled_from(["x", "y"]), VALUES, max_size=2)
CALLS = st.builds(lambda name, args: {"name": name, "args": args}, st.sampled_from("ab"), ARGS)
TEXTS = st.sampled_from(["", "{", "null", "[1]", '"x"', '{"x": 1}', '{"x": 1.0, "y": [1]}', "{}"])
RAW = st.builds(lambda name, args: {"name": name, "args": args}, st.sampled_from("ab"), TEXTS)
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def runs(draw, call):
    """Two lists out of one small pool, so that equal calls meet."""
    pool = st.sampled_from(draw(st.lists(call, min_size=1, max_size=3)))
    return draw(st.lists(pool, max_size=4)), draw(st.lists(pool, max_size=4))


def grouped(draw, calls):
    """The calls of one side in lists, an empty list here and there."""
    groups = [[]]
    for call in calls:
        if draw(st.booleans()):
            groups.append([])
        groups[-1].append(call)
    return groups


def as_message(calls):
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "",
                "type": "function",
                "function": {
                    "name": call["name"],
                    "arguments": call["args"]
                    if isinstance(call["args"], str)
                    else json.dumps(call["args"]),
                },
            }
            for call in calls
        ],
    }


def asked(evaluator, actual, expected):
    """What the library answers; it changes what it is given, so it is given copies."""
    try:
        return evaluator(
            outputs=deepcopy([as_message(group) for group in actual]),
            reference_outputs=deepcopy([as_message(group) for group in expected]),
        )["score"]
    except Exception as error:
        return type(error).__name__


def plain(answer):
    return answer.type if isinstance(answer, Raises) else answer


@pytest.fixture(params=["agentevals", "openevals"])
def evaluators(request, monkeypatch):
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    module = {"agentevals": "agentevals.trajectory.match", "openevals": "openevals.trajectory"}
    library = pytest.importorskip(module[request.param])
    made = {
        (mode, args): library.create_trajectory_match_evaluator(
            trajectory_match_mode=mode, tool_args_match_mode=args
        )
        for mode in ("strict", "unordered", "subset", "superset")
        for args in ("exact", "ignore", "subset", "superset")
    }
    return request.param, made


@QUICK
@given(run=runs(st.one_of(CALLS, CALLS, RAW)), data=st.data())
def test_langchain_libraries(evaluators, run, data):
    name, made = evaluators
    actual, expected = (grouped(data.draw, side) for side in run)
    mode, args = data.draw(st.sampled_from(sorted(made)))
    theirs = asked(made[mode, args], actual, expected)
    assert plain(verdict(name, mode, actual, expected, args)) == theirs


@pytest.fixture(scope="module")
def adk():
    evaluator = pytest.importorskip("google.adk.evaluation.trajectory_evaluator")
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.genai import types

    def invocation(calls):
        uses = [types.FunctionCall(name=call["name"], args=call.get("args")) for call in calls]
        return Invocation(
            user_content=types.Content(parts=[types.Part(text="hi")], role="user"),
            intermediate_data=IntermediateData(tool_uses=uses),
        )

    def answer(mode, ignore, actual, expected):
        criterion = ToolTrajectoryCriterion(threshold=1.0, match_type=mode, ignore_args=ignore)
        metric = EvalMetric(metric_name="tool_trajectory_avg_score", criterion=criterion)
        judge = evaluator.TrajectoryEvaluator(eval_metric=metric)
        try:
            result = judge.evaluate_invocations(
                [invocation(turn) for turn in actual], [invocation(turn) for turn in expected]
            )
        except ValueError as error:
            return Raises(type(error).__name__, str(error))
        return result.overall_score

    return answer


@QUICK
@given(run=runs(st.one_of(CALLS, st.just({"name": "a"}))), data=st.data())
def test_adk(adk, run, data):
    actual, expected = (grouped(data.draw, side) for side in run)
    mode = data.draw(st.sampled_from(["exact", "in_order", "any_order"]))
    args = data.draw(st.sampled_from(["exact", "ignore"]))
    theirs = adk(mode, args == "ignore", actual, expected)
    assert verdict("adk", mode, actual, expected, args) == theirs


def test_adk_without_turns(adk):
    none = Trajectory((), grouped=True)
    assert verdict("adk", "exact", none, none) is adk("exact", False, [], []) is None
