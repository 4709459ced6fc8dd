"""Deciding: what a policy says of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from passhat.compare import Estimate, Pairing, Sharing, Tallies
from passhat.compare.comparing import shared_cases
from passhat.compare.pins import (
    PinChange,
    pin_changes,
    pin_notes,
    refuse_unnamed,
    stopping_notes,
)
from passhat.compare.sharing import sharing
from passhat.compare.tallies import CaseTally
from passhat.errors import InputError, Place, PolicyError, SuiteFault, UsageError
from passhat.gate.decision import Decision, Outcome, Settling, Verdict
from passhat.gate.hard import hard_outcome
from passhat.gate.policy import Policy, SoftRule
from passhat.gate.policyfile import PROFILES, policy_from, read_policy
from passhat.gate.profiles import DEFAULT_PROFILE, Asked, asked_of
from passhat.gate.soft import Question, question, soft_outcome
from passhat.reliability import Results
from passhat.reliability.planning import few_cases_warning
from passhat.reliability.wording import asked_percent, counted
from passhat.result import COUNTED


def decide(
    results: Results,
    policy: Policy | Mapping[str, Any] | str | Path | None = None,
    baseline: Results | None = None,
    *,
    vary: Iterable[str] = (),
    pairing: Pairing = "paired",
    names: tuple[str, str] = ("the results", "the baseline"),
) -> Decision:
    """What a policy says of results: accept, reject or inconclusive, with every rule's numbers.

    A hard rule is broken by one trial that fails its check. A soft rule holds where the whole
    interval lies on the right side of its limit, is broken where the whole interval lies on the
    wrong side, and is inconclusive between. The policy accepts where every rule holds; rejects
    where one is broken, with Holm's correction over all soft rules that can reject; and is
    inconclusive otherwise. So either error, over the whole policy, is at most 1 - confidence.

    Args:
        results: What is to be judged.
        policy: A policy, its mapping, its file, or the name of a profile; the profile `production`
            if not said.
        baseline: What it is held against, where the policy has margins.
        vary: Pins in which the two may differ, besides those that the policy names.
        pairing: `unpaired` where the baseline is of other cases.
        names: What to call the two.

    Raises:
        PolicyError: The policy has faults, or asks for what the results do not have.
        InputError: There is no trial, or no case to compare with the baseline on.
        UsageError: The baseline is pinned differently in what is not said to vary.

    >>> from passhat.result import Trial
    >>> results = Results(tuple(Trial(f"c{case}", 0, f"t{case}", "passed") for case in range(40)))
    >>> decision = decide(results, {"soft": [{"metric": "success_rate", "min": 0.9}]})
    >>> print(decision)
    Accept: its one rule holds, by 40 trials of 40 cases.
      ✓ success_rate at least 0.9: 100 % (92.8 % to 100 %, either end at 95 %) over 40 cases
    40 cases: a kind that is 1 case in 10 is missed 1.5 % of the time
    """
    written = policy_of(policy)
    new = Tallies.of(results, names[0])
    base = None if baseline is None else Tallies.of(baseline, names[1])
    notes: list[str] = []
    changes: tuple[PinChange, ...] = ()
    found = Sharing()
    if base is not None and baseline is not None:
        if not base.n:
            raise InputError(f"{base.name}: no trial was judged, so there is nothing to hold to")
        changes = pin_changes(baseline.trials, results.trials)
        pins = {name for run in (baseline, results) for trial in run.trials for name in trial.pins}
        refuse_unnamed(changes, (*written.vary, *vary), pins)
        found = sharing(base, new, baseline.trials, results.trials)
        notes += pin_notes(changes, names[1], names[0])
        if pairing == "paired":
            notes += found.notes(names[1], names[0])
    if base is not None and new.n:
        shared_cases(found, pairing)
    runs = [(names[0], results.trials)]
    if baseline is not None:
        runs.append((names[1], baseline.trials))
    notes += stopping_notes(runs)
    decision = decide_tallies(new, written, base, found, pairing=pairing)
    return replace(decision, pins=changes, notes=(*notes, *decision.notes))


def policy_of(given: Policy | Mapping[str, Any] | str | Path | None) -> Policy:
    """The policy that is given as itself, as a mapping, as a file, or by a profile's name.

    Raises:
        PolicyError: It has faults.

    >>> policy_of("research").profile, policy_of(None).profile
    ('research', 'production')
    """
    if given is None:
        return Policy(profile=DEFAULT_PROFILE)
    if isinstance(given, Policy):
        return given
    if isinstance(given, Mapping):
        return policy_from(given)
    if isinstance(given, str) and given in PROFILES:
        return Policy(profile=given)
    return read_policy(given)


def decide_tallies(
    new: Tallies,
    policy: Policy,
    base: Tallies | None = None,
    found: Sharing | None = None,
    *,
    pairing: Pairing = "paired",
) -> Decision:
    """As `decide`, of trials that were gathered by case.

    Args:
        new: The results.
        policy: The policy.
        base: The baseline's.
        found: Which cases the two share; told from their ids if not given.
        pairing: `unpaired` where the baseline is of other cases.

    Raises:
        PolicyError: The policy asks for what the results do not have.
    """
    asked = asked_of(policy, new.check_keys, baseline=base is not None)
    if not asked.policy.hard and not asked.policy.soft:
        raise PolicyError([SuiteFault("has no rule that these results can answer", Place())])
    if base is not None and found is None:
        found = sharing(base, new)
    gate = _Gate(asked, new, base, found or Sharing(), pairing)
    outcomes = gate.outcomes()
    verdict = _verdict(outcomes) if new.n else _of_nothing(outcomes)
    return Decision(
        verdict=verdict,
        policy=asked.policy.name,
        estimate=asked.estimate,
        confidence=asked.confidence,
        family=_family(asked, gate.family),
        on_inconclusive=asked.on_inconclusive,
        rules=outcomes,
        cases=len(new.counted),
        trials=new.n,
        ledger=dict(new.ledger),
        baseline=None if base is None else base.name,
        shared=None if base is None else len(gate.cases or ()),
        notes=(*asked.notes, *gate.notes()),
    )


def _verdict(outcomes: Sequence[Outcome]) -> Verdict:
    deciding = {outcome.verdict for outcome in outcomes if outcome.severity == "fail"}
    if "reject" in deciding:
        return "reject"
    return "inconclusive" if "inconclusive" in deciding else "accept"


def _of_nothing(outcomes: Sequence[Outcome]) -> Verdict:
    """The verdict where no trial was judged: never accept."""
    return "reject" if _verdict(outcomes) == "reject" else "inconclusive"


def _family(asked: Asked, family: int) -> str:
    error = asked_percent(1 - asked.confidence)
    hard, soft = asked.policy.hard, asked.policy.soft
    if {rule.severity for rule in hard} | {rule.severity for rule in soft} == {"warn"}:
        return f"no rule can reject, so accept says nothing; each warns wrongly at most {error} of the time"
    accept = f"accepted wrongly at most {error} of the time, as every rule must hold by itself"
    if family > 1:
        return f"{accept}; rejected wrongly at most {error} of the time over {family} rules (Holm)"
    return f"{accept}; rejected wrongly at most {error} of the time"


@dataclass
class _Gate:
    asked: Asked
    new: Tallies
    base: Tallies | None
    found: Sharing
    pairing: Pairing
    family: int = 0
    flipped: int = 0

    @property
    def cases(self) -> tuple[str, ...] | None:
        return None if self.base is None or self.pairing == "unpaired" else self.found.shared

    @property
    def estimate(self) -> Estimate:
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
                faults.append(
                    SuiteFault(
                        f"{rule.metric}: {error.message}", rule.place or Place(path="$.soft")
                    )
                )
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
            outcomes.append(outcome)
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
