"""The counts every estimator starts from: how many trials a case had, and how many passed."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

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


CountsLike: TypeAlias = Counts | tuple[int, int] | tuple[int, int, str | None]


def tally(counts: Iterable[CountsLike], k: int) -> dict[tuple[int, int], int]:
    """How many cases had each `(n, c)`, once every case is known to allow k draws.

    Args:
        counts: One `(n, c)` or `(n, c, case_id)` per case.
        k: Draws, from 1 to the smallest n.

    Raises:
        EstimationError: There is no case, or one whose counts make no sense or whose n is below k.

    >>> tally([(4, 4), (4, 2), (4, 4)], k=2)
    {(4, 4): 2, (4, 2): 1}
    >>> tally([(4, 4), (3, 3, "refund")], k=4)
    Traceback (most recent call last):
        ...
    passhat.errors.EstimationError: case 'refund': k=4 draws from n=3 trials: run at least 4 trials, or take a k of 3 or less
    """
    k = whole(k, "k", least=1)
    seen: dict[tuple[int, int], int] = {}
    for position, item in enumerate(counts):
        if not isinstance(item, tuple | list) or not 2 <= len(item) <= 3:
            raise EstimationError(f"case {position}: give (n, c) or (n, c, case_id), not {item!r}")
        n, c = item[:2]
        # A pair is checked once; its types each time, since True equals 1.
        if type(n) is int and type(c) is int and (n, c) in seen:
            seen[n, c] += 1
            continue
        try:
            n, c, _ = checked_draws(n, c, k)
        except EstimationError as error:
            case_id = item[2] if len(item) == 3 else None
            case = f"{position} (counted from 0)" if case_id is None else repr(case_id)
            raise EstimationError(f"case {case}: {error.message}") from None
        seen[n, c] = seen.get((n, c), 0) + 1
    if not seen:
        raise EstimationError("no cases: an estimate needs the counts (n, c) of at least one case")
    return seen


def checked(n: int, c: int) -> tuple[int, int]:
    """The trials and passes, as plain ints with 0 <= c <= n and n at least 1.

    Raises:
        EstimationError: They are not.

    >>> checked(3, 4)
    Traceback (most recent call last):
        ...
    passhat.errors.EstimationError: c=4 passes out of n=3 trials: c cannot be more than n
    """
    n = whole(n, "n", least=0)
    c = whole(c, "c", least=0)
    if n == 0:
        raise EstimationError("n=0: no trial was counted; run it, or leave it out")
    if c > n:
        raise EstimationError(f"c={c} passes out of n={n} trials: c cannot be more than n")
    return n, c


def checked_draws(n: int, c: int, k: int) -> tuple[int, int, int]:
    """The trials, passes and draws, as plain ints with 0 <= c <= n and 1 <= k <= n.

    Raises:
        EstimationError: They are not.

    >>> checked_draws(3, 2, 5)
    Traceback (most recent call last):
        ...
    passhat.errors.EstimationError: k=5 draws from n=3 trials: run at least 5 trials, or take a k of 3 or less
    """
    n, c = checked(n, c)
    k = whole(k, "k", least=1)
    if k > n:
        raise EstimationError(
            f"k={k} draws from n={n} trials: run at least {k} trials, or take a k of {n} or less"
        )
    return n, c, k


def whole(value: int, name: str, *, least: int) -> int:
    """The value as a plain int of at least `least`; a bool, a float or a text is refused.

    Raises:
        EstimationError: It is not a whole number, or too small.

    >>> whole(2.0, "k", least=1)
    Traceback (most recent call last):
        ...
    passhat.errors.EstimationError: k is 2.0: a count must be a whole number
    """
    try:
        number = index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise EstimationError(f"{name} is {value!r}: a count must be a whole number")
    if number < least:
        raise EstimationError(f"{name} is {number}: it must be {least} or more")
    return number


def share(value: float, name: str, *, open_ends: bool = True) -> float:
    """The value as a float between 0 and 1, the ends left out unless `open_ends` is False.

    Raises:
        EstimationError: It is not.

    >>> share(0.95, "confidence")
    0.95
    >>> share(95, "confidence")
    Traceback (most recent call last):
        ...
    passhat.errors.EstimationError: confidence is 95: give a share between 0 and 1 (95 % is 0.95)
    """
    try:
        inside = 0 < value < 1 if open_ends else 0 <= value <= 1
    except TypeError:
        inside = False
    if not inside:
        raise EstimationError(f"{name} is {value!r}: give a share between 0 and 1 (95 % is 0.95)")
    return float(value)
