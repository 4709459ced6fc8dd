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
    first: dict[str, int] = {}
    for at, item in enumerate(value):
        path = f"$[{at}]"
        rows = item.get("data") if isinstance(item, dict) else None
        if not isinstance(rows, list) or not rows:
            found.fault(path, "an eval case of this shape has a name and data, a list of rows")
            continue
        given = item.get("name")
        if not isinstance(given, str) or not given:
            found.fault(f"{path}.name", "an eval case needs a name, which is text")
        elif first.setdefault(given, at) != at:
            found.fault(f"{path}.name", f"{given!r} is the name of the case $[{first[given]}] too")
        case: dict[str, Any] = {
            "eval_id": given,
            "conversation": _rows(rows, found, f"{path}.data"),
        }
        if session := item.get("initial_session"):
            case["session_input"] = _session(session, found, f"{path}.initial_session")
        if not item.keys() <= _CASE:
            held = found.checked(item, _CASE, path)
            case |= {key: value for key, value in held.items() if key not in _CASE}
        cases.append(case)
    return {"eval_set_id": name, "eval_cases": cases}


def _session(session: Any, found: Findings, path: str) -> dict[str, Any]:
    if not isinstance(session, dict):
        found.fault(path, f"an object was expected, not {kind_of(session)}")
        return {}
    state = session.get("state")
    if state is not None and not isinstance(state, dict):
        found.fault(f"{path}.state", f"an object, not {kind_of(state)}")
    return {"app_name": "", "user_id": "", **session}


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
    if uses := row.get("expected_tool_use"):
        data["tool_uses"] = _calls(uses, found, f"{path}.expected_tool_use")
    if spoken := row.get("expected_intermediate_agent_responses"):
        where = f"{path}.expected_intermediate_agent_responses"
        data["intermediate_responses"] = _spoken(spoken, found, where)
    made: dict[str, Any] = {
        "user_content": {"parts": [{"text": row["query"]}], "role": "user"},
        "intermediate_data": data,
    }
    if reference := row.get("reference"):
        if not isinstance(reference, str):
            found.fault(f"{path}.reference", f"text was expected, not {kind_of(reference)}")
        made["final_response"] = {"parts": [{"text": reference}], "role": "model"}
    if not row.keys() <= _ROW:
        for key, item in found.checked(row, _ROW, path).items():
            if key not in _ROW:
                found.note(f"{path}.{key}", "carried", "ADK has no place for it")
                made[key] = item
    return made


def _calls(uses: Any, found: Findings, path: str) -> list[dict[str, Any]]:
    if not isinstance(uses, list):
        found.fault(path, f"a list was expected, not {kind_of(uses)}")
        return []
    calls = []
    for at, use in enumerate(uses):
        name = use.get("tool_name") if type(use) is dict else None
        if type(name) is not str:
            found.fault(f"{path}[{at}]", "a tool use needs a tool_name")
            continue
        call = {"name": name, "args": use.get("tool_input")}
        if type(call["args"]) is not dict and call["args"] is not None:
            found.fault(
                f"{path}[{at}].tool_input", f"an object was expected, not {kind_of(call['args'])}"
            )
            continue
        if len(use) > len(_USE) or "tool_input" not in use:
            # What stands beside an input is no misspelled one.
            held = use if "tool_input" in use else found.checked(use, _USE, f"{path}[{at}]")
            call |= {key: item for key, item in held.items() if key not in _USE}
        calls.append(call)
    return calls


def _spoken(spoken: Any, found: Findings, path: str) -> list[list[Any]]:
    if not isinstance(spoken, list):
        found.fault(path, f"a list was expected, not {kind_of(spoken)}")
        return []
    made: list[list[Any]] = []
    for at, item in enumerate(spoken):
        if not isinstance(item, dict) or not isinstance(item.get("text", ""), str):
            found.fault(f"{path}[{at}]", "an intermediate response has an author and a text")
            continue
        made.append([item.get("author", ""), [{"text": item.get("text", "")}]])
    return made
