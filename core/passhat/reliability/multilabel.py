"""Labels expected and labels given, where an item may have any number of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from passhat.errors import EstimationError
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
    from collections.abc import Collection, Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class MultiLabelConfusion:
    """Counts per label where an item may be expected, and be given, any number of labels.

    Attributes:
        labels: The labels, in order.
        scores: The counts and rates of each.
        exact: Items given just the labels expected, no more and no fewer.
        total: How many items there are.

    >>> routes = MultiLabelConfusion.from_pairs([({"docs", "sql"}, {"docs"}), ({"sql"}, {"sql"})])
    >>> routes.exact_match, routes.per_label["sql"].precision, routes.micro.f1
    (0.5, 0.5, 0.8)
    """

    labels: tuple[str, ...]
    scores: tuple[LabelScores, ...]
    exact: int
    total: int

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[tuple[Collection[str], Collection[str]]],
        labels: Sequence[str] | None = None,
    ) -> MultiLabelConfusion:
        """Counts pairs of `(actual, expected)` sets of labels.

        Args:
            pairs: One pair per item: the labels given, then the labels expected.
            labels: All labels, in order; left out, those that occur, sorted.

        Raises:
            EstimationError: A pair holds a label that is not among `labels`, or is a bare text.
        """
        items: list[tuple[set[str], set[str]]] = []
        for number, (actual, expected) in enumerate(pairs):
            if isinstance(actual, str) or isinstance(expected, str):
                raise EstimationError(f"item {number}: give collections of labels, not one label")
            items.append((set(actual), set(expected)))
        occurring = {label for pair in items for labels_of in pair for label in labels_of}
        names = tuple(sorted(occurring) if labels is None else labels)
        refuse_strangers(occurring, names)
        return cls(
            names,
            tuple(
                LabelScores(
                    tp=sum(name in actual and name in expected for actual, expected in items),
                    fp=sum(name in actual and name not in expected for actual, expected in items),
                    fn=sum(name not in actual and name in expected for actual, expected in items),
                )
                for name in names
            ),
            exact=sum(actual == expected for actual, expected in items),
            total=len(items),
        )

    @property
    def per_label(self) -> dict[str, LabelScores]:
        """Each label's counts and rates, in the order of `labels`."""
        return dict(zip(self.labels, self.scores, strict=True))

    @property
    def exact_match(self) -> float | None:
        """The share of items given just the labels expected, 0 to 1; None without items."""
        return rate(self.exact, self.total)

    @property
    def micro(self) -> LabelScores:
        """The counts of all labels together."""
        return LabelScores(
            tp=sum(scores.tp for scores in self.scores),
            fp=sum(scores.fp for scores in self.scores),
            fn=sum(scores.fn for scores in self.scores),
        )

    @property
    def macro(self) -> Averages | None:
        """Means over the labels that occur, each counting the same; None where none occurs."""
        return averages(self.scores, weighted=False)

    @property
    def weighted(self) -> Averages | None:
        """Means over the labels, each by how often it was expected; None where none was."""
        return averages(self.scores, weighted=True)

    def check_floors(self, floors: Mapping[str, float]) -> tuple[FloorCheck, ...]:
        """Each label's recall against the least it must reach, as `Confusion.check_floors`.

        Args:
            floors: Per label, the least recall, 0 to 1.

        Raises:
            EstimationError: A floor for a label that is not counted, or not within 0..1.
        """
        return check_floors(self.per_label, floors)
