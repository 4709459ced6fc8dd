"""Trials in processes of their own: an agent that hangs, leaks, crashes or forks costs one trial."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import MissingExtraError, TraceError, UsageError
from passhat.trace import Trace, decode_trace
from passhat.trials import nursery
from passhat.trials.journal import NO_TRACE
from passhat.trials.returned import empty_trace
from passhat.trials.trying import GRACE, Tried, Trying, finished, late_text

MEMORY_MIB = 4096
"""How much memory a trial may take beside what is there, where nobody says."""


class _Handed(Struct):
    """What the agent's process hands back."""

    data: bytes = b""
    retry_after: float | None = None
    refused: str | None = None
    missing: tuple[str, str] | None = None


class Isolated:
    """Plays each attempt in a process of its own, forked from this one as it was at the start.

    Args:
        trying: What plays an attempt.
        cases: The cases that will be played.
        memory: How many MiB a trial may take beside what is there (where the system can hold it).

    Raises:
        UsageError: The system cannot fork.
    """

    def __init__(
        self, trying: Trying, cases: Sequence[Case], *, memory: float = MEMORY_MIB
    ) -> None:
        if not hasattr(os, "fork"):
            raise UsageError("trials cannot be isolated on a system that cannot fork")
        if not memory > 0:
            raise UsageError(f"the memory of a trial is more than 0 MiB, not {memory!r}")
        self._trying = trying
        self._numbers = {case.id: number for number, case in enumerate(cases)}
        self._cases = tuple(cases)
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._started = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._link, theirs = socket.socketpair()
        for stream in (sys.stdout, sys.stderr):  # What waits there would be said by every child.
            with suppress(Exception):
                stream.flush()
        with warnings.catch_warnings():
            # Forked before the runner has threads; those of others are their own look-out.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = os.fork()
        if self._process == 0:
            try:
                self._link.close()
                nursery.serve(theirs, self._play, int(memory * 2**20))
            finally:
                os._exit(70)
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends what is still running."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._link)
        self._link.close()
        with suppress(ChildProcessError):
            os.waitpid(self._process, 0)

    async def __call__(self, case: Case, trial: int, seed: int) -> Tried:
        """One attempt at a case.

        Raises:
            MissingExtraError: The agent's framework is not installed.
            UsageError: The process that starts trials is gone.
        """
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
            loop.add_reader(self._link, self._take_reply)
        self._started += 1
        number = self._started
        over = loop.create_future()
        self._waiting[number] = over
        timeout = self._trying.timeout
        # Its own clock comes first, which keeps what was seen; the keeper's is for what holds it up.
        seconds = 0.0 if timeout is None else timeout + GRACE + 1.0
        started = time.time()
        with tempfile.TemporaryFile() as file:
            asked = nursery.REQUEST.pack(
                nursery.RUN, number, self._numbers[case.id], trial, seed, seconds
            )
            try:
                socket.send_fds(self._link, [asked], [file.fileno()])
                await over
            except asyncio.CancelledError:
                with suppress(OSError):
                    self._link.sendall(nursery.REQUEST.pack(nursery.KILL, number, 0, 0, 0, 0.0))
                raise
            except OSError as error:
                raise _gone() from error
            finally:
                self._waiting.pop(number, None)
            file.seek(0)
            written = file.read()
        seen = replace(empty_trace(case, trial=trial), started=started, ended=time.time())
        return self._told(written, seen)

    def _take_reply(self) -> None:
        try:
            data = self._link.recv(nursery.REPLY.size * 64)
        except OSError:
            data = b""
        if not data:
            assert self._loop is not None
            self._loop.remove_reader(self._link)
            for over in self._waiting.values():
                if not over.done():
                    over.set_exception(_gone())
            return
        for (number,) in nursery.REPLY.iter_unpack(data):
            waiting = self._waiting.get(number)
            if waiting is not None and not waiting.done():
                waiting.set_result(None)

    def _told(self, written: bytes, seen: Trace) -> Tried:
        """What the processes of a trial left, as what became of it."""
        head, handed = written[: nursery.STATUS.size], written[nursery.STATUS.size :]
        status, late = nursery.STATUS.unpack(head) if len(head) == nursery.STATUS.size else (-1, 0)
        if status == 0 and handed:
            with suppress(msgspec.DecodeError, TraceError):
                return self._received(msgspec.msgpack.decode(handed, type=_Handed), seen)
        seen = replace(seen, pins=dict(self._trying.pins))
        if late:
            return finished(replace(seen, error=late_text(self._trying.timeout), outcome="limit"))
        return finished(replace(seen, error=_end(status), outcome="agent_error"))

    def _received(self, handed: _Handed, seen: Trace) -> Tried:
        if handed.missing is not None:
            raise MissingExtraError(*handed.missing)
        if handed.refused is not None:
            return Tried(seen, NO_TRACE, refused=handed.refused)
        return Tried(decode_trace(handed.data), handed.data, handed.retry_after)

    def _play(self, case: int, trial: int, seed: int) -> bytes:
        """Plays an attempt in the agent's own process."""
        try:
            tried = asyncio.run(self._trying(self._cases[case], trial, seed))
        except MissingExtraError as error:
            return msgspec.msgpack.encode(_Handed(missing=error.args[:2]))
        return msgspec.msgpack.encode(_Handed(tried.data, tried.retry_after, refused=tried.refused))


def _gone() -> UsageError:
    return UsageError(
        "the process that starts isolated trials is gone: something has ended it; what is finished "
        "stays, and --resume goes on from there"
    )


def _end(status: int) -> str:
    if status < 0:
        return "the agent ended the process that watched over it"
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"the agent ended its own process, with exit code {code}"
    return f"the agent's process was ended by {_signal_name(-code)}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
