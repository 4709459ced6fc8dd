"""Which cases two runs share, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from passhat.compare.pins import OF_CASES, OF_SUITE
from passhat.compare.tallies import Tallies
from passhat.reliability.wording import counted
from passhat.result import Trial
from passhat.wording import joined

_NAMED = 5


class Sharing(Struct, frozen=True):
    """The cases of two runs.

    Attributes:
        shared: Cases counted in both, and the same in both as far as their pins tell.
        changed: Cases of one id whose content differs, by the hashes pinned with their trials.
        only_base: Cases of the first run alone.
        only_new: Cases of the second run alone.
        not_judged: Cases in both of which one run has no trial that counts.
        same_suite: Whether both runs pin one and the same suite; None where that is not known.
    """

    shared: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    only_base: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
    not_judged: tuple[str, ...] = ()
    same_suite: bool | None = None

    def notes(self, base: str, new: str) -> list[str]:
        """What was not compared, in words."""
        told = []
        for names, why in (
            (self.changed, "changed between the two"),
            (self.only_base, f"only in {base}"),
            (self.only_new, f"only in {new}"),
            (self.not_judged, "without a trial that counts in one of them"),
        ):
            if names:
                told.append(
                    f"{counted(len(names), 'case')} {why}, not compared: {joined(names, _NAMED)}"
                )
        return told


def sharing(
    base: Tallies,
    new: Tallies,
    base_trials: Iterable[Trial] = (),
    new_trials: Iterable[Trial] = (),
) -> Sharing:
    """Which cases two runs share.

    >>> sharing(Tallies.of_counts([("a", 1, 1)]), Tallies.of_counts([("a", 1, 1), ("b", 1, 0)]))
    Sharing(shared=('a',), changed=(), only_base=(), only_new=('b',), not_judged=(), same_suite=None)
    """
    was, suites_were = _hashes(base_trials)
    now, suites_are = _hashes(new_trials)
    both = [name for name in base.cases if name in new.cases]
    changed = tuple(
        name for name in both if was.get(name, now.get(name)) != now.get(name, was.get(name))
    )
    stayed = set(changed)
    shared: list[str] = []
    unjudged: list[str] = []
    for name in both:
        if name in stayed:
            continue
        counts = base.cases[name].n and new.cases[name].n
        (shared if counts else unjudged).append(name)
    return Sharing(
        tuple(shared),
        changed,
        tuple(name for name in base.cases if name not in new.cases),
        tuple(name for name in new.cases if name not in base.cases),
        tuple(unjudged),
        suites_were == suites_are if suites_were and suites_are else None,
    )


def _hashes(trials: Iterable[Trial]) -> tuple[dict[str, Any], set[str]]:
    cases: dict[str, Any] = {}
    suites: set[str] = set()
    for trial in trials:
        pins = trial.pins
        if not pins:
            continue
        if OF_SUITE in pins:
            suites.add(str(pins[OF_SUITE]))
        if trial.case_id is not None and OF_CASES in pins:
            cases[trial.case_id] = pins[OF_CASES]
    return cases, suites
