"""Live runs, in which both sides talk at any time, and sessions that are rewound."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

import pytest

from passhat.trace import Trace
from passhat_adk import TracePlugin, to_trace
from passhat_adk.judging import trace_of

pytestmark = pytest.mark.filterwarnings("ignore")
CASE = {
    "eval_id": "A1",
    "conversation": [
        {"user_content": {"parts": [{"text": "Refund A1"}], "role": "user"},
         "intermediate_data": {"tool_uses": [{"name": "lookup_order", "args": {"order_id": "A1"}}]}}
    ],
    "session_input": {"app_name": "shop", "user_id": "u", "state": {"tier": "gold"}},
    "final_session_state": {"looked_up": "A1"},
}  # fmt: skip


def live_app(scripted: ModuleType) -> Any:
    """The shop with a model that is connected to: it looks up the order, then says so."""
    from google.adk.apps.app import App
    from google.adk.models.base_llm_connection import BaseLlmConnection
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types

    class Line(BaseLlmConnection):
        def __init__(self) -> None:
            self.answers: asyncio.Queue[LlmResponse | None] = asyncio.Queue()

        async def send_history(self, history: list[types.Content]) -> None: ...

        async def send_realtime(self, blob: Any) -> None: ...

        async def send_content(self, content: types.Content) -> None:
            answered = any(part.function_response for part in content.parts or [])
            part = scripted.says("Looked up.")
            if not answered:
                part = scripted.asks("lookup_order", order_id="A1")
            say = types.Content(role="model", parts=[part])
            await self.answers.put(LlmResponse(content=say))
            if answered:
                await self.answers.put(LlmResponse(turn_complete=True))

        async def receive(self) -> AsyncGenerator[LlmResponse, None]:
            while (answer := await self.answers.get()) is not None:
                yield answer
                if answer.turn_complete:
                    return

        async def close(self) -> None:
            await self.answers.put(None)

    class Live(scripted.Scripted):  # type: ignore[name-defined, misc]
        @asynccontextmanager
        async def connect(self, llm_request: Any) -> AsyncIterator[Line]:
            yield Line()

    agent = scripted.Agent(name="shop", model=Live(), tools=[scripted.lookup_order])
    return App(name="shop", root_agent=agent, plugins=[TracePlugin()])


def told(trace: Trace) -> list[Any]:
    calls = [(call.turn, call.name) for call in trace.calls]
    return [*[(m.turn, m.role, m.text) for m in trace.messages if m.text], *calls]


def test_a_live_run_is_recorded_with_what_the_user_says(scripted: ModuleType) -> None:
    from google.adk.agents.live_request_queue import LiveRequestQueue
    from google.adk.agents.run_config import RunConfig
    from google.adk.runners import Runner
    from google.adk.sessions.in_memory_session_service import InMemorySessionService
    from google.genai import types

    app = live_app(scripted)
    sessions = InMemorySessionService()

    async def play() -> Any:
        session = await sessions.create_session(app_name="shop", user_id="u", state={"tier": "g"})
        queue = LiveRequestQueue()
        waiting = ["Refund A1", "And again"]

        def say() -> None:
            queue.send_content(types.Content(role="user", parts=[types.Part(text=waiting.pop(0))]))

        say()
        async with Runner(app=app, session_service=sessions) as runner:
            async for event in runner.run_live(
                user_id="u", session_id=session.id, live_request_queue=queue,
                run_config=RunConfig(response_modalities=["TEXT"]),
            ):  # fmt: skip
                if event.turn_complete and waiting:
                    say()
                elif event.turn_complete:
                    queue.close()
        return await sessions.get_session(app_name="shop", user_id="u", session_id=session.id)

    session = asyncio.run(asyncio.wait_for(play(), 60))
    recorded = app.plugins[0].trace(session.id)
    assert told(recorded) == [
        (0, "user", "Refund A1"), (0, "assistant", "Looked up."),
        (1, "user", "And again"), (1, "assistant", "Looked up."),
        (0, "lookup_order"), (1, "lookup_order"),
    ]  # fmt: skip
    assert told(to_trace(session)) == told(recorded)
    assert recorded.initial_state == {"tier": "g"}
    assert recorded.final_state == {"tier": "g", "looked_up": "A1"}


@pytest.mark.parametrize("recorded", [True, False])
def test_state_of_a_live_evaluation_comes_from_the_plugin(
    scripted: ModuleType, recorded: bool
) -> None:
    """ADK drives the agent past its runner then, and tells plugins of models alone."""
    from google.adk.evaluation.base_eval_service import (
        EvaluateConfig,
        EvaluateRequest,
        InferenceConfig,
        InferenceRequest,
    )
    from google.adk.evaluation.eval_case import EvalCase
    from google.adk.evaluation.eval_config import EvalConfig, get_eval_metrics_from_config
    from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
    from google.adk.evaluation.local_eval_service import LocalEvalService
    from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY

    from passhat_adk import register

    config = EvalConfig.model_validate(
        {"criteria": {"passhat_trajectory": 1.0, "passhat_final_state": 1.0, "passhat_case": 1.0}}
    )
    manager = InMemoryEvalSetsManager()
    manager.create_eval_set("shop", "s")
    manager.add_eval_case("shop", "s", EvalCase.model_validate(CASE))
    registry = DEFAULT_METRIC_EVALUATOR_REGISTRY.fork()
    register(registry)

    async def play() -> Any:
        app = live_app(scripted)
        if not recorded:
            app = app.model_copy(update={"plugins": []})
        service = LocalEvalService(
            root_agent=app.root_agent, app=app, eval_sets_manager=manager,
            metric_evaluator_registry=registry,
        )  # fmt: skip
        asked = InferenceConfig(use_live=True, live_timeout_seconds=60)
        request = InferenceRequest(app_name="shop", eval_set_id="s", inference_config=asked)
        ran = [result async for result in service.perform_inference(request)]
        metrics = EvaluateConfig(eval_metrics=get_eval_metrics_from_config(config))
        judge = EvaluateRequest(inference_results=ran, evaluate_config=metrics)
        return [result async for result in service.evaluate(judge)]

    (result,) = asyncio.run(play())
    status = {m.metric_name: m.eval_status.name for m in result.overall_eval_metric_results}
    assert status["passhat_trajectory"] == "PASSED"
    verdict = "PASSED" if recorded else "FAILED"
    assert status["passhat_final_state"] == verdict
    assert status["passhat_case"] == result.final_eval_status.name == verdict
    if recorded:
        turns = [one.actual_invocation for one in result.eval_metric_result_per_invocation]
        trace = trace_of([turn.model_dump(mode="json") for turn in turns])
        assert trace.initial_state == {"tier": "gold"}
        assert trace.final_state == {"tier": "gold", "looked_up": "A1"}
        assert [call.name for call in trace.calls] == ["lookup_order"] * len(turns)


def test_what_was_said_aloud_is_text_once_it_is_written_down() -> None:
    heard = {"author": "user", "input_transcription": {"text": "Refund A1", "finished": True}}
    pieces = {"author": "shop", "partial": True, "output_transcription": {"text": "Ref"}}
    said = {"author": "shop", "outputTranscription": {"text": "Refunded.", "finished": True}}
    trace = to_trace([heard, pieces, said])
    assert told(trace) == [(0, "user", "Refund A1"), (0, "assistant", "Refunded.")]
    assert trace.final_response == "Refunded."
    silent = {"author": "shop", "content": None, "output_transcription": {"text": None}}
    assert told(to_trace([heard, silent])) == [(0, "user", "Refund A1")]


def test_a_session_that_was_rewound_says_so(scripted: ModuleType) -> None:
    from google.adk.apps.app import App
    from google.adk.runners import Runner
    from google.adk.sessions.in_memory_session_service import InMemorySessionService
    from google.genai import types

    rule = scripted.script([scripted.asks("lookup_order", order_id="A1")], [scripted.says("Yes.")])
    app = App(name="shop", root_agent=scripted.shop(rule), plugins=[TracePlugin()])
    sessions = InMemorySessionService()

    async def play() -> Any:
        session = await sessions.create_session(app_name="shop", user_id="u")
        at = {"user_id": "u", "session_id": session.id}
        async with Runner(app=app, session_service=sessions) as runner:
            for text in ("Refund A1", "Refund B2"):
                message = types.Content(role="user", parts=[types.Part(text=text)])
                ids = {e.invocation_id async for e in runner.run_async(new_message=message, **at)}
                await runner.rewind_async(rewind_before_invocation_id=ids.pop(), **at)
        return await sessions.get_session(app_name="shop", **at)

    session = asyncio.run(play())
    recorded = app.plugins[0].trace(session.id)
    # The second time was after the last run, which nobody sees but the session.
    assert [gap.split(" to ")[0] for gap in recorded.gaps] == ["the session was rewound"]
    assert len(to_trace(session).gaps) == 2
    assert len(recorded.turns) == 2
