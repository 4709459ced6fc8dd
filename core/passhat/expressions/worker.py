"""The other process: reads expressions with their values, writes what they give."""

from __future__ import annotations

import sys

import msgspec

from passhat.expressions.compiling import evaluated

MOST_BYTES = 1 << 30


def serve() -> None:
    """Answers until there is nothing more to read."""
    _bound()
    evaluated("true", {})  # Loads the library, which is not the first expression's time.
    _write(b"ready")
    while head := sys.stdin.buffer.read(8):
        text, given = msgspec.msgpack.decode(
            sys.stdin.buffer.read(int.from_bytes(head, "big")), type=tuple[str, dict[str, object]]
        )
        _write(msgspec.msgpack.encode(evaluated(text, given)))


def _write(answer: bytes) -> None:
    sys.stdout.buffer.write(len(answer).to_bytes(8, "big") + answer)
    sys.stdout.buffer.flush()


def _bound() -> None:
    """Bounds the memory of the process, where the system can."""
    try:
        import resource
    except ImportError:  # Windows has no such bounds; time is bounded all the same.
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
