"""What the metrics see of the state, of times and of nested calls, and what nobody saw."""

import asyncio
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from adk_metrics import Json, app_of, config, evalset, said, turn
from msgspec import UNSET

import passhat
from passhat import Case
from passhat.grading import catalogue

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def booked() -> Iterator[str]:
    """A check of one's own that looks at the state."""

    @passhat.check("refund_booked", needs=("final_state", "initial_state"))
    def refund_booked(trace: passhat.Trace, case: Case) -> bool:
        assert trace.initial_state == {"tier": "gold"}
        return bool(trace.final_state["refunds"] == {"A1": 40.0})

    yield "passhat_refund_booked"
    del catalogue._OWN["refund_booked"]


def test_state_reaches_checks_through_the_plugin(
    scripted: ModuleType, service: Any, booked: str
) -> None:
    agent = scripted.shop()
    configured = config(**{booked: 1.0, "tool_trajectory_avg_score": 1.0})
    (with_it,) = asyncio.run(service(agent, evalset(), configured, app=app_of(agent)))
    assert said(with_it, booked) == ("PASSED", 1.0, "passed")
    (without,) = asyncio.run(service(agent, evalset(), configured))
    status, score, reason = said(without, booked)
    assert (status, score) == ("FAILED", 0.0)
    assert reason.startswith("not evaluated: ")
    assert "final_state: ADK gives metrics no state; passhat_adk.TracePlugin()" in reason


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(
    ("state", "status"),
    [
        ({"order": "ORD-77123"}, "PASSED"),
        ({"user:orders": {"open": ["ORD-77123"]}}, "PASSED"),
        ({"order": "ORD-99999"}, "FAILED"),
        ({"temp:order": "ORD-77123"}, "FAILED"),  # ADK drops it before the run
    ],
)
def test_an_id_that_the_session_began_with_is_given(
    scripted: ModuleType, service: Any, state: Json, status: str, recorded: bool
) -> None:
    agent = scripted.shop(
        scripted.script(
            [scripted.asks("lookup_order", order_id="ORD-77123")], [scripted.says("Done.")]
        )
    )
    session = {"app_name": "shop", "user_id": "u", "state": state}
    cases = evalset(turn("Look up my order."), session_input=session)
    app = app_of(agent) if recorded else None
    (result,) = asyncio.run(service(agent, cases, config(passhat_provenance=1.0), app=app))
    assert said(result, "passhat_provenance")[0] == status


@pytest.mark.parametrize(("paid", "status"), [(40.0, "PASSED"), (999.0, "FAILED")])
def test_final_session_state_is_judged(
    scripted: ModuleType, service: Any, paid: float, status: str
) -> None:
    """ADK reads it nowhere, and gives metrics no eval case; both ways to it must work."""
    agent = scripted.shop(tools=[scripted.lookup_order, scripted.issue_refund])
    cases = evalset(final_session_state={"refunds": {"A1": paid}, "looked_up": "A1"})
    asked = config(passhat_case=1.0, passhat_final_state=1.0, passhat_state_unchanged=1.0)
    (result,) = asyncio.run(service(agent, cases, asked, app=app_of(agent)))
    assert said(result, "passhat_final_state")[0] == status
    assert said(result, "passhat_case")[0] == status
    assert said(result, "passhat_state_unchanged")[0] == "FAILED"
    if status == "FAILED":
        assert "999" in said(result, "passhat_case")[2]


def test_a_case_whose_state_nobody_saw_never_passes(scripted: ModuleType, service: Any) -> None:
    cases = evalset(final_session_state={"refunds": {"A1": 40.0}})
    configured = config(passhat_case=1.0, tool_trajectory_avg_score=1.0)
    (result,) = asyncio.run(service(scripted.shop(), cases, configured))
    assert result.final_eval_status.name == "FAILED"
    assert said(result, "passhat_case")[2].startswith("not evaluated: final_state")


def test_the_plugin_records_state_times_and_nested_calls(
    scripted: ModuleType, service: Any
) -> None:
    from google.adk.runners import Runner
    from google.adk.sessions.in_memory_session_service import InMemorySessionService
    from google.adk.tools.agent_tool import AgentTool
    from google.genai import types

    one = scripted.shop(scripted.REFUND, "one", description="First.")
    two = scripted.shop(scripted.REFUND, "two", description="Second.")
    root = scripted.shop(
        scripted.script(
            [scripted.asks("one", request="A1"), scripted.asks("two", request="A1")],
            [scripted.says("never")],
            [scripted.says("Both done.")],
        ),
        tools=[AgentTool(one), AgentTool(two)],
    )
    app = app_of(root)

    async def play() -> Any:
        sessions = InMemorySessionService()
        session = await sessions.create_session(
            app_name="shop", user_id="u", state={"tier": "gold"}
        )
        async with Runner(app=app, session_service=sessions) as runner:
            message = types.Content(role="user", parts=[types.Part(text="Refund A1 twice")])
            async for _ in runner.run_async(
                user_id="u", session_id=session.id, new_message=message
            ):
                pass
        return app.plugins[0].trace(session.id)

    trace = asyncio.run(play())
    outer = {call.name: call for call in trace.calls}
    assert set(outer) == {"one", "two"}
    for name, call in outer.items():
        inner = [step for step in trace.all_calls if step.parent == call.id]
        assert [step.name for step in inner] == ["lookup_order", "issue_refund"]
        assert {step.agent for step in inner} == {name}
        assert all(step.succeeded for step in inner)
        assert call.started <= inner[0].started <= inner[-1].ended <= call.ended
    assert trace.initial_state == {"tier": "gold"}
    assert trace.final_state is not UNSET
    assert not any(key.startswith(("temp:", "__")) for key in trace.final_state)
    assert trace.final_response == "Both done."
    assert trace.seconds is not None


@pytest.mark.parametrize(
    ("seen", "shared", "told"),
    [
        (True, True, "forbidden: issue_refund"),
        (True, False, "clerk runs its agent without the app's plugins"),
        (False, True, "clerk may be an agent as a tool (AgentTool)"),
    ],
)
def test_what_an_agent_called_inside_a_call_never_passes_unseen(
    scripted: ModuleType, service: Any, seen: bool, shared: bool, told: str
) -> None:
    from google.adk.tools.agent_tool import AgentTool

    clerk = scripted.shop(scripted.REFUND, "clerk", description="Refunds.")
    agent = scripted.shop(
        scripted.script([scripted.asks("clerk", request="Refund A1")], [scripted.says("Done.")]),
        tools=[AgentTool(clerk, include_plugins=shared)],
    )
    asked = config(passhat_forbidden_calls={"threshold": 1.0, "forbidden_calls": ["issue_refund"]})
    cases = evalset(turn("Refund A1, please."))
    app = app_of(agent) if seen else None
    (result,) = asyncio.run(service(agent, cases, asked, app=app))
    status, _, reason = said(result, "passhat_forbidden_calls")
    assert status == "FAILED"
    assert told in reason
