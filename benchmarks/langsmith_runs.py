"""How fast LangSmith's runs are converted and judged.

    python benchmarks/langsmith_runs.py

Prints, in one run, how long a tree of fifty runs takes to convert, as dicts and beside `json.loads`
on the same bytes: a LangGraph agent's, and that of a loop around a chat client; and how much of the
time of a row of LangSmith's own `evaluate` is the evaluator's.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from passhat_langsmith import to_trace

STEPS = 12  # A node, its model, a node, and its tool: four runs each.


def tree(steps: int = STEPS) -> list[dict[str, Any]]:
    """The runs of a LangGraph agent, flat, as they are exported."""
    runs: list[dict[str, Any]] = []
    history: list[dict[str, Any]] = [{"type": "human", "content": "Do it all.", "id": "h"}]

    def run(kind: str, name: str, parent: str | None, **more: Any) -> str:
        at = len(runs)
        id = f"00000000-0000-4000-8000-{at:012d}"
        node = {"langgraph_node": name, "langgraph_step": at, "thread_id": "T"}
        runs.append({
            "id": id, "trace_id": "00000000-0000-4000-8000-000000000000", "parent_run_id": parent,
            "dotted_order": f"20260101T0000{at // 60:02d}{at % 60:02d}000000Z{id}",
            "name": name, "run_type": kind, "inputs": {}, "outputs": {},
            "start_time": f"2026-01-01T00:{at // 60:02d}:{at % 60:02d}+00:00",
            "end_time": f"2026-01-01T00:{at // 60:02d}:{at % 60:02d}.5+00:00",
            "extra": {"metadata": {**node, "revision": "r", "ls_model_name": "m"}}, **more,
        })  # fmt: skip
        return id

    root = run("chain", "agent", None, inputs={"messages": [["user", "Do it all."]]})
    for step in range(steps):
        args = {"order_id": f"A{step}", "n": step}
        call = {"name": f"tool_{step}", "args": args, "id": f"c{step}", "type": "tool_call"}
        said = {
            "type": "ai", "content": "", "id": f"a{step}", "tool_calls": [call],
            "usage_metadata": {"input_tokens": 50, "output_tokens": 10, "total_tokens": 60},
        }  # fmt: skip
        gave = {"type": "tool", "content": "ok", "tool_call_id": f"c{step}", "name": f"tool_{step}"}
        lc = [
            {"lc": 1, "type": "constructor", "id": ["x", NAMES[one["type"]]], "kwargs": one}
            for one in history
        ]
        node = run("chain", "model", root, inputs={"messages": list(history)})
        message = {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": said}
        run(
            "llm", "Scripted", node, inputs={"messages": [lc]},
            outputs={"generations": [[{"message": message}]]},
        )  # fmt: skip
        node = run("chain", "tools", root)
        run("tool", f"tool_{step}", node, inputs=args, outputs={"output": gave})
        history = [*history, said, gave]
    runs[0]["outputs"] = {"messages": history}
    return [*runs, {**runs[-1], "id": "last", "name": "last", "run_type": "chain"}]


def chat(steps: int = 25) -> list[dict[str, Any]]:
    """The runs of a loop around a wrapped client of OpenAI's, flat: a request or a call is each run."""
    runs: list[dict[str, Any]] = []
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    history: list[dict[str, Any]] = [{"role": "user", "content": "Do it all."}]

    def run(kind: str, name: str, **more: Any) -> None:
        at = len(runs)
        id, root = (f"00000000-0000-4000-8000-{number:012d}" for number in (at, 0))
        runs.append({
            "id": id, "trace_id": root, "parent_run_id": root if at else None, "name": name,
            "dotted_order": f"20260101T0000{at:02d}000000Z{id}", "run_type": kind,
            "start_time": f"2026-01-01T00:00:{at:02d}+00:00",
            "end_time": f"2026-01-01T00:00:{at:02d}.5+00:00",
            "extra": {"metadata": {"ls_model_name": "m", "revision": "r"}}, **more,
        })  # fmt: skip

    run("chain", "agent", inputs={"question": "Do it all."}, outputs={"output": "Done."})
    for step in range(steps):
        function = {"name": "look", "arguments": json.dumps({"id": f"A{step}"})}
        asked = [{"id": f"c{step}", "type": "function", "function": function}]
        said = {"role": "assistant", "content": None, "tool_calls": asked}
        if step == steps - 1:
            said = {"role": "assistant", "content": "Done."}
        usage = {"input_tokens": 50, "output_tokens": 10, "total_tokens": 60}
        gave = {
            "object": "chat.completion",
            "choices": [{"message": said}],
            "usage_metadata": usage,
        }
        run("llm", "ChatOpenAI", inputs={"messages": list(history), "tools": tools}, outputs=gave)
        if step < steps - 1:
            run("tool", "look", inputs={"id": f"A{step}"}, outputs={"output": "ok"})
            history = [
                *history,
                said,
                {"role": "tool", "tool_call_id": f"c{step}", "content": "ok"},
            ]
    return runs


NAMES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def best(action: Callable[[], object], times: int = 200) -> float:
    """The shortest of several times of this process, in milliseconds: others' work is not in it."""
    spans = []
    for _ in range(times):
        begun = time.process_time()
        action()
        spans.append(time.process_time() - begun)
    return min(spans) * 1000


def rows(count: int = 60) -> tuple[float, float]:
    """Milliseconds that a row of LangSmith's `evaluate` takes, and our evaluator on one."""
    import logging
    import os

    os.environ["LANGSMITH_TRACING"] = "false"
    logging.disable(logging.WARNING)
    from langsmith import evaluate, traceable

    from passhat_langsmith import as_evaluator, as_examples, offline_client

    @traceable(run_type="tool")
    def lookup(id: str) -> str:
        return "shipped"

    def agent(inputs: dict[str, Any]) -> dict[str, Any]:
        for at in range(10):
            lookup(id=str(at))
        return {"output": "done"}

    expected = {"expected_tool_calls": ["lookup"], "forbidden_calls": ["refund"]}
    data = as_examples(
        [{"id": str(at), "inputs": {"q": "x"}, "outputs": expected} for at in range(count)]
    )

    def all_rows() -> list[Any]:
        return list(evaluate(agent, data=data, client=offline_client(), upload_results=False))

    evaluator = as_evaluator()
    held = all_rows()
    begun = time.perf_counter()
    all_rows()
    whole = (time.perf_counter() - begun) * 1000 / count
    row = held[0]
    return whole, best(lambda: evaluator.evaluate_run(row["run"], row["example"]))


def main() -> None:
    for name, made in (("LangGraph", tree()), ("a chat client", chat())):
        text = json.dumps(made)
        runs = json.loads(text)  # As a file has them: nothing in it is there twice as one object.
        loads, converted = best(partial(json.loads, text)), best(partial(to_trace, runs))
        trace = to_trace(runs)
        print(f"{name}: {len(runs)} runs, {len(trace.calls)} calls, {len(text) // 1024} KB of JSON")
        print(
            f"  json.loads {loads:.2f} ms, to_trace {converted:.2f} ms: {converted / loads:.1f} times"
        )
    try:
        row, evaluator = rows()
    except ModuleNotFoundError:
        print("langsmith is not installed", file=sys.stderr)
        return
    print(f"a row of 10 traced calls: {row:.2f} ms, the evaluator on it: {evaluator:.2f} ms")


if __name__ == "__main__":
    main()
