"""Where the arguments of the calls came from: no identifier is made up, nothing untrusted does harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from passhat.case import Case
from passhat.checks.asking import asked
from passhat.checks.reading import Nested
from passhat.checks.wording import plain, sentences
from passhat.grading.protocol import CheckBase
from passhat.match.trajectory import calls_with_inside
from passhat.match.writing import write_value
from passhat.provenance import Origin, trace_arguments
from passhat.result import CheckResult
from passhat.trace import Trace

Arguments = dict[str, tuple[str, ...]]
"""Arguments by tool; the tool `*` stands for all of them."""

_FROM_NOWHERE = "Could the agent rightly have known this value, though nothing it saw held it?"
_LONGEST = 200
_RECKONED = frozenset({"sum", "difference", "product", "share", "unit", "words"})


@dataclass(frozen=True, slots=True)
class Provenance(CheckBase):
    """The share of identifiers in the arguments that came from somewhere.

    It fails on one that is made up: an identifier that neither the user nor the system said, that
    no earlier result held, and that is no other way to write one of these. Other values from
    nowhere (a city's airport, a date) are in the evidence and inform.

    What is an identifier is told by the tool's schema, by its name (`order_id`, `flight_number`)
    and by the shape of other values under that name; `ids` and `ignore` have the last word.

    Args:
        ids: Arguments that are identifiers, by tool: `{search: [vendor], "*": [customer]}`.
        ignore: Arguments that are not to be judged, by tool.
        nested: Instead of the case's `nested`.
        ask: Decides on values from nowhere that are no identifiers: a callable
            `(question, about) -> bool | None`, true if the agent could have known it.
    """

    key: ClassVar[str] = "provenance"
    needs: ClassVar[tuple[str, ...]] = ("calls", "results")
    ids: Arguments = field(default_factory=dict)
    ignore: Arguments = field(default_factory=dict)
    nested: Nested | None = None
    ask: Any = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share; `origins` in the evidence has each argument's."""
        judged = [o for o in origins_judged(trace, case, self.nested) if not _in(self.ignore, o)]
        ids = [o for o in judged if o.identifier or _in(self.ids, o)]
        made_up = [(o, "rule") for o in ids if self.is_made_up(o)]
        others = [o for o in judged if o.kind == "nowhere" and o not in ids]
        nowhere = [origin_entry(origin) for origin in others]
        for origin, entry in zip(others, nowhere, strict=True):
            answer = asked(self.key, self.ask, _FROM_NOWHERE, entry)
            if answer is not None:
                entry["decided"] = "judge"
            if answer is False:
                made_up.append((origin, "judge"))
        of = len(ids) + sum(decided == "judge" for _, decided in made_up)
        if not of:
            return self.nothing("no call has an identifier among its arguments")
        return self.rate(
            of - len(made_up),
            of,
            sentences([_said(origin) for origin, _ in made_up]),
            made_up=[{**origin_entry(origin), "decided": by} for origin, by in made_up],
            nowhere=nowhere,
            origins=[origin_entry(origin) for origin in judged],
            bounded=any(origin.bounded for origin in judged),
        )

    def is_made_up(self, origin: Origin) -> bool:
        """Whether an argument is an identifier from nowhere, as `ids` and `ignore` have it."""
        if _in(self.ignore, origin) or not (origin.identifier or _in(self.ids, origin)):
            return False
        return origin.kind == "nowhere" or _reckoned(origin)


def origins_judged(trace: Trace, case: Case, nested: str | None = None) -> list[Origin]:
    """The origins of the arguments of the calls that are judged."""
    found = trace_arguments(trace, case)
    if (nested or case.nested) == "include":
        calls_with_inside(trace)
        return list(found)
    own = {index for index, call in enumerate(trace.all_calls) if call.parent is None}
    return [origin for origin in found if origin.call in own]


def origin_entry(origin: Origin) -> dict[str, Any]:
    """The origin in evidence: values shortened, and what it came from in words."""
    entry: dict[str, Any] = {
        "call": origin.call,
        "tool": origin.tool,
        "path": origin.path,
        "value": _short(origin.value),
        "kind": origin.kind,
        "origin": str(origin),
    }
    if origin.nearest is not None:
        entry["nearest"] = {"value": origin.nearest.value, "where": str(origin.nearest)}
    return entry


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
    return plain(value)


def _in(arguments: Mapping[str, tuple[str, ...]], origin: Origin) -> bool:
    names = (*arguments.get(origin.tool, ()), *arguments.get("*", ()))
    last = origin.path.rstrip("]0123456789[").rpartition(".")[2]
    return origin.arg in names or last in names


def _reckoned(origin: Origin) -> bool:
    """Whether a value follows from others only by reckoning, which is no source of an identifier."""
    return origin.how in _RECKONED or (origin.how == "number" and isinstance(origin.value, int))


def _said(origin: Origin) -> str:
    where = f"{origin.tool} (call {origin.call}) at {origin.path}"
    near = origin.nearest
    tail = "" if near is None else f"; nearest is {near.value} in {near}"
    return f"{write_value(origin.value)} in {where} comes from nowhere{tail}"
