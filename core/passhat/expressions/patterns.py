"""What it costs to make ready a regular expression, which CEL does anew for each item of a list."""

from __future__ import annotations

import re

MOST = 5_000_000
"""What the most costly pattern takes that the library takes at all."""

_BEGINNING, _SIGN, _WIDE, _CLASS = 200, 5, 70, 6_000
"""What a pattern takes at all; a sign of it; one that stands for nearly all signs (`.`, `[^a]`); a class
of signs of all writings (`\\w`, `\\p{L}`)."""
_NARROW = frozenset("dDsS")
_CLASSES = frozenset("wWpPdDsS")


_SPACED = re.compile(r"\(\?[a-zA-Z-]*x")
"""The flag by which a pattern is written with spaces and remarks, which reads otherwise."""
_PLAIN_ESCAPES = re.compile(r"\\[abfnrtv'\"`?]")


def read(written: str) -> str | None:
    r"""The text of a literal of CEL; None where it has escapes that might hide anything.

    >>> print(read("'[0-9]{4}'"), read(r"r'\d+'"), read(r"'\\d+'"), read(r"'\x7b'"))
    [0-9]{4} \d+ \d+ None
    """
    prefix = written[: len(written) - len(written.lstrip("bBrR"))]
    body = written.removeprefix(prefix).strip("\"'")
    if prefix.lower().endswith("r"):
        return body
    parts = [_PLAIN_ESCAPES.sub(" ", part) for part in body.split("\\\\")]
    return None if any("\\" in part for part in parts) else "\\".join(parts)


def weight_of(pattern: str) -> int:
    r"""What it costs to make a pattern ready, in the steps of `costs`.

    What is repeated a counted number of times is made ready as often.

    >>> weight_of("a+b") < weight_of("a{1,1000}") < weight_of(r"\w{1,1000}") <= MOST
    True
    """
    if _SPACED.search(pattern):
        return MOST
    open_groups, last = [0], 0
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        at += 1
        if sign == "\\":
            named = pattern[at : at + 1]
            at += 1
            if pattern[at : at + 1] == "{" and named in {"p", "P", "x", "u", "U", "b"}:
                at = (pattern.find("}", at) + 1) or len(pattern)
            last = (_CLASS // 5 if named in _NARROW else _CLASS) if named in _CLASSES else _SIGN
        elif sign in "([":
            open_groups.append(_WIDE if pattern.startswith("^", at) else _SIGN)
            continue
        elif sign in ")]" and len(open_groups) > 1:
            last = open_groups.pop()
        elif sign == "{":
            counts = [part for part in pattern[at:].partition("}")[0].split(",") if part.strip()]
            if all(part.strip().isdecimal() and len(part) < 9 for part in counts):
                open_groups[-1] += last * (max(map(int, counts), default=1) - 1)
                last *= max(map(int, counts), default=1)
            continue
        else:
            last = _WIDE if sign == "." else _SIGN
        open_groups[-1] += last
    return min(_BEGINNING + sum(open_groups), MOST)
