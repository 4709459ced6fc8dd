"""Reference messages: from a case's expectations, and expectations from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from passhat.case import Case, ExpectedCall, ExpectedEntry
from passhat.errors import TraceError
from passhat_openevals.convert import are_messages, to_trace


def reference_of(case: Case) -> Any:
    """What a case gives as `reference_outputs`: its reference, or its expected calls as messages.

    >>> reference_of(Case("c", "hi", expected_calls=["greet"]))[1]["tool_calls"][0]["function"]
    {'name': 'greet', 'arguments': '{}'}
    """
    if case.reference is not None and (case.expected_calls is None or are_messages(case.reference)):
        return case.reference
    return reference_messages(case) if case.expected_calls is not None else case.reference


def reference_messages(case: Case) -> list[dict[str, Any]]:
    """The expected calls of a case as messages: the input, a message for each call or group, an answer."""
    found = spoken(case.first_input)
    number = 0
    for entry in case.expected_calls or ():
        group = entry if isinstance(entry, tuple) else (entry,)
        calls = []
        for call in group:
            number += 1
            function = {"name": call.name, "arguments": json.dumps(call.args or {})}
            calls.append({"id": f"call_{number}", "type": "function", "function": function})
        found.append({"role": "assistant", "content": "", "tool_calls": calls})
        found += [{"role": "tool", "tool_call_id": call["id"], "content": ""} for call in calls]
    answer = case.reference if isinstance(case.reference, str) else ""
    return [*found, {"role": "assistant", "content": answer}]


def spoken(given: Any) -> list[dict[str, Any]]:
    """An input as messages: text is what the user says, messages are themselves."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if are_messages(given):
        return list(given["messages"] if isinstance(given, dict) else given)
    return []


def calls_of(reference: Any) -> list[list[tuple[str, dict[str, Any]]]]:
    """The calls of reference messages, those of one message together.

    Raises:
        TraceError: The messages cannot be read, or a call has arguments that are no JSON object.
    """
    groups: dict[object, list[tuple[str, dict[str, Any]]]] = {}
    for number, call in enumerate(to_trace(reference).calls):
        if call.args_error is not None:
            raise TraceError(
                f"the arguments of {call.name} are no JSON object: {call.args_error!r:.60}"
            )
        key = ("alone", number) if call.request is None else call.request
        groups.setdefault(key, []).append((call.name, dict(call.args)))
    return list(groups.values())


def expected_from(
    groups: Sequence[Sequence[tuple[str, dict[str, Any]]]],
    expected: Callable[[str, dict[str, Any]], ExpectedCall] = ExpectedCall,
) -> tuple[ExpectedEntry, ...]:
    """Expected calls, those of one message as a group.

    >>> expected_from([[("a", {})], [("b", {}), ("c", {})]])[0]
    ExpectedCall(name='a', args={})
    """
    made = [tuple(expected(name, args) for name, args in group) for group in groups]
    return tuple(group[0] if len(group) == 1 else group for group in made)


def tools_of(
    groups: Sequence[Sequence[tuple[str, dict[str, Any]]]],
) -> dict[str, list[dict[str, Any]]]:
    """The tools that are called, with the arguments of each call."""
    found: dict[str, list[dict[str, Any]]] = {}
    for group in groups:
        for name, args in group:
            found.setdefault(name, []).append(args)
    return found
