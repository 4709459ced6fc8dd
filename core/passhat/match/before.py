"""Precedence: one call before another, joined by a value where the case says so."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from passhat.case import expected_call
from passhat.errors import UsageError
from passhat.match.calls import as_calls
from passhat.match.expectations import Expectation, expectations
from passhat.trace import ToolCall
from passhat.values import canonical

_KEYS = frozenset({"same", "where"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A before B.

    Attributes:
        before: What has to come first.
        after: What it has to come before.
        same: The argument of A, and the argument of B, that must have the same value; None for no
            join.
        where: A condition over the two calls `a` and `b`, an expression that is made to judge.
    """

    before: Expectation
    after: Expectation
    same: tuple[str, str] | None = None
    where: Any = None

    def __str__(self) -> str:
        joined = f" with the same {' / '.join(dict.fromkeys(self.same))}" if self.same else ""
        return f"{self.before.call.name} before {self.after.call.name}{joined}"


@dataclass(frozen=True, slots=True)
class Violation:
    """A call that came before what it needed.

    Attributes:
        call: The call, B.
        index: Its index among the calls.
        reason: What is wrong, in a sentence.
    """

    call: ToolCall
    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Precedence:
    """What became of one rule.

    Attributes:
        rule: The rule.
        satisfied: How many calls of B had their A before them.
        judged: How many calls of B there were; with 0 there was nothing to judge.
        violations: The calls of B that had not.
    """

    rule: Rule
    satisfied: int
    judged: int
    violations: tuple[Violation, ...]

    @property
    def ok(self) -> bool:
        """Whether every B had its A; True as well where there was no B."""
        return self.satisfied == self.judged


def read_rule(entry: Any, match: Any = None, tools: Mapping[str, Any] | None = None) -> Rule:
    """A rule from what a suite writes: `[A, B]`, or `[A, B, {same: {A: arg, B: arg}, where: CEL}]`.

    Each side is a tool's name or an expected call. The join and the condition may also stand in
    side B's mapping, as `{name: B, same: {A: order_id, B: id}}`. `same: order_id` joins by that
    argument on both sides.

    Raises:
        UsageError: The entry is no such rule.

    >>> str(read_rule(["lookup", {"name": "refund", "same": "order_id"}]))
    'lookup before refund with the same order_id'
    """
    if isinstance(entry, Rule):
        return entry
    if not isinstance(entry, Sequence) or isinstance(entry, str) or len(entry) not in (2, 3):
        raise UsageError(f"before: a rule is a pair [A, B] of calls, not {entry!r}")
    options: dict[str, Any] = {}
    sides = []
    for side in entry[:2]:
        if isinstance(side, Mapping):
            options |= {key: side[key] for key in side.keys() & _KEYS}
            side = {key: value for key, value in side.items() if key not in _KEYS}
        sides.append(expected_call(side))
    if len(entry) == 3:
        if not isinstance(entry[2], Mapping) or entry[2].keys() - _KEYS:
            raise UsageError(f"before: the third entry is {{same, where}}, not {entry[2]!r}")
        options |= entry[2]
    ready = expectations(sides, match, tools)
    same = options.get("same")
    return Rule(ready[0], ready[1], _join(same, *sides), _condition(options.get("where")))


def _join(same: Any, first: Any, second: Any) -> tuple[str, str] | None:
    if same is None:
        return None
    if isinstance(same, str):
        return same, same
    if isinstance(same, Mapping):
        if first.name == second.name and len(same) == 1:
            (arg,) = same.values()
            return arg, arg
        if set(same) == {first.name, second.name}:
            return same[first.name], same[second.name]
    raise UsageError(
        f"before: same is an argument, or {{{first.name}: argument, {second.name}: argument}}, "
        f"not {same!r}"
    )


def _condition(where: Any) -> Any:
    if where is None:
        return None
    from passhat.expressions import compile_expression

    return compile_expression(where, names=("a", "b"))


def precedence(calls: Iterable[Any], rule: Any) -> Precedence:
    """Whether every call that matches B has a successful call that matches A in an earlier request.

    Calls asked for together, in one request, are not before one another. With no B there is
    nothing to judge.

    Args:
        calls: The calls made: ToolCalls, names or mappings.
        rule: A `Rule`, or what `read_rule` reads.

    Raises:
        UsageError: The rule or a call is none.

    >>> found = precedence(["refund", "lookup"], ["lookup", "refund"])
    >>> found.satisfied, found.judged, found.violations[0].reason
    (0, 1, 'refund came without lookup before it')
    """
    made = as_calls(calls)
    rule = read_rule(rule)
    before, after = rule.before, rule.after
    ready: dict[Hashable, list[ToolCall]] = {}
    waiting: list[ToolCall] = []
    last: int | None = None
    violations: list[Violation] = []
    judged = 0
    for index, call in enumerate(made):
        if call.request is None or call.request != last:
            for earlier in waiting:
                ready.setdefault(_key(earlier, rule.same and rule.same[0]), []).append(earlier)
            waiting.clear()
            last = call.request
        if call.name == after.call.name and after.accepts(call):
            judged += 1
            why = _unmet(call, rule, ready)
            if why is not None:
                violations.append(Violation(call, index, why))
        done = not call.failed and call.executed is not False
        if done and call.name == before.call.name and before.accepts(call):
            waiting.append(call)
    return Precedence(rule, judged - len(violations), judged, tuple(violations))


_NOTHING = object()


def _key(call: ToolCall, arg: str | None) -> Hashable:
    if arg is None:
        return None
    return ("value", canonical(call.args[arg])) if arg in call.args else _NOTHING


def _unmet(call: ToolCall, rule: Rule, ready: Mapping[Hashable, list[ToolCall]]) -> str | None:
    """Why a call of B lacks its A, or None if it has one."""
    first, second = rule.before.call.name, rule.after.call.name
    if rule.same is None:
        candidates = ready.get(None, [])
    else:
        theirs, ours = rule.same
        key = _key(call, ours)
        if key is _NOTHING:
            return f"{second} has no {ours} to join it with {first}"
        candidates = ready.get(key, [])
        if not candidates:
            return f"{second} came without {first} for {theirs}={call.args[ours]!r} before it"
    if rule.where is not None:
        candidates = [earlier for earlier in candidates if _meets(rule.where, earlier, call)]
        if not candidates:
            return f"{second} came without a {first} before it that meets its condition"
    return None if candidates else f"{second} came without {first} before it"


def _meets(where: Any, earlier: ToolCall, call: ToolCall) -> bool:
    """Whether two calls meet a condition; calls that it makes no sense of do not.

    What a condition reads is what the agent wrote, so that an argument left out is no excuse.
    """
    from passhat.expressions import ExpressionError

    try:
        return where.evaluate(a=_plain(earlier), b=_plain(call)) is True
    except ExpressionError:
        return False


def _plain(call: ToolCall) -> dict[str, Any]:
    return {"name": call.name, "args": call.args, "turn": call.turn, "request": call.request}
