"""How far two raters agree beyond chance, such as a judge and a person."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from passhat.errors import EstimationError
from passhat.reliability.counts import whole
from passhat.reliability.intervals import Interval, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence


class Kappa(NamedTuple):
    """Cohen's kappa with what it is made of.

    Attributes:
        kappa: -1 to 1; 1 is full agreement, 0 what chance alone would bring.
        observed: The share of items on which the raters agree, 0 to 1.
        chance: The share on which they would agree by chance, with their own rates of each label.
        error: The standard error of kappa.
        interval: The confidence interval, within -1..1.
        items: How many items both rated.
    """

    kappa: float
    observed: float
    chance: float
    error: float
    interval: Interval
    items: int


def cohen_kappa(table: Sequence[Sequence[int]], confidence: float = 0.95) -> Kappa:
    """Cohen's kappa of two raters, with a normal interval from the large-sample standard error.

    `(observed - chance) / (1 - chance)`: Cohen 1960, "A coefficient of agreement for nominal
    scales". The error: Fleiss, Cohen and Everitt 1969, "Large sample standard errors of kappa and
    weighted kappa". At full agreement that error is 0 and the interval says nothing about how many
    items were rated; `items` does.

    Args:
        table: `table[i][j]` items got label i from one rater and label j from the other; square.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: The table is not square, holds anything but counts, or is empty; or both
            raters gave one and the same label throughout, where kappa is not defined.

    >>> found = cohen_kappa([[40, 10], [5, 45]])
    >>> round(found.kappa, 2), round(found.interval.low, 2), round(found.interval.high, 2)
    (0.7, 0.56, 0.84)
    """
    counts = _square(table)
    labels = range(len(counts))
    items = sum(map(sum, counts))
    if items == 0:
        raise EstimationError("no items: kappa needs at least one that both raters labelled")

    rows = [sum(row) / items for row in counts]
    columns = [sum(row[j] for row in counts) / items for j in labels]
    agreeing = sum(counts[i][i] for i in labels)
    observed = agreeing / items
    chance = sum(rows[i] * columns[i] for i in labels)
    if any(counts[i][i] == items for i in labels):
        raise EstimationError(
            "both raters gave every item the same label: agreement by chance is certain, "
            "so kappa is not defined; add items that should get another label"
        )

    kappa = (observed - chance) / (1 - chance)
    error = _standard_error(counts, rows, columns, observed, chance)
    half = normal_quantile(confidence) * error
    ends = Interval(max(-1.0, kappa - half), min(1.0, kappa + half))
    return Kappa(kappa, observed, chance, error, ends, items)


def _square(table: Sequence[Sequence[int]]) -> list[list[int]]:
    counts = [
        [whole(cell, f"table[{i}][{j}]", least=0) for j, cell in enumerate(row)]
        for i, row in enumerate(table)
    ]
    for i, row in enumerate(counts):
        if len(row) != len(counts):
            raise EstimationError(
                f"row {i} of the table has {len(row)} columns for {len(counts)} rows: "
                "both raters need the same labels"
            )
    return counts


def _standard_error(
    counts: Sequence[Sequence[int]],
    rows: Sequence[float],
    columns: Sequence[float],
    observed: float,
    chance: float,
) -> float:
    """The large-sample standard error of kappa."""
    labels = range(len(counts))
    items = sum(map(sum, counts))
    variance = (
        sum(
            counts[i][i] / items * (1 - chance - (rows[i] + columns[i]) * (1 - observed)) ** 2
            for i in labels
        )
        + (1 - observed) ** 2
        * sum(
            counts[i][j] / items * (columns[i] + rows[j]) ** 2
            for i in labels
            for j in labels
            if i != j
        )
        - (observed * chance - 2 * chance + observed) ** 2
    )
    return sqrt(max(0.0, variance) / items) / (1 - chance) ** 2
