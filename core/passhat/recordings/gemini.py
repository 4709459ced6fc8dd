"""Gemini contents: parts, with function calls and responses among them, in snake or camel case.

A list of contents, or rows `{"contents": [...], "systemInstruction": ..., "tools": [...]}`; also what
the API responds, `candidates`, alone or beside the request. Ids are optional. A function's response
is an object: under `output` (or under `result`, where no object stands there) is what the function
returned, under `error` why it failed; any other is itself the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from passhat.errors import InputError, Place, TraceError
from passhat.recordings.arguments import arguments
from passhat.recordings.attempts import Attempt
from passhat.recordings.bodies import Exchange
from passhat.recordings.conversation import Conversation
from passhat.recordings.gemini_responses import RESPONSE_KEYS, exchanged, in_pieces, usage
from passhat.recordings.gemini_writing import answer_entry, response_part, written_content
from passhat.recordings.parts import LISTED, SPOKEN, text_and_parts
from passhat.recordings.reader import RecordingReader
from passhat.recordings.requests import PartKind, Placed, Request, split
from passhat.recordings.shapes import Entry, identity, leftover, text, wrong
from passhat.recordings.tools import gemini_tools
from passhat.recordings.writing import Asked, Results, chat_order
from passhat.trace import ToolCall, Trace, Usage

_ROLES = ("user", "model", "function", "tool", "system", None)
_CALL = ("functionCall", "function_call")
_RESPONSE = ("functionResponse", "function_response")
_CODE = ("executableCode", "executable_code")
_OUTPUT = ("codeExecutionResult", "code_execution_result")
_FINE = (None, "OUTCOME_OK", "OUTCOME_UNSPECIFIED")
_SERVER_CALL = ("toolCall", "tool_call")
_SERVER_RESPONSE = ("toolResponse", "tool_response")
_CODE_TOOL = "code_execution"
_SAID = ("role", "parts")
_TYPED = frozenset({"type", "kind", "part_kind"})
"""Keys by which the parts of other forms say what they are."""
_ANSWERED = (*_SAID, "modelVersion", "usageMetadata")


class Gemini(RecordingReader):
    """Reads and writes Gemini contents."""

    name = "gemini"
    label = "Gemini contents"
    key = "contents"
    row_keys = ("systemInstruction", "system_instruction")
    response_keys = RESPONSE_KEYS

    def is_entry(self, value: Any) -> bool:
        """Whether a value is a content: it has parts, and perhaps a role."""
        return isinstance(value, dict) and isinstance(value.get("parts"), list)

    def is_part(self, value: Any) -> bool:
        """Whether a value can be a part: an object that has no type."""
        return isinstance(value, dict) and "type" not in value

    def sure(self, entries: Sequence[Any], row: dict[str, Any]) -> float:
        """Sure where every entry has parts that say by their key what they are."""
        if not entries or not all(map(self.is_entry, entries)):
            return 0.0
        parts = [part for entry in entries for part in entry["parts"]]
        typed = any(not isinstance(part, dict) or not _TYPED.isdisjoint(part) for part in parts)
        if typed or any(entry.get("role") not in _ROLES for entry in entries):
            return 0.0
        return 0.95

    def fill(self, chat: Conversation, entries: list[Entry], row: dict[str, Any]) -> None:
        """Puts the contents into the trace."""
        for key in self.row_keys:
            if row.get(key) is not None:
                words, kept = _words(_system_parts(row[key]), f"$.{key}", LISTED)
                chat.system(words, content=kept)
        for path, entry in entries:
            role = entry.get("role")
            parts = _parts(entry, path)
            if role == "model":
                _answer(chat, entry, parts, path)
            elif role == "system":
                words, kept = _words(parts, f"{path}.parts", LISTED)
                chat.system(words, content=kept, extensions=leftover(entry, _SAID))
            elif role in _ROLES:
                _user(chat, entry, parts, path)
            else:
                raise TraceError(
                    f"role {role!r} is none of user, model, function", Place(path=f"{path}.role")
                )

    def _attempts(self, source: Any) -> Iterator[Attempt | InputError]:
        return in_pieces(super()._attempts(source))

    def exchanged(self, whole: Exchange) -> tuple[list[Entry], dict[str, Any]]:
        """The contents of a request with the answer behind them, and how it ended."""
        return exchanged(whole)

    def conversation(self, trace: Trace) -> dict[str, Any]:
        """The contents of a trace, and its system instruction."""
        row: dict[str, Any] = {}
        found: list[dict[str, Any]] = []
        for part in chat_order(trace):
            if isinstance(part, Results):
                found.append({"role": "user", "parts": [response_part(c) for c in part.calls]})
            elif isinstance(part, Asked):
                found.append(answer_entry(part))
            elif part.role == "system" and part is trace.steps[0] and not part.extensions:
                row["systemInstruction"] = {"parts": written_content(part)}
            else:
                more = leftover(part.extensions, _SAID)
                found.append({"role": part.role, "parts": written_content(part), **more})
        return {**row, self.key: found}

    def usage(self, raw: Any) -> Usage | None:
        """What a `usageMetadata` object states."""
        return usage(raw)

    def tools(self, catalogue: dict[str, dict[str, Any]]) -> Any:
        """A tool catalogue in Gemini's form."""
        return gemini_tools(catalogue)


def _parts(entry: dict[str, Any], path: str) -> list[dict[str, Any]]:
    parts = entry.get("parts")
    if parts is None:
        return []
    if not isinstance(parts, list):
        raise wrong("parts are a list", parts, f"{path}.parts")
    for at, part in enumerate(parts):
        if not isinstance(part, dict):
            raise wrong("a part is an object", part, f"{path}.parts[{at}]")
    return parts


def _system_parts(raw: Any) -> Any:
    return raw.get("parts") if isinstance(raw, dict) else raw


def _words(parts: Any, path: str, joint: str) -> tuple[str, list[Any] | None]:
    return text_and_parts(parts, path, joint, _text_of)


def _text_of(part: dict[str, Any]) -> str | None:
    said = part.get("text")
    only = all(part[key] in (None, False) for key in part if key != "text")
    return said if isinstance(said, str) and only else None


def _held(part: dict[str, Any], keys: tuple[str, str], path: str) -> dict[str, Any] | None:
    """What stands in a part under a key, written either way."""
    for key in keys:
        value = part.get(key)
        if isinstance(value, dict):
            return value
        if value is not None:
            raise wrong(f"{key} is an object", value, f"{path}.{key}")
    return None


def _has(part: dict[str, Any], *names: tuple[str, str]) -> bool:
    return any(part.get(key) is not None for keys in names for key in keys)


def _part_kind(part: dict[str, Any]) -> PartKind:
    if _has(part, _CALL, _CODE, _SERVER_CALL):
        return "call"
    if _has(part, _RESPONSE, _OUTPUT, _SERVER_RESPONSE):
        return "result"
    return "thought" if part.get("thought") is True else "content"


def _answer(chat: Conversation, entry: dict[str, Any], parts: list[Any], path: str) -> None:
    stated: dict[str, Any] = {
        "model": text(entry, "modelVersion", path),
        "usage": usage(entry.get("usageMetadata")),
    }
    extensions = leftover(entry, _ANSWERED)
    returns = bool(parts) and all(_part_kind(part) == "result" for part in parts)
    if returns and not extensions and not any(stated.values()):
        _user(chat, entry, parts, path)  # In the model's name, but it has said nothing.
        return
    for request in split(parts, f"{path}.parts", _part_kind):
        words, kept = _words(request.content, f"{path}.parts", SPOKEN)
        thoughts = [thought.get("text") for thought in request.thoughts]
        if any(leftover(thought, ("text", "thought")) for thought in request.thoughts):
            extensions["thoughts"] = request.thoughts
        chat.assistant(
            words,
            [_call(part, here) for here, part in request.calls],
            content=kept,
            reasoning=LISTED.join(said for said in thoughts if isinstance(said, str)) or None,
            extensions=extensions,
            **stated,
        )
        for here, part in _outputs_joined(request):
            _result(chat, part, here)
        stated, extensions = {}, {}


def _outputs_joined(request: Request) -> list[Placed]:
    """The results of a request; where one run of code gave several outputs, these are its result."""
    if len(request.results) < 2 or len(request.calls) != 1:
        return request.results
    held = [output for at, part in request.results if (output := _held(part, _OUTPUT, at))]
    if len(held) < len(request.results):
        return request.results
    said = "".join(each["output"] for each in held if isinstance(each.get("output"), str))
    outcomes = [each["outcome"] for each in held if each.get("outcome") not in _FINE]
    whole = {**held[0], "outcome": outcomes[-1] if outcomes else held[-1].get("outcome")}
    return [(request.results[0][0], {_OUTPUT[0]: {**whole, "output": said}})]


def _user(chat: Conversation, entry: dict[str, Any], parts: list[Any], path: str) -> None:
    rest: list[Any] = []
    for at, part in enumerate(parts):
        kind = _part_kind(part)
        if kind == "call":
            raise TraceError("a call stands in a user's content", Place(path=f"{path}.parts[{at}]"))
        if kind == "result":
            _result(chat, part, f"{path}.parts[{at}]")
        else:
            rest.append(part)
    if rest or not parts:
        words, kept = _words(rest, f"{path}.parts", LISTED)
        chat.user(words, content=kept, extensions=leftover(entry, _SAID))


def _call(part: dict[str, Any], path: str) -> ToolCall:
    code = _held(part, _CODE, path)
    if code is not None:
        given = {key: code[key] for key in ("language", "code") if code.get(key) is not None}
        return ToolCall(
            _CODE_TOOL, given, id=identity(code, "id", path), extensions=leftover(part, _CODE)
        )
    held = _held(part, _CALL, path)
    keys: tuple[str, str] = _CALL
    if held is None:
        held, keys = _held(part, _SERVER_CALL, path) or {}, _SERVER_CALL
    args, error = arguments(held.get("args"))
    name = text(held, "name", path) or text(held, "toolType", path) or text(held, "tool_type", path)
    return ToolCall(
        name or "",
        args,
        args_error=error,
        id=identity(held, "id", path),
        extensions=leftover(part, keys)
        | leftover(held, ("id", "name", "args", "toolType", "tool_type")),
    )


def _result(chat: Conversation, part: dict[str, Any], path: str) -> None:
    output = _held(part, _OUTPUT, path)
    if output is not None:
        failed = output.get("outcome") not in _FINE
        said = output.get("output")
        chat.answer(
            (said or output["outcome"]) if failed else said,
            call_id=identity(output, "id", path),
            name=_CODE_TOOL,
            failed=failed,
            entry=part,
        )
        return
    held = _held(part, _RESPONSE, path) or _held(part, _SERVER_RESPONSE, path) or {}
    more = leftover(held, ("id", "name", "response", "toolType", "tool_type"))
    chat.answer(
        returned(held.get("response")),
        call_id=identity(held, "id", path),
        name=text(held, "name", path),
        extensions={"result": more} if more else None,
        entry=part,
    )


def returned(response: Any) -> Any:
    """What a function returned, out of the object that its response has around it.

    >>> returned({"output": "shipped"}), returned({"state": "shipped"})
    ('shipped', {'state': 'shipped'})
    """
    if isinstance(response, dict) and len(response) == 1:
        if "output" in response:
            return response["output"]
        if "result" in response and not isinstance(response["result"], dict):
            return response["result"]
    return response


adapter = Gemini()
