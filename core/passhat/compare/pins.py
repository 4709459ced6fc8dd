"""Pins: what a run was held to, and in what two runs were held to something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from passhat.errors import UsageError
from passhat.result import Trial
from passhat.wording import joined, nearest_or_all

OF_CASES = "case"
"""The pin of a trial that holds its case's hash; cases are compared one by one."""
OF_SUITE = "suite"
"""The pin that holds the suite's hash; suites that differ are compared on the cases they share."""
STOPPED = "until"
"""The pin of trials that stopped when something was decided: how many there are, not what they are."""

_SHOWN = 3


class PinChange(Struct, frozen=True):
    """A pin that two runs do not share.

    Attributes:
        name: The pin.
        base: Its values in the first run; empty where it is not pinned.
        new: Its values in the second.
    """

    name: str
    base: tuple[str, ...]
    new: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {_told(self.base)} -> {_told(self.new)}"


def pin_values(trials: Iterable[Trial]) -> dict[str, tuple[str, ...]]:
    """Each pin with the values it has, as text; parts of a mapping are pins of their own.

    >>> pin_values([Trial("a", 0, "t", "passed", pins={"model": "m1", "versions": {"adk": "2.1"}})])
    {'model': ('m1',), 'versions.adk': ('2.1',)}
    """
    seen: set[str] = set()
    found: dict[str, dict[str, None]] = {}
    for trial in trials:
        if not trial.pins:
            continue
        key = repr(trial.pins)
        if key in seen:
            continue
        seen.add(key)
        pins = {
            name: value for name, value in trial.pins.items() if name not in (OF_CASES, STOPPED)
        }
        for name, value in _flat(pins):
            found.setdefault(name, {})[value] = None
    return {name: tuple(sorted(values)) for name, values in sorted(found.items())}


def pin_changes(base: Iterable[Trial], new: Iterable[Trial]) -> tuple[PinChange, ...]:
    """The pins that two runs do not share, those that only one of them has included."""
    return changed_pins(pin_values(base), pin_values(new))


def changed_pins(
    base: Mapping[str, tuple[str, ...]], new: Mapping[str, tuple[str, ...]]
) -> tuple[PinChange, ...]:
    """The pins whose values, as `pin_values` gives them, are not the same in both runs.

    >>> [str(change) for change in changed_pins({"model": ("m1",)}, {"model": ("m2",)})]
    ['model: m1 -> m2']
    """
    return tuple(
        PinChange(name, base.get(name, ()), new.get(name, ()))
        for name in sorted({*base, *new})
        if base.get(name) != new.get(name)
    )


def refuse_unnamed(
    changes: Sequence[PinChange], vary: Sequence[str], known: Iterable[str] = ()
) -> None:
    """Refuses to compare runs that are pinned differently in what was not said to vary.

    A pin that only one run has is no difference that can be told, and a suite that changed is
    compared on the cases that stayed.

    Args:
        changes: What differs.
        vary: The pins that may, `versions` standing for all its parts.
        known: The pins there are, to catch a word that names none.

    Raises:
        UsageError: Something else differs, or a word of `vary` is no pin.

    >>> refuse_unnamed([PinChange("model", ("m1",), ("m2",))], vary=["model"])
    >>> refuse_unnamed([PinChange("model", ("m1",), ("m2",))], vary=[])
    Traceback (most recent call last):
    passhat.errors.UsageError: the runs are pinned differently (model: m1 -> m2), and a score is comparable only under the same pins; if that is what you compare, say --vary model
    """
    names = [*known, *(change.name for change in changes)]
    heads = dict.fromkeys((*names, *(name.partition(".")[0] for name in names)))
    for word in vary:
        if heads and word not in heads:
            told = nearest_or_all(word, heads)
            raise UsageError(f"--vary {word}: the runs have no such pin, {told}")
    unnamed = [
        change
        for change in changes
        if change.base
        and change.new
        and change.name != OF_SUITE
        and change.name not in vary
        and change.name.partition(".")[0] not in vary
    ]
    if unnamed:
        told = "; ".join(map(str, unnamed))
        options = " ".join(f"--vary {change.name}" for change in unnamed)
        raise UsageError(
            f"the runs are pinned differently ({told}), and a score is comparable only under the "
            f"same pins; if that is what you compare, say {options}"
        )


def stopping_notes(runs: Iterable[tuple[str, Iterable[Trial]]]) -> list[str]:
    """What a reader should know of runs whose trials stopped when something was decided.

    Args:
        runs: The names of the runs, each with its trials.
    """
    return [
        f"{name}: the trials stopped when it was decided, so these intervals, made for a number "
        "fixed before, hold less often than they say; what the run itself decided holds"
        for name, trials in runs
        if any(STOPPED in trial.pins for trial in trials)
    ]


def pin_notes(changes: Sequence[PinChange], base: str, new: str) -> list[str]:
    """What a reader should know of pins that only one run has."""
    found = []
    for run, other, names in (
        (new, base, [change.name for change in changes if not change.base]),
        (base, new, [change.name for change in changes if not change.new]),
    ):
        if names:
            found.append(
                f"{run} alone pins {', '.join(names)}: whether {other} had the same is not known"
            )
    return found


def _flat(pins: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in pins.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            for part, inner in value.items():
                if inner is not None:
                    yield f"{name}.{part}", _text(inner)
        else:
            yield name, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except UnicodeEncodeError:
        return repr(value)


def _told(values: Sequence[str]) -> str:
    if not values:
        return "not pinned"
    return joined(values, _SHOWN)
