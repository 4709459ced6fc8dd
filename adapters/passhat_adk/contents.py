"""Contents: what a model, a user or a tool put into one event, sorted by what it is.

Errors name the path within the content; who reads it says where that stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from passhat.errors import Place, TraceError
from passhat.recordings.arguments import arguments
from passhat.recordings.parts import LISTED, text_and_parts
from passhat.recordings.requests import PartKind, split
from passhat.recordings.shapes import identity, kind_of
from passhat.trace import ToolCall
from passhat_adk.native import PART, said, snaked

CODE_TOOL = "code_execution"
_CONTENT = frozenset({"parts", "role"})
_CALL = frozenset({"id", "name", "args"})
_RESPONSE = frozenset({"id", "name", "response"})
HELD = frozenset({"function_call", "function_response", "executable_code", "code_execution_result"})
_Placed: TypeAlias = tuple[str, Mapping[str, Any], PartKind]
_FIRST = "$.parts[0]"
_FINE = (None, "OUTCOME_OK", "OUTCOME_UNSPECIFIED")


class Answer(Struct):
    """What a tool gave back.

    Attributes:
        part: The part as recorded.
        returned: The value the tool returned.
        call_id: The call it answers, where it says so.
        name: The tool, where it says so.
        failed: Whether the source itself says that the call failed.
        more: What else it says.
        beside: What the part says beside it.
    """

    part: Mapping[str, Any]
    returned: Any
    call_id: str | None
    name: str | None
    failed: bool = False
    more: dict[str, Any] = {}
    beside: dict[str, Any] = {}


class Request(Struct):
    """One answer of a model, or what stands in its place: words, thoughts, calls and results."""

    text: str = ""
    content: list[Any] | None = None
    reasoning: str | None = None
    calls: list[ToolCall] = []
    answers: list[Answer] = []
    thoughts: list[Any] = []
    spoken: bool = False


def parts_of(content: Any) -> list[Mapping[str, Any]]:
    """The parts of a content, with ADK's keys in snake case.

    Raises:
        TraceError: It is no content.
    """
    if content is None:
        return []
    if not isinstance(content, dict):
        raise TraceError(f"a content is an object, not {kind_of(content)}", Place(path="$"))
    parts = content.get("parts")
    if parts is None:
        if others := [key for key in said(content, _CONTENT) if isinstance(key, str)]:
            raise TraceError(
                f"a content holds its text in parts, not under {others[0]!r}", Place(path="$")
            )
        return []
    if not isinstance(parts, list):
        raise TraceError(f"parts are a list, not {kind_of(parts)}", Place(path="$.parts"))
    found: list[Mapping[str, Any]] = []
    for part in parts:
        if type(part) is not dict:
            where = Place(path=f"$.parts[{len(found)}]")
            raise TraceError(f"a part is an object, not {kind_of(part)}", where)
        found.append(part if part.keys() <= PART else snaked(part, PART))
    return found


def lone_text(content: Any) -> str | None:
    """The text of a content that holds one text and nothing beside it, as most do; else None."""
    parts = content.get("parts") if type(content) is dict else None
    if type(parts) is list and len(parts) == 1 and type(parts[0]) is dict and len(parts[0]) == 1:
        text = parts[0].get("text")
        return text if type(text) is str else None
    return None


def requests_of(parts: list[Mapping[str, Any]], joint: str) -> list[Request]:
    """What the parts of one event say: one request, or more where a result stands between.

    Args:
        parts: The parts, in snake case.
        joint: What stands between the texts of two parts.

    Raises:
        TraceError: A part has not the shape it should have.
    """
    if not parts:
        return []
    if len(parts) == 1 and (lone := _single(parts[0])) is not None:
        return [lone]
    path = "$.parts"
    kinds: list[PartKind] = [_kind(part) for part in parts]
    if "result" not in kinds or all(kind == "result" for kind in kinds):
        whole: list[_Placed] = [(f"{path}[{at}]", part, kinds[at]) for at, part in enumerate(parts)]
        return [_request(whole, joint)]
    found = []
    for request in split(parts, path, _kind):
        placed: list[_Placed] = []
        placed.extend((where, part, "call") for where, part in request.calls)
        placed.extend((where, part, "result") for where, part in request.results)
        placed.extend((path, part, "thought") for part in request.thoughts)
        placed.extend((path, part, "content") for part in request.content)
        found.append(_request(placed, joint))
    return found


def _single(part: Mapping[str, Any]) -> Request | None:
    """The request of a lone part that is a call, a result or a text, as most events are."""
    if len(part) != 1:
        return None
    if type(part.get("text")) is str:
        return Request(part["text"], spoken=True)
    if part.get("function_call") is not None:
        return Request(calls=[call_of(part, _FIRST)], spoken=True)
    if part.get("function_response") is not None:
        return Request(answers=[answer_of(part, _FIRST)])
    return None


def _kind(part: Mapping[str, Any]) -> PartKind:
    if part.get("function_call") is not None or part.get("executable_code") is not None:
        return "call"
    if part.get("function_response") is not None or part.get("code_execution_result") is not None:
        return "result"
    return "thought" if part.get("thought") is True else "content"


def _request(placed: list[_Placed], joint: str) -> Request:
    made = Request()
    content: list[Any] = []
    for where, part, kind in placed:
        if kind == "call":
            made.calls.append(call_of(part, where))
        elif kind == "result":
            made.answers.append(answer_of(part, where))
        elif kind == "thought":
            made.thoughts.append(part)
        else:
            content.append(part)
    if content:
        made.text, made.content = text_and_parts(content, "$.parts", joint, text_of)
    if made.thoughts:
        words = [text for part in made.thoughts if isinstance(text := part.get("text"), str)]
        made.reasoning = LISTED.join(words) or None
    made.spoken = bool(content or made.calls or made.thoughts)
    return made


def text_of(part: Mapping[str, Any]) -> str | None:
    """The text of a part that is nothing but text."""
    text = part.get("text")
    if not isinstance(text, str):
        return None
    there = [key for key, value in part.items() if value is not None and value is not False]
    return text if len(there) == 1 else None


def call_of(part: Mapping[str, Any], path: str) -> ToolCall:
    """The call that a part asks for.

    Raises:
        TraceError: It has not the shape of one.
    """
    code = part.get("executable_code")
    if code is not None:
        held = _object(code, f"{path}.executable_code")
        return ToolCall(CODE_TOOL, said(held, frozenset()), id=identity(held, "id", path))
    held = part["function_call"]
    try:
        return plain_call(held, said(part, HELD))
    except TraceError as error:
        raise error.under(f"{path}.function_call") from None


def plain_call(held: Any, beside: dict[str, Any] | None = None) -> ToolCall:
    """The call that a `FunctionCall` is, with what its part says beside it.

    Raises:
        TraceError: It is no object, or its name or its id has another shape.
    """
    held = _object(held, "$")
    given, id = held.get("args"), held.get("id")
    args, error = (given, None) if type(given) is dict else arguments(given)
    extensions = said(held, _CALL)
    if beside:
        extensions["part"] = beside
    return ToolCall(
        _name(held) or "",
        args,
        args_error=error,
        id=None if id is None else identity(held, "id", "$"),
        extensions=extensions,
    )


def _name(held: Mapping[str, Any]) -> str | None:
    name = held.get("name")
    if name is None or type(name) is str:
        return name
    raise TraceError(f"name is text, not {kind_of(name)}", Place(path="$.name"))


def answer_of(part: Mapping[str, Any], path: str) -> Answer:
    """What a part gives back to a call.

    Raises:
        TraceError: It has not the shape of a response.
    """
    output = part.get("code_execution_result")
    if output is not None:
        held = _object(output, f"{path}.code_execution_result")
        failed = held.get("outcome") not in _FINE
        words = held.get("output")
        value = (words or held.get("outcome")) if failed else words
        return Answer(part, value, identity(held, "id", path), CODE_TOOL, failed)
    try:
        return plain_answer(part["function_response"], part)
    except TraceError as error:
        raise error.under(f"{path}.function_response") from None


def plain_answer(held: Any, part: Mapping[str, Any] | None = None) -> Answer:
    """What a `FunctionResponse` gives back, with what its part says beside it.

    Raises:
        TraceError: It is no object, or its name or its id has another shape.
    """
    held = _object(held, "$")
    more, beside = said(held, _RESPONSE), said(part, HELD) if part is not None else {}
    return Answer(
        part if part is not None else held,
        returned(held.get("response")),
        identity(held, "id", "$"),
        _name(held),
        more=more,
        beside=beside,
    )


def returned(response: Any) -> Any:
    """What the tool itself returned: ADK puts what is no object under `result`.

    >>> returned({"result": 5}), returned({"ok": True}), returned({"result": {"a": 1}})
    (5, {'ok': True}, {'result': {'a': 1}})
    """
    if isinstance(response, dict) and len(response) == 1:
        if "output" in response:
            return response["output"]
        if "result" in response and not _is_object(response["result"]):
            return response["result"]
    return response


def response_for(result: Any, error: str | None) -> dict[str, Any]:
    """A tool's result as ADK keeps it: an object; the inverse of `returned`.

    >>> response_for(5, None), response_for({"ok": True}, None), response_for(None, "gone")
    ({'result': 5}, {'ok': True}, {'error': 'gone'})
    """
    if error is not None:
        return {"error": error}
    if not _is_object(result):
        return {"result": result}
    return {"output": result} if returned(result) is not result or _is_error(result) else result


def _is_object(value: Any) -> bool:
    """Whether a value is an object, and not a number that JSON has not."""
    return isinstance(value, dict) and value.keys() != {"$float"}


def _is_error(result: dict[str, Any]) -> bool:
    return len(result) == 1 and result.get("error") is not None


def _object(value: Any, path: str) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    raise TraceError(f"an object was expected, not {kind_of(value)}", Place(path=path))
