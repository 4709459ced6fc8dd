"""Responses of Gemini: candidates, how they ended and what they cost, in snake or camel case.

Where the client library made the calls itself, its response has the whole conversation before the
answer, as `automaticFunctionCallingHistory`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from passhat.errors import InputError, Place, TraceError
from passhat.recordings.attempts import Attempt
from passhat.recordings.bodies import Exchange
from passhat.recordings.shapes import Entry, count, leftover, mapping, objects
from passhat.trace import Usage

_HISTORY = ("automaticFunctionCallingHistory", "automatic_function_calling_history")
_USAGE = ("usageMetadata", "usage_metadata")
_MODEL = ("modelVersion", "model_version")
_ID = ("responseId", "response_id")
_REASON = ("finishReason", "finish_reason")
_WHY = ("finishMessage", "finish_message")

RESPONSE_KEYS = ("candidates", *_HISTORY, *_USAGE, *_MODEL, *_ID)
"""The keys of a response that are read here."""

_BROKEN_CALLS = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS")


def exchanged(whole: Exchange) -> tuple[list[Entry], dict[str, Any]]:
    """The contents of a request with the answer behind them, and what that says of the row.

    Raises:
        TraceError: They are no lists of objects, or the candidate is none.
    """
    response, at = whole.response[1], whole.response[0]
    history = _either(response, _HISTORY)
    said: dict[str, Any] = {"model": _either(response, _MODEL), "id": _either(response, _ID)}
    entries = objects(history, at, "contents") if history else whole.entries("contents")
    candidate = whole.answer("candidates")
    if candidate is not None:
        entries.append(_content(*candidate, response))
        said |= _ended(candidate[1])
    return entries, {key: item for key, item in said.items() if item is not None}


def in_pieces(found: Iterable[Attempt | InputError]) -> Iterator[Attempt | InputError]:
    """The attempts, and an error in place of those that are pieces of one streamed response.

    The API writes a stream as a list of responses that bear one id, of which the last one says why
    it ended.
    """
    for name, group in groupby(found, _response_id):
        if name is None:
            yield from group
            continue
        pieces = list(group)
        if all(map(_is_ended, pieces[:-1])):
            yield from pieces
        else:
            said = f"{len(pieces)} pieces of one streamed response: put their parts together first"
            yield InputError(said, pieces[0].place)


def _is_ended(attempt: Attempt | InputError) -> bool:
    candidates = attempt.value[RESPONSE_KEYS[0]] if isinstance(attempt, Attempt) else ()
    return any(isinstance(one, dict) and _either(one, _REASON) for one in candidates)


def _response_id(attempt: Attempt | InputError) -> str | None:
    value = attempt.value if isinstance(attempt, Attempt) else None
    if not isinstance(value, dict) or not isinstance(value.get(RESPONSE_KEYS[0]), list):
        return None
    name = _either(value, _ID)
    return name if isinstance(name, str) else None


def usage(raw: Any) -> Usage | None:
    """What a `usageMetadata` object states.

    Thoughts are part of the output, and what Gemini's own tools gave the model is part of the input.

    >>> usage({"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 3})
    Usage(input_tokens=9, output_tokens=5, reasoning_tokens=3)
    >>> usage({"promptTokenCount": 9, "toolUsePromptTokenCount": 4}).input_tokens
    13
    """
    thoughts = count(raw, "thoughtsTokenCount", "thoughts_token_count")
    found = Usage(
        _sum(
            count(raw, "promptTokenCount", "prompt_token_count"),
            count(raw, "toolUsePromptTokenCount", "tool_use_prompt_token_count"),
        ),
        _sum(count(raw, "candidatesTokenCount", "candidates_token_count"), thoughts),
        count(raw, "cachedContentTokenCount", "cached_content_token_count"),
        thoughts,
    )
    return found if found != Usage() else None


def _sum(*counts: int | None) -> int | None:
    """The sum of the counts that are stated; None where none is."""
    stated = [tokens for tokens in counts if tokens is not None]
    return sum(stated) if stated else None


def _content(path: str, candidate: dict[str, Any], response: dict[str, Any]) -> Entry:
    """The content of a candidate, with the model and the usage that the response states."""
    said = candidate.get("content")
    if said is not None and not isinstance(said, dict):
        raise TraceError("the content of a candidate is an object", Place(path=f"{path}.content"))
    more = leftover(candidate, ("content", "index"))
    stated = {"modelVersion": _either(response, _MODEL), "usageMetadata": _either(response, _USAGE)}
    return f"{path}.content", {**more, **stated, **mapping(candidate, "content"), "role": "model"}


def _ended(candidate: dict[str, Any]) -> dict[str, Any]:
    """How a run ended that ended in this candidate, where its reason says so."""
    reason = _either(candidate, _REASON)
    if reason == "MAX_TOKENS":
        return {"outcome": "limit"}
    if reason in _BROKEN_CALLS:
        why = _either(candidate, _WHY)
        return {"outcome": "agent_error", "error": f"{reason}: {why}" if why else reason}
    return {}


def _either(holder: dict[str, Any], spellings: tuple[str, str]) -> Any:
    """What stands under a key in either spelling."""
    found = [holder[key] for key in spellings if holder.get(key) is not None]
    return found[0] if found else None
