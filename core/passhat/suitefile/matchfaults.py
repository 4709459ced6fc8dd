"""What is wrong with the matchers that a suite names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from passhat.errors import UsageError
from passhat.suitefile.document import Steps
from passhat.suitefile.shapefaults import nearest
from passhat.values import matcher
from passhat.values.schemas import schema_faults


def matcher_fault(spec: Any) -> str | None:
    """Why a spec names no matcher that can be used, or None.

    >>> matcher_fault("txt")
    "'txt' is no matcher, did you mean text?"
    """
    if spec == "auto":
        return None
    try:
        matcher(spec)
        if isinstance(spec, Mapping):
            ((name, given),) = spec.items()
            if name == "schema":
                schema_faults({}, given)
    except UsageError as error:
        return error.message
    return None


def by_argument_faults(match: Any, steps: Steps) -> Iterator[tuple[Steps, str]]:
    """What is wrong with the `match` of one call: a matcher for all arguments, or one for each."""
    if isinstance(match, Mapping):
        for name, spec in match.items():
            why = matcher_fault(spec)
            if why:
                yield (*steps, name), why
    else:
        why = matcher_fault(match)
        if why:
            yield steps, why


def by_tool_faults(
    match: Any, steps: Steps, tools: Collection[str] | None
) -> Iterator[tuple[Steps, str]]:
    """What is wrong with the `match` of a case: `{tool: {argument: matcher}}`, or one for all.

    Args:
        match: What is written.
        steps: The way to it.
        tools: The tools there are; None where nobody says.
    """
    if not isinstance(match, Mapping):
        yield from by_argument_faults(match, steps)
        return
    for name, spec in match.items():
        here = (*steps, name)
        if tools is not None and name in tools:
            yield from by_argument_faults(spec, here)
            continue
        why = matcher_fault(spec)
        if why is None:
            continue
        if not isinstance(spec, Mapping) or any(by_argument_faults(spec, here)):
            yield here, why
        elif tools is not None:
            yield here, f"no such tool, {nearest(name, tools)}"
