"""Suite files: which of the three forms one has, and its document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, TypeAlias

from passhat.errors import InputError, Place, SuiteError, SuiteFault
from passhat.jsontext import file_name, opened
from passhat.jsontext.files import STANDARD
from passhat.suitefile.document import Document

Form: TypeAlias = Literal["yaml", "json", "jsonl"]

MAX_BYTES = 64 * 2**20
SUFFIXES: dict[str, Form] = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
_HEADER_KEYS = frozenset({"name", "tools", "writes", "defaults"})
_NO_HEADER_KEYS = frozenset({"id", "input", "turns"})


def read_file(path: str | Path) -> Document:
    """The document that a file holds; `-` is standard input.

    Raises:
        SuiteError: The file cannot be opened, is too large, is no UTF-8, or cannot be parsed.
    """
    file = Path(path)
    try:
        with opened(path) as stream:
            data = stream.read(MAX_BYTES + 1)
    except InputError as error:
        raise SuiteError([SuiteFault(error.message, error.place)]) from error
    except ValueError as error:
        raise SuiteError([SuiteFault(f"cannot be read: {error}", Place(str(path)))]) from error
    document = Document(file_name(path), None if str(path) == STANDARD else file.parent)
    fill(document, data, SUFFIXES.get(file.suffix.lower()))
    return document


def fill(document: Document, data: bytes, form: Form | None = None) -> None:
    """Fills a document with what some bytes hold.

    Args:
        document: The document.
        data: The bytes of a file.
        form: Their form; None goes by what they begin with.

    Raises:
        SuiteError: They are too many, no UTF-8, or cannot be parsed.
    """
    if len(data) > MAX_BYTES:
        raise document.stop(f"larger than the {MAX_BYTES >> 20} MB that a suite may have")
    text = _decoded(document, data)
    if not text.strip():
        raise document.stop("the file is empty")
    form = form or _form(text)
    if form == "yaml":
        from passhat.suitefile.yamlreader import read_yaml

        read_yaml(text, document)
    elif form == "json":
        from passhat.suitefile.jsonreader import read_json

        read_json(text, document)
    else:
        _read_jsonl(text, document)


def _decoded(document: Document, data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise document.stop("is UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise document.stop(
            f"not UTF-8: byte 0x{data[error.start]:02x} at byte {error.start}", line
        ) from error


def _form(text: str) -> Form:
    """What a text without a telling name is: JSON begins with a bracket, JSONL on every line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines[0].startswith(("{", "[")):
        return "yaml"
    rows = all(line.startswith("{") and line.endswith("}") for line in lines)
    return "jsonl" if rows and len(lines) > 1 else "json"


def _read_jsonl(text: str, document: Document) -> None:
    """A case a line; the first line may be a header with what holds for all."""
    from passhat.suitefile.jsonreader import read_json

    suite: dict[str, Any] = {}
    cases: list[Any] = []
    if _is_one_value(text):
        raise document.stop(
            "one JSON value over several lines, not one a line; call the file .json", 1
        )
    lines = [
        (number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip(" \t\r")
    ]
    for number, line in lines:
        try:
            if number == lines[0][0] and _is_header(line, document, number):
                read_json(line, document, (), number)
                suite = document.value
                continue
            read_json(line, document, ("cases", len(cases)), number)
            cases.append(document.value)
        except SuiteError as error:
            document.spoil(("cases", len(cases)), error.faults[-1].message, number)
            cases.append(None)
    if "cases" in suite:
        document.spoil(("cases",), "a header has no cases; they follow it, one a line")
    document.value = {**suite, "cases": cases}


def _is_one_value(text: str) -> bool:
    """Whether a text of several lines is JSON as a whole, which no rows of JSON are."""
    if text.strip().split("\n", 1)[0].strip() not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_header(line: str, document: Document, number: int) -> bool:
    """Whether a first line speaks of the suite: it names its schema, or is no case by its keys."""
    from passhat.suitefile.jsonreader import read_json

    probe = Document(document.file)
    read_json(line, probe, (), number)
    keys = probe.value.keys() if isinstance(probe.value, dict) else frozenset[str]()
    return "schema" in keys or bool(keys & _HEADER_KEYS and not keys & _NO_HEADER_KEYS)
