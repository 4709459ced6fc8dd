"""The types in which a framework's way of comparing tool calls is written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Raises:
    """The framework gives no verdict here: it raises.

    Attributes:
        type: The name of the exception's class.
        message: What it says, shortened to what matters.
    """

    type: str
    message: str

    def __str__(self) -> str:
        return f"raises {self.type}: {self.message}"


Verdict: TypeAlias = bool | float | Raises | None
"""What a framework answers: yes or no, a score in 0..1, an exception, or no score at all (None)."""


class FrameworkError(Exception):
    """Where a dialect reaches the point at which its framework would raise.

    It never leaves this package: `verdict` answers with its `raises`.
    """

    def __init__(self, type: str, message: str) -> None:
        super().__init__(type, message)
        self.raises = Raises(type, message)


class _Absent:
    """The type of `ABSENT`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class PlainCall:
    """A call as it is handed to a framework.

    Attributes:
        name: The tool's name.
        args: A mapping; None where it is null; text where the model's JSON is not yet read;
            `ABSENT` where only a name was given.
        error: Why the call failed, where it did; no framework looks at it.
    """

    name: str
    args: Any = ABSENT
    error: str | None = None

    @property
    def given(self) -> bool:
        """Whether there are arguments: neither `ABSENT` nor null."""
        return self.args is not ABSENT and self.args is not None


Calls: TypeAlias = tuple[PlainCall, ...]


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Calls in order, with what belongs together where the caller said it.

    Attributes:
        groups: The calls of each message, or of each turn; a single group where nobody grouped.
        grouped: Whether the caller grouped them.
    """

    groups: tuple[Calls, ...]
    grouped: bool

    @property
    def calls(self) -> Calls:
        """All calls, whatever they belong to."""
        return tuple(call for group in self.groups for call in group)

    @property
    def messages(self) -> tuple[Calls, ...]:
        """The calls of each assistant message: one a message where nobody grouped."""
        return self.groups if self.grouped else tuple((call,) for call in self.calls)

    @property
    def turns(self) -> tuple[Calls, ...]:
        """The calls of each turn: one turn with all of them where nobody grouped."""
        return self.groups


@dataclass(frozen=True, slots=True)
class Question:
    """What a mode is asked: two trajectories, and how arguments are to be compared.

    Attributes:
        actual: What the agent did.
        expected: What it was expected to do.
        args: The argument mode, one of the mode's own.
        tools: JSON Schemas of the tools' arguments by name, for dialects that look at them.
    """

    actual: Trajectory
    expected: Trajectory
    args: str = "exact"
    tools: Mapping[str, Mapping[str, Any]] | None = None


Scope: TypeAlias = Literal["message", "turn", "session"]
Values: TypeAlias = Literal["python", "text", "json-text", "typed"]
Assignment: TypeAlias = Literal["positional", "greedy", "lcs", "set", "existential"]
Denominator: TypeAlias = Literal["all", "expected", "actual", "f1"]
Relation: TypeAlias = Literal[
    "equal",
    "ignored",
    "actual within expected",
    "expected within actual",
    "each within the other",
    "share of expected",
    "share of union",
    "one of the allowed",
]


@dataclass(frozen=True, slots=True)
class Mode:
    """One mode of one framework, taken apart.

    Attributes:
        name: Its name in passhat's spelling, close to the framework's own.
        meaning: What it asks for, in one sentence.
        judge: The verdict the framework would give.
        scope: What is compared as one list: the calls of a message, of a turn, or all of them.
        assignment: How calls are paired: by position, greedily first come first served, along a
            longest common subsequence, as sets, or each for itself (`existential`: one actual call
            may serve several expected ones).
        denominator: What a score is a share of: `all` is all or nothing.
        arguments: For each argument mode, what is asked of the arguments of two paired calls.
        empties: What happens where one side, or both, has no calls.
        turns: How turns become one verdict.
        scored: Whether the answer is a number; else it is True or False.
        values: How two argument values compare: by Python's `==` (where `True == 1`), as `str()`
            text, as JSON text, or by type and allowed values.
    """

    name: str
    meaning: str
    judge: Callable[[Question], bool | float | None]
    scope: Scope
    assignment: Assignment
    denominator: Denominator
    arguments: Mapping[str, Relation]
    empties: str
    turns: Literal["flattened", "mean"] = "flattened"
    scored: bool = False
    values: Values = "python"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What one framework's modes mean at one version.

    Attributes:
        name: The framework.
        version: The version this was established for.
        verified: True where the verdicts were compared with the library's own; False where they
            follow its documentation alone.
        modes: Its modes by name.
        identity: What makes two calls the same, arguments apart.
        no_arguments: What becomes of a call without arguments, and of arguments that are no JSON
            object.
        failed_calls: What becomes of a call that failed.
        without_expected: The answer where there is no expectation at all (None, not an empty
            list); None where that is taken for an empty list.
        single_expected: Modes that take exactly one expected call.
        notes: What else a reader should know.
    """

    name: str
    version: str
    verified: bool
    modes: Mapping[str, Mode]
    identity: str
    no_arguments: str
    failed_calls: str
    without_expected: Raises | None = None
    single_expected: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Name and version in one word: `agentevals@0.0.9`."""
        return f"{self.name}@{self.version}" if self.version else self.name


def by_name(*modes: Mode) -> dict[str, Mode]:
    """The modes by their names."""
    return {mode.name: mode for mode in modes}


def json_object(args: Any, model: str) -> dict[str, Any]:
    """The arguments where the framework's own typed call takes nothing but an object.

    Raises:
        FrameworkError: They are something else: the framework refuses the call with pydantic's
            `ValidationError`.
    """
    if isinstance(args, Mapping):
        return dict(args)
    raise FrameworkError("ValidationError", f"{model}: the arguments must be an object")
