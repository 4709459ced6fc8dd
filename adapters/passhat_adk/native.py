"""ADK's own JSON, in either spelling: `invocation_id` in files, `invocationId` over the wire.

ADK reads both everywhere, also mixed, so both are read here: `snaked` gives an object with the keys
that ADK knows in snake case, and leaves every other key as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from passhat.errors import InputError, Place, TraceError
from passhat.jsontext import jsonable
from passhat.recordings.shapes import kind_of

Object: TypeAlias = dict[str, Any]

CONFIG_FILE = "test_config.json"
"""The configuration that ADK reads beside an eval set."""

EVENT = frozenset({
    "id", "timestamp", "invocation_id", "author", "content", "actions", "branch", "node_info",
    "long_running_tool_ids", "partial", "turn_complete", "interrupted", "error_code",
    "error_message", "finish_reason", "usage_metadata", "model_version", "custom_metadata",
    "grounding_metadata", "citation_metadata", "avg_logprobs", "logprobs_result", "cache_metadata",
    "live_session_resumption_update", "live_session_id", "input_transcription",
    "output_transcription", "interaction_id", "isolation_scope", "output", "go_away",
    "environment_id", "interaction_status", "turn_complete_reason", "voice_activity",
})  # fmt: skip
ACTIONS = frozenset({
    "state_delta", "artifact_delta", "transfer_to_agent", "escalate", "skip_summarization",
    "requested_auth_configs", "requested_tool_confirmations", "end_of_agent", "agent_state",
    "rewind_before_invocation_id", "compaction", "route", "render_ui_widgets",
    "set_model_response", "transfer_reason",
})  # fmt: skip
PART = frozenset({
    "text", "thought", "thought_signature", "function_call", "function_response", "inline_data",
    "file_data", "executable_code", "code_execution_result", "video_metadata", "media_resolution",
    "part_metadata", "tool_call", "tool_response", "audio_transcription", "media_processing",
    "speech_metadata",
})  # fmt: skip
SESSION = frozenset({"id", "app_name", "user_id", "state", "events", "last_update_time"})
INVOCATION = frozenset({
    "invocation_id", "user_content", "final_response", "intermediate_data", "creation_timestamp",
    "duration", "model_duration", "tool_duration", "rubrics", "app_details",
})  # fmt: skip
DURATIONS = frozenset({"duration", "model_duration", "tool_duration"})
"""The keys of an invocation that say how long something took; at zero they say so too."""

INTERMEDIATE = frozenset({
    "tool_uses", "tool_responses", "intermediate_responses", "invocation_events",
})  # fmt: skip
EVAL_SET = frozenset({"eval_set_id", "name", "description", "eval_cases", "creation_timestamp"})
EVAL_CASE = frozenset({
    "eval_id", "conversation", "conversation_scenario", "session_input", "creation_timestamp",
    "rubrics", "final_session_state",
})  # fmt: skip
SESSION_INPUT = frozenset({"app_name", "user_id", "session_id", "state"})
SCENARIO = frozenset({"starting_prompt", "conversation_plan", "user_persona"})
RUBRIC = frozenset({
    "rubric_id", "rubric_content", "description", "type", "text_property",
})  # fmt: skip
CONFIG = frozenset({"criteria", "custom_metrics", "user_simulator_config", "live_model_config"})
CRITERION = frozenset({
    "threshold", "match_type", "ignore_args", "include_intermediate_responses_in_final",
    "judge_model_options", "rubrics", "evaluate_intermediate_nl_responses", "stop_signal",
})  # fmt: skip
SET_RESULT = frozenset({
    "eval_set_result_id", "eval_set_result_name", "eval_set_id", "eval_case_results",
    "creation_timestamp",
})  # fmt: skip
CASE_RESULT = frozenset({
    "eval_set_file", "eval_set_id", "eval_id", "final_eval_status", "eval_metric_results",
    "overall_eval_metric_results", "eval_metric_result_per_invocation", "session_id",
    "session_details", "user_id",
})  # fmt: skip
METRIC_RESULT = frozenset({
    "metric_name", "threshold", "criterion", "custom_function_path", "score", "eval_status",
    "details", "rubric_scores", "actual_invocation", "expected_invocation", "eval_metric_results",
})  # fmt: skip
INFERENCE = frozenset({
    "app_name", "eval_set_id", "eval_case_id", "inferences", "session_id", "status",
    "error_message",
})  # fmt: skip


def camel(name: str) -> str:
    """A key as it is spelt over the wire.

    >>> camel("invocation_id")
    'invocationId'
    """
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


_SNAKE = {
    camel(name): name
    for names in (
        EVENT, ACTIONS, PART, SESSION, INVOCATION, INTERMEDIATE, EVAL_SET, EVAL_CASE,
        SESSION_INPUT, SCENARIO, RUBRIC, CONFIG, CRITERION, SET_RESULT, CASE_RESULT,
        METRIC_RESULT, INFERENCE,
    )
    for name in names
}  # fmt: skip


def snaked(value: Mapping[str, Any], known: AbstractSet[str]) -> Mapping[str, Any]:
    """The object with the keys that ADK knows there in snake case.

    Args:
        value: The object; it is given back itself where nothing is to be changed.
        known: The keys that ADK knows there, in snake case.

    >>> snaked({"evalId": "a", "myOwn": 1}, EVAL_CASE)
    {'eval_id': 'a', 'myOwn': 1}
    """
    if value.keys() <= known:
        return value
    return {
        snake if (snake := _SNAKE.get(key, key)) in known else key: item
        for key, item in value.items()
    }


def is_config(value: Any, path: Path) -> bool:
    """Whether a file's JSON is a configuration, by what it holds or by its name.

    >>> is_config({"criteria": {}}, Path("mine.json")), is_config({"critera": {}}, Path(CONFIG_FILE))
    (True, True)
    """
    if not isinstance(value, dict) or {"eval_cases", "evalCases", "cases"} & value.keys():
        return False
    named = {"criteria", "custom_metrics", "customMetrics"} & value.keys()
    return bool(named) or path.name == CONFIG_FILE


def an_object(value: Any, path: str, what: str) -> Mapping[str, Any]:
    """The value, which must be an object.

    Raises:
        TraceError: It is something else.
    """
    if isinstance(value, dict):
        return value
    raise TraceError(f"{what} is an object, not {kind_of(value)}", Place(path=path))


def a_list(value: Any, path: str, what: str) -> list[Any]:
    """The value, which must be a list; null is an empty one.

    Raises:
        TraceError: It is something else.
    """
    if value is None:
        return []
    if isinstance(value, list):
        return value
    raise TraceError(f"{what} are a list, not {kind_of(value)}", Place(path=path))


def plain(value: Any) -> Any:
    """A copy of a value in memory as JSON has it, sharing nothing with it.

    The same as `jsonable`; of ADK's own objects the fields that say nothing are left out, as they are
    in its files.

    Raises:
        InputError: Something in it is no JSON value; the error names its path.

    >>> plain({"a": (1, float("nan"))})
    {'a': [1, {'$float': 'NaN'}]}
    """
    return jsonable(_dumped(value))


def _dumped(value: Any) -> Any:
    """ADK's own objects, alone or in a list, as the JSON they stand for."""
    if isinstance(value, list | tuple):
        modelled = any(hasattr(item, "model_dump") for item in value)
        return [_dumped(item) for item in value] if modelled else value
    dump = getattr(value, "model_dump", None)
    if not callable(dump) or isinstance(value, type):
        return value
    try:
        return dumped(value)
    except ValueError as error:
        raise InputError(f"a {type(value).__name__} that is no JSON: {error}") from error


def dumped(model: Any, fallback: Callable[[Any], Any] | None = None) -> Object:
    """One of ADK's own objects as the JSON it stands for, without the fields that say nothing.

    NaN and the infinities, which the object itself would write as null, become `{"$float": ...}`.

    Args:
        model: The object.
        fallback: What to make of a value that is no JSON; None refuses it.

    Raises:
        ValueError: Something in it is no JSON value.
    """
    options = {} if fallback is None else {"fallback": fallback}
    value: Object = model.model_dump(mode="json", exclude_none=True, **options)
    todo: list[tuple[Any, Any]] = [(model, value)]
    while todo:
        raw, made = todo.pop()
        for key, item in _items(raw):
            if isinstance(made, dict) and key not in made:
                continue
            if isinstance(item, float):
                if not isfinite(item):
                    made[key] = jsonable(item)
            elif isinstance(made[key], dict | list):
                todo.append((item, made[key]))
    return value


def _items(raw: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(raw, Mapping):
        return raw.items()
    if isinstance(raw, list | tuple):
        return enumerate(raw)
    return vars(raw).items() if hasattr(raw, "model_dump") else ()


def said(holder: Mapping[str, Any], known: AbstractSet[str]) -> Object:
    """What an object says under other keys; null, false and what is empty say nothing."""
    if holder.keys() <= known:
        return {}
    return {
        key: value
        for key, value in holder.items()
        if key not in known and value is not None and value is not False and value not in ([], {})
    }
