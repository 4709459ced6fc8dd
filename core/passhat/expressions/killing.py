"""Evaluation in a process of its own, which is ended when an expression takes too long."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from passhat.errors import UsageError
from passhat.expressions.compiling import Verdict, evaluator

SECONDS = 5.0
_DIED = "needs more memory than it may have"


@contextmanager
def killable(seconds: float = SECONDS) -> Iterator[None]:
    """Within it, every expression is evaluated in another process, for so long and no longer.

    An expression that takes longer gives no value: it is an `ExpressionError`. The process may
    hold a gigabyte; it is begun with the first expression, and anew after one was ended.

    Args:
        seconds: How long one evaluation may take.

    Raises:
        UsageError: The time is not more than 0.

    >>> from passhat.expressions import compile_expression
    >>> with killable(seconds=10):
    ...     compile_expression("a + 1").evaluate(a=1)
    2
    """
    if not seconds > 0:
        raise UsageError(f"the time for an expression is more than 0 seconds, not {seconds!r}")
    apart = _Apart(seconds)
    token = evaluator.set(apart)
    try:
        yield
    finally:
        evaluator.reset(token)
        apart.end()


@dataclass
class _Apart:
    """Evaluates in another process."""

    seconds: float
    _process: subprocess.Popen[bytes] | None = None
    _answers: queue.Queue[bytes] = field(default_factory=queue.Queue)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, text: str, given: Mapping[str, Any]) -> Verdict:
        """What the other process says, or that it was ended."""
        asked = msgspec.msgpack.encode((text, given))
        with self._lock:
            process = self._running()
            try:
                assert process.stdin is not None
                process.stdin.write(len(asked).to_bytes(8, "big") + asked)
                process.stdin.flush()
                answer = self._answers.get(timeout=self.seconds)
            except queue.Empty:
                fault = f"takes longer than {self.seconds:g} seconds, and was ended"
            except OSError:
                fault = _DIED
            else:
                if answer:
                    return msgspec.msgpack.decode(answer, type=Verdict)
                fault = _DIED
            self.end()
            return Verdict(fault=fault)

    def end(self) -> None:
        """Ends the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._answers = queue.Queue()
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from passhat.expressions.worker import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    "RUST_BACKTRACE": "0",
                },
            )
            reader = threading.Thread(
                target=_read_answers, args=(self._process, self._answers), daemon=True
            )
            reader.start()
            self._answers.get(timeout=60)  # It says first that it is there.
        return self._process


def _read_answers(process: subprocess.Popen[bytes], answers: queue.Queue[bytes]) -> None:
    """Passes on each answer; an empty one says that there will be no more."""
    stream = process.stdout
    assert stream is not None
    try:
        while head := stream.read(8):
            answers.put(stream.read(int.from_bytes(head, "big")))
    except ValueError:  # The pipe was closed under it.
        pass
    answers.put(b"")
