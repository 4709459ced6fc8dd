"""Stopping when it is decided: on which side of a line pass^k lies, looked at after every trial.

An interval made for one look, looked at again after every trial, is wrong far more often than it
says. What is used here may be looked at whenever one likes: e-values. An e-value of a hypothesis is
a number, 0 or more, whose mean is 1 or less while the hypothesis holds; by Ville's inequality one
that grows step by step ever reaches 40 with a chance of 1 in 40 or less.
"""

from __future__ import annotations

from math import exp
from random import Random
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from passhat.errors import EstimationError, UsageError
from passhat.reliability.counts import share, whole
from passhat.reliability.estimators import pass_hat_k
from passhat.reliability.evalues import Side, log_e_value
from passhat.reliability.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Estimand: TypeAlias = Literal["kind-of-cases", "these-cases"]

_STEPS = 40
_QUARTERS = 4
_MOST = 700.0
"""The logarithm of an e-value beyond which a float has no number."""
_FIRST_LOOKS = 0.5
"""The weight of the looks at the first whole round; those at later rounds share the rest."""


class LineTest:
    """Whether a suite's pass^k lies above a line or below, settled as early as the trials allow.

    Trials are run round by round: each round is one trial of every case, in an order drawn anew.
    Whatever `confidence` says holds for the whole test, however often it is looked at: with
    `confidence` 0.95 it settles on the wrong side in at most 2.5 % of all tests.

    The e-value of "the mean of values in 0..1 is at most L" is the product of
    `x·p/L + (1 - x)(1 - p)/(1 - L)` over the values x, averaged over p from L to 1: what a bettor
    has who stakes on p. It needs values that are independent, with one mean or with means whose
    average is at most L (a product is largest where its factors are equal), so it serves cases that
    differ. The values are:

    - of `kind-of-cases`, where the cases are a sample of the work: each case's
      `pass_hat_k(n, c, k)`, looked at with every case of the first round that gives one, and then
      with every whole round;
    - of `these-cases`, and no others: the trials themselves if k is 1, else each case's
      `pass_hat_k(n, c, k)`; looked at after each quarter of the first round that gives them (a part
      drawn without replacement bets no better than the whole; Maclaurin's inequality), and then
      with every whole round;
    - with a `baseline`, each case's `pass_hat_k(n, c, k)` less that of the baseline, brought to 0..1
      as `(difference + 1) / 2`.

    Looks that do not build on one another, such as those at different rounds of the same cases, have
    weights that add up to 1, and their e-values are added.

    Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by betting"; Ville
    1939, "Étude critique de la notion de collectif".

    Attributes:
        line: What pass^k, or its difference from the baseline, is held to.
        cases: The ids of the cases.
        side: `above` or `below` once it is settled, None until then; it does not change again.
        taken: Trials taken into account so far, those that did not count among them.
        planned: Trials if nothing settles it.
    """

    def __init__(
        self,
        line: float,
        cases: Iterable[str],
        trials: int,
        *,
        k: int = 1,
        confidence: float = 0.95,
        estimand: Estimand = "kind-of-cases",
        baseline: Mapping[str, tuple[int, int]] | None = None,
        order: Sequence[tuple[str, int]] | None = None,
        seed: int = 0,
    ) -> None:
        """Begins a test that has seen no trial.

        Args:
            line: What pass^k is held to, strictly between 0 and 1; with a baseline, what its
                difference from the baseline's is held to, strictly between -1 and 1.
            cases: The ids of the cases, each once.
            trials: Trials of each case if nothing settles it, k or more.
            k: Draws.
            confidence: Between 0 and 1.
            estimand: Whether the cases are a sample of the work that the line is about, or all of it.
            baseline: The `(n, c)` of every case in an earlier run, with n of k or more.
            order: The trials in the order in which they are looked at: round by round, each round in
                an order of its own drawn at random. Trials of other cases in it are passed over.
            seed: For drawing the order where none is given.

        Raises:
            EstimationError: No cases, a number out of range, or a baseline that lacks a case.
            UsageError: A case stands twice, or there is no such estimand.
        """
        self.line = line
        self._bar = share(line if baseline is None else (line + 1) / 2, "line")
        self.k = whole(k, "k", least=1)
        self.trials = whole(trials, "trials", least=self.k)
        self.confidence = share(confidence, "confidence")
        self.estimand = estimand
        if estimand not in get_args(Estimand):
            known = ", ".join(map(repr, get_args(Estimand)))
            raise UsageError(f"no estimand {estimand!r}: take one of {known}")
        ids = tuple(cases)
        if not ids:
            raise EstimationError("there are no cases: nothing can be settled")
        if len(set(ids)) < len(ids):
            raise UsageError("a case stands twice: give each id once")
        self._before = None if baseline is None else _shares(baseline, ids, self.k)
        self.cases = frozenset(ids)
        drawn = drawn_order(ids, self.trials, seed) if order is None else order
        self.order = tuple(at for at in drawn if at[0] in self.cases and at[1] < self.trials)
        if len(self.order) != len(ids) * self.trials:
            raise UsageError("the order lacks a trial, or has one twice")
        self.planned = len(self.order)
        self.taken = 0
        self.side: Side | None = None
        self._round = len(ids)
        self._counts: dict[str, tuple[int, int]] = dict.fromkeys(ids, (0, 0))
        self._waiting: dict[tuple[str, int], bool | None] = {}
        self._looks: dict[int, tuple[float, dict[float, int]]] = {}
        self._values: dict[float, int] = {}

    def add(self, case_id: str, trial: int, passed: bool | None) -> Side | None:
        """The side on which pass^k lies, if it is settled with this trial.

        Trials may come in any order, as those that run side by side do; they are looked at in the
        order of `order`, since the quick ones may be the failing ones. What comes after it was
        settled is not looked at.

        Args:
            case_id: The case.
            trial: Which trial of it, counted from 0.
            passed: None for a trial that does not count, as when the network broke.

        Raises:
            UsageError: The trial is not in the plan, or came before.

        >>> test = LineTest(0.8, [f"c{i}" for i in range(60)], trials=5)
        >>> [test.add(case, trial, passed=False) for case, trial in test.order[:4]]
        [None, None, None, 'below']
        """
        at = (case_id, trial)
        if at in self._waiting or not (case_id in self._counts and 0 <= trial < self.trials):
            raise UsageError(f"trial {trial} of {case_id!r} came before, or is not in the plan")
        self._waiting[at] = passed
        while self.side is None and self.taken < self.planned:
            following = self.order[self.taken]
            if following not in self._waiting:
                break
            self._take(following[0], self._waiting[following])
        return self.side

    def interval(self) -> Interval:
        """The confidence interval for what is held to the line, of all trials taken so far.

        It holds at every look at once, and so also where the trials stopped because of it; it is
        wider than one made for a single look. All there is, (0, 1), while there is nothing to go by.

        >>> test = LineTest(0.8, ["a", "b", "c", "d"], trials=2)
        >>> test.interval()
        Interval(low=0.0, high=1.0)
        """
        low = _furthest(lambda bar: self._evidence(bar, "above"), self._enough)
        high = 1 - _furthest(lambda bar: self._evidence(1 - bar, "below"), self._enough)
        return Interval(low, high) if self._before is None else Interval(2 * low - 1, 2 * high - 1)

    @property
    def saved(self) -> int:
        """How many of the planned trials were not needed: 0 until it is settled."""
        return self.planned - self.taken if self.side else 0

    def _take(self, case_id: str, passed: bool | None) -> None:
        n, c = self._counts[case_id]
        if passed is not None:
            self._counts[case_id] = (n + 1, c + passed)
        self.taken += 1
        number, into = divmod(self.taken - 1, self._round)
        if self._trial_by_trial:
            looked = self._by_trials(number, into + 1, passed)
        else:
            looked = self._by_cases(number, into + 1, case_id, passed)
        if looked:
            self._settle()

    def _by_trials(self, number: int, into: int, passed: bool | None) -> bool:
        if passed is not None:
            self._values[float(passed)] = self._values.get(float(passed), 0) + 1
        if into == self._round:
            # The rounds build on one another, so the last one stands for all of them.
            self._looks[_QUARTERS] = (1 - _FIRST_LOOKS, dict(self._values))
            return True
        return number == 0 and self._look_at_quarter(into)

    def _by_cases(self, number: int, into: int, case_id: str, passed: bool | None) -> bool:
        later = self.trials - self.k
        if number == self.k - 1:
            n, c = self._counts[case_id]
            if n >= self.k:
                self._count(self._values, case_id, n, c)
            if self.estimand == "these-cases":
                return self._look_at_quarter(into)
            self._looks[0] = (_FIRST_LOOKS if later else 1.0, self._values)
            return passed is not None
        if into < self._round or number < self.k:
            return False
        values: dict[float, int] = {}
        for case, (n, c) in self._counts.items():
            if n >= self.k:
                self._count(values, case, n, c)
        self._looks[_QUARTERS + number] = ((1 - _FIRST_LOOKS) / later, values)
        return True

    def _look_at_quarter(self, into: int) -> bool:
        quarter = into * _QUARTERS // self._round
        if quarter == (into - 1) * _QUARTERS // self._round:
            return False
        alone = self.trials == self.k and not self._trial_by_trial
        weight = (1.0 if alone else _FIRST_LOOKS) / _QUARTERS
        self._looks[quarter - 1] = (weight, dict(self._values))
        return True

    def _settle(self) -> None:
        if self._evidence(self._bar, "above") >= self._enough:
            self.side = "above"
        elif self._evidence(self._bar, "below") >= self._enough:
            self.side = "below"

    @property
    def _enough(self) -> float:
        return 2 / (1 - self.confidence)

    @property
    def _trial_by_trial(self) -> bool:
        return self.k == 1 and self.estimand == "these-cases" and self._before is None

    def _count(self, values: dict[float, int], case_id: str, n: int, c: int) -> None:
        value = pass_hat_k(n, c, self.k)
        if self._before is not None:
            value = (value - self._before[case_id] + 1) / 2
        values[value] = values.get(value, 0) + 1

    def _evidence(self, bar: float, side: Side) -> float:
        """The e-value of "the mean is at most the bar", or of "is at least"."""
        return sum(
            weight * exp(min(log_e_value(values, bar, side), _MOST))
            for weight, values in self._looks.values()
        )


def _shares(
    counts: Mapping[str, tuple[int, int]], ids: tuple[str, ...], k: int
) -> dict[str, float]:
    for case_id in ids:
        if case_id not in counts:
            raise EstimationError(f"the baseline has no case {case_id!r}: compare what both have")
    return {case_id: pass_hat_k(*counts[case_id], k) for case_id in ids}


def drawn_order(ids: Iterable[str], trials: int, seed: int = 0) -> tuple[tuple[str, int], ...]:
    """The trials of cases round by round, each round in an order drawn anew.

    >>> sorted(drawn_order(["a", "b"], 2)[:2])
    [('a', 0), ('b', 0)]
    """
    held = list(ids)
    random = Random(seed)
    order: list[tuple[str, int]] = []
    for trial in range(trials):
        shuffled = list(held)
        random.shuffle(shuffled)
        order += [(case_id, trial) for case_id in shuffled]
    return tuple(order)


def _furthest(evidence: Callable[[float], float], enough: float) -> float:
    """The largest bar that the evidence still clears, to twelve places; 0 if it clears none."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if evidence(middle) >= enough:
            low = middle
        else:
            high = middle
    return low
