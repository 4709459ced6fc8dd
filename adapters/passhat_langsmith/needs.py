"""What needs LangSmith itself says so here, in words that name the line that installs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passhat.adapter import missing
from passhat.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from langsmith import Client


def need_langsmith() -> None:
    """Makes sure that LangSmith's client is there.

    Raises:
        MissingExtraError: It is not installed.
    """
    from passhat_langsmith.reader import adapter

    if missing(adapter):
        raise MissingExtraError("langsmith", "langsmith")


def need_all_sent(client: Client) -> None:
    """Makes sure that a client sends all feedback: one that samples drops some in silence.

    Raises:
        UsageError: It samples.
    """
    rate = getattr(client, "tracing_sample_rate", None)
    if rate is not None and rate < 1:
        raise UsageError(
            f"this client traces a share of {rate:g}, and drops feedback by it in silence; give "
            "one with tracing_sampling_rate=1.0 (LANGSMITH_TRACING_SAMPLING_RATE is for tracing)"
        )
