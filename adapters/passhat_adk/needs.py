"""What needs ADK itself says so here, in words that name the line that installs it."""

from __future__ import annotations

from passhat.adapter import missing
from passhat.errors import MissingExtraError


def need_adk() -> None:
    """Makes sure that ADK is there.

    Raises:
        MissingExtraError: It is not installed.
    """
    from passhat_adk.reader import adapter

    if missing(adapter):
        raise MissingExtraError("google-adk", "adk")
