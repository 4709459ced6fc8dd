"""Corrections for looking at many things at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from passhat.errors import EstimationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

Correction: TypeAlias = Literal["holm", "bh"]


def adjusted(ps: Sequence[float], correction: Correction = "holm") -> tuple[float, ...]:
    """The p-values, corrected for their number, in the order they came; each 0 to 1.

    Methods:
        `holm`: the chance of even one false finding among all is held. Holm 1979, "A simple
            sequentially rejective multiple test procedure".
        `bh`: the expected share of false findings among the findings is held. Benjamini and
            Hochberg 1995, "Controlling the false discovery rate".

    Args:
        ps: p-values, each 0 to 1.
        correction: One of the above.

    Raises:
        EstimationError: A p is not within 0..1.
        UsageError: There is no such correction.

    >>> adjusted([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    >>> adjusted([0.01, 0.04, 0.03], "bh")
    (0.03, 0.04, 0.04)
    """
    if correction not in get_args(Correction):
        raise UsageError(f"no correction {correction!r}: take one of holm, bh")
    for p in ps:
        if not 0 <= p <= 1:
            raise EstimationError(f"p is {p!r}: a p-value lies within 0..1")
    order = sorted(range(len(ps)), key=ps.__getitem__)
    found = [0.0] * len(ps)
    if correction == "holm":
        highest = 0.0
        for rank, at in enumerate(order):
            highest = max(highest, (len(ps) - rank) * ps[at])
            found[at] = min(1.0, highest)
        return tuple(found)
    lowest = 1.0
    for rank in range(len(ps), 0, -1):
        at = order[rank - 1]
        lowest = min(lowest, len(ps) / rank * ps[at])
        found[at] = lowest
    return tuple(found)
