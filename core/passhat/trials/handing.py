"""A case as it is handed to an agent: what the agent does to it changes neither judge nor next trial."""

from __future__ import annotations

from copy import copy
from typing import Any

from msgspec import Struct
from msgspec.structs import force_setattr

from passhat.case import Case
from passhat.trace.builder import copied

_HOLDING = (dict, list, tuple, Struct)


def handed(case: Case) -> Case:
    """A twin of a case that shares no list and no mapping with it.

    What is no part of JSON, such as a matcher, is the same in both.

    >>> case = Case("c", [{"role": "user", "content": "Hello."}], response={"includes": ["Paris"]})
    >>> twin = handed(case)
    >>> twin.response["includes"].append("Rome")
    >>> twin.input is case.input, case.response
    (False, {'includes': ['Paris']})
    """
    twin: Case = _twin(case)
    return twin


def _twin(value: Any) -> Any:
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(copied(item, _twin) for item in value)
    if not isinstance(value, Struct):
        return value
    twin = copy(value)
    for name in value.__struct_fields__:
        item = getattr(value, name)
        if isinstance(item, _HOLDING):
            force_setattr(twin, name, copied(item, _twin))
    return twin
