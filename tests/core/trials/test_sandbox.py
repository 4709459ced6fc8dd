"""Sandboxes: a world of each trial's own, arguments checked, changes logged, approvals, mocks."""

import asyncio
import contextvars
import pickle
import threading
import time
from typing import Literal

import pytest

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.grading import grade
from passhat.trace import Interrupt, Message, StateUpdate, ToolCall, Trace
from passhat.trials.attempt import AttemptFailed, attempt
from passhat.trials.raised import DeclinedError, ToolError, UnknownToolError, ValidationError
from passhat.trials.runs import run
from passhat.trials.sandbox import Sandbox, current_tools
from passhat.trials.tooling import schema_of

START = {"orders": {"A1": {"status": "open", "total": 30}}, "refunds": []}


def refund(state: dict, order: str, amount: float = 1, why: Literal["late", "lost"] = "late"):
    """Refund an order.

    Args:
        order: The order's id.
        amount: In euros,
            never more than was paid.
    """
    if order not in state["orders"]:
        raise KeyError(order)
    state["refunds"].append({"id": order, "amount": amount})
    return {"refunded": amount}


def look_up(state: dict, order: str):
    return state["orders"][order]


CASE = Case("c", "Refund A1")


def played(agent, case=CASE, sandbox=None, **more):
    return asyncio.run(attempt(agent, case, trial=0, seed=3, sandbox=sandbox, **more))


@pytest.fixture
def shop():
    return Sandbox([refund, look_up], START)


def test_every_trial_has_its_own_copy_and_the_trace_tells_what_changed(shop):
    def agent(case, tools):
        order = tools["look_up"](order="A1")
        tools["refund"](order="A1", amount=order["total"])
        return "I have refunded 30."

    for _ in range(2):
        trace = played(agent, sandbox=shop)
        assert trace.initial_state == START
        assert trace.final_state == {**START, "refunds": [{"id": "A1", "amount": 30}]}
        assert [call.name for call in trace.calls] == ["look_up", "refund"]
        assert [call.request for call in trace.calls] == [0, 1]
        (update,) = [step for step in trace.steps if isinstance(step, StateUpdate)]
        assert update.delta == {"refunds": [{"id": "A1", "amount": 30}]}
        assert trace.calls[1].extensions["sandbox"]["changes"][0]["path"] == "refunds[A1]"
        assert trace.final_response == "I have refunded 30."
        assert trace.tools["refund"]["description"] == "Refund an order."
    assert START == {"orders": {"A1": {"status": "open", "total": 30}}, "refunds": []}


def test_policies_and_final_states_are_judged_on_what_the_sandbox_saw(shop):
    case = Case(
        "c",
        "Refund A1",
        expected_calls=["refund"],
        success_check="refunds['A1'].amount == 30",
        policies=[{"name": "once", "deny": "call.name == 'refund' && size(state.refunds) > 0"}],
    )

    def twice(case, tools):
        tools["refund"](order="A1", amount=30)
        tools["refund"](order="A1", amount=30)
        return "Done."

    assert grade(played(twice, case, shop), case).result("policies").status == "failed"
    once = played(lambda case, tools: str(tools["refund"](order="A1", amount=30)), case, shop)
    assert grade(once, case).status == "passed"


def test_a_cases_state_goes_before_the_sandboxs(shop):
    case = Case("c", "Hi", initial_state={"orders": {"B2": {"status": "sent"}}, "refunds": []})
    trace = played(lambda case, tools: tools["look_up"](order="B2")["status"], case, shop)
    assert (trace.final_response, trace.initial_state) == ("sent", case.initial_state)


def test_tools_made_for_a_state_are_bound_to_the_trials_own():
    def tools(state):
        return {"push": lambda item: state.append(item) or len(state)}

    trace = played(lambda case, tools: str(tools["push"](item=1)), sandbox=Sandbox(tools, [0]))
    assert (trace.final_state, trace.final_response) == ([0, 1], "2")


def test_schemas_are_read_off_functions():
    schema = schema_of(refund)
    assert schema["required"] == ["order"]
    assert schema["properties"]["order"] == {"description": "The order's id.", "type": "string"}
    assert schema["properties"]["amount"]["description"] == "In euros, never more than was paid."
    assert schema["properties"]["why"] == {"enum": ["late", "lost"], "default": "late"}
    assert schema["additionalProperties"] is False
    with pytest.raises(UsageError, match="takes no name"):
        schema_of(lambda a, /: a)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({}, "'order' is a required property"),
        ({"order": 1}, "is not of type 'string'"),
        ({"order": "A1", "amuont": 1}, "'amuont' was unexpected"),
        ("{", "no JSON object"),
        ("[1]", "no JSON object"),
    ],
)
def test_arguments_are_held_to_the_schema_and_the_tool_does_not_run(shop, args, said):
    tools = shop.begin(Case("c"))
    with pytest.raises(ValidationError, match=said):
        tools.call("refund", args)
    (record,) = tools.log.calls
    assert (record.executed, tools.final().value) == (False, START)
    said = tools.answer("refund", args)
    assert said.startswith("Error: ValidationError: ")
    assert asyncio.run(tools.aanswer("refund", args)) == said


def test_an_unknown_tool_is_answered_and_is_in_the_trace(shop):
    def agent(case, tools):
        with pytest.raises(UnknownToolError, match="did you mean refund"):
            tools["refnd"]
        return tools.answer("refnd", {"order": "A1"})

    trace = played(agent, sandbox=shop)
    assert trace.final_response.startswith("Error: there is no tool 'refnd'; did you mean refund?")
    assert [(call.name, call.executed) for call in trace.calls] == [("refnd", False)]


def test_what_a_tool_raises_is_the_calls_error_and_the_agents_to_cope_with(shop):
    trace = played(lambda case, tools: tools.answer("refund", '{"order": "Z"}'), sandbox=shop)
    assert trace.calls[0].error == "KeyError: 'Z'"
    with pytest.raises(AttemptFailed) as failed:
        played(lambda case, tools: tools["refund"](order="Z"), sandbox=shop)
    assert failed.value.trace.calls[0].failed
    assert failed.value.trace.final_state == START


def test_approvals_approve_decline_and_edit(shop):
    case = Case(
        "c",
        "Refund",
        requires_approval=["refund"],
        approvals=[
            {"tool": "refund", "where": {"amount": 500}, "decision": "decline", "message": "no"},
            {"tool": "refund", "where": {"amount": 50}, "decision": "edit", "args": {"amount": 30}},
            {"tool": "refund", "decision": "approve"},
        ],
    )

    def agent(case, tools):
        with pytest.raises(DeclinedError, match="declined the call of refund: no"):
            tools["refund"](order="A1", amount=500)
        assert tools["refund"](order="A1", amount=50) == {"refunded": 30}
        tools["refund"](order="A1", amount=1)
        return "Done."

    trace = played(agent, case, shop)
    assert [row["amount"] for row in trace.final_state["refunds"]] == [30, 1]
    assert [call.executed for call in trace.calls] == [False, True, True]
    assert trace.calls[1].extensions["sandbox"]["ran_with"] == {"order": "A1", "amount": 30}
    answers = [step.answer["decision"] for step in trace.steps if isinstance(step, Interrupt)]
    assert answers == ["decline", "edit", "approve"]
    assert grade(trace, case).result("approval").status == "passed"


def test_mocks_answer_for_schemas_and_those_of_a_case_go_before():
    suite = Suite(
        "s",
        [
            Case("a", "Hi", extensions={"mock_tools": {"look": {"n": 2}}}),
            Case("b", "Hi"),
        ],
        tools={"look": {"type": "object", "properties": {"id": {"type": "string"}}}, "pay": {}},
    )
    sandbox = Sandbox.from_suite(suite, mock_tools={"look": [{"args": {"id": "x"}, "returns": 1}]})
    assert sandbox.begin(suite.cases[0])["look"]() == {"n": 2}
    tools = sandbox.begin(suite.cases[1])
    assert tools["look"](id="x") == 1
    with pytest.raises(ToolError, match="no answer for these arguments"):
        tools["look"](id="y")
    with pytest.raises(ToolError, match="pay has no answer here"):
        tools["pay"]()
    with pytest.raises(ValidationError):
        tools["look"](id=3)


def test_async_tools_run_in_async_and_in_sync_agents():
    async def slow(state: list, n: int):
        await asyncio.sleep(0)
        state.append(n)
        return n

    sandbox = Sandbox([slow], [])

    async def agent(case, tools):
        found = await asyncio.gather(*(tools["slow"](n=n) for n in range(3)))
        return str(found)

    trace = played(agent, sandbox=sandbox)
    assert sorted(trace.final_state) == [0, 1, 2]
    assert {call.request for call in trace.calls} == {0}
    trace = played(lambda case, tools: str(tools.call("slow", {"n": 7})), sandbox=sandbox)
    assert (trace.final_state, trace.final_response) == ([7], "7")


def test_calls_side_by_side_share_a_request_and_lose_no_change(shop):
    def agent(case, tools):
        threads = [
            threading.Thread(target=tools["refund"], kwargs={"order": "A1", "amount": n})
            for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return "Done."

    trace = played(agent, sandbox=shop)
    assert len(trace.final_state["refunds"]) == 8
    changes = [call.extensions["sandbox"]["changes"] for call in trace.calls]
    assert [len(change) for change in changes] == [1] * 8


def test_a_trace_of_the_agents_own_is_completed_by_what_the_sandbox_saw(shop):
    def agent(case, tools):
        tools.answer("refund", {"order": "Z"})
        tools["refund"](order="A1")
        tools["look_up"](order="A1")
        return Trace(
            "own",
            steps=(
                Message("user", "Refund A1"),
                Message("assistant", request=0),
                ToolCall("refund", {"order": "Z"}, id="x1", request=0),
                ToolCall("refund", {"order": "A1"}, id="x2", request=1, result="ok"),
                Message("assistant", "Done.", request=2),
            ),
        )

    trace = played(agent, sandbox=shop)
    first, second, third = trace.calls
    assert (first.id, first.error) == ("x1", "KeyError: 'Z'")
    assert (second.id, second.result, second.executed) == ("x2", "ok", True)
    assert third.name == "look_up"
    assert trace.final_response == "Done."
    assert [step.by for step in trace.steps if isinstance(step, StateUpdate)] == ["x2"]


def test_what_the_agent_is_called_with_goes_by_its_signature(shop):
    assert played(lambda case, box: str(len(box)), sandbox=shop).final_response == "2"
    assert played(lambda case, n=4: str(n), sandbox=shop).final_response == "4"
    assert played(lambda case, tools=None: str(tools)).final_response == "None"
    with pytest.raises(UsageError, match="give `sandbox`"):
        played(lambda case, tools: "x")
    with pytest.raises(UsageError, match=r"is a passhat\.Sandbox"):
        played(lambda case, tools: "x", sandbox={"a": 1})


def test_the_tools_of_the_trial_are_at_hand_where_it_runs(shop):
    def agent(case):
        return str(current_tools()["look_up"](order="A1")["status"])

    assert played(agent, sandbox=shop).final_response == "open"
    with pytest.raises(UsageError, match="no trial runs here"):
        current_tools()


def test_a_sandbox_pickles_and_says_what_cannot_be():
    assert pickle.loads(pickle.dumps(Sandbox([refund], START))).initial_state == START
    with pytest.raises(UsageError, match="give it a reset"):
        Sandbox([refund], look=dict)
    with pytest.raises(UsageError, match="one of them"):
        Sandbox([refund], START, reset=dict)
    with pytest.raises(UsageError, match="two tools 'refund'"):
        Sandbox([refund, refund])
    with pytest.raises(UsageError, match="a function with a name"):
        Sandbox([lambda: 1])
    with pytest.raises(UsageError, match="not a JSON Schema"):
        Sandbox({"a": {"type": 7}})
    with pytest.raises(UsageError, match="a state is a mapping"):
        Sandbox([refund], 7).begin(Case("c"))


def test_openai_gets_its_tools(shop):
    (first, _) = shop.begin(Case("c")).as_openai()
    assert first["function"]["name"] == "refund"
    assert first["function"]["parameters"]["required"] == ["order"]


def test_a_state_that_is_no_json_is_told_and_not_the_tools_fault():
    def spoil(state: dict):
        state["x"] = object()
        return "ok"

    trace = played(lambda case, tools: tools["spoil"](), sandbox=Sandbox([spoil], {}))
    assert trace.final_response == "ok"
    assert any(gap.startswith("final_state: ") for gap in trace.gaps)


def test_a_tool_may_call_others_of_its_trial():
    def pay(state: list, n: int):
        state.append(n)
        return n

    def both(n: int):
        return current_tools()["pay"](n=n) + current_tools()["pay"](n=n + 1)

    async def both_async(n: int):
        return await current_tools().acall("pay", {"n": n}) * 10

    sandbox = Sandbox([pay, both, both_async], [])
    trace = played(lambda case, tools: str(tools["both"](n=1)), sandbox=sandbox)
    assert (trace.final_response, trace.final_state) == ("3", [1, 2])
    assert [call.name for call in trace.calls] == ["both"]
    inner = [call for call in trace.all_calls if call.parent]
    assert [(call.name, call.parent) for call in inner] == [("pay", trace.calls[0].id)] * 2

    async def agent(case, tools):
        return str(await tools["both_async"](n=1))

    trace = played(agent, sandbox=sandbox)
    assert (trace.final_response, trace.final_state) == ("10", [1])


def test_attempts_that_a_framework_makes_by_itself_lie_inside_the_call_that_it_tells_of(shop):
    case = Case("c", "Hi", faults=[{"tool": "refund", "fault": 500, "expect": "retry"}])

    def agent(case, tools):
        for _ in range(2):
            told = tools.answer("refund", {"order": "A1"})
        return Trace(
            "own",
            steps=(
                Message("user", "Refund A1"),
                ToolCall("refund", {"order": "A1"}, id="x1", request=0, result=told),
                Message("assistant", "Done.", request=1),
            ),
        )

    trace = played(agent, case, shop)
    (call,) = trace.calls
    assert (call.id, call.attempts, call.error) == ("x1", 2, None)
    assert [inner.error for inner in trace.all_calls] == ["500 Internal Server Error", None]
    assert grade(trace, case).status == "passed"


def test_numbers_that_json_has_no_name_for_are_kept_in_the_log():
    tools = Sandbox({"nan": lambda: {"x": float("nan"), 1: [float("-inf"), None]}}).begin(Case("c"))
    assert tools["nan"]()["x"] != 0
    kept = {"x": {"$float": "NaN"}, "1": [{"$float": "-Infinity"}, None]}
    assert tools.log.calls[0].result == kept


def test_a_tool_that_hangs_holds_up_neither_the_other_trials_nor_the_end():
    go_on = threading.Event()

    def stuck(state):
        go_on.wait(60)

    def agent(case, tools):
        return tools["stuck"]() if case.id == "bad" else "yes"

    async def awaiting(case, tools):
        return await tools["stuck"].acall() if case.id == "bad" else "yes"

    suite = Suite("s", [Case(name, "?", response={"equals": "yes"}) for name in ("bad", "good")])
    try:
        for one in (agent, awaiting):
            began = time.monotonic()
            results = run(one, suite, 1, sandbox=Sandbox([stuck], {"n": 0}), timeout=1)
            assert time.monotonic() - began < 50  # The tool hangs for sixty.
            assert [t.status for t in results] == ["agent_error", "passed"]
    finally:
        go_on.set()


@pytest.mark.parametrize("told", [True, False])
def test_a_tool_that_calls_another_from_a_thread_does_not_wait_for_ever(told):
    def count(state):
        state["n"] += 1
        return "counted"

    def outer(state):
        said = []
        context = contextvars.copy_context() if told else contextvars.Context()
        thread = threading.Thread(
            target=lambda: context.run(lambda: said.append(tools.answer("count")))
        )
        thread.start()
        thread.join()
        return said[0]

    tools = Sandbox([count, outer], {"n": 0}, patience=0.1).begin(Case("c"))
    said = tools["outer"]()
    assert said == "counted" if told else "contextvars.copy_context().run" in said
    assert tools.final().value == {"n": int(told)}
    assert (tools.log.calls[0].changes is not None) is told
