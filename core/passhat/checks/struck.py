"""Faults that struck a run, as the sandbox noted them in its trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import methodcaller
from typing import Any

from msgspec.structs import replace

from passhat.surroundings import Fault
from passhat.trace import ToolCall, Trace
from passhat.values.parts import with_texts

SEEN = "sandbox"


@dataclass(slots=True)
class Struck:
    """A fault of the case, and the calls of the run that it struck.

    Attributes:
        index: Which of the case's faults it is.
        fault: The fault.
        calls: The indexes of the calls, among all calls of the trace.
    """

    index: int
    fault: Fault
    calls: list[int] = field(default_factory=list)


def injected(trace: Trace) -> tuple[Fault, ...] | None:
    """The faults that might have struck; None where the trace was recorded in no sandbox."""
    seen = trace.extensions.get(SEEN)
    faults = seen.get("faults") if isinstance(seen, Mapping) else None
    return None if not isinstance(faults, list) else tuple(map(Fault.of, faults))


def seen_of(call: ToolCall) -> Mapping[str, Any]:
    """What the sandbox noted of a call."""
    seen = call.extensions.get(SEEN)
    return seen if isinstance(seen, Mapping) else {}


def struck_in(trace: Trace) -> list[Struck]:
    """The faults that struck calls of a trace, in the order of the case."""
    found: dict[int, Struck] = {}
    for at, call in enumerate(trace.all_calls):
        noted = seen_of(call).get("fault")
        if isinstance(noted, Mapping) and isinstance(noted.get("index"), int):
            index = noted["index"]
            if index not in found:
                entry = {key: value for key, value in noted.items() if key != "index"}
                found[index] = Struck(index, Fault.of(entry))
            found[index].calls.append(at)
    return [found[index] for index in sorted(found)]


def unhidden(trace: Trace) -> tuple[Trace, tuple[str, ...]]:
    """The trace with what was planted in it in plain words, and these words.

    A value that an agent took from a text in base64 is in no answer as it stands.
    """
    plain: list[str] = []
    steps = list(trace.steps)
    changed = False
    for at, step in enumerate(steps):
        if type(step) is not ToolCall:
            continue
        text, noted = seen_of(step).get("planted"), seen_of(step).get("fault")
        if not isinstance(text, str) or not isinstance(noted, Mapping):
            continue
        if noted.get("hidden", "open") in ("zero_width", "tags", "base64"):
            words = str(noted.get("instruction") or "")
            plainly = with_texts(step.result, methodcaller("replace", text, words))
            steps[at] = replace(step, result=plainly)
            changed = True
            plain.append(words)
        else:
            plain.append(text)
    return (replace(trace, steps=tuple(steps)) if changed else trace), tuple(dict.fromkeys(plain))
