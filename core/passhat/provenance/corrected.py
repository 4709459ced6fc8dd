"""Codes that are told by how they differ from one told before: `W1041, and 1042`, `the last digit is a 7`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from passhat.provenance.spoken import digits_of
from passhat.provenance.texts import has_digit, tokens

_MOST = 50
_LONGEST = 40
_GOING_ON = re.compile(
    r"(?<![\w-])(?P<code>(?=[\w-]*\d)[a-z]*[\w-]{3,40}\d{2})"
    r"(?P<rest>(?:\s*(?:,\s*and|,|/|&|\band|\bor)\s*-?\d{2,6}(?![\w.]*\w))+)"
)
_X = r"(?:an?\s+|the\s+)?(?P<{0}>[a-z]|\d{{1,4}}|zero|one|two|three|four|five|six|seven|eight|nine)\b"
_NEW = (
    rf"\b(?:digit|letter|character|number|one)\s+(?:is|was|should be|must be)\s+{_X.format('new')}",
    rf"\b(?:ends?|ending)\s+(?:in|with)\s+{_X.format('new')}",
    rf"\bwith\s+{_X.format('new')}\s+(?:instead of|rather than|in place of)\s+{_X.format('old')}",
    rf"\bnot\s+{_X.format('old')},?\s+(?:but|it'?s)\s+{_X.format('new')}",
    rf"\b{_X.format('new')},?\s+(?:and\s+)?not\s+{_X.format('old')}",
)
_CORRECTIONS = tuple(re.compile(pattern) for pattern in _NEW)


def continued(text: str) -> Iterator[str]:
    """The codes that a text, without case, tells by their last digits after a whole one.

    >>> list(continued("orders w100200, -201 and -202; invoices 2026-0101 and 0107"))
    ['w100201', 'w100202', '20260107']
    """
    for found in islice(_GOING_ON.finditer(text), _MOST):
        code = found["code"]
        for ending in re.findall(r"\d+", found["rest"])[:_MOST]:
            if len(ending) < len(code) and code[-len(ending) :].isdecimal():
                yield "".join(tokens(code[: -len(ending)] + ending))


def corrections(text: str) -> Iterator[tuple[str, str]]:
    """What a text, without case, says of some characters of a code: how they are, and were not.

    >>> list(corrections("sorry, the last digit is a seven")), list(corrections("a 2 instead of the 1"))
    ([('7', '')], [])
    >>> list(corrections("with a 2 instead of the 1"))
    [('2', '1')]
    """
    for pattern in _CORRECTIONS:
        for found in islice(pattern.finditer(text), _MOST):
            told = found.groupdict()
            old, new = told.get("old") or "", told["new"]
            yield digits_of(new), digits_of(old)


def is_corrected(code: str, value: str, new: str, old: str) -> bool:
    """Whether a value is a code with some of its characters put right.

    >>> is_corrected("w123456", "w123457", "7", ""), is_corrected("w123456", "w123457", "7", "5")
    (True, False)
    """
    if len(code) != len(value) or len(value) > _LONGEST or not has_digit(value):
        return False
    first = next((at for at in range(len(code)) if code[at] != value[at]), len(code))
    last = next((at for at in range(len(code), first, -1) if code[at - 1] != value[at - 1]), first)
    at_end = value.endswith(new) and last > len(code) - len(new)
    if old:
        told = code[first:last] == old and value[first:last] == new
        return told or (at_end and code.endswith(old))
    return first < last and first >= len(code) - len(new) and at_end
