"""A look at an expression's tokens: what it takes from outside, and which bound it breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

MAX_NESTED_MACROS = 2
MAX_LITERAL_ITEMS = 500
MAX_BRACKETS = 40
MAX_CHOICES = 40
MAX_READ_KEYS = 8
"""How many keys in a row are followed into a value; further in, all of it is taken as read."""

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


Token: TypeAlias = tuple[str, str]
_NOTHING: Token = ("", "")


class Look(NamedTuple):
    """What a look at an expression's tokens tells of it.

    Attributes:
        reads: What it takes from outside: names, each with the keys that follow it.
        fault: The bound it breaks, if it does.
    """

    reads: frozenset[tuple[str, ...]] = frozenset()
    fault: str | None = None


@dataclass
class _Open:
    """An open bracket: whether a macro's, the name the macro binds, the commas seen in it."""

    macro: bool = False
    bound: str | None = None
    commas: int = 0
    literal: bool = False


def tokens_of(text: str) -> list[Token]:
    """The tokens of an expression, each with its kind; spaces and comments are none."""
    return [
        (kind, match.group())
        for match in _TOKEN.finditer(text)
        if (kind := str(match.lastgroup)) != "space"
    ]


def looked_over(text: str) -> Look:
    """What an expression takes from outside, and which bound it breaks, by its tokens alone.

    >>> sorted(looked_over("refunds['A1'].amount > limits.refund && has(a.b)").reads)
    [('a', 'b'), ('limits', 'refund'), ('refunds', 'A1', 'amount')]
    """
    tokens = tokens_of(text)
    if sum(token == "?" for _, token in tokens) > MAX_CHOICES:
        return Look(fault=f"the expression has more than {MAX_CHOICES} choices (a ? b : c)")
    reads: set[tuple[str, ...]] = set()
    opened: list[_Open] = []
    for index, (kind, token) in enumerate(tokens):
        before = tokens[index - 1] if index else _NOTHING
        after = tokens[index + 1] if index + 1 < len(tokens) else _NOTHING
        if kind == "name" and token not in _WORDS:
            if before[1] == ".":
                if not index - 1 or not _ends_operand(tokens[index - 2]):
                    return Look(fault="a name cannot begin with a dot in the expression")
            elif after[1] not in ("(", "{") and all(token != item.bound for item in opened):
                reads.add((token, *_keys(tokens, index + 1)))
            if after[1] == "{":
                return Look(fault=f"the expression cannot make a message {token}{{...}}")
        elif token in ("(", "[", "{") and kind == "sign":
            bracket = _Open(literal=token != "(" and not (token == "[" and _ends_operand(before)))
            if token == "(" and before[1] in MACROS and index > 1 and tokens[index - 2][1] == ".":
                inner = tokens[index + 2] if index + 2 < len(tokens) else _NOTHING
                bracket.macro = True
                bracket.bound = after[1] if after[0] == "name" and inner[1] == "," else None
            opened.append(bracket)
            if len(opened) > MAX_BRACKETS:
                return Look(
                    fault=f"the expression nests brackets deeper than {MAX_BRACKETS} levels"
                )
            if sum(item.macro for item in opened) > MAX_NESTED_MACROS:
                return Look(
                    fault=f"the expression nests its macros ({', '.join(sorted(MACROS))}) deeper "
                    f"than {MAX_NESTED_MACROS} levels",
                )
        elif token in (")", "]", "}") and kind == "sign" and opened:
            opened.pop()
        elif token == "," and opened:
            opened[-1].commas += 1
            if opened[-1].literal and opened[-1].commas >= MAX_LITERAL_ITEMS:
                return Look(
                    fault=f"a list in the expression has more than {MAX_LITERAL_ITEMS} items",
                )
    return Look(frozenset(reads))


def _keys(tokens: list[Token], at: int) -> list[str]:
    """The keys that follow a name: `.refunds['A1']`, but no method and no computed index."""
    keys: list[str] = []
    while len(keys) < MAX_READ_KEYS:
        ahead = [*tokens[at : at + 3], _NOTHING, _NOTHING, _NOTHING]
        if ahead[0][1] == "." and ahead[1][0] == "name" and ahead[2][1] != "(":
            keys.append(ahead[1][1])
            at += 2
        elif ahead[0][1] == "[" and _PLAIN_TEXT.fullmatch(ahead[1][1]) and ahead[2][1] == "]":
            keys.append(ahead[1][1][1:-1])
            at += 3
        else:
            break
    return keys


_PLAIN_TEXT = re.compile(r"""'[^'\\\n]*'|"[^"\\\n]*\"""")


def _ends_operand(token: Token) -> bool:
    kind, text = token
    return (
        kind in ("raw", "text", "number")
        or text in (")", "]", "}")
        or (kind == "name" and text != "in")
    )
