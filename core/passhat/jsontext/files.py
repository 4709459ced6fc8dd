"""Files as the readers need them: `-` is standard input, gzip is unpacked, writing is all or nothing."""

from __future__ import annotations

import atexit
import gzip
import os
import secrets
import shutil
import sys
import tempfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, BinaryIO, cast

from passhat.errors import InputError, Place, UsageError

STANDARD = "-"
LARGEST = 1 << 30
"""How many bytes one line, or one file that is no JSONL, may have."""
_USUAL = 1 << 16
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def file_name(path: str | Path) -> str:
    """The name of a file as errors and reports give it.

    >>> file_name("runs/a.jsonl"), file_name("-")
    ('runs/a.jsonl', 'standard input')
    """
    return "standard input" if str(path) == STANDARD else str(path)


@contextmanager
def opened(path: str | Path) -> Iterator[BinaryIO]:
    """A file open for reading bytes: `-` is standard input, which may be opened again and again.

    Raises:
        InputError: It cannot be opened or read.
    """
    real = _spooled(sys.stdin.buffer) if str(path) == STANDARD else Path(path)
    try:
        with real.open("rb") as file:
            if file.peek(2)[:2] == b"\x1f\x8b":
                with gzip.open(file) as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield file
    except IsADirectoryError as error:
        why = "cannot be read: it is a folder; name a file in it, or several"
        raise InputError(why, Place(file_name(path))) from error
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot be read: {why}", Place(file_name(path))) from error


@lru_cache(maxsize=1)
def _spooled(stream: IO[bytes]) -> Path:
    """Standard input as a file, so that it can be looked at first and read afterwards."""
    handle, name = tempfile.mkstemp(prefix="passhat-stdin-")
    atexit.register(Path(name).unlink, missing_ok=True)
    with os.fdopen(handle, "wb") as file:
        shutil.copyfileobj(stream, file)
    return Path(name)


def head_of(path: str | Path, size: int) -> bytes:
    """The first bytes of a file, unpacked.

    Raises:
        InputError: It cannot be read.
    """
    with opened(path) as file:
        return file.read(size)


def read_bytes(path: str | Path) -> bytes:
    """All bytes of a file, without a byte order mark.

    Raises:
        InputError: It cannot be read, is not UTF-8 by its mark, or is larger than `LARGEST`.
    """
    with opened(path) as file:
        return bytes_in(file, path)


def bytes_in(file: BinaryIO, path: str | Path) -> bytes:
    """The rest of an open file, as `read_bytes` gives it.

    Raises:
        InputError: It cannot be read, is not UTF-8 by its mark, or is larger than `LARGEST`.
    """
    data = file.read(_USUAL)
    if len(data) == _USUAL:  # Else the buffer for all that a file may have is made for nothing.
        data += file.read(LARGEST + 1 - _USUAL)
    if len(data) > LARGEST:
        raise InputError(
            f"larger than {LARGEST >> 20} MiB in one piece; write it as JSONL, one a line",
            Place(file_name(path)),
        )
    refuse_other_encodings(data, path)
    return data.removeprefix(_BOM)


def lines(path: str | Path) -> Generator[tuple[int, bytes], None, None]:
    """The lines of a file that are not blank, with their numbers from 1; memory stays flat.

    Raises:
        InputError: The file cannot be read, is not UTF-8 by its mark, or has a line longer than
            `LARGEST`.
    """
    with opened(path) as file:
        yield from lines_in(file, path)


def lines_in(file: BinaryIO, path: str | Path) -> Iterator[tuple[int, bytes]]:
    """The lines of an open file, as `lines` gives them.

    Raises:
        InputError: It cannot be read, is not UTF-8 by its mark, or has a line longer than `LARGEST`.
    """
    number = 0
    while line := file.readline(LARGEST + 1):
        number += 1
        if len(line) > LARGEST:
            raise InputError(
                f"a line longer than {LARGEST >> 20} MiB", Place(file_name(path), number)
            )
        if number == 1:
            refuse_other_encodings(line, path)
            line = line.removeprefix(_BOM)
        line = line.strip()
        if line:
            yield number, line


def refuse_other_encodings(data: bytes, path: str | Path) -> None:
    """Makes sure that a file does not begin with the byte order mark of UTF-16.

    Raises:
        InputError: It does.
    """
    if data[:2] in _UTF_16:
        raise InputError(
            "UTF-16 by its byte order mark, not UTF-8; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)",
            Place(file_name(path), 1),
        )


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """A file open for writing that takes the place of `path` only once all is written.

    What was there stays as it was if anything goes wrong on the way. `-` is standard output, and
    what is no plain file (a pipe, `/dev/null`) is written to directly.

    Raises:
        UsageError: It cannot be written.
    """
    if str(path) == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path).resolve()
    if target.exists() and not target.is_file() and not target.is_dir():
        with target.open("wb") as device:
            yield device
        return
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("xb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, draft)
        draft.replace(target)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror}", Place(str(path))) from error
    finally:
        draft.unlink(missing_ok=True)
