"""A client of LangSmith that sends nothing; loaded only when LangSmith is used."""

from __future__ import annotations

from typing import Any, NoReturn

from langsmith import Client

from passhat.errors import UsageError

_NOWHERE = "http://127.0.0.1:9"
"""The discard port: should anything be sent after all, it reaches nobody."""


class OfflineClient(Client):
    """A client whose runs stay in memory.

    `evaluate(upload_results=False)` alone is not local: LangChain takes its `enabled="local"` for
    enabled and posts the runs of a graph's nodes. Here nothing is posted while the tree in memory
    stays whole. A sampling rate of 0 alone would do on the newest client and not on older ones,
    whose LangChain tracer does not ask for it; so runs that are handed over are let go as well.
    With `info` given, no thread asks the server what it can do.
    """

    def __init__(self) -> None:
        super().__init__(
            api_url=_NOWHERE,
            api_key="none",
            info={},
            auto_batch_tracing=False,
            tracing_sampling_rate=0.0,
        )

    def create_run(self, *args: Any, **kwargs: Any) -> None:
        """Lets a run that began go: it lives on in the tree that is being built."""

    def update_run(self, *args: Any, **kwargs: Any) -> None:
        """Lets a run that ended go."""

    def create_feedback(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused: with a sampling rate of 0 feedback would be dropped in silence.

        Raises:
            UsageError: Always.
        """
        raise UsageError("an offline client sends no feedback; use a client of your own for that")
