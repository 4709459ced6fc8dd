"""What a mode means, where and why it differs from ours, and what to use instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from passhat.errors import UsageError
from passhat.match.dialects.dialect import Dialect, Mode, Relation
from passhat.match.dialects.differing import Difference, differences
from passhat.match.dialects.registry import (
    DIALECTS,
    dialect_modes,
    find_dialect,
    find_mode,
    in_our_spelling,
)
from passhat.match.dialects.translating import Ours, translation

OUR_MEANINGS: Final[Mapping[str, str]] = {
    "exact": "All expected calls and no others, in order.",
    "in_order": "All expected calls in order; other calls may stand anywhere.",
    "unordered": "All expected calls and no others, in any order.",
    "superset": "All expected calls, in any order; other calls are free.",
    "subset": "No calls but expected ones; expected calls may be missing.",
}


@dataclass(frozen=True, slots=True)
class ArgsReading:
    """What a mode means with one way of comparing arguments.

    Attributes:
        args: The argument mode.
        relation: What is asked of the arguments of two paired calls.
        nearest: The one of ours that comes closest.
        same: Whether that means the same, within the limits.
        differences: Where the two part: what makes them two modes first (nothing where they are
            the same), then the limits.
        instead: What to use in passhat.
    """

    args: str
    relation: Relation
    nearest: Ours
    same: bool
    differences: tuple[Difference, ...]
    instead: str

    @property
    def counterexample(self) -> Difference | None:
        """The smallest run on which the two differ, None where there is none."""
        return min(self.differences, key=lambda one: one.size, default=None)

    def __str__(self) -> str:
        limits = ", ".join(one.limit for one in self.differences if one.limit)
        but = f" but for: {limits}" if limits and self.same else ""
        lines = [f"args {self.args} ({self.relation}): {self.instead}{but}"]
        for one in self.differences:
            if not one.limit:
                lines += [f"  it {one.why}", f"  {one}"]
        if limits and not self.same:
            lines.append(f"  besides: {limits}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one mode means in one dialect, or to us.

    Attributes:
        dialect: The framework with its version, or `passhat`.
        mode: The mode's name.
        meaning: What it asks for.
        verified: Whether its verdicts were compared with the library's own.
        by_args: What it means with each way of comparing arguments; nothing for our own modes.
        notes: What else to know of the framework.
    """

    dialect: str
    mode: str
    meaning: str
    verified: bool = True
    by_args: tuple[ArgsReading, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        doubt = "" if self.verified else " (documented, not verified)"
        lines = [f"{self.dialect} {self.mode}{doubt}: {self.meaning}"]
        lines += [f"  {line}" for one in self.by_args for line in str(one).splitlines()]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that goes by a mode's name, ours first; its text is for reading.

    Attributes:
        query: What was asked.
        readings: What it means, in each dialect that has it.
    """

    query: str
    readings: tuple[Reading, ...]

    def __str__(self) -> str:
        blocks = [str(reading) for reading in self.readings]
        limits = {
            one.limit: f"{one.limit}: it {one.why}\n  {one}"
            for reading in self.readings
            for by_args in reading.by_args
            for one in by_args.differences
            if one.limit
        }
        notes = {
            reading.dialect: "\n  ".join([f"{reading.dialect}:", *reading.notes])
            for reading in self.readings
            if reading.notes
        }
        return "\n\n".join([*blocks, *limits.values(), *notes.values()])


def explain(mode: str) -> Explanation:
    """What a mode means, where it differs from ours on which smallest run, and what to use instead.

    Args:
        mode: A mode's name (`superset`: ours, and that of every dialect that has one), a dialect's
            mode (`agentevals:superset`, `adk@2.13:exact`), the same with one way of comparing
            arguments (`agentevals:superset:subset`), or a dialect (`ragas`: all its modes).

    Raises:
        UsageError: Nothing goes by that name.

    >>> reading = explain("agentevals:superset:superset").readings[0].by_args[0]
    >>> print(reading.differences[0])
    actual [a(x=1), a()], expected [a(), a(x=1)]: theirs False, ours True
    """
    word, *rest = in_our_spelling(mode).split(":", 2)
    if rest or "@" in word or any(word == dialect.name for dialect in DIALECTS):
        dialect = find_dialect(word)
        if not rest:
            readings = [_reading(dialect, one) for one in dialect.modes.values()]
        else:
            readings = [_reading(dialect, find_mode(dialect, *rest), *rest[1:])]
        return Explanation(mode, tuple(readings))
    readings = [
        _reading(dialect, dialect.modes[word]) for dialect in DIALECTS if word in dialect.modes
    ]
    if word in OUR_MEANINGS:
        readings.insert(0, Reading("passhat", word, OUR_MEANINGS[word]))
    if not readings:
        known = sorted({*OUR_MEANINGS, *(one.name for _, one, _ in dialect_modes())})
        close = get_close_matches(word, known, n=1, cutoff=0.65)
        guess = f", did you mean {close[0]}?" if close else ""
        raise UsageError(f"{word!r} is no mode{guess} (known: {', '.join(known)})")
    return Explanation(mode, tuple(readings))


def _reading(dialect: Dialect, mode: Mode, args: str | None = None) -> Reading:
    by_args = tuple(_by_args(dialect, mode, one) for one in ([args] if args else mode.arguments))
    return Reading(dialect.id, mode.name, mode.meaning, dialect.verified, by_args, dialect.notes)


def _by_args(dialect: Dialect, mode: Mode, args: str) -> ArgsReading:
    found = translation(dialect, mode.name, args)
    instead = (
        f"use {found.nearest}, which means the same"
        if found.same
        else f"nothing of ours means the same; nearest is {found.nearest}"
    )
    shown = differences(dialect.id, mode.name, args)
    return ArgsReading(args, mode.arguments[args], found.nearest, found.same, shown, instead)
