"""E-values of a mean: how strongly values within 0..1 say on which side of a line their mean is."""

from __future__ import annotations

from functools import lru_cache
from math import log
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

Side: TypeAlias = Literal["above", "below"]

_NODES = 48


def log_e_value(values: Mapping[float, int], line: float, side: Side) -> float:
    """The natural logarithm of the e-value against the other side of a line; -inf to inf.

    `exp` of it is, on average, 1 or less while the mean of the values is not on that side.

    Args:
        values: How many there are of each value, which is within 0..1.
        line: Strictly between 0 and 1.
        side: `above`: the evidence that the mean is more than the line; `below`: that it is less.

    >>> round(log_e_value({1.0: 20}, 0.8, "above"), 2), round(log_e_value({0.0: 3}, 0.8, "below"), 2)
    (3.02, 3.66)
    """
    import numpy as np

    bar = line if side == "above" else 1 - line
    points, log_weights = _quadrature()
    stakes = bar + (1 - bar) * points  # Where p may stand between the bar and 1.
    total = log_weights.copy()
    with np.errstate(divide="ignore"):
        for value, many in values.items():
            x = value if side == "above" else 1 - value
            total += many * np.log(x * stakes / bar + (1 - x) * (1 - stakes) / (1 - bar))
    most = float(total.max())
    return most + log(float(np.exp(total - most).sum())) if most > float("-inf") else most


@lru_cache(maxsize=1)
def _quadrature() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Points within 0..1, and the logarithm of each one's share of the stake."""
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, np.log(weights / 2)
