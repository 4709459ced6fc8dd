"""Identifiers that whoever makes a call chooses: the numbers of steps in a plan."""

from __future__ import annotations

import re
from typing import Any

from passhat.provenance.identifiers import name_parts
from passhat.provenance.places import Node

_NUMBERED = re.compile(r"[a-zA-Z]{0,10}[-_ ]?(\d{1,4})")
_OWN = frozenset({
    "id", "ids", "key", "number", "todo", "task", "subtask", "step", "node", "edge", "thought", "row",
    "line", "part", "section", "question", "choice", "option", "chunk", "slide", "cell", "block", "goal",
})  # fmt: skip
"""The words of names under which a caller numbers what it writes down."""


def may_be_chosen(name: str) -> bool:
    """Whether a caller may number what it writes down under a name.

    >>> may_be_chosen("todo_id"), may_be_chosen("order_id")
    (True, False)
    """
    return _OWN.issuperset(name_parts(name))


def is_ordinal(value: Any, node: Node) -> bool:
    """Whether a value is the number of an item in a list that the call holds, counted from 0 or 1.

    >>> todos = (None, "todos")
    >>> is_ordinal("2", ((todos, 1), "id")), is_ordinal("s4", ((todos, 1), "id"))
    (True, False)
    """
    if node is None or node[0] is None or not isinstance(node[0][1], int):
        return False
    read = _NUMBERED.fullmatch(str(value).strip()) if isinstance(value, str | int) else None
    return read is not None and int(read[1]) - node[0][1] in (0, 1)
