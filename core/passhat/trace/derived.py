"""Views that are computed once, when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class derived(Generic[T]):
    """A property of a frozen struct that is computed once and kept in its `__dict__`.

    What `functools.cached_property` does, without the lock that it takes before Python 3.12: two
    threads may compute the same value, which does no harm.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> derived[T]: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object | None, kind: type) -> T | derived[T]:
        if owner is None:
            return self
        value = owner.__dict__[self.name] = self.compute(owner)
        return value


def kept(owner: object) -> dict[str, Any]:
    """Where a frozen struct keeps what was derived from it: it is no part of its value."""
    return owner.__dict__


def remembered(owner: Any, name: str, compute: Callable[[Any], T]) -> T:
    """What a function makes of a frozen struct, computed once and kept with it under a name.

    As `derived`, for what the struct itself should not know of.
    """
    held: dict[str, Any] = owner.__dict__
    if name not in held:
        held[name] = compute(owner)
    value: T = held[name]
    return value
