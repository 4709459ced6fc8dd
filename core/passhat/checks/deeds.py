"""What was really done: the calls that change something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import UNSET

from passhat.checks.naming import alike, stems, text_of, words_in
from passhat.checks.tool_kinds import tool_verb
from passhat.provenance.content import Content, decoded
from passhat.provenance.identifiers import name_parts
from passhat.provenance.texts import tokens
from passhat.trace import ToolCall

_FEW_KEYS = 4


@dataclass(frozen=True)
class Deed:
    """A call that changed something, or failed to.

    Attributes:
        index: Its place among all calls.
        step: Its place in the trace.
        call: The call.
        ids: The identifiers in its arguments, by argument.
    """

    index: int
    step: int
    call: ToolCall
    ids: dict[str, set[str]]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its arguments and its result."""
        result = "" if self.call.result is UNSET else text_of(self.call.result)
        return frozenset(words_in(f"{text_of(self.call.args)} {result}"))

    @cached_property
    def numbers(self) -> frozenset[float]:
        """The numbers in its arguments and its result."""
        result = None if self.call.result is UNSET else self.call.result
        return frozenset({*Content(self.call.args).numbers, *Content(result).numbers})

    @cached_property
    def numbers_of_args(self) -> frozenset[float]:
        """The numbers in its arguments."""
        return frozenset(Content(self.call.args).numbers)

    @property
    def said(self) -> str:
        """What a call that failed said of that."""
        result = "" if self.call.result is UNSET else text_of(self.call.result)
        return f"{self.call.error or ''} {result}"

    @property
    def undone(self) -> bool:
        """Whether it failed, was never run, or was refused."""
        return self.call.failed or self.call.executed is False or refused(self.call)


def refused(call: ToolCall) -> bool:
    """Whether the result of a call says that it did not succeed, though it raised no error.

    >>> refused(ToolCall("pay", result={"success": False})), refused(ToolCall("pay", result="ok"))
    (True, False)
    """
    result = None if call.result is UNSET else decoded(call.result)
    if isinstance(result, str):
        return result.lstrip()[:6].casefold() in ("error:", "failed", "error ")
    if not isinstance(result, Mapping):
        return False
    status = result.get("status")
    return (
        result.get("success") is False
        or result.get("ok") is False
        or (bool(result.get("error")) and len(result) < _FEW_KEYS)
        or (
            isinstance(status, str)
            and status.casefold() in ("failed", "failure", "error", "declined")
        )
    )


def speaks_of(text: str, call: ToolCall) -> bool:
    """Whether a text speaks of what a tool acts on, by the nouns of its name.

    >>> speaks_of("your text reminder has been scheduled", ToolCall("send_reminder"))
    True
    """
    verb = tool_verb(call.name)
    return alike(stems(part for part in name_parts(call.name) if part != verb), stems(tokens(text)))
