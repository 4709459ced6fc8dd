"""Where a LangGraph agent waited for somebody, and what it was answered.

The graph itself ends its run well; its nodes' and tools' runs end in the exception, whose text
holds the interrupts. The run that goes on is given a command as its input.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from passhat_langsmith.errors import head_of, is_pause
from passhat_langsmith.plain import is_mapping, plain
from passhat_langsmith.runs import Run

_LONGEST = 100_000
_COMMAND = frozenset({"graph", "update", "resume", "goto"})


@dataclass(frozen=True, slots=True)
class Pause:
    """One interrupt: what it asks, and its id where one is told."""

    value: Any
    id: str | None = None


def pauses_of(run: Run) -> list[Pause]:
    """The interrupts that a run ended in, as the text of its error tells them; none where it did not.

    >>> told = "GraphInterrupt((Interrupt(value={'refund': 5}, id='i1'),))Traceback (most recent call last): ..."
    >>> pauses_of(Run("r", error=told))
    [Pause(value={'refund': 5}, id='i1')]
    """
    if run.error is None or not is_pause(run.error):
        return []
    text = head_of(run.error)
    return _parsed(text) or [Pause(text)]


def stated_pauses(stated: Any) -> list[Pause]:
    """The interrupts that a graph gave among its outputs, as `invoke` gives them."""
    held = plain(stated)
    rows = [
        one if isinstance(one, dict) else {"value": one}
        for one in (held if isinstance(held, list) else [held])
    ]
    return [
        Pause(row.get("value"), None if row.get("id") is None else str(row["id"])) for row in rows
    ]


def _parsed(text: str) -> list[Pause]:
    """The interrupts of an exception's text, which is read as data: nothing in it is called."""
    if len(text) > _LONGEST:
        return []
    try:
        tree = ast.parse(text, mode="eval")
        calls = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "Interrupt"
        ]
        return [_pause(call, text) for call in calls]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []  # A value whose text is no Python: the text stands for all of them.


def _pause(call: ast.Call, text: str) -> Pause:
    held = {one.arg: one.value for one in call.keywords}
    stated, id = held.get("value"), held.get("id") or held.get("interrupt_id")
    value: Any = None
    if stated is not None:
        try:
            value = plain(ast.literal_eval(stated))
        except (ValueError, TypeError):
            value = ast.get_source_segment(text, stated)
    named = isinstance(id, ast.Constant) and isinstance(id.value, str)
    return Pause(value, id.value if named else None)  # type: ignore[union-attr]  # it is a Constant


def resumed_with(inputs: Any) -> Any:
    """The answer that a run went on with; `UNSET` where it is no run that goes on.

    >>> resumed_with({"input": {"graph": None, "update": None, "resume": "yes", "goto": []}})
    'yes'
    """
    if not is_mapping(inputs) or ("input" not in inputs and "resume" not in inputs):
        return UNSET
    for held in (inputs.get("input"), inputs):
        if isinstance(held, Mapping):
            command = held.keys() <= _COMMAND
            found = held.get("resume") if command or held is inputs else None
        else:
            found = getattr(held, "resume", None) if hasattr(held, "goto") else None
        if found is not None:
            return plain(found)
    return UNSET
