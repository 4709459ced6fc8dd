"""The two older shapes of eval data, which ADK still loads: rows of queries, and named lists of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.recordings.shapes import kind_of
from passhat_adk.findings import Findings

_ROW = frozenset({
    "query", "reference", "expected_tool_use", "expected_intermediate_agent_responses",
})  # fmt: skip
_USE = frozenset({"tool_name", "tool_input"})
_CASE = frozenset({"name", "data", "initial_session"})

_PLACES = {
    "query": "user_content",
    "reference": "final_response",
    "expected_tool_use": "intermediate_data.tool_uses",
}
"""Keys of a row that an invocation has in another place."""


def misplaced(invocation: Mapping[str, Any], found: Findings, path: str) -> None:
    """Takes it for a fault that an invocation says something in a key of the older shapes.

    Read as unknown, a call that is expected would be one that nobody expects; ADK refuses the file.
    """
    for key, place in _PLACES.items():
        if invocation.get(key):
            found.fault(
                f"{path}.{key}",
                f"{key} is a key of ADK's older shape; in an invocation it is {place}",
            )


def is_legacy(value: Any) -> bool:
    """Whether a value is a list in one of the older shapes."""
    return isinstance(value, list) and bool(value) and _is_row(value[0])


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and ("query" in row or "data" in row)


def modern(value: list[Any], name: str, found: Findings) -> dict[str, Any]:
    """The same as an `EvalSet`.

    Args:
        value: The list: of rows, which are one case, or of named lists of rows.
        name: What the eval set, and the case of a plain list of rows, are called.
        found: Takes faults and notes.

    >>> rows = [{"query": "hi", "expected_tool_use": [{"tool_name": "f", "tool_input": {"x": 1}}]}]
    >>> case = modern(rows, "greet", Findings())["eval_cases"][0]
    >>> case["eval_id"], case["conversation"][0]["intermediate_data"]
    ('greet', {'tool_uses': [{'name': 'f', 'args': {'x': 1}}]})
    """
    found.note(name, "translated", "an older shape of ADK's; it is written back as an EvalSet")
    if "query" in value[0]:
        cases = [{"eval_id": name, "conversation": _rows(value, found, "$")}]
        return {"eval_set_id": name, "eval_cases": cases}
    cases = []
    for at, item in enumerate(value):
        path = f"$[{at}]"
        if not isinstance(item, dict) or not isinstance(item.get("data"), list):
            found.fault(path, "an eval case of this shape has a name and data, a list of rows")
            continue
        case: dict[str, Any] = {
            "eval_id": item.get("name"),
            "conversation": _rows(item["data"], found, f"{path}.data"),
        }
        session = item.get("initial_session")
        if isinstance(session, dict) and session:
            given = {"app_name": "", "user_id": "", **session}
            case["session_input"] = given
        case |= {key: value for key, value in item.items() if key not in _CASE}
        cases.append(case)
    return {"eval_set_id": name, "eval_cases": cases}


def _rows(rows: list[Any], found: Findings, path: str) -> list[dict[str, Any]]:
    made = []
    for at, row in enumerate(rows):
        where = f"{path}[{at}]"
        if not isinstance(row, dict) or not isinstance(row.get("query"), str):
            found.fault(where, "a row needs a query, which is text")
            continue
        made.append(_row(row, found, where))
    return made


def _row(row: dict[str, Any], found: Findings, path: str) -> dict[str, Any]:
    data: dict[str, Any] = {}
    uses = row.get("expected_tool_use") or []
    if not isinstance(uses, list):
        found.fault(f"{path}.expected_tool_use", f"a list was expected, not {kind_of(uses)}")
        uses = []
    calls = []
    for at, use in enumerate(uses):
        if not isinstance(use, dict) or not isinstance(use.get("tool_name"), str):
            found.fault(f"{path}.expected_tool_use[{at}]", "a tool use needs a tool_name")
            continue
        call = {"name": use["tool_name"], "args": use.get("tool_input")}
        if not use.keys() <= _USE:
            call |= {key: item for key, item in use.items() if key not in _USE}
        calls.append(call)
    if calls:
        data["tool_uses"] = calls
    spoken = row.get("expected_intermediate_agent_responses")
    if isinstance(spoken, list) and spoken:
        data["intermediate_responses"] = [
            [item.get("author", ""), [{"text": item.get("text", "")}]]
            for item in spoken
            if isinstance(item, dict)
        ]
    made: dict[str, Any] = {
        "user_content": {"parts": [{"text": row["query"]}], "role": "user"},
        "intermediate_data": data,
    }
    if isinstance(row.get("reference"), str) and row["reference"]:
        made["final_response"] = {"parts": [{"text": row["reference"]}], "role": "model"}
    for key, item in row.items():
        if key not in _ROW:
            found.note(f"{path}.{key}", "carried", "ADK has no place for it")
            made[key] = item
    return made
