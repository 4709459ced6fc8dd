"""How many trials or cases it takes to say something, and what too few cannot say."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from passhat.errors import EstimationError, UsageError
from passhat.reliability.counts import checked, share, whole
from passhat.reliability.estimators import mean_pass_hat_k
from passhat.reliability.intervals import (
    clopper_pearson,
    clopper_pearson_of_size,
    normal_quantile,
    wilson,
    wilson_of_rate,
    zero_failures_bound,
)
from passhat.reliability.mean_intervals import effective_size
from passhat.reliability.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passhat.reliability.counts import CountsLike

WidthMethod: TypeAlias = Literal["wilson", "clopper_pearson", "wald"]
BoundMethod: TypeAlias = Literal["exact", "rule_of_three", "clopper_pearson", "wilson"]

ENOUGH_CASES = 50
_MOST = 10**12


def half_width(
    n: float, rate: float, confidence: float = 0.95, method: WidthMethod = "wilson"
) -> float:
    """Half the width, 0 to 0.5, of the interval that n trials give if they pass at `rate`.

    Args:
        n: Independent trials, more than 0; an effective size need not be whole.
        rate: The share expected to pass, 0 to 1.
        confidence: Between 0 and 1.
        method: The interval.

    Raises:
        EstimationError: A number out of range.
        UsageError: There is no such method.

    >>> round(half_width(50, 0.8, method="wald"), 3)
    0.111
    """
    rate = share(rate, "rate", open_ends=False)
    if not n > 0:
        raise EstimationError(f"n is {n!r}: it must be more than 0")
    if method == "wilson":
        return wilson_of_rate(n, rate, confidence).width / 2
    if method == "clopper_pearson":
        return clopper_pearson_of_size(n, n * rate, confidence).width / 2
    if method == "wald":
        return normal_quantile(confidence) * sqrt(rate * (1 - rate) / n)
    raise UsageError(f"no interval method {method!r}: take one of {_known(WidthMethod)}")


def trials_needed(
    margin: float, rate: float = 0.5, confidence: float = 0.95, method: WidthMethod = "wilson"
) -> int:
    """The fewest independent trials whose interval is `rate` plus or minus `margin`, or narrower.

    Independent means one trial of each case; further trials of the same case add less.

    Args:
        margin: Half the width of the interval, between 0 and 1 (0.05 is 5 points either way).
        rate: The share expected to pass; 0.5 needs the most.
        confidence: Between 0 and 1.
        method: The interval.

    Raises:
        EstimationError: A number out of range.
        UsageError: There is no such method.

    >>> trials_needed(0.05, rate=0.8)
    245
    """
    margin = share(margin, "margin")
    return _least(lambda n: half_width(n, rate, confidence, method) <= margin)


def cases_needed(
    margin: float, pilot: Sequence[CountsLike], k: int, confidence: float = 0.95
) -> int:
    """The fewest cases, tried as in the pilot, whose pass^k interval is `margin` either way.

    Takes the pilot's pass^k and what one of its cases is worth (`effective_size / cases`), and asks
    how many such cases give an `auto` interval that narrow. As rough as the pilot is small.

    Args:
        margin: Half the width of the interval, between 0 and 1.
        pilot: Counts of a first run, one `(n, c)` or `(n, c, case_id)` per case.
        k: Draws, 1 to the smallest n.
        confidence: Between 0 and 1.

    Raises:
        EstimationError: A number out of range, or a pilot that does not allow k draws.

    >>> cases_needed(0.1, [(4, 4), (4, 3), (4, 2), (4, 4), (4, 0)] * 4, k=2)
    84
    """
    margin = share(margin, "margin")
    rate = mean_pass_hat_k(pilot, k)
    worth = effective_size(pilot, k, confidence) / len(pilot)
    return _least(lambda m: half_width(worth * m, rate, confidence, "clopper_pearson") <= margin)


def zero_failures_needed(
    below: float, confidence: float = 0.95, method: BoundMethod = "exact"
) -> int:
    """The fewest cases that, all passing, show a rate of failure below `below`.

    Methods:
        `exact`: the one-sided bound of `zero_failures_bound`.
        `rule_of_three`: 3/below, for 95 % alone.
        `clopper_pearson`, `wilson`: the upper end of the two-sided interval; asks for more.

    Args:
        below: The rate to stay below, between 0 and 1.
        confidence: Between 0 and 1.
        method: One of the above.

    Raises:
        EstimationError: A number out of range, or another confidence than 0.95 for the rule of three.
        UsageError: There is no such method.

    >>> zero_failures_needed(0.01)
    299
    >>> zero_failures_needed(0.01, method="clopper_pearson")
    368
    """
    below = share(below, "below")
    share(confidence, "confidence")
    if method == "exact":
        return _least(lambda n: zero_failures_bound(n, confidence) <= below)
    if method == "clopper_pearson":
        return _least(lambda n: clopper_pearson(n, 0, confidence).high <= below)
    if method == "wilson":
        return _least(lambda n: wilson(n, 0, confidence).high <= below)
    if method != "rule_of_three":
        raise UsageError(f"no bound {method!r}: take one of {_known(BoundMethod)}")
    if confidence != 0.95:
        raise EstimationError(f"the rule of three is for 0.95, not {confidence}: take 'exact'")
    # Less a hair, as 3/0.003 is a bit above 1000 in binary.
    return ceil(3 / below * (1 - 1e-12))


def binomial_tail(n: int, c: int, p: float) -> float:
    """The chance, 0 to 1, that at most c of n independent trials pass, each with chance p.

    Args:
        n: Trials, 1 or more.
        c: 0 to n.
        p: 0 to 1.

    Raises:
        EstimationError: A number out of range.

    >>> round(binomial_tail(20, 15, 0.8), 4)
    0.3704
    """
    from scipy.special import bdtr

    n, c = checked(n, c)
    return float(bdtr(c, n, share(p, "p", open_ends=False)))


def few_cases_warning(cases: int) -> str | None:
    """What so few cases cannot show, in a line for a report; None from 50 cases on.

    No interval covers a kind of case that was never tried, and a kind that is one case in ten of
    the work is missing from a suite with chance `0.9^cases`.

    Args:
        cases: Cases of the suite, 1 or more.

    Raises:
        EstimationError: It is not a whole number of 1 or more.

    >>> few_cases_warning(10)
    '10 cases: a kind of task as common as 1 in 10 is not among them 35 % of the time'
    >>> few_cases_warning(50) is None
    True
    """
    cases = whole(cases, "cases", least=1)
    if cases >= ENOUGH_CASES:
        return None
    return (
        f"{counted(cases, 'case')}: a kind of task as common as 1 in 10 is not among them "
        f"{100 * 0.9**cases:.2g} % of the time"
    )


def _least(holds: Callable[[int], bool]) -> int:
    """The smallest n from 1 on for which it holds; it goes on holding from there."""
    high = 1
    while not holds(high):
        high *= 2
        if high > _MOST:
            raise EstimationError(f"that takes more than {_MOST} trials: ask for less")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _known(methods: object) -> str:
    return ", ".join(get_args(methods))
