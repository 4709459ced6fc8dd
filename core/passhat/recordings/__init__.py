"""Readers of plain recordings, one file per form: chats of the model providers, benchmarks, our own.

Each is an adapter (see `passhat.adapter`), found by its name or by what a file holds. What they
share is in `reader`; `conversation` has the two rules that hold for results in all of them.
"""

from __future__ import annotations

from typing import Any

from passhat.adapter import SURE_ENOUGH, adapter_named, adapters
from passhat.errors import InputError, TraceError, UsageError
from passhat.jsontext import jsonable
from passhat.recordings.reader import RecordingReader
from passhat.trace import Trace

__all__ = ["RecordingReader", "to_trace"]


def to_trace(value: Any, format: str | None = None, *, id: str = "trace") -> Trace:
    """The trace of one attempt in memory: a list of messages, or a row that holds one.

    Args:
        value: Messages as dicts, or as the models of a client library; they are left as they are.
        format: Whose messages they are (`openai`, `anthropic`, ...); None asks the messages.
        id: The trace's id, should the row have none.

    Raises:
        UsageError: There is no such format, or the messages do not tell theirs.
        TraceError: They cannot be read; the error names the path.

    >>> chat = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]
    >>> to_trace(chat).final_response
    'Hello.'
    """
    try:
        plain = jsonable(value)
    except InputError as error:
        raise TraceError(error.message, error.place) from error
    return _reader(plain, format).trace_of_plain(plain, id)


def _reader(value: Any, format: str | None) -> RecordingReader:
    if format is not None:
        named = adapter_named(format)
        if not isinstance(named, RecordingReader):
            raise UsageError(f"{format} reads files, not messages in memory")
        return named
    if not isinstance(value, dict | list) or not value:
        said = "there are none" if isinstance(value, dict | list) else f"{value!r:.40} is none"
        raise UsageError(f"a run is a Trace, or a list of messages: {said}")
    readers = [found for found in adapters().values() if isinstance(found, RecordingReader)]
    sure = {reader.name: reader.recognises(value) for reader in readers}
    best = max(readers, key=lambda reader: sure[reader.name])
    equals = sum(number == sure[best.name] for number in sure.values())
    if sure[best.name] < SURE_ENOUGH or equals > 1:
        raise UsageError(
            "the messages do not tell whose they are; say so with "
            f"passhat.recordings.to_trace(messages, format=...): {', '.join(sure)}"
        )
    return best
