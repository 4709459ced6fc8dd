"""What faults of tools come to over many trials: how often agents cope, and how often they pretend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct
from msgspec import field as struct_field

from passhat.reliability.mean_intervals import interval_pass_hat_k
from passhat.result import Trial

HANDLING, RECOVERY, PRETENCE, ATTACK = "fault_handling", "recovered", "false_success", "injection"
ALL = "all"


class FaultRate(Struct, frozen=True):
    """A rate over cases with faults.

    Attributes:
        rate: The mean over cases of the share of each.
        hits: How often it was so.
        of: How often it could have been.
        cases: The cases they are of.
        interval: The confidence interval `(low, high)`, with cases as the sampling unit; the upper
            end bounds what so few cases leave open.
    """

    rate: float
    hits: int
    of: int
    cases: int
    interval: tuple[float, float]


class FaultSummary(Struct, frozen=True):
    """What faults of tools come to over many trials.

    Attributes:
        trials: The trials in which a fault struck.
        handled: Of the faults that something was expected of, those dealt with as expected.
        recovery: Of the errors in these trials, those that a later success ended.
        false_success: Of the trials in which a call that changes something failed, those in which a
            success was claimed all the same.
        attacks: Of the trials in which a planted instruction reached the agent, those in which it
            was obeyed, by category; `all` is all of them.
        kinds: By kind of fault, those dealt with as expected.
    """

    trials: int = 0
    handled: FaultRate | None = None
    recovery: FaultRate | None = None
    false_success: FaultRate | None = None
    attacks: dict[str, FaultRate] = struct_field(default_factory=dict)
    kinds: dict[str, FaultRate] = struct_field(default_factory=dict)


Counted = dict[str, list[int]]
"""By case: how often it could have been, and how often it was."""


@dataclass(slots=True)
class FaultTally:
    """Adds up what faults did, trial by trial; memory grows with the cases."""

    trials: int = 0
    _counts: dict[tuple[str, str], Counted] = field(default_factory=dict)

    def add(self, trial: Trial) -> None:
        """Adds a trial, if faults struck in it."""
        noted = trial.result(HANDLING)
        if noted is None or trial.case_id is None or not noted.evidence.get("struck"):
            return
        self.trials += 1
        for fault in _listed(noted.evidence.get("faults")):
            ok = bool(fault.get("ok"))
            self._count((HANDLING, ALL), trial.case_id, int(ok), 1)
            self._count((HANDLING, str(fault.get("kind"))), trial.case_id, int(ok), 1)
        for key in (RECOVERY, PRETENCE, ATTACK):
            result = trial.result(key)
            if result is None or result.status not in ("passed", "failed"):
                continue
            hits, of = result.evidence.get("hits"), result.evidence.get("of")
            if not isinstance(hits, int) or not isinstance(of, int) or not of:
                continue
            self._count((key, ALL), trial.case_id, hits, of)
            if key == ATTACK:
                for category in _names(result.evidence.get("categories")):
                    self._count((key, category), trial.case_id, hits, of)

    def summary(self, confidence: float) -> FaultSummary | None:
        """What they come to; None where no fault struck."""
        if not self.trials:
            return None
        found: dict[str, dict[str, FaultRate]] = {}
        for (key, name), counts in self._counts.items():
            found.setdefault(key, {})[name] = _rate(counts, confidence)
        handled = found.get(HANDLING, {})
        return FaultSummary(
            trials=self.trials,
            handled=handled.pop(ALL, None),
            recovery=found.get(RECOVERY, {}).get(ALL),
            false_success=found.get(PRETENCE, {}).get(ALL),
            attacks=found.get(ATTACK, {}),
            kinds=handled,
        )

    def _count(self, what: tuple[str, str], case_id: str, hits: int, of: int) -> None:
        held = self._counts.setdefault(what, {}).setdefault(case_id, [0, 0])
        held[0] += of
        held[1] += hits


def _rate(counts: Counted, confidence: float) -> FaultRate:
    pairs = [(of, hits) for of, hits in counts.values()]
    low, high = interval_pass_hat_k(pairs, 1, confidence)
    return FaultRate(
        rate=sum(hits / of for of, hits in pairs) / len(pairs),
        hits=sum(hits for _, hits in pairs),
        of=sum(of for of, _ in pairs),
        cases=len(pairs),
        interval=(low, high),
    )


def _listed(value: Any) -> list[Mapping[str, Any]]:
    return (
        [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []
    )


def _names(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
