"""Trials of a suite with their pins, and their file form: one `passhat.result/1` a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

from passhat.case import Suite
from passhat.errors import EstimationError, InputError, Place, TraceError
from passhat.jsontext import file_name, lines, replacing
from passhat.reliability.failure_labels import (
    FailureLabel,
    FailureLabels,
    Judge,
    Key,
    relabelled,
)
from passhat.reliability.mean_intervals import Method
from passhat.reliability.summariser import Summariser
from passhat.reliability.summary import Summary
from passhat.result import Trial, decode_trial, encode_trial


@dataclass(frozen=True)
class Results:
    """Trials of a suite, in the order they were judged.

    Args:
        trials: The trials.
        suite: The suite they were judged by, where there is one.
        unread: Recorded attempts that could not be read.
        about: What was judged: `source`, `format`, `judged_by`, where known.
        native: The framework's own object, where there is one.

    >>> results = Results((Trial("a", 0, "t0", "passed"), Trial("a", 1, "t1", "failed")))
    >>> results.summary().pass_hat_k
    {1: 0.5, 2: 0.0}
    """

    trials: tuple[Trial, ...]
    suite: Suite | None = None
    unread: tuple[TraceError, ...] = ()
    about: dict[str, str] = field(default_factory=dict)
    native: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "trials", tuple(self.trials))

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __len__(self) -> int:
        return len(self.trials)

    def __str__(self) -> str:
        return str(self.summary())

    @property
    def pins(self) -> dict[str, Any]:
        """What all trials were pinned to: the pins whose value they share."""
        if not self.trials:
            return {}
        shared = dict(self.trials[0].pins)
        for trial in self.trials[1:]:
            shared = {
                name: value
                for name, value in shared.items()
                if name in trial.pins and trial.pins[name] == value
            }
        return shared

    def summary(
        self,
        ks: Sequence[int] | None = None,
        *,
        confidence: float = 0.95,
        method: Method = "auto",
        seed: int = 0,
    ) -> Summary:
        """What the trials come to.

        Args:
            ks: The ks of pass^k and pass@k; by default 1 to the fewest trials of a case, at most 5.
            confidence: Of the intervals, between 0 and 1.
            method: Of the intervals, as in `interval_pass_hat_k`.
            seed: For the bootstraps.

        Raises:
            EstimationError: A k that some case's trials do not allow, which is named; or any k
                where nothing was judged.
            UsageError: There is no such method.
        """
        adding = Summariser(self.suite.cases if self.suite is not None else ())
        for trial in self.trials:
            adding.add(trial)
        for error in self.unread:
            adding.add_unread(error)
        summary = adding.summary(
            ks, confidence=confidence, method=method, seed=seed, about=self.about
        )
        if ks is not None and not summary.n:
            raise EstimationError(
                f"nothing was judged ({len(self.trials)} trials, all left out), so there is no "
                "pass^k; the ledger of `summary()` says why"
            )
        return summary

    def relabelled(
        self, labels: FailureLabels | Mapping[Key, FailureLabel | str] | Judge
    ) -> Results:
        """The same results, failed trials having the classes that people or a judge say they have.

        Args:
            labels: As `read_labels` gives them; a mapping of traces' ids, or of `(case, trial)`, to
                classes; or a function that is asked of each failed trial and gives a class or None.

        Raises:
            UsageError: The labels are none of these.

        >>> results = Results((Trial("a", 0, "t0", "failed", failure_class="incomplete"),))
        >>> results.relabelled({("a", 0): "gave_up"}).summary().failure_classes
        {'gave_up': 1}
        """
        return replace(self, trials=tuple(relabelled(labels, self.trials)))

    def save(self, path: str | Path) -> None:
        """Writes the trials as JSONL; the file is there whole, or as it was before.

        Raises:
            UsageError: It cannot be written.
        """
        with results_writer(path) as writer:
            for trial in with_unread(self):
                writer.write(trial)


def read_results(path: str | Path) -> Results:
    r"""The results that a file holds: JSONL of passhat's own, or a CSV table; `-` is standard input.

    A CSV table has a row for each trial, with the columns `case`, `trial` and `passed`, and if you
    like `status`, `reason`, `cost`, `currency`, `tokens`, `seconds`, `tags` (separated by `;`),
    `check.KEY` for what a check said, and `pin.NAME` for what the run was pinned to. A table that
    `passhat report` wrote has more, and all of it is read. Columns with other names are not read,
    and `about["not_read"]` names them.

    Raises:
        InputError: It cannot be read, or a line is no result; it names the line.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder) / "runs.csv"
    ...     _ = table.write_text("case,trial,passed\na,0,yes\na,1,no\n")
    ...     read_results(table).summary().pass_hat_k[1]
    0.5
    """
    from passhat.reliability.csvresults import csv_results, is_csv

    if is_csv(path):
        held, unknown = csv_results(path)
        about = {"source": str(path), "format": "csv"}
        if unknown:
            about["not_read"] = ", ".join(unknown)
    else:
        held, about = tuple(read_trials(path)), {"source": str(path)}
    unread = tuple(TraceError(trial.reason[len(_UNREAD) :]) for trial in held if is_unread(trial))
    trials = tuple(trial for trial in held if not is_unread(trial)) if unread else held
    return Results(trials, unread=unread, about=about)


def read_trials(path: str | Path) -> Iterator[Trial]:
    """The trials of a JSONL or CSV file (`-` is standard input), one after the other.

    An attempt that could not be read is one without a case, not evaluated, whose reason says where.

    Raises:
        InputError: It cannot be read, or a line is no result; it names the line.
    """
    from passhat.reliability.csvresults import csv_results, is_csv

    if is_csv(path):
        yield from csv_results(path)[0]
        return
    known = False
    for number, line in lines(path):
        try:
            trial = decode_trial(line, Place(file_name(path), number))
        except InputError as error:
            if known:
                raise
            raise InputError(f"{error.message}; {_MADE_BY}", error.place) from error
        known = True
        yield trial


_MADE_BY = "results of a recording are made by: passhat score RECORDING -o results.jsonl"
_UNREAD = "cannot be read: "


def is_unread(trial: Trial) -> bool:
    """Whether a trial of a results file stands for an attempt that could not be read."""
    return (
        trial.case_id is None
        and trial.status == "not_evaluated"
        and not trial.trace_id
        and trial.reason.startswith(_UNREAD)
    )


def repeated(trials: Iterable[Trial]) -> Trial | None:
    """The first trial that is there twice: the same case, number and trace; None where none is.

    >>> repeated([Trial("a", 0, "t", "passed"), Trial("a", 0, "u", "passed")])
    >>> repeated([Trial("a", 0, "t", "passed")] * 2).case_id
    'a'
    """
    seen: set[tuple[str | None, int, str]] = set()
    for trial in trials:
        key = (trial.case_id, trial.trial, trial.trace_id)
        if key in seen:
            return trial
        # An attempt of no known case and no known trace may be any.
        if trial.case_id is not None or trial.trace_id:
            seen.add(key)
    return None


def unread_trial(error: TraceError) -> Trial:
    """What stands in results for an attempt that could not be read, so that it is not forgotten.

    >>> unread_trial(TraceError("not JSON", Place("runs.jsonl", 3))).reason
    'cannot be read: runs.jsonl:3: not JSON'
    """
    return Trial(None, 0, "", "not_evaluated", reason=f"{_UNREAD}{error}")


def with_unread(trials: Iterable[Trial]) -> list[Trial]:
    """The trials, and of results one for each attempt that could not be read."""
    unread = trials.unread if isinstance(trials, Results) else ()
    return [*trials, *map(unread_trial, unread)]


@dataclass(frozen=True, slots=True)
class TrialWriter:
    """Writes trials as lines of JSON, one after the other."""

    file: BinaryIO

    def write(self, trial: Trial) -> None:
        """Writes one trial."""
        self.file.write(encode_trial(trial) + b"\n")

    def write_unread(self, error: TraceError) -> None:
        """Writes down that an attempt could not be read, and where."""
        self.write(unread_trial(error))


@contextmanager
def results_writer(path: str | Path) -> Iterator[TrialWriter]:
    """A writer of trials to a JSONL file, which appears whole in the end, or not at all.

    Args:
        path: The file; `-` is standard output.

    Raises:
        UsageError: It cannot be written.
    """
    with replacing(path) as file:
        yield TrialWriter(file)
