"""Where the calls of many trials part from the expected ones, tool by tool and case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import Struct

from passhat.reliability.labels import NONE, evidence_parts
from passhat.result import Trial

_STRICT = ("exact", "unordered", "subset")
"""The modes that let no call in excess pass."""

CHECK = "trajectory"
"""The check whose evidence tells: `matched`, `missing` and `extra` names, and `near` differences."""


class ToolParting(Struct, frozen=True):
    """How the calls of one tool compare with the expected ones, over many trials.

    Attributes:
        name: The tool.
        expected: Calls that were expected: matched, called with wrong arguments, and missing.
        matched: Expected calls that were made.
        wrong_arguments: Expected calls in whose place one with other arguments was made.
        missing: Expected calls in whose place no call of the tool was made.
        extra: Calls that answer to no expected one.
        arguments: The arguments that were wrong, with how often, most frequent first.
        undue: Of the calls in excess, those of trials that failed in a mode that lets none pass.
    """

    name: str
    expected: int
    matched: int
    wrong_arguments: int
    missing: int
    extra: int
    arguments: dict[str, int]
    undue: int = 0


class Point(NamedTuple):
    """One way in which a trial differs from what was expected."""

    kind: str
    tool: str
    arg: str | None = None


class _Parted(NamedTuple):
    """A trial's calls, or those of one of its turns, sorted out: names of tools, an entry a call.

    Attributes:
        failed: Whether they do not fit.
        matched: Expected calls that were made.
        wrong: How many calls of each tool were made with other arguments.
        arguments: The arguments that were wrong, each with its tool.
        missing: Expected calls in whose place no call of the tool was made.
        extra: Calls that answer to no expected one.
        undue: Whether these were enough to fail: the mode lets none pass.
    """

    failed: bool
    matched: list[str]
    wrong: dict[str, int]
    arguments: list[tuple[str, ...]]
    missing: list[str]
    extra: list[str]
    undue: bool


def compared(trial: Trial) -> bool:
    """Whether the trial's calls were compared with expected ones."""
    result = trial.result(CHECK)
    return result is not None and result.status in ("passed", "failed")


def points(trial: Trial) -> frozenset[Point]:
    """The ways in which the trial's calls differ from what was expected."""
    return PartingTally().add(trial)


@dataclass(slots=True)
class PartingTally:
    """Adds up where calls part, trial by trial."""

    _matched: Counter[str] = field(default_factory=Counter)
    _wrong: Counter[str] = field(default_factory=Counter)
    _missing: Counter[str] = field(default_factory=Counter)
    _extra: Counter[str] = field(default_factory=Counter)
    _undue: Counter[str] = field(default_factory=Counter)
    _arguments: dict[str, Counter[str]] = field(default_factory=dict)
    _instead: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, trial: Trial) -> frozenset[Point]:
        """Adds one trial, and gives the ways in which it differs from what was expected."""
        found: set[Point] = set()
        for parted in _parted(trial):
            self._add(parted)
            found.update(_points(parted))
        forbidden = trial.result("forbidden_calls")
        if forbidden is not None and forbidden.status == "failed":
            for part in evidence_parts(forbidden):
                found.update(Point("forbidden", name) for (name,) in _fields(part, "calls", "name"))
        return frozenset(found)

    def _add(self, parted: _Parted) -> None:
        self._matched.update(parted.matched)
        if not (parted.wrong or parted.missing or parted.extra):
            return
        self._wrong.update(parted.wrong)
        self._missing.update(parted.missing)
        self._extra.update(parted.extra)
        if parted.undue:
            self._undue.update(parted.extra)
        for tool, arg in parted.arguments:
            self._arguments.setdefault(tool, Counter())[arg] += 1
        self._instead.update(_instead(parted))

    def tools(self) -> tuple[ToolParting, ...]:
        """Every tool that was expected or called too often, those that part most first."""
        names = {*self._matched, *self._wrong, *self._missing, *self._extra}
        rows = (
            ToolParting(
                name=name,
                expected=self._matched[name] + self._wrong[name] + self._missing[name],
                matched=self._matched[name],
                wrong_arguments=self._wrong[name],
                missing=self._missing[name],
                extra=self._extra[name],
                arguments=dict(self._arguments.get(name, Counter()).most_common()),
                undue=self._undue[name],
            )
            for name in names
        )
        return tuple(
            sorted(
                rows,
                key=lambda row: (
                    -(row.wrong_arguments + row.missing),
                    -row.undue,
                    -row.extra,
                    row.name,
                ),
            )
        )

    def confusion(self) -> Counter[tuple[str, str]]:
        """How often each tool was called where each was expected: `(expected, called)` to times."""
        found = Counter({(tool, tool): times for tool, times in self._matched.items()})
        found.update(self._instead)
        return found


def _parted(trial: Trial) -> Iterator[_Parted]:
    """The calls of the trial, sorted out; turn by turn where they were judged so."""
    result = trial.result(CHECK)
    if result is not None:
        for part in evidence_parts(result):
            if "missing" in part or "matched" in part:
                yield _sorted_out(part, part.get("status", result.status) == "failed")


def _sorted_out(evidence: dict[str, Any], failed: bool) -> _Parted:
    arguments = _fields(evidence, "near", "tool", "arg") if evidence.get("near") else []
    # A call differs at most once in one argument, so a tool's calls that nearly fit are at least as
    # many as its most frequent difference.
    wrong: dict[str, int] = {}
    for (tool, _), times in Counter(arguments).items():
        wrong[tool] = max(wrong.get(tool, 0), times)
    return _Parted(
        failed,
        _texts(evidence, "matched"),
        wrong,
        arguments,
        _without(_texts(evidence, "missing"), wrong),
        _without(_texts(evidence, "extra"), wrong),
        failed and evidence.get("mode") in _STRICT,
    )


def _without(names: list[str], wrong: dict[str, int]) -> list[str]:
    """The names, less so many of each."""
    if not wrong:
        return names
    left = dict(wrong)
    kept = []
    for name in names:
        if left.get(name, 0):
            left[name] -= 1
        else:
            kept.append(name)
    return kept


def _points(parted: _Parted) -> Iterator[Point]:
    """The ways to differ; a call too many, or out of order, only where nothing else explains it."""
    for tool in parted.missing:
        yield Point("missing", tool)
    for tool, arg in parted.arguments:
        yield Point("wrong_argument", tool, arg)
    if parted.failed and not parted.missing and not parted.wrong:
        for tool in parted.extra:
            yield Point("extra", tool)
        if not parted.extra:
            yield Point("order", "")


def _instead(parted: _Parted) -> Iterator[tuple[str, str]]:
    """What else was called than the calls that matched, in place of what.

    The swap is only read off where it is one for one.
    """
    for tool, times in parted.wrong.items():
        yield from [(tool, tool)] * times
    if len(parted.missing) == len(parted.extra):
        yield from zip(parted.missing, parted.extra, strict=True)
    else:
        yield from ((tool, NONE) for tool in parted.missing)
        yield from ((NONE, tool) for tool in parted.extra)


# Results may be read from a file, and evidence is any JSON: what has another shape is passed over.


def _texts(evidence: dict[str, Any], key: str) -> list[str]:
    """The texts of a list in evidence."""
    listed = evidence.get(key)
    return [item for item in _items(listed) if isinstance(item, str)]


def _fields(evidence: dict[str, Any], key: str, *names: str) -> list[tuple[str, ...]]:
    """Some texts of each object of a list in evidence, where it has them all."""
    found = []
    for item in _items(evidence.get(key)):
        values = [item.get(name) for name in names] if isinstance(item, dict) else []
        row = tuple(value for value in values if isinstance(value, str))
        if len(row) == len(names):
            found.append(row)
    return found


def _items(value: Any) -> list[Any] | tuple[Any, ...]:
    return value if isinstance(value, list | tuple) else ()
