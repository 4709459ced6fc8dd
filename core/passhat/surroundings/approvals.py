"""Approvals: what somebody answers when a call waits for a confirmation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

from msgspec import Struct

from passhat.errors import UsageError

Decision: TypeAlias = Literal["approve", "decline", "edit"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)
ANY_TOOL = "*"


class Approval(Struct, frozen=True, omit_defaults=True, repr_omit_defaults=True):
    """The answer to the calls of a tool that wait for a confirmation.

    Attributes:
        tool: The tool; `*` is any.
        decision: `approve`, `decline`, or `edit`: the call runs with other arguments.
        args: For `edit`, the arguments that take the place of the call's own; others stay.
        where: Only calls with these arguments.
        message: What is said with it.
        calls: Only these calls of the tool, counted from 1.

    Raises:
        UsageError: It cannot mean anything.

    >>> Approval("refund", "edit", args={"amount": 5}).args
    {'amount': 5}
    """

    tool: str
    decision: Decision = "approve"
    args: dict[str, Any] | None = None
    where: dict[str, Any] | None = None
    message: str = ""
    calls: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.decision not in DECISIONS:
            raise UsageError(
                f"an approval of {self.tool}: decision cannot be {self.decision!r}; there are "
                f"{', '.join(DECISIONS)}"
            )
        if (self.decision == "edit") != (self.args is not None):
            raise UsageError(
                f"an approval of {self.tool}: `args` are what `decision: edit` changes, and only it"
            )

    def answers(self, name: str, args: Mapping[str, Any], number: int) -> bool:
        """Whether it answers a call of that tool with those arguments, the nth of the tool."""
        from passhat.values import json_equal

        if self.tool not in (name, ANY_TOOL):
            return False
        if self.calls is not None and number not in self.calls:
            return False
        return all(
            key in args and json_equal(args[key], value)
            for key, value in (self.where or {}).items()
        )


def approvals_of(stated: Any) -> tuple[Approval, ...]:
    """The approvals that a case's `approvals` writes, the first that answers a call being its answer.

    A word is the answer to every call, a mapping has one for each tool, a list has entries with
    their `tool`.

    Raises:
        UsageError: It is none of these.

    >>> approvals_of("decline")
    (Approval(tool='*', decision='decline'),)
    >>> approvals_of({"refund": {"decision": "edit", "args": {"amount": 5}}, "mail": "approve"})[1]
    Approval(tool='mail')
    """
    if stated is None:
        return ()
    if isinstance(stated, str):
        return (_approval(ANY_TOOL, stated),)
    if isinstance(stated, Mapping):
        return tuple(_approval(str(tool), said) for tool, said in stated.items())
    if isinstance(stated, list | tuple):
        found = []
        for entry in stated:
            if isinstance(entry, Approval):
                found.append(entry)
            elif isinstance(entry, Mapping) and isinstance(entry.get("tool"), str):
                found.append(
                    _approval(entry["tool"], {k: v for k, v in entry.items() if k != "tool"})
                )
            else:
                raise UsageError(f"an approval in a list names its tool, and {entry!r} does not")
        return tuple(found)
    raise UsageError(f"approvals are a word, a mapping of tools, or a list, not {stated!r}")


def _approval(tool: str, said: Any) -> Approval:
    if isinstance(said, str):
        return Approval(tool, said)  # type: ignore[arg-type]
    if not isinstance(said, Mapping):
        raise UsageError(f"an approval of {tool} is a word or a mapping, not {said!r}")
    keys = Approval.__struct_fields__[1:]
    for key in said:
        if key not in keys:
            raise UsageError(f"an approval of {tool} has no {key!r}; there are {', '.join(keys)}")
    calls = said.get("calls")
    given = dict(said)
    if calls is not None:
        given["calls"] = (calls,) if isinstance(calls, int) else tuple(calls)
    return Approval(tool, **given)
