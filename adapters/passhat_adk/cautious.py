"""Values of a running program as JSON, whatever they are: who only looks on may end nothing."""

from __future__ import annotations

import logging
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from passhat.jsontext import jsonable
from passhat_adk.native import dumped

F = TypeVar("F", bound=Callable[..., Any])
Say = Callable[[Any], str]
_log = logging.getLogger(__name__)
_DEEPEST = 100
_LISTS = (list, tuple, set, frozenset)


class Watching(Protocol):
    """What looks on at runs, and says where it could not."""

    def missed(self, callback: str, error: Exception, told: Mapping[str, Any]) -> None:
        """Takes that a callback failed, and what it was told."""
        ...


def harmless(callback: F) -> F:
    """The callback of a plugin, an exception of which would end the run that it looks at."""

    @wraps(callback)
    async def called(plugin: Watching, **told: Any) -> Any:
        try:
            return await callback(plugin, **told)
        except Exception as error:  # Whatever it is, the run goes on.
            _log.exception("passhat could not record what %s was told", callback.__name__)
            plugin.missed(callback.__name__, error, told)
            return None

    return cast("F", called)


def in_words(gaps: list[str]) -> Say:
    """Puts a value that is no JSON in words, and says so in the gaps."""

    def words(value: Any) -> str:
        kind = type(value).__name__
        gap = f"a {kind} is no JSON; it is kept as its text"
        if gap not in gaps:
            gaps.append(gap)
        try:
            return repr(value)
        except Exception:  # What cannot be shown is named.
            return f"<{kind}>"

    return words


def as_json(value: Any, say: Say) -> Any:
    """A copy of a value as JSON; a part of it that is none is put in words.

    >>> loop = {"n": 1, "raw": b"hi"}
    >>> loop["self"] = loop
    >>> as_json(loop, lambda _: "itself")
    {'n': 1, 'raw': 'aGk=', 'self': 'itself'}
    """
    try:
        return _whole(value, say)
    except Exception:  # A loop, what cannot be shown, half a character, or what is nested too deep.
        return _part_by_part(value, say)


def model_as_json(model: Any, say: Say) -> dict[str, Any]:
    """One of ADK's own objects as JSON; what a tool, a state or a node put into it need be none."""
    found: dict[str, Any]
    try:
        found = jsonable(dumped(model, fallback=say))
    except Exception:  # As above: something in it cannot be put in words where it stands.
        found = _part_by_part(model, say)
    return found


def _whole(value: Any, say: Say) -> Any:
    from pydantic_core import to_jsonable_python

    return jsonable(to_jsonable_python(value, fallback=say, bytes_mode="base64"))


def _part_by_part(value: Any, say: Say) -> Any:
    root: list[Any] = [None]
    todo: list[tuple[Any, Any, Any, tuple[int, ...]]] = [(root, 0, value, ())]
    while todo:
        owner, key, item, above = todo.pop()
        inside = (*above, id(item))
        if id(item) in above or len(above) > _DEEPEST:
            owner[key] = say(item)
        elif (members := _members(item, say)) is not None:
            owner[key] = made = dict.fromkeys(members)
            todo += [(made, name, part, inside) for name, part in members.items()]
        elif isinstance(item, _LISTS):
            owner[key] = row = [None] * len(item)
            todo += [(row, at, part, inside) for at, part in enumerate(item)]
        elif isinstance(item, bytes):
            owner[key] = urlsafe_b64encode(item).decode()
        else:
            owner[key] = _alone(item, say)
    return root[0]


def _members(item: Any, say: Say) -> dict[str, Any] | None:
    """The members of a mapping or of a model; None for what has none."""
    if isinstance(item, Mapping):
        return {name if isinstance(name, str) else say(name): part for name, part in item.items()}
    if hasattr(type(item), "model_dump"):
        held = {**vars(item), **(getattr(item, "model_extra", None) or {})}
        return {name: part for name, part in held.items() if part is not None}
    return None


def _alone(item: Any, say: Say) -> Any:
    """A value that has no parts, or none that are known."""
    try:
        return _whole(item, _refused)
    except Exception:  # It is no JSON, whatever it is.
        words = say(item)
        return item.encode(errors="replace").decode() if isinstance(item, str) else words


def _refused(item: Any) -> str:
    raise TypeError(type(item).__name__)
