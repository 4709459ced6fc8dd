"""Injecting faults: which call one strikes, and what becomes of the call's answer."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

from msgspec import UNSET

from passhat.surroundings import Fault
from passhat.surroundings.approvals import ANY_TOOL
from passhat.trace.builder import copied
from passhat.trials.callkeys import call_key
from passhat.trials.planting import planted
from passhat.values import json_equal

SLOW = 1.0
"""The seconds that a slow call takes longer, where its fault does not say."""


class Strike(NamedTuple):
    """A fault that strikes a call: which of the case's faults it is, and the fault."""

    number: int
    fault: Fault


class Injector:
    """Says of each call of a trial which fault strikes it: the first of the case's that does.

    What is drawn by chance is drawn from the trial's seed, the tool, the arguments, and how often
    they came before: calls that are made side by side draw the same, whichever comes first.

    >>> injector = Injector([Fault("refund", "timeout", when=1)], seed=7)
    >>> [injector.strike("refund", {}) is not None for _ in range(3)]
    [True, False, False]
    """

    def __init__(self, faults: Iterable[Fault], seed: int) -> None:
        self.faults = tuple(faults)
        self.seed = seed
        self._calls: Counter[str] = Counter()
        self._same: Counter[bytes] = Counter()
        self._lock = threading.Lock()

    def strike(self, tool: str, args: Mapping[str, Any]) -> Strike | None:
        """The fault that strikes the next call of a tool, None where none does."""
        if not self.faults:
            return None
        key = call_key(tool, args)
        with self._lock:
            self._calls[tool] += 1
            number = self._calls[tool]
            self._same[key] += 1
            same = self._same[key]
        for index, fault in enumerate(self.faults):
            if fault.tool not in (tool, ANY_TOOL):
                continue
            when = fault.strikes
            if not when.counts(number) or not _has(args, when.args):
                continue
            if when.rate is None or self._drawn(index, key, same) < when.rate:
                return Strike(index, fault)
        return None

    def _drawn(self, index: int, key: bytes, same: int) -> float:
        text = b"%d|%d|%d|%s" % (self.seed, index, same, key)
        return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") / 2**64


def _has(args: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(
        key in args and json_equal(args[key], value) for key, value in (wanted or {}).items()
    )


def spoilt(answer: Any, fault: Fault) -> tuple[Any, str | None]:
    """What a call answers that a fault strikes, and the text that was planted in it, if one was.

    Args:
        answer: What it should answer; for `stale`, what it would have answered at the beginning.
        fault: The fault, one by which a call answers.

    >>> spoilt([{"id": 1}, {"id": 2}], Fault("search", "empty"))
    ([], None)
    >>> spoilt([1, 2, 3, 4], Fault("search", "partial_failure"))[0]["results"]
    [1, 2]
    >>> spoilt({"id": "A1", "total": 30}, Fault("look", "malformed"))
    ('{"id":"A1","t', None)
    """
    if fault.answer is not UNSET:
        return copied(fault.answer), None
    if fault.kind == "empty":
        return _empty(answer), None
    if fault.kind == "partial_failure":
        return _part(answer, fault), None
    if fault.kind == "malformed":
        text = answer if isinstance(answer, str) else _json(answer)
        return text[: max(1, int(len(text) * 0.6))], None
    if fault.kind == "huge":
        return _huge(answer, fault.size), None
    if fault.kind == "instruction":
        return planted(answer, fault)
    return answer, None


def _json(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"), default=repr)


def _empty(answer: Any) -> Any:
    return type(answer)() if isinstance(answer, list | dict | str) else None


def _part(answer: Any, fault: Fault) -> Any:
    said = fault.message or "the rest could not be loaded"
    if isinstance(answer, list):
        kept = answer[: int(len(answer) * fault.share)]
        return {
            "results": kept,
            "partial": True,
            "errors": [f"{len(answer) - len(kept)} of {len(answer)} failed: {said}"],
        }
    if isinstance(answer, dict):
        names = list(answer)[: int(len(answer) * fault.share)]
        lost = [name for name in answer if name not in names]
        return {
            **{name: answer[name] for name in names},
            "partial": True,
            "errors": [f"{', '.join(map(str, lost))}: {said}"],
        }
    text = str(answer)
    return f"{text[: int(len(text) * fault.share)]}\n[partial: {said}]"


_FILLER = "2026-01-01T00:00:00Z DEBUG worker heartbeat ok; queue depth 0; nothing to report. "


def _huge(answer: Any, size: int) -> Any:
    filler = _FILLER * (size // len(_FILLER) + 1)
    half = len(filler) // 2
    if isinstance(answer, str):
        return f"{filler[:half]}\n{answer}\n{filler[half:]}"
    if isinstance(answer, dict):
        return {"debug_log": filler[:half], **answer, "trace_log": filler[half:]}
    if isinstance(answer, list):
        rows = [{"log": _FILLER.strip()}] * (size // len(_FILLER) // 2 + 1)
        return [*copied(rows), *answer, *copied(rows)]
    return {"debug_log": filler[:half], "result": answer, "trace_log": filler[half:]}
