"""What a source is: whose form it has, and whether it holds a suite or traces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from passhat.adapter import Adapter, Fidelity, adapters, broken_adapters, looks_like, sniffed
from passhat.case import SUITE_SCHEMA, Case, Suite
from passhat.errors import InputError, Place, SuiteError, TraceError, UsageError
from passhat.jsontext import file_name, first_values, head_of, items
from passhat.suitefile import read_suite_with_notes
from passhat.trace import Trace

OURS = "passhat"
As = Literal["suite", "traces", "cases", "steps"]
WAYS: tuple[As, ...] = ("suite", "traces", "cases", "steps")
_HEAD = 262_144
_YAML = frozenset({".yaml", ".yml"})
_CASE_KEYS = frozenset(Case.__struct_fields__) | {
    *("required_tools", "forbidden_tools", "expected_tools", "trajectory_mode", "setup"),
}
_COMMON = frozenset({"id", "input", "metadata", "tags", "tools", "user", "state", "reference"})
_FEW = 5
_YAML_SUITE = re.compile(rb"^(?:schema: *['\"]?passhat\.suite/|cases:\s*$)", re.MULTILINE)


def formats() -> tuple[str, ...]:
    """The formats there are, ours first."""
    return (OURS, *(name for name in adapters() if name != OURS))


def format_named(name: str) -> Adapter:
    """The adapter of a format.

    Raises:
        UsageError: There is no such format; all are named.

    >>> format_named("langsmit")
    Traceback (most recent call last):
    passhat.errors.UsageError: there is no format 'langsmit', did you mean langsmith? There are passhat, adk, ...
    """
    found = adapters().get(name)
    if found is not None:
        return found
    if why := broken_adapters().get(name):
        raise UsageError(f"the format {name!r} cannot be used: {why}")
    near = get_close_matches(name, formats(), 1, 0.7)
    guess = f"did you mean {near[0]}? There" if near else "there"
    raise UsageError(f"there is no format {name!r}, {guess} are {', '.join(formats())}")


@dataclass(frozen=True, slots=True)
class Source:
    """A source, known for what it is.

    Attributes:
        given: The file, or an address such as `langsmith:dataset/golden`.
        format: Its format.
        adapter: The adapter that reads it.
        what: Whether it holds a suite or traces.
        held: Its suite, where it had to be read to know.
    """

    given: str
    format: str
    adapter: Adapter
    what: Literal["suite", "traces"]
    held: tuple[Suite, Fidelity] | None = None

    @property
    def is_file(self) -> bool:
        """Whether it is a file, and no address."""
        return address_of(self.given) is None

    def suite(self) -> tuple[Suite, Fidelity]:
        """The suite that it holds, and what became of it as it was read.

        Raises:
            InputError: It cannot be read, or has faults.
        """
        return self.held or read_suite(self.adapter, self.given)

    def traces(self) -> Iterator[Trace | TraceError]:
        """The traces that it holds, lazily."""
        return self.adapter.read_traces(self.given)


def read_suite(adapter: Adapter, given: Any) -> tuple[Suite, Fidelity]:
    """The suite of a source in an adapter's form; ours is a suite file."""
    if adapter.name == OURS:
        return read_suite_with_notes(given)
    return adapter.read_suite(given)


def address_of(given: str) -> str | None:
    """The format that an address names, None for a file: `langsmith:dataset/golden`."""
    name, colon, _ = given.partition(":")
    if colon and name in adapters() and not Path(given).exists():
        return name
    return None


def find_source(given: str, format: str | None, way: As | None) -> Source:
    """What a source is.

    Args:
        given: A file, `-`, or an address.
        format: Its format; None asks the source.
        way: What to make of it; None for what it is.

    Raises:
        UsageError: There is no such format, or it does not hold what is asked for.
        InputError: It cannot be opened, does not tell what it is, or is not what it claims.
    """
    if way is not None and way not in WAYS:
        raise UsageError(f"--as is one of {', '.join(WAYS)}, not {way!r}")
    adapter = _adapter(given, format)
    if way is not None:
        return Source(given, adapter.name, adapter, "suite" if way == "suite" else "traces")
    what, held = _what(given, adapter)
    return Source(given, adapter.name, adapter, what, held)


def _adapter(given: str, format: str | None) -> Adapter:
    if format is not None:
        return format_named(format)
    if (name := address_of(given)) is not None:
        return format_named(name)
    if Path(given).suffix.lower() in _YAML or _is_suite(given):
        return format_named(OURS)
    try:
        return sniffed(Path(given))
    except InputError as error:
        if "--from" not in error.message:
            raise
        if (why := _unreadable(given)) is not None:
            raise why from error
        known = ", ".join(formats())
        message = f"{error.message.partition('; ')[0]}; say what it is with --from: {known}"
        raise InputError(message, error.place) from error


def _unreadable(given: str) -> InputError | None:
    """Why a file that begins as JSON does cannot be read; None where it is no JSON at all."""
    if not head_of(given, _HEAD).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return None
    first = next(items(given), None)
    return first if isinstance(first, InputError) else None


def _is_suite(given: str) -> bool:
    """Whether a file is a suite of ours, by its first values."""
    head = head_of(given, _HEAD)
    if _YAML_SUITE.search(head):
        return True
    for value in first_values(head):
        rows = value if isinstance(value, list) else [value]
        for row in rows[:_FEW]:
            if not isinstance(row, dict):
                return False
            if row.get("schema") == SUITE_SCHEMA:
                return True
            if isinstance(row.get("cases"), list) and not row.keys() & {"messages", "events"}:
                return True
            telling = row.keys() & _CASE_KEYS
            if telling - _COMMON and "id" in row and not row.keys() - _CASE_KEYS:
                return True
    return False


def _what(
    given: str, adapter: Adapter
) -> tuple[Literal["suite", "traces"], tuple[Suite, Fidelity] | None]:
    """Whether a source of a known format holds a suite or traces, and the suite if it was read."""
    if adapter.name == OURS:
        ours = Path(given).suffix.lower() in _YAML or _is_suite(given)
        return ("suite" if ours else "traces"), None
    recorded = getattr(adapter, "recorded_verdict", None)
    is_file = address_of(given) is None
    if is_file and recorded is not None and recorded(given) is not None:
        return "traces", None
    try:
        return "suite", adapter.read_suite(given)
    except SuiteError:
        return "suite", None
    except (UsageError, InputError) as error:
        return _if_traces(given, adapter, error), None


def _if_traces(given: str, adapter: Adapter, error: InputError | UsageError) -> Literal["traces"]:
    """Says that a source holds traces, or else why it is not what it claims."""
    first: TraceError | None = None
    try:
        for item in islice(adapter.read_traces(given), _FEW):
            if isinstance(item, Trace):
                return "traces"
            first = first or item
    except UsageError:
        raise error from None
    if first is None:
        where = Place(file_name(given))
        raise InputError(f"it holds nothing that {adapter.name} records or expects", where)
    raise InputError(f"{first.message}{_rather(given, adapter)}", first.place) from error


def _rather(given: str, adapter: Adapter) -> str:
    """What a source looks like that is not what it is read as, and what to do then."""
    if not Path(given).is_file():
        return ""
    if _is_suite(given):
        return "; it looks like a suite of passhat: leave --from out"
    looks = looks_like(Path(given), adapter)
    return f"; it looks like {looks}: leave --from out" if looks else ""
