"""Cassettes: answers that tools gave once, given again by tool and arguments."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from passhat.errors import InputError, Place
from passhat.jsontext import file_name, read_bytes, replacing
from passhat.trace import Trace
from passhat.trace.builder import copied
from passhat.trials.answers import plain
from passhat.trials.callkeys import call_key

CASSETTE_SCHEMA = "passhat.cassette/1"


class Take(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """One recorded answer.

    Attributes:
        tool: The tool.
        args: The arguments it was called with.
        result: What it answered; UNSET where it failed.
        error: Why it failed.
    """

    tool: str
    args: dict[str, Any]
    result: Any | UnsetType = UNSET
    error: str | None = None


class _Line(Take, frozen=True, omit_defaults=True, kw_only=True):
    schema: str = ""


class Cassette:
    """Recorded answers of tools.

    What was recorded several times with the same arguments is given in that order, and its last
    answer from then on.

    Args:
        takes: The answers, in the order in which they were given.

    >>> cassette = Cassette([Take("get", {"id": 1}, "open"), Take("get", {"id": 1}, "shipped")])
    >>> player = cassette.player()
    >>> [player.answer("get", {"id": 1}).result for _ in range(3)]
    ['open', 'shipped', 'shipped']
    """

    def __init__(self, takes: Iterable[Take]) -> None:
        self.takes = tuple(takes)
        self._by_call: dict[bytes, list[Take]] = {}
        for take in self.takes:
            self._by_call.setdefault(call_key(take.tool, take.args), []).append(take)

    @classmethod
    def from_traces(cls, traces: Iterable[Trace]) -> Cassette:
        """The answers that the calls of recorded traces got.

        Calls that never ran, whose arguments did not parse, or that have no answer are left out.
        """
        return cls(
            Take(call.name, copied(call.args), copied(call.result), call.error)
            for trace in traces
            for call in trace.all_calls
            if call.executed is not False and call.args_error is None
            if call.succeeded or call.failed
        )

    @classmethod
    def read(cls, path: str | Path) -> Cassette:
        """The cassette of a file, one answer a line.

        Raises:
            InputError: A line is no recorded answer; it names the line.
        """
        name = file_name(path)
        takes = []
        for number, line in enumerate(read_bytes(path).splitlines(), 1):
            if not line.strip():
                continue
            try:
                found = msgspec.json.decode(line, type=_Line)
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                raise InputError(f"not a recorded answer: {error}", Place(name, number)) from error
            if found.schema != CASSETTE_SCHEMA:
                raise InputError(
                    f"schema is {found.schema!r}, not {CASSETTE_SCHEMA!r}", Place(name, number)
                )
            if found.result is UNSET and found.error is None:
                raise InputError("has neither a result nor an error", Place(name, number))
            takes.append(Take(found.tool, found.args, found.result, found.error))
        return cls(takes)

    def save(self, path: str | Path) -> None:
        """Writes the cassette to a file, one answer a line."""
        with replacing(Path(path)) as file:
            for take in self.takes:
                # A NaN would be written as null, which is another answer.
                line = {"schema": CASSETTE_SCHEMA, **plain(take)}
                file.write(msgspec.json.encode(line) + b"\n")

    def __len__(self) -> int:
        return len(self.takes)

    def tools(self) -> tuple[str, ...]:
        """The tools that it has answers of."""
        return tuple(dict.fromkeys(take.tool for take in self.takes))

    def player(self) -> Player:
        """What gives its answers in one trial."""
        return Player(self._by_call)


class Player:
    """Gives the answers of a cassette in one trial."""

    def __init__(self, by_call: Mapping[bytes, list[Take]]) -> None:
        self._by_call = by_call
        self._given: Counter[bytes] = Counter()
        self._lock = threading.Lock()

    def answer(self, tool: str, args: Mapping[str, Any]) -> Take | None:
        """The next answer to a call; None where none was recorded with these arguments."""
        key = call_key(tool, args)
        takes = self._by_call.get(key)
        if not takes:
            return None
        with self._lock:
            number = self._given[key]
            self._given[key] += 1
        return takes[min(number, len(takes) - 1)]

    def nearest(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any] | None:
        """The recorded arguments of the tool that are most like these; None where there are none."""
        text = str(dict(args))
        recorded = [takes[0].args for takes in self._by_call.values() if takes[0].tool == tool]
        return max(
            recorded, key=lambda one: SequenceMatcher(None, text, str(one)).ratio(), default=None
        )
