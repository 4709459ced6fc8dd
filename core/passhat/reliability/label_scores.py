"""How well labels were given: counts, the rates they make, their averages and their floors."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, Literal, NamedTuple

from passhat.errors import EstimationError
from passhat.reliability.counts import share

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


@dataclass(frozen=True, slots=True)
class LabelScores:
    """How well one label was given, or one thing found, from three counts.

    Rates are 0 to 1, and None where their denominator is 0.

    Attributes:
        tp: Times it was expected and given.
        fp: Times it was given and not expected.
        fn: Times it was expected and not given.

    >>> scores = LabelScores(tp=18, fp=2, fn=6)
    >>> scores.precision, scores.recall, round(scores.f1, 3), scores.support
    (0.9, 0.75, 0.818, 24)
    """

    tp: int
    fp: int
    fn: int

    @property
    def given(self) -> int:
        """Times it was given: the denominator of precision."""
        return self.tp + self.fp

    @property
    def support(self) -> int:
        """Times it was expected: the denominator of recall."""
        return self.tp + self.fn

    @property
    def precision(self) -> float | None:
        """Of the times it was given, the share that was right."""
        return rate(self.tp, self.given)

    @property
    def recall(self) -> float | None:
        """Of the times it was expected, the share in which it was given."""
        return rate(self.tp, self.support)

    @property
    def f1(self) -> float | None:
        """`2 tp / (2 tp + fp + fn)`, the harmonic mean of precision and recall."""
        return rate(2 * self.tp, self.given + self.support)


class Averages(NamedTuple):
    """Means over labels of precision, recall and F1; one of them undefined counts as 0."""

    precision: float
    recall: float
    f1: float


class FloorCheck(NamedTuple):
    """Whether a label's recall reached the floor set for it.

    Attributes:
        label: The label.
        floor: The least recall, 0 to 1.
        recall: What it was; None where the label was never expected.
        support: Times it was expected.
        status: `not_evaluated` where the label was never expected.
    """

    label: str
    floor: float
    recall: float | None
    support: int
    status: Literal["passed", "failed", "not_evaluated"]


def rate(part: int, of: int) -> float | None:
    """The share, None where there is nothing to divide by.

    >>> rate(3, 4), rate(0, 0)
    (0.75, None)
    """
    return part / of if of else None


def averages(scores: Iterable[LabelScores], *, weighted: bool) -> Averages | None:
    """Means over the labels that occur, each once or by its support; None where none counts.

    >>> averages([LabelScores(1, 0, 0), LabelScores(0, 0, 1)], weighted=False)
    Averages(precision=0.5, recall=0.5, f1=0.5)
    """
    occurring = [s for s in scores if s.given or s.support]
    weights = [s.support if weighted else 1 for s in occurring]
    if not sum(weights):
        return None

    def mean(values: list[float | None]) -> float:
        terms = (weight * (value or 0.0) for weight, value in zip(weights, values, strict=True))
        return fsum(terms) / sum(weights)

    return Averages(
        mean([s.precision for s in occurring]),
        mean([s.recall for s in occurring]),
        mean([s.f1 for s in occurring]),
    )


def check_floors(
    per_label: Mapping[str, LabelScores], floors: Mapping[str, float]
) -> tuple[FloorCheck, ...]:
    """Each label's recall against the least it must reach.

    Raises:
        EstimationError: A floor for a label that is not counted, or not within 0..1.

    >>> check_floors({"docs": LabelScores(9, 0, 1)}, {"docs": 0.95})[0].status
    'failed'
    """
    refuse_strangers(floors, per_label)
    checks = []
    for label, floor in floors.items():
        share(floor, f"the floor of {label!r}", open_ends=False)
        recall = per_label[label].recall
        status: Literal["passed", "failed", "not_evaluated"] = "not_evaluated"
        if recall is not None:
            status = "passed" if recall >= floor else "failed"
        checks.append(FloorCheck(label, floor, recall, per_label[label].support, status))
    return tuple(checks)


def refuse_strangers(labels: Iterable[str], known: Collection[str]) -> None:
    """Nothing, where all labels are known.

    Raises:
        EstimationError: They are not.

    >>> refuse_strangers({"docs", "sgl"}, ("docs", "sql"))
    Traceback (most recent call last):
        ...
    passhat.errors.EstimationError: 'sgl' not among the labels: docs, sql
    """
    strangers = sorted(set(labels) - set(known))
    if strangers:
        raise EstimationError(
            f"{', '.join(map(repr, strangers))} not among the labels: {', '.join(known)}"
        )
