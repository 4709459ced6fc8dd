"""Which label was expected and which was given, over many trials: tools, routes, refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from passhat.errors import UsageError
from passhat.reliability.confusion import Confusion
from passhat.reliability.label_scores import FloorCheck, LabelScores, check_floors
from passhat.reliability.multilabel import MultiLabelConfusion
from passhat.reliability.rates import Rate
from passhat.result import CheckResult, Trial

NONE = "(none)"
"""The label for nothing: a tool expected and none called, a route expected and none taken."""


class LabelRow(Struct, frozen=True):
    """How well one label was given; a rate is None where its denominator is 0.

    Attributes:
        tp: Times it was expected and given.
        fp: Times it was given and not expected.
        fn: Times it was expected and not given.
        precision: Of the times it was given, the share that was right.
        recall: Of the times it was expected, the share in which it was given.
        f1: Their harmonic mean.
        support: Times it was expected.
    """

    tp: int
    fp: int
    fn: int
    precision: float | None
    recall: float | None
    f1: float | None
    support: int


class Mixup(Struct, frozen=True):
    """How often one label was given where another was expected."""

    expected: str
    actual: str
    count: int


class LabelTable(Struct, frozen=True):
    """Labels expected against labels given.

    Attributes:
        total: Items compared.
        exact: The share given just the label (or labels) expected, 0 to 1.
        macro_f1: The mean of F1 over the labels that occur.
        labels: Each label's precision, recall, F1 and support.
        mixups: What was given where something else was expected, most frequent first; empty
            where items bear several labels, for then nothing says which stands for which.
        counts: The whole matrix, `counts[expected][actual]`; empty where items bear several.
    """

    total: int
    exact: float | None
    macro_f1: float | None
    labels: dict[str, LabelRow]
    mixups: tuple[Mixup, ...] = ()
    counts: dict[str, dict[str, int]] = {}

    def check_floors(self, floors: Mapping[str, float]) -> tuple[FloorCheck, ...]:
        """Each label's recall against the least it must reach.

        Args:
            floors: Per label, the least recall, 0 to 1.

        Raises:
            EstimationError: A floor for a label that was neither expected nor given, or not within
                0..1.
        """
        scores = {label: LabelScores(row.tp, row.fp, row.fn) for label, row in self.labels.items()}
        return check_floors(scores, floors)

    def confusion(self) -> Confusion:
        """The matrix, to ask what mistakes cost.

        Raises:
            UsageError: Items bear several labels, so there is no matrix.
        """
        if not self.counts:
            raise UsageError("items bear several labels: nothing says which stands for which")
        names = tuple(self.labels)
        return Confusion(
            names, tuple(tuple(self.counts.get(e, {}).get(a, 0) for a in names) for e in names)
        )


class Refusals(Struct, frozen=True):
    """Refusals too many and too few.

    Attributes:
        over: Of the trials that should not refuse, those that did.
        under: Of the trials that should refuse, those that did not.
    """

    over: Rate
    under: Rate


def evidence_parts(result: CheckResult) -> list[dict[str, Any]]:
    """The evidence of a check: that of each turn where it was judged turn by turn, else its own."""
    turns = result.evidence.get("turns")
    if not isinstance(turns, list):
        return [result.evidence]
    return [turn for turn in turns if isinstance(turn, dict)]


def label_table(seen: Mapping[tuple[str, str], int]) -> LabelTable | None:
    """The table of `(expected, actual)` to times; None where nothing was seen.

    >>> table = label_table({("a", "a"): 3, ("a", "b"): 1})
    >>> table.exact, table.labels["a"].recall, table.mixups
    (0.75, 0.75, (Mixup(expected='a', actual='b', count=1),))
    """
    if not seen:
        return None
    names = tuple(sorted({label for pair in seen for label in pair}))
    matrix = Confusion(names, tuple(tuple(seen.get((e, a), 0) for a in names) for e in names))
    macro = matrix.macro
    counts: dict[str, dict[str, int]] = {}
    for (expected, actual), times in sorted(seen.items()):
        counts.setdefault(expected, {})[actual] = times
    return LabelTable(
        matrix.total,
        matrix.accuracy,
        macro.f1 if macro else None,
        {label: _row(scores) for label, scores in matrix.per_label.items()},
        tuple(Mixup(*mistake) for mistake in matrix.mistakes),
        counts,
    )


def _row(scores: LabelScores) -> LabelRow:
    return LabelRow(
        scores.tp, scores.fp, scores.fn, scores.precision, scores.recall, scores.f1, scores.support
    )


@dataclass(slots=True)
class RouteTally:
    """Adds up which routes were expected and taken, from the evidence of the check `route`."""

    _single: Counter[tuple[str, str]] = field(default_factory=Counter)
    _several: bool = False
    _hits: Counter[str] = field(default_factory=Counter)
    _given: Counter[str] = field(default_factory=Counter)
    _wanted: Counter[str] = field(default_factory=Counter)
    _exact: int = 0
    _total: int = 0

    def add(self, trial: Trial) -> None:
        """Adds one trial, where its route was judged."""
        result = trial.result("route")
        if result is None:
            return
        for part in evidence_parts(result):
            if "expected" in part and "actual" in part:
                self._add(_labels(part["actual"]), _labels(part["expected"]))

    def _add(self, actual: frozenset[str], expected: frozenset[str]) -> None:
        self._total += 1
        self._exact += actual == expected
        self._hits.update(actual & expected)
        self._given.update(actual)
        self._wanted.update(expected)
        if len(actual) == 1 and len(expected) == 1:
            self._single[next(iter(expected)), next(iter(actual))] += 1
        else:
            self._several = True

    def table(self) -> LabelTable | None:
        """What was seen; None where no route was judged."""
        if not self._several:
            return label_table(self._single)
        labels = tuple(sorted({*self._given, *self._wanted}))
        scores = tuple(
            LabelScores(
                tp=self._hits[label],
                fp=self._given[label] - self._hits[label],
                fn=self._wanted[label] - self._hits[label],
            )
            for label in labels
        )
        matrix = MultiLabelConfusion(labels, scores, self._exact, self._total)
        macro = matrix.macro
        return LabelTable(
            self._total,
            matrix.exact_match,
            macro.f1 if macro else None,
            {label: _row(row) for label, row in matrix.per_label.items()},
        )


def _labels(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset((value,))
    if isinstance(value, list | tuple | set | frozenset):
        return frozenset(map(str, value)) or frozenset((NONE,))
    return frozenset((NONE,))


@dataclass(slots=True)
class RefusalTally:
    """Adds up refusals, from the evidence of the check `refusal`."""

    _wrong: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    _of: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})

    def add(self, trial: Trial) -> None:
        """Adds one trial, where it was judged whether it refused."""
        result = trial.result("refusal")
        if result is None or result.status not in ("passed", "failed"):
            return
        for part in evidence_parts(result):
            expected = part.get("expected")
            if isinstance(expected, bool) and part.get("status", "passed") in ("passed", "failed"):
                self._of[expected] += 1
                self._wrong[expected] += part.get("status", result.status) == "failed"

    def refusals(self) -> Refusals | None:
        """Refusals too many and too few; None where none was judged."""
        if not any(self._of.values()):
            return None
        return Refusals(
            over=Rate.over(self._wrong[False], self._of[False]),
            under=Rate.over(self._wrong[True], self._of[True]),
        )
