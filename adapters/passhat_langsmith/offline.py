"""A client of LangSmith that sends nothing; loaded only when LangSmith is used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, NoReturn

import langsmith
from langsmith import Client, run_trees

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


class _Standing:
    """What stood before the first of those that run at once, for the last of them to put back."""

    lock = Lock()
    inside = 0
    before: Client | None = None


@contextmanager
def only(client: Client) -> Iterator[None]:
    """Makes a client that of the whole process, for a while.

    The client that `evaluate` is given stands in a context, which a thread that a target starts by
    itself does not have, nor a tracer that it makes; they ask for the client of the process.
    """
    with _Standing.lock:
        if not _Standing.inside:  # What configure() sets can be read nowhere else.
            _Standing.before = getattr(run_trees, "_CLIENT", None)
        _Standing.inside += 1
        langsmith.configure(client=client)
    try:
        yield
    finally:
        with _Standing.lock:
            _Standing.inside -= 1
            if not _Standing.inside:
                langsmith.configure(client=_Standing.before)
