"""Anthropic messages: content blocks, with `tool_use` and `tool_result` among them.

A list of messages, or rows `{"messages": [...], "system": ..., "tools": [...]}`. The tools that the
provider runs itself (`server_tool_use`, `mcp_tool_use`) are calls like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from passhat.errors import InputError, Place, TraceError
from passhat.recordings.anthropic_writing import (
    ANSWERED,
    CALL,
    RESULT,
    SAID,
    add_results,
    answer_entry,
)
from passhat.recordings.arguments import arguments
from passhat.recordings.attempts import Attempt, attempts
from passhat.recordings.conversation import Conversation
from passhat.recordings.parts import LISTED, SPOKEN, text_and_parts
from passhat.recordings.reader import RecordingReader
from passhat.recordings.requests import PartKind, split, whole
from passhat.recordings.shapes import (
    Entry,
    count,
    identity,
    leftover,
    text,
    word,
    wrong,
)
from passhat.recordings.tools import anthropic_tools
from passhat.recordings.unread import answers_in_text, is_of_thread, is_tool_part, kinds_of
from passhat.recordings.writing import Asked, Results, chat_order, written_content
from passhat.trace import ToolCall, Trace, Usage

_ROLES = ("user", "assistant", "system")
_THOUGHTS = ("thinking", "redacted_thinking")


class Anthropic(RecordingReader):
    """Reads and writes Anthropic messages."""

    name = "anthropic"
    label = "Anthropic messages"
    row_keys = ("system",)
    part_types = frozenset({"text", "image", "document", "search_result", "container_upload"})

    def is_entry(self, value: Any) -> bool:
        """Whether a value is a message: it has a role and content, and is no OpenAI message."""
        return (
            isinstance(value, dict)
            and value.get("role") in _ROLES
            and "content" in value
            and value.get("type", "message") == "message"
            and not value.keys() & {self.key, "parts", "tool_calls", "function_call"}
            and not is_of_thread(value)
        )

    def sure(self, entries: Sequence[Any], row: dict[str, Any]) -> float:
        """Sure where there are blocks or keys of its own; a plain chat may be another's."""
        if not entries or not all(map(self.is_entry, entries)):
            return 0.0
        blocks = [block for entry in entries for block in _blocks(entry)]
        if any(_kind(block).startswith(("input_", "output_", "image_url")) for block in blocks):
            return 0.0
        if any(_is_anothers(block) for block in blocks):
            return 0.0
        tools = row.get("tools")
        own = isinstance(tools, list) and any(
            isinstance(tool, dict) and "input_schema" in tool for tool in tools
        )
        if own or "system" in row or any(_is_own(block) for block in blocks):
            return 0.95
        return 0.4

    def recognises(self, value: Any) -> float:
        """How sure it is that a value is one attempt in this form, 0 (no) to 1 (sure)."""
        if isinstance(value, dict) and self.is_entry(value) and _is_body(value):
            return 0.9
        return super().recognises(value)

    def fill(self, chat: Conversation, entries: list[Entry], row: dict[str, Any]) -> None:
        """Puts the messages into the trace."""
        if row.get("system"):
            words, parts = text_and_parts(row["system"], "$.system", LISTED)
            chat.system(words, content=parts)
        for path, entry in whole(entries):
            role = entry.get("role")
            if role == "assistant":
                _answer(chat, entry, path)
            elif role == "user":
                _user(chat, entry, path)
            elif role == "system":
                words, parts = text_and_parts(entry.get("content"), f"{path}.content", LISTED)
                chat.system(words, content=parts, extensions=leftover(entry, SAID))
            else:
                raise TraceError(
                    f"role {role!r} is none of {', '.join(_ROLES)}", Place(path=f"{path}.role")
                )

    def _attempts(self, source: Any) -> Iterator[Attempt | InputError]:
        return attempts(
            source, lambda value: self.is_entry(value) and not _is_body(value), self.key
        )

    def trace_of_plain(self, value: Any, id: str) -> Trace:
        """The trace of one attempt; see `RecordingReader.trace_of_plain`."""
        if not (isinstance(value, dict) and _is_body(value)):
            return super().trace_of_plain(value, id)
        ended = {"outcome": "limit"} if value["stop_reason"] == "max_tokens" else {}
        return super().trace_of_plain({self.key: [value], **ended}, id)

    def conversation(self, trace: Trace) -> dict[str, Any]:
        """The messages of a trace, and its system prompt."""
        row: dict[str, Any] = {}
        found: list[dict[str, Any]] = []
        for part in chat_order(trace):
            if isinstance(part, Results):
                add_results(found, part.calls)
            elif isinstance(part, Asked):
                found.append(answer_entry(part))
            elif part.role == "system" and part is trace.steps[0] and not part.extensions:
                row["system"] = written_content(part)
            else:
                more = leftover(part.extensions, SAID)
                found.append({"role": part.role, "content": written_content(part), **more})
        return {**row, self.key: found}

    def usage(self, raw: Any) -> Usage | None:
        """What a `usage` object states."""
        return _usage(raw)

    def tools(self, catalogue: dict[str, dict[str, Any]]) -> Any:
        """A tool catalogue in Anthropic's form."""
        return anthropic_tools(catalogue)


def _is_body(value: dict[str, Any]) -> bool:
    """Whether a value is what the API answered to one request: its last answer, and so a run."""
    told = isinstance(value.get("stop_reason"), str) and value.get("type") == "message"
    return told and value.get("role") == "assistant"


def _blocks(entry: dict[str, Any]) -> list[dict[str, Any]]:
    content = entry.get("content")
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def _kind(block: Any) -> str:
    return word(block, "type")


def _is_call(block: Any) -> bool:
    return _kind(block).endswith("tool_use")


def _is_result(block: Any) -> bool:
    return _kind(block).endswith("tool_result")


def _is_own(block: dict[str, Any]) -> bool:
    return _is_call(block) or _is_result(block) or _kind(block) in _THOUGHTS or "source" in block


def _is_anothers(block: dict[str, Any]) -> bool:
    """Whether a block is a call or a result of another form."""
    return any(map(is_tool_part, kinds_of(block))) and not (_is_call(block) or _is_result(block))


def _usage(raw: Any) -> Usage | None:
    """What a `usage` object states: its input tokens are those that no cache held."""
    fresh, cached = count(raw, "input_tokens"), count(raw, "cache_read_input_tokens")
    written = count(raw, "cache_creation_input_tokens")
    counted = [tokens for tokens in (fresh, cached, written) if tokens is not None]
    found = Usage(sum(counted) if counted else None, count(raw, "output_tokens"), cached)
    return found if found != Usage() else None


def _user(chat: Conversation, entry: dict[str, Any], path: str) -> None:
    """Adds the results that a user message carries, and what the user said in it."""
    content = entry.get("content")
    more = leftover(entry, SAID)
    results = []
    if isinstance(content, list):
        results = [(at, block) for at, block in enumerate(content) if _is_result(block)]
        content = [block for block in content if not _is_result(block)]
    for at, block in results:
        _result(chat, block, f"{path}.content[{at}]", {} if content else more)
    if content or not results:
        words, parts = text_and_parts(content, f"{path}.content", LISTED)
        _refuse_calls(parts, path)
        if (mark := answers_in_text(words)) is not None:
            chat.calls_in_text(mark)
        chat.user(words, content=parts, extensions=more)


def _refuse_calls(parts: list[Any] | None, path: str) -> None:
    """Refuses parts that are calls where none can be, rather than lose them."""
    kinds = [kind for part in parts or [] for kind in kinds_of(part)]
    strange = next(filter(is_tool_part, kinds), None)
    if strange is not None:
        raise TraceError(
            f"no place for a call or a result: {strange}", Place(path=f"{path}.content")
        )


def _result(chat: Conversation, block: dict[str, Any], path: str, around: dict[str, Any]) -> None:
    if "toolUseID" in block:
        raise TraceError("a tool_result with toolUseID is Amp's, not Anthropic's", Place(path=path))
    content = block.get("content")
    failed = block.get("is_error") is True or _kind(content).endswith("_error")
    more = leftover(block, RESULT) | around
    if block["type"] != "tool_result":
        more["type"] = block["type"]
    chat.answer(
        content,
        call_id=identity(block, "tool_use_id", path),
        failed=failed,
        extensions={"result": more} if more else None,
        entry=block,
    )


def _answer(chat: Conversation, entry: dict[str, Any], path: str) -> None:
    content = entry.get("content")
    if content is None or isinstance(content, str):
        content = [content] if content else []
    if not isinstance(content, list):
        raise wrong("content is text or a list of blocks", content, f"{path}.content")
    stated = {
        "id": identity(entry, "id", path),
        "model": text(entry, "model", path),
        "usage": _usage(entry.get("usage")),
    }
    extensions = leftover(entry, ANSWERED)
    for request in split(content, f"{path}.content", _part_kind):
        words, parts = text_and_parts(request.content, f"{path}.content", SPOKEN)
        _refuse_calls(parts, path)
        thoughts = [thought.get("thinking") for thought in request.thoughts]
        reasoning = LISTED.join(said for said in thoughts if isinstance(said, str))
        if any(leftover(thought, ("type", "thinking")) for thought in request.thoughts):
            extensions["thinking"] = request.thoughts
        chat.assistant(
            words,
            [_call(block, here) for here, block in request.calls],
            content=parts,
            reasoning=reasoning or None,
            extensions=extensions,
            **stated,
        )
        for here, block in request.results:
            _result(chat, block, here, {})
        stated, extensions = {}, {}


def _part_kind(block: Any) -> PartKind:
    if _is_result(block):
        return "result"
    if _is_call(block):
        return "call"
    return "thought" if _kind(block) in _THOUGHTS else "content"


def _call(block: dict[str, Any], path: str) -> ToolCall:
    args, error = arguments(block.get("input"))
    extensions = leftover(block, CALL)
    if block["type"] != "tool_use":
        extensions["type"] = block["type"]
    return ToolCall(
        text(block, "name", path) or "",
        args,
        args_error=error,
        id=identity(block, "id", path),
        extensions=extensions,
    )


adapter = Anthropic()
