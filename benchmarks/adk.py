"""How fast ADK's JSON is converted.

    python benchmarks/adk.py

Prints, in one run, how many times as long as `json.loads` on the same bytes it takes to read an eval
set and sessions, and how long ADK's own validation of the eval set takes, where ADK is installed.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from passhat_adk import to_suite, to_traces

CALLS = range(10)


def case(number: int) -> dict[str, Any]:
    uses = [
        {"id": None, "name": f"tool_{at}", "args": {"order_id": f"A{number}", "n": at}}
        for at in CALLS
    ]
    turn = {
        "invocation_id": f"e-{number}",
        "user_content": {"parts": [{"text": f"Please do {number}."}], "role": "user"},
        "final_response": {"parts": [{"text": "Done."}], "role": "model"},
        "intermediate_data": {"tool_uses": uses, "intermediate_responses": []},
        "creation_timestamp": 1.5,
    }
    return {"eval_id": f"case-{number}", "conversation": [turn], "creation_timestamp": 1.5}


def session(number: int) -> dict[str, Any]:
    def event(at: int, author: str, role: str, part: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": f"v{at}", "timestamp": 1.0 + at, "invocation_id": "e-1", "author": author,
            "content": {"parts": [part], "role": role},
            "actions": {"state_delta": {}, "artifact_delta": {}, "requested_auth_configs": {}},
        }  # fmt: skip

    events = [event(0, "user", "user", {"text": f"Please do {number}."})]
    for at in CALLS:
        held = {"id": f"adk-{at}", "name": f"tool_{at}"}
        call = {"function_call": {**held, "args": {"order_id": f"A{number}", "n": at}}}
        result = {"function_response": {**held, "response": {"status": "ok", "total": 12.5}}}
        events += [event(2 * at, "shop", "model", call), event(2 * at + 1, "shop", "user", result)]
    return {"id": f"s{number}", "app_name": "shop", "user_id": "u", "state": {}, "events": events}


def best(action: Callable[[], object], times: int = 5) -> float:
    spans = []
    for _ in range(times):
        begun = time.perf_counter()
        action()
        spans.append(time.perf_counter() - begun)
    return min(spans)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        evalset = Path(folder) / "many.evalset.json"
        cases = {"eval_set_id": "many", "eval_cases": [case(number) for number in range(2000)]}
        evalset.write_text(json.dumps(cases), "utf-8")
        sessions = Path(folder) / "sessions.jsonl"
        lines = [json.dumps(session(number)) for number in range(500)]
        sessions.write_text("\n".join(lines), "utf-8")
        data = evalset.read_bytes()
        loads = best(lambda: json.loads(data))
        print(
            f"eval set, 2,000 cases of 10 calls: {best(lambda: to_suite(evalset)) / loads:.1f} x json.loads"
        )
        each = best(lambda: [json.loads(line) for line in lines])
        took = best(lambda: list(to_traces(sessions)))
        print(f"500 sessions of 10 calls: {took / each:.1f} x json.loads")
        try:
            theirs = import_module("google.adk.evaluation.eval_set").EvalSet
        except ImportError:
            print("ADK is not installed, so its own validation is not measured", file=sys.stderr)
            return
        took = best(lambda: theirs.model_validate_json(data), 2)
        print(f"ADK's own validation of the eval set: {took / loads:.1f} x json.loads")


if __name__ == "__main__":
    main()
