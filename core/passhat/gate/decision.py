"""A decision: accept, reject or inconclusive, with the numbers of every rule."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, field

from passhat.compare import Estimate, PinChange
from passhat.gate.policy import Severity
from passhat.reliability.wording import counted

DECISION_SCHEMA = "passhat.decision/1"

Verdict: TypeAlias = Literal["accept", "reject", "inconclusive"]


class Settling(Struct, frozen=True):
    """What would settle a rule that is inconclusive, four times in five.

    Attributes:
        words: In a sentence.
        cases: How many cases, tried as often as now, where more of them would do.
        trials: How many trials of each case, where more of them would do.
    """

    words: str
    cases: int | None = None
    trials: int | None = None


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of one rule.

    Attributes:
        rule: The rule in words.
        kind: `hard` or `soft`.
        subject: The check or the metric.
        severity: `fail` or `warn`; a warning never decides.
        verdict: Of this rule.
        reason: Its numbers in a sentence.
        value: The metric, or the share of trials in which a hard rule's check failed.
        baseline: The metric in the baseline.
        difference: The value less the (share of the) baseline.
        interval: Of the value, or of the difference where there is a baseline.
        confidence: Of each end of the interval.
        limit: What the interval is held against.
        cases: The cases it rests on.
        trials: The trials it rests on.
        failures: Of a hard rule, the trials that failed the check.
        bound: Of a hard rule without a failure, the highest share of cases with one that is left
            open, at that confidence.
        runs: The runs that broke it, or weigh most against it.
        settling: What would settle it, where it is inconclusive.
    """

    rule: str
    kind: Literal["hard", "soft"]
    subject: str
    severity: Severity = "fail"
    verdict: Verdict
    reason: str
    value: float | None = None
    baseline: float | None = None
    difference: float | None = None
    interval: tuple[float, float] | None = None
    confidence: float | None = None
    limit: float | None = None
    cases: int = 0
    trials: int = 0
    failures: int | None = None
    bound: float | None = None
    runs: tuple[str, ...] = ()
    settling: Settling | None = None


class Decision(Struct, frozen=True, kw_only=True):
    """What a gate decides.

    Attributes:
        verdict: `accept`, `reject` or `inconclusive`.
        policy: The policy's name.
        estimate: What was estimated: `kind-of-cases` or `these-cases`.
        confidence: How sure acceptance is of each rule, and rejection of the whole policy.
        family: How the error is held over the whole policy, in a sentence.
        on_inconclusive: Whether an inconclusive decision fails.
        rules: What became of each rule, in the order of the policy.
        cases: Cases with a trial that counts.
        trials: Trials that count.
        ledger: All trials by status.
        baseline: What the baseline is called; None where there is none.
        shared: Cases compared with the baseline.
        pins: The pins that the baseline does not share.
        notes: What a reader should know.
    """

    verdict: Verdict
    policy: str
    estimate: Estimate
    confidence: float
    family: str
    on_inconclusive: Severity = "fail"
    rules: tuple[Outcome, ...] = ()
    cases: int = 0
    trials: int = 0
    ledger: dict[str, int] = field(default_factory=dict)
    baseline: str | None = None
    shared: int | None = None
    pins: tuple[PinChange, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the results were accepted."""
        return self.verdict == "accept"

    @property
    def exit_code(self) -> int:
        """0 accept; 1 reject; 3 inconclusive, or 0 where the policy says that this only warns.

        Where no trial was judged it is 3 all the same: a result of nothing never passes.
        """
        if self.verdict == "inconclusive":
            return 3 if self.on_inconclusive == "fail" or not self.trials else 0
        return 0 if self.accepted else 1

    @property
    def warnings(self) -> tuple[Outcome, ...]:
        """The rules that do not hold, or cannot be told, and only warn."""
        return tuple(
            rule for rule in self.rules if rule.severity == "warn" and rule.verdict != "accept"
        )

    @property
    def sentence(self) -> str:
        """The decision in a sentence; with what it warns of, unless it rejects."""
        deciding = [rule for rule in self.rules if rule.severity == "fail"]
        over = f"{counted(self.trials, 'trial')} of {counted(self.cases, 'case')}"
        if self.verdict == "accept":
            held = {0: "no rule can reject", 1: "its one rule holds", 2: "both rules hold"}
            told = held.get(len(deciding), f"all {len(deciding)} rules hold")
            warned = f" with {counted(len(self.warnings), 'warning')}" if self.warnings else ""
            return f"Accept{warned}: {told}, by {over}.{self._warned}"
        against = [rule for rule in deciding if rule.verdict == self.verdict]
        broken = _quoted(against)
        if self.verdict == "reject":
            return f"Reject: {broken} {_not_holding(len(against))}, by {over}."
        if not self.trials:
            return "Inconclusive: no trial was judged."
        return f"Inconclusive: {broken} cannot be told, by {over}.{self._warned}"

    @property
    def _warned(self) -> str:
        """What does not hold, and what cannot be told, of the rules that only warn."""
        told = []
        for verdict in ("reject", "inconclusive"):
            rules = [rule for rule in self.warnings if rule.verdict == verdict]
            if rules:
                words = _not_holding(len(rules)) if verdict == "reject" else "cannot be told"
                told.append(f" Warning: {_quoted(rules)} {words}.")
        return "".join(told)

    def to_dict(self) -> dict[str, Any]:
        """The decision as JSON values, `passhat.decision/1`."""
        values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return {"schema": DECISION_SCHEMA, "exit_code": self.exit_code, **values}

    def __str__(self) -> str:
        lines = [self.sentence]
        for rule in self.rules:
            told = " (warns)" if rule.severity == "warn" else ""
            lines.append(f"  {MARKS[rule.verdict]} {rule.rule}{told}: {rule.reason}")
            if rule.runs:
                lines.append(f"      runs: {', '.join(rule.runs)}")
            if rule.settling is not None:
                lines.append(f"      to settle it: {rule.settling.words}")
        return "\n".join((*lines, *self.notes))


MARKS: dict[Verdict, str] = {"accept": "✓", "reject": "✗", "inconclusive": "?"}


def _not_holding(rules: int) -> str:
    return "does not hold" if rules == 1 else "do not hold"


def _quoted(rules: Iterable[Outcome]) -> str:
    return "; ".join(f"'{rule.rule}'" for rule in rules)
