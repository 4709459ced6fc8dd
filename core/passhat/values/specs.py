"""Matchers by name, as suite files write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from passhat.errors import UsageError
from passhat.values.judging import Execution, Semantic
from passhat.values.matchers import (
    Anything,
    Contains,
    Date,
    Exact,
    Matcher,
    MatcherSpec,
    NamedMatcher,
    Number,
    OneOf,
    Regex,
    Schema,
    Set,
    Subset,
    Text,
)
from passhat.wording import nearest_or_all

_CLASSES: dict[str, type[NamedMatcher]] = {
    cls.name: cls
    for cls in (
        Exact,
        Text,
        Number,
        OneOf,
        Regex,
        Contains,
        Set,
        Date,
        Schema,
        Anything,
        Subset,
        Semantic,
        Execution,
    )
}


def matcher_names() -> tuple[str, ...]:
    """The names a suite file may use."""
    return tuple(_CLASSES)


def matcher(spec: MatcherSpec) -> Matcher:
    """The matcher that a spec names.

    Args:
        spec: A name (`text`), a name with its options or operand (`{number: {abs: 0.01}}`,
            `{one_of: [1, 2]}`), or a callable, which is returned as it is.

    Raises:
        UsageError: No matcher has that name or that option; the nearest right one is named.

    >>> matcher({"number": {"abs": 0.5}})(10.4, 10)
    True
    """
    if isinstance(spec, str):
        return _class(spec)()
    if isinstance(spec, Mapping):
        if len(spec) != 1:
            raise UsageError(f"a matcher is one name with its options, not {dict(spec)!r}")
        name, given = next(iter(spec.items()))
        return _built(_class(name), given)
    if callable(spec):
        return spec
    raise UsageError(f"{spec!r} is no matcher; name one of {', '.join(_CLASSES)}")


def _class(name: Any) -> type[NamedMatcher]:
    if name in _CLASSES:
        return _CLASSES[name]
    raise UsageError(f"{name!r} is no matcher, {nearest_or_all(name, _CLASSES)}")


def _built(cls: type[NamedMatcher], given: Any) -> Matcher:
    names = [item.name for item in fields(cls)]
    if cls.operand is not None:
        return cls(**{cls.operand: given})
    if given is None:
        return cls()
    if not isinstance(given, Mapping):
        raise UsageError(f"{cls.name} takes options ({', '.join(names) or 'none'}), not {given!r}")
    for name, value in given.items():
        if name not in names:
            hint = nearest_or_all(name, names) if names else "it takes none"
            raise UsageError(f"{cls.name} has no option {name!r}, {hint}")
        kind = next(str(item.type) for item in fields(cls) if item.name == name)
        if not _fits(value, kind):
            raise UsageError(f"{cls.name}: {name} cannot be {value!r}")
    return cls(**given)


def _fits(value: Any, kind: str) -> bool:
    """Whether a value from a file has the kind that an option is annotated with."""
    if kind == "bool" or isinstance(value, bool):
        return isinstance(value, bool) and kind == "bool"
    if "float" in kind and "Callable" not in kind:
        return isinstance(value, int | float) or (value is None and "None" in kind)
    return isinstance(value, str) and kind == "str"
