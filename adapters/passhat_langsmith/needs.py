"""What needs LangSmith itself says so here, in words that name the line that installs it."""

from __future__ import annotations

from passhat.adapter import missing
from passhat.errors import MissingExtraError


def need_langsmith() -> None:
    """Makes sure that LangSmith's client is there.

    Raises:
        MissingExtraError: It is not installed.
    """
    from passhat_langsmith.reader import adapter

    if missing(adapter):
        raise MissingExtraError("langsmith", "langsmith")
