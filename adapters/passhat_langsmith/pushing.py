"""Cases as a dataset on the server holds them: what was pushed can be told from what was edited."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any
from uuid import uuid5

from passhat.case import Suite
from passhat.errors import UsageError
from passhat_langsmith.attachments import content_of
from passhat_langsmith.cases import FILES, KEPT, OURS, SPLIT, Json, splits_of
from passhat_langsmith.suites import example_id, from_suite

_ABOUT_PUSH = ("pushed", "at")
"""What a push adds about itself, which is no part of the case."""
_LARGE = 2_000
"""Bytes of a suite's own part beyond which it does not ride in every example."""
_CARRIERS = 3
_BIGGEST = 2**63
_UNTYPED = "application/octet-stream"


def examples_for(suite: Suite, dataset: str) -> dict[str, Json]:
    """The examples that a suite becomes in a dataset, by id, ready for `create_examples`.

    In a dataset of another name than the suite's they have ids of their own: ids are global in a
    workspace. What is large in a suite's own part (the schemas of its tools) rides in the first
    examples alone, and a case that holds what the server's JSON cannot (a NUL, an integer of
    more than 64 bits) rides beside its example as text. Files whose contents a case holds are
    attached, and their digests ride along.

    Raises:
        UsageError: The suite has no cases, or something that JSON cannot hold.
    """
    found: dict[str, Json] = {}
    for at, row in enumerate(from_suite(suite)):
        metadata = dict(row["metadata"])
        ours = metadata[OURS] = dict(metadata[OURS])
        files = _taken_files(ours)
        id = row["id"]
        if dataset != suite.name:
            id = str(uuid5(example_id(suite.name, ours["id"]), f"dataset:{dataset}"))
        if at >= _CARRIERS and len(_canonical(ours["suite"])) > _LARGE:
            ours["suite"] = {"name": suite.name}
        split = metadata.pop(SPLIT, None)
        if split is not None:
            ours["split"] = split
        example: Json = {
            "id": id,
            "inputs": row["inputs"],
            "reference_outputs": row["outputs"],
            "metadata": metadata,
            "split": splits_of(split) or ["base"],
        }
        if _has_surrogates(example):
            raise UsageError(f"case {ours['id']!r}: half a surrogate pair is no text")
        if not _is_holdable(example):
            whole = {**row["metadata"], OURS: dict(ours)}  # With the split as it was written.
            exact = json.dumps(
                {"inputs": row["inputs"], "outputs": row["outputs"], "metadata": whole}
            )
            example = _held(example)
            example["metadata"][OURS] |= {"id": ours["id"], "exact": exact}
        example["metadata"][OURS]["pushed"] = _digest(example)
        example["metadata"][OURS]["at"] = at
        if files:
            example["attachments"] = files
        found[id] = example
    return found


def _taken_files(ours: Json) -> dict[str, tuple[str, bytes]]:
    """Takes out of a case the files whose contents it holds; their digests stay."""
    kept = (ours.get("extensions") or {}).get(KEPT)
    held = kept.get(FILES) if isinstance(kept, dict) else None
    if kept is None or not isinstance(held, dict):
        return {}
    found: dict[str, tuple[str, bytes]] = {}
    for name, one in held.items():
        content = content_of(one) if isinstance(one, dict) else None
        if content is not None:
            kind = one.get("mime_type")
            found[name] = (kind if isinstance(kind, str) else _UNTYPED, content)
    rest = {key: one for key, one in kept.items() if key not in (FILES, "attachments")}
    others = {key: one for key, one in ours["extensions"].items() if key != KEPT}
    extensions = {**others, KEPT: rest} if rest else others
    ours |= {
        "extensions": extensions,
        "files": {name: sha256(one[1]).hexdigest()[:16] for name, one in found.items()},
    }
    if not extensions:
        del ours["extensions"]
    return found


def same(example: Json, mine: Json) -> bool:
    """Whether an example on the server is as the case says."""
    return digest_of(example) == pushed_digest(mine)


def digest_of(example: Json) -> str:
    """What tells the content of an example on the server from another's."""
    metadata = dict(example.get("metadata") or {})
    split = splits_of(metadata.pop(SPLIT, None))
    return _digest(
        {
            "inputs": example.get("inputs") or {},
            "reference_outputs": example.get("outputs") or {},
            "metadata": metadata,
            "split": split or ["base"],
        }
    )


def pushed_digest(example: Json) -> str | None:
    """The digest that an example had when it was pushed; None where it never was."""
    ours = (example.get("metadata") or {}).get(OURS)
    found = ours.get("pushed") if isinstance(ours, dict) else None
    return found if isinstance(found, str) else None


def is_of(example: Json, suite: str | None = None) -> bool:
    """Whether an example was made of a case of ours, and of that suite where one is named."""
    ours = (example.get("metadata") or {}).get(OURS)
    head = ours.get("suite") if isinstance(ours, dict) else None
    return isinstance(head, dict) and (suite is None or head.get("name") == suite)


def place_of(example: Json) -> int:
    """Where in its suite the case of an example stood; those from elsewhere come after."""
    ours = (example.get("metadata") or {}).get(OURS)
    at = ours.get("at") if isinstance(ours, dict) else None
    return at if isinstance(at, int) else 1 << 62


def chunks(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Rows in lists of at most that many.

    >>> list(chunks([1, 2, 3], 2))
    [[1, 2], [3]]
    """
    held = list(rows)
    return (held[at : at + size] for at in range(0, len(held), size))


def _digest(example: Json) -> str:
    metadata = dict(example["metadata"])
    if isinstance(metadata.get(OURS), dict):
        metadata[OURS] = {
            key: held for key, held in metadata[OURS].items() if key not in _ABOUT_PUSH
        }
    told = [example["inputs"], example["reference_outputs"], metadata, sorted(example["split"])]
    return sha256(_canonical(told).encode()).hexdigest()[:16]


def _canonical(value: Any) -> str:
    """JSON as a store may give it back: keys in any order, `1.0` as `1`."""
    return json.dumps(_levelled(value), sort_keys=True, separators=(",", ":"))


def _levelled(value: Any) -> Any:
    return _mapped(
        value, lambda one: int(one) if isinstance(one, float) and one.is_integer() else one
    )


def _has_surrogates(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _is_holdable(value: Any) -> bool:
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            todo += [*one, *one.values()]
        elif isinstance(one, list):
            todo += one
        elif _held_leaf(one) != one:
            return False
    return True


def _held(value: Any) -> Any:
    return _mapped(value, _held_leaf)


def _held_leaf(one: Any) -> Any:
    """What stands in for a value that the server's JSON cannot hold; else the value."""
    if isinstance(one, str):
        return one.replace("\0", "\N{SYMBOL FOR NULL}")
    if isinstance(one, int) and not -_BIGGEST <= one < _BIGGEST:
        return str(one)
    return one


def _mapped(value: Any, leaf: Any) -> Any:
    """A copy with each leaf, and each key, replaced; nested as deep as it may be."""
    root: list[Any] = [None]
    todo: list[tuple[Any, Any, Any]] = [(root, 0, value)]
    while todo:
        owner, key, one = todo.pop()
        if isinstance(one, dict):
            made: Any = {}
            todo += [(made, leaf(name), inner) for name, inner in reversed(one.items())]
        elif isinstance(one, list):
            made = [None] * len(one)
            todo += [(made, at, inner) for at, inner in enumerate(one)]
        else:
            made = leaf(one)
        owner[key] = made
    return root[0]
