"""Captured requests: what LangSmith's client sends to `/runs/multipart`, as it went over the wire.

A part is named `post.<run>` or `patch.<run>`, with the large fields in parts of their own
(`post.<run>.outputs`); what is patched stands over what was posted. A file may hold several bodies,
one behind another, each plain or compressed with zstandard: the client sends both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from passhat.errors import InputError, MissingExtraError, Place, TraceError
from passhat.jsontext import decode
from passhat.recordings.shapes import number
from passhat_langsmith.cases import Json

ZSTD = b"\x28\xb5\x2f\xfd"
_HEAD = re.compile(rb'(--[^\r\n]{1,200})\r?\nContent-Disposition: form-data; name="', re.IGNORECASE)
_NAME = re.compile(rb'name="([^"]*)"')
_TYPE = re.compile(rb"content-type: *([^;\r\n]+)", re.IGNORECASE)
_LARGE = 1 << 31
"""Bytes beyond which compressed bodies are not unpacked."""
_FED = 4_096
"""Compressed bytes that are unpacked at once, so that no few of them fill the memory."""


def is_capture(head: bytes) -> bool:
    r"""Whether a file that begins so is a captured body.

    >>> is_capture(b'--b\r\nContent-Disposition: form-data; name="post.r"\r\n')
    True
    """
    if head.startswith(ZSTD):
        try:
            head = _unpacked(head, 0, _LARGE)[0]
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
        held = path.read_bytes()
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", where) from error
    try:
        body, fault = _plain(held)
    except InputError as error:
        raise InputError(error.message, where) from error
    runs: dict[str, Json] = {}
    patched: dict[str, Json] = {}
    files: dict[str, Json] = {}
    scores: dict[str, dict[str, list[float]]] = {}
    broken: dict[str, str] = {}
    for name, mime_type, content in _parts(body):
        kind, _, rest = name.partition(".")
        id, _, field = rest.partition(".")
        if kind == "attachment":
            files.setdefault(id, {})[field] = (mime_type, content)
            continue
        if kind not in ("post", "patch", "feedback"):
            continue
        try:
            told = decode(content)
        except InputError as error:
            broken.setdefault(id, f"the part {name} is no JSON: {error.message}")
            continue
        if kind == "feedback":
            _score(scores, told)
            continue
        said = {field: told} if field else told
        if isinstance(said, dict):
            of = runs if kind == "post" else patched
            of.setdefault(id, {}).update(said, id=id)
    for id, attached in files.items():
        patched.setdefault(id, {"id": id})["attachments"] = attached
    for id, said in patched.items():
        known = {key: one for key, one in said.items() if one is not None}
        runs[id] = {**runs.get(id, {}), **known}
    for id, keys in scores.items():
        if id in runs:
            runs[id]["feedback_stats"] = {
                key: {"n": len(all_), "avg": sum(all_) / len(all_)} for key, all_ in keys.items()
            }
    yield from _by_trace(runs, broken, where)
    if fault is not None:
        yield TraceError(fault, where)


def _by_trace(
    runs: dict[str, Json], broken: dict[str, str], where: Place
) -> Iterator[list[Json] | TraceError]:
    homes: dict[str, list[Json]] = {}
    for id, run in runs.items():
        homes.setdefault(str(run.get("trace_id") or id), []).append(run)
    for home, held in homes.items():
        faults = [(one["id"], broken.pop(one["id"])) for one in held if one["id"] in broken]
        typed = [isinstance(one.get("run_type"), str) for one in held]
        if faults:
            id, said = faults[0]
            yield TraceError(f"run {id}: {said}", where)
        elif not any(typed):
            yield TraceError(f"run {home}: the request that began it was not captured", where)
        else:  # Of a run whose beginning was not captured the kind is not known.
            pairs = zip(held, typed, strict=True)
            yield [one if is_typed else {**one, "run_type": ""} for one, is_typed in pairs]
    for id, said in broken.items():
        yield TraceError(f"run {id}: {said}", where)


def _score(scores: dict[str, dict[str, list[float]]], held: Any) -> None:
    if isinstance(held, dict) and (score := number(held.get("score"))) is not None:
        of = scores.setdefault(str(held.get("run_id")), {})
        of.setdefault(str(held.get("key")), []).append(score)


def _parts(body: bytes) -> Iterator[tuple[str, str | None, bytes]]:
    """The parts of bodies, with name and type; the last of one that was cut off is lost."""
    at = 0
    while (head := _HEAD.search(body, at)) is not None:
        mark = head[1]
        stop = _end(body, head)
        for part in body[head.start() : stop].split(mark)[1:]:
            lines, blank, content = part.lstrip(b"\r\n").partition(b"\r\n\r\n")
            if not blank:
                lines, blank, content = part.lstrip(b"\n").partition(b"\n\n")
            name, kind = _NAME.search(lines), _TYPE.search(lines)
            if name is not None:
                told = None if kind is None else kind[1].decode(errors="replace").strip()
                content = content.removesuffix(b"\n").removesuffix(b"\r")
                yield name[1].decode(errors="replace"), told, content
        at = stop + len(mark) + 1


def _end(body: bytes, head: re.Match[bytes]) -> int:
    """Where a body ends that begins with that head."""
    end = body.find(b"\n" + head[1] + b"--", head.start())
    return len(body) if end < 0 else end


def _plain(held: bytes) -> tuple[bytes, str | None]:
    """The bodies of a file, those that are compressed unpacked, and what in it is broken.

    Raises:
        InputError: None of it can be unpacked, or it is too large then.
        MissingExtraError: zstandard is not installed.
    """
    found: list[bytes] = []
    at, left = 0, _LARGE
    while at < len(held):
        if held.startswith(ZSTD, at):
            try:
                body, at = _unpacked(held, at, left)
            except InputError as error:
                if not found:
                    raise
                return b"".join(found), f"behind byte {at}: {error.message}"
            left -= len(body)
            found.append(body)
            continue
        head = _HEAD.search(held, at)
        packed = held.find(ZSTD, at)
        if head is None or -1 < packed < head.start():
            stop = packed if packed >= 0 else len(held)
        else:
            stop = _end(held, head) + len(head[1]) + 3
        found.append(held[at:stop])
        at = stop
    return b"".join(found), None


def _unpacked(held: bytes, start: int, most: int) -> tuple[bytes, int]:
    """The compressed body that begins there, and where it ends; one that is cut, as far as it is.

    Raises:
        InputError: It cannot be unpacked, or is larger than that.
        MissingExtraError: zstandard is not installed.
    """
    try:
        import zstandard
    except ModuleNotFoundError as error:
        raise MissingExtraError("zstandard", "langsmith") from error
    frame = zstandard.ZstdDecompressor().decompressobj()
    found: list[bytes] = []
    for at in range(start, len(held), _FED):
        fed = held[at : at + _FED]
        try:
            found.append(frame.decompress(fed))
        except zstandard.ZstdError as error:
            raise InputError(f"it cannot be unpacked: {error}") from error
        most -= len(found[-1])
        if most < 0:
            raise InputError(f"unpacked it is more than {_LARGE >> 20} MiB")
        if frame.eof:
            return b"".join(found), at + len(fed) - len(frame.unused_data)
    return b"".join(found), len(held)
