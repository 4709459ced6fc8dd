"""OpenAI chat messages: a list of them, or rows `{"messages": [...], "tools": [...], "id": ...}`.

Also what the API responds, `choices`, alone or beside the request; and what else speaks this form:
the older `function_call` and role `function`, the role `developer`, custom tools,
`reasoning_content`, and a call written flat (`{"name", "arguments"}`).
The API has no key that says that a call failed. A lone `{"error": ...}` says it, and so does what
others write into a tool's message: `error`, `is_error`, `tool_call_error`, the status `error`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from passhat.errors import Place, TraceError
from passhat.recordings.bodies import Exchange
from passhat.recordings.conversation import Conversation, result_text
from passhat.recordings.openai_calls import calls_of
from passhat.recordings.openai_writing import ANSWERED, SAID, answer_entry, said_entry
from passhat.recordings.parts import LISTED, SPOKEN, text_and_parts
from passhat.recordings.reader import RecordingReader
from passhat.recordings.shapes import (
    Entry,
    count,
    identity,
    leftover,
    mapping,
    number,
    text,
    word,
)
from passhat.recordings.tools import openai_tools
from passhat.recordings.unread import (
    answers_in_text,
    is_of_thread,
    is_tool_part,
    kinds_of,
    unread_calls,
)
from passhat.recordings.writing import Asked, Results, chat_order
from passhat.trace import ToolCall, Trace, Usage

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_TELLING = frozenset({"developer", "tool", "function"})
_PARTS = frozenset({"image_url", "input_audio", "video_url", "file", "refusal"})
_ANTHROPICS = ("tool_use", "tool_result")
_FOREIGN = frozenset({"thinking", "redacted_thinking", "output_text"})
_RESULT = frozenset({*SAID, "name", "tool_name", "tool_call_id"})


class OpenAIChat(RecordingReader):
    """Reads and writes OpenAI chat messages."""

    name = "openai"
    label = "OpenAI chat messages"
    response_keys = ("choices", "usage")
    part_types = _PARTS | {"text"}

    def is_entry(self, value: Any) -> bool:
        """Whether a value is a message: it has a role and content or calls, and no parts."""
        return (
            isinstance(value, dict)
            and isinstance(value.get("role"), str)
            and ("content" in value or "tool_calls" in value or "function_call" in value)
            and value.get("type", "message") == "message"
            and not value.keys() & {self.key, "parts"}
            and not is_of_thread(value)
        )

    def sure(self, entries: Sequence[Any], row: dict[str, Any]) -> float:
        """Sure where a message calls or answers as only these do; a plain chat may be another's."""
        if not entries or not all(map(self.is_entry, entries)):
            return 0.0
        if not all(entry["role"] in ROLES for entry in entries):
            return 0.0
        types = {kind for entry in entries for kind in _part_types(entry)}
        foreign = types & _FOREIGN or any(map(is_tool_part, types))
        if foreign or any("type" in entry for entry in entries):
            return 0.1
        telling = types & _PARTS or any(
            entry["role"] in _TELLING or entry.get("tool_calls") or entry.get("function_call")
            for entry in entries
        )
        return 0.9 if telling else 0.1 if "system" in row else 0.5

    def fill(self, chat: Conversation, entries: list[Entry], row: dict[str, Any]) -> None:
        """Puts the messages into the trace."""
        for path, entry in entries:
            role = entry.get("role")
            if not entry.get("tool_calls") and (strange := _tool_parts(entry)):
                own = any(kind.endswith(_ANTHROPICS) for kind in strange)
                theirs = " (--from anthropic reads theirs)" if own else ""
                raise TraceError(
                    f"calls as content blocks are no OpenAI chat's: {min(strange)}{theirs}",
                    Place(path=f"{path}.content"),
                )
            if "object" in entry and is_of_thread(entry):
                raise TraceError(
                    "messages of an Assistants thread are no OpenAI chat's: they come newest first, "
                    "and their calls stand in the steps of its runs",
                    Place(path=path),
                )
            if role == "assistant":
                answer(chat, entry, path)
            elif role in ("tool", "function"):
                self.result(chat, entry, path)
            elif role in ("user", "system", "developer"):
                said(chat, entry, path)
            else:
                raise TraceError(
                    f"role {role!r} is none of {', '.join(sorted(ROLES))}",
                    Place(path=f"{path}.role"),
                )

    def exchanged(self, whole: Exchange) -> tuple[list[Entry], dict[str, Any]]:
        """The messages of a request with the answer behind them, and whether it hit a limit."""
        entries, choice = whole.entries(self.key), whole.answer("choices")
        if choice is None:
            return entries, {}
        entries.append(_chosen(*choice, whole.response[1]))
        return entries, {"outcome": "limit"} if word(choice[1], "finish_reason") == "length" else {}

    def conversation(self, trace: Trace) -> dict[str, Any]:
        """The messages of a trace."""
        found: list[dict[str, Any]] = []
        for part in chat_order(trace):
            if isinstance(part, Results):
                found += map(self.result_entry, part.calls)
            elif isinstance(part, Asked):
                found.append(answer_entry(part))
            else:
                found.append(said_entry(part))
        return {self.key: found}

    def result(self, chat: Conversation, entry: dict[str, Any], path: str) -> None:
        """Adds what a tool answered."""
        call_id, more = identity(entry, "tool_call_id", path), leftover(entry, _RESULT)
        if call_id is None and isinstance(ids := more.get("tool_call_ids"), list):
            call_id = identity({"id": ids[0]}, "id", path)
            if len(ids) > 1:
                chat.gap(f"calls: one result answers {len(ids)} calls at once")
            else:
                del more["tool_call_ids"]
        failed, content = self.failed(entry), entry.get("content")
        if failed and isinstance(told := entry.get("error"), str | dict):
            if content:
                more["content"] = content
            content = told
        chat.answer(
            content,
            call_id=call_id,
            name=text(entry, "name", path) or text(entry, "tool_name", path),
            failed=failed,
            extensions={"result": more} if more else None,
            entry=entry,
        )

    def failed(self, entry: dict[str, Any]) -> bool:
        """Whether a tool's message says of itself that the call failed.

        The API has no key for it; of those who write chats down, many have one.
        """
        told = entry.get("error")
        named = told is True or (isinstance(told, str | dict) and bool(told))
        flagged = entry.get("is_error") is True or entry.get("tool_call_error") is True
        return named or flagged or entry.get("status") == "error"

    def result_entry(self, call: ToolCall) -> dict[str, Any]:
        """The message that a tool answers a call with."""
        entry = {"role": "tool", "tool_call_id": call.id, "content": result_text(call)}
        if call.id is None:
            entry["name"] = call.name
        kept = mapping(call.extensions, "result")
        more = leftover(kept, _RESULT)
        if call.error is not None and self.failed(more):
            told = isinstance(more.get("error"), str | dict)
            entry["content"] = kept.get("content", "") if told else call.error
        return entry | more

    def usage(self, raw: Any) -> Usage | None:
        """What a `usage` object states."""
        return usage(raw)

    def tools(self, catalogue: dict[str, dict[str, Any]]) -> Any:
        """A tool catalogue in OpenAI's form."""
        return openai_tools(catalogue)


def usage(raw: Any) -> Usage | None:
    """What an OpenAI `usage` object states, of either API.

    >>> usage({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11})
    Usage(input_tokens=9, output_tokens=2)
    """
    if not isinstance(raw, dict):
        return None
    found = Usage(
        count(raw, "prompt_tokens", "input_tokens"),
        count(raw, "completion_tokens", "output_tokens"),
        count(raw, "prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens"),
        count(
            raw,
            "completion_tokens_details.reasoning_tokens",
            "output_tokens_details.reasoning_tokens",
        ),
        number(raw.get("cost")),
    )
    return found if found != Usage() else None


def said(chat: Conversation, entry: dict[str, Any], path: str) -> None:
    """Adds what a user, the system or a developer said."""
    words, parts = text_and_parts(entry.get("content"), f"{path}.content", LISTED)
    extensions = leftover(entry, SAID)
    if entry["role"] == "user":
        if (mark := answers_in_text(words)) is not None:
            chat.calls_in_text(mark)
        chat.user(words, content=parts, extensions=extensions)
        return
    if entry["role"] == "developer":
        extensions["role"] = "developer"
    chat.system(words, content=parts, extensions=extensions)


def answer(chat: Conversation, entry: dict[str, Any], path: str) -> None:
    """Adds one answer of the model and the calls it asks for."""
    words, parts = text_and_parts(entry.get("content"), f"{path}.content", SPOKEN)
    extensions = leftover(entry, ANSWERED)
    refusal = text(entry, "refusal", path) or _refused(parts)
    if refusal:
        words = words or refusal
        extensions["refusal"] = refusal
    words = words or text(mapping(entry, "audio"), "transcript", f"{path}.audio") or ""
    calls = calls_of(entry, path)
    if extensions and (elsewhere := unread_calls(extensions, known=bool(calls))) is not None:
        chat.gap(f"calls: those under {elsewhere!r} of a message are of another form")
    chat.assistant(
        words,
        calls,
        content=parts,
        reasoning=text(entry, "reasoning_content", path) or text(entry, "reasoning", path),
        agent=text(entry, "name", path),
        id=identity(entry, "id", path),
        model=text(entry, "model", path),
        usage=usage(entry.get("usage")),
        extensions=extensions,
    )


def _chosen(path: str, choice: dict[str, Any], response: dict[str, Any]) -> Entry:
    """The message of a choice, with the model and the usage that the response states."""
    message = choice.get("message")
    if not isinstance(message, dict):
        pieces = ": put the pieces of a stream together first" if "delta" in choice else ""
        raise TraceError(f"a choice needs a message{pieces}", Place(path=path))
    stated = {key: response[key] for key in ("model", "usage") if key in response}
    return f"{path}.message", {**stated, **leftover(choice, ("index", "message")), **message}


def _refused(parts: list[Any] | None) -> str:
    """The words of the parts that are refusals."""
    said = [part.get("refusal") for part in parts or [] if isinstance(part, dict)]
    return SPOKEN.join(words for words in said if isinstance(words, str))


def _part_types(entry: dict[str, Any]) -> set[str]:
    content = entry.get("content")
    if not isinstance(content, list):
        return set()
    return {kind for part in content for kind in kinds_of(part)}


def _tool_parts(entry: dict[str, Any]) -> set[str]:
    return set(filter(is_tool_part, _part_types(entry)))


adapter = OpenAIChat()
