"""Where in a graph something happened."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """Where in a graph something happened.

    Args:
        path: The nodes it happened inside, outermost first.
        node: The node.
        parent: The id of the call inside which it happened.
        started: When the node began.
        ended: When it ended.
    """

    path: tuple[str, ...] = ()
    node: str | None = None
    parent: str | None = None
    started: float | None = None
    ended: float | None = None
