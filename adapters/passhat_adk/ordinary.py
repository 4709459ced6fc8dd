"""Eval cases and invocations of the ordinary shape: a text on either side, and calls between.

Most are, and a type of msgspec's tells so at once. What it accepts is read from its fields; what it
refuses may be right all the same, and is for the careful reader, which says what is wrong where
something is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import UNSET, DecodeError, Meta, Raw, UnsetType, convert, defstruct
from msgspec.json import Decoder, decode

from passhat.jsontext import too_deep
from passhat_adk.native import EVAL_CASE, EVENT, INVOCATION, PART, SESSION_INPUT

_ANY: Any = (Any, UNSET)
"""A key that may be there, with anything."""
_NULL: Any = (UnsetType | None, UNSET)
"""A key that may be there, with null."""
_TEXT: Any = (UnsetType | str | None, UNSET)
_ARGS: Any = (UnsetType | dict[str, Any] | None, UNSET)
_ROWS: Any = (UnsetType | list[Any] | None, UNSET)
_TIME: Any = (UnsetType | float | int | None, UNSET)
_NEAR = 40
"""Within how many bytes the first key of a case stands."""
_LIST: Any = list
_ANNOTATED: Any = Annotated


class _Types(NamedTuple):
    """The types of one spelling of the keys."""

    case: Any
    invocation: Any
    read_case: Callable[[bytes], Any]


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
    lone = _ANNOTATED[_LIST[part], Meta(min_length=1, max_length=1)]
    content = shape("Content", {}, parts=lone, role=_TEXT)
    use = shape("Use", {}, id=_TEXT, args=_ARGS, name=str)
    held = shape(
        "EventPart", dict.fromkeys(PART, _ANY), function_call=(UnsetType | use | None, UNSET)
    )
    said = shape("EventContent", {}, parts=(UnsetType | _LIST[held] | None, UNSET), role=_TEXT)
    others = dict.fromkeys(EVENT, _ANY)
    event = shape("InvocationEvent", others, content=(UnsetType | said | None, UNSET))
    between = shape(
        "IntermediateData",
        {},
        tool_uses=(UnsetType | _LIST[use], UNSET),
        tool_responses=_ROWS,
        intermediate_responses=_ROWS,
        invocation_events=(UnsetType | _LIST[event], UNSET),
    )
    invocation = shape(
        "Invocation",
        dict.fromkeys(INVOCATION, _NULL),
        invocation_id=_TEXT,
        user_content=content,
        intermediate_data=(UnsetType | between | None, UNSET),
        final_response=(UnsetType | content | None, UNSET),
        creation_timestamp=_TIME,
        rubrics=_ROWS,
    )
    session = shape(
        "SessionInput",
        dict.fromkeys(SESSION_INPUT, _ANY),
        state=(UnsetType | dict[str, Any], UNSET),
    )
    case = shape(
        "EvalCase",
        dict.fromkeys(EVAL_CASE, _NULL),
        eval_id=_ANNOTATED[str, Meta(min_length=1)],
        conversation=_ANNOTATED[_LIST[invocation], Meta(min_length=1)],
        session_input=(UnsetType | session | None, UNSET),
        creation_timestamp=_TIME,
        rubrics=_ROWS,
        final_session_state=(UnsetType | dict[str, Any] | None, UNSET),
    )
    return _Types(case, invocation, Decoder(case).decode)


_SNAKE, _CAMEL = _types(None), _types("camel")


def ordinary_case(value: Any) -> Any | None:
    """An eval case with ADK's fields, in either spelling; None for one of another shape.

    Args:
        value: The case, or its text, which is not too deep; the first key shows its spelling.

    >>> turn = {"userContent": {"parts": [{"text": "hi"}]}, "creationTimestamp": 1.5}
    >>> ordinary_case({"evalId": "a", "conversation": [turn]}).conversation[0].creation_timestamp
    1.5
    """
    if type(value) is Raw:
        data = bytes(value)
        try:
            return (_SNAKE if data.find(b'"evalId"', 0, _NEAR) < 0 else _CAMEL).read_case(data)
        except (DecodeError, UnicodeError):
            return None
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
