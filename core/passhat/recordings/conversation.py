"""A trace under construction from the entries of a chat: calls, and the results that answer them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from passhat.jsontext import decode_text_result
from passhat.recordings.parts import LISTED, text_part
from passhat.recordings.unread import calls_in_text
from passhat.trace import Message, ToolCall, Trace, TraceBuilder

_encode = msgspec.json.Encoder().encode


@dataclass
class Conversation(TraceBuilder):
    """Builds a trace from a chat. Everything given to it must be made for this trace alone.

    Two rules hold for every format. A result's text that is a JSON object or list becomes that
    value, all other text stays text. And a call failed where its source says so, or where its
    result is a lone `{"error": ...}` that is not null; then the call has that error and no result.

    >>> chat = Conversation("t")
    >>> chat.assistant(calls=[ToolCall("lookup", id="c1"), ToolCall("cancel", id="c2")])
    >>> chat.answer('{"status": "shipped"}', call_id="c1")
    >>> chat.answer('{"error": "too late"}', call_id="c2")
    >>> [(call.result, call.error) for call in chat.trace().calls]
    [({'status': 'shipped'}, None), (UNSET, 'too late')]
    """

    fresh: bool = True
    _strays: list[dict[str, Any]] = field(default_factory=list)
    _in_text: str | None = None

    def assistant(
        self, text: str = "", calls: list[ToolCall] | tuple[ToolCall, ...] = (), **fields: Any
    ) -> None:
        """Adds one answer of a model; see `TraceBuilder.assistant`."""
        if text and not calls and self._in_text is None:
            self._in_text = calls_in_text(text)
        for call in calls:
            if not call.name:
                self.gap("calls: one of them names no tool")
        super().assistant(text, calls, **fields)

    def answer(
        self,
        content: Any,
        *,
        call_id: str | None = None,
        name: str | None = None,
        failed: bool = False,
        executed: bool | None = True,
        ended: float | None = None,
        extensions: dict[str, Any] | None = None,
        entry: Any = None,
    ) -> None:
        """Joins a result to its call; one that answers no call is kept, and said in the gaps.

        Args:
            content: The result: a text, a list of parts, or any JSON value.
            call_id: The id of the call it answers, where it names one.
            name: The tool's name, where it names one.
            failed: Whether the source says that the call failed.
            executed: Whether the call ran.
            ended: When the result came, in seconds since 1970.
            extensions: What else the source says of the result.
            entry: The result as recorded, to be kept where it answers no call.
        """
        result, error = outcome(content, failed)
        how: dict[str, Any] = {
            "call_id": call_id,
            "name": name,
            "error": error,
            "executed": executed,
            "ended": ended,
            "extensions": extensions,
        }
        if not self.result(result, **how):
            self._strays.append({"entry": entry, "result": result, **how})

    def calls_in_text(self, mark: str) -> None:
        """Says that calls stand in the texts, where a format has another place for them."""
        self.gap(f"calls: they stand in the texts ({mark})")

    @property
    def waits(self) -> bool:
        """Whether somebody else than the model had the last word."""
        last = self.steps[-1] if self.steps else None
        if isinstance(last, ToolCall):
            return last.answered is not None
        return isinstance(last, Message) and last.role != "assistant"

    def trace(self, **fields: Any) -> Trace:
        """The trace of all that was added; see `TraceBuilder.trace`."""
        if self._strays:
            self._place_strays()
        if self._in_text is not None and not any(type(step) is ToolCall for step in self.steps):
            self.calls_in_text(self._in_text)
        return super().trace(**fields)

    def _place_strays(self) -> None:
        """Joins the results that came before their calls, and says what the others are."""
        calls = [step for step in self.steps if type(step) is ToolCall]
        waiting = {call.id for call in calls if call.answered is None}
        known = {call.id for call in calls} | {("name", call.name) for call in calls}
        for stray in self._strays:
            call_id, name, entry = stray["call_id"], stray["name"], stray.pop("entry")
            if call_id is not None and call_id in waiting and self.result(**stray):
                continue
            self.extensions.setdefault("unmatched_results", []).append(entry)
            which = f"id {call_id!r}" if call_id else f"tool {name!r}" if name else "no id"
            if (call_id or ("name", name)) in known:
                self.gap(f"a further result ({which}) for a call that had one already")
            else:
                self.gap(f"calls: a result ({which}) answers no call that was recorded")
        self._strays.clear()


def outcome(content: Any, failed: bool) -> tuple[Any | UnsetType, str | None]:
    """A result as the trace has it, and the error of a call that failed.

    >>> outcome('{"error": "gone"}', False), outcome({"error": None}, False), outcome("no", True)
    ((UNSET, 'gone'), ({'error': None}, None), (UNSET, 'no'))
    """
    value = _joined(content)
    if isinstance(value, str) and not failed:
        value = decode_text_result(value)
    if failed:
        return UNSET, error_text(value)
    if isinstance(value, dict) and len(value) == 1 and value.get("error") is not None:
        return UNSET, error_text(value["error"])
    return value, None


def with_outcome(call: ToolCall, content: Any) -> ToolCall:
    """A call with the result that stands beside it.

    >>> with_outcome(ToolCall("f"), '{"error": "gone"}')
    ToolCall(name='f', executed=True, error='gone')
    """
    result, error = outcome(content, False)
    return replace(call, result=result, error=error, executed=True)


def _joined(content: Any) -> Any:
    """A content whose parts are all text as one text; anything else as it is."""
    if isinstance(content, list) and content and all(isinstance(part, dict) for part in content):
        texts = [text_part(part) if part.get("type") in _TEXT_TYPES else None for part in content]
        if None not in texts:
            return LISTED.join(filter(None, texts))
    return content


_TEXT_TYPES = ("text", "input_text", "output_text")


def error_text(value: Any) -> str:
    """An error as text: itself, or the JSON of what is no text."""
    return value if isinstance(value, str) else _encode(value).decode()


def value_text(value: Any) -> str | None:
    """A result as the text that a chat gives for it; None for a result that is null."""
    return value if value is None or isinstance(value, str) else _encode(value).decode()


def result_text(call: ToolCall) -> str | None:
    """The text that a chat without native errors gives for what came of a call."""
    return value_text(call.result if call.error is None else {"error": call.error})
