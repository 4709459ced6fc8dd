"""Hashes of cases, suites and tools: pins by which two runs are known to be of the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from passhat.case import Case, Suite

_SHORT = 16


def case_hash(case: Case) -> str:
    """A hash of all that a case says, as 16 hexadecimal digits; the same in every process.

    >>> case_hash(Case("a", "hi")) == case_hash(Case("a", "ho"))
    False
    """
    return _hash(case)


def suite_hash(suite: Suite, cases: Mapping[str, str] | None = None) -> str:
    """A hash of a suite's cases, whatever their order, and of its metadata.

    Args:
        suite: The suite.
        cases: The hashes of its cases by their ids, where they are known already.
    """
    known = {case.id: case_hash(case) for case in suite.cases} if cases is None else cases
    return _hash([sorted(known.items()), suite.metadata])


def tools_hash(tools: Mapping[str, Any]) -> str:
    """A hash of the tools that an agent was offered: their names and schemas, whatever their order.

    >>> tools_hash({"a": {}, "b": {}}) == tools_hash({"b": {}, "a": {}})
    True
    """
    return _hash(tools)


def _hash(value: Any) -> str:
    plain = msgspec.to_builtins(value, enc_hook=_told, str_keys=True)
    text = json.dumps(plain, sort_keys=True, ensure_ascii=True, default=_told)
    return sha256(text.encode()).hexdigest()[:_SHORT]


def _told(value: Any) -> str:
    """Something that is no JSON, told so that it is the same in every process."""
    if hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    text = repr(value)
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}" + ("" if " at 0x" in text else f" {text}")
