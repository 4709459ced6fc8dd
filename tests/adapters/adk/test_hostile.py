"""Files with anything in any place are read, or refused with an error of ours: nothing else comes out."""

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import passhat_adk
from passhat import Case, Message, PasshatError, Suite, ToolCall, Trace
from passhat.trace import StateUpdate

Json = dict[str, Any]

CALL = {"id": "k", "name": "f", "args": {"x": 1}}
ASKED = {"originalFunctionCall": {"id": "k", "name": "f"}, "toolConfirmation": {"hint": "h"}}
CONFIRM = {"id": "k2", "name": "adk_request_confirmation", "args": ASKED}
CODE = [
    {"executable_code": {"code": "1", "language": "PYTHON"}},
    {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "1"}},
]
EVENTS: list[Json] = [
    {"author": "user", "invocation_id": "e", "timestamp": 1.0,
     "content": {"parts": [{"text": "hi"}]}},
    {"author": "a", "invocation_id": "e", "branch": "a.b", "long_running_tool_ids": ["k2"],
     "content": {"parts": [{"thought": True, "text": "t"}, {"function_call": CALL},
                           {"function_call": CONFIRM}]},
     "usage_metadata": {"prompt_token_count": 10, "thoughts_token_count": 1},
     "custom_metadata": {"passhat": {"parent": "k"}}},
    {"author": "a", "invocation_id": "e",
     "content": {"parts": [{"function_response": {"id": "k", "response": {"result": 1}}}]},
     "actions": {"state_delta": {"a": 1}, "compaction": {"x": 1},
                 "rewind_before_invocation_id": "q"}},
    {"author": "a", "error_code": "X", "error_message": "m"},
    {"author": "a", "content": {"parts": CODE}},
]  # fmt: skip
DETAILS = {"agent_details": {"a": {"instructions": "i", "tool_declarations": [
    {"function_declarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}
]}}}  # fmt: skip
RUBRIC = {
    "rubric_id": "r", "type": "PASSHAT_CHECK",
    "rubric_content": {"text_property": '{"before": [["f", "g"]]}'},
}  # fmt: skip
INVOCATION: Json = {
    "invocation_id": "i",
    "user_content": {"parts": [{"text": "hi"}]},
    "final_response": {"parts": [{"text": "ok"}]},
    "intermediate_data": {"tool_uses": [CALL], "tool_responses": [{"name": "f", "response": {}}],
                          "intermediate_responses": [["a", [{"text": "x"}]]]},
    "duration": 1.0, "app_details": DETAILS,
}  # fmt: skip
SESSION: Json = {"id": "s", "app_name": "a", "state": {"a": 1}, "events": EVENTS}
RESULT: Json = {
    "eval_set_id": "s",
    "eval_case_results": [{
        "eval_id": "a", "final_eval_status": 1, "session_id": "s",
        "session_details": {"id": "s", "events": EVENTS[:1]},
        "overall_eval_metric_results": [{
            "metric_name": "m", "score": 1.0, "eval_status": 1, "criterion": {"threshold": 1.0},
            "details": {"rubric_scores": [{"rubric_id": "r", "rationale": "x"}]},
        }],
        "eval_metric_result_per_invocation": [{
            "actual_invocation": {**INVOCATION, "rubrics": [RUBRIC]},
            "expected_invocation": INVOCATION,
        }],
    }],
}  # fmt: skip
EVALSET: Json = {
    "eval_set_id": "s",
    "eval_cases": [{
        "eval_id": "a", "conversation": [{**INVOCATION, "rubrics": [RUBRIC]}],
        "session_input": {"app_name": "x", "user_id": "u", "state": {"a": 1}},
        "rubrics": [{**RUBRIC, "rubric_id": "r2"}], "passhat_unknown": [{"a": 1}],
        "final_session_state": {"a": 1},
    }],
}  # fmt: skip
LEGACY = [{
    "name": "n", "initial_session": {"state": {"a": 1}},
    "data": [{"query": "q", "expected_tool_use": [{"tool_name": "f", "tool_input": {"x": 1}}],
              "expected_intermediate_agent_responses": [{"author": "a", "text": "t"}]}],
}]  # fmt: skip
CONFIG: Json = {
    "criteria": {
        "tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "EXACT"},
        "passhat_trajectory": {"threshold": 1.0, "match": {"f": {"x": {"number": {"abs": 0.1}}}}},
    },
    "custom_metrics": {"m": {"code_config": {"name": "passhat_adk.metrics.passhat_case"}}},
}


def there_and_back(value: Any) -> None:
    for trace in passhat_adk.to_traces(value):
        passhat_adk.to_trace(passhat_adk.from_trace(trace))


def suite_and_back(value: Any) -> None:
    passhat_adk.from_suite(passhat_adk.to_suite(value))


def by_config(value: Any) -> None:
    passhat_adk.to_suite(EVALSET, config=value)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (SESSION, there_and_back), ([INVOCATION], there_and_back), (RESULT, there_and_back),
        (RESULT, passhat_adk.to_suite), (EVALSET, suite_and_back), (LEGACY, suite_and_back),
        (CONFIG, by_config),
    ],
)  # fmt: skip
def test_what_is_read_is_read_or_refused(
    spoiled: Any, value: Any, read: Callable[[Any], object]
) -> None:
    read(value)
    for _, _, made in spoiled(value):
        with contextlib.suppress(PasshatError):
            read(made)


@pytest.mark.parametrize(
    ("value", "name"),
    [(EVALSET, "s.evalset.json"), (LEGACY, "s.evalset.json"), (CONFIG, "test_config.json")],
)
def test_what_is_validated_is_judged_or_refused(
    spoiled: Any, tmp_path: Path, value: Any, name: str
) -> None:
    path = tmp_path / name
    for _, _, made in spoiled(value):
        text = json.dumps(made)
        path.write_text(text)
        with contextlib.suppress(PasshatError):
            passhat_adk.adapter.lint(path)
        passhat_adk.adapter.sniff(path, text.encode())


TOLD: Json = {
    "part": {"thought_signature": "x"}, "response": {"will_continue": True}, "interim": {"a": 1},
    "response_part": {"a": 1}, "response_event": {"turn_complete": True},
}  # fmt: skip
SAID: Json = {
    "thoughts": [{"text": "t", "thought": True}], "custom_metadata": {"passhat": {"event": {"a": 1}}},
    "parent": "k", "actions": {"route": "x"}, "content": {"parts": []}, "escalate": True,
}  # fmt: skip
KEPT: Json = {
    "conversation": [{"app_details": {"a": 1}}], "rubrics": [RUBRIC], "my_own": 1,
    "session_input": {"app_name": "x", "user_id": "u", "state": {"a": 1}},
    "conversation_scenario": {"my_own": 1},
}  # fmt: skip


def test_what_rides_in_extensions_of_a_trace_is_written_or_refused(spoiled: Any) -> None:
    """A trace may come from a file, and say there what it likes."""
    for _, _, made in spoiled({"said": SAID, "told": TOLD, "calls": ["k"]}):
        said, told = (
            held if isinstance(held, dict) else {} for held in map(made.get, ("said", "told"))
        )
        steps = (
            Message("user", "hi", extensions=said),
            Message("assistant", "yes", request=0, extensions=said),
            ToolCall("f", {"x": 1}, id="k", request=0, result=1, answered=1, extensions=told),
            StateUpdate({"a": 1}, by="k", extensions={"calls": made.get("calls")}),
        )
        trace = Trace("t", source="adk", steps=steps)
        with contextlib.suppress(PasshatError):
            passhat_adk.from_trace(trace)


def test_what_rides_in_extensions_of_a_case_is_written_or_refused(spoiled: Any) -> None:
    for _, _, made in spoiled({"adk": KEPT}):
        for more in ({"expected_calls": ["f"]}, {"scenario": {"goal": "g"}}):
            suite = Suite("s", [Case("a", "hi", extensions=made, **more)])
            with contextlib.suppress(PasshatError):
                passhat_adk.from_suite(suite)
