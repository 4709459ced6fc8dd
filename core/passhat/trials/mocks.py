"""Tools that answer what they are told to answer: `mock_tools` of a suite's rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from passhat.errors import UsageError
from passhat.trace.builder import copied
from passhat.trials.raised import ToolError
from passhat.values import json_equal

_ANSWERS = ("returns", "response", "result", "output", "answer")


class MockError(ToolError):
    """What a mocked tool says where it is told to fail."""


def mocked(stated: Any) -> dict[str, Callable[..., Any]]:
    """The functions that `mock_tools` stands for.

    Args:
        stated: `{tool: answer}`, where the answer is any JSON; `{returns: ...}` or `{error: ...}`
            alone; or a list of `{args, returns}` and `{args, error}`, the first whose `args` the
            call has being the answer. Or a list of these with their `name`.

    Raises:
        UsageError: It is none of these.

    >>> tools = mocked({"search": [{"args": {"q": "a"}, "returns": [1]}, {"returns": []}]})
    >>> tools["search"](q="a"), tools["search"](q="b")
    ([1], [])
    >>> mocked([{"name": "pay", "error": "no such account"}])["pay"]()
    Traceback (most recent call last):
    passhat.trials.mocks.MockError: no such account
    """
    if isinstance(stated, Mapping):
        return {str(name): _function(str(name), _entries(said)) for name, said in stated.items()}
    if not isinstance(stated, list | tuple):
        raise UsageError(f"mock_tools are a mapping or a list of tools, not {stated!r:.100}")
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for entry in stated:
        name = entry.get("name", entry.get("tool")) if isinstance(entry, Mapping) else None
        if not isinstance(name, str):
            raise UsageError(f"a tool in a list of mock_tools needs a name: {entry!r:.100}")
        said = {k: v for k, v in entry.items() if k not in ("name", "tool", "description")}
        by_name.setdefault(name, []).append(said)
    return {name: _function(name, entries) for name, entries in by_name.items()}


def _entries(said: Any) -> list[Mapping[str, Any]]:
    if _is_entry(said):
        return [said]
    if isinstance(said, list) and said and all(map(_is_entry, said)):
        return said
    return [{"returns": said}]


def _is_entry(said: Any) -> bool:
    if not isinstance(said, Mapping) or not said.keys() <= {"args", "error", *_ANSWERS}:
        return False
    return len(said.keys() & {"error", *_ANSWERS}) == 1


def _function(name: str, entries: list[Mapping[str, Any]]) -> Callable[..., Any]:
    for entry in entries:
        if not _is_entry(entry):
            raise UsageError(
                f"mock_tools: {name}: an answer has `returns` or `error`, and may have `args`; not "
                f"{dict(entry)!r:.100}"
            )

    def answer(**args: Any) -> Any:
        for entry in entries:
            wanted = entry.get("args") or {}
            if all(key in args and json_equal(args[key], value) for key, value in wanted.items()):
                if "error" in entry:
                    raise MockError(str(entry["error"]))
                key = next(key for key in _ANSWERS if key in entry)
                return copied(entry[key])
        raise MockError(f"there is no answer for these arguments: {args!r:.300}")

    answer.__name__ = name
    return answer
