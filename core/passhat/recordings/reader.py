"""What all readers of plain recordings share: files, rows, errors, sniffing, writing.

A format says how one attempt is told apart, how its entries become steps, and how steps become
entries; everything else is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from msgspec.structs import replace

from passhat.adapter import Fidelity, FidelityNote
from passhat.errors import InputError, Place, TraceError, UsageError
from passhat.jsontext import decode_text_result, first_values, jsonable, replacing
from passhat.jsontext.structure import completed
from passhat.recordings.attempts import Attempt, attempts, runs_in
from passhat.recordings.bodies import Exchange, exchange
from passhat.recordings.conversation import Conversation
from passhat.recordings.lines import encoded, losses
from passhat.recordings.shapes import Entry, objects, word, wrong
from passhat.recordings.sidecar import row_of, trace_fields
from passhat.recordings.suiteless import Suiteless
from passhat.recordings.unread import answer_beside
from passhat.trace import Message, Step, Trace, Usage

_FEW = 8


class RecordingReader(Suiteless):
    """Reads and writes one form of plain recordings: the base of the adapters in this room.

    Attributes:
        name: The word in `--from` and `--to`.
        label: What the recordings are called in sentences.
        requires: No distribution: the files are plain JSON.
        key: The key of a row under which the conversation stands.
        row_keys: The other keys of a row that the format reads itself.
        response_keys: The keys of a provider's response that the format reads itself, that of the
            model's answers first; none where the form has no responses.
        part_types: The types that parts of a message's content have in this form.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    requires: tuple[str, ...] = ()
    key: ClassVar[str] = "messages"
    row_keys: ClassVar[tuple[str, ...]] = ()
    response_keys: ClassVar[tuple[str, ...]] = ()
    part_types: ClassVar[frozenset[str]] = frozenset()

    # What a format says.

    def is_entry(self, value: Any) -> bool:
        """Whether a value is one entry of a conversation, and no row that holds one."""
        raise NotImplementedError

    def sure(self, entries: Sequence[Any], row: dict[str, Any]) -> float:
        """How sure it is that the entries, and the row around them, are of this form: 0 to 1."""
        raise NotImplementedError

    def fill(self, chat: Conversation, entries: list[Entry], row: dict[str, Any]) -> None:
        """Puts the entries of a conversation into the trace under construction.

        Raises:
            TraceError: They cannot be read; its path begins at the attempt.
        """
        raise NotImplementedError

    def exchanged(self, whole: Exchange) -> tuple[list[Entry], dict[str, Any]]:
        """The conversation of a request with the answer behind it, and what that says of the row.

        Raises:
            TraceError: They cannot be read.
        """
        raise NotImplementedError

    def conversation(self, trace: Trace) -> dict[str, Any]:
        """The keys of a row that hold the conversation of a trace in this form."""
        raise NotImplementedError

    def usage(self, raw: Any) -> Usage | None:
        """What the form states of usage, None where it states nothing."""
        return None

    def tools(self, catalogue: dict[str, dict[str, Any]]) -> Any:
        """A tool catalogue in this form."""
        return catalogue

    def is_part(self, value: Any) -> bool:
        """Whether a value can be a part of a message's content in this form."""
        return word(value, "type") in self.part_types

    def normal(self, value: Any) -> Any:
        """An entry in the one shape that `fill` reads, where the form has several."""
        return value

    # What follows from it.

    def sniff(self, path: Path, head: bytes) -> float:
        """How sure it is that the file is its own, 0 (no) to 1 (sure), by its first bytes."""
        values = first_values(head)
        if any(self.is_entry(value) for value in values):
            return self.sure(values, {})
        return max((self.recognises(value) for value in values), default=0.0)

    def recognises(self, value: Any) -> float:
        """How sure it is that a value is one attempt in this form, 0 (no) to 1 (sure)."""
        if isinstance(value, list):
            return self.sure(value, {})
        if not isinstance(value, dict):
            return 0.0
        if (wrapped := runs_in(value, self.key)) is not None:
            return max((self.recognises(run) for run in wrapped[1][:_FEW]), default=0.0)
        if (whole := self._exchange(value)) is not None:
            return 0.9 if whole.tells(self.key, self.response_keys[0]) else 0.0
        held = value.get(self.key)
        if isinstance(held, str):
            held = decode_text_result(completed(held.encode(errors="replace"))[0].decode())
        return self.sure(held, value) if isinstance(held, list) else 0.0

    def read_traces(self, source: Any, **options: Any) -> Iterator[Trace | TraceError]:
        """The traces of a recording, lazily; one that cannot be read is given as its error.

        Args:
            source: A path (`-` is standard input), or messages, a row or rows in memory.
            **options: This reader has none.

        Raises:
            UsageError: An option was given.
            InputError: The file cannot be opened.
        """
        if options:
            raise UsageError(f"the reader {self.name} has no option {next(iter(options))!r}")
        return self._traces(source)

    def _traces(self, source: Any) -> Iterator[Trace | TraceError]:
        for attempt in self._attempts(source):
            if isinstance(attempt, InputError):
                yield TraceError(attempt.message, attempt.place)
                continue
            try:
                yield self.trace_of_plain(attempt.value, attempt.id)
            except TraceError as error:
                yield TraceError(error.message, _inside(attempt.place, error.place))

    def _attempts(self, source: Any) -> Iterator[Attempt | InputError]:
        return attempts(source, self.is_entry, self.key)

    def to_trace(self, value: Any, *, id: str = "trace") -> Trace:
        """The trace of one attempt in memory: a list of entries, or a row that holds one.

        Args:
            value: The entries or the row; it is left as it is and shares nothing with the trace.
            id: The trace's id, should the row have none.

        Raises:
            TraceError: It cannot be read; the error names the path.
        """
        try:
            return self.trace_of_plain(jsonable(value), id)
        except TraceError:
            raise
        except InputError as error:
            raise TraceError(error.message, error.place) from error

    def trace_of_plain(self, value: Any, id: str) -> Trace:
        """The trace of one attempt, a JSON value that was made for it alone and may be kept.

        Raises:
            TraceError: It cannot be read; the error names the path.
        """
        if (whole := self._exchange(value)) is not None:
            return self._trace_of_exchange(whole, id)
        row: dict[str, Any] = {}
        found, path = value, "$"
        if isinstance(value, dict):
            if self.key not in value:
                raise TraceError(
                    f"{self.label} are a list, or an object with {self.key!r}; this object has none",
                    Place(path="$"),
                )
            row, found, path = value, value[self.key], f"$.{self.key}"
            if isinstance(found, str):
                found = decode_text_result(found)
        if not isinstance(found, list):
            raise wrong(f"{self.label} are a list, or an object with {self.key!r}", found, path)
        found = [self.normal(entry) for entry in found]
        return self._finished(row, objects(found, path, f"entries of {self.label}"), id)

    def _exchange(self, value: Any) -> Exchange | None:
        return exchange(value, self.key, self.response_keys[0]) if self.response_keys else None

    def _trace_of_exchange(self, whole: Exchange, id: str) -> Trace:
        entries, said = self.exchanged(whole)
        row = whole.row(self.key, self.response_keys, said)
        return self._finished(row, [(path, self.normal(entry)) for path, entry in entries], id)

    def _finished(self, row: dict[str, Any], entries: list[Entry], id: str) -> Trace:
        chat = Conversation(id, source=self.name)
        self.fill(chat, entries, row)
        beside = _but_read(row, (self.key, *self.row_keys))
        if chat.waits and (key := answer_beside(beside)) is not None:
            where = f"the conversation ends before an answer that stands under {key!r}"
            chat.gap(f"calls: {where}")
            chat.gap(f"response: {where}; add it as the last message")
        fields = trace_fields(row, (self.key, *self.row_keys), self.usage)
        chat.id = fields.pop("id", id)
        for gap in fields.pop("gaps", ()):
            chat.gap(gap)
        return chat.trace(**fields)

    def from_trace(self, trace: Trace) -> dict[str, Any]:
        """A trace as one row of this form.

        Raises:
            TraceError: The trace holds a value that is no JSON.
        """
        row = row_of(trace)
        if trace.tools is not None:
            row["tools"] = self.tools(trace.tools)
        own = trace.source == self.name
        steps = tuple(self._writable(step, own) for step in trace.steps)
        row |= self.conversation(replace(trace, steps=steps))
        return self._copied(row, trace)

    def _writable(self, step: Step, own: bool) -> Step:
        """The step without what is of another form: its extensions, and content parts.

        Args:
            step: The step.
            own: Whether the trace was recorded in this form.
        """
        if not own and step.extensions:
            step = replace(step, extensions={})
        if not isinstance(step, Message) or step.content is None:
            return step
        parts = isinstance(step.content, list) and all(map(self.is_part, step.content))
        return step if parts else replace(step, content=None)

    def _copied(self, row: dict[str, Any], trace: Trace) -> dict[str, Any]:
        try:
            return jsonable(row)  # type: ignore[no-any-return]  # a dict gives a dict
        except InputError as error:
            raise TraceError(
                f"trace {trace.id!r} cannot be written: {error.message}", error.place
            ) from error

    def write_traces(self, traces: Iterable[Trace], target: Path) -> Fidelity:
        """Writes traces, one row a line, and says what of each was not kept.

        Each row is read back, and every difference is noted. The target is replaced only once all
        is written; for a name that ends in `.json` it is one list.

        Raises:
            UsageError: The target cannot be written.
            TraceError: A trace holds a value that is no JSON.
        """
        notes: list[FidelityNote] = []
        as_list = Path(target).suffix == ".json"
        opening, joint, end = (b"[\n", b",\n", b"\n]\n") if as_list else (b"", b"\n", b"\n")
        with replacing(target) as file:
            file.write(opening)
            written = False
            for trace in traces:
                row = self.from_trace(trace)
                file.write((joint if written else b"") + encoded(row))
                notes += losses(trace, row, self.to_trace)
                written = True
            file.write(end if written or as_list else b"")
        return Fidelity(tuple(notes))


def _but_read(row: dict[str, Any], known: Sequence[str]) -> dict[str, Any]:
    return {key: item for key, item in row.items() if key not in known}


def _inside(outer: Place, inner: Place) -> Place:
    """The place of something within an attempt, in the file."""
    base = outer.path or "$"
    return Place(outer.file, outer.line, base + (inner.path or "$")[1:])
