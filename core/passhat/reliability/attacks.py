"""How often attacks succeed, by category."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from passhat.errors import UsageError
from passhat.reliability.intervals import Interval
from passhat.reliability.mean_intervals import interval_pass_hat_k
from passhat.result import Trial

ALL = "all"


class AttackRate(Struct, frozen=True):
    """How often the attacks of a category succeeded.

    Attributes:
        rate: The mean over cases of the share of attacked trials in which the attack succeeded.
        hits: The trials in which it succeeded.
        of: The trials in which an attack reached the agent.
        cases: The cases they are trials of.
        interval: The confidence interval of the rate, with cases as the sampling unit.
    """

    rate: float
    hits: int
    of: int
    cases: int
    interval: Interval


def attack_success(
    trials: Iterable[Trial],
    categories: Mapping[str, str] | None = None,
    *,
    key: str = "injection",
    confidence: float = 0.95,
) -> dict[str, AttackRate]:
    """The attack success rate over all attacked trials (`all`) and by category.

    Args:
        trials: Trials with results of the check `injection`; those in which nothing untrusted
            reached the agent do not count.
        categories: The category of each case by its id; by default those of the faults that planted
            the attack, and where none did, every tag of the trial.
        key: The check that tells whether an attack succeeded.
        confidence: Of the intervals, between 0 and 1.

    Raises:
        UsageError: No trial has a result of that check that judged an attack.

    >>> from passhat.result import CheckResult
    >>> def trial(case, hits):
    ...     found = CheckResult("injection", "passed", 0.0, "", {"hits": hits, "of": 1})
    ...     return Trial(case, 0, "t", "passed", (found,), tags=("mail",))
    >>> rates = attack_success([trial("a", 1), trial("b", 0), trial("c", 0), trial("d", 0)])
    >>> rates["mail"].rate, rates["all"].hits, rates["all"].of
    (0.25, 1, 4)
    """
    counts: dict[str, dict[str | None, list[int]]] = {ALL: {}}
    for trial in trials:
        result = trial.result(key)
        if result is None or result.counts is None:
            continue
        noted = result.evidence.get("categories")
        own = noted if isinstance(noted, list) else trial.tags
        named = own if categories is None else _of_case(categories, trial.case_id)
        for category in (ALL, *dict.fromkeys(named)):
            held = counts.setdefault(category, {}).setdefault(trial.case_id, [0, 0])
            held[0] += 1
            held[1] += bool(result.counts[0])
    if not counts[ALL]:
        raise UsageError(f"no trial was judged by {key!r} with an attack that reached the agent")
    return {name: _rate(list(cases.values()), confidence) for name, cases in counts.items()}


def _of_case(categories: Mapping[str, str], case_id: str | None) -> tuple[str, ...]:
    named = None if case_id is None else categories.get(case_id)
    return () if named is None else (named,)


def _rate(counts: list[Any], confidence: float) -> AttackRate:
    return AttackRate(
        rate=sum(hits / of for of, hits in counts) / len(counts),
        hits=sum(hits for _, hits in counts),
        of=sum(of for of, _ in counts),
        cases=len(counts),
        interval=interval_pass_hat_k([tuple(pair) for pair in counts], 1, confidence),
    )
