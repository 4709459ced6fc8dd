"""What an agent gives back, as a trace: a trace, messages, a framework's own result, or text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from passhat.adapter import Adapter, adapters
from passhat.case import Case
from passhat.errors import InputError, TraceError, UsageError
from passhat.trace import Message, Trace, TraceBuilder

EXPECTED = "an agent gives a Trace, messages, a framework's own result, or text"


def trace_of(value: Any, case: Case, *, trial: int) -> Trace:
    """What an agent gave back for a case, as the trace of that attempt.

    Args:
        value: A trace; messages in any form that `passhat.recordings.to_trace` reads, or a mapping
            that holds them; what a framework's adapter knows as its own (a run of LangSmith, a
            session or events of ADK); or the answer as text.
        case: The case that was played.
        trial: Which attempt at it, counted from 0.

    Returns:
        The trace with the case and the number of the attempt; its id is `CASE/TRIAL` where what
        came back has none.

    Raises:
        TraceError: It is none of these, cannot be read, or is the trace of another case.

    >>> trace = trace_of("It has shipped.", Case("where", "Where is A1?"), trial=2)
    >>> trace.id, trace.trial, [message.text for message in trace.messages]
    ('where/2', 2, ['Where is A1?', 'It has shipped.'])
    """
    trace = _read(value, case, f"{case.id}/{trial}")
    if trace.case_id is not None and trace.case_id != case.id:
        raise TraceError(
            f"the agent gave a trace of case {trace.case_id!r}, and played case {case.id!r}"
        )
    return replace(trace, case_id=case.id, trial=trial)


def _read(value: Any, case: Case, id: str) -> Trace:
    if isinstance(value, Trace):
        return value
    if isinstance(value, str):
        return _answered(value, case, id)
    adapter = _adapter_of(value)
    try:
        if adapter is not None:
            return adapter.to_trace(value)  # type: ignore[no-any-return]
        if not isinstance(value, Mapping | list | tuple) or not value:
            raise UsageError(f"the agent gave {_told(value)}; {EXPECTED}")
        from passhat.recordings import to_trace

        held = list(value) if isinstance(value, tuple) else value
        return to_trace(held, id=id)
    except TraceError:
        raise
    except InputError as error:
        raise TraceError(error.message, error.place) from error
    except UsageError as error:
        raise TraceError(error.message) from error


def _adapter_of(value: Any) -> Any:
    """The adapter whose framework the value's class comes from."""
    first = value[0] if isinstance(value, list | tuple) and value else value
    module = type(first).__module__ or ""
    return next((one for one in adapters().values() if _owns(one, module)), None)


def _owns(adapter: Adapter, module: str) -> bool:
    names: tuple[str, ...] = getattr(adapter, "result_modules", ())
    return any(module == name or module.startswith(f"{name}.") for name in names)


def _told(value: Any) -> str:
    if value is None:
        return "None"
    return f"{value!r:.60}, a {type(value).__name__}"


def _answered(text: str, case: Case, id: str) -> Trace:
    """The trace of an answer in text: what was asked, and what was said."""
    building = TraceBuilder(id)
    asked = asked_text(case.first_input)
    if asked:
        building.user(asked)
    building.assistant(text)
    return building.trace()


def asked_text(given: Any) -> str:
    """What a case's input says, as text: messages joined, anything else as JSON.

    >>> asked_text("Hi"), asked_text([{"role": "user", "content": "Hi"}]), asked_text({"n": 1})
    ('Hi', 'Hi', '{"n":1}')
    """
    if given is None or isinstance(given, str):
        return given or ""
    if isinstance(given, list):
        said = [entry.get("content") for entry in given if isinstance(entry, dict)]
        texts = [text for text in said if isinstance(text, str)]
        if texts:
            return "\n".join(texts)
    return msgspec.json.encode(given, enc_hook=repr).decode()


def empty_trace(case: Case, *, trial: int) -> Trace:
    """The trace of an attempt of which nothing is known but what was asked.

    >>> empty_trace(Case("c", "Hi"), trial=0).messages
    (Message(role='user', text='Hi'),)
    """
    asked = asked_text(case.first_input)
    steps = (Message("user", asked),) if asked else ()
    return Trace(f"{case.id}/{trial}", case.id, trial, steps=steps)
