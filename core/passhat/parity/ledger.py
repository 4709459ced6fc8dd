"""What came of comparing doors, as data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

PARITY_SCHEMA = "passhat.parity/1"

Outcome = Literal["equal", "differs", "not_carried", "not_judged"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One verdict that is not the same at a door.

    Attributes:
        outcome: `differs`; `not_carried` where the door does not have what the check looks at, and
            says what `passhat.grade` says of what it has; `not_judged` where it judged nothing.
        case: The case.
        trace: The trace.
        key: The check, or `case`.
        field: `status`, `score` or `reason`: the first that is not the same.
        ours: What `passhat.grade` says.
        theirs: What the door says.
        why: Why, as far as it is known.
    """

    outcome: Outcome
    case: str
    trace: str
    key: str
    field: str
    ours: Any
    theirs: Any
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class DoorReport:
    """What came of one door.

    Attributes:
        name: The door.
        about: By what the runs are judged there.
        kind: Whose checks judge: `ours` or `theirs`.
        runs: How many runs were judged there.
        verdicts: How many verdicts were compared.
        findings: Those that are not the same.
        not_carried: What the door cannot carry, each in a sentence.
        fields: The fields of traces that came another way through the door, each with in how many
            traces.
        missing: The pip line, where the framework is not installed; then nothing was judged.
        broken: Why the door could not be used at all, where it broke.
    """

    name: str
    about: str
    kind: Literal["ours", "theirs"]
    runs: int = 0
    verdicts: int = 0
    findings: tuple[Finding, ...] = ()
    not_carried: tuple[str, ...] = ()
    fields: tuple[tuple[str, int], ...] = ()
    missing: str = ""
    broken: str = ""

    def count(self, outcome: Outcome) -> int:
        """How many findings have an outcome; for `equal` how many verdicts have none."""
        counts = Counter(one.outcome for one in self.findings)
        if outcome == "equal":
            return self.verdicts - counts["differs"] - counts["not_carried"]
        return counts[outcome]

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "door": self.name,
            "about": self.about,
            "kind": self.kind,
            "runs": self.runs,
            "verdicts": self.verdicts,
            "equal": self.count("equal"),
            "differs": self.count("differs"),
            "not_carried": self.count("not_carried"),
            "not_judged": self.count("not_judged"),
            "cannot_carry": list(self.not_carried),
            "fields": dict(self.fields),
            "missing": self.missing,
            "broken": self.broken,
            "findings": [one.to_dict() for one in self.findings],
        }


@dataclass(frozen=True, slots=True)
class ParityReport:
    """Whether one check gives one verdict at every door.

    Attributes:
        suite: The suite.
        runs: How many runs were judged.
        doors: What came of each door.
        unmatched: The runs that join no case, each with why.
        unread: The runs that could not be read, each with why.
        unjudged: The runs that `passhat.grade` itself could not judge, each with why: they are the
            same everywhere, and say nothing.
        named: Whether somebody named the doors, so that one alone may be meant.
    """

    suite: str
    runs: int
    doors: tuple[DoorReport, ...]
    unmatched: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    named: bool = False

    @property
    def used(self) -> tuple[DoorReport, ...]:
        """The doors that were there."""
        return tuple(door for door in self.doors if not door.missing)

    @property
    def differs(self) -> bool:
        """Whether a door says something else, or broke."""
        return any(door.broken or door.count("differs") for door in self.doors)

    @property
    def complete(self) -> bool:
        """Whether every run was judged alike, on all that it records, and something compared."""
        left = any(
            door.count("not_judged") or door.count("not_carried") for door in self.used
        ) or bool(self.unmatched or self.unread or self.unjudged)
        return not left and not self.alone and any(door.verdicts for door in self.used)

    @property
    def alone(self) -> bool:
        """Whether one door was all there was, unasked for: no framework was compared with another."""
        return not self.named and sum(1 for door in self.used if door.verdicts) == 1

    @property
    def exit_code(self) -> int:
        """0 equal, 1 a verdict differs, 3 some could not be judged or compared."""
        return 1 if self.differs else 0 if self.complete else 3

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON: `passhat.parity/1`."""
        return {
            "schema": PARITY_SCHEMA,
            "suite": self.suite,
            "runs": self.runs,
            "equal": not self.differs,
            "complete": self.complete,
            "alone": self.alone,
            "doors": [door.to_dict() for door in self.doors],
            "unmatched": list(self.unmatched),
            "unread": list(self.unread),
            "unjudged": list(self.unjudged),
        }
