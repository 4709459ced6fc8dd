"""OpenAI Responses items: messages, reasoning, calls and their outputs, in one list.

A list of items, or rows with `input`, `output` or both (among them whole response objects) or
with `items`. Consecutive items of the model are one request, until somebody else has the word. An
MCP approval is an interrupt, and its call waits for the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from passhat.errors import Place, TraceError
from passhat.recordings.arguments import arguments_text
from passhat.recordings.bodies import error_fields
from passhat.recordings.conversation import Conversation, result_text
from passhat.recordings.openai_chat import usage
from passhat.recordings.parts import LISTED, SPOKEN, text_and_parts
from passhat.recordings.reader import RecordingReader
from passhat.recordings.responses_draft import Draft
from passhat.recordings.responses_items import (
    BUILT_IN,
    INLINE,
    OUTPUT_KEYS,
    call_item,
    call_of,
    inline_result,
    is_call,
    is_output,
    output_of,
    runs_at_the_provider,
)
from passhat.recordings.shapes import (
    Entry,
    identity,
    leftover,
    listing,
    mapping,
    objects,
    text,
    word,
)
from passhat.recordings.writing import Asked, Results, chat_order, written_content
from passhat.trace import Message, ToolCall, Trace, Usage

_ROLES = ("user", "system", "developer", "assistant")
_LISTS = ("items", "input", "output")
_MESSAGE = frozenset({"type", "role", "content", "status", "id"})
_OTHER_TYPES = ("reasoning", "mcp_approval_response", "mcp_list_tools", "item_reference")
_HIDDEN = ("item_reference", "compaction")
_SILENT = ("mcp_list_tools", "ghost_snapshot")
"""What is neither said nor done: lists of tools, and Codex's copies of the files."""
_PARTS = ("input_text", "output_text", "input_image", "input_file")
_ENDINGS = {"failed": "agent_error", "incomplete": "limit", "cancelled": "agent_error"}


class OpenAIResponses(RecordingReader):
    """Reads and writes OpenAI Responses items."""

    name = "openai-responses"
    label = "OpenAI Responses items"
    key = "items"
    row_keys = ("input", "output", "instructions")
    part_types = frozenset({*_PARTS, "input_audio", "refusal", "text"})

    def is_entry(self, value: Any) -> bool:
        """Whether a value is an item: of a type of theirs, or a message by its role."""
        if not isinstance(value, dict):
            return False
        kind = value.get("type", "message")
        if kind == "message":
            return value.get("role") in _ROLES and "content" in value
        return _is_item_type(kind)

    def sure(self, entries: Sequence[Any], row: dict[str, Any]) -> float:
        """Sure where there is an item or a part of a type of theirs; roles alone are another's."""
        if not entries:
            return 0.0
        if not all(map(self.is_entry, entries)):
            newer = all(map(_is_typed, entries)) and any(map(_calls, entries))
            return 0.8 if newer and not any(map(_holds_a_message, entries)) else 0.0
        own = any(_is_item_type(word(entry, "type")) or _has_own_part(entry) for entry in entries)
        return 0.95 if own else 0.1

    def recognises(self, value: Any) -> float:
        """How sure it is that a value is one attempt in this form, 0 (no) to 1 (sure)."""
        if not isinstance(value, dict):
            return super().recognises(value)
        value = _of_batch(value)
        if value.get("object") == "response" and isinstance(value.get("output"), list):
            return 0.98
        lists = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
        return max((self.sure(found, value) for found in lists), default=0.0)

    def trace_of_plain(self, value: Any, id: str) -> Trace:
        """The trace of one attempt; see `RecordingReader.trace_of_plain`."""
        if not isinstance(value, dict):
            return super().trace_of_plain(value, id)
        value = _of_batch(value)
        if not any(key in value for key in _LISTS):
            *most, last = map(repr, _LISTS)
            raise TraceError(
                f"{self.label} are a list, or an object with {', '.join(most)} or {last}; this "
                "object has none of them",
                Place(path="$"),
            )
        entries: list[Entry] = []
        for key in _LISTS:
            found = value.get(key)
            if key == "input" and isinstance(found, str):
                found = [{"role": "user", "content": found}]
            entries += objects(found, f"$.{key}", self.label)
        listed = [tool for _, item in entries for tool in _listed_tools(item)]
        if listed and isinstance(value.get("tools"), list):
            value = {**value, "tools": [*value["tools"], *listed]}
        return self._finished(_ended(value), entries, id)

    def fill(self, chat: Conversation, entries: list[Entry], row: dict[str, Any]) -> None:
        """Puts the items into the trace."""
        if row.get("instructions") is not None:
            words, parts = _words(row["instructions"], "$.instructions", LISTED)
            chat.system(words, content=parts)
        if (earlier := _earlier(row)) is not None:
            chat.gap(f"calls: it goes on from {earlier!r}, whose items are not in it")
        if (path := _newest_first(entries)) is not None:
            raise TraceError(
                "the output of a call stands before it: the API lists the newest item first; "
                "give the oldest first (jq: reverse)",
                Place(path=path),
            )
        draft = Draft(chat)
        for path, item in entries:
            kind = item.get("type", "message")
            if kind == "message":
                _message(draft, item, path)
            elif kind == "reasoning":
                draft.reasoning(item)
            elif is_call(kind):
                _call(draft, item, path)
            else:
                draft.close()
                _other(chat, item, path)
        draft.close()

    def conversation(self, trace: Trace) -> dict[str, Any]:
        """The items of a trace."""
        found: list[dict[str, Any]] = []
        for part in chat_order(trace):
            if isinstance(part, Results):
                found += [_output_item(call) for call in part.calls if not _holds_result(call)]
            elif isinstance(part, Asked):
                found += _answer_items(part)
            else:
                role = part.extensions.get("role", part.role)
                more = leftover(part.extensions, _MESSAGE)
                found.append(
                    {"role": role, "content": written_content(part), **_identified(part), **more}
                )
        return {self.key: found}

    def usage(self, raw: Any) -> Usage | None:
        """What a `usage` object states."""
        return usage(raw)

    def tools(self, catalogue: dict[str, dict[str, Any]]) -> Any:
        """A tool catalogue in the form of this API."""
        return [
            {"type": "function", "name": name, "parameters": schema}
            for name, schema in catalogue.items()
        ]


def _is_item_type(kind: str) -> bool:
    return is_call(kind) or is_output(kind) or kind in _OTHER_TYPES


def _is_typed(entry: Any) -> bool:
    return bool(word(entry, "type") or word(entry, "role") in _ROLES)


def _calls(entry: Any) -> bool:
    """Whether an entry is a call or an output of one, be there items of a newer type beside it."""
    return is_call(word(entry, "type")) or is_output(word(entry, "type"))


def _holds_a_message(entry: dict[str, Any]) -> bool:
    """Whether an entry is a line of a log that has a message in it."""
    return isinstance(entry.get("message"), dict) and "role" not in entry


def _has_own_part(entry: dict[str, Any]) -> bool:
    content = entry.get("content")
    return isinstance(content, list) and any(word(part, "type") in _PARTS for part in content)


def _listed_tools(item: dict[str, Any]) -> list[Any]:
    tools = item.get("tools") if item.get("type") == "mcp_list_tools" else None
    return tools if isinstance(tools, list) else []


def _newest_first(entries: list[Entry]) -> str | None:
    """Where the first output stands, if all stand before their calls, and the user speaks last."""
    ends = [word(entry, "role") for _, entry in (*entries[:1], *entries[-1:])]
    if ends != ["assistant", "user"]:
        return None
    calls = {
        word(item, "call_id"): at
        for at, (_, item) in enumerate(entries)
        if is_call(word(item, "type"))
    }
    told = [
        (path, at < calls[word(item, "call_id")])
        for at, (path, item) in enumerate(entries)
        if is_output(word(item, "type")) and word(item, "call_id") in calls
    ]
    return told[0][0] if told and all(early for _, early in told) else None


def _of_batch(value: dict[str, Any]) -> dict[str, Any]:
    """A response with what a line of a batch says beside it; any other value as it is."""
    body = mapping(mapping(value, "response"), "body")
    if "custom_id" not in value or not (body.get("object") == "response" or "error" in body):
        return value
    beside = {key: item for key, item in value.items() if key not in ("id", "response", "error")}
    return {"output": [], **beside, **body}


def _ended(row: dict[str, Any]) -> dict[str, Any]:
    """The row with how the response ended in the words of a trace."""
    error = row.get("error")
    ended: dict[str, Any] = {}
    status = word(row, "status")
    if status in _ENDINGS:
        ended["outcome"] = _ENDINGS[status]
    if isinstance(error, dict):
        ended |= error_fields(error)
    return {**row, **ended} if "outcome" not in row else row


def _earlier(row: dict[str, Any]) -> str | None:
    """The id of what came before a response at the provider, which the response does not repeat."""
    if "output" not in row or "items" in row:
        return None
    kept = word(row.get("conversation"), "id") or word(row, "conversation")
    return word(row, "previous_response_id") or kept or None


def _words(content: Any, path: str, joint: str) -> tuple[str, list[Any] | None]:
    return text_and_parts(content, path, joint, _text_of)


def _text_of(part: dict[str, Any]) -> str | None:
    said = part.get("text")
    return said if isinstance(said, str) and not leftover(part, ("type", "text")) else None


def _message(draft: Draft, item: dict[str, Any], path: str) -> None:
    role = item.get("role")
    extensions = leftover(item, _MESSAGE)
    if item.get("status") not in (None, "completed"):
        extensions["status"] = item["status"]
    words, parts = _words(
        item.get("content"), f"{path}.content", SPOKEN if role == "assistant" else LISTED
    )
    fields = {"content": parts, "id": identity(item, "id", path), "extensions": extensions}
    if role == "assistant":
        refusals = [part["refusal"] for part in parts or [] if _refuses(part)]
        draft.message({"text": words or SPOKEN.join(refusals), **fields})
        return
    draft.close()
    if role == "user":
        draft.chat.user(words, **fields)
    elif role in _ROLES:
        if role == "developer":
            extensions["role"] = role
        draft.chat.system(words, **fields)
    else:
        raise TraceError(
            f"role {role!r} is none of {', '.join(_ROLES)}", Place(path=f"{path}.role")
        )


def _refuses(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("refusal"), str)


def _call(draft: Draft, item: dict[str, Any], path: str) -> None:
    call = call_of(item, path)
    approved = text(item, "approval_request_id", path)
    if item["type"] == "mcp_approval_request":
        draft.wait(item, call)
    elif approved is not None and approved in draft.approvals:
        draft.close()
        result = inline_result(item)
        if result is not None:
            draft.chat.answer(
                result[0],
                failed=result[1],
                call_id=approved,
                name=call.name,
                extensions={"result": {"id": call.id}},
                entry=item,
            )
    else:
        draft.call(call, result=inline_result(item), ran=runs_at_the_provider(item))


def _other(chat: Conversation, item: dict[str, Any], path: str) -> None:
    """Adds what is not the model's: an output, an approval, or what a trace has no step for."""
    kind = item.get("type")
    if is_output(kind):
        chat.answer(**output_of(item, path))
    elif kind == "mcp_approval_response":
        request = text(item, "approval_request_id", path)
        chat.resume(leftover(item, ("type", "id", "approval_request_id")), id=request)
        if item.get("approve") is False and request is not None:
            chat.declined(request)
    else:
        chat.extensions.setdefault("items", []).append(item)
        if kind in _HIDDEN:
            chat.gap(f"calls: an item of type {kind!r} stands for items that were not recorded")
        elif kind not in _SILENT:
            chat.gap(f"calls: an item of type {kind!r} has no place in a trace, and may be one")


def _identified(message: Message) -> dict[str, Any]:
    return {} if message.id is None else {"id": message.id}


def _answer_items(asked: Asked) -> list[dict[str, Any]]:
    message = asked.message or Message("assistant")
    found: list[dict[str, Any]] = listing(message.extensions, "reasoning")
    if message.reasoning is not None and not found:
        summary = [{"type": "summary_text", "text": message.reasoning}]
        found.append({"type": "reasoning", "summary": summary})
    more = leftover(message.extensions, (_MESSAGE - {"status"}) | {"reasoning"})
    if message.text or message.content is not None or message.id or more or not asked.calls:
        parts = message.content
        if parts is None:
            parts = [{"type": "output_text", "text": message.text}]
        said = {"type": "message", "role": "assistant", "content": parts}
        found.append(said | _identified(message) | more)
    return found + [
        call_item(call, arguments_text(call.args, call.args_error)) for call in asked.calls
    ]


def _holds_result(call: ToolCall) -> bool:
    """Whether the item of a call holds its result itself."""
    kind = word(call.extensions, "type")
    return kind in BUILT_IN and kind in INLINE and call.error is None


def _output_item(call: ToolCall) -> dict[str, Any]:
    item = {"type": "function_call_output", "call_id": call.id, "output": result_text(call)}
    return item | leftover(mapping(call.extensions, "result"), OUTPUT_KEYS - {"type"})


adapter = OpenAIResponses()
