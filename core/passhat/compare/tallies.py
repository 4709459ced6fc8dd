"""Trials gathered by case, with what does not count beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite

from passhat.errors import InputError
from passhat.reliability import Counts, Results
from passhat.reliability.efficiency import MEASURES, tokens_of
from passhat.reliability.results import repeated
from passhat.result import COUNTED, CheckResult, Trial

RAN = frozenset({"passed", "failed", "agent_error", "not_evaluated", "check_error"})
"""The statuses of trials in which the agent ran, whether or not they could be judged."""


@dataclass(slots=True)
class CaseTally:
    """The trials of one case.

    Attributes:
        n: Trials that count.
        c: Those that passed.
        left_out: Trials that do not count.
        trials: Those in which the agent ran.
        tags: The labels of its trials.
    """

    n: int = 0
    c: int = 0
    left_out: int = 0
    trials: list[Trial] = field(default_factory=list)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tallies:
    """The trials of one run of a suite, by case.

    Attributes:
        cases: The cases, in the order they came.
        caseless: Attempts that belong to no known case, or could not be read.
        ledger: Trials by status.
        name: What to call the run in messages.
    """

    cases: dict[str, CaseTally]
    caseless: int = 0
    ledger: Mapping[str, int] = field(default_factory=dict)
    name: str = "the results"

    @classmethod
    def of(cls, results: Results, name: str = "the results") -> Tallies:
        """The trials of some results, gathered by case.

        Raises:
            InputError: There is no trial at all, or the same one twice.
        """
        if not results.trials and not results.unread:
            raise InputError(f"{name}: no trial is there; nothing can be decided on nothing")
        if (twice := repeated(results.trials)) is not None:
            raise InputError(
                f"{name}: {twice.case_id or twice.trace_id} trial {twice.trial} is there twice; "
                "counted twice, one attempt would pass for two"
            )
        cases: dict[str, CaseTally] = {}
        ledger: Counter[str] = Counter()
        caseless = len(results.unread)
        for trial in results.trials:
            status = trial.status
            if trial.case_id is None:
                ledger["not_evaluated" if status in COUNTED else status] += 1
                caseless += 1
                continue
            ledger[status] += 1
            tally = cases.get(trial.case_id)
            if tally is None:
                tally = cases[trial.case_id] = CaseTally()
            if status in COUNTED:
                tally.n += 1
                tally.c += status == "passed"
            else:
                tally.left_out += 1
            if status in RAN:
                tally.trials.append(trial)
            if trial.tags and trial.tags is not tally.tags:
                tally.tags = tuple(dict.fromkeys((*tally.tags, *trial.tags)))
        return cls(cases, caseless, dict(ledger), name)

    @classmethod
    def of_counts(cls, counts: Iterable[tuple[str, int, int]]) -> Tallies:
        """Tallies of cases of which no more is known than their trials and passes.

        >>> Tallies.of_counts([("a", 5, 4)]).n
        5
        """
        return cls({case_id: CaseTally(n, c) for case_id, n, c in counts})

    @cached_property
    def n(self) -> int:
        """The trials that count."""
        return sum(tally.n for tally in self.cases.values())

    @property
    def left_out(self) -> int:
        """The attempts that do not count, those without a case included."""
        return sum(tally.left_out for tally in self.cases.values()) + self.caseless

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """The cases with a trial that counts."""
        return tuple(case_id for case_id, tally in self.cases.items() if tally.n)

    @property
    def check_keys(self) -> Mapping[str, object]:
        """The keys of the checks that were asked, in the order they came."""
        return self.by_check

    @cached_property
    def by_check(self) -> dict[str, dict[str, list[CheckResult]]]:
        """What each check said of the trials in which the agent ran, by case."""
        found: dict[str, dict[str, list[CheckResult]]] = {}
        last: dict[str, Trial] = {}
        for name, tally in self.cases.items():
            for trial in tally.trials:
                for result in trial.results:
                    key = result.key
                    if last.get(key) is trial:
                        continue
                    last[key] = trial
                    by_case = found.get(key)
                    if by_case is None:
                        by_case = found[key] = {}
                    held = by_case.get(name)
                    if held is None:
                        by_case[name] = [result]
                    else:
                        held.append(result)
        return found

    def idle(self, key: str) -> str | None:
        """Why a check that only informs judged nothing at all; None where it judged, or is required.

        >>> from passhat.result import CheckResult
        >>> said = CheckResult("loops", "not_evaluated", reason="no calls", required=False)
        >>> trial = Trial("a", 0, "t", "passed", (said,))
        >>> Tallies.of(Results((trial,))).idle("loops")
        'no calls'
        """
        told: Counter[str] = Counter()
        for results in self.by_check.get(key, {}).values():
            for result in results:
                if result.required or result.status != "not_evaluated":
                    return None
                told[result.reason] += 1
        return told.most_common(1)[0][0] if told else None

    @cached_property
    def by_measure(self) -> dict[str, dict[str, list[float]]]:
        """What each trial that passed took, by measure and case; what is not known is not there."""
        found: dict[str, dict[str, list[float]]] = {name: {} for name in MEASURES}
        for name, tally in self.cases.items():
            for trial in tally.trials:
                if trial.status != "passed":
                    continue
                for measure, value in measures_of(trial):
                    by_case = found[measure]
                    held = by_case.get(name)
                    if held is None:
                        by_case[name] = [value]
                    else:
                        held.append(value)
        return found

    def counts(self, cases: Iterable[str]) -> list[Counts]:
        """The trials and passes of those cases, in their order."""
        return [Counts(self.cases[name].n, self.cases[name].c, name) for name in cases]

    def tagged(self, tag: str) -> tuple[str, ...]:
        """The cases with a trial that counts and that label."""
        return tuple(name for name in self.counted if tag in self.cases[name].tags)

    def had_all_failed(self, missing: Iterable[str] = (), *, least: int = 1) -> Tallies:
        """The same, had every attempt that was left out failed.

        Args:
            missing: Cases that should be there and are not: each failed.
            least: The fewest trials to give a case of which none counted.
        """
        cases = {
            name: CaseTally(
                tally.n + tally.left_out if tally.n else max(tally.left_out, least),
                tally.c,
                0,
                tally.trials,
                tally.tags,
            )
            for name, tally in self.cases.items()
        }
        cases |= {name: CaseTally(least) for name in missing if name not in cases}
        cases |= {f"\0{number}": CaseTally(least) for number in range(self.caseless)}
        return replace(self, cases=cases, caseless=0)


_ELSEWHERE = frozenset({"seconds", "tokens", "cost"})


def measures_of(trial: Trial) -> Iterator[tuple[str, float]]:
    """What is known of what a trial took, each measure with its name."""
    for name, value in trial.measures.items():
        if name in MEASURES and name not in _ELSEWHERE and isfinite(value):
            yield name, value
    usage = trial.usage
    cost = usage.cost if usage is not None else None
    for name, known in (("seconds", trial.seconds), ("tokens", tokens_of(trial)), ("cost", cost)):
        if known is not None and isfinite(known):
            yield name, known
