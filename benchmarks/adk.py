"""How fast ADK's JSON is converted.

    python benchmarks/adk.py

Prints, in one run and as multiples of the CPU time of `json.loads` on the same bytes, how long it
takes from a file to a suite, or to traces: for eval sets and sessions of ten calls, in either
spelling, for many small ones (also with an account of what became of them), for files of one case
(also as multiples of opening the file and `json.loads`), and for an eval set that passhat wrote;
and how long ADK's own validation of the eval set takes, where ADK is installed.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from _timing import best

from passhat import Case, Suite
from passhat_adk import from_suite, to_suite, to_traces
from passhat_adk.suites import read_suite

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


def small(number: int) -> dict[str, Any]:
    """A case as people write it by hand: no role, one call, a tiny argument."""
    data = {"tool_uses": [{"name": "lookup", "args": {"x": 1}}]}
    turn = {"user_content": {"parts": [{"text": "hi"}]}, "intermediate_data": data}
    return {"eval_id": f"c{number}", "conversation": [turn]}


def question(number: int) -> dict[str, Any]:
    """A case that says no more than what the user asks, as most that are published do."""
    turn = {"user_content": {"parts": [{"text": f"What became of order {number}?"}]}}
    session = {"app_name": "shop", "user_id": "u", "state": {}}
    return {"eval_id": f"q{number}", "conversation": [turn], "session_input": session}


def events(number: int) -> dict[str, Any]:
    """A case that was saved from a run."""
    made = case(number)
    (turn,) = made["conversation"]
    parts = [{"function_call": use} for use in turn["intermediate_data"]["tool_uses"]]
    turn["intermediate_data"] = {
        "invocation_events": [
            {"author": "shop", "content": {"role": "model", "parts": [part]}} for part in parts
        ]
    }
    return made


def older(number: int) -> dict[str, Any]:
    """A case in the older shape, with the same calls."""
    uses = case(number)["conversation"][0]["intermediate_data"]["tool_uses"]
    called = [{"tool_name": use["name"], "tool_input": use["args"]} for use in uses]
    row = {"query": f"Please do {number}.", "expected_tool_use": called, "reference": "Done."}
    return {"name": f"case-{number}", "data": [row]}


def today(number: int) -> dict[str, Any]:
    """A session with what models say beside their answers since 2025."""
    made = session(number)
    for event in made["events"]:
        if event["content"]["role"] == "model":
            usage = {
                "prompt_token_count": 712,
                "candidates_token_count": 33,
                "total_token_count": 745,
            }
            event |= {"model_version": "m-2.5", "finish_reason": "STOP", "usage_metadata": usage}
    return made


def camel(value: Any) -> Any:
    """The same as ADK's servers spell it; what tools are given stays as it is."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub(r"_(\w)", lambda found: found[1].upper(), key): item
        if key in ("args", "response")
        else camel(item)
        for key, item in value.items()
    }


def suite(what: str, cases: list[dict[str, Any]]) -> bytes:
    """Prints how long an eval set takes; gives its bytes."""
    old = "data" in cases[0]
    data = json.dumps(cases if old else {"eval_set_id": "many", "eval_cases": cases}).encode()
    del cases  # what is alive would slow json.loads down, by the collector of cycles
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.evalset.json"
        path.write_bytes(data)
        loads, took, told = best(
            lambda: json.loads(data), lambda: to_suite(path), lambda: read_suite(path)
        )
    print(f"{took / loads:5.1f} x json.loads: {what} (with its account {told / loads:.1f} x)")
    return data


def lone(what: str, case: dict[str, Any]) -> None:
    """Prints how long files take that hold one case each."""
    data = json.dumps({"eval_set_id": "one", "eval_cases": [case]}, indent=1).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.evalset.json"
        path.write_bytes(data)
        loads, took, read = best(
            lambda: [json.loads(data) for _ in range(500)],
            lambda: [to_suite(path) for _ in range(500)],
            lambda: [json.loads(path.read_bytes()) for _ in range(500)],
        )
    print(f"{took / loads:5.1f} x json.loads: {what} ({took / read:.1f} x with opening the file)")


def written(what: str, cases: list[Case]) -> None:
    """Prints how long an eval set takes whose cases state in a rubric what ADK has no key for."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ours.evalset.json"
        from_suite(Suite("ours", cases), path)
        data = path.read_bytes()
        loads, took = best(lambda: json.loads(data), lambda: to_suite(path))
    print(f"{took / loads:5.1f} x json.loads: {what}")


def traces(what: str, rows: list[Any]) -> None:
    """Prints how long recordings take, one a line."""
    lines = [json.dumps(row).encode() for row in rows]
    del rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.jsonl"
        path.write_bytes(b"\n".join(lines))
        loads, took = best(
            lambda: [json.loads(line) for line in lines], lambda: list(to_traces(path))
        )
    print(f"{took / loads:5.1f} x json.loads: {what}")


def main() -> None:
    many, few = range(2000), range(500)
    data = suite("eval set, 2,000 cases of 10 calls", [case(at) for at in many])
    suite("the same in camel case", [camel(case(at)) for at in many])
    suite("the same as events of a run", [events(at) for at in many])
    suite("the same in the older shape", [older(at) for at in many])
    suite("eval set, 6,000 cases of 1 call with a tiny argument", [small(at) for at in range(6000)])
    suite("eval set, 6,000 cases of a question alone", [question(at) for at in range(6000)])
    lone("a file of 1 case of 10 calls", case(0))
    lone("a file of 1 case of 1 call", small(0))
    calls = ["lookup", {"name": "refund", "args": {"order": "A1"}}]
    ours = [
        Case(f"c{at}", "Refund A1", expected_calls=calls, forbidden_calls=["mail"]) for at in few
    ]
    written("an eval set that passhat wrote, 500 cases with a rubric each", ours)
    traces("500 sessions of 10 calls", [session(at) for at in few])
    traces("the same in camel case", [camel(session(at)) for at in few])
    traces("the same with usage and model", [today(at) for at in few])
    traces("2,000 runs of one invocation of 10 calls", [case(at)["conversation"] for at in many])
    traces(
        "6,000 runs of one invocation of 1 call", [small(at)["conversation"] for at in range(6000)]
    )
    try:
        theirs = import_module("google.adk.evaluation.eval_set").EvalSet
    except ImportError:
        print("ADK is not installed, so its own validation is not measured", file=sys.stderr)
        return
    gc.collect()
    gc.freeze()  # else the collector would look through all of ADK while json.loads runs
    loads, took = best(lambda: json.loads(data), lambda: theirs.model_validate_json(data), times=2)
    print(f"{took / loads:5.1f} x json.loads: ADK's own validation of the first eval set")


if __name__ == "__main__":
    main()
