"""Weighing: what becomes of each rule of a policy, given the results and their baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from passhat.compare import Estimate, Pairing, Sharing, Tallies
from passhat.compare.pairs import check_of
from passhat.compare.tallies import CaseTally
from passhat.errors import Place, PolicyError, SuiteFault, UsageError
from passhat.gate.decision import Outcome, Settling, Verdict
from passhat.gate.hard import hard_outcome
from passhat.gate.policy import SoftRule
from passhat.gate.profiles import Asked
from passhat.gate.soft import Question, question, soft_outcome
from passhat.reliability.planning import few_cases_warning
from passhat.reliability.wording import counted
from passhat.result import COUNTED


@dataclass
class Weighing:
    """The rules of a policy on their way to their outcomes.

    Attributes:
        asked: The policy, as far as these results can answer it.
        new: The results.
        base: The baseline's.
        found: Which cases the two share.
        pairing: `unpaired` where the baseline is of other cases.
        family: How many soft rules can reject, once there are outcomes.
    """

    asked: Asked
    new: Tallies
    base: Tallies | None
    found: Sharing
    pairing: Pairing
    family: int = 0

    @property
    def cases(self) -> tuple[str, ...] | None:
        """The cases that the two are compared on; None without a baseline, or with one of others."""
        return None if self.base is None or self.pairing == "unpaired" else self.found.shared

    @property
    def estimate(self) -> Estimate:
        """What is estimated."""
        return self.asked.estimate

    def outcomes(self) -> tuple[Outcome, ...]:
        """What became of each rule.

        Raises:
            PolicyError: Some ask for what the results do not have; all of these are told.
        """
        faults: list[SuiteFault] = []
        hard: list[Outcome] = []
        questions: list[Question | SoftRule] = []
        policy, confidence = self.asked.policy, self.asked.confidence
        for hard_rule in policy.hard:
            try:
                hard.append(hard_outcome(hard_rule, self.new, confidence))
            except UsageError as error:
                place = hard_rule.place or Place(path="$.hard")
                faults.append(SuiteFault(error.message, place))
        for rule in policy.soft:
            if not self.new.n:
                questions.append(rule)
                continue
            try:
                questions.append(
                    question(rule, self.new, self.base, self.cases, self.estimate, confidence)
                )
            except UsageError as error:
                place = rule.place or Place(path="$.soft")
                faults.append(SuiteFault(f"{rule.metric}: {error.message}", place))
        if faults:
            raise PolicyError(faults)
        return (*hard, *self._soft(questions))

    def _soft(self, questions: Sequence[Question | SoftRule]) -> list[Outcome]:
        deciding = [
            one for one in questions if isinstance(one, Question) and one.rule.severity == "fail"
        ]
        self.family = len(deciding)
        errors = _holm(deciding, 1 - self.asked.confidence)
        outcomes = []
        for one in questions:
            if not isinstance(one, Question):
                outcomes.append(_not_judged(one))
                continue
            alone = 1 - max(one.confidence, self.asked.confidence)
            error = errors.get(id(one), alone)
            if id(one) in errors or (one.rule.severity == "warn" and one.broken(alone)):
                verdict: Verdict = "reject"
            else:
                verdict = "accept" if one.holds() else "inconclusive"
            outcome = soft_outcome(one, verdict, self.new, self.base, error=error)
            if verdict == "accept" and not self._holds_had_all_failed(one):
                outcome = self._open(outcome)
            outcomes.append(_with_silence(outcome, self._silence(one)))
        return outcomes

    def _open(self, outcome: Outcome) -> Outcome:
        left = self._left_out
        return replace(
            outcome,
            verdict="inconclusive",
            reason=f"{outcome.reason}; it would not hold had what was left out failed "
            f"({counted(left, 'trial')})",
            settling=Settling(f"running again what was left out: {counted(left, 'trial')}"),
        )

    def _silence(self, one: Question) -> Counter[str]:
        """How often the check that a rule counts did not judge, by its status."""
        key = check_of(one.metric)
        names = self.new.counted if one.rule.tag is None else self.new.tagged(one.rule.tag)
        said = self.new.by_check.get(key, {}) if key is not None else {}
        return Counter(
            result.status
            for name in names
            for result in said.get(name, ())
            if result.status in ("error", "not_evaluated")
        )

    @property
    def _missing(self) -> tuple[str, ...]:
        """Cases of one and the same suite that the results do not have: they were not run."""
        return self.found.only_base if self.found.same_suite else ()

    @property
    def _left_out(self) -> int:
        return self.new.left_out + len(self._missing)

    def _holds_had_all_failed(self, one: Question) -> bool:
        """Whether a success rate or pass^k holds even if all that was left out had failed."""
        if not self._left_out or one.metric.kind not in ("pass_hat_k", "pass_at_k"):
            return True
        new, base, cases = _worst(self.new, self.base, self.cases, self._missing, one)
        try:
            worst = question(one.rule, new, base, cases, self.estimate, one.confidence)
        except UsageError:
            return False
        return worst.holds()

    def notes(self) -> list[str]:
        """What a reader should know before trusting the decision."""
        notes = []
        if self._left_out:
            told = [
                f"{count:,} {status}"
                for status, count in self.new.ledger.items()
                if count and status not in COUNTED
            ]
            if missing := len(self._missing):
                told.append(f"{counted(missing, 'case')} of the suite without a trial")
            if unread := self.new.left_out - sum(
                count for status, count in self.new.ledger.items() if status not in COUNTED
            ):
                told.append(f"{unread:,} that could not be read")
            notes.append(
                f"left out: {', '.join(told)}; a success rate or pass^k is accepted only where it "
                "holds even had they all failed"
            )
        over = len(self.cases) if self.cases else len(self.new.counted)
        if over and self.estimate == "kind-of-cases" and (warning := few_cases_warning(over)):
            notes.append(warning)
        return notes


def _with_silence(outcome: Outcome, silence: Counter[str]) -> Outcome:
    """The outcome with what its check did not judge, which is open where the check itself broke."""
    if silent := silence["not_evaluated"]:
        reason = f"{outcome.reason}; nothing to judge in {counted(silent, 'trial')}"
        outcome = replace(outcome, reason=reason)
    if broken := silence["error"]:
        reason = f"the check itself broke in {counted(broken, 'trial')}; {outcome.reason}"
        outcome = replace(outcome, reason=reason)
        if outcome.verdict == "accept":
            mend = Settling("nothing but mending the check: it broke where it should have judged")
            outcome = replace(outcome, verdict="inconclusive", settling=mend)
    return outcome


def _worst(
    new: Tallies,
    base: Tallies | None,
    cases: tuple[str, ...] | None,
    missing: Sequence[str],
    one: Question,
) -> tuple[Tallies, Tallies | None, tuple[str, ...] | None]:
    """The two runs, had all that was left out of the new one failed."""
    k = one.metric.k
    failed = new.had_all_failed(missing, least=k)
    if base is None or cases is None:
        return failed, base, cases
    known = {name: tally for name, tally in base.cases.items() if tally.n >= k}
    extra = [name for name in failed.cases if name.startswith("\0")]
    # An attempt without a case may have been one that the baseline passes.
    known |= {name: CaseTally(k, k, tags=failed.cases[name].tags) for name in extra}
    shared = set(cases)
    wanted = [
        name
        for name, tally in failed.cases.items()
        if name in known
        and (name in shared or name in missing or name in extra or not new.cases[name].n)
    ]
    full = Tallies({**base.cases, **known}, name=base.name)
    return failed, full, tuple(wanted)


def _holm(questions: Sequence[Question], error: float) -> dict[int, float]:
    """The questions that are broken, each with the chance of error left to it by Holm's steps."""
    left = list(questions)
    broken: dict[int, float] = {}
    while left:
        own = error / len(left)
        hit = next((one for one in left if one.broken(min(own, 1 - one.confidence))), None)
        if hit is None:
            break
        broken[id(hit)] = min(own, 1 - hit.confidence)
        left.remove(hit)
    return broken


def _not_judged(rule: SoftRule) -> Outcome:
    return Outcome(
        rule=rule.name,
        kind="soft",
        subject=rule.metric,
        severity=rule.severity,
        verdict="inconclusive",
        reason="no trial was judged",
        settling=Settling("trials that can be judged"),
    )
