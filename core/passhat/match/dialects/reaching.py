"""Where a mode of a framework and ours, which mean the same, part on a run of a given case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from passhat.case import Case, ExpectedEntry, flat
from passhat.match.dialects.translating import Ours, Translation

WAYS: Final[Mapping[str, str]] = {
    "retries": "takes a failed attempt for a call like any other; to this case one that is made "
    "again is no call too many (retries: count makes it one)",
    "parallel": "sees an order in calls that were asked for together; to this case they have none "
    "among themselves (parallel: ordered gives them one)",
}
"""Keys of a case in which it may differ from what a mode of a framework means: what that does."""


def ways_of(ours: Ours, entries: Iterable[ExpectedEntry]) -> dict[str, str]:
    """The keys by which a case that expects these calls means one of ours, where they matter.

    >>> from passhat.case import ExpectedCall
    >>> ours = Ours("exact", "equal", retries="count", parallel="ordered")
    >>> ways_of(ours, [ExpectedCall("f")]), ways_of(ours, [])
    ({'retries': 'count'}, {})
    """
    calls = flat(entries)
    made = {}
    if ours.retries == "count" and calls:
        made["retries"] = "count"
    if ours.parallel == "ordered" and len(calls) > 1:
        made["parallel"] = "ordered"
    return made


def reached(limits: Iterable[str], entries: Iterable[ExpectedEntry]) -> str | None:
    """The first limit that a run of a case can reach which expects these calls.

    Arguments that cannot be read are none: a framework that raises there gives no other verdict,
    but none.

    >>> from passhat.case import ExpectedCall
    >>> reached(("booleans",), [ExpectedCall("f", {"x": "A1"})])
    >>> reached(("booleans",), [ExpectedCall("f", {"x": [{"y": 1}]})])
    'booleans'
    """
    calls = flat(entries)
    for limit in limits:
        if (
            (limit == "booleans" and _reads_as_boolean([call.args for call in calls]))
            or (limit == "no arguments" and any(not call.args for call in calls))
            or (limit == "parallel calls" and len(calls) > 1)
            or (limit == "nothing expected" and not calls)
        ):
            return limit
    return None


def reaching(limit: str, entries: Iterable[ExpectedEntry]) -> tuple[Any, Any] | None:
    """The smallest run of a case that reaches a limit, by a call that the case expects.

    Args:
        limit: The limit.
        entries: The expected calls.

    Returns:
        The calls made and those expected; None where no call of its own shows the limit.

    >>> from passhat.case import ExpectedCall
    >>> reaching("booleans", [ExpectedCall("pay", {"order": "A1", "express": True})])
    ([{'name': 'pay', 'args': {'express': 1}}], [{'name': 'pay', 'args': {'express': True}}])
    """
    for call in flat(entries):
        if limit == "no arguments" and not call.args:
            return [call.name], [{"name": call.name, "args": {}}]
        if limit == "booleans":
            for arg, value in (call.args or {}).items():
                if _reads_as_boolean(value):
                    sides = ({arg: _other(value)}, {arg: value})
                    made, wanted = ([{"name": call.name, "args": side}] for side in sides)
                    return made, wanted
    return None


def parted(case: Case, theirs: Translation) -> str | None:
    """In what a mode of a framework parts from a case that states the mode of ours it means.

    Args:
        case: The case, or a turn as a case of its own.
        theirs: What the framework's mode is in our words.

    Returns:
        A key of `WAYS` or a limit; None where every run on which the framework gives a verdict
        gets the same from both.

    >>> theirs = Translation(Ours("exact", "equal", retries="count", parallel="ordered"), True)
    >>> parted(Case("c", "hi", expected_calls=["f"], mode="exact"), theirs)
    'retries'
    """
    entries = case.expected_calls or ()
    for key, word in ways_of(theirs.nearest, entries).items():
        if getattr(case, key) != word:
            return key
    return reached(theirs.but, entries)


def _other(value: Any) -> Any:
    """The value with what Python takes for the same in place of its booleans and of 1 and 0."""
    if isinstance(value, Mapping):
        return {key: _other(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_other(item) for item in value]
    if isinstance(value, bool):
        return int(value)
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else value


def _reads_as_boolean(value: Any) -> bool:
    """Whether a value holds a boolean, or a number that Python takes for one."""
    todo = [value]
    for one in todo:
        if isinstance(one, Mapping):
            todo.extend(one.values())
        elif isinstance(one, list | tuple):
            todo.extend(one)
        elif isinstance(one, int | float) and one in (0, 1):
            return True
    return False
