"""What needs LangGraph itself says so here, in words that name the line that installs it."""

from __future__ import annotations

from passhat.adapter import missing
from passhat.errors import MissingExtraError


def need_langgraph() -> None:
    """Makes sure that LangGraph is there.

    Raises:
        MissingExtraError: It is not installed.
    """
    from passhat_langgraph.reader import adapter

    if missing(adapter):
        raise MissingExtraError("langgraph", "langgraph")
