"""Which of our modes means the same as a mode of a framework, and which ones none of ours does.

Two modes mean the same where ours holds exactly when theirs is true, or gives the full score. Each
claim has limits, named in `but`: kinds of runs that it does not speak of, and on which the two
differ (`LIMITS` shows how).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

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
        retries: `fold`: a failed attempt that is made again is no call too many; `count`: it is a
            call like any other.
        parallel: `free`: calls asked for together have no order among themselves; `ordered`: they
            have that in which they stand.

    >>> print(Ours("exact", "equal", retries="count"))
    mode exact, extra_args forbid, retries count
    """

    mode: OurMode
    args: OurArgs = "contains"
    counts: bool = True
    retries: Literal["fold", "count"] = "fold"
    parallel: Literal["free", "ordered"] = "free"

    def __str__(self) -> str:
        words = {
            "equal": "extra_args forbid",
            "contains": "extra_args allow",
            "ignore": "names only",
        }
        said = f"mode {self.mode}, {words[self.args]}"
        said += "" if self.counts else ", counts false"
        said += "" if self.retries == "fold" else ", retries count"
        return said + ("" if self.parallel == "free" else ", parallel ordered")


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


def _same(ours: Ours, *but: str) -> Translation:
    return Translation(ours, True, _in_order(but))


def _none(nearest: Ours, why: str, *but: str) -> Translation:
    return Translation(nearest, False, _in_order(but), why)


def _all(args: OurArgs) -> Ours:
    """All calls of both, in order, as libraries compare them that see a list of calls alone."""
    return Ours("exact", args, retries="count", parallel="ordered")


def _messages(args: OurArgs) -> Ours:
    return Ours("exact", args, retries="count")


def _every(mode: OurMode, args: OurArgs, counts: bool = True) -> Ours:
    """A mode that insists on all actual calls, whatever came of them."""
    return Ours(mode, args, counts, retries="count")


def _listed(args: OurArgs) -> Ours:
    return Ours("in_order", args, parallel="ordered")


def _in_order(limits: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in LIMITS if name in limits)


def _langchain(*, turned_round: bool) -> dict[tuple[str, str], Translation]:
    """agentevals, which hands arguments over turned round in two modes, and openevals."""
    values = ("booleans", _UNREADABLE)
    whole = (*values, "parallel calls")
    superset, contains = Ours("superset", "equal"), Ours("superset", "contains")
    common = {
        ("strict", "exact"): _same(_messages("equal"), *whole),
        ("strict", "ignore"): _same(_messages("ignore"), "parallel calls", _UNREADABLE),
        ("strict", "subset"): _none(_messages("equal"), _ACTUAL_WITHIN, *whole),
        ("strict", "superset"): _same(_messages("contains"), *whole),
        ("unordered", "exact"): _same(_every("unordered", "equal"), *values),
        ("unordered", "ignore"): _same(_every("unordered", "ignore"), _UNREADABLE),
        ("subset", "exact"): _same(_every("subset", "equal"), *values),
        ("subset", "ignore"): _same(_every("subset", "ignore"), _UNREADABLE),
        ("superset", "exact"): _same(superset, *values),
        ("superset", "ignore"): _same(Ours("superset", "ignore"), _UNREADABLE),
        ("superset", "subset"): _none(superset, _ACTUAL_WITHIN, *values),
        ("superset", "superset"): _none(contains, _FIRST_COME, *values),
    }
    equal = {mode: _every(mode, "equal") for mode in ("unordered", "subset")}
    loose = {mode: _every(mode, "contains") for mode in ("unordered", "subset")}
    if turned_round:
        return common | {
            ("unordered", "subset"): _none(equal["unordered"], _TURNED + _FIRST_COME, *values),
            ("unordered", "superset"): _none(equal["unordered"], _TURNED + _FIRST_COME, *values),
            ("subset", "subset"): _none(loose["subset"], _TURNED + _FIRST_COME, *values),
            ("subset", "superset"): _none(equal["subset"], _TURNED + _ACTUAL_WITHIN, *values),
        }
    return common | {
        ("unordered", "subset"): _none(equal["unordered"], _ACTUAL_WITHIN, *values),
        ("unordered", "superset"): _none(loose["unordered"], _FIRST_COME, *values),
        ("subset", "subset"): _none(equal["subset"], _ACTUAL_WITHIN, *values),
        ("subset", "superset"): _none(loose["subset"], _FIRST_COME, *values),
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
_SUPERSET, _NAMES = Ours("superset", "equal"), Ours("superset", "ignore")

_TABLE: Mapping[str, Mapping[tuple[str, str], Translation]] = {
    "agentevals": _langchain(turned_round=True),
    "openevals": _langchain(turned_round=False),
    "adk": {
        ("exact", "exact"): _same(_all("equal"), *_PYTHON),
        ("exact", "ignore"): _same(_all("ignore"), _UNREADABLE),
        ("in_order", "exact"): _same(_listed("equal"), *_PYTHON),
        ("in_order", "ignore"): _same(_listed("ignore"), _UNREADABLE),
        ("any_order", "exact"): _same(_SUPERSET, *_PYTHON),
        ("any_order", "ignore"): _same(_NAMES, _UNREADABLE),
    },
    "ragas": {
        ("accuracy_strict", "exact"): _none(_all("contains"), _TEXT, _UNREADABLE),
        ("accuracy_flex", "exact"): _none(_every("unordered", "contains"), _TEXT, _UNREADABLE),
        ("f1", "exact"): _same(
            _every("unordered", "equal", counts=False), "booleans", _NOTHING, _UNREADABLE
        ),
    },
    "deepeval": {
        ("default", "exact"): _none(_SUPERSET, _BY_VALUE, *_PYTHON, _NOTHING),
        ("default", "ignore"): _none(_NAMES, _BY_VALUE, _NOTHING, _UNREADABLE),
        ("ordering", "exact"): _same(_listed("equal"), *_PYTHON, _NOTHING),
        ("ordering", "ignore"): _same(_listed("ignore"), _NOTHING, _UNREADABLE),
        ("exact", "exact"): _same(_all("equal"), *_PYTHON),
        ("exact", "ignore"): _same(_all("ignore"), _UNREADABLE),
    },
    "vertex": {
        ("exact_match", "exact"): _none(_all("equal"), _JSON_TEXT),
        ("in_order_match", "exact"): _none(_listed("equal"), _JSON_TEXT),
        ("any_order_match", "exact"): _none(Ours("superset", "equal", False), _JSON_TEXT),
        ("precision", "exact"): _none(
            _every("subset", "equal", counts=False), _JSON_TEXT, "nothing to score"
        ),
        ("recall", "exact"): _none(
            Ours("superset", "equal", False), _JSON_TEXT, "nothing to score"
        ),
        ("single_tool_use", "exact"): _same(_NAMES),
    },
    "bfcl": {
        ("simple", "exact"): _none(_all("equal"), _ALLOWED, "one call"),
        ("multiple", "exact"): _none(_all("equal"), _ALLOWED, "one call"),
        ("parallel", "exact"): _none(_every("unordered", "equal"), _ALLOWED),
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
