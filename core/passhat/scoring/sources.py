"""What is scored, and by what: the reader of a recording, and the suite of a file."""

from __future__ import annotations

from pathlib import Path

from passhat.adapter import Adapter, reader_for, suite_adapter
from passhat.case import Suite
from passhat.errors import InputError, Place, SuiteError
from passhat.jsontext import file_name


def suite_of(
    suite: Suite | str | Path, *, allow_code: bool = False
) -> tuple[Suite, str, tuple[str, ...]]:
    """A suite, or that of a file in our form or a framework's; its name; notes for its reader.

    Args:
        suite: The suite, or its file.
        allow_code: Whether it may name checks of its own to import.

    Raises:
        InputError: The file cannot be opened.
        SuiteError: It has faults.
    """
    if isinstance(suite, Suite):
        return suite, suite.name, ()
    from passhat.suitefile.reading import read_suite_with_notes

    adapter = suite_adapter(suite)
    if adapter is not None:
        found, fidelity = adapter.read_suite(suite)
    else:
        found, fidelity = read_suite_with_notes(suite, allow_code=allow_code)
    name = file_name(suite)
    notes = tuple(f"{name}: {note.what}: {note.note}" for note in fidelity.notes)
    return found, Path(name).name, notes


def recording_reader(source: str | Path, format: str | None) -> Adapter:
    """The reader of a recording; a suite in its place is told as what it is.

    Raises:
        UsageError: There is no such reader.
        InputError: The file cannot be opened, does not tell what it is, or is a suite.
    """
    from passhat.suitefile.reading import read_suite

    try:
        return reader_for(source, format)
    except InputError as error:
        try:
            read_suite(source)
        except SuiteError:
            raise error from None
        told = "this is a suite, not a recording: it goes to --suite (suite=), beside recorded runs"
        raise InputError(told, Place(file_name(source))) from None
