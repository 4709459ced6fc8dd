"""An expression: compiled, checked, and evaluated on what it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from passhat.errors import Place, UsageError
from passhat.expressions.costs import MAX_COST, cost_of
from passhat.expressions.forms import equated, form_of
from passhat.expressions.looking import FUNCTIONS, MACROS, looked_over
from passhat.wording import nearest_or_all

MAX_LENGTH = 4_000
MAX_DEPTH = 200

_MAY_COST = re.compile(rf"\+|\.\s*(?:{'|'.join(sorted(MACROS))})\b")
"""What an expression has that may cost much: nothing else goes through a list, or makes one longer."""


class ExpressionError(UsageError):
    """An expression that gives no value on what it was evaluated with."""


class MissingValueError(ExpressionError):
    """An expression that asks for a name, a key or an item that is not there."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression. It pickles: it is its text, compiled again where it is loaded.

    Args:
        text: The expression.
        reads: What it takes from outside, sorted: each a name, then keys in the value of that
            name as far as it says them. Nothing else is handed over.
        place: Where it was written, for errors.
    """

    text: str
    reads: tuple[tuple[str, ...], ...] = ()
    place: Place | None = None

    @property
    def names_used(self) -> tuple[str, ...]:
        """The names it takes from outside, sorted."""
        return tuple(dict.fromkeys(path[0] for path in self.reads))

    def evaluate(self, /, **values: Any) -> Any:
        """What the expression gives on these values, as a JSON value.

        Args:
            **values: JSON values by name; those that the expression does not name are not looked
                at.

        Raises:
            MissingValueError: A name, a key or an item that it asks for is not there, or is null
                where null does not suit it.
            ExpressionError: The values do not suit it: kinds that do not go together, a division
                by zero, an integer beyond 64 bits, no JSON value.

        >>> compile_expression("a.amount == 1 && 'x' in b").evaluate(a={"amount": 1.0}, b=["x"])
        True
        """
        given = {}
        for name in self.names_used:
            if name not in values:
                raise MissingValueError(f"{self._said}: there is no {name}", self.place)
            given[name] = only_read(
                values[name], [path[1:] for path in self.reads if path[0] == name]
            )
            fault = _looked_through(given[name])
            if fault:
                raise ExpressionError(f"{self._said}: {name}{fault}", self.place)
        cost = cost_of(form_of(self.text), given) if _MAY_COST.search(self.text) else 0
        if cost > MAX_COST:
            raise ExpressionError(
                f"{self._said}: it may cost {cost:.1g} steps on what it is given, and "
                f"{MAX_COST:.1g} are allowed: ask with exists, exists_one or all, which gather "
                "nothing, and go through long lists once",
                self.place,
            )
        verdict = evaluator.get()(self.text, given)
        if verdict.missing:
            raise MissingValueError(f"{self._said}: {verdict.fault}", self.place)
        if verdict.fault:
            if verdict.unsuited and (null := self._null_in(given)) is not None:
                raise MissingValueError(f"{self._said}: {null} is null", self.place)
            raise ExpressionError(f"{self._said}: {verdict.fault}", self.place)
        return verdict.value

    def _null_in(self, given: Mapping[str, Any]) -> str | None:
        """The null that an operation does not take; one that == or != may hold against is none."""
        held = equated(self.text)
        nulls = (_null_on(path, given) for path in self.reads)
        return next((".".join(null) for null in nulls if null and null not in held), None)

    @property
    def _said(self) -> str:
        text = " ".join(self.text.split())
        return f"`{text if len(text) <= 80 else text[:77] + '...'}`"


def compile_expression(
    text: Any, names: Iterable[str] | None = None, place: Place | None = None
) -> Expression:
    """The expression that a text writes, checked and bounded.

    Args:
        text: The CEL expression.
        names: The names it may use; None allows any.
        place: Where it was written, for errors.

    Raises:
        UsageError: It is no text, does not parse (the error names the position), is too long, nests
            its macros deeper than two levels, has a literal with too many items, or uses a name or
            a function that there is not; the nearest right one is named.

    >>> compile_expression("call.args.amount <= 100", ("call", "case")).names_used
    ('call',)
    >>> compile_expression("call.args.amount <=")
    Traceback (most recent call last):
    passhat.errors.UsageError: not a CEL expression: at character 20, unexpected end
    """
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"an expression is text, not {text!r}", place)
    if len(text) > MAX_LENGTH:
        raise UsageError(
            f"the expression has {len(text)} characters; {MAX_LENGTH} are allowed", place
        )
    looked = looked_over(text)
    if looked.fault:
        raise UsageError(looked.fault, place)
    try:
        program = _program(text)
    except ValueError as error:
        raise UsageError(f"not a CEL expression: {_syntax(str(error))}", place) from error
    for function in program.functions():
        if function.isidentifier() and function not in FUNCTIONS:
            raise UsageError(_no_function(function), place)
    if names is not None:
        known = tuple(names)
        for name in sorted({path[0] for path in looked.reads}):
            if name not in known:
                hint = nearest_or_all(name, known)
                raise UsageError(f"the expression cannot use {name!r}, {hint}", place)
    return Expression(text, tuple(sorted(looked.reads)), place)


class Verdict(NamedTuple):
    """What an evaluation came to: a value, or why there is none: what is missing, or unsuited."""

    value: Any = None
    fault: str | None = None
    missing: bool = False
    unsuited: bool = False


def evaluated(text: str, given: Mapping[str, Any]) -> Verdict:
    """What an expression gives on values that were looked through."""
    try:
        result = _program(text).execute(dict(given))
    except (KeyError, IndexError) as error:
        what = f"no key {error}" if isinstance(error, KeyError) else str(error)
        return Verdict(fault=what, missing=True)
    except (TypeError, ValueError, ArithmeticError, RuntimeError) as error:
        return Verdict(fault=_plain(str(error)), unsuited=_UNSUITED.match(str(error)) is not None)
    fault = _looked_through(result)
    return Verdict(fault=f"what it gives{fault}") if fault else Verdict(result)


evaluator: ContextVar[Callable[[str, Mapping[str, Any]], Verdict]] = ContextVar(
    "evaluator", default=evaluated
)
"""What evaluates: this process, or one that can be killed."""


def only_read(value: Any, paths: list[tuple[str, ...]]) -> Any:
    """Of a value only what is read of it; `paths` are as deep as `looked_over` makes them."""
    if not isinstance(value, Mapping) or not all(paths):
        return value
    below: dict[str, list[tuple[str, ...]]] = {}
    for path in paths:
        below.setdefault(path[0], []).append(path[1:])
    return {key: only_read(value[key], inner) for key, inner in below.items() if key in value}


@lru_cache(maxsize=1024)
def _program(text: str) -> Any:
    import cel

    return cel.compile(text)


def _null_on(path: tuple[str, ...], given: Any) -> tuple[str, ...] | None:
    """The place on a path at which there is null, if there is one."""
    for at, name in enumerate(path, 1):
        if not isinstance(given, Mapping) or name not in given:
            return None
        given = given[name]
        if given is None:
            return path[:at]
    return None


_POSITION = re.compile(r"<input>:(\d+):(\d+): (?:Syntax error: )?([^\n]*)")


def _syntax(said: str) -> str:
    """Where and why the parser stopped, from its own words."""
    found = _POSITION.search(said)
    if found is None:
        return said.splitlines()[-1]
    line, column, what = found.groups()
    what = what.partition(" expecting ")[0]
    what = re.sub(r"(?:mismatched|extraneous) input '<EOF>'|^(missing .*) at '<EOF>'", r"\1", what)
    what = re.sub(r"(?:mismatched|extraneous) input", "unexpected", what) or "unexpected end"
    if what.startswith("token recognition error at: '= "):
        what = "unexpected '=' (is it '=='?)"
    what = what.replace("token recognition error at:", "unexpected")
    where = f"character {column}" if line == "1" else f"line {line}, character {column}"
    return f"at {where}, {what}"


def _no_function(name: str) -> str:
    if name in MACROS:
        return f"{name} is written list.{name}(item, expression)"
    return f"there is no function {name!r} in an expression, {nearest_or_all(name, FUNCTIONS)}"


_UNDEFINED = re.compile(r"Undefined variable or function: '(\w+)'")
_UNSUITED = re.compile(
    r"No such overload|Undefined variable or function|Unsupported operation: [^.]*\bnull\b"
)
"""What null may be the reason for; it is none for a division by zero, or for a text that is no date."""


def _plain(said: str) -> str:
    """A failure at run time in fewer words."""
    found = _UNDEFINED.match(said)
    if found and found[1] in FUNCTIONS:
        return f"{found[1]}() does not take such a value"
    if said.startswith("No such overload"):
        return "the values do not go together: convert with int(x), double(x) or string(x)"
    if said.startswith("Unsupported operation: "):
        pair = said.partition(". ")[0].removeprefix("Unsupported operation: ")
        return f"{pair}: both must be of one kind, convert with int(x), double(x) or string(x)"
    return " ".join(said.partition(". ")[0].split())


def _looked_through(value: Any) -> str | None:
    """Why a value cannot go in or out, if it cannot."""
    layer = [value]
    for _ in range(MAX_DEPTH):
        deeper: list[Any] = []
        for item in layer:
            if isinstance(item, Mapping):
                for key in item:
                    if not isinstance(key, str):
                        return f" has the key {key!r}, which is no text"
                deeper.extend(item.values())
            elif isinstance(item, list | tuple):
                deeper.extend(item)
            elif isinstance(item, int):
                if not -(2**63) <= item < 2**64:
                    return f" has the integer {item}, beyond 64 bits"
            elif item is not None and not isinstance(item, str | float):
                return f" has {type(item).__name__} {item!r}, which is no JSON value"
        if not deeper:
            return None
        layer = deeper
    return f" is nested deeper than {MAX_DEPTH} levels"
