"""Invocations and stored results become traces, each with what ADK made of it."""

import json
from pathlib import Path
from typing import Any

import pytest
from adk_events import ASKED, Json, asks, event, gives, invocation, row, stored, text

from passhat import score
from passhat_adk import to_trace, to_traces
from passhat_adk.reader import adapter


def test_a_flat_list_of_calls_is_one_call_a_request() -> None:
    trace = to_trace(
        invocation(
            intermediate_data={
                "tool_uses": [{"name": "f", "args": {"x": 1}}, {"name": "f", "args": None}],
                "tool_responses": [{"name": "f", "response": {"n": 1}}, {"name": "f", "response": {"n": 2}}],
                "intermediate_responses": [["sub", [text("looking")]]],
            },
            final_response={"parts": [text("ok")]},
            duration=1.5,
            creation_timestamp=100.0,
        )
    )  # fmt: skip
    assert [(c.request, c.result) for c in trace.calls] == [(1, {"n": 1}), (2, {"n": 2})]
    assert trace.final_response == "ok"
    assert trace.seconds == 1.5
    assert any("asked for together is not recorded" in gap for gap in trace.gaps)


@pytest.mark.parametrize("between", [{}, {"invocation_events": []}])
def test_a_final_answer_is_more_than_its_first_words(between: Json) -> None:
    ran = [{"executable_code": {"code": "1 + 1"}},
           {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "2"}}]  # fmt: skip
    final = {"parts": [*ran, text("It is 2.")]}
    trace = to_trace(invocation(intermediate_data=between, final_response=final))
    assert [(call.name, call.result) for call in trace.calls] == [("code_execution", "2")]
    assert trace.final_response == "It is 2."


@pytest.mark.parametrize("listed", [[], [{"id": "c1", "name": "ask", "args": {}}]])
def test_a_run_that_ends_in_a_call_has_it_once(listed: list[Json]) -> None:
    final = {"parts": [asks("c1", "ask")]}
    trace = to_trace(invocation(intermediate_data={"tool_uses": listed}, final_response=final))
    assert [call.name for call in trace.calls] == ["ask"]
    assert trace.final_response is None


def test_a_call_of_the_final_answer_without_an_id_is_not_one_of_the_list() -> None:
    final = {"parts": [{"function_call": {"name": "tell", "id": ""}}]}
    listed = [{"name": "ask", "id": ""}]
    trace = to_trace(invocation(intermediate_data={"tool_uses": listed}, final_response=final))
    assert [call.name for call in trace.calls] == ["ask", "tell"]


def test_the_final_answer_takes_the_place_that_adk_emptied() -> None:
    trace = to_trace(
        invocation(
            intermediate_data={
                "invocation_events": [
                    {"author": "s", "content": {"parts": [asks("c1", "f")]}},
                    {"author": "s", "content": {"parts": [gives("c1", "f", {})]}},
                    {"author": "s", "content": None, "usage_metadata": {"prompt_token_count": 9}},
                ]
            },
            final_response={"parts": [text("ok")]},
            app_details={"agent_details": {"s": {"name": "s", "instructions": "Be kind.",
                "tool_declarations": [{"function_declarations": [
                    {"name": "f", "parameters": {"type": "OBJECT"}}]}]}}},
        )
    )  # fmt: skip
    assert trace.final_response == "ok"
    assert trace.messages[-1].usage is not None
    assert trace.tools == {"f": {"type": "object"}}
    assert trace.extensions["instructions"] == {"s": "Be kind."}


def test_a_number_beyond_what_a_float_can_be_says_nothing() -> None:
    huge = 10**400
    called = event("s", asks("c", "f"), timestamp=huge)
    given = event("s", gives("c", "f", {}), timestamp=huge)
    trace = to_trace([{**ASKED, "timestamp": huge}, called, given])
    assert trace.started is trace.messages[1].started is trace.calls[0].ended is None
    answer = {"parts": [text("ok")], "role": "model"}
    for more in ({"duration": huge}, {}):
        told = to_trace(invocation(creation_timestamp=huge, final_response=answer, **more))
        assert told.started is told.seconds is None
    (scored,) = to_traces(stored(row("a", 1, ("m", 1, huge))))
    assert scored.scores == {"final_eval_status": 1.0}


def test_ids_that_repeat_are_trials(tmp_path: Path) -> None:
    result = stored(row("a", 1, ("m", 1, 1.0)), row("b", 1), row("a", 2))
    traces = list(to_traces(result))
    assert [(t.case_id, t.trial, t.scores.get("final_eval_status")) for t in traces] == [
        ("a", 0, 1.0), ("b", None, 1.0), ("a", 1, 0.0),
    ]  # fmt: skip
    path = tmp_path / "x.evalset_result.json"
    path.write_text(json.dumps(json.dumps(result)))
    assert list(to_traces(path)) == traces
    suite, _ = adapter.read_suite(path)
    assert [case.reference for case in suite.cases] == ["ok", "ok"]


@pytest.mark.parametrize("texts", [1, 2])
def test_what_adk_made_of_stored_results_is_the_verdict(tmp_path: Path, texts: int) -> None:
    path = tmp_path / "x.evalset_result.json"
    value: Any = stored(row("a", 1), row("a", 2), row("b", 1))
    for _ in range(texts):  # older versions stored a text that holds the JSON
        value = json.dumps(value)
    path.write_text(value)
    results = score(path)
    assert [trial.status for trial in results] == ["passed", "failed", "passed"]
    assert results.about["judged_by"] == "recorded score final_eval_status"
    session = tmp_path / "s.json"
    session.write_text(json.dumps({"id": "s", "app_name": "a", "user_id": "u", "events": [ASKED]}))
    (trial,) = score(session)
    assert trial.status == "not_evaluated"
    assert results.summary([1]).pass_hat_k == {1: 0.75}


def test_a_pass_that_hides_what_was_not_evaluated_is_no_verdict() -> None:
    (trace,) = to_traces(stored(row("a", 1, ("judge", 3, None), ("m", 1, 1.0))))
    assert "final_eval_status" not in trace.scores
    assert "judge was not evaluated" in trace.gaps[0]
    told = row("a", 1, ("passhat_precedence", 3, None), ("m", 1, 1.0))
    told["overall_eval_metric_results"][0]["criterion"] = {"threshold": 1.0, "required": False}
    (trace,) = to_traces(stored(told))
    assert (trace.scores["final_eval_status"], trace.gaps) == (1.0, ())


def test_a_run_that_raised_keeps_its_error_though_no_metric_ran() -> None:
    failed = {
        **row("a", 2),
        "eval_metric_result_per_invocation": [],
        "session_details": {
            "id": "x", "app_name": "a", "user_id": "u", "state": {},
            "events": [ASKED, event("s", error_code="ServerError", error_message="503")],
        },
    }  # fmt: skip
    (trace,) = to_traces(stored(failed))
    assert trace.outcome == "infrastructure_error"
    bare = {**failed, "session_details": None}
    (unknown,) = to_traces(stored(bare))
    assert unknown.outcome == "agent_error"
