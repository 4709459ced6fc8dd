"""One door to all conversions: a source in, a target and an account out."""

from __future__ import annotations

from pathlib import Path

from passhat.convert.ledger import FidelityReport
from passhat.convert.recorded import convert_traces
from passhat.convert.sources import As, address_of, find_source, format_named
from passhat.convert.suites import convert_suite
from passhat.convert.targets import check_target
from passhat.errors import UsageError


def convert_file(
    source: str | Path,
    target: str | Path,
    *,
    to: str,
    from_format: str | None = None,
    way: As | None = None,
    force: bool = False,
    strict: bool = False,
) -> FidelityReport:
    """Writes a suite, or traces, in another world's form, and accounts for every field.

    Args:
        source: A file, `-` for standard input, or an address: `langsmith:dataset/golden`.
        target: A file, `-` for standard output, or an address. It is written whole or not at all.
        to: The format: `passhat`, `adk`, `langsmith`, `openevals`, `langgraph`, `openai`, ...
        from_format: The format of the source; None asks the source.
        way: What to make of the source: its `suite`, its `traces`, a suite of `cases` that ask for
            what recorded runs did, or of their single `steps`; None for what it is.
        force: Whether what is there already may be written over.
        strict: Whether nothing is written where something would be lost or approximated.

    Returns:
        The account. With `strict`, `written` tells whether the target was written.

    Raises:
        UsageError: There is no such format, it cannot hold this, or the target cannot be written.
        InputError: The source cannot be read, has faults, or is not what it claims.
    """
    given, there = str(source), str(target)
    adapter = format_named(to)
    named = address_of(there)
    if named is None:
        check_target(there, force=force)
    elif named != to:
        raise UsageError(f"{there} is an address of {named}, and the format is to be {to}")
    found = find_source(given, from_format, way)
    if found.what == "suite" or way in ("cases", "steps"):
        return convert_suite(found, there, adapter, way=way, force=force, strict=strict)
    if named is not None:
        raise UsageError(f"{there} takes a suite, and {given} holds traces")
    return convert_traces(found, there, adapter, force=force, strict=strict)
