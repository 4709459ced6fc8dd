"""Soft rules: a metric against a limit, or against the baseline and a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from passhat.compare import (
    Difference,
    Estimate,
    Measured,
    Metric,
    Tallies,
    difference,
    interval,
    measured,
)
from passhat.compare.comparison import interval_points, points
from passhat.compare.pairs import trial_value
from passhat.errors import UsageError
from passhat.gate.decision import Outcome, Settling, Verdict
from passhat.gate.hard import run_name
from passhat.gate.policy import SoftRule
from passhat.gate.settling import settling
from passhat.reliability import Interval
from passhat.reliability.wording import counted, percent, share_text
from passhat.result import Trial

Side = Literal["holds", "broken", "open"]

_MOST_CASES = 3


@dataclass(frozen=True, slots=True)
class Question:
    """A soft rule with what answers it.

    Attributes:
        rule: The rule.
        metric: Its metric.
        found: The metric as measured, or its difference from the baseline.
        limit: What the estimate is held against.
        higher: Whether it must be above the limit, or below.
        estimate: What is estimated.
        confidence: How sure acceptance must be.
    """

    rule: SoftRule
    metric: Metric
    found: Measured | Difference
    limit: float
    higher: bool
    estimate: Estimate
    confidence: float
    _known: dict[float, Interval | None] = field(default_factory=dict, repr=False)

    def ends(self, error: float) -> Interval | None:
        """The interval whose ends are each wrong with that chance at most."""
        confidence = 1 - 2 * round(error, 12)
        if confidence not in self._known:
            self._known[confidence] = (
                self.found.interval(confidence, self.estimate)
                if isinstance(self.found, Difference)
                else interval(self.found, confidence, self.estimate)
            )
        return self._known[confidence]

    def side(self, ends: Interval | None) -> Side:
        """On which side of the limit the interval lies."""
        if ends is None:
            return "open"
        low, high = (ends.low, ends.high) if self.higher else (-ends.high, -ends.low)
        limit = self.limit if self.higher else -self.limit
        if low >= limit - 1e-12:
            return "holds"
        return "broken" if high < limit - 1e-12 else "open"

    def holds(self) -> bool:
        """Whether it is shown to hold, at its own confidence."""
        return self.side(self.ends(1 - self.confidence)) == "holds"

    def broken(self, error: float) -> bool:
        """Whether it is shown not to hold, wrong with that chance at most."""
        return self.side(self.ends(error)) == "broken"


def question(
    rule: SoftRule,
    new: Tallies,
    base: Tallies | None,
    cases: Sequence[str] | None,
    estimate: Estimate,
    confidence: float,
) -> Question:
    """The question that a rule asks of the results.

    Args:
        rule: The rule.
        new: The results.
        base: The baseline's, where there is one.
        cases: The cases to compare on; None compares unpaired.
        estimate: What is estimated.
        confidence: How sure acceptance must be, where the rule does not say.

    Raises:
        UsageError: The results or the baseline do not have what it asks, or there is no baseline.
    """
    metric = Metric.of(rule.metric)
    level = rule.confidence or confidence
    if not rule.relative:
        within = None if rule.tag is None else _tagged(rule.tag, new, new.counted)
        found = measured(metric, new, within)
        if rule.min is not None:
            return Question(rule, metric, found, rule.min, True, estimate, level)
        return Question(rule, metric, found, rule.max or 0.0, False, estimate, level)
    if base is None:
        raise UsageError(
            "has a margin, and there is no baseline to hold it to: give one, or a min or max"
        )
    higher = (rule.better or metric.better) == "higher"
    if rule.tag is not None:
        if cases is None:
            raise UsageError("a tag with a margin needs a baseline of the same cases")
        cases = _tagged(rule.tag, new, cases)
    share = 1.0
    if rule.relative_margin is not None:
        share = 1 - rule.relative_margin if higher else 1 + rule.relative_margin
    apart = difference(metric, new, base, cases, share=share)
    margin = rule.margin or 0.0
    return Question(rule, metric, apart, -margin if higher else margin, higher, estimate, level)


def _tagged(tag: str, new: Tallies, cases: Sequence[str]) -> tuple[str, ...]:
    found = tuple(name for name in cases if tag in new.cases[name].tags)
    if not found:
        known = dict.fromkeys(known for tally in new.cases.values() for known in tally.tags)
        raise UsageError(f"no case has the tag {tag!r}: there are {', '.join(known) or 'none'}")
    return found


def soft_outcome(
    asked: Question, verdict: Verdict, new: Tallies, base: Tallies | None, *, error: float
) -> Outcome:
    """What became of a soft rule.

    Args:
        asked: Its question.
        verdict: The answer.
        new: The results.
        base: The baseline's.
        error: The chance of error at which it was rejected, or would have been.
    """
    rule, found = asked.rule, asked.found
    level = 1 - error if verdict == "reject" else asked.confidence
    ends = asked.ends(1 - level)
    apart = found if isinstance(found, Difference) else None
    one = apart.new if apart is not None else found
    assert isinstance(one, Measured)
    estimate = apart.value if apart is not None else one.value
    settle = _settled(asked, ends, estimate, error) if verdict == "inconclusive" else None
    return Outcome(
        rule=rule.name,
        kind="soft",
        subject=rule.metric,
        severity=rule.severity,
        verdict=verdict,
        reason=_reason(asked, one, apart, ends, level),
        value=one.value,
        baseline=apart.base.value if apart is not None else None,
        difference=apart.value if apart is not None else None,
        interval=None if ends is None else (ends.low, ends.high),
        confidence=level,
        limit=asked.limit,
        cases=len(one.cases),
        trials=one.trials,
        runs=() if verdict == "accept" else _worst_runs(asked, one, apart, new, base),
        settling=settle,
    )


def _settled(asked: Question, ends: Interval | None, estimate: float, error: float) -> Settling:
    if ends is None:
        return Settling("more cases: there are too few for an interval")
    if (estimate >= asked.limit) == asked.higher:
        error = 1 - asked.confidence
    return settling(asked.found, asked.limit, 1 - 2 * round(error, 12), asked.estimate)


def _reason(
    asked: Question, one: Measured, apart: Difference | None, ends: Interval | None, level: float
) -> str:
    rates = asked.metric.bounded
    value = _number(one.value, rates)
    over = counted(len(one.cases), "case")
    sure = percent(level)
    if apart is None:
        told = (
            "no interval"
            if ends is None
            else f"{_number(ends.low, rates)} to {_number(ends.high, rates)}"
        )
        return f"{value} ({told}, either end at {sure}) over {over}"
    base = _number(apart.base.value, rates)
    plain = apart.share == 1
    if ends is None:
        moved = f"{apart.value:+.3g}, no interval"
    elif rates and plain:
        moved = f"{points(apart.value)} ({interval_points((ends.low, ends.high))}, either end at {sure})"
    else:
        moved = f"{apart.value:+.3g} ({ends.low:+.3g} to {ends.high:+.3g}, either end at {sure})"
    what = "" if plain else f" against {100 * apart.share:g} % of it"
    where = (
        f"over {over}"
        if apart.pairing == "paired"
        else f"on other cases than its own {len(one.cases)}"
    )
    return f"{base} -> {value}{what}, {moved} {where}"


def _number(value: float, rates: bool) -> str:
    return share_text(min(1.0, max(0.0, value))) if rates else f"{value:.3g}"


def _worst_runs(
    asked: Question, one: Measured, apart: Difference | None, new: Tallies, base: Tallies | None
) -> tuple[str, ...]:
    """The runs that weigh most against the rule: of the cases furthest to the wrong side."""
    sign = 1.0 if asked.higher else -1.0
    if one.points and (apart is None or apart.pairing == "paired"):
        values = apart.points if apart is not None else one.points
        middle = 0.0 if apart is not None else asked.limit
        ranked = sorted(zip(one.cases, values, strict=True), key=lambda item: sign * item[1])
        names = [name for name, value in ranked if sign * (value - middle) < 0]
    else:
        names = list(one.cases)
    found = []
    for name in names[:_MOST_CASES]:
        trial = _worst_trial(asked.metric, new.cases[name].trials, sign)
        tally = new.cases[name]
        counts = f"{tally.c}/{tally.n}"
        if base is not None and apart is not None and name in base.cases:
            counts = f"{base.cases[name].c}/{base.cases[name].n} -> {counts}"
        told = run_name(trial) if trial is not None else name
        found.append(f"{told} [{counts} passed]" if one.counts else told)
    return tuple(found)


def _worst_trial(metric: Metric, trials: Sequence[Trial], sign: float) -> Trial | None:
    if metric.kind in ("pass_hat_k", "pass_at_k"):
        return next((trial for trial in trials if trial.status in ("failed", "agent_error")), None)
    known = [
        (value, trial) for trial in trials if (value := trial_value(metric, trial)) is not None
    ]
    return min(known, key=lambda item: sign * item[0])[1] if known else None
