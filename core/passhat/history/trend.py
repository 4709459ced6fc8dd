"""The trend over runs: pass^k, each check, what changed, and which cases became flaky."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from passhat.compare import Metric, Tallies, difference, interval, measured
from passhat.compare.pins import OF_CASES, PinChange, changed_pins, pin_values
from passhat.compare.sharing import sharing
from passhat.errors import InputError, Place, UsageError
from passhat.reliability import Results, mean_pass_hat_k, read_results
from passhat.reliability.summariser import MOST_KS
from passhat.reliability.tables import fisher_p
from passhat.reliability.wording import natural_key

HISTORY_SCHEMA = "passhat.history/1"

_SUFFIXES = (".jsonl", ".ndjson", ".csv", ".jsonl.gz", ".csv.gz")


class Unsteady(Struct, frozen=True):
    """A case that always passed in the runs before, and no longer does.

    Attributes:
        case_id: The case.
        before: Trials that count, and passes, in all runs before.
        now: The same in this run.
        p: Fisher's exact two-sided p that it passes as often as before.
    """

    case_id: str
    before: tuple[int, int]
    now: tuple[int, int]
    p: float


class RunPoint(Struct, frozen=True, kw_only=True):
    """One run in a history.

    Attributes:
        name: Its file.
        cases: Cases with a trial that counts.
        trials: Trials that count.
        left_out: Attempts that do not count.
        pass_hat_k: pass^k, for each k that all its cases allow, up to 5.
        interval: The 95 % interval of its pass^1.
        checks: The share of trials in which each check held, of those that it judged.
        change: How much more or less often the shared cases pass than in the run before, the last
            one in which something was judged; None for the first run, and where no case is shared.
        change_interval: Its 95 % interval.
        shared: Cases shared with the run before.
        pins: The pins that changed since the run before.
        new_flaky: Cases that always passed before, and now pass only sometimes.
        new_failing: Cases that always passed before, and now never pass.
    """

    name: str
    cases: int
    trials: int
    left_out: int = 0
    pass_hat_k: dict[int, float] = {}
    interval: tuple[float, float] | None = None
    checks: dict[str, float] = {}
    change: float | None = None
    change_interval: tuple[float, float] | None = None
    shared: int = 0
    pins: tuple[PinChange, ...] = ()
    new_flaky: tuple[Unsteady, ...] = ()
    new_failing: tuple[Unsteady, ...] = ()


class Trend(Struct, frozen=True):
    """A history of runs, the oldest first.

    Attributes:
        runs: The runs.
        unread: Files that hold no results, each with the reason.
    """

    runs: tuple[RunPoint, ...]
    unread: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The trend as JSON values, `passhat.history/1`."""
        values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return {"schema": HISTORY_SCHEMA, **values}


def read_history(folder: str | Path, *, last: int | None = None) -> Trend:
    """The trend of the results files in a folder, in the order of their names.

    A file that holds no results costs itself alone, and is told.

    Args:
        folder: The folder; what stands in its subfolders is not read.
        last: Only so many files, the latest ones.

    Raises:
        InputError: There is no such folder, or no file of results in it.
    """
    place = Place(str(folder))
    try:
        files = [
            path
            for path in Path(folder).iterdir()
            if (path.is_file() or path.is_symlink())
            and path.name.lower().endswith(_SUFFIXES)
            and path.name[0] != "."
        ]
    except OSError as error:
        raise InputError(f"no folder of runs: {error.strerror}", place) from error
    files.sort(key=lambda path: natural_key(_stem(path.name)))
    if last is not None:
        files = files[-last:]
    if not files:
        raise InputError("no results are kept there; `passhat score --save` keeps them", place)
    adding = _Adding()
    for path in files:
        try:
            adding.add(path.name, read_results(path))
        except InputError as error:
            adding.unread.append(f"{path.name}: {error.message.removeprefix(f'{path.name}: ')}")
    if not adding.runs:
        told = "\n".join(adding.unread)
        raise InputError(f"none of its files holds results:\n{told}", place)
    return Trend(tuple(adding.runs), tuple(adding.unread))


def _stem(name: str) -> str:
    """A name without its ending, so that `a` comes before `a-2`."""
    return next(name[: -len(end)] for end in _SUFFIXES if name.lower().endswith(end))


def trend_of(runs: Iterable[tuple[str, Results]]) -> Trend:
    """The trend of some results, the oldest first.

    Args:
        runs: Each with its name.

    Raises:
        InputError: Results without a trial.

    >>> from passhat.result import Trial
    >>> def run(passes):
    ...     return Results(tuple(Trial("a", n, f"{n}", "passed" if n < passes else "failed") for n in range(4)))
    >>> trend = trend_of([("monday", run(4)), ("tuesday", run(3))])
    >>> [case.case_id for case in trend.runs[-1].new_flaky]
    ['a']
    """
    adding = _Adding()
    for name, results in runs:
        adding.add(name, results)
    return Trend(tuple(adding.runs))


@dataclass
class _Adding:
    runs: list[RunPoint] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    before: Tallies | None = None
    results: Results | None = None
    pins: dict[str, tuple[str, ...]] = field(default_factory=dict)
    known: dict[str, tuple[int, int]] = field(default_factory=dict)
    hashes: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, results: Results) -> None:
        """Adds a run, later than those before."""
        tallies = Tallies.of(results, name)
        pins = pin_values(results.trials)
        self._forget_changed(results)
        flaky = list(self._unsteady(tallies))
        self.runs.append(
            RunPoint(
                name=name,
                cases=len(tallies.counted),
                trials=tallies.n,
                left_out=tallies.left_out,
                **_levels(tallies),
                **self._change(tallies, results),
                pins=changed_pins(self.pins, pins) if self.runs else (),
                new_flaky=tuple(case for case in flaky if case.now[1]),
                new_failing=tuple(case for case in flaky if not case.now[1]),
            )
        )
        self.pins = pins
        if tallies.n:
            self.before, self.results = tallies, results
        for case_id in tallies.counted:
            n, c = self.known.get(case_id, (0, 0))
            self.known[case_id] = (n + tallies.cases[case_id].n, c + tallies.cases[case_id].c)

    def _forget_changed(self, results: Results) -> None:
        """Drops what is known of cases that are no longer the same, by their pinned hashes."""
        for trial in results.trials:
            if trial.case_id is None or OF_CASES not in trial.pins:
                continue
            if self.hashes.setdefault(trial.case_id, trial.pins[OF_CASES]) != trial.pins[OF_CASES]:
                self.hashes[trial.case_id] = trial.pins[OF_CASES]
                self.known.pop(trial.case_id, None)

    def _unsteady(self, tallies: Tallies) -> Iterator[Unsteady]:
        for case_id in tallies.counted:
            tally = tallies.cases[case_id]
            n, c = self.known.get(case_id, (0, 0))
            if n and n == c and tally.c < tally.n:
                p = fisher_p(n, c, tally.n, tally.c)
                yield Unsteady(case_id, (n, c), (tally.n, tally.c), p)

    def _change(self, tallies: Tallies, results: Results) -> dict[str, Any]:
        if self.before is None or self.results is None:
            return {}
        found = sharing(self.before, tallies, self.results.trials, results.trials)
        if not found.shared:
            return {}
        apart = difference(Metric.of("success_rate"), tallies, self.before, found.shared)
        ends = apart.interval(0.95)
        return {
            "change": apart.value,
            "change_interval": None if ends is None else (ends.low, ends.high),
            "shared": len(found.shared),
        }


def _levels(tallies: Tallies) -> dict[str, Any]:
    checks = {}
    for key in tallies.check_keys:
        try:
            checks[key] = measured(Metric.of(f"checks.{key}.passed"), tallies).value
        except UsageError:
            # A check that judged nothing in this run has no share.
            continue
    if not tallies.n:
        return {"checks": checks}
    counts = tallies.counts(tallies.counted)
    least = min(one.n for one in counts)
    ends = interval(measured(Metric.of("success_rate"), tallies), 0.95)
    return {
        "pass_hat_k": {k: mean_pass_hat_k(counts, k) for k in range(1, min(least, MOST_KS) + 1)},
        "interval": None if ends is None else (ends.low, ends.high),
        "checks": checks,
    }
