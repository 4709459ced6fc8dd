"""Where the calls of many trials part from the expected ones, tool by tool and case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import Struct

from passhat.reliability.labels import NONE, evidence_parts
from passhat.result import Trial

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
    """

    name: str
    expected: int
    matched: int
    wrong_arguments: int
    missing: int
    extra: int
    arguments: dict[str, int]


class Point(NamedTuple):
    """One way in which a trial differs from what was expected."""

    kind: str
    tool: str
    arg: str | None = None


@dataclass(slots=True)
class _Parted:
    """One trial's calls, sorted out: names of tools, an entry a call."""

    matched: Counter[str]
    wrong: Counter[str]
    arguments: Counter[tuple[str, str]]
    missing: Counter[str]
    extra: Counter[str]


def compared(trial: Trial) -> bool:
    """Whether the trial's calls were compared with expected ones."""
    result = trial.result(CHECK)
    return result is not None and result.status in ("passed", "failed")


def points(trial: Trial) -> frozenset[Point]:
    """The ways in which the trial's calls differ from what was expected.

    A call too many, or out of order, is one only where nothing else explains why the calls do not
    fit.
    """
    found: set[Point] = set()
    for parted, failed in _parted(trial):
        found.update(Point("missing", tool) for tool in parted.missing)
        found.update(Point("wrong_argument", tool, arg) for tool, arg in parted.arguments)
        if failed and not parted.missing and not parted.wrong:
            found.update(Point("extra", tool) for tool in parted.extra)
            if not parted.extra:
                found.add(Point("order", ""))
    forbidden = trial.result("forbidden_calls")
    if forbidden is not None and forbidden.status == "failed":
        for part in evidence_parts(forbidden):
            found.update(Point("forbidden", name) for (name,) in _fields(part, "calls", "name"))
    return frozenset(found)


@dataclass(slots=True)
class PartingTally:
    """Adds up where calls part, trial by trial."""

    _matched: Counter[str] = field(default_factory=Counter)
    _wrong: Counter[str] = field(default_factory=Counter)
    _missing: Counter[str] = field(default_factory=Counter)
    _extra: Counter[str] = field(default_factory=Counter)
    _arguments: dict[str, Counter[str]] = field(default_factory=dict)
    _instead: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, trial: Trial) -> None:
        """Adds one trial, where its calls were compared with expected ones."""
        for parted, _ in _parted(trial):
            self._matched += parted.matched
            self._wrong += parted.wrong
            self._missing += parted.missing
            self._extra += parted.extra
            for (tool, arg), times in parted.arguments.items():
                self._arguments.setdefault(tool, Counter())[arg] += times
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
            )
            for name in names
        )
        return tuple(
            sorted(
                rows, key=lambda row: (-(row.wrong_arguments + row.missing), -row.extra, row.name)
            )
        )

    def confusion(self) -> Counter[tuple[str, str]]:
        """How often each tool was called where each was expected: `(expected, called)` to times."""
        return self._instead


def _parted(trial: Trial) -> Iterator[tuple[_Parted, bool]]:
    """The calls of the trial, sorted out, and whether they do not fit; turn by turn, if so judged."""
    result = trial.result(CHECK)
    if result is not None:
        for part in evidence_parts(result):
            if "missing" in part or "matched" in part:
                yield _sorted_out(part), part.get("status", result.status) == "failed"


def _sorted_out(evidence: dict[str, Any]) -> _Parted:
    arguments = Counter((tool, arg) for tool, arg in _fields(evidence, "near", "tool", "arg"))
    # A call differs at most once in one argument, so a tool's calls that nearly fit are at least as
    # many as its most frequent difference.
    wrong: Counter[str] = Counter()
    for (tool, _), times in arguments.items():
        wrong[tool] = max(wrong[tool], times)
    return _Parted(
        matched=Counter(_texts(evidence, "matched")),
        wrong=wrong,
        arguments=arguments,
        missing=Counter(_texts(evidence, "missing")) - wrong,
        extra=Counter(_texts(evidence, "extra")) - wrong,
    )


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


def _instead(parted: _Parted) -> Counter[tuple[str, str]]:
    """What was called in place of what: the swap is only read off where it is one for one."""
    found = Counter(
        {(tool, tool): times for tool, times in (parted.matched + parted.wrong).items()}
    )
    missing, extra = list(parted.missing.elements()), list(parted.extra.elements())
    if len(missing) == len(extra):
        found.update(zip(missing, extra, strict=True))
    else:
        found.update((tool, NONE) for tool in missing)
        found.update((NONE, tool) for tool in extra)
    return found
