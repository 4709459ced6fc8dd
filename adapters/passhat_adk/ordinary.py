"""Eval cases and invocations of the ordinary shape: a text on either side, and plain calls between.

Most are, and a type of msgspec's tells so at once. What it accepts is read from its fields; what it
refuses may be right all the same, and is for the careful reader, which says what is wrong where
something is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import DecodeError, Meta, convert, defstruct
from msgspec.json import decode

from passhat.jsontext import too_deep
from passhat_adk.native import EVAL_CASE, INVOCATION, PART, SESSION_INPUT

_ANY: Any = (Any, None)
"""A key that may be there, with anything."""
_NULL: Any = (None, None)
"""A key that may be there, with null."""
_LIST: Any = list
_TUPLE: Any = tuple
_ANNOTATED: Any = Annotated


class _Types(NamedTuple):
    """The types of one spelling of the keys."""

    case: Any
    invocation: Any


def _types(spelling: Literal["camel"] | None) -> _Types:
    def shape(name: str, others: Mapping[str, Any], /, **keys: Any) -> Any:
        """An object that has some keys, and may have others; each is a type, or that and a default."""
        known = {**{key: others[key] for key in sorted(others.keys() - keys.keys())}, **keys}
        return defstruct(
            name,
            [
                (key, *kind) if isinstance(kind, tuple) else (key, kind)
                for key, kind in known.items()
            ],
            rename=spelling,
            forbid_unknown_fields=True,
            kw_only=True,
            gc=False,
        )

    part = shape("Part", dict.fromkeys(PART, _NULL), text=str)
    content = shape("Content", {}, parts=_TUPLE[part], role=(str | None, None))
    use = shape("Use", {}, name=str, args=dict[str, Any], id=(str | None, None))
    between = shape(
        "IntermediateData",
        {},
        tool_uses=(_LIST[use], []),
        tool_responses=(list[Any] | None, None),
        intermediate_responses=(list[Any] | None, None),
    )
    invocation = shape(
        "Invocation",
        dict.fromkeys(INVOCATION, _NULL),
        invocation_id=(str | None, None),
        user_content=content,
        intermediate_data=(between | None, None),
        final_response=(content | None, None),
        creation_timestamp=(float | int | None, None),
    )
    session = shape("SessionInput", dict.fromkeys(SESSION_INPUT, _ANY), state=(dict[str, Any], {}))
    case = shape(
        "EvalCase",
        dict.fromkeys(EVAL_CASE, _NULL),
        eval_id=_ANNOTATED[str, Meta(min_length=1)],
        conversation=_ANNOTATED[_LIST[invocation], Meta(min_length=1)],
        session_input=(session | None, None),
        creation_timestamp=(float | int | None, None),
    )
    return _Types(case, invocation)


_SNAKE, _CAMEL = _types(None), _types("camel")


def ordinary_case(value: Any) -> Any | None:
    """An eval case with ADK's fields, in either spelling; None for one of another shape.

    >>> turn = {"userContent": {"parts": [{"text": "hi"}]}, "creationTimestamp": 1.5}
    >>> ordinary_case({"evalId": "a", "conversation": [turn]}).conversation[0].creation_timestamp
    1.5
    """
    types = _SNAKE if type(value) is dict and "eval_id" in value else _CAMEL
    return as_type(value, types.case)


def ordinary_invocation(value: Any) -> Any | None:
    """An invocation with ADK's fields, in either spelling; None for one of another shape."""
    types = _SNAKE if type(value) is dict and "user_content" in value else _CAMEL
    return as_type(value, types.invocation)


def as_type(source: Any, type: Any) -> Any | None:
    """A JSON value, or the value of a JSON text, as a type of msgspec's; None where it is none."""
    try:
        if not isinstance(source, bytes):
            return convert(source, type)
        return None if too_deep(source) else decode(source, type=type)
    except (DecodeError, UnicodeError, RecursionError):
        return None
