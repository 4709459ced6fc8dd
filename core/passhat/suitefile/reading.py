"""Reading suites: from a file or from memory, with all that is wrong told at once."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from passhat.adapter import Fidelity, SuiteAdapter, sniffed
from passhat.case import Case, Suite
from passhat.errors import InputError, Place, SuiteError, SuiteFault
from passhat.jsontext import file_name
from passhat.suitefile.building import in_memory
from passhat.suitefile.document import Document
from passhat.suitefile.files import read_file
from passhat.suitefile.meaning import meaning_faults
from passhat.suitefile.rowshapes import Notes, expand_rows
from passhat.suitefile.shape import SUITE_SHAPE
from passhat.suitefile.shapefaults import shape_faults, shown
from passhat.suitefile.shapetypes import has_type, type_of_shape


def read_suite(path: str | Path, *, allow_code: bool = False) -> Suite:
    """The suite that a YAML, JSON or JSONL file writes.

    Args:
        path: The file; `-` is standard input.
        allow_code: Whether checks named by dotted path may be imported. Nothing else in a suite
            can run code.

    Raises:
        SuiteError: The file cannot be read, or has faults; `faults` has every one of them with its
            file, line and path.

    >>> from passhat.demo import SUITE
    >>> suite = read_suite(SUITE)
    >>> suite.name, len(suite.cases)
    ('shop-support', 12)
    """
    return read_suite_with_notes(path, allow_code=allow_code)[0]


def read_suite_with_notes(path: str | Path, *, allow_code: bool = False) -> tuple[Suite, Fidelity]:
    """The suite of a file, and what became of what was not written in our own words.

    Args:
        path: The file; `-` is standard input.
        allow_code: Whether checks named by dotted path may be imported.

    Raises:
        SuiteError: The file cannot be read, or has faults.
    """
    try:
        document = read_file(path)
        name = "suite" if document.folder is None else Path(path).stem
        return _suite(document, name, allow_code)
    except SuiteError as error:
        if told := _told_as_recording(path):
            raise SuiteError([SuiteFault(told, Place(file_name(path)))]) from error
        raise


def _told_as_recording(path: str | Path) -> str | None:
    """What to say of a file that has faults as a suite because it is none, but a recording."""
    try:
        reader = sniffed(Path(path))
    except InputError:
        return None
    if isinstance(reader, SuiteAdapter):
        return f"this is a file of {reader.name}, which its own reader reads, not a passhat suite"
    return f"this is a recording ({reader.name}), not a suite, which says what is expected of runs"


def suite_from(value: Any, place: Place | None = None, *, allow_code: bool = False) -> Suite:
    """The suite that a value in memory writes, as `json.load` would give it.

    Args:
        value: A mapping with cases, or a list of cases.
        place: Where it came from, for errors; paths in it are relative to the folder of its file.
        allow_code: Whether checks named by dotted path may be imported.

    Raises:
        SuiteError: It has faults.

    >>> suite_from({"name": "s", "cases": [{"id": "a", "expected_calls": ["lookup"]}]}).cases
    (Case(id='a', expected_calls=(ExpectedCall(name='lookup'),)),)
    >>> suite_from([{"id": "a", "forbiden_calls": ["refund"]}])
    Traceback (most recent call last):
    passhat.errors.SuiteError: $[0].forbiden_calls: unknown key, did you mean forbidden_calls?
    """
    return _suite(in_memory(value, place), "suite", allow_code)[0]


def _suite(document: Document, name: str, allow_code: bool) -> tuple[Suite, Fidelity]:
    notes = Notes()
    expand_rows(document, notes)
    if not isinstance(document.value, dict):
        document.spoil(
            (),
            f"a suite is a mapping with cases, or a list of cases, not {shown(document.value)}; it is "
            "written as YAML, JSON or JSONL",
        )
    if not (document.faultless and has_type(document.value, _type_of_suites())):
        shape_faults(document)
    meaning_faults(document, notes, allow_code=allow_code)
    document.raise_faults()
    stated = dict(document.value)
    stated.pop("schema", None)
    cases = [Case(**case) for case in stated.pop("cases")]
    return Suite(stated.pop("name", name), tuple(cases), **stated), notes.fidelity


@cache
def _type_of_suites() -> Any:
    return type_of_shape(SUITE_SHAPE)
