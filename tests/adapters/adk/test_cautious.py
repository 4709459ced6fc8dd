"""Whatever a program keeps in its state, and whatever its tools give: the plugin ends no run."""

import asyncio
import math
from types import ModuleType
from typing import Any

import pytest

import passhat
import passhat_adk
from passhat import Case, Suite
from passhat_adk import TracePlugin
from passhat_adk.cautious import as_json, harmless, in_words, model_as_json

pytestmark = pytest.mark.filterwarnings("ignore")


class Shy:
    def __repr__(self) -> str:
        raise RuntimeError("not to be shown")


def loop() -> dict[str, Any]:
    made: dict[str, Any] = {"n": 1}
    made["self"] = made
    return made


def deep() -> Any:
    made: Any = 1
    for _ in range(400):
        made = [made]
    return made


KINDS: dict[str, Any] = {
    "a loop": loop(),
    "bytes": b"\xff",
    "what cannot be shown": Shy(),
    "half a character": "\ud800",
    "deep": deep(),
    "not a number": math.nan,
    "a set": {1},
    "a function": len,
}


def test_what_is_no_json_is_put_in_words() -> None:
    gaps: list[str] = []
    say = in_words(gaps)
    assert as_json({"a": loop(), (1, 2): b"\xff"}, say) == {
        "a": {"n": 1, "self": repr(loop())}, "(1, 2)": "_w==",
    }  # fmt: skip
    assert sorted(gaps) == [
        "a dict is no JSON; it is kept as its text",
        "a tuple is no JSON; it is kept as its text",
    ]
    assert as_json([Shy(), "\ud800x", math.inf, {3}], say) == [
        "<Shy>", "?x", {"$float": "Infinity"}, [3],
    ]  # fmt: skip
    assert "<list>" not in str(as_json(deep(), say))


def test_an_event_is_written_with_what_is_no_json_in_it(scripted: ModuleType) -> None:
    from google.adk.events.event import Event
    from google.adk.events.event_actions import EventActions

    part = scripted.asks("look", order="A1")
    answer = scripted.types.Part.from_function_response(name="look", response={"v": loop()})
    event = Event(
        author="shop", invocation_id="e-1", long_running_tool_ids={"c1"},
        content=scripted.types.Content(role="model", parts=[part, answer]),
        actions=EventActions(state_delta={"raw": b"hi", "shy": Shy()}),
    )  # fmt: skip
    written = model_as_json(event, in_words([]))
    call, result = written["content"]["parts"]
    assert call["function_call"] == {"name": "look", "args": {"order": "A1"}}
    assert result["function_response"]["response"]["v"]["n"] == 1
    assert written["actions"]["state_delta"] == {"raw": "aGk=", "shy": "<Shy>"}
    assert (written["author"], written["long_running_tool_ids"]) == ("shop", ["c1"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_goes_on_and_is_judged(scripted: ModuleType, kind: str) -> None:
    from google.adk.tools.tool_context import ToolContext

    def keep(tool_context: ToolContext) -> dict[str, Any]:
        """Keeps it."""
        tool_context.state["kept"] = KINDS[kind]
        return {"ok": True}

    def give() -> dict[str, Any]:
        """Gives it."""
        return {"given": None if kind == "deep" else KINDS[kind]}  # ADK itself gives up on that

    agent = scripted.shop(
        scripted.script([scripted.asks("keep")], [scripted.asks("give")], [scripted.says("Done.")]),
        tools=[keep, give],
    )
    case = Case("c", "Go.", expected_calls=["keep", "give"], response={"includes": ["Done."]})
    trace = asyncio.run(passhat_adk.as_agent(agent)(case))
    assert [(call.name, call.failed) for call in trace.calls] == [("keep", False), ("give", False)]
    assert set(trace.final_state) == {"kept"}
    assert trace.outcome == "completed"
    if kind == "deep":
        return
    results = passhat_adk.evaluate_sync(agent, Suite("s", [case]), trials=1)
    assert [(trial.status, trial.reason) for trial in results] == [("passed", "")]
    assert [row.final_eval_status.name for row in results.native] == ["PASSED"]


def test_an_exception_of_the_plugins_own_ends_nothing(
    scripted: ModuleType, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(TracePlugin, "_row", broken)
    trace = asyncio.run(passhat_adk.as_agent(scripted.shop())(Case("c", "Refund A1")))
    assert trace.outcome == "completed"
    assert "passhat could not record what on_event_callback was told" in caplog.text
    assert {gap.partition(":")[0] for gap in trace.gaps} == {"calls", "response", "final_state"}
    for expected in ({"forbidden_calls": ["pay"]}, {"response": {"excludes": ["no"]}}):
        assert passhat.grade(trace, Case("c", "Refund A1", **expected)).status == "not_evaluated"

    async def fine(plugin: TracePlugin, answer: int) -> int:
        return answer

    assert asyncio.run(harmless(fine)(TracePlugin(), answer=5)) == 5
