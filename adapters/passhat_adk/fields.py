"""What single fields of an event say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.recordings.gemini import adapter as gemini
from passhat.trace import Usage
from passhat_adk.native import ACTIONS, said, snaked

USER = "user"
"""The author of what comes from outside."""

SIDECAR = "passhat"
"""The key of an event's `custom_metadata` that carries what ADK has no place for."""

_OWN_KEYS = frozenset({
    "__llm_request_key__", "_code_execution_context", "_code_execution_results",
    "_code_executor_error_counts", "_code_executor_input_files", "__session_metadata__",
})  # fmt: skip
"""What ADK itself keeps in a state; under the last, `adk web` keeps the name given to a session."""

_OWN_PREFIX = "temp:"
MODELS_OWN = ("usage_metadata", "model_version", "finish_reason")
"""What only an answer of a model has."""

_NO_SECONDS = 1e11
"""As seconds this is the year 5138, as milliseconds 1973."""
_TOOL_USE = "tool_use_prompt_token_count"

_READ = frozenset({
    "id", "timestamp", "invocation_id", "author", "content", "actions", "partial", "usage_metadata",
    "model_version", "long_running_tool_ids", "error_code", "error_message", "turn_complete",
    "custom_metadata", "node_info",
})  # fmt: skip
_ACTIONS_READ = frozenset({"state_delta", "transfer_to_agent"})


def own_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state, or a change of one, without ADK's own keys and those that live for one run only.

    >>> own_state({"tier": "gold", "temp:step": 1, "__llm_request_key__": "x"})
    {'tier': 'gold'}
    """
    return {
        key: value
        for key, value in state.items()
        if key not in _OWN_KEYS and not key.startswith(_OWN_PREFIX)
    }


def kept(event: Mapping[str, Any]) -> dict[str, Any]:
    """What an event says that has no place in a step."""
    found = said(event, _READ)
    metadata = event.get("custom_metadata")
    if isinstance(metadata, dict):
        own = {key: item for key, item in own_state(metadata).items() if key != SIDECAR}
        if own:
            found["custom_metadata"] = own
        carried = metadata.get(SIDECAR)
        if isinstance(carried, dict) and isinstance(carried.get("event"), dict):
            found |= carried["event"]
    info = event.get("node_info")
    if isinstance(info, dict) and not _is_plain(info, event.get("author")):
        found["node_info"] = info
    actions = event.get("actions")
    if isinstance(actions, dict) and any(actions.values()):
        found |= said(snaked(actions, ACTIONS), _ACTIONS_READ)
        found.pop("compaction", None)
    return found


def _is_plain(info: dict[str, Any], author: Any) -> bool:
    """Whether where an event came from in a workflow is no more than its author's own run."""
    said = [key for key, item in info.items() if item is not None]
    return said == ["path"] and info["path"] in ("", f"{author}@1")


def usage_of(raw: Any) -> Usage | None:
    """What one request consumed, as its event says; thoughts are part of the output.

    >>> usage_of({"prompt_token_count": 10, "candidates_token_count": 5}).tokens
    15
    """
    if not isinstance(raw, dict) or "promptTokenCount" in raw or raw.get(_TOOL_USE):
        return gemini.usage(raw)
    spoken, thoughts = raw.get("candidates_token_count"), raw.get("thoughts_token_count")
    found = (raw.get("prompt_token_count"), spoken, raw.get("cached_content_token_count"), thoughts)
    if any(type(tokens) is not int and tokens is not None for tokens in found):
        return gemini.usage(raw)
    if thoughts is not None:
        spoken = thoughts + (spoken or 0)
    return Usage(found[0], spoken, found[2], thoughts) if any(found) else gemini.usage(raw)


def branch_of(event: Mapping[str, Any]) -> tuple[str, ...]:
    """The branch that an event happened on, outermost first."""
    branch = event.get("branch")
    return tuple(branch.split(".")) if isinstance(branch, str) and branch else ()


def text(value: Any) -> str | None:
    """A value that is text and not empty; None for any other."""
    return value if isinstance(value, str) and value else None


def number(value: Any) -> float | None:
    """A value that is a number which a float can be; None for any other.

    >>> number(3), number(True), number(10**400)
    (3.0, None, None)
    """
    if type(value) is not float and type(value) is not int:
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def moment(value: Any) -> float | None:
    """A time in seconds since 1970; ADK for Java writes milliseconds.

    >>> moment(1743712220.5), moment(1743712220500)
    (1743712220.5, 1743712220.5)
    """
    at = number(value)
    return at / 1000 if at is not None and at > _NO_SECONDS else at


def spoken_in(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event of a live run with what was said aloud, once it was written down, as its text."""
    if event.get("partial") is True:
        return event
    for key, role in (("input_transcription", USER), ("output_transcription", "model")):
        words = event[key].get("text") if isinstance(event.get(key), dict) else None
        if isinstance(words, str) and words:
            author = USER if role == USER else event.get("author")
            return {
                **event,
                "author": author,
                "content": {"role": role, "parts": [{"text": words}]},
            }
    return event


def carried_in(event: Mapping[str, Any]) -> dict[str, Any] | None:
    """What `from_trace` put beside an event, which ADK has no place for."""
    metadata = event.get("custom_metadata")
    carried = metadata.get(SIDECAR) if isinstance(metadata, dict) else None
    return carried if isinstance(carried, dict) else None


def carried_calls(carried: Mapping[str, Any] | None) -> list[Any]:
    """What `from_trace` put beside an event for its calls, one after the other."""
    calls = carried.get("calls") if carried is not None else None
    return calls if isinstance(calls, list) else []
