"""Calls that an attempt is expected to make, and the words for how they relate to those it made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from passhat.errors import UsageError

Mode: TypeAlias = Literal["exact", "in_order", "unordered", "superset", "subset"]
MODES: tuple[Mode, ...] = ("exact", "in_order", "unordered", "superset", "subset")


class ExpectedCall(
    Struct,
    frozen=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    dict=True,
    forbid_unknown_fields=True,
):
    """A call that an attempt is expected to make.

    Attributes:
        name: The tool's name.
        args: The arguments that must be there with matching values; None says nothing of them.
        match: How an argument compares: its name to a matcher (`"text"`,
            `{"number": {"abs": 0.01}}`, a callable). `match="auto"` goes by the tool's JSON Schema.
        extra_args: Whether further arguments are allowed.
        optional: Whether the call may be left out.

    Raises:
        UsageError: `extra_args` or `optional` is none of its words: it would be taken for another.
    """

    name: str
    args: dict[str, Any] | None = None
    match: dict[str, Any] | str | None = None
    extra_args: Literal["allow", "forbid"] = "allow"
    optional: bool = False

    def __post_init__(self) -> None:
        if self.extra_args not in ("allow", "forbid"):
            raise UsageError(f"extra_args is allow or forbid, not {self.extra_args!r}")
        if type(self.optional) is not bool:
            raise UsageError(f"optional is true or false, not {self.optional!r}")


ExpectedEntry: TypeAlias = ExpectedCall | tuple[ExpectedCall, ...]
"""One expected call, or a group of calls that have no order among themselves."""

_TYPED = {ExpectedCall}


def expected_call(entry: Any) -> ExpectedCall:
    """The expected call that a name, a mapping, or anything with `name` and `args` stands for.

    Raises:
        UsageError: It is none of these, or the mapping has a key that an expected call has not.

    >>> expected_call("lookup")
    ExpectedCall(name='lookup')
    >>> expected_call({"name": "lookup", "args": {"id": "A1"}}).args
    {'id': 'A1'}
    """
    if isinstance(entry, ExpectedCall):
        return entry
    if isinstance(entry, str):
        return ExpectedCall(entry)
    if isinstance(entry, Mapping):
        unknown = [key for key in entry if key not in ExpectedCall.__struct_fields__]
        if unknown or not isinstance(entry.get("name"), str):
            what = f"has no {unknown[0]!r}" if unknown else "needs a name"
            raise UsageError(
                f"an expected call {what}: its keys are {', '.join(ExpectedCall.__struct_fields__)}"
            )
        args = entry.get("args")
        if args is not None and not isinstance(args, Mapping):
            raise UsageError(f"{entry['name']}: args is a mapping of arguments, not {args!r}")
        return ExpectedCall(**entry)
    if isinstance(getattr(entry, "name", None), str):
        return ExpectedCall(entry.name, dict(entry.args or {}))
    raise UsageError(f"an expected call is a name or a mapping with a name, not {entry!r}")


def expected_calls(entries: Iterable[Any]) -> tuple[ExpectedEntry, ...]:
    """Expected calls from what people write; a list inside the list is a group in any order.

    A group of no calls says nothing, and is left out.

    >>> expected_calls(["a", ["b", "c"]])
    (ExpectedCall(name='a'), (ExpectedCall(name='b'), ExpectedCall(name='c')))
    """
    if type(entries) is tuple and _TYPED.issuperset(map(type, entries)):
        return entries
    if isinstance(entries, str | Mapping):
        return (expected_call(entries),)
    if not isinstance(entries, Iterable):
        raise UsageError(f"expected calls are a list of names or mappings, not {entries!r}")
    return tuple(
        tuple(map(expected_call, entry))
        if isinstance(entry, list | tuple)
        else expected_call(entry)
        for entry in entries
        if not isinstance(entry, list | tuple) or entry
    )


def flat(entries: Iterable[ExpectedEntry] | None) -> list[ExpectedCall]:
    """Expected calls one by one, those of groups too; none where nothing is said of them.

    >>> flat(expected_calls(["a", ["b", "c"]])), flat(None)
    ([ExpectedCall(name='a'), ExpectedCall(name='b'), ExpectedCall(name='c')], [])
    """
    calls: list[ExpectedCall] = []
    for entry in entries or ():
        if isinstance(entry, ExpectedCall):
            calls.append(entry)
        else:
            calls += entry
    return calls
