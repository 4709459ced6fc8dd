"""Captured requests: what LangSmith's client sends to `/runs/multipart`, as it went over the wire.

A part is named `post.<run>` or `patch.<run>`, with the large fields in parts of their own
(`post.<run>.outputs`); what is patched stands over what was posted. A body is plain or compressed
with zstandard, and a file may hold several, one behind another.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from passhat.errors import InputError, MissingExtraError, Place, TraceError
from passhat_langsmith.cases import Json

ZSTD = b"\x28\xb5\x2f\xfd"
_HEAD = re.compile(rb'(--[^\r\n]{1,200})\r?\nContent-Disposition: form-data; name="', re.IGNORECASE)
_NAME = re.compile(rb'name="([^"]*)"')
_LARGE = 1 << 31
"""Bytes beyond which a compressed body is not unpacked."""
_SNIFFED = 4_096


def is_capture(head: bytes) -> bool:
    r"""Whether a file that begins so is a captured body.

    >>> is_capture(b'--b\r\nContent-Disposition: form-data; name="post.r"\r\n')
    True
    """
    if head.startswith(ZSTD):
        try:
            head = _unpacked(head, _SNIFFED)
        except (InputError, MissingExtraError):
            return False
    return _HEAD.match(head) is not None


def captured_traces(path: Path) -> Iterator[list[Json] | TraceError]:
    """The runs of each trace in a file of captured bodies; a trace that is broken is its error.

    Raises:
        InputError: It cannot be opened or unpacked.
        MissingExtraError: It is compressed, and zstandard is not installed.
    """
    where = Place(str(path))
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", where) from error
    try:
        body = _unpacked(body, _LARGE) if body.startswith(ZSTD) else body
    except InputError as error:
        raise InputError(error.message, where) from error
    runs: dict[str, Json] = {}
    patched: dict[str, Json] = {}
    scores: dict[str, dict[str, list[float]]] = {}
    broken: dict[str, str] = {}
    for name, content in _parts(body):
        kind, _, rest = name.partition(".")
        id, _, field = rest.partition(".")
        if kind not in ("post", "patch", "feedback"):
            continue  # An attachment, which no step of a trace holds.
        try:
            held = msgspec.json.decode(content)
        except msgspec.DecodeError as error:
            broken.setdefault(id, f"the part {name} is no JSON: {error}")
            continue
        if kind == "feedback":
            _score(scores, held)
            continue
        told = {field: held} if field else held
        if isinstance(told, dict):
            of = runs if kind == "post" else patched
            of.setdefault(id, {"id": id}).update(told)
    for id, told in patched.items():
        known = {key: held for key, held in told.items() if held is not None}
        runs[id] = {**runs.get(id, {}), **known}
    for id, keys in scores.items():
        if id in runs:
            runs[id]["feedback_stats"] = {
                key: {"n": len(all_), "avg": sum(all_) / len(all_)} for key, all_ in keys.items()
            }
    yield from _by_trace(runs, broken, where)


def _by_trace(
    runs: dict[str, Json], broken: dict[str, str], where: Place
) -> Iterator[list[Json] | TraceError]:
    homes: dict[str, list[Json]] = {}
    for id, run in runs.items():
        homes.setdefault(str(run.get("trace_id") or id), []).append(run)
    for home, held in homes.items():
        faults = [(one["id"], broken.pop(one["id"])) for one in held if one["id"] in broken]
        untyped = [one["id"] for one in held if not isinstance(one.get("run_type"), str)]
        if faults:
            id, said = faults[0]
            yield TraceError(f"run {id}: {said}", where)
        elif len(untyped) == len(held):
            yield TraceError(f"run {home}: the request that began it was not captured", where)
        else:
            yield [one for one in held if one["id"] not in untyped]
    for id, said in broken.items():
        yield TraceError(f"run {id}: {said}", where)


def _score(scores: dict[str, dict[str, list[float]]], held: Any) -> None:
    if isinstance(held, dict) and isinstance(held.get("score"), int | float):
        of = scores.setdefault(str(held.get("run_id")), {})
        of.setdefault(str(held.get("key")), []).append(float(held["score"]))


def _parts(body: bytes) -> Iterator[tuple[str, bytes]]:
    """The parts of the bodies in a file, with their names; the last of one that was cut off is lost."""
    at = 0
    while (head := _HEAD.search(body, at)) is not None:
        mark = head[1]
        end = body.find(b"\n" + mark + b"--", head.start())
        stop = len(body) if end < 0 else end
        for part in body[head.start() : stop].split(mark)[1:]:
            lines, blank, content = part.lstrip(b"\r\n").partition(b"\r\n\r\n")
            if not blank:
                lines, blank, content = part.lstrip(b"\n").partition(b"\n\n")
            name = _NAME.search(lines)
            if name is not None:
                yield name[1].decode(errors="replace"), content.removesuffix(b"\n").rstrip(b"\r")
        at = stop + len(mark) + 1


def _unpacked(body: bytes, most: int) -> bytes:
    try:
        import zstandard
    except ModuleNotFoundError as error:
        raise MissingExtraError("zstandard", "langsmith") from error
    reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(body), read_across_frames=True)
    found = b""
    try:
        while len(found) <= most and (more := reader.read(1 << 20)):
            found += more
            if most == _SNIFFED:
                return found
    except zstandard.ZstdError as error:
        if not found:
            raise InputError(f"it cannot be unpacked: {error}") from error
    if len(found) > most:
        raise InputError(f"unpacked it is more than {most >> 20} MiB")
    return found
