"""One verdict at every door: the frameworks themselves, on the canonical, generated and real runs."""

import socket
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from passhat import Case, Suite, read_suite, read_traces
from passhat.adapter import adapters
from passhat.demo import SUITE, TRACES
from passhat.parity import compare_doors
from passhat.suitefile import case_from_trace, suite_from
from passhat.testing import CANONICAL, call, calls, says, trace_of, user
from passhat.trace import Message, ToolCall, Trace

OURS = ["pytest", "adk", "adk-no-plugin", "langsmith", "openevals"]
QUICK = OURS[1:]
"""The doors that need no process of their own."""


@pytest.fixture(autouse=True)
def no_connection(monkeypatch):
    """No door makes a connection, nor looks a host up, be it in the background."""
    tried = []

    def refuse(*given, **options):
        tried.append(given)
        raise OSError(f"a connection: {given}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "must-not-be-used")
    yield
    time.sleep(0.2)  # A thread that sends in the background does so every tenth of a second.
    assert tried == []


def expectations(trace):
    """What a case may expect, of every kind, some of it met by the trace and some not."""
    made = [{"name": one.name, "args": one.args} for one in trace.calls]
    names = [one.name for one in trace.calls]
    yield "calls", {"expected_calls": made, "mode": "exact"}
    yield "more", {"expected_calls": [*names, "extra"], "mode": "in_order"}
    yield "state", {"expected_final_state": {"orders": {"A1": {"status": "cancelled"}}}}
    yield "words", {"response": {"includes": ["shipped"]}, "forbidden_calls": ["cancel_order"]}
    yield "budget", {"budget": {"tool_calls": 1, "seconds": 1}}
    yield (
        "rules",
        {
            "policies": [{"name": "none", "deny": "call.name == 'cancel_order'"}],
            "success_check": "size(calls) > 0",
            "before": [["lookup_order", "cancel_order"]],
            "requires_approval": ["cancel_order"],
        },
    )
    yield (
        "graded",
        {
            "expected_calls": [*names, "extra", "more"],
            "checks": {
                "tool_call_f1": {"at_least": 0.7},
                "argument_accuracy": {"at_least": 0.3},
                "error_rate": {"at_most": 0.4},
                "recovered": {"required": True},
                "loops": {"required": True},
            },
        },
    )


def canonical():
    cases, traces = [], []
    for name, one in CANONICAL.items():
        for kind, expected in expectations(one.trace):
            id = f"{name}.{kind}"
            cases.append({"id": id, "input": name, **expected})
            traces.append(replace(one.trace, id=id, case_id=id))
    return suite_from({"name": "canonical", "cases": cases}), traces


def of(found, outcome):
    return [
        (door.name, one.case, one.key, one.field, one.ours, one.theirs)
        for door in found.doors
        for one in door.findings
        if one.outcome == outcome
    ]


def test_the_canonical_traces_get_one_verdict_at_every_door():
    suite, traces = canonical()
    found = compare_doors(suite, traces)
    assert [door.name for door in found.doors if door.kind == "ours"] == OURS
    assert not any(door.broken or door.missing for door in found.doors)
    assert of(found, "differs") == []
    by_name = {door.name: door for door in found.doors}
    assert by_name["pytest"].runs == len(traces)
    # What is not the same is so for a reason that is stated: a replay has times of its own, and ADK
    # without our plugin says that it gives metrics no state.
    assert {(door, key) for door, _, key, *_ in of(found, "not_carried")} <= {
        ("langsmith", "case"),
        ("langsmith", "budget"),
        ("adk-no-plugin", "case"),
        ("adk-no-plugin", "final_state"),
    }
    refused = {one[:2] for one in of(found, "not_judged")}
    assert {case.partition(".")[0] for _, case in refused} == {"unparsable_arguments", "multi_turn"}
    assert {door for door, _ in refused} == {"adk", "adk-no-plugin"}
    assert by_name["langsmith"].count("equal") > 300


def test_the_bundled_runs_get_one_verdict_at_every_door():
    found = compare_doors(read_suite(SUITE), read_traces(TRACES, "openai"), doors=QUICK)
    assert found.exit_code == 0, [door.to_dict() for door in found.doors]
    assert {door.verdicts for door in found.doors} == {128}


def test_states_and_times_are_carried_with_the_plugin_alone():
    case = {
        "id": "a",
        "input": "hi",
        "expected_final_state": {"orders": {"A1": {"status": "open"}}},
        "budget": {"seconds": 5},
    }
    trace = replace(
        trace_of(user("hi"), says("ok"), id="t", case_id="a"),
        initial_state={"orders": {"A1": {"status": "open"}}},
        final_state={"orders": {"A1": {"status": "open"}}},
        started=100.0,
        ended=101.0,
    )
    found = compare_doors(suite_from({"name": "s", "cases": [case]}), [trace], doors=QUICK)
    by_name = {door.name: door for door in found.doors}
    assert by_name["adk"].count("equal") == by_name["adk"].verdicts == 3
    for name in ("adk-no-plugin", "langsmith", "openevals"):
        lost = {one.key: one for one in by_name[name].findings}
        assert lost["final_state"].outcome == "not_carried", name
        assert (lost["final_state"].ours, lost["final_state"].theirs) == (
            "passed",
            "not_evaluated",
        )
        assert "final_state" in lost["final_state"].why
    assert found.exit_code == 3


def test_a_run_that_its_surroundings_lost_is_told_alike_though_its_calls_part():
    case = {"id": "a", "input": "hi", "expected_calls": ["refund"], "mode": "exact"}
    lost = replace(one_call(), error="ConnectionError('x')", outcome="infrastructure_error")
    found = compare_doors(suite_from({"name": "s", "cases": [case]}), [lost], doors=OURS)
    assert of(found, "differs") == []


def one_call(**call):
    made = ToolCall("lookup", id="1", request=0, executed=True, result="ok", answered=1, **call)
    return Trace(
        "t",
        case_id="a",
        steps=(
            Message("user", "hi"),
            Message("assistant", "", request=0),
            made,
            Message("assistant", "Done.", request=1),
        ),
    )


@pytest.mark.parametrize("at", [3.6, 1.7e9, 4e9])
def test_times_of_calls_alone_put_no_run_of_langsmiths_in_another_place(at):
    case = {"id": "a", "input": "hi", "expected_calls": ["lookup"], "mode": "exact"}
    trace = one_call(started=at, ended=at + 1)
    found = compare_doors(suite_from({"name": "s", "cases": [case]}), [trace], doors=["langsmith"])
    assert (found.exit_code, of(found, "differs")) == (0, [])


@pytest.mark.parametrize(
    ("part", "refused"),
    [({"type": "image_url", "image_url": {"url": "https://a/b.png"}}, 0), ({"inline_data": 5}, 1)],
)
def test_what_adk_refuses_of_one_run_costs_no_other(part, refused):
    suite = suite_from(
        {
            "name": "s",
            "cases": [
                {"id": id, "input": "hi", "expected_calls": ["lookup"], "mode": "exact"}
                for id in "ab"
            ],
        }
    )
    plain = one_call()
    odd = (Message("user", "hi", content=[part]), *plain.steps[1:])
    traces = [plain, replace(plain, id="u", case_id="b", steps=odd)]
    found = compare_doors(suite, traces, doors=["adk", "adk-no-plugin"])
    assert [(door.broken, door.count("equal")) for door in found.doors] == [
        ("", 4 - 2 * refused)
    ] * 2
    why = [one.why for door in found.doors for one in door.findings if one.outcome == "not_judged"]
    assert len(why) == 2 * refused
    assert all(one.startswith("ADK refuses the run: ") for one in why)


names = st.sampled_from(["lookup", "refund", "note"])
values = st.one_of(
    st.booleans(), st.integers(-3, 3), st.floats(0, 2, width=16), st.text(max_size=4), st.none()
)
args = st.dictionaries(st.sampled_from(["id", "x"]), values, max_size=2)


@st.composite
def runs(draw):
    """A run of one turn: requests of one or more calls that return, fail or stay unanswered."""
    parts = [user(draw(st.text(min_size=1, max_size=10)))]
    for _ in range(draw(st.integers(0, 3))):
        made = []
        for _ in range(draw(st.integers(1, 2))):
            one = call(draw(names), **draw(args))
            end = draw(st.sampled_from(["gives", "gives", "fails"]))
            made.append(one.returns(draw(args)) if end == "gives" else one.fails("it broke"))
        parts.append(calls(*made))
    parts.append(says(draw(st.text(min_size=1, max_size=20).filter(str.strip))))
    return parts


@st.composite
def cases(draw, id):
    expected = [
        {"name": draw(names), "args": draw(args)} if draw(st.booleans()) else draw(names)
        for _ in range(draw(st.integers(0, 3)))
    ]
    stated = {
        "expected_calls": expected,
        "mode": draw(st.sampled_from(["exact", "in_order", "unordered", "superset", "subset"])),
        "forbidden_calls": ["note"],
        "before": [["lookup", "refund"]],
        "response": {"includes": [draw(st.text(min_size=1, max_size=2))]},
        "budget": {"tool_calls": 2},
        "checks": {"tool_call_f1": {"at_least": 0.6}, "error_rate": {"at_most": 0.3}},
    }
    kept = draw(st.sets(st.sampled_from(sorted(stated)), min_size=1))
    return {"id": id, "input": id, **{key: stated[key] for key in sorted(kept)}}


@settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_generated_runs_get_one_verdict_at_every_door(data):
    # Many runs in each example: going through a door costs more than a run does.
    stated, traces = [], []
    for at in range(15):
        id = f"case {at}"
        stated.append(data.draw(cases(id)))
        traces.append(trace_of(*data.draw(runs()), id=f"run {at}", case_id=id))
    suite = suite_from({"name": "generated", "cases": stated})
    found = compare_doors(suite, traces, doors=QUICK)
    assert [door.broken for door in found.doors if door.broken] == []
    assert of(found, "differs") == []
    assert of(found, "not_carried") == []
    assert of(found, "not_judged") == []


def from_recording(path):
    traces = [one for one in read_traces(path) if isinstance(one, Trace)][:10]
    made = [replace(case_from_trace(one), id=f"c{at}") for at, one in enumerate(traces)]
    named = [replace(one, case_id=f"c{at}", trial=None) for at, one in enumerate(traces)]
    return Suite("recorded", tuple(made)), named


@pytest.mark.parametrize(
    "name",
    [
        "adk/customer-service__123.session.json",
        "adk/personalized-shopping__text_search_floral_dress.session.json",
        "langsmith/langgraph_runs.json",
        "langsmith/traceable_openai_runs.json",
    ],
)
def test_real_recordings_get_one_verdict_at_every_door(shared: Path, name):
    suite, traces = from_recording(shared / "real" / name)
    assert traces
    found = compare_doors(suite, traces, doors=QUICK)
    assert [door.broken for door in found.doors if door.broken] == []
    assert of(found, "differs") == []
    by_name = {door.name: door for door in found.doors}
    assert by_name["adk"].count("equal") == by_name["adk"].verdicts > 0
    # Messages and ADK's invocations have no place for the error in which a run ended.
    assert all(one[4] == "agent_error" for one in of(found, "not_carried"))


def test_real_attempts_get_one_verdict_at_every_door(shared: Path):
    path = shared / "real/tau_airline/runs.json"
    suite, _ = adapters()["tau-bench"].read_suite(path)
    traces = list(read_traces(path))[:40]
    found = compare_doors(suite, traces, doors=QUICK)
    assert [door.findings for door in found.doors] == [()] * 4
    assert {door.runs for door in found.doors} == {40}
    # Of some tasks the recordings say nothing that could be expected.
    assert {one.partition(": ")[2] for one in found.unjudged} == {
        "not_evaluated: the case requires no check"
    }


def test_adks_own_evaluator_differs_where_true_is_one(tmp_path):
    evalset = {
        "eval_set_id": "pay",
        "eval_cases": [
            {
                "eval_id": name,
                "conversation": [
                    {
                        "user_content": {"role": "user", "parts": [{"text": name}]},
                        "intermediate_data": {"tool_uses": [{"name": "pay", "args": {"x": 1}}]},
                    }
                ],
            }
            for name in ("a", "b")
        ],
    }
    config = {
        "criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"}}
    }
    from passhat_adk import to_suite

    suite = to_suite(evalset, config=config)
    traces = [
        trace_of(user("a"), call("pay", x=True).returns({}), says("done"), id="r1", case_id="a"),
        trace_of(user("b"), call("pay", x=1).returns({}), says("done"), id="r2", case_id="b"),
    ]
    own = "adk:tool_trajectory_avg_score"
    found = compare_doors(suite, traces, doors=[*QUICK, own])
    assert found.exit_code == 1
    assert {one[:2] for one in of(found, "differs")} == {(own, "a")}
    (one,) = found.doors[-1].findings
    assert (one.ours, one.theirs) == ("failed", "passed")
    assert "True equals 1" in one.why
    assert found.doors[-1].count("equal") == 1


def test_agentevals_differs_where_it_pairs_first_come_first_served():
    from passhat_openevals import to_suite

    def message(*made):
        asked = [{"function": {"name": n, "arguments": a}} for n, a in made]
        return [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": "", "tool_calls": asked},
        ]

    row = {
        "id": "a",
        "inputs": "x",
        "reference_outputs": message(("search", "{}"), ("search", '{"x": 1}')),
        "library": "agentevals",
        "trajectory_match_mode": "superset",
        "tool_args_match_mode": "superset",
    }
    trace = trace_of(
        user("x"), call("search", x=1).returns({}), call("search", x=2).returns({}), says("done"),
        id="r", case_id="a",
    )  # fmt: skip
    found = compare_doors(to_suite([row]), [trace], doors=[*QUICK, "openevals:trajectory_match"])
    assert {one[0] for one in of(found, "differs")} == {"openevals:trajectory_match"}
    (one,) = found.doors[-1].findings
    assert (one.ours, one.theirs) == ("passed", "failed")
    assert "first come, first served" in one.why


def test_criteria_that_ask_a_model_or_run_code_are_left_alone():
    from passhat_adk import to_suite

    evalset = {
        "eval_set_id": "s",
        "eval_cases": [
            {
                "eval_id": "a",
                "conversation": [
                    {
                        "user_content": {"role": "user", "parts": [{"text": "hi"}]},
                        "intermediate_data": {"tool_uses": [{"name": "f", "args": {}}]},
                    }
                ],
            }
        ],
    }
    config = {
        "criteria": {"tool_trajectory_avg_score": 1.0, "safety_v1": 0.8, "mine": 1.0},
        "custom_metrics": {"mine": {"code_config": {"name": "no_such_module.raises"}}},
    }
    suite = to_suite(evalset, config=config)
    trace = trace_of(user("hi"), call("f").returns({}), says("done"), id="r", case_id="a")
    found = compare_doors(suite, [trace], doors=["adk", "adk:tool_trajectory_avg_score"])
    assert found.exit_code == 0, found.to_dict()


def test_the_caller_may_be_in_an_event_loop_and_be_traced():
    import asyncio

    from langsmith import tracing_context

    case = Case("a", "hi", expected_calls=["f"])
    trace = trace_of(user("hi"), call("f").returns({}), says("done"), id="r", case_id="a")

    async def main():
        return compare_doors(Suite("s", (case,)), [trace], doors=QUICK)

    with tracing_context(enabled=True):
        assert asyncio.run(main()).exit_code == 0
