"""Checks of the user's own that a suite names by dotted path, `package.module:name`."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

from passhat.errors import UsageError
from passhat.grading.catalogue import check
from passhat.grading.protocol import FunctionCheck

_DOTTED = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")


def is_dotted(key: str) -> bool:
    """Whether a check's key is a dotted path."""
    return ":" in key


def own_check(path: str) -> str:
    """The key of the check that a dotted path leads to, imported and known to grading from now on.

    Args:
        path: `package.module:name` of a check made with `passhat.check`, or of a function
            `(trace, case) -> bool | float | CheckResult`, whose key is then its name.

    Raises:
        UsageError: It cannot be imported, or is neither.
    """
    if not _DOTTED.fullmatch(path):
        raise UsageError(f"{path!r} is no dotted path: it is written package.module:name")
    module, _, name = path.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"{path!r} cannot be imported: {error}") from error
    if isinstance(found, FunctionCheck):
        return found.key
    if isinstance(found, FunctionType):
        function: Callable[..., Any] = found
        return check(found.__name__)(function).key
    raise UsageError(f"{path!r} is no check: make it one with @passhat.check")
