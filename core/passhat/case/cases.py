"""A case: one task, with what is expected of an attempt at it, as a whole or turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field, to_builtins
from msgspec.structs import asdict, force_setattr

from passhat.case.expected import (
    MODES,
    ExpectedCall,
    ExpectedEntry,
    Mode,
    expected_call,
    expected_calls,
)
from passhat.errors import UsageError
from passhat.surroundings.approvals import Approval, approvals_of
from passhat.surroundings.faults import Fault

POLICY_NAMES = ("call", "calls_before", "state", "case")
"""What the condition of a policy may name."""


class Turn(
    Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True, forbid_unknown_fields=True
):
    """One turn of a multi-turn case: what the user says, and what is expected of that turn.

    The keys are those of a case that speak of calls, order, response and conduct; they are judged
    on `trace.turns[i]`.
    """

    input: Any = None
    expected_calls: tuple[ExpectedEntry, ...] | None = None
    mode: Mode | None = None
    before: tuple[Any, ...] | None = None
    optional_calls: tuple[str, ...] | None = None
    forbidden_calls: tuple[ExpectedCall, ...] | None = None
    response: dict[str, Any] | None = None
    response_must_include: tuple[str, ...] | None = None
    budget: dict[str, float] | None = None
    requires_approval: bool | tuple[str, ...] | None = None
    route: str | tuple[str, ...] | None = None
    refuse: bool | None = None
    clarify: bool | None = None
    checks: dict[str, dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        _normalise(self)


class Case(
    Struct,
    frozen=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    dict=True,
    forbid_unknown_fields=True,
):
    """One task with what is expected of it. Every key but `id` and `input` is optional.

    Each expectation present brings its check; None says nothing, and an empty list of expected
    calls says that no tool may be called.

    Attributes:
        id: The case's id, unique in its suite.
        input: What the agent is given: text, messages, or a mapping.
        turns: The turns of a conversation; turn i is judged on `trace.turns[i]`.
        user: Who the user is, for simulated users.
        tags: Labels to group by.
        metadata: Anything else about the case.
        trials: How many attempts to make.
        reference: Any JSON to compare with by hand or by a judge; brings no check.
        initial_state: The state before: tables or documents, or a path relative to the suite file.
        expected_calls: The calls expected; a tuple inside is a group in any order.
        mode: How the actual calls relate to the expected ones (default `superset`; `exact` where
            `expected_calls` is empty).
        counts: False compares as sets: a repeat of an expected call is no extra.
        retries: `fold` (default) takes a failed attempt followed by a matched call for a retry;
            `count` counts it as a call.
        parallel: `free` (default): calls asked for together have no order among themselves;
            `ordered`: they have that in which they stand.
        nested: `include` judges the calls made inside other calls too.
        match: How arguments compare, tool by tool: `{tool: {arg: matcher}}`, or `"auto"`.
        before: Pairs `[A, B]`: A before B.
        optional_calls: Tools that never count against a run.
        forbidden_calls: Calls that must not be made.
        expected_final_state: Rows or documents that must be there in the end.
        state: How the final state compares: `{ignore, allow, exact, match, keys, tolerance,
            lists}`; see `passhat.state.StateRules`.
        response: `{includes, excludes, equals, matches, json, number}`.
        response_must_include: Short for `response: {includes: [...]}`.
        success_check: CEL over the final state, the response and the calls.
        policies: `[{name, deny | require}]`, CEL over each call.
        budget: Upper bounds: `{turns, requests, tool_calls, tokens, cost, seconds}`.
        optimal_steps: How many calls the shortest way takes.
        requires_approval: Tools that need a confirmation first; True means all of `writes`.
        route: The label, or labels, that the task belongs to.
        refuse: Whether the agent should refuse.
        clarify: Whether the agent should ask before it acts.
        scenario: For simulated users: `{persona, goal, known_facts, ...}`.
        faults: Faults to inject into tools, `[{tool, fault, when, expect}]`; see `passhat.Fault`.
        approvals: Answers to calls that wait for a confirmation: `approve`, `decline`, or by tool
            `{refund: {decision: edit, args: {...}}}`.
        checks: Options of checks by key: `{key: {at_least, at_most, required, ...}}`.
        tools: The tools that may be used: name to JSON Schema of the arguments.
        writes: The tools that change the world.
        extensions: Keys of other tools, carried along unread.

    >>> Case("c", "Where is A1?", expected_calls=["lookup"]).expected_calls
    (ExpectedCall(name='lookup'),)
    """

    id: str
    input: Any = None
    turns: tuple[Turn, ...] | None = None
    user: Any = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    trials: int | None = None
    reference: Any = None
    initial_state: Any = None
    expected_calls: tuple[ExpectedEntry, ...] | None = None
    mode: Mode | None = None
    counts: bool | None = None
    retries: Literal["fold", "count"] | None = None
    parallel: Literal["free", "ordered"] | None = None
    nested: Literal["exclude", "include"] | None = None
    match: dict[str, Any] | str | None = None
    before: tuple[Any, ...] | None = None
    optional_calls: tuple[str, ...] | None = None
    forbidden_calls: tuple[ExpectedCall, ...] | None = None
    expected_final_state: Any = None
    state: dict[str, Any] | None = None
    response: dict[str, Any] | None = None
    response_must_include: tuple[str, ...] | None = None
    success_check: str | None = None
    policies: tuple[dict[str, Any], ...] | None = None
    budget: dict[str, float] | None = None
    optimal_steps: int | None = None
    requires_approval: bool | tuple[str, ...] | None = None
    route: str | tuple[str, ...] | None = None
    refuse: bool | None = None
    clarify: bool | None = None
    scenario: dict[str, Any] | None = None
    faults: tuple[dict[str, Any], ...] | None = None
    approvals: Any = None
    checks: dict[str, dict[str, Any]] | None = None
    tools: dict[str, dict[str, Any]] | None = None
    writes: tuple[str, ...] | None = None
    extensions: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _normalise(self)
        if self.tags is not None and type(self.tags) is not tuple:
            force_setattr(self, "tags", tuple(_listed(self.tags)))
        if self.policies is not None:
            force_setattr(self, "policies", tuple(_listed(self.policies)))
        if self.nested not in (None, "exclude", "include"):
            raise UsageError(f"nested is exclude or include, not {self.nested!r}")
        if self.writes is not None:
            force_setattr(self, "writes", tuple(_listed(self.writes)))
        if self.faults is not None:
            entries = [self.faults] if isinstance(self.faults, Mapping | Fault) else self.faults
            force_setattr(self, "faults", tuple(Fault.of(entry).to_dict() for entry in entries))
        if self.approvals is not None:
            found = approvals_of(self.approvals)
            if isinstance(self.approvals, list | tuple) and any(
                isinstance(approval, Approval) for approval in self.approvals
            ):
                force_setattr(self, "approvals", [to_builtins(approval) for approval in found])
        if self.turns is not None:
            force_setattr(self, "turns", tuple(map(_turn, self.turns)))

    @property
    def first_input(self) -> Any:
        """What the agent is given first: the input, or that of the first turn."""
        return self.turns[0].input if self.input is None and self.turns else self.input

    @property
    def effective_mode(self) -> Mode:
        """The mode that judges the expected calls: as stated, else by the design's defaults."""
        return self.mode or ("exact" if self.expected_calls == () else "superset")

    @property
    def stated(self) -> tuple[str, ...]:
        """The keys that say something, `id` among them.

        >>> Case("c", "Where is A1?", expected_calls=[]).stated
        ('id', 'input', 'expected_calls')
        """
        return tuple(name for name, held in _UNSAID.items() if getattr(self, name) != held)


def _normalise(case: Case | Turn) -> None:
    """Puts what people write into one form: typed calls, tuples, one key for a response."""
    calls = case.expected_calls
    if calls is not None:
        typed = expected_calls(calls if type(calls) is tuple else _listed(calls))
        if typed is not calls:
            force_setattr(case, "expected_calls", typed)
    if case.forbidden_calls is not None:
        calls = tuple(map(expected_call, _listed(case.forbidden_calls)))
        force_setattr(case, "forbidden_calls", calls)
    if case.optional_calls is not None:
        force_setattr(case, "optional_calls", tuple(_listed(case.optional_calls)))
    if isinstance(case.route, list):
        force_setattr(case, "route", tuple(case.route))
    if isinstance(case.requires_approval, list):
        force_setattr(case, "requires_approval", tuple(case.requires_approval))
    if case.before is not None:
        force_setattr(case, "before", tuple(map(_before_entry, case.before)))
    if case.mode is not None and case.mode not in MODES:
        raise UsageError(f"{case.mode!r} is no mode: there are {', '.join(MODES)}")
    if case.response_must_include is not None:
        given = dict(case.response or {})
        includes = list(_listed(given.get("includes", [])))
        more = [text for text in _listed(case.response_must_include) if text not in includes]
        given["includes"] = [*includes, *more]
        force_setattr(case, "response", given)
        force_setattr(case, "response_must_include", None)


def _listed(value: Any) -> Any:
    """The value, as a list where it is a lone text or number."""
    return [value] if isinstance(value, str | int | float) else value


def _before_entry(entry: Any) -> Any:
    """A pair as plain data: `(A, B)`, or with a mapping of how to join them as the third."""
    if not isinstance(entry, list | tuple):
        return entry
    return tuple(_as_mapping(part) if isinstance(part, ExpectedCall) else part for part in entry)


def _as_mapping(call: ExpectedCall) -> dict[str, Any]:
    return {
        key: value for key, value in asdict(call).items() if value not in (None, False, "allow")
    }


def _turn(value: Any) -> Turn:
    if isinstance(value, Turn):
        return value
    if isinstance(value, str):
        return Turn(value)
    unknown = [key for key in value if key not in Turn.__struct_fields__]
    if unknown:
        keys = ", ".join(Turn.__struct_fields__)
        raise UsageError(f"a turn has no {unknown[0]!r}: its keys are {keys}")
    return Turn(**value)


_UNSAID = {name: getattr(Case(""), name) for name in Case.__struct_fields__} | {"id": None}
_ABOUT = ("id", "input", "user", "tags", "metadata", "trials", "reference", "extensions")
EXPECTING = tuple(name for name in Case.__struct_fields__ if name not in _ABOUT)
"""The keys of a case that expect something or say how to judge it."""
