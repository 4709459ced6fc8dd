"""The file form of a trace: one JSON object, `{"schema": "passhat.trace/1", ...}`."""

from __future__ import annotations

import msgspec

from passhat.errors import Place, TraceError
from passhat.trace.model import Trace

TRACE_SCHEMA = "passhat.trace/1"


class _TraceLine(Trace, frozen=True, forbid_unknown_fields=True, omit_defaults=False):
    schema: str = TRACE_SCHEMA


_HEAD = b'{"schema":"passhat.trace/1",'
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_TraceLine).decode
_decode_bare = msgspec.json.Decoder(Trace).decode


def encode_trace(trace: Trace) -> bytes:
    """The trace as one line of JSON, without the line's end.

    Args:
        trace: Any trace; values that are not JSON raise `TypeError`.

    >>> encode_trace(Trace("t1", case_id="c"))
    b'{"schema":"passhat.trace/1","id":"t1","case_id":"c"}'
    """
    return _HEAD + _encode(trace)[1:]


def decode_trace(data: bytes | str, place: Place | None = None) -> Trace:
    """The trace that a line of JSON holds.

    Args:
        data: One JSON object; its `schema` may be absent.
        place: Where the line stands, for the error.

    Raises:
        TraceError: The line is not JSON, or not a trace; it names the place and the path.

    >>> decode_trace(b'{"schema":"passhat.trace/1","id":"t1"}').id
    't1'
    """
    try:
        if type(data) is bytes and data.startswith(_HEAD):
            return _decode_bare(b"{" + data[len(_HEAD) :])
        line = _decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        place = place or Place()
        raise TraceError(f"not a trace: {error}", place) from error
    if line.schema != TRACE_SCHEMA:
        raise TraceError(f"schema is {line.schema!r}, not {TRACE_SCHEMA!r}", place)
    return Trace(**{name: getattr(line, name) for name in Trace.__struct_fields__})
