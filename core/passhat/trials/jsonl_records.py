"""The records of a journal of lines.

The first line says what the run is pinned to; then a line for each claim, each claim that was given
back, and each finished trial with its trace.
"""

from __future__ import annotations

import msgspec

from passhat.result import TrialStatus
from passhat.trials.pins import Pins


class Finished(msgspec.Struct):
    """A finished trial: its result and its trace, each as it was written, and when it ended."""

    result: msgspec.Raw
    trace: msgspec.Raw
    at: float


class Line(msgspec.Struct, omit_defaults=True):
    """One record: exactly one of its keys is there, but for the runner and the lease."""

    schema: str | None = None
    pins: Pins | None = None
    claim: tuple[str, int] | None = None
    release: tuple[str, int] | None = None
    alive: str | None = None
    finished: Finished | None = None
    complete: bool | None = None
    runner: str = ""
    lease: float = 0.0


class Key(msgspec.Struct):
    """What a result is about, read without the rest of it."""

    case_id: str
    trial: int
    status: TrialStatus


read_line = msgspec.json.Decoder(Line).decode
read_key = msgspec.json.Decoder(Key).decode
encode_record = msgspec.json.Encoder().encode
