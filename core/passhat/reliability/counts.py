"""The counts every estimator starts from: per case, how many trials and how many of them passed."""

from __future__ import annotations

from collections import Counter
from operator import index
from typing import TYPE_CHECKING, NamedTuple

from passhat.errors import EstimationError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Counts(NamedTuple):
    """The trials of one case.

    Attributes:
        n: Trials that count.
        c: Those that passed, 0 to n.
        case_id: The case, for messages.

    >>> Counts(4, 3, "refund")
    Counts(n=4, c=3, case_id='refund')
    """

    n: int
    c: int
    case_id: str | None = None


type CountsLike = Counts | tuple[int, int] | tuple[int, int, str | None]
