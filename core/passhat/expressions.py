"""CEL, the sandboxed language of `where`, `policies` and `success_check`, bounded when it is read.

An expression has no loops but its macros over lists, calls nothing outside itself and changes
nothing. What it can cost is bounded when it is compiled: its length, how deep its macros nest, how
long its literal lists are. Its numbers are those of 64 bits; an integer beyond them is refused
rather than rounded. `1 == 1.0` holds; `+`, `-`, `*`, `/` want both operands of one kind
(`double(a) - b`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NamedTuple

from passhat.errors import Place, UsageError

MAX_LENGTH = 4_000
MAX_NESTED_MACROS = 2
MAX_LITERAL_ITEMS = 500
MAX_DEPTH = 200

MACROS = frozenset({"all", "exists", "exists_one", "filter", "map"})
FUNCTIONS = (
    "bytes",
    "contains",
    "double",
    "duration",
    "dyn",
    "endsWith",
    "has",
    "int",
    "matches",
    "size",
    "startsWith",
    "string",
    "timestamp",
    "type",
    "uint",
)
_WORDS = frozenset({"true", "false", "null", "in"})


class ExpressionError(UsageError):
    """An expression that gives no value on what it was evaluated with."""


class MissingValueError(ExpressionError):
    """An expression that asks for a name, a key or an item that is not there."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled expression. It pickles: it is its text, compiled again where it is loaded.

    Args:
        text: The expression.
        names_used: The names it takes from outside, sorted; nothing else need be handed over.
        place: Where it was written, for errors.
    """

    text: str
    names_used: tuple[str, ...] = ()
    place: Place | None = None

    def evaluate(self, /, **values: Any) -> Any:
        """What the expression gives on these values, as a JSON value.

        Args:
            **values: JSON values by name; those that the expression does not name are not looked
                at.

        Raises:
            MissingValueError: A name, a key or an item that it asks for is not there.
            ExpressionError: The values do not suit it: kinds that do not go together, a division
                by zero, an integer beyond 64 bits, no JSON value.

        >>> compile_expression("a.amount == 1 && 'x' in b").evaluate(a={"amount": 1.0}, b=["x"])
        True
        """
        given = {}
        for name in self.names_used:
            if name not in values:
                raise MissingValueError(f"{self._said}: there is no {name}", self.place)
            fault = _unfit(values[name])
            if fault:
                raise ExpressionError(f"{self._said}: {name}{fault}", self.place)
            given[name] = values[name]
        try:
            result = _program(self.text).execute(given)
        except (KeyError, IndexError) as error:
            what = f"no key {error}" if isinstance(error, KeyError) else str(error)
            raise MissingValueError(f"{self._said}: {what}", self.place) from error
        except (TypeError, ValueError, ArithmeticError, RuntimeError) as error:
            raise ExpressionError(f"{self._said}: {_plain(str(error))}", self.place) from error
        fault = _unfit(result)
        if fault:
            raise ExpressionError(f"{self._said}: what it gives{fault}", self.place)
        return result

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
    looked = _looked_over(text)
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
        for name in sorted(looked.free):
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
                raise UsageError(f"the expression cannot use {name!r}, {hint}", place)
    return Expression(text, tuple(sorted(looked.free)), place)


@lru_cache(maxsize=1024)
def _program(text: str) -> Any:
    import cel

    return cel.compile(text)


_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
    |(?P<raw>(?:[rR][bB]?|[bB][rR])(?:\"\"\".*?\"\"\"|'''.*?'''|"[^"\n]*"|'[^'\n]*'))
    |(?P<text>[bB]?(?:\"\"\"(?:\\.|(?!\"\"\").)*\"\"\"|'''(?:\\.|(?!''').)*'''
        |"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    |(?P<number>0[xX][0-9a-fA-F]+[uU]?|\d*\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+|[uU])?)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class _Look(NamedTuple):
    """What a look at an expression's tokens tells of it."""

    free: frozenset[str]
    fault: str | None = None


@dataclass
class _Open:
    """An open bracket: whether a macro's, the name the macro binds, the commas seen in it."""

    macro: bool = False
    bound: str | None = None
    commas: int = 0
    literal: bool = False


def _looked_over(text: str) -> _Look:
    """The names an expression takes from outside, and which bound it breaks, by its tokens alone."""
    tokens = [
        (kind, match.group())
        for match in _TOKEN.finditer(text)
        if (kind := str(match.lastgroup)) != "space"
    ]
    free: set[str] = set()
    opened: list[_Open] = []
    nothing = ("", "")
    for index, (kind, token) in enumerate(tokens):
        before = tokens[index - 1] if index else nothing
        after = tokens[index + 1] if index + 1 < len(tokens) else nothing
        if kind == "name" and token not in _WORDS:
            if before[1] == ".":
                if not index - 1 or not _ends_operand(tokens[index - 2]):
                    return _Look(frozenset(), "a name cannot begin with a dot in the expression")
            elif after[1] not in ("(", "{") and all(token != item.bound for item in opened):
                free.add(token)
            if after[1] == "{":
                return _Look(frozenset(), f"the expression cannot make a message {token}{{...}}")
        elif token in ("(", "[", "{") and kind == "sign":
            bracket = _Open(literal=token != "(" and not (token == "[" and _ends_operand(before)))
            if token == "(" and before[1] in MACROS and index > 1 and tokens[index - 2][1] == ".":
                inner = tokens[index + 2] if index + 2 < len(tokens) else nothing
                bracket.macro = True
                bracket.bound = after[1] if after[0] == "name" and inner[1] == "," else None
            opened.append(bracket)
            if sum(item.macro for item in opened) > MAX_NESTED_MACROS:
                return _Look(
                    frozenset(),
                    f"the expression nests its macros ({', '.join(sorted(MACROS))}) deeper than "
                    f"{MAX_NESTED_MACROS} levels",
                )
        elif token in (")", "]", "}") and kind == "sign" and opened:
            opened.pop()
        elif token == "," and opened:
            opened[-1].commas += 1
            if opened[-1].literal and opened[-1].commas >= MAX_LITERAL_ITEMS:
                return _Look(
                    frozenset(),
                    f"a list in the expression has more than {MAX_LITERAL_ITEMS} items",
                )
    return _Look(frozenset(free))


def _ends_operand(token: tuple[str, str]) -> bool:
    kind, text = token
    return (
        kind in ("raw", "text", "number")
        or text in (")", "]", "}")
        or (kind == "name" and text != "in")
    )


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
    near = get_close_matches(name, FUNCTIONS, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(FUNCTIONS)}"
    return f"there is no function {name!r} in an expression, {hint}"


_UNDEFINED = re.compile(r"Undefined variable or function: '(\w+)'")


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


def _unfit(value: Any) -> str | None:
    """Why a value cannot go in or out of an expression unharmed, or None."""
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
