"""What stands around runs: an answer of LangSmith's, a webhook of its, the body of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat_langsmith.runs import id_of, is_run, run_in

_AROUND = ("runs", "items")


def unpacked(value: Any) -> list[Any]:
    """The runs in what stands around them; the value itself where it is something else.

    A body of `/runs/batch` posts runs when they begin and patches them when they end: what is
    patched stands over what was posted.

    >>> unpacked({"post": [{"id": "r", "run_type": "llm"}], "patch": [{"id": "r", "error": "E()"}]})
    [{'id': 'r', 'run_type': 'llm', 'error': 'E()'}]
    """
    if not isinstance(value, Mapping) or is_run(value):
        return [value]
    for key in _AROUND:
        held = value.get(key)
        if isinstance(held, list) and any(map(is_run, held)):
            return held
    posted = value.get("post")
    if not isinstance(posted, list) or not any(map(is_run, posted)):
        return [value]
    patched = value.get("patch")
    return _patched(posted, patched if isinstance(patched, list) else [])


def _patched(posted: list[Any], patched: list[Any]) -> list[Any]:
    runs = {id_of(one): dict(one) for one in posted if is_run(one)}
    others = [one for one in posted if not is_run(one)]
    for one in patched:
        held = one if isinstance(one, Mapping) else {}
        id = str(held.get("id") or run_in(str(held.get("dotted_order") or "")))
        if id in runs:
            runs[id] |= {key: told for key, told in held.items() if told is not None}
        else:
            others.append(one)
    return [*runs.values(), *others]
