"""JSON; keys that stand twice are faults.

What is right is read at once, and its lines only when somebody asks for one. What is wrong is read
by a second reader that says where, and so are the lines.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

import msgspec

from passhat.jsontext import too_deep
from passhat.suitefile.building import MAX_DEPTH, MAX_DIGITS, Builder
from passhat.suitefile.document import Document, Steps
from passhat.suitefile.yamlreader import plain_number

_TOKEN = re.compile(
    r"""([ \t\r\n]*+)(?:
      (?P<text>"(?:[^"\\\x00-\x1f]++|\\.)*+")
     |(?P<sign>[\[\]{},:])
     |(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.+-]))
     |(?P<word>\w++)
     |(?P<end>\Z))?""",
    re.VERBOSE,
)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_WORDS = {"null": None, "true": True, "false": False}
_PYTHON = {"None": "null", "True": "true", "False": "false"}


def read_json(text: str, document: Document, root: Steps = (), line: int = 1) -> None:
    """Fills the document with the value that the text writes.

    Args:
        text: One JSON value.
        document: Where the value goes; its `value` is replaced.
        root: The way to the value, where it is a part of a larger one.
        line: The line on which the text begins.

    Raises:
        SuiteError: The text is no JSON, or is nested too deep.
    """
    try:
        document.value = _read_at_once(text)
    except (ValueError, RecursionError):
        _Reader(text, document, root, line).read()
    else:
        document.read_lines_later(
            lambda lines: _Reader(text, Document(_lines=lines), root, line).read()
        )


def _read_at_once(text: str) -> Any:
    """The value that a text writes in which nothing is wrong.

    Raises:
        ValueError: Something is wrong with it.
        RecursionError: It is nested far too deep.
    """
    value = _at_once(text)
    if _SURROGATE_ESCAPE.search(text):
        msgspec.json.encode(value)  # Which no half of a surrogate pair can be.
    if too_deep(text, MAX_DEPTH):
        raise ValueError
    return value


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError
    return mapping


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError
    return number


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


_at_once = json.JSONDecoder(
    object_pairs_hook=_mapping, parse_int=_integer, parse_float=_float, parse_constant=_refuse
).decode


class _Reader:
    def __init__(self, text: str, document: Document, root: Steps, line: int) -> None:
        self.text = text
        self.document = document
        self.builder = Builder(document, root)
        self.at = 0
        self.line = line
        self.token = ""
        self.kind = ""

    def read(self) -> None:
        self._next()
        self._value()
        while self.builder.depth:
            if self.token == ("}" if self.builder.in_mapping else "]"):
                self.builder.end()
                self._next()
            else:
                self._expect(",")
                if self.token in ("}", "]"):
                    raise self._stop(f"a comma before {self.token!r}")
                self._member()
        if self.kind != "end":
            more = (
                "; one value a line is JSONL, in a file called .jsonl" if self.token == "{" else ""
            )
            raise self._stop(f"unexpected {self._shown} after the value{more}")
        self.document.value = self.builder.value

    def _member(self) -> None:
        """Reads a key with its value, or an item; what it opens is left open."""
        if self.builder.in_mapping:
            self._key()
        self._value()

    def _key(self) -> None:
        if self.kind != "text":
            raise self._stop(f"a key in double quotes is missing before {self._shown}")
        self.builder.key(self._text(), self.line)
        self._next()
        self._expect(":")

    def _value(self) -> None:
        """Reads a value; of a mapping or a list that is not empty, up to the first value inside."""
        while self.token in ("{", "["):
            mapping = self.token == "{"
            self.builder.begin({} if mapping else [], self.line)
            self._next()
            if self.token == ("}" if mapping else "]"):
                break
            if mapping:
                self._key()
        else:
            self._scalar()

    def _scalar(self) -> None:
        value: Any
        line, fault = self.line, None
        if self.kind == "text":
            value = self._text()
        elif self.kind == "number":
            value, fault = plain_number(self.token)
        elif self.token in _WORDS:
            value = _WORDS[self.token]
        elif self.token in ("NaN", "Infinity"):
            raise self._stop(f"JSON has no {self.token}")
        elif self.kind == "word":
            meant = f", in JSON it is {_PYTHON[self.token]}" if self.token in _PYTHON else ""
            raise self._stop(f"unexpected {self._shown}{meant}")
        else:
            raise self._stop(f"a value is missing before {self._shown}")
        steps = self.builder.scalar(value, line)
        if fault:
            self.document.spoil(steps, fault, line)
        self._next()

    def _text(self) -> str:
        if "\\" not in self.token:
            return self.token[1:-1]
        try:
            return str(json.loads(self.token))
        except json.JSONDecodeError as error:
            raise self._stop(f"{error.msg.lower()} in {self._shown}") from error

    def _expect(self, sign: str) -> None:
        if self.token != sign:
            raise self._stop(f"{sign!r} is missing before {self._shown}")
        self._next()

    def _next(self) -> None:
        found = _TOKEN.match(self.text, self.at)
        assert found is not None
        self.line += found[1].count("\n")
        self.kind = found.lastgroup or ""
        if not self.kind:
            self.at = found.end()
            raise self._stop(self._no_token())
        self.token = found[self.kind]
        self.at = found.end()

    def _no_token(self) -> str:
        rest = self.text[self.at : self.at + 20].split("\n")[0]
        if rest.startswith('"'):
            return "a text that does not end on its line, or holds a control character"
        if rest.startswith("'"):
            return f"text is in double quotes, not {rest[:20]!r}"
        if rest.startswith(("//", "/*", "#")):
            return "JSON has no comments"
        return f"unexpected {rest[:20]!r}"

    @property
    def _shown(self) -> str:
        if self.kind == "end":
            return "the end"
        return self.token if len(self.token) <= 40 else f"{self.token[:37]}..."

    def _stop(self, message: str) -> Exception:
        return self.document.stop(f"not JSON: {message}", self.line)
