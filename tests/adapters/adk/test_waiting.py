"""Calls that wait for somebody outside: in whatever order a service keeps what is said of them."""

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from adk_events import Json, asks
from msgspec import UNSET

from passhat.trace import Interrupt, ToolCall, Trace
from passhat_adk import TracePlugin, from_trace, to_trace
from passhat_adk.reader import adapter
from passhat_adk.suites import read_suite

pytestmark = pytest.mark.filterwarnings("ignore")


def event(author: str, *parts: Json, **more: Any) -> Json:
    return {"author": author, "invocation_id": "e-1", "content": {"parts": list(parts)}, **more}


def gives(id: str, name: str, **response: Any) -> Json:
    return {"function_response": {"id": id, "name": name, "response": response}}


ASKED = event("user", {"text": "Refund A1"})
CALLED = event("shop", asks("c1", "refund"), asks("c2", "look"))
HELD = {"id": "c1", "name": "refund", "args": {}}
CONFIRM = asks(
    "k1", "adk_request_confirmation", originalFunctionCall=HELD, toolConfirmation={"hint": "ok?"}
)
CREDENTIAL = asks("k1", "adk_request_credential", functionCallId="c1", authConfig={"key": "till"})


@pytest.mark.parametrize("question", [CONFIRM, CREDENTIAL], ids=["confirmation", "credential"])
@pytest.mark.parametrize("meanwhile", [{"error": "This waits."}, {"status": "asked", "ticket": 5}])
def test_a_question_comes_before_or_behind_what_the_call_is_answered(
    question: Json, meanwhile: Json
) -> None:
    """ADK asks first; a database that sorts events by their times gives the question second."""
    asking = event("shop", question, long_running_tool_ids=["k1"])
    answered = event("shop", gives("c1", "refund", **meanwhile), gives("c2", "look", n=2))
    beyond = [
        event("user", gives("k1", question["function_call"]["name"], confirmed=True)),
        event("shop", gives("c1", "refund", paid=40)),
        event("shop", {"text": "Done."}),
    ]
    orders = ([asking, answered], [answered, asking])
    traces = [to_trace([ASKED, CALLED, *some, *beyond]) for some in orders]
    for trace, some in zip(traces, orders, strict=True):
        assert [(call.name, call.result) for call in trace.calls] == [
            ("refund", {"paid": 40}), ("look", {"n": 2}),
        ]  # fmt: skip
        interim = None if "error" in meanwhile else meanwhile
        assert trace.calls[0].extensions.get("interim") == interim
        assert trace.gaps == ()
        assert trace.outcome == "completed"
        waiting = to_trace([ASKED, CALLED, *some])
        assert waiting.outcome == "interrupted"
        assert waiting.calls[0].result is UNSET
        assert waiting.calls[0].error is None
        assert waiting.calls[0].answered is waiting.calls[0].executed is None
        assert [s.pending for s in waiting.steps if isinstance(s, Interrupt)] == [("c1",)]
        again = to_trace(from_trace(trace))
        assert said(again) == said(trace)
    assert traces[0].calls == traces[1].calls


def said(trace: Trace) -> list[Any]:
    return [
        (step.id, step.result, step.extensions) if isinstance(step, ToolCall) else step
        for step in trace.steps
        if isinstance(step, ToolCall | Interrupt)
    ]


def test_what_adk_asks_is_written_as_it_asked() -> None:
    asked = asks("k1", "adk_request_input", interruptId="i1", message="How much?")
    for question in (CREDENTIAL, CONFIRM, asked):
        event_of = event("shop", question, long_running_tool_ids=["k1"])
        written = from_trace(to_trace([ASKED, CALLED, event_of]))
        assert question in [p for e in written["events"] for p in e["content"]["parts"]]


def test_an_expected_question_is_told_to_be_no_call_here() -> None:
    flat = {"tool_uses": [HELD, CONFIRM["function_call"]]}
    events = {"invocation_events": [CALLED, event("shop", CONFIRM)]}
    for between in (flat, events):
        turn = {"user_content": {"parts": [{"text": "hi"}]}, "intermediate_data": between}
        source = {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [turn]}]}
        suite, fidelity = adapter.read_suite(source)
        assert "refund" in [call.name for call in suite.cases[0].expected_calls]
        told = [note.note for note in fidelity.notes if note.what == "a: expected_calls"]
        assert len(told) == 1
        assert "ADK counts adk_request_confirmation as a call" in told[0]
        unjudged = {"criteria": {"response_match_score": 0.5}}
        _, fidelity = read_suite(source, config=unjudged)
        assert not [note for note in fidelity.notes if note.what == "a: expected_calls"]


def _confirmed(x: int) -> int:
    """Doubles."""
    return x * 2


def _looked(x: int, tool_context: Any) -> Json:
    """Asks first."""
    if tool_context.tool_confirmation is None:
        tool_context.request_confirmation(hint="ok?")
        return {"status": "asked", "ticket": 5}
    return {"n": x}


@pytest.mark.parametrize("stored", ["memory", "sqlite", "database"])
def test_a_session_of_any_service_has_what_the_calls_gave_in_the_end(
    scripted: ModuleType, stored: str, tmp_path: Path
) -> None:
    from google.adk.apps.app import App
    from google.adk.runners import Runner
    from google.adk.sessions.database_session_service import DatabaseSessionService
    from google.adk.sessions.in_memory_session_service import InMemorySessionService
    from google.adk.sessions.sqlite_session_service import SqliteSessionService
    from google.adk.tools.function_tool import FunctionTool
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types

    _looked.__annotations__["tool_context"] = ToolContext
    agent = scripted.shop(
        scripted.script(
            [scripted.asks("_confirmed", x=2), scripted.asks("_looked", x=3)],
            [scripted.says("Done.")],
        ),
        tools=[FunctionTool(_confirmed, require_confirmation=True), _looked],
    )
    plugin = TracePlugin()
    sessions: Any = {
        "memory": InMemorySessionService,
        "sqlite": lambda: SqliteSessionService(str(tmp_path / "s.db")),
        "database": lambda: DatabaseSessionService(f"sqlite+aiosqlite:///{tmp_path / 'd.db'}"),
    }[stored]()

    async def play() -> Any:
        app = App(name="shop", root_agent=agent, plugins=[plugin])
        async with Runner(app=app, session_service=sessions) as runner:
            session = await sessions.create_session(app_name="shop", user_id="u")
            parts = [scripted.says("Go.")]
            while parts:
                message = types.Content(role="user", parts=parts)
                parts = [
                    types.Part(
                        function_response=types.FunctionResponse(
                            id=call.id, name=call.name, response={"confirmed": True}
                        )
                    )
                    async for event in runner.run_async(
                        user_id="u", session_id=session.id, new_message=message
                    )
                    for call in event.get_function_calls()
                    if call.name == "adk_request_confirmation"
                ]
            kept = await sessions.get_session(app_name="shop", user_id="u", session_id=session.id)
        if stored == "database":
            await sessions.close()
        return kept

    session = asyncio.run(play())
    for trace in (to_trace(session), plugin.trace(session.id)):
        assert trace is not None
        assert [(call.name, call.result) for call in trace.calls] == [
            ("_confirmed", 4), ("_looked", {"n": 3}),
        ]  # fmt: skip
        assert trace.calls[1].extensions["interim"] == {"status": "asked", "ticket": 5}
        assert trace.gaps == ()
        assert trace.final_response == "Done."


def test_what_a_delegated_task_gave_is_the_result_of_its_call(scripted: ModuleType) -> None:
    """ADK puts it into the session in the user's name."""
    from google.adk.apps.app import App
    from google.adk.runners import Runner
    from google.adk.sessions.in_memory_session_service import InMemorySessionService
    from google.genai import types

    worker = scripted.shop(
        scripted.script(
            [scripted.asks("lookup_order", order_id="A1")],
            [scripted.asks("finish_task", result="It was delivered.")],
        ),
        "worker",
        mode="task",
        description="Looks orders up.",
    )
    boss = scripted.shop(
        scripted.script([scripted.asks("worker", request="A1?")], [scripted.says("Delivered.")]),
        tools=[],
        sub_agents=[worker],
    )
    plugin = TracePlugin()
    sessions = InMemorySessionService()

    async def play() -> Any:
        app = App(name="shop", root_agent=boss, plugins=[plugin])
        async with Runner(app=app, session_service=sessions) as runner:
            session = await sessions.create_session(app_name="shop", user_id="u")
            message = types.Content(role="user", parts=[scripted.says("Where is A1?")])
            async for _ in runner.run_async(
                user_id="u", session_id=session.id, new_message=message
            ):
                pass
            return await sessions.get_session(app_name="shop", user_id="u", session_id=session.id)

    session = asyncio.run(play())
    for trace in (to_trace(session), plugin.trace(session.id)):
        assert trace is not None
        assert [(call.agent, call.name) for call in trace.calls] == [
            ("shop", "worker"), ("worker", "lookup_order"), ("worker", "finish_task"),
        ]  # fmt: skip
        assert trace.calls[0].result == "It was delivered."
        assert trace.calls[0].ended is not None
        assert len(trace.turns) == 1
