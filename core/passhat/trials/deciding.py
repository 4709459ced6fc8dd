"""Stopping a run as soon as a gate's answer is settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from passhat.compare import Estimate, Metric, Tallies
from passhat.errors import UsageError
from passhat.gate import Policy, SoftRule
from passhat.gate.deciding import policy_of
from passhat.gate.profiles import HARD_CHECKS, asked_of
from passhat.reliability import Counts, Interval, LineTest, Results
from passhat.reliability.sequential import drawn_order
from passhat.reliability.wording import counted, percent
from passhat.result import COUNTED, Trial
from passhat.trials.stopping import Stop

Settled: TypeAlias = Literal["accept", "reject"]

UNTIL = "until"
"""The pin of trials whose run stopped when it was decided."""


@dataclass(frozen=True)
class Watched:
    """A soft rule, and the test that settles it."""

    rule: SoftRule
    test: LineTest


class UntilDecided:
    """A rule that stops a run when a policy's answer is settled, looked at after every trial.

    Of soft rules it settles those that hold `success_rate` or `pass_hat_k.K` to a `min`, or to a
    `margin` below the baseline, each by a `LineTest`; over all of them the error is at most 1 -
    confidence, however often it is looked at. It rejects as soon as one of them is settled below its
    line, or a trial fails a check that a hard rule names. It accepts as soon as all are settled above
    and, where there are hard rules, every case was tried. Other rules that can reject are never
    settled: with one of them all trials are run, and `passhat gate` decides.

    Attributes:
        order: The trials in the order in which they are to be run, drawn anew for each round.
        verdict: `accept` or `reject` once it is settled.
        reason: Why, in words.
        taken: Trials that it took to settle it.
        planned: Trials if nothing settles it.
    """

    def __init__(
        self,
        cases: Sequence[str],
        trials: int,
        policy: Policy | Mapping[str, Any] | str | Path | None = None,
        *,
        baseline: Results | None = None,
        seed: int = 0,
    ) -> None:
        """Begins without a trial.

        Args:
            cases: The ids of the cases.
            trials: Trials of each case if nothing settles it.
            policy: As of `passhat.decide`.
            baseline: What margins are held to.
            seed: For the order of the trials.

        Raises:
            PolicyError: The policy has faults.
            UsageError: It has no rule that could be settled.
            EstimationError: A rule's k is more than the trials, or its limit leaves nothing to settle.

        >>> rule = UntilDecided(["a", "b", "c"], 20, {"soft": [{"metric": "success_rate", "min": 0.8}]})
        >>> rule.planned, rule.verdict
        (60, None)
        """
        asked = asked_of(policy_of(policy), HARD_CHECKS, baseline=baseline is not None)
        self.order = drawn_order(cases, trials, seed)
        self.planned = len(self.order)
        self.taken = 0
        self.verdict: Settled | None = None
        self.reason = ""
        self._confidence = asked.confidence
        self._untried = set(cases)
        self._hard = [rule for rule in asked.policy.hard if rule.severity == "fail"]
        soft = [rule for rule in asked.policy.soft if rule.severity == "fail"]
        self._open = [rule.name for rule in soft if not _can_be_settled(rule)]
        self._open += [rule.name for rule in self._hard if rule.below is not None]
        able = [rule for rule in soft if _can_be_settled(rule)]
        before = None if baseline is None else Tallies.of(baseline, "the baseline")
        self.watched = [
            self._watch(rule, cases, trials, asked.estimate, before, len(able)) for rule in able
        ]
        if not self.watched and not self._hard:
            raise UsageError(
                "the policy has nothing to settle on the way: give it a rule that holds success_rate "
                "or pass_hat_k.K to a min, or to a margin below the baseline"
            )

    def _watch(
        self,
        rule: SoftRule,
        cases: Sequence[str],
        trials: int,
        estimate: Estimate,
        before: Tallies | None,
        rules: int,
    ) -> Watched:
        k = Metric.of(rule.metric).k
        level = rule.confidence or self._confidence
        options: dict[str, Any] = {
            "k": k,
            "confidence": 1 - (1 - level) / rules,
            "estimand": estimate,
            "order": self.order,
        }
        if rule.min is not None:
            return Watched(rule, LineTest(rule.min, cases, trials, **options))
        if before is None:
            raise UsageError(f"{rule.name}: has a margin, and there is no baseline to hold it to")
        known = {
            name: (tally.n, tally.c)
            for name, tally in before.cases.items()
            if name in self._untried and tally.n >= k
        }
        shared = [name for name in cases if name in known]
        if not shared:
            raise UsageError(f"{rule.name}: the baseline has none of these cases {k} times or more")
        test = LineTest(-(rule.margin or 0.0), shared, trials, baseline=known, **options)
        return Watched(rule, test)

    def __call__(self, trial: Trial, counts: Mapping[str, Counts]) -> Stop:
        """What is settled with this trial."""
        if self.verdict is None:
            self.taken += 1
            self._take(trial)
        if self.verdict is None:
            return Stop()
        return Stop(everything=True, reason=f"{self.verdict}: {self.reason}")

    def _take(self, trial: Trial) -> None:
        assert trial.case_id is not None
        if trial.status in COUNTED:
            self._untried.discard(trial.case_id)
        for hard in self._hard:
            result = trial.result(hard.check)
            if result is not None and result.status == "failed":
                self._settle("reject", f"{hard.check} failed in {trial.case_id} #{trial.trial}")
                return
        passed = trial.passed if trial.status in COUNTED else None
        for watched in self.watched:
            if trial.case_id in watched.test.cases:
                watched.test.add(trial.case_id, trial.trial, passed)
        below = next((one for one in self.watched if one.test.side == "below"), None)
        if below is not None:
            self._settle("reject", f"{below.rule.name} does not hold")
        elif self._holds():
            self._settle("accept", ", ".join(one.rule.name for one in self.watched))

    def _holds(self) -> bool:
        return (
            bool(self.watched)
            and not self._open
            and all(one.test.side == "above" for one in self.watched)
            and not (self._hard and self._untried)
        )

    def _settle(self, verdict: Settled, reason: str) -> None:
        self.verdict, self.reason = verdict, reason

    def so_far(self) -> str:
        """The decision as far as it goes, in a few words.

        >>> UntilDecided(["a"], 5, {"soft": [{"metric": "success_rate", "min": 0.8}]}).so_far()
        'undecided, success_rate 0 % to 100 %'
        """
        if self.verdict is not None:
            return f"decided: {self.verdict}"
        return ", ".join(["undecided", *(_between(one).replace(":", "") for one in self.watched)])

    def lines(self) -> list[str]:
        """What to tell of it: the verdict, and what was estimated without a bias from stopping."""
        told = []
        if self.verdict is None:
            told.append(
                f"not decided by {counted(self.taken, 'trial')}; passhat gate tells what would do"
            )
        else:
            told.append(
                f"decided after {self.taken:,} of {counted(self.planned, 'trial')}: {self.verdict}, "
                f"{self.reason}"
            )
        for watched in self.watched:
            told.append(_estimated(watched))
        if self._open:
            told.append(f"never settled on the way: {', '.join(self._open)}")
        if self.verdict is not None:
            told.append(
                "rates of trials that stopped when it was decided lean to the side decided; the "
                "intervals above hold at every look, and do not"
            )
        return told


def _can_be_settled(rule: SoftRule) -> bool:
    if Metric.of(rule.metric).kind != "pass_hat_k" or rule.tag is not None:
        return False
    if rule.min is not None:
        return 0 < rule.min < 1
    return rule.margin is not None and rule.better != "lower"


def _estimated(watched: Watched) -> str:
    return f"{_between(watched)} ({percent(watched.test.confidence)})"


def _between(watched: Watched) -> str:
    ends: Interval = watched.test.interval()
    what = watched.rule.metric
    if watched.rule.min is None:
        return f"{what} less the baseline's: {100 * ends.low:+.3g} to {100 * ends.high:+.3g} points"
    return f"{what}: {percent(ends.low)} to {percent(ends.high)}"
