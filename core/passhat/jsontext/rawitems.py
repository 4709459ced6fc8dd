"""The items of a file: the lines of JSONL, the elements of a JSON list, or the one value it holds.

What the file is, is told by its first lines: where the first one is whole by itself and more
follow, it is JSONL. An item that cannot be read is given as its error, and the next one follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from passhat.errors import InputError, Place
from passhat.jsontext.decoding import decode
from passhat.jsontext.files import bytes_in, file_name, lines_in, opened, read_bytes
from passhat.jsontext.structure import CUT, TRAILING, elements

_raw_elements = msgspec.json.Decoder(list[Raw]).decode
_CLOSERS = {b"{": b"}", b"[": b"]"}
_OPENERS = (b"[", b"{", b"[{", b"[[")
_BETWEEN = re.compile(rb"[\s,]*")
_BLANK = re.compile(rb"\s*")


class RawItem(Struct, frozen=True):
    """One item as text.

    Args:
        data: Its JSON text.
        place: Where it stands: a line of JSONL, or the path of an element.
        listed: Whether it is an element of a list that is the whole file.
    """

    data: bytes
    place: Place
    listed: bool = False


class Item(Struct, frozen=True):
    """One item as a value.

    Args:
        value: What it holds.
        place: Where it stands.
        listed: Whether it is an element of a list that is the whole file.
    """

    value: Any
    place: Place
    listed: bool = False


def items(path: str | Path) -> Iterator[Item | InputError]:
    """The items of a file, decoded one at a time.

    Args:
        path: The file; `-` is standard input.

    Yields:
        Each item, or the error of one that cannot be read. After the error of a file that is cut
        off nothing follows.

    Raises:
        InputError: The file cannot be opened, or its encoding is not UTF-8.
    """
    for item in raw_items(path):
        if isinstance(item, InputError):
            yield item
            continue
        try:
            value = decode(item.data, item.place)
        except InputError as error:
            yield error
        else:
            yield Item(value, item.place, item.listed)


def raw_items(path: str | Path) -> Iterator[RawItem | InputError]:
    """The items of a file as text, for readers that decode them into a type of their own.

    Raises:
        InputError: The file cannot be opened, or its encoding is not UTF-8.
    """
    name = file_name(path)
    with opened(path) as file:
        numbered = lines_in(file, path)
        first = next(numbered, None)
        second = next(numbered, None)
        if first is None:
            return
        if second is None:
            yield from _document(first[1], Place(name, first[0]))
        elif _is_jsonl(first[1], second[1], path):
            for number, line in chain((first, second), numbered):
                yield RawItem(line, Place(name, number))
        else:
            file.seek(0)
            yield from _document(bytes_in(file, path), Place(name))


def _is_jsonl(first: bytes, second: bytes, path: str | Path) -> bool:
    """Whether a file of several lines is JSONL, even where one of its first two lines is broken."""
    if _whole(first) and second[:1] in _CLOSERS:
        return True
    broken_line = _whole(first) or (_whole(second) and first not in _OPENERS)
    return broken_line and not _is_json(path)


def _whole(line: bytes) -> bool:
    """Whether a line looks like a JSON object or list that is complete on it."""
    return _CLOSERS.get(line[:1]) == line[-1:]


def _is_json(path: str | Path) -> bool:
    try:
        decode(read_bytes(path))
    except InputError:
        return False
    return True


def _document(data: bytes, place: Place) -> Iterator[RawItem | InputError]:
    if not data.lstrip().startswith(b"["):
        yield RawItem(data, place)
        return
    try:
        raws = _raw_elements(data)
    except (msgspec.DecodeError, RecursionError):
        yield from _elements_of_broken(data, place)
        return
    line, counted = place.line or 1, 0
    end = data.index(b"[") + 1
    for index, raw in enumerate(raws):
        element = bytes(raw)
        start = _BETWEEN.match(data, end).end()  # type: ignore[union-attr]  # it matches nothing too
        line += data.count(b"\n", counted, start)
        yield RawItem(element, Place(place.file, line, f"$[{index}]"), True)
        counted, end = start, start + len(element)


def _elements_of_broken(data: bytes, place: Place) -> Iterator[RawItem | InputError]:
    """The elements of a list that is broken somewhere: the good ones, and where it breaks."""
    line, counted = place.line or 1, 0
    for index, (start, end) in enumerate(elements(data)):
        start = _BLANK.match(data, start).end()  # type: ignore[union-attr]  # it matches nothing too
        line += data.count(b"\n", counted, start)
        counted = start
        here = Place(place.file, line, f"$[{index}]")
        if end == CUT:
            yield InputError("the list ends too early (cut off?)", here)
        elif end == TRAILING:
            yield InputError("not JSON: more text after the end of the list", here)
        else:
            yield RawItem(data[start:end], here, True)
