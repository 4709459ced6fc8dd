"""LangChain messages as dicts: dumped flat, as `{"type", "data"}`, or serialised (`{"lc": 1, ...}`).

A list of messages, or rows `{"messages": [...]}` such as a graph's state. Messages given by role
or as pairs (`["user", "hi"]`) may stand among them. Arguments that did not parse are in
`invalid_tool_calls`; a failed call has the status `error`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from passhat.errors import Place, TraceError
from passhat.recordings.conversation import Conversation
from passhat.recordings.langchain_calls import (
    by_request,
    is_further_piece,
    is_no_tool,
    is_provider_call,
    listed_calls,
)
from passhat.recordings.langchain_writing import (
    ANSWERED,
    RESULT,
    SAID,
    answer_entry,
    result_entry,
)
from passhat.recordings.parts import LISTED, SPOKEN, text_and_parts
from passhat.recordings.reader import RecordingReader
from passhat.recordings.requests import PartKind, Request, split
from passhat.recordings.responses_items import inline_result, thought_text
from passhat.recordings.shapes import (
    Entry,
    count,
    identity,
    leftover,
    mapping,
    text,
    word,
    wrong,
)
from passhat.recordings.tools import openai_tools
from passhat.recordings.writing import Asked, Results, chat_order, written_content
from passhat.trace import Trace, Usage

_CLASSES = {
    "Human": "human",
    "AI": "ai",
    "System": "system",
    "Tool": "tool",
    "Function": "function",
    "Chat": "chat",
    "Remove": "remove",
}
_TYPES = {kind: kind for kind in _CLASSES.values()} | {
    f"{name}Message{end}": kind for name, kind in _CLASSES.items() for end in ("", "Chunk")
}
_ROLES = {
    "user": "human",
    "human": "human",
    "assistant": "ai",
    "ai": "ai",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "function",
}
_OWN_ROLES = ("human", "ai")
_MORE = ("tool_calls", "function_call", "reasoning_content", "refusal")
_ABOUT = ("model_name",)
_UNSTATED = Usage()
_THOUGHTS = ("reasoning", "thinking", "redacted_thinking")


class LangChain(RecordingReader):
    """Reads and writes LangChain messages, without LangChain."""

    name = "langchain"
    label = "LangChain messages"

    def is_entry(self, value: Any) -> bool:
        """Whether a value is a message in one of the shapes they are given in."""
        return _kind(value) is not None and not (isinstance(value, dict) and self.key in value)

    def is_part(self, value: Any) -> bool:
        """Whether a value can be a content block, which may be any provider's."""
        return isinstance(value, dict) and isinstance(value.get("type"), str)

    def sure(self, entries: Sequence[Any], row: dict[str, Any]) -> float:
        """Sure where a message has a type or a role of theirs; other roles alone are another's."""
        if not entries or not all(map(self.is_entry, entries)):
            return 0.0
        typed = any(isinstance(entry, dict) and "role" not in entry for entry in entries)
        if typed:
            return 0.95
        return 0.9 if any(word(entry, "role") in _OWN_ROLES for entry in entries) else 0.1

    def normal(self, value: Any) -> Any:
        """A message flat, with its type."""
        kind = _kind(value)
        if kind is None:
            return value
        if isinstance(value, list):
            return {"type": kind, "content": value[1]}
        inner = value.get("kwargs" if "lc" in value else "data")
        flat = {**inner, "type": kind} if isinstance(inner, dict) else {**value, "type": kind}
        if kind == "chat":
            flat["type"] = _ROLES.get(flat.get("role") or "", "chat")
        return flat

    def fill(self, chat: Conversation, entries: list[Entry], row: dict[str, Any]) -> None:
        """Puts the messages into the trace."""
        before: dict[str, Any] = {}
        for path, entry in entries:
            kind = entry.get("type")
            if is_further_piece(entry, before):
                raise TraceError(
                    "pieces of one streamed message: add them up (`+`) before they are written",
                    Place(path=path),
                )
            before = entry
            if kind == "ai":
                _answer(chat, entry, path)
            elif kind in ("tool", "function"):
                _result(chat, entry, path)
            elif kind in ("human", "system"):
                words, parts = text_and_parts(entry.get("content"), f"{path}.content", LISTED)
                say = chat.user if kind == "human" else chat.system
                say(
                    words,
                    content=parts,
                    id=identity(entry, "id", path),
                    extensions=leftover(entry, SAID),
                )
            elif kind == "remove":
                chat.extensions.setdefault("removed", []).append(entry)
            else:
                raise TraceError(
                    f"type {kind!r} is none of {', '.join(_CLASSES.values())}", Place(path=path)
                )

    def conversation(self, trace: Trace) -> dict[str, Any]:
        """The messages of a trace, flat."""
        found: list[dict[str, Any]] = []
        for part in chat_order(trace):
            if isinstance(part, Results):
                found += map(result_entry, part.calls)
            elif isinstance(part, Asked):
                found.append(answer_entry(part))
            else:
                kind = "human" if part.role == "user" else "system"
                entry = {"type": kind, "content": written_content(part), "id": part.id}
                found.append(entry | leftover(part.extensions, SAID))
        return {self.key: found}

    def usage(self, raw: Any) -> Usage | None:
        """What a `usage_metadata` object states."""
        return _usage(raw)

    def tools(self, catalogue: dict[str, dict[str, Any]]) -> Any:
        """A tool catalogue in OpenAI's form."""
        return openai_tools(catalogue)


def _kind(value: Any) -> str | None:
    """The type of a message, None for what is no message."""
    if isinstance(value, list):
        pair = len(value) == 2 and all(isinstance(item, str) for item in value)
        return _ROLES.get(value[0]) if pair else None
    if not isinstance(value, dict):
        return None
    if "lc" in value:
        names = value.get("id")
        name = names[-1] if isinstance(names, list) and names else None
        return _TYPES.get(name) if isinstance(name, str) else None
    if not value.keys() & {"content", "data"}:
        return None
    kind, role = value.get("type"), value.get("role")
    if isinstance(kind, str):
        return _TYPES.get(kind)
    return _ROLES.get(role) if isinstance(role, str) else None


def _usage(raw: Any) -> Usage | None:
    if not raw:
        return None
    found = Usage(
        count(raw, "input_tokens"),
        count(raw, "output_tokens"),
        count(raw, "input_token_details.cache_read"),
        count(raw, "output_token_details.reasoning"),
    )
    return found if found != _UNSTATED else None


def _answer(chat: Conversation, entry: dict[str, Any], path: str) -> None:
    content = entry.get("content")
    if content is None or isinstance(content, str):
        requests = [Request(content=[content] if content else [])]
    elif isinstance(content, list):
        requests = split(content, f"{path}.content", _part_kind)
    else:
        raise wrong("content is text or a list of blocks", content, f"{path}.content")
    more, about = mapping(entry, "additional_kwargs"), mapping(entry, "response_metadata")
    asked = by_request(listed_calls(entry, more, path), requests)
    extensions = leftover(entry, ANSWERED)
    if more or about:
        beside = {"additional_kwargs": leftover(more, _MORE)}
        extensions |= leftover({**beside, "response_metadata": leftover(about, _ABOUT)}, ())
    stated: dict[str, Any] = {
        "id": identity(entry, "id", path),
        "agent": text(entry, "name", path),
        "model": text(about, "model_name", path),
        "usage": _usage(entry.get("usage_metadata")),
    }
    refusal, thought = text(more, "refusal", path), text(more, "reasoning_content", path)
    if refusal is not None:
        extensions["refusal"] = refusal
    for request, calls in zip(requests, asked, strict=True):
        words, parts = text_and_parts(request.content, f"{path}.content", SPOKEN)
        thoughts = [thought, *map(_thought, request.thoughts)]
        if request.thoughts:
            extensions["thinking"] = request.thoughts
        chat.assistant(
            words or refusal or "",
            calls,
            content=parts,
            reasoning=LISTED.join(filter(None, thoughts)) or None,
            extensions=extensions,
            **stated,
        )
        for _, block in request.calls:
            _inline_result(chat, block)
        for here, block in request.results:
            _server_result(chat, block, here)
        extensions, stated, thought, refusal = {}, {}, None, None


def _part_kind(block: Any) -> PartKind:
    kind = word(block, "type")
    if kind.endswith("tool_result"):
        return "result"
    if kind.endswith("_call"):
        return "ran" if is_provider_call(kind) else "call"
    if kind.endswith("tool_use"):
        return "call"
    return "thought" if kind in _THOUGHTS else "content"


def _thought(block: dict[str, Any]) -> str | None:
    said = block.get("reasoning") or block.get("thinking")
    return said if isinstance(said, str) and said else thought_text(block) or None


def _inline_result(chat: Conversation, block: dict[str, Any]) -> None:
    """Adds the result that a block of a provider's own call holds itself."""
    result = inline_result(block) if is_provider_call(block["type"]) else None
    if result is not None:
        call_id = identity(block, "call_id", "") or identity(block, "id", "")
        chat.answer(result[0], call_id=call_id, failed=result[1], entry=block)


def _server_result(chat: Conversation, block: dict[str, Any], path: str) -> None:
    chat.answer(
        block.get("output", block.get("content")),
        call_id=identity(block, "tool_call_id", path) or identity(block, "tool_use_id", path),
        failed=block.get("status") == "error" or block.get("is_error") is True,
        extensions={"result": {"type": block["type"]}},
        entry=block,
    )


def _result(chat: Conversation, entry: dict[str, Any], path: str) -> None:
    more = leftover(entry, RESULT)
    extensions = {"result": more} if more else {}
    if entry.get("artifact") is not None:
        extensions["artifact"] = entry["artifact"]
    failed = entry.get("status") == "error"
    chat.answer(
        entry.get("content"),
        call_id=identity(entry, "tool_call_id", path),
        name=text(entry, "name", path),
        failed=failed,
        executed=not (failed and is_no_tool(entry.get("content"))),
        extensions=extensions,
        entry=entry,
    )


adapter = LangChain()
