"""Which label was expected and which was given, one of each per item: routes, tools, refusals."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from passhat.errors import EstimationError
from passhat.reliability.counts import whole
from passhat.reliability.label_scores import (
    Averages,
    FloorCheck,
    LabelScores,
    averages,
    check_floors,
    rate,
    refuse_strangers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class Mistake(NamedTuple):
    """How often one label was given where another was expected."""

    expected: str
    actual: str
    times: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """A confusion matrix over labels, each item with one label expected and one given.

    Attributes:
        labels: The labels, in the order of rows and columns.
        counts: `counts[i][j]` items expected label i and were given label j.

    Raises:
        EstimationError: The matrix does not fit the labels, labels repeat, or a cell is no count.

    >>> routes = Confusion.from_pairs([("docs", "docs"), ("docs", "sql"), ("sql", "sql")])
    >>> routes.labels, routes.counts
    (('docs', 'sql'), ((1, 0), (1, 1)))
    >>> routes.mistakes
    (Mistake(expected='sql', actual='docs', times=1),)
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        size = len(self.labels)
        if len(set(self.labels)) != size:
            raise EstimationError(f"labels repeat: {', '.join(self.labels)}")
        if len(self.counts) != size or any(len(row) != size for row in self.counts):
            raise EstimationError(f"{size} labels need {size} rows of {size} counts each")
        for expected, row in zip(self.labels, self.counts, strict=True):
            for actual, cell in zip(self.labels, row, strict=True):
                whole(cell, f"count of {actual!r} for {expected!r}", least=0)

    @classmethod
    def from_pairs(
        cls, pairs: Iterable[tuple[str, str]], labels: Sequence[str] | None = None
    ) -> Confusion:
        """Counts pairs of `(actual, expected)` labels.

        Args:
            pairs: One pair per item: the label given, then the label expected.
            labels: All labels, in order; left out, those that occur, sorted.

        Raises:
            EstimationError: A pair holds a label that is not among `labels`.
        """
        seen: dict[tuple[str, str], int] = {}
        for actual, expected in pairs:
            seen[expected, actual] = seen.get((expected, actual), 0) + 1
        occurring = {label for pair in seen for label in pair}
        names = tuple(sorted(occurring) if labels is None else labels)
        refuse_strangers(occurring, names)
        return cls(
            names,
            tuple(tuple(seen.get((expected, actual), 0) for actual in names) for expected in names),
        )

    @property
    def total(self) -> int:
        """How many items there are."""
        return sum(map(sum, self.counts))

    @property
    def accuracy(self) -> float | None:
        """The share of items given the label expected, 0 to 1; None without items."""
        return rate(sum(row[i] for i, row in enumerate(self.counts)), self.total)

    @property
    def per_label(self) -> dict[str, LabelScores]:
        """Each label's counts and rates, in the order of `labels`."""
        return {
            label: LabelScores(
                tp=row[i],
                fp=sum(other[i] for other in self.counts) - row[i],
                fn=sum(row) - row[i],
            )
            for i, (label, row) in enumerate(zip(self.labels, self.counts, strict=True))
        }

    @property
    def macro(self) -> Averages | None:
        """Means over the labels that occur, each counting the same; None where none occurs."""
        return averages(self.per_label.values(), weighted=False)

    @property
    def weighted(self) -> Averages | None:
        """Means over the labels, each by how often it was expected; None without items."""
        return averages(self.per_label.values(), weighted=True)

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The confusions that happened, most frequent first, then in the order of labels."""
        found = [
            Mistake(expected, actual, cell)
            for expected, row in zip(self.labels, self.counts, strict=True)
            for actual, cell in zip(self.labels, row, strict=True)
            if cell and actual != expected
        ]
        return tuple(sorted(found, key=lambda mistake: -mistake.times))

    def check_floors(self, floors: Mapping[str, float]) -> tuple[FloorCheck, ...]:
        """Each label's recall against the least it must reach.

        Args:
            floors: Per label, the least recall, 0 to 1.

        Raises:
            EstimationError: A floor for a label that is not in the matrix, or not within 0..1.

        >>> routes = Confusion(("docs", "sql"), ((9, 1), (2, 2)))
        >>> [(check.label, check.status) for check in routes.check_floors({"docs": 0.9, "sql": 0.8})]
        [('docs', 'passed'), ('sql', 'failed')]
        """
        return check_floors(self.per_label, floors)

    def mean_cost(self, costs: Mapping[str, Mapping[str, float]], default: float = 1.0) -> float:
        """What a decision costs on average, in the unit of the costs.

        Args:
            costs: `costs[expected][actual]`, for those that matter more or less than others; the
                right label costs 0 unless it is given a cost.
            default: The cost of every mistake not named.

        Raises:
            EstimationError: A cost for a label that is not in the matrix, or there are no items.

        >>> routes = Confusion(("docs", "sql"), ((9, 1), (2, 8)))
        >>> routes.mean_cost({"sql": {"docs": 5.0}})
        0.55
        """
        refuse_strangers(
            {label for row in costs.values() for label in row} | set(costs), self.labels
        )
        if not self.total:
            raise EstimationError("no items: a mean cost needs at least one")
        spent = [
            cell * costs.get(expected, {}).get(actual, 0.0 if actual == expected else default)
            for expected, row in zip(self.labels, self.counts, strict=True)
            for actual, cell in zip(self.labels, row, strict=True)
            if cell
        ]
        return fsum(spent) / self.total
