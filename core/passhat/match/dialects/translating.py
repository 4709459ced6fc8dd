"""Which of our modes means the same as a mode of a framework, and which ones none of ours does.

Two modes mean the same where ours holds exactly when theirs is true, or gives the full score. Each
claim has limits, named in `but`: kinds of runs that it does not speak of, and on which the two
differ (`LIMITS` shows how).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from passhat.case import Case
from passhat.case import Mode as OurMode
from passhat.match.dialects.dialect import Dialect
from passhat.match.dialects.limits import LIMITS
from passhat.match.dialects.registry import dialect_modes

OurArgs: TypeAlias = Literal["equal", "contains", "ignore"]


@dataclass(frozen=True, slots=True)
class Ours:
    """One of our modes, with what it asks of arguments.

    Attributes:
        mode: `exact`, `in_order`, `unordered`, `superset` or `subset`.
        args: `equal`: the expected arguments and no others (`extra_args: forbid`); `contains`: the
            expected arguments, others are free (the default); `ignore`: names alone.
        counts: Whether repeats count.

    >>> print(Ours("superset", "equal"))
    mode superset, extra_args forbid
    """

    mode: OurMode
    args: OurArgs = "contains"
    counts: bool = True

    def __str__(self) -> str:
        words = {
            "equal": "extra_args forbid",
            "contains": "extra_args allow",
            "ignore": "names only",
        }
        repeats = "" if self.counts else ", counts false"
        return f"mode {self.mode}, {words[self.args]}{repeats}"


@dataclass(frozen=True, slots=True)
class Translation:
    """What a mode of a framework is in our words.

    Attributes:
        nearest: The one of ours that comes closest.
        same: Whether it means the same, but for the limits.
        but: The limits, keys of `LIMITS`.
        why: Where it does not mean the same, what is different, as the end of a sentence that
            begins with the framework's name.
    """

    nearest: Ours
    same: bool
    but: tuple[str, ...] = ()
    why: str = ""


def _same(mode: OurMode, args: OurArgs, *but: str, counts: bool = True) -> Translation:
    return Translation(Ours(mode, args, counts), True, _in_order(but))


def _none(mode: OurMode, args: OurArgs, why: str, *but: str, counts: bool = True) -> Translation:
    return Translation(Ours(mode, args, counts), False, _in_order(but), why)


def _in_order(limits: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in LIMITS if name in limits)


def _langchain(*, turned_round: bool) -> dict[tuple[str, str], Translation]:
    """agentevals, which hands arguments over turned round in two modes, and openevals."""
    whole = ("booleans", "parallel calls", "retries", _UNREADABLE)
    both = ("booleans", "retries", _UNREADABLE)
    values = ("booleans", _UNREADABLE)
    common = {
        ("strict", "exact"): _same("exact", "equal", *whole),
        ("strict", "ignore"): _same("exact", "ignore", "parallel calls", "retries", _UNREADABLE),
        ("strict", "subset"): _none("exact", "equal", _ACTUAL_WITHIN, *whole),
        ("strict", "superset"): _same("exact", "contains", *whole),
        ("unordered", "exact"): _same("unordered", "equal", *both),
        ("unordered", "ignore"): _same("unordered", "ignore", "retries", _UNREADABLE),
        ("subset", "exact"): _same("subset", "equal", *both),
        ("subset", "ignore"): _same("subset", "ignore", "retries", _UNREADABLE),
        ("superset", "exact"): _same("superset", "equal", *values),
        ("superset", "ignore"): _same("superset", "ignore", _UNREADABLE),
        ("superset", "subset"): _none("superset", "equal", _ACTUAL_WITHIN, *values),
        ("superset", "superset"): _none("superset", "contains", _FIRST_COME, *values),
    }
    if turned_round:
        return common | {
            ("unordered", "subset"): _none("unordered", "equal", _TURNED + _FIRST_COME, *both),
            ("unordered", "superset"): _none("unordered", "equal", _TURNED + _FIRST_COME, *both),
            ("subset", "subset"): _none("subset", "contains", _TURNED + _FIRST_COME, *both),
            ("subset", "superset"): _none("subset", "equal", _TURNED + _ACTUAL_WITHIN, *both),
        }
    return common | {
        ("unordered", "subset"): _none("unordered", "equal", _ACTUAL_WITHIN, *both),
        ("unordered", "superset"): _none("unordered", "contains", _FIRST_COME, *both),
        ("subset", "subset"): _none("subset", "equal", _ACTUAL_WITHIN, *both),
        ("subset", "superset"): _none("subset", "contains", _FIRST_COME, *both),
    }


_FIRST_COME = (
    "pairs first come, first served, so a call can take the partner that another one needed; we "
    "find a pairing wherever there is one"
)
_ACTUAL_WITHIN = (
    "lets a call leave out expected arguments, and forbids others; to us an expected argument is "
    "expected"
)
_TURNED = "hands the two calls' arguments over the wrong way round, and "
_UNREADABLE = "unreadable arguments"
_NOTHING = "nothing expected"
_TEXT = (
    "compares arguments as text, where 1 is '1' and is not 1.0, and takes {} to mean that there "
    "must be no argument"
)
_BY_VALUE = (
    "takes a call that equals one already paired for taken too, so that two equal calls satisfy "
    "one of two equal expectations; we pair each call once"
)
_JSON_TEXT = "compares arguments as JSON text, where 1 is not 1.0 (documented, not verified)"
_ALLOWED = (
    "has lists of allowed values and exact types: 1.0 is no integer, and text compares without "
    "case, spaces and most punctuation"
)
_PYTHON = ("booleans", "no arguments", _UNREADABLE)
_IN_A_ROW = (*_PYTHON, "parallel calls")
_ALL_IN_A_ROW = (*_IN_A_ROW, "retries")

_TABLE: Mapping[str, Mapping[tuple[str, str], Translation]] = {
    "agentevals": _langchain(turned_round=True),
    "openevals": _langchain(turned_round=False),
    "adk": {
        ("exact", "exact"): _same("exact", "equal", *_ALL_IN_A_ROW),
        ("exact", "ignore"): _same("exact", "ignore", "parallel calls", "retries", _UNREADABLE),
        ("in_order", "exact"): _same("in_order", "equal", *_IN_A_ROW),
        ("in_order", "ignore"): _same("in_order", "ignore", "parallel calls", _UNREADABLE),
        ("any_order", "exact"): _same("superset", "equal", *_PYTHON),
        ("any_order", "ignore"): _same("superset", "ignore", _UNREADABLE),
    },
    "ragas": {
        ("accuracy_strict", "exact"): _none(
            "exact", "contains", _TEXT, "parallel calls", "retries", _UNREADABLE
        ),
        ("accuracy_flex", "exact"): _none("unordered", "contains", _TEXT, "retries", _UNREADABLE),
        ("f1", "exact"): _same(
            "unordered", "equal", "booleans", _NOTHING, "retries", _UNREADABLE, counts=False
        ),
    },
    "deepeval": {
        ("default", "exact"): _none("superset", "equal", _BY_VALUE, *_PYTHON, _NOTHING),
        ("default", "ignore"): _none("superset", "ignore", _BY_VALUE, _NOTHING, _UNREADABLE),
        ("ordering", "exact"): _same("in_order", "equal", *_IN_A_ROW, _NOTHING),
        ("ordering", "ignore"): _same(
            "in_order", "ignore", "parallel calls", _NOTHING, _UNREADABLE
        ),
        ("exact", "exact"): _same("exact", "equal", *_ALL_IN_A_ROW),
        ("exact", "ignore"): _same("exact", "ignore", "parallel calls", "retries", _UNREADABLE),
    },
    "vertex": {
        ("exact_match", "exact"): _none("exact", "equal", _JSON_TEXT, "parallel calls", "retries"),
        ("in_order_match", "exact"): _none("in_order", "equal", _JSON_TEXT, "parallel calls"),
        ("any_order_match", "exact"): _none("superset", "equal", _JSON_TEXT, counts=False),
        ("precision", "exact"): _none(
            "subset", "equal", _JSON_TEXT, "nothing to score", "retries", counts=False
        ),
        ("recall", "exact"): _none(
            "superset", "equal", _JSON_TEXT, "nothing to score", counts=False
        ),
        ("single_tool_use", "exact"): _same("superset", "ignore"),
    },
    "bfcl": {
        ("simple", "exact"): _none("exact", "equal", _ALLOWED, "one call"),
        ("multiple", "exact"): _none("exact", "equal", _ALLOWED, "one call"),
        ("parallel", "exact"): _none("unordered", "equal", _ALLOWED, "retries"),
    },
}


def translation(dialect: Dialect, mode: str, args: str = "exact") -> Translation:
    """What one mode of a dialect is in our words.

    >>> from passhat.match.dialects.registry import find_dialect
    >>> print(translation(find_dialect("adk"), "any_order").nearest)
    mode superset, extra_args forbid
    """
    return _TABLE[dialect.name][mode, args]


def _equivalents() -> dict[tuple[str, str, str], Ours | None]:
    table: dict[tuple[str, str, str], Ours | None] = {}
    for dialect, mode, args in dialect_modes():
        found = translation(dialect, mode.name, args)
        table[dialect.id, mode.name, args] = found.nearest if found.same else None
    return table


equivalents: Final[Mapping[tuple[str, str, str], Ours | None]] = _equivalents()
"""For each (dialect, mode, args), the one of ours that means the same, or None where none does."""


PARTING: Final[tuple[str, ...]] = ("retries", "parallel calls")
"""The limits that any run of a case may reach, and that a case can rule out."""


def parted(case: Case, limits: Collection[str]) -> str | None:
    """The first limit by which a mode of a framework parts from a case that states the same mode.

    A failed attempt that is made again parts them unless the case counts it, and calls that were
    asked for together where more than one is expected.

    >>> case = Case("c", "hi", expected_calls=["f"], mode="exact")
    >>> parted(case, ("retries", "parallel calls")), parted(case, ("booleans",))
    ('retries', None)
    """
    calls = [
        call
        for entry in case.expected_calls or ()
        for call in (entry if isinstance(entry, tuple) else (entry,))
    ]
    if "retries" in limits and calls and case.retries != "count":
        return "retries"
    if "parallel calls" in limits and len(calls) > 1:
        return "parallel calls"
    return None
