"""The protocol that every reader and framework adapter keeps, and how they are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from passhat.case import Suite
from passhat.errors import InputError, Place, SuiteFault, TraceError, UsageError
from passhat.foreign import CHAT, advice, beginning, outline, table_advice
from passhat.jsontext import file_name, first_values, head_of, refuse_other_encodings
from passhat.trace import Trace
from passhat.wording import nearest_or_all

GROUP = "passhat.adapters"
_HEAD_BYTES = 262_144
SURE_ENOUGH = 0.3
"""From what sureness on (`Adapter.sniff`) a file is taken to be an adapter's own."""

FidelityKind = Literal["kept", "translated", "carried", "approximated", "lost"]


@dataclass(frozen=True, slots=True)
class FidelityNote:
    """What became of one field in a conversion.

    Args:
        what: The case's or trace's id, and the field.
        kind: `kept`, `translated` (how), `carried` (rides along unread), `approximated` (what
            changes) or `lost`.
        note: How, or what changes.
        run: Where it is approximated, the smallest run that gets another verdict, if one is known.
        parts: What of the field is meant, as paths within it; nothing where it is all of it.
        share: In how many of how many steps of a trace, where it is a field of those.
    """

    what: str
    kind: FidelityKind
    note: str = ""
    run: str = ""
    parts: tuple[str, ...] = ()
    share: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Fidelity:
    """What a conversion kept, and what it did not, note by note."""

    notes: tuple[FidelityNote, ...] = ()

    @property
    def lossless(self) -> bool:
        """Whether nothing was approximated or lost."""
        return not any(note.kind in ("approximated", "lost") for note in self.notes)


@runtime_checkable
class Adapter(Protocol):
    """Turns one world's recordings and suites into ours, and ours into theirs.

    Attributes:
        name: The word in `--from` and `--to`.
        requires: The distributions that must be installed to use it; none for plain files.
    """

    name: str
    requires: tuple[str, ...]

    def sniff(self, path: Path, head: bytes) -> float:
        """How sure it is that the file is its own, 0 (no) to 1 (sure), by its first bytes."""
        ...

    def read_traces(self, source: Any, **options: Any) -> Iterator[Trace | TraceError]:
        """The traces of a file, lazily; one that cannot be read is given as its error."""
        ...

    def write_traces(self, traces: Iterable[Trace], target: Path) -> Fidelity:
        """Writes traces in the world's own form and says what was kept."""
        ...

    def read_suite(self, source: Any) -> tuple[Suite, Fidelity]:
        """The suite that a file holds, and what of it was kept."""
        ...

    def write_suite(self, suite: Suite, target: Path) -> Fidelity:
        """Writes a suite in the world's own form and says what was kept."""
        ...


@runtime_checkable
class SuiteAdapter(Adapter, Protocol):
    """An adapter whose world has suites in files of its own form, and knows their pitfalls."""

    def lint(self, path: Path) -> Sequence[SuiteFault]:
        """What is wrong with a suite, or with what stands beside it; nothing it names is run."""
        ...


@lru_cache(maxsize=1)
def adapters() -> dict[str, Adapter]:
    """The adapters that are installed, by name, in the order of their names.

    One that cannot be loaded is left out here; `broken_adapters` says why.
    """
    return _loaded()[0]


def broken_adapters() -> dict[str, str]:
    """The adapters that could not be loaded, with why."""
    return _loaded()[1]


@lru_cache(maxsize=1)
def _loaded() -> tuple[dict[str, Adapter], dict[str, str]]:
    good: dict[str, Adapter] = {}
    bad: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            good[point.name] = point.load()
        except Exception as error:  # A broken adapter, whoever wrote it, costs itself alone.
            bad[point.name] = f"{type(error).__name__}: {error}"
    return good, bad


class Requiring(Protocol):
    """What needs distributions to be used: an adapter, a door."""

    @property
    def requires(self) -> tuple[str, ...]:
        """Their names; none where nothing is needed."""
        ...


def missing(adapter: Requiring) -> tuple[str, ...]:
    """The distributions that the adapter requires and that are not installed."""
    return tuple(name for name in adapter.requires if not _installed(name))


def _installed(distribution: str) -> bool:
    try:
        version(distribution.partition("[")[0])
    except PackageNotFoundError:
        return False
    return True


def adapter_named(name: str) -> Adapter:
    """The adapter of that name.

    Raises:
        UsageError: There is none; the nearest is named, or all.

    >>> adapter_named("openai").name
    'openai'
    """
    found = adapters().get(name)
    if found is None:
        why = broken_adapters().get(name)
        raise UsageError(
            f"the reader {name!r} cannot be loaded: {why}"
            if why
            else f"there is no reader {name!r}, {nearest_or_all(name, adapters())}"
        )
    return found


def sniffed(path: Path) -> Adapter:
    """The adapter that knows the file by what it holds; `-` is standard input.

    Raises:
        InputError: The file cannot be opened or is UTF-16, or no adapter, or more than one, knows
            it.
    """
    head = head_of(path, _HEAD_BYTES)
    if not head.strip():
        raise InputError("the file is empty", Place(file_name(path)))
    refuse_other_encodings(head, path)
    ranked = sorted(
        ((adapter.sniff(path, head), name, adapter) for name, adapter in adapters().items()),
        key=lambda item: (-item[0], item[1]),
    )
    best = ranked[0]
    if best[0] < SURE_ENOUGH:
        told = _advice(head, path) or (
            f"say so with --from (format=): {', '.join(adapters())}; of another form, {CHAT}"
        )
        bad = ", ".join(broken_adapters())
        unasked = f", and {bad} could not be asked (passhat adapters says why)" if bad else ""
        raise InputError(
            f"the file does not tell what recorded it ({beginning(head)}){unasked}; {told}",
            Place(file_name(path)),
        )
    if len(ranked) > 1 and ranked[1][0] == best[0]:
        raise InputError(
            f"the file may be {best[1]} or {ranked[1][1]}; say which with --from (format=)",
            Place(file_name(path)),
        )
    return best[2]


def looks_like(path: Path, other_than: Adapter) -> str | None:
    """What a file looks like that another adapter than the one it is read with knows.

    Args:
        path: The file.
        other_than: What it is read with.
    """
    try:
        found = sniffed(path)
    except InputError:
        return None
    return None if found.name == other_than.name else getattr(found, "label", found.name)


def _advice(head: bytes, path: Path) -> str | None:
    """What to do with a file that no adapter knows, by what it begins with."""

    def known(value: Any) -> bool:
        text = outline(value)
        return any(adapter.sniff(path, text) >= SURE_ENOUGH for adapter in adapters().values())

    listed = head.lstrip().startswith(b"[")
    return advice(first_values(head), known, listed=listed) or table_advice(head)


def suite_adapter(path: str | Path) -> SuiteAdapter | None:
    """The adapter that knows a file as a suite of its own world, or that is named: `name:kind/what`.

    None for a suite of ours, and for what is no file, of which the reader of suites says so.

    Raises:
        InputError: The file cannot be opened.
    """
    name, colon, _ = str(path).partition(":")
    if (
        colon
        and not Path(path).exists()
        and isinstance(named := adapters().get(name), SuiteAdapter)
    ):
        return named
    offered = [adapter for adapter in adapters().values() if isinstance(adapter, SuiteAdapter)]
    if not offered or not Path(path).is_file():
        return None
    head = head_of(path, _HEAD_BYTES)
    ranked = [(adapter.sniff(Path(path), head), adapter) for adapter in offered]
    sure, best = max(ranked, key=lambda item: item[0])
    return best if sure >= SURE_ENOUGH else None


def reader_for(path: str | Path, format: str | None = None) -> Adapter:
    """The adapter to read a file with: the one named, else the one that knows it.

    A source that is no file names its adapter: `langgraph:postgresql://...`.

    Raises:
        UsageError: There is no adapter of that name.
        InputError: The file cannot be opened, or does not tell what it is.
    """
    if format:
        return adapter_named(format)
    name, colon, _ = str(path).partition(":")
    if colon and name in adapters() and not Path(path).exists():
        return adapter_named(name)
    return sniffed(Path(path))


def read_traces(
    path: str | Path, format: str | None = None, **options: Any
) -> Iterator[Trace | TraceError]:
    """The traces of a recording, one after the other; `-` is standard input.

    Args:
        path: The file.
        format: Which reader to use (`openai`, `tau-bench`, ...); None asks the file.
        **options: Passed to the reader.

    Returns:
        An iterator, which reads as it goes. A trace that cannot be read is given as its
        `TraceError`, in its place, and costs itself alone.

    Raises:
        InputError: The file cannot be opened, or does not tell what it is.
        UsageError: There is no reader of that name.

    >>> from passhat.demo import TRACES
    >>> first = next(read_traces(TRACES))
    >>> first.source, first.case_id
    ('openai', 'order-status')
    """
    return reader_for(path, format).read_traces(path, **options)
