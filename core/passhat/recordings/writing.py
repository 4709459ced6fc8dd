"""A trace in the order in which chats are written: what was said, what was asked for, the results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec import UNSET

from passhat.trace import Message, ToolCall, Trace


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer of a model: what it said (None where nothing is recorded) and the calls it asked for."""

    message: Message | None
    calls: tuple[ToolCall, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The calls whose results come next."""

    calls: tuple[ToolCall, ...]


Spoken: TypeAlias = Message | Asked | Results


def written_content(message: Message) -> Any:
    """What a message says, as its content: its parts where it has any that are not text."""
    return message.text if message.content is None else message.content


def chat_order(trace: Trace) -> Iterator[Spoken]:
    """The parts of a chat, each result as late as the request that could first see it.

    What a chat has no place for is left out: calls made inside other calls, state updates, node
    visits and interrupts.

    >>> from passhat.trace import TraceBuilder
    >>> build = TraceBuilder("t")
    >>> build.user("hi")
    >>> build.assistant(calls=[ToolCall("f", result=1)])
    >>> [type(part).__name__ for part in chat_order(build.trace())]
    ['Message', 'Asked', 'Results']
    """
    groups: dict[object, list[ToolCall]] = {}
    for call in trace.calls:
        groups.setdefault(_request_of(call), []).append(call)
    due: list[ToolCall] = []
    for step in trace.steps:
        if type(step) is Message and step.role == "assistant":
            calls = groups.pop(step.request, []) if step.request is not None else []
            asked = Asked(step, tuple(calls))
            request = step.request
        elif type(step) is ToolCall and _request_of(step) in groups:
            asked = Asked(None, tuple(groups.pop(_request_of(step))))
            request = step.request
        elif type(step) is Message:
            yield step
            continue
        else:
            continue
        yield asked
        due += [call for call in asked.calls if call.error is not None or call.result is not UNSET]
        now = [call for call in due if _seen_by(call, request)]
        if now:
            yield Results(tuple(now))
            due = [call for call in due if not _seen_by(call, request)]
    if due:
        yield Results(tuple(due))


def _request_of(call: ToolCall) -> object:
    return ("alone", id(call)) if call.request is None else call.request


def _seen_by(call: ToolCall, request: int | None) -> bool:
    """Whether the request after this one sees the result."""
    return call.answered is None or request is None or call.answered <= request + 1
