"""Sessions, invocations and stored results become traces; what ADK hides is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from passhat import ToolCall, TraceError, score
from passhat.testing import call, says, trace_of, user
from passhat.trace import StateUpdate
from passhat_adk import from_trace, to_trace, to_traces
from passhat_adk.reader import adapter
from passhat_adk.writing import invocations_of

Json = dict[str, Any]


def event(author: str, *parts: Json, **more: Any) -> Json:
    role = "user" if author == "user" or any("function_response" in p for p in parts) else "model"
    made: Json = {"author": author, "invocation_id": "e-1", **more}
    if parts:
        made["content"] = {"role": role, "parts": list(parts)}
    return made


def text(words: str, **more: Any) -> Json:
    return {"text": words, **more}


def asks(id: str, name: str, **args: Any) -> Json:
    return {"function_call": {"id": id, "name": name, "args": args}}


def gives(id: str, name: str, response: Any) -> Json:
    return {"function_response": {"id": id, "name": name, "response": response}}


ASKED = event("user", text("Refund A1"))


def test_a_published_session_is_read_whole(shared: Path) -> None:
    (trace,) = to_traces(shared / "real" / "adk" / "customer-service__123.session.json")
    assert len(trace.turns) == 11
    assert all(call.succeeded for call in trace.calls)
    assert trace.final_state["customer_profile"]["customer_id"] == "123"
    assert trace.gaps == ()


@pytest.mark.parametrize("style", ["snake", "camel"])
def test_both_spellings_read_the_same(style: str) -> None:
    events = [
        ASKED,
        event("shop", asks("c1", "f"), usage_metadata={"prompt_token_count": 3}, model_version="m"),
        event("shop", gives("c1", "f", {"ok": 1}), actions={"state_delta": {"k": 1}}),
    ]
    source: Any = {"id": "s", "app_name": "a", "user_id": "u", "state": {"k": 1}, "events": events}
    trace = to_trace(source)
    assert trace == to_trace(_camel(source) if style == "camel" else source)
    assert trace.calls[0].result == {"ok": 1}
    assert trace.total_usage is not None
    assert trace.total_usage.input_tokens == 3


def _camel(value: Any) -> Any:
    if isinstance(value, list):
        return [_camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        "".join([w if i == 0 else w.capitalize() for i, w in enumerate(k.split("_"))]): _camel(v)
        for k, v in value.items()
    }


def test_calls_of_one_event_are_one_request_and_their_results_find_them() -> None:
    trace = to_trace(
        [
            ASKED,
            event("shop", text("Let me look."), asks("c1", "f", x=1), asks("c2", "f", x=2)),
            event("shop", gives("c2", "f", {"n": 2}), gives("c1", "f", {"n": 1})),
            event("shop", text("Done.")),
        ]
    )
    assert [(c.request, c.result) for c in trace.calls] == [(0, {"n": 1}), (0, {"n": 2})]
    assert trace.messages[1].text == "Let me look."


def test_state_stands_on_the_call_that_made_it_without_adks_own_keys() -> None:
    own = {"temp:x": 1, "__llm_request_key__": "k", "_code_execution_context": {}}
    delta = {"refunds": 1, "user:name": "Ann", **own}
    trace = to_trace(
        {
            "id": "s",
            "app_name": "a",
            "user_id": "u",
            "state": {"refunds": 1, "__llm_request_key__": "k"},
            "events": [
                ASKED,
                event("shop", asks("c1", "refund")),
                event("shop", gives("c1", "refund", {}), actions={"state_delta": delta}),
                event("shop", text("ok"), actions={"state_delta": {"answer": "ok"}}),
            ],
        }
    )
    updates = [step for step in trace.steps if type(step).__name__ == "StateUpdate"]
    assert [(step.delta, step.by) for step in updates] == [
        ({"refunds": 1, "user:name": "Ann"}, "c1"),
        ({"answer": "ok"}, "shop"),
    ]
    assert trace.final_state == {"refunds": 1}
    assert trace.initial_state is UNSET


@pytest.mark.parametrize("style", ["snake", "camel"])
def test_what_geminis_own_tools_gave_the_model_is_input(style: str) -> None:
    usage = {
        "prompt_token_count": 10, "tool_use_prompt_token_count": 30, "candidates_token_count": 5,
        "thoughts_token_count": 2, "total_token_count": 47,
    }  # fmt: skip
    told = event("shop", text("ok"), usage_metadata=usage)
    trace = to_trace([ASKED, told if style == "snake" else _camel(told)])
    assert trace.total_usage is not None
    assert (trace.total_usage.input_tokens, trace.total_usage.tokens) == (40, 47)


def test_a_transfer_is_a_call_and_the_agents_are_told_apart() -> None:
    trace = to_trace(
        [
            ASKED,
            event("root", asks("c1", "transfer_to_agent", agent_name="billing")),
            event("root", gives("c1", "transfer_to_agent", {"result": None}),
                  actions={"transfer_to_agent": "billing"}),
            event("billing", text("Billing here.")),
        ]
    )  # fmt: skip
    assert trace.calls[0].name == "transfer_to_agent"
    assert trace.calls[0].result is None
    assert [message.agent for message in trace.messages] == [None, "root", "billing"]


def test_branches_of_a_parallel_agent_are_paths() -> None:
    trace = to_trace(
        [
            ASKED,
            event("p1", asks("c1", "f"), branch="par.p1"),
            event("p2", asks("c2", "g"), branch="par.p2"),
            event("p2", gives("c2", "g", {"n": 2}), branch="par.p2"),
            event("p1", gives("c1", "f", {"n": 1}), branch="par.p1"),
        ]
    )
    assert [(c.path, c.result) for c in trace.calls] == [
        (("par", "p1"), {"n": 1}),
        (("par", "p2"), {"n": 2}),
    ]


def test_thoughts_are_no_answer() -> None:
    trace = to_trace([ASKED, event("shop", text("hmm", thought=True), text("Yes."))])
    assert trace.final_response == "Yes."
    assert trace.messages[1].reasoning == "hmm"


def test_a_long_running_tool_waits_and_is_answered() -> None:
    waiting = [
        ASKED,
        event("shop", asks("c1", "approve"), long_running_tool_ids=["c1"]),
        event("shop", gives("c1", "approve", {"status": "pending"})),
        event("shop", text("Waiting.")),
    ]
    before = to_trace(waiting)
    assert before.outcome == "interrupted"
    assert before.calls[0].result == {"status": "pending"}
    after = to_trace(
        [
            *waiting,
            event("user", gives("c1", "approve", {"status": "approved"})),
            event("shop", text("Approved.")),
        ]
    )
    assert after.outcome == "completed"
    assert after.calls[0].result == {"status": "approved"}
    assert after.calls[0].extensions["interim"] == {"status": "pending"}
    assert len(after.turns) == 1


@pytest.mark.parametrize(
    ("code", "message", "outcome"),
    [
        ("ValueError", "bad", "agent_error"),
        ("_ResourceExhaustedError", "429 RESOURCE_EXHAUSTED", "infrastructure_error"),
        ("ServerError", "503 UNAVAILABLE", "infrastructure_error"),
        ("ConnectError", "no route", "infrastructure_error"),
        ("LlmCallsLimitExceededError", "500 calls", "limit"),
        ("SAFETY", None, "agent_error"),
    ],
)
def test_an_exception_ends_the_run_and_says_whose_it_is(
    code: str, message: str, outcome: str
) -> None:
    trace = to_trace([ASKED, event("shop", error_code=code, error_message=message)])
    assert trace.outcome == outcome
    assert trace.error is not None
    assert trace.error.startswith(code)


def test_a_tool_that_raised_is_a_failed_call() -> None:
    trace = to_trace(
        [ASKED, event("shop", asks("c1", "f")), event("shop", error_code="ValueError", timestamp=5)]
    )
    assert (trace.calls[0].error, trace.calls[0].ended) == ("ValueError", 5.0)
    assert to_trace(from_trace(trace)).calls == trace.calls
    made_together = to_trace(
        [ASKED, event("s", asks("c1", "f"), asks("c2", "g")), event("s", error_code="ValueError")]
    )
    assert [call.failed for call in made_together.calls] == [False, False]
    assert "which of them" in made_together.gaps[0]


def test_an_error_that_the_run_survived_is_kept_and_ends_nothing() -> None:
    trace = to_trace([ASKED, event("s", error_code="MAX_TOKENS"), event("s", text("ok"))])
    assert trace.outcome == "completed"
    assert trace.extensions["errors"][0]["code"] == "MAX_TOKENS"


def test_only_a_lone_error_is_one() -> None:
    trace = to_trace(
        [
            ASKED,
            event("s", asks("c1", "f"), asks("c2", "f"), asks("c3", "f")),
            event("s", gives("c1", "f", {"error": "no"}), gives("c2", "f", {"error": None}),
                  gives("c3", "f", {"error": "no", "status": "ok"})),
        ]
    )  # fmt: skip
    assert [call.failed for call in trace.calls] == [True, False, False]


def test_every_user_message_opens_a_turn_even_after_silence() -> None:
    trace = to_trace([ASKED, event("user", text("Hello?"), invocation_id="e-2")])
    assert len(trace.turns) == 2
    assert trace.turn_ids == ("e-1", "e-2")


def test_a_stream_that_broke_off_is_kept() -> None:
    trace = to_trace(
        [ASKED, event("s", text("It has "), partial=True), event("s", text("shi"), partial=True)]
    )
    assert trace.messages[1].text == "It has shi"
    assert "broke off" in trace.gaps[0]
    whole = to_trace([ASKED, event("s", text("It"), partial=True), event("s", text("It has."))])
    assert [message.text for message in whole.messages] == ["Refund A1", "It has."]


def test_what_has_no_place_is_kept() -> None:
    trace = to_trace(
        [
            ASKED,
            event("s", text("ok"), grounding_metadata={"q": 1}, my_key="x",
                  actions={"artifact_delta": {"r.txt": 0}, "compaction": {"start": 1}}),
            event("s", text("again"), actions={"rewind_before_invocation_id": "e-1"}),
        ]
    )  # fmt: skip
    assert trace.messages[1].extensions == {
        "grounding_metadata": {"q": 1}, "my_key": "x", "artifact_delta": {"r.txt": 0},
    }  # fmt: skip
    assert trace.extensions["compactions"] == [{"start": 1}]
    assert "rewound" in trace.gaps[0]


def test_an_event_without_a_content_is_kept_where_it_says_something() -> None:
    nowhere = {"author": "s", "branch": "a.b", "node_info": {"path": "wf@1/s@1"}, "partial": None}
    trace = to_trace(
        [
            ASKED,
            {"author": "wf", "id": "x", "output": {"n": 1}, "nodeInfo": {"path": "wf@1/up@1"}},
            {"author": "s", "actions": {"escalate": True, "stateDelta": {"k": 1}}},
            {**nowhere, "actions": {"stateDelta": {"k": 2}}},
            event("s", text("ok")),
        ]
    )
    assert trace.extensions["events"] == [
        {"agent": "wf", "turn": 0, "id": "x", "output": {"n": 1}, "node_info": {"path": "wf@1/up@1"}},
        {"agent": "s", "turn": 0, "escalate": True},
    ]  # fmt: skip
    assert to_trace(from_trace(trace)).extensions == trace.extensions


def test_a_place_in_a_workflow_is_kept_and_that_of_a_lone_agent_is_not() -> None:
    places: list[Json] = [
        {"path": "s@1"},
        {"path": ""},
        {"path": "s@1", "outputFor": None},
        {"path": "wf@1/s@1", "outputFor": ["wf@1"]},
    ]
    trace = to_trace([ASKED, *(event("s", text("ok"), nodeInfo=place) for place in places)])
    assert [message.extensions for message in trace.messages[1:]] == [
        {}, {}, {}, {"node_info": places[3]},
    ]  # fmt: skip


def test_a_change_of_the_state_by_a_call_without_an_id_is_its_agents() -> None:
    given = {"function_response": {"name": "f", "response": {"ok": 1}}}
    called = event("s", {"function_call": {"name": "f", "args": {}}})
    trace = to_trace([ASKED, called, event("s", given, actions={"state_delta": {"k": 1}})])
    assert [(s.by, s.delta) for s in trace.steps if isinstance(s, StateUpdate)] == [("s", {"k": 1})]


def invocation(**more: Any) -> Json:
    return {"invocation_id": "e-1", "user_content": {"parts": [text("hi")]}, **more}


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


def stored(*rows: Json) -> Json:
    return {"eval_set_result_id": "r", "eval_set_id": "s", "eval_case_results": list(rows)}


def row(name: str, status: int, *metrics: tuple[str, int, float | None]) -> Json:
    return {
        "eval_set_id": "s",
        "eval_id": name,
        "final_eval_status": status,
        "overall_eval_metric_results": [
            {"metric_name": n, "eval_status": e, "score": s} for n, e, s in metrics
        ],
        "eval_metric_result_per_invocation": [
            {
                "actual_invocation": invocation(final_response={"parts": [text("ok")]}),
                "expected_invocation": invocation(final_response={"parts": [text("ok")]}),
                "eval_metric_results": [],
            }
        ],
        "session_id": f"{name}-{status}",
    }


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


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({"id": "s", "app_name": "a", "events": 5}, "$.events: events are a list, not a number"),
        ([ASKED, 5], "an object"),
        ([{**ASKED, "content": {"parts": [5]}}], "$[0].content.parts[0]: a part is an object"),
        ([invocation(), {"invocation_id": "x"}], "$[1].user_content: a user_content is an object"),
        ([invocation(user_content={"parts": [5]})], "$[0].user_content.parts[0]: a part is an"),
        (
            [invocation(final_response={"parts": [{"function_call": 5}]})],
            "$[0].final_response.parts[0].function_call: an object was expected",
        ),
        (
            [
                invocation(
                    intermediate_data={"tool_uses": [{"name": "f", "id": "1"}]},
                    final_response={"parts": [{"function_call": {"name": "f", "id": ["1"]}}]},
                )
            ],
            "$[0].final_response.parts[0].function_call.id: id is text, not a list",
        ),
        ({"eval_set_id": "s", "eval_cases": []}, "records no run"),
        ([], "an empty list"),
        ({"messages": []}, "no session, event, invocation or stored result"),
        (stored(row("a", 1), row("a", 1)), "2 attempts are stored here"),
    ],
)
def test_errors_say_what_and_where(source: Any, told: str) -> None:
    with pytest.raises(TraceError) as raised:
        to_trace(source)
    assert told in str(raised.value)


def test_nan_and_deep_values_are_told_or_kept() -> None:
    trace = to_trace([ASKED, event("s", asks("c", "f", x=float("nan")))])
    assert trace.calls[0].args == {"x": {"$float": "NaN"}}
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(TraceError, match="nested deeper"):
        to_trace([ASKED, event("s", asks("c", "f", x=deep))])


def test_a_trace_goes_there_and_back() -> None:
    trace = replace(
        trace_of(
            user("Refund A1"),
            call("lookup", id="A1").returns({"total": 40}),
            call("agent", q="x").inside(call("inner", y=1).returns([1]), says("deep")).returns("k"),
            call("refund", id="A1").fails("no"),
            says("Sorry."),
            id="t",
        ),
        source="adk",
        case_id="c",
        trial=2,
        tags=("a",),
        initial_state={"a": 1},
        final_state={"a": 2},
        metadata={"app_name": "shop", "user_id": "u", "x": 1},
    )
    back = to_trace(from_trace(trace))
    assert (back.id, back.case_id, back.trial, back.tags) == ("t", "c", 2, ("a",))
    assert (back.initial_state, back.final_state) == ({"a": 1}, {"a": 2})
    assert back.metadata == trace.metadata
    assert [(c.name, c.args, c.result, c.error, c.parent) for c in back.all_calls] == [
        (c.name, c.args, c.result, c.error, c.parent) for c in trace.all_calls
    ]
    turns = to_trace(invocations_of(trace))
    assert turns.final_response == "Sorry."
    assert [c.name for c in turns.calls] == ["lookup", "agent", "refund"]


def test_what_adk_has_no_place_for_comes_back() -> None:
    said = event(
        "shop", text("Hello."), mine={"z": 1}, branch="a.b", finish_reason="STOP",
        actions={"artifact_delta": {"r.txt": 0}, "my_action": 2},
    )  # fmt: skip
    trace = to_trace({"id": "s", "events": [{**ASKED, "seen": True}, said], "my_own": 1})
    session = from_trace(trace)
    assert session["events"][1]["actions"] == {"artifact_delta": {"r.txt": 0}}
    back = to_trace(session)
    assert [step.extensions for step in back.messages] == [
        step.extensions for step in trace.messages
    ]
    assert back.messages[0].extensions == {"seen": True}
    assert back.messages[1].extensions["mine"] == {"z": 1}
    assert back.extensions == trace.extensions == {"my_own": 1}


def test_code_that_a_model_runs_itself_is_a_call() -> None:
    trace = to_trace(
        [
            ASKED,
            event(
                "s",
                {"executable_code": {"language": "PYTHON", "code": "1/0"}},
                {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "division"}},
                {"executable_code": {"language": "PYTHON", "code": "1+1"}},
                {"code_execution_result": {"outcome": "OUTCOME_OK", "output": "2"}},
                text("It is 2."),
            ),
        ]
    )
    assert [(c.name, c.args["code"], c.error, c.request) for c in trace.calls] == [
        ("code_execution", "1/0", "division", 0),
        ("code_execution", "1+1", None, 1),
    ]
    assert trace.final_response == "It is 2."


def test_waits_and_states_go_there_and_back() -> None:
    trace = to_trace(
        {
            "id": "s", "app_name": "a", "user_id": "u", "state": {"k": 2},
            "events": [
                ASKED,
                event("s", text("hm", thought=True), asks("c1", "wait"), long_running_tool_ids=["c1"],
                      usage_metadata={"prompt_token_count": 9, "candidates_token_count": 4,
                                      "thoughts_token_count": 1}, timestamp=5.0, id="x"),
                event("s", gives("c1", "wait", {"status": "pending"}),
                      actions={"state_delta": {"k": 1}}),
                event("user", gives("c1", "wait", {"status": "done"})),
                event("s", text("Done."), actions={"state_delta": {"k": 2}}),
                event("s", asks("c2", "boom")),
                event("s", error_code="ValueError", error_message="bad"),
            ],
        }
    )  # fmt: skip
    back = to_trace(from_trace(trace))
    assert back.final_state == {"k": 2}
    assert [(c.name, c.result, c.error) for c in back.calls] == [
        (c.name, c.result, c.error) for c in trace.calls
    ]
    assert back.outcome == trace.outcome == "agent_error"
    assert back.messages[1].reasoning == "hm"
    assert back.messages[1].usage == trace.messages[1].usage
    assert [s.delta for s in back.steps if type(s).__name__ == "StateUpdate"] == [
        {"k": 1},
        {"k": 2},
    ]


def test_what_stands_beside_calls_and_results_comes_back():
    asked = {
        "function_call": {
            "name": "f",
            "args": {"x": 1},
            "id": "c",
            "will_continue": True,
            "new": 7,
        },
        "thought_signature": "c2ln",
        "beside": [1],
    }
    given = {
        "function_response": {
            "name": "f",
            "id": "c",
            "response": {"ok": 1},
            "scheduling": "SILENT",
        },
        "part_metadata": {"a": 1},
    }
    session = {
        "id": "s",
        "app_name": "shop",
        "user_id": "u",
        "events": [
            {
                "id": "1",
                "author": "user",
                "timestamp": 1.0,
                "content": {"role": "user", "parts": [{"text": "hi"}]},
            },
            {
                "id": "2",
                "author": "m",
                "timestamp": 2.0,
                "content": {"role": "model", "parts": [asked]},
            },
            {
                "id": "3",
                "author": "m",
                "timestamp": 3.0,
                "content": {"role": "user", "parts": [given]},
                "later": 5,
            },
        ],
    }
    trace = to_trace(session)
    back = from_trace(trace)
    assert back["events"][1]["content"]["parts"] == [asked]
    assert back["events"][2]["content"]["parts"] == [given]
    assert to_trace(back).calls == trace.calls


def test_what_another_world_says_of_a_call_rides_beside_it_and_comes_back():
    from google.adk.sessions import Session

    trace = trace_of(user("hi"), call("f", x=1).returns(2))
    steps = tuple(
        replace(step, extensions={"run": "r1"}) if type(step) is ToolCall else step
        for step in trace.steps
    )
    session = from_trace(replace(trace, source="langsmith", steps=steps))
    assert Session.model_validate(session).events[1].content.parts[0].function_call.name == "f"
    assert to_trace(session).calls[0].extensions == {"run": "r1"}


def test_a_typed_session_keeps_numbers_that_json_has_not():
    from google.adk.sessions import Session

    parts = [
        {"function_call": {"name": "f", "id": "c", "args": {"x": [{"y": float("inf")}, None]}}},
        {"function_response": {"name": "f", "id": "c", "response": {"result": float("nan")}}},
    ]
    events = [{"author": "m", "content": {"role": "model", "parts": [part]}} for part in parts]
    session = Session.model_validate(
        {"id": "s", "app_name": "a", "user_id": "u", "events": events, "state": {"z": float("nan")}}
    )
    trace = to_trace(session)
    assert trace.calls[0].args == {"x": [{"y": {"$float": "Infinity"}}, None]}
    assert trace.calls[0].result == {"$float": "NaN"}
    assert trace.final_state == {"z": {"$float": "NaN"}}


@pytest.mark.parametrize("said", [{}, {"content": None}])
@pytest.mark.parametrize("done", [{"compaction": {"x": 1}}, {"rewindBeforeInvocationId": "e-1"}])
def test_an_event_of_the_users_that_says_nothing_opens_no_turn(said: Any, done: Any) -> None:
    def hi(author: str, id: str) -> Json:
        return {"author": author, "invocationId": id, "content": {"parts": [{"text": "hi"}]}}

    aside = {"author": "user", "invocationId": "e-2", "actions": done, **said}
    trace = to_trace([hi("user", "e-1"), hi("shop", "e-1"), aside, hi("user", "e-3")])
    assert [(m.turn, m.role, m.text) for m in trace.messages] == [
        (0, "user", "hi"), (0, "assistant", "hi"), (1, "user", "hi"),
    ]  # fmt: skip


def test_a_change_of_the_state_by_calls_made_together_comes_back() -> None:
    asked = [{"functionCall": {"id": id, "name": "f", "args": {}}} for id in "ab"]
    gave = [{"functionResponse": {"id": id, "name": "f", "response": {}}} for id in "ab"]
    trace = to_trace(
        [
            {"author": "user", "content": {"parts": [{"text": "go"}]}},
            {"author": "shop", "content": {"role": "model", "parts": asked}},
            {
                "author": "shop",
                "timestamp": 5.0,
                "content": {"role": "user", "parts": gave},
                "actions": {"stateDelta": {"x": 1}, "artifactDelta": {"r.txt": 0}},
            },
        ]
    )
    (change,) = [step for step in trace.steps if type(step) is StateUpdate]
    assert change.extensions == {"calls": ["a", "b"]}
    again = to_trace(from_trace(trace))
    assert [step for step in again.steps if type(step) is StateUpdate] == [change]
    assert [call.extensions for call in again.calls] == [call.extensions for call in trace.calls]
