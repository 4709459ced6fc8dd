"""The bare structure of a JSON text: where its brackets, strings and commas stand.

Nothing here looks into a value, so none of it minds a NaN, a broken encoding or deep nesting, and
none of it recurses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)
_NOT_MARKS = bytes(set(range(256)) - set(b'[]{}"'))
_NOT_ESCAPES = bytes(set(range(256)) - set(b'[]{}"' + rb"\/bfnrtu"))
_NOT_OPENERS = bytes(set(range(256)) - set(b"[{"))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_SHORT = 1 << 12
"""Up to how many bytes few texts have more brackets than a nest may."""
_CLOSER = {b"[": b"]", b"{": b"}"}


def deeper_than(data: bytes, limit: int) -> bool:
    """Whether a JSON text is nested deeper than `limit` levels.

    Each round takes away the innermost pair of every nest, so the depth is the number of rounds.

    >>> deeper_than(b'[[], [[1]], "[[[["]', 3), deeper_than(b'[[], [[1]]]', 2)
    (False, True)
    """
    if len(data) <= limit:
        return False
    if len(data) < _SHORT and len(data.translate(None, _NOT_OPENERS)) <= limit:
        return False
    escaped = b"\\" in data
    marks = data.translate(None, _NOT_ESCAPES if escaped else _NOT_MARKS)
    if len(marks.translate(None, _NOT_OPENERS)) <= limit:
        return False
    if escaped:
        marks = marks.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NOT_MARKS)
    # With nothing but brackets and quotes left, two quotes side by side have no bracket between.
    marks = marks.replace(b'""', b"")
    brackets = b"".join(marks.split(b'"')[::2]).translate(_ONE_KIND)
    for _ in range(limit):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


CUT, TRAILING = -1, -2


def elements(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each element of a JSON list begins and ends, as far as the list goes.

    Instead of an end, `CUT` stands for an element that is cut off, `TRAILING` for text after the
    list; either is the last.

    >>> [b'[1, {"a": [2]}]'[i:j] for i, j in elements(b'[1, {"a": [2]}]')]
    [b'1', b' {"a": [2]}']
    >>> list(elements(b'[1, {"a": ['))
    [(1, 2), (3, -1)]
    """
    start = data.index(b"[") + 1
    depth = 0
    for token in _TOKEN.finditer(data, start - 1):
        mark = data[token.start()]
        if mark in b"[{":
            depth += 1
        elif mark in b"]}":
            depth -= 1
            if depth == 0:
                if data[start : token.start()].strip():
                    yield start, token.start()
                if data[token.end() :].strip():
                    yield token.end(), TRAILING
                return
        elif mark in b"," and depth == 1:
            yield start, token.start()
            start = token.end()
    yield start, CUT


_LONG = 100
_HALF_ESCAPE = re.compile(rb"(?:\\u[dD][89abAB][0-9a-fA-F]{2})?(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z")


def completed(head: bytes) -> tuple[bytes, bool]:
    """The beginning of a JSON text made a whole one, and whether it was not.

    It is cut back to its last complete value and closed.

    A long text that is cut off stays as far as it goes; a short one might say something else.

    >>> completed(b'{"a": [1, {"b": 2}, {"c": tr')
    (b'{"a": [1, {"b": 2}]}', True)
    >>> completed(b'{"a": {"b": "' + b"x" * 200)[0][-5:]
    b'xx"}}'
    """
    stack: list[bytes] = []
    end, closers = 0, b""
    token = None
    for token in _TOKEN.finditer(head):
        mark = token.group()[:1]
        if mark in (b"[", b"{"):
            stack.append(_CLOSER[mark])
            if end == 0:
                end, closers = token.end(), b"".join(reversed(stack))
        elif mark in (b"]", b"}"):
            if not stack or stack.pop() != mark:
                break
            end, closers = token.end(), b"".join(reversed(stack))
            if not stack:
                break
        elif mark == b"," and stack:
            end, closers = token.start(), b"".join(reversed(stack))
    if token is not None and stack and token.end() - token.start() > _LONG:
        before = head[: token.start()].rstrip()[-1:]
        if before == b":" or (before in (b"[", b",") and stack[-1] == b"]"):
            text = _HALF_ESCAPE.sub(b"", head[token.start() :].removesuffix(b'"'), count=1)
            text = text.decode(errors="ignore").encode()
            return head[: token.start()] + text + b'"' + b"".join(reversed(stack)), True
    return head[:end] + closers, bool(stack)
