"""How a run goes on, as it is shown: a bar that moves on a terminal, lines now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from passhat.reliability import mean_pass_hat_k
from passhat.reliability.summariser import MOST_KS
from passhat.reliability.wording import counted, percent
from passhat.result import Trial
from passhat.trials.standing import Standing, Unwatched, Watch

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_LINES_APART = 5.0
_SHOWN_APART = 0.1
Clock = Callable[[], float]


def verdict_so_far(standing: Standing) -> str:
    """What the trials come to so far, over the cases of which one counts.

    >>> from passhat.reliability import Counts
    >>> verdict_so_far(Standing(6, {"a": Counts(3, 3, "a"), "b": Counts(2, 1, "b")}))
    'passes 75 %, 2 in a row 50 %'
    """
    counts = [case for case in standing.counts.values() if case.n]
    if not counts:
        return "nothing judged yet"
    told = f"passes {percent(mean_pass_hat_k(counts, 1))}"
    k = min(MOST_KS, min(case.n for case in counts))
    return told + (f", {k} in a row {percent(mean_pass_hat_k(counts, k))}" if k > 1 else "")


def details(standing: Standing) -> list[str]:
    """What else there is to know: how far it is decided, what was left out, retries, cost."""
    told = [] if standing.deciding is None else [standing.deciding()]
    left_out = sum(standing.left_out.values())
    if left_out:
        told.append(f"{left_out} left out")
    if standing.retries:
        told.append(counted(standing.retries, "retry", "retries"))
    spent = standing.limits.spent
    if spent is not None:
        told.append(f"{spent:.4g} {standing.limits.currency}")
    return told


@contextmanager
def shown(wanted: bool) -> Iterator[Watch]:
    """Shows a run on standard error while it goes on, if that is wanted."""
    if not wanted:
        yield Unwatched()
    elif sys.stderr.isatty():
        with _bar(sys.stderr) as watch:
            yield watch
    else:
        yield Lines(sys.stderr)


@dataclass
class Lines:
    """Writes a line every few seconds, for logs.

    Args:
        stream: Where to.
        clock: Seconds that only go on.
    """

    stream: TextIO
    clock: Clock = time.monotonic
    _began: float | None = None
    _last: float = -1e9

    def trial(self, trial: Trial, standing: Standing) -> None:
        """A trial was finished."""
        now = self.clock()
        if self._began is None:
            self._began = self._last = now
        if now - self._last < _LINES_APART and standing.done < standing.total:
            return
        self._last = now
        parts = [f"{standing.done:,}/{standing.total:,} trials", verdict_so_far(standing)]
        elapsed, fresh = now - self._began, standing.done - standing.earlier
        if elapsed > 0 and fresh > 1:
            parts.append(f"{fresh / elapsed:.3g}/s")
        self._write("; ".join([*parts, *details(standing)]))

    def say(self, text: str) -> None:
        """Something that a reader should know at once."""
        self._write(text)

    def _write(self, text: str) -> None:
        self.stream.write(f"passhat: {text}\n")
        self.stream.flush()


@dataclass
class Bar:
    """Moves a bar on a terminal."""

    progress: Progress
    task: TaskID
    _last: float = -1e9

    def trial(self, trial: Trial, standing: Standing) -> None:
        """A trial was finished."""
        now = time.monotonic()
        if now - self._last < _SHOWN_APART and standing.done < standing.total:
            return
        self._last = now
        told = ", ".join([verdict_so_far(standing), *details(standing)])
        self.progress.update(self.task, total=standing.total, completed=standing.done, verdict=told)

    def say(self, text: str) -> None:
        """Something that a reader should know at once."""
        from rich.text import Text

        self.progress.console.print(Text(f"passhat: {text}"))


@contextmanager
def _bar(stream: TextIO) -> Iterator[Watch]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns: tuple[Any, ...] = (
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[verdict]}", markup=False),
    )
    progress = Progress(*columns, console=Console(file=stream), transient=True)
    with progress:
        task = progress.add_task("trials", total=None, verdict="")
        yield Bar(progress, task)
