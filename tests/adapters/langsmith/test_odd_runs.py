"""Runs that are broken, unfinished or of an unknown form: a gap or an error, and never a lost call."""

import json
from typing import Any
from unittest.mock import MagicMock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langsmith_runs import USER, Json, asks, llm, run

from passhat.errors import TraceError, UsageError
from passhat.trace import Interrupt, encode_trace
from passhat_langsmith import to_trace


def test_orphans_rings_and_missing_roots_are_gaps() -> None:
    orphan = to_trace([run("chain", "root"), run("tool", "f", "nowhere", trace_id="root")])
    assert orphan.gaps == ("run f: its parent nowhere is missing",)
    assert [one.name for one in orphan.calls] == ["f"]
    rootless = to_trace([run("tool", "f", "gone", trace_id="gone")])
    assert (rootless.id, rootless.gaps) == ("gone", ("run gone: the root of the trace is missing",))
    for more in ({}, {"trace_id": "gone"}):
        ring = to_trace([run("tool", "a", "b", **more), run("tool", "b", "a", **more)])
        assert ring.gaps == ("run a: its parents go round in a ring",)
    assert [one.name for one in ring.all_calls] == ["a", "b"]


def test_a_run_without_its_end_says_so() -> None:
    assert to_trace({"id": "r", "run_type": "chain"}).gaps == (
        "run r has no end: it was recorded while it ran",
    )


def test_what_a_model_answered_in_an_unknown_form_leaves_the_calls_unknown() -> None:
    runs = [run("chain", "root"), run("llm", "m", "root", outputs={"weird": [1]})]
    assert to_trace(runs).gaps == (
        "calls: run m: what the model answered is in no form that is known",
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"id": "r", "run_type": "chain", "inputs": 5}, "run r: inputs are an object"),
        ({"hello": 1}, "neither a run"),
        ({"inputs": {"q": 1}, "outputs": {}}, "an example of a dataset .* export id, run_type"),
        ([], "the list is empty"),
    ],
)
def test_what_is_no_run(value: Any, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        to_trace(value)


@pytest.mark.parametrize("odd", [[1], {"a": 1}, 5])
def test_ids_of_messages_that_are_no_texts_name_the_run(odd: Any) -> None:
    messages = [USER, {"type": "tool", "content": "x", "tool_call_id": odd}]
    said = {"messages": [*messages, {"type": "ai", "content": "hi", "id": odd}]}
    runs = [run("chain", "root", outputs=said), llm("m", "root", messages, asks())]
    try:
        told = "run ? " + str(to_trace(runs).gaps)
    except TraceError as error:
        told = str(error)
    assert "run " in told


@pytest.mark.parametrize(
    "text",
    [
        "GraphInterrupt((Interrupt(value=<object at 0x1>, id='i'),))",
        "GraphInterrupt(" + "-" * 20_000 + "1)",
        "GraphInterrupt(" + "(" * 5_000,
        "GraphInterrupt((Interrupt(value=__import__('os').getcwd(), id='i'),))",
    ],
)
def test_what_a_pause_says_is_read_as_data(text: str) -> None:
    """Nothing in it is called, and what is no Python stands as it is."""
    runs = [run("chain", "root"), run("chain", "node", "root", error=text + "Traceback (most ...")]
    trace = to_trace(runs)
    (pause,) = (step for step in trace.steps if isinstance(step, Interrupt))
    assert isinstance(pause.value, str)
    assert trace.outcome == "interrupted"


def test_a_value_within_itself_is_an_error_and_no_hang() -> None:
    loop: Json = {}
    loop["self"] = loop
    with pytest.raises(TraceError, match="nested deeper"):
        to_trace(run("tool", "f", inputs=loop))


def test_live_values_become_json_and_stay_as_they_are() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    made = messages.AIMessage(
        "", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "c1", "type": "tool_call"}]
    )
    result = messages.ToolMessage("no", tool_call_id="c1", name="f", status="error")
    root = run("chain", "root", inputs={"messages": [messages.HumanMessage("hi")]})
    root["outputs"] = {"messages": [messages.HumanMessage("hi"), made, result]}
    root["child_runs"] = [
        run("llm", "m", inputs={"messages": [[messages.HumanMessage("hi")]]})
        | {"outputs": {"generations": [[{"message": made}]]}},
        run("tool", "f", inputs={"x": 1}, outputs={"output": result}, extra={"lock": object()}),
    ]
    trace = to_trace(root)
    assert [(one.name, one.error) for one in trace.calls] == [("f", "no")]
    assert made.tool_calls[0]["args"] is not trace.calls[0].args


class _Unshowable:
    def __repr__(self) -> str:
        raise ValueError("not now")


def test_live_values_that_cannot_be_shown_are_named() -> None:
    root = run("tool", "f", inputs={"x": _Unshowable(), "y": MagicMock()})
    (call,) = to_trace(root).calls
    assert call.args["x"] == "<_Unshowable>"
    assert call.args["y"].startswith("<MagicMock id=")


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Each place in a value, as the container and the key."""
    found: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        item = todo.pop()
        pairs = item.items() if isinstance(item, dict) else enumerate(item)
        for key, inner in pairs:
            found.append((item, key))
            if isinstance(inner, dict | list):
                todo.append(inner)
    return found


def _runs() -> list[Json]:
    use = {"type": "tool_use", "id": "t1", "name": "lookup", "input": {}}
    lc = {"lc": 1, "id": ["langchain", "AIMessage"], "kwargs": {"content": "hi", "tool_calls": []}}
    call = {"type": "function_call", "call_id": "c2", "name": "f", "arguments": "{}"}
    return [
        run(
            "chain",
            "root",
            inputs={"messages": [USER]},
            outputs={"messages": [USER], "__interrupt__": [{"value": 1, "id": "i"}]},
            events=[{"name": "new_token", "time": "2026-01-01"}],
            tags=["a"],
            extra={"metadata": {"thread_id": "T"}},
            feedback_stats={"ok": {"avg": 1}},
        ),
        llm("m1", "root", [USER], asks(("c1", "lookup", {"id": "A1"}))),
        run("tool", "lookup", "root", id="t1", inputs={"id": "A1"}, outputs={"output": "ok"}),
        run("llm", "m2", "root", outputs={"role": "assistant", "content": [use]}),
        run("llm", "m3", "root", outputs={"generations": [[{"text": "", "message": lc}]]}),
        run("llm", "m4", "root", outputs={"object": "response", "output": [call]}),
        run("tool", "f", "root", id="t2", outputs={"output": {"update": {"messages": [USER]}}}),
        run("retriever", "docs", "root", outputs={"output": [{"page_content": "x"}]}),
    ]


@given(
    st.data(),
    st.sampled_from([None, 5, "x", [], {}, [1], ["x"], [[]], {"x": 1}, True, [{"type": 5}], -1.5]),
)
@settings(max_examples=400)
def test_whatever_stands_anywhere_gives_a_trace_or_an_error_of_ours(
    data: st.DataObject, junk: Any
) -> None:
    runs = json.loads(json.dumps(_runs()))
    places = _places(runs)
    for _ in range(data.draw(st.integers(1, 3))):
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        holder[key] = json.loads(json.dumps(junk))
    try:
        trace = to_trace(runs)
    except (TraceError, UsageError):
        return
    encode_trace(trace)
