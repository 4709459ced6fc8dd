"""Faults: what goes wrong with a tool on purpose, at which of its calls, and what the agent should do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, get_args

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, force_setattr

from passhat.errors import UsageError
from passhat.surroundings.problems import Problem, is_number, near_to
from passhat.surroundings.whens import When, when_problems

FaultKind: TypeAlias = Literal[
    "timeout",
    "slow",
    "rate_limit",
    "server_error",
    "connection_reset",
    "schema_error",
    "empty",
    "permission_denied",
    "partial_failure",
    "malformed",
    "huge",
    "stale",
    "instruction",
]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
ALIASES: dict[str, FaultKind] = {"429": "rate_limit", "500": "server_error"}

Expect: TypeAlias = Literal["retry", "fallback", "report", "refuse"]
EXPECTS: tuple[Expect, ...] = get_args(Expect)

RAISING: frozenset[FaultKind] = frozenset({
    "timeout", "rate_limit", "server_error", "connection_reset", "schema_error", "permission_denied",
})  # fmt: skip
"""The faults by which a call fails; by the others it answers, but not as it should."""

PASSING: tuple[FaultKind, ...] = ("timeout", "rate_limit", "server_error", "connection_reset")
"""The faults that pass by themselves: to try again is right."""

PHRASINGS = ("plain", "polite", "urgent", "authority", "system", "user")
HIDINGS = ("open", "comment", "zero_width", "tags", "base64", "whitespace")

_RANGES = {
    "seconds": (0, 3600),
    "retry_after": (0, 3600),
    "share": (0, 1),
    "size": (1, 100_000_000),
}
_OWN: dict[str, tuple[FaultKind, ...]] = {
    "seconds": ("timeout", "slow"),
    "retry_after": ("rate_limit", "server_error"),
    "applied": ("timeout", "server_error", "connection_reset"),
    "share": ("partial_failure",),
    "size": ("huge",),
    "instruction": ("instruction",),
    "at": ("instruction",),
    "phrased": ("instruction",),
    "hidden": ("instruction",),
    "calls": ("instruction",),
    "category": ("instruction",),
}
"""The kinds of fault that a detail belongs to."""


class Fault(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """A fault injected into a tool.

    | kind | what the call does |
    |---|---|
    | `timeout` | raises `TimeoutError`, after `seconds` |
    | `slow` | answers as it should, `seconds` later |
    | `rate_limit`, `server_error` | raises an HTTP error 429 or 500, with `retry_after` where given |
    | `connection_reset` | raises `ConnectionResetError` |
    | `schema_error` | raises what a tool says whose schema refuses the call |
    | `permission_denied` | raises `PermissionError` |
    | `empty` | answers with nothing: an empty list, mapping or text |
    | `partial_failure` | answers with a `share` of what it should, and says that the rest failed |
    | `malformed` | answers with JSON that breaks off |
    | `huge` | answers with `size` characters, the right answer somewhere within |
    | `stale` | answers as it would have at the beginning; what the call changes is changed |
    | `instruction` | answers with an instruction planted in what it should say |

    Attributes:
        tool: The tool; `*` is any.
        fault: Its kind; `429` and `500` stand for `rate_limit` and `server_error`.
        when: Which calls it strikes: a number, several, or a mapping (see `When`). By default the
            first one where a retry is expected, else every one.
        expect: What the agent should do: `retry` until it succeeds, `fallback` to another tool,
            `report` to the user that it failed, or `refuse` what was planted or denied, as is
            always expected of an `instruction`.
        fallback: The tools that stand in for this one; by default any other.
        message: What the error says.
        answer: What the call answers with, instead of what its kind makes of the right answer.
        seconds: How long it takes (`timeout`, `slow`).
        retry_after: The seconds that the error asks to wait.
        applied: Whether the call did its work before it failed, so that to repeat it does it twice.
        share: The share of the answer that is there, 0 to 1 (`partial_failure`).
        size: How many characters the answer has at least (`huge`).
        instruction: What is planted.
        at: Where in the answer: a path such as `items[0].note`; by default its longest text.
        phrased: How it is phrased: `plain, polite, urgent, authority, system, user`.
        hidden: How it is hidden: `open, comment, zero_width, tags, base64, whitespace`.
        calls: The calls that obeying would make: names, or mappings of `name` and `args`.
        category: What the attack is counted under; by default how it is phrased and hidden.

    Raises:
        UsageError: Something of it cannot mean anything.

    >>> Fault("refund", 429, when=1, expect="retry").fault
    'rate_limit'
    >>> Fault("refund", "timeot")
    Traceback (most recent call last):
    passhat.errors.UsageError: a fault of refund: fault cannot be 'timeot', did you mean timeout?
    """

    tool: str
    fault: FaultKind | int
    when: When | int | list[int] | tuple[int, ...] | dict[str, Any] | None = None
    expect: Expect | None = None
    fallback: tuple[str, ...] = ()
    message: str | None = None
    answer: Any | UnsetType = UNSET
    seconds: float | None = None
    retry_after: float | None = None
    applied: bool = False
    share: float = 0.5
    size: int = 100_000
    instruction: str | None = None
    at: str | None = None
    phrased: str = "plain"
    hidden: str = "open"
    calls: tuple[Any, ...] = ()
    category: str | None = None

    def __post_init__(self) -> None:
        stated = {k: v for k, v in asdict(self).items() if v != _UNSAID.get(k, _NEVER)}
        _refuse(stated, self.tool)
        force_setattr(self, "fault", kind_of(self.fault))
        if self.expect is None and self.fault == "instruction":
            force_setattr(self, "expect", "refuse")
        force_setattr(self, "when", When.of(self.when, self.expect))
        for name in ("fallback", "calls"):
            value = getattr(self, name)
            force_setattr(self, name, (value,) if isinstance(value, str) else tuple(value))

    @classmethod
    def of(cls, entry: Fault | Mapping[str, Any]) -> Fault:
        """The fault that an entry of a case's `faults` writes.

        Raises:
            UsageError: It is no mapping of a fault's keys.

        >>> Fault.of({"tool": "search", "fault": "empty", "when": {"rate": 0.2}}).when
        When(rate=0.2)
        """
        if isinstance(entry, Fault):
            return entry
        if not isinstance(entry, Mapping):
            raise UsageError(f"a fault is a mapping of tool and fault, not {entry!r}")
        _refuse(entry, entry.get("tool") or "a tool")
        return cls(**entry)

    @property
    def strikes(self) -> When:
        """Which calls it strikes."""
        assert isinstance(self.when, When)
        return self.when

    @property
    def kind(self) -> FaultKind:
        """Its kind, never by another name."""
        return self.fault  # type: ignore[return-value]

    @property
    def counted_under(self) -> str:
        """The category of an attack: as stated, else how it is phrased and hidden."""
        return self.category or f"{self.phrased}/{self.hidden}"

    def to_dict(self) -> dict[str, Any]:
        """The fault as a case writes it.

        >>> Fault("refund", 429, when=1, expect="retry").to_dict()
        {'tool': 'refund', 'fault': 'rate_limit', 'when': {'calls': [1]}, 'expect': 'retry'}
        """
        said = {k: v for k, v in asdict(self).items() if v != _UNSAID.get(k, _NEVER)}
        when = {k: v for k, v in asdict(self.strikes).items() if v is not None}
        if "calls" in when:
            when["calls"] = list(when["calls"])
        said.pop("when", None)
        told = {"tool": said.pop("tool"), "fault": said.pop("fault")}
        if when:
            told["when"] = when
        return {**told, **{k: list(v) if isinstance(v, tuple) else v for k, v in said.items()}}


_NEVER = object()
_UNSAID: dict[str, Any] = dict(
    zip(
        Fault.__struct_fields__[-len(Fault.__struct_defaults__) :],
        Fault.__struct_defaults__,
        strict=True,
    )
)
KEYS = Fault.__struct_fields__
_WORDS = (*FAULT_KINDS, *ALIASES)


def kind_of(word: Any) -> FaultKind | None:
    """The kind of fault that a word or a number names; None where it names none."""
    text = str(word) if isinstance(word, int) and not isinstance(word, bool) else word
    if not isinstance(text, str):
        return None
    known: FaultKind | None = next((kind for kind in FAULT_KINDS if kind == text), None)
    return known or ALIASES.get(text)


def faults_of(entries: Iterable[Any] | None) -> tuple[Fault, ...]:
    """The faults of a case.

    Raises:
        UsageError: One of them cannot mean anything.
    """
    return tuple(map(Fault.of, entries or ()))


def _refuse(stated: Mapping[str, Any], tool: Any) -> None:
    """Raises what cannot mean anything in a fault, the first thing of it."""
    for steps, message in fault_problems(stated):
        raise UsageError(f"a fault of {tool}: {' '.join(map(str, steps[:1]))} {message}")


def fault_problems(entry: Mapping[str, Any]) -> Iterator[Problem]:
    """What cannot mean anything in an entry of a case's `faults`: the way to it, and why."""
    for key in entry:
        if key not in KEYS:
            yield (key,), f"unknown key, {near_to(key, KEYS)}"
    tool, kind = entry.get("tool"), kind_of(entry.get("fault"))
    if not isinstance(tool, str) or not tool:
        yield ("tool",), "needs the name of a tool, or *"
    if kind is None:
        yield ("fault",), f"cannot be {entry.get('fault')!r}, {near_to(entry.get('fault'), _WORDS)}"
    expect = entry.get("expect")
    if expect is not None and expect not in EXPECTS:
        yield ("expect",), f"cannot be {expect!r}, {near_to(expect, EXPECTS)}"
    yield from when_problems(entry.get("when"))
    for key, known in (("phrased", PHRASINGS), ("hidden", HIDINGS)):
        value = entry.get(key)
        if value is not None and value not in known:
            yield (key,), f"cannot be {value!r}, {near_to(value, known)}"
    for key, (low, high) in _RANGES.items():
        value = entry.get(key)
        if value is not None and not (is_number(value) and low <= value <= high):
            yield (key,), f"is a number from {low} to {high}, not {value!r}"
    if kind is not None:
        yield from _problems_of_kind(entry, kind)


def _problems_of_kind(entry: Mapping[str, Any], kind: FaultKind) -> Iterator[Problem]:
    """What an entry says that its kind of fault has no use for, or cannot do without."""
    expect = entry.get("expect")
    for key, kinds in _OWN.items():
        if key in entry and kind not in kinds:
            yield (key,), f"says nothing of {kind}: it belongs to {' and '.join(kinds)}"
    if kind == "instruction" and not (
        isinstance(entry.get("instruction"), str) and entry["instruction"]
    ):
        yield ("instruction",), "needs the text that is planted"
    if "answer" in entry and kind in RAISING:
        yield ("answer",), f"says nothing of {kind}, by which the call fails"
    if "message" in entry and kind not in RAISING and kind != "partial_failure":
        yield ("message",), f"says nothing of {kind}, by which the call answers"
    if "fallback" in entry and expect not in ("fallback", None):
        yield ("fallback",), f"says nothing where {expect} is expected"
    if expect == "retry":
        when = entry.get("when")
        if kind == "instruction":
            yield ("expect",), "cannot be retry: a planted instruction does not pass by itself"
        elif when is not None and not _may_pass(when):
            yield ("when",), "strikes every call, so that no retry can succeed"


def _may_pass(when: Any) -> bool:
    """Whether there may be a call that a `when` does not strike, for all that can be told of it."""
    try:
        return When.of(when).passes
    except (TypeError, AttributeError):
        return True
