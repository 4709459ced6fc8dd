"""JSON with something else in one place of it, in every place there is."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from passhat.adapter import Adapter
from passhat.trace import Trace

ABSENT = object()
INSTEAD = (ABSENT, None, 7, "zz", "1.5", [], ["q"], {}, {"zz": 1}, True, [[1]])
JsonPath = tuple[str | int, ...]


def spoiled(value: Any, *more: Any) -> Iterator[tuple[JsonPath, Any, Any]]:
    """Every way to put something else in one place of a value: the place, what, and the whole."""
    for path in _paths(value):
        for instead in (*INSTEAD, *more):
            made = copy.deepcopy(value)
            place: Any = made
            for key in path[:-1]:
                place = place[key]
            if instead is ABSENT:
                del place[path[-1]]
            else:
                place[path[-1]] = instead
            yield path, instead, made


def spoiled_traces(adapter: Adapter, path: Path, value: Any, *more: Any) -> Iterator[Trace]:
    """What an adapter reads of a file of a value that is spoiled in every place in turn."""
    for _, _, made in spoiled(value, *more):
        content = json.dumps(made).encode()
        path.write_bytes(content)
        adapter.sniff(path, content)
        yield from (item for item in adapter.read_traces(path) if isinstance(item, Trace))


def _paths(value: Any, path: JsonPath = ()) -> Iterator[JsonPath]:
    if path:
        yield path
    if isinstance(value, dict | list):
        keys: Any = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from _paths(value[key], (*path, key))
