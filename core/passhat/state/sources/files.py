"""Snapshots of files: JSON, JSONL and CSV, alone or in a folder."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from passhat.errors import InputError, Place
from passhat.jsontext import decode, file_name, lines, read_bytes
from passhat.state.paths import ROOT
from passhat.state.snapshots import Snapshot
from passhat.wording import joined

JSON, JSONL, CSV = (".json",), (".jsonl", ".ndjson"), (".csv", ".tsv")
READABLE = (*JSON, *JSONL, *CSV)

MOST_FILES = 10_000

_KEYS = re.compile(rb'"(?:[^"\\]++|\\.)*+"(\s*:)?', re.DOTALL)
_SPACED = re.compile(rb'"\s++:')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", re.ASCII)
_MOST_DIGITS = 15


def of_folder(folder: Path, name: str) -> Snapshot:
    """The files of a folder, each under its name without the suffix; below, under `sub/name`.

    Raises:
        InputError: A file cannot be read, two have one name, a link leads out of the folder, or
            there are files and none of a kind that can be read.
    """
    value: dict[str, Any] = {}
    columns: dict[str, dict[str, str]] = {}
    first: dict[str, Path] = {}
    left_out: list[str] = []
    for path in _files(folder, name):
        relative = path.relative_to(folder)
        if path.suffix.lower() not in READABLE or relative.name.startswith("."):
            left_out.append(relative.as_posix())
            continue
        table = relative.with_suffix("").as_posix()
        if table in first:
            raise InputError(
                f"{first[table].name} and {relative.name} are both {table}", Place(name)
            )
        first[table] = relative
        value[table], header = _read(path)
        if header is not None:
            columns[table] = header
    if left_out and not value:
        raise InputError(
            f"has no file of {', '.join(READABLE)}; there is {left_out[0]}", Place(name)
        )
    gaps = (f"files left out: {joined(left_out, 5)}",) if left_out else ()
    return Snapshot(value, name, columns=columns, gaps=gaps)


def of_file(path: str | Path) -> Snapshot:
    """What a file of JSON, JSONL (a list) or CSV (rows) holds.

    Raises:
        InputError: It cannot be read; the error names the line.
    """
    value, header = _read(path)
    return Snapshot(value, str(path), columns={} if header is None else {ROOT: header})


def _read(path: str | Path) -> tuple[Any, dict[str, str] | None]:
    """What a file holds, and its columns, without types, where it says so by itself."""
    suffix = Path(path).suffix.lower()
    refuse_pipes(path)
    if suffix in CSV:
        return _csv(path, tabs=suffix == ".tsv")
    if suffix in JSONL:
        place = file_name(path)
        return [_json(data, Place(place, number)) for number, data in lines(path)], None
    return _json(read_bytes(path), Place(file_name(path))), None


def refuse_pipes(path: str | Path) -> None:
    """Refuses what is there and no file: to open a pipe is to wait for somebody to write to it.

    Raises:
        InputError: It is a pipe, a socket or a device.
    """
    if not Path(path).is_file() and Path(path).exists():
        raise InputError("is no file, but a pipe, a socket or a device", Place(str(path)))


def _files(folder: Path, name: str) -> Iterator[Path]:
    """The files of a folder and of the folders in it, sorted."""
    root = folder.resolve()
    todo, count = [folder], 0
    while todo:
        try:
            entries = sorted(todo.pop().iterdir(), reverse=True)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", Place(name)) from error
        folders = []
        for path in reversed(entries):
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise InputError(
                    f"{path.relative_to(folder)} is a link that leads out of the folder",
                    Place(name),
                )
            if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
                folders.append(path)
                continue
            count += 1
            if count > MOST_FILES:
                raise InputError(f"has more than {MOST_FILES} files", Place(name))
            yield path
        todo += reversed(folders)


def _json(data: bytes, place: Place) -> Any:
    """The value of a JSON text in which no key stands twice."""
    value = decode(data, place)
    keys = _count_keys(value)
    # Quotes before colons stand after every key, and now and then inside a text.
    if data.count(b'":') + sum(1 for _ in _SPACED.finditer(data)) > keys:
        written = sum(1 for text in _KEYS.finditer(data) if text[1])
        key = _repeated_key(data) if written > keys else None
        if key is not None:
            raise InputError(f"the key {key!r} stands twice in one object; which one holds?", place)
    return value


def _count_keys(value: Any) -> int:
    """How many keys were written: those of the tags that stand for odd numbers were not."""
    count = 0
    layer = [value]
    while layer:
        mappings = [item for item in layer if type(item) is dict and not _is_tag(item)]
        lists = [item for item in layer if type(item) is list]
        count += sum(map(len, mappings))
        parts = chain(chain.from_iterable(map(dict.values, mappings)), chain.from_iterable(lists))
        layer = [item for item in parts if type(item) is dict or type(item) is list]
    return count


def _is_tag(item: dict[str, Any]) -> bool:
    return len(item) == 1 and ("$float" in item or "$int" in item)


def _repeated_key(data: bytes) -> str | None:
    repeated: list[str] = []

    def look(entries: list[tuple[str, Any]]) -> None:
        counts = Counter(key for key, _ in entries)
        repeated.extend(key for key, count in counts.items() if count > 1)

    json.loads(data, object_pairs_hook=look, parse_int=str)
    return repeated[0] if repeated else None


def _csv(path: str | Path, *, tabs: bool) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The rows of a table in CSV, and its columns.

    A cell becomes a number where its text can be had back from it.
    """
    name = file_name(path)
    try:
        text = read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: byte {error.start}; save it as UTF-8", Place(name)) from error
    head = text.partition("\n")[0]
    delimiter = "\t" if tabs else max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[dict[str, Any]] = []
    try:
        columns = next(reader, [])
        twice = [column for column, count in Counter(columns).items() if count > 1]
        if twice:
            raise InputError(f"two columns are called {twice[0]!r}", Place(name, 1))
        for row in reader:
            if not row:
                continue
            if len(row) != len(columns):
                raise InputError(
                    f"{len(row)} cells, and the header has {len(columns)}",
                    Place(name, reader.line_num),
                )
            rows.append(dict(zip(columns, map(_cell, row), strict=True)))
    except csv.Error as error:
        said = f"no CSV: {error}"
        if "field limit" in str(error):
            said = (
                f"a cell has more than {csv.field_size_limit():,} characters, or a quote is never "
                "closed; a table with such cells can be read as JSON"
            )
        raise InputError(said, Place(name, reader.line_num)) from error
    return rows, dict.fromkeys(columns, "")


def _cell(text: str) -> str | int | float:
    """The number that a cell writes, or its text.

    Cells of two texts are never one value: `007`, `+1`, `1.10` and `1.0` stay text, beside `7`, `1`
    and `1.1`.

    >>> [_cell(text) for text in ("12", "-0.5", "1.10", "007", "1.0", "-0")]
    [12, -0.5, '1.10', '007', '1.0', '-0']
    """
    if _NUMBER.fullmatch(text) is None or len(text) > _MOST_DIGITS:
        return text
    number = float(text) if "." in text else int(text)
    # 1.0 is the number 1, whose text is another.
    back = repr(int(number) if number == int(number) else number)
    return number if back == text else text
