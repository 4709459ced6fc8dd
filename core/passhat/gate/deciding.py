"""Deciding: what a policy says of results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from passhat.compare import Pairing, Sharing, Tallies
from passhat.compare.comparing import shared_cases
from passhat.compare.estimating import refuse_other_words
from passhat.compare.pins import (
    PinChange,
    pin_changes,
    pin_notes,
    refuse_unnamed,
    stopping_notes,
)
from passhat.compare.sharing import sharing
from passhat.errors import InputError, Place, PolicyError, SuiteFault
from passhat.gate.decision import Decision, Outcome, Verdict
from passhat.gate.policy import Policy
from passhat.gate.policyfile import PROFILES, policy_from, read_policy
from passhat.gate.profiles import DEFAULT_PROFILE, Asked, asked_of
from passhat.gate.weighing import Weighing
from passhat.reliability import Results
from passhat.reliability.wording import asked_percent


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
    40 cases: a kind of task as common as 1 in 10 is not among them 1.5 % of the time
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
        UsageError: There is no such pairing or estimate.
    """
    asked = asked_of(policy, new.check_keys, baseline=base is not None, idle=new.idle)
    refuse_other_words(asked.estimate, pairing)
    if not asked.policy.hard and not asked.policy.soft:
        raise PolicyError([SuiteFault("has no rule that these results can answer", Place())])
    if base is not None and found is None:
        found = sharing(base, new)
    weighing = Weighing(asked, new, base, found or Sharing(), pairing)
    outcomes = weighing.outcomes()
    verdict = _verdict(outcomes) if new.n else _of_nothing(outcomes)
    return Decision(
        verdict=verdict,
        policy=asked.policy.name,
        estimate=asked.estimate,
        confidence=asked.confidence,
        family=_family(asked, weighing.family),
        on_inconclusive=asked.on_inconclusive,
        rules=outcomes,
        cases=len(new.counted),
        trials=new.n,
        ledger=dict(new.ledger),
        baseline=None if base is None else base.name,
        shared=None if base is None else len(weighing.cases or ()),
        notes=(*asked.notes, *weighing.notes()),
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
