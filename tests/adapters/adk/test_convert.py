"""Sessions become traces; what ADK hides is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from adk_events import ASKED, Json, asks, event, gives, invocation, row, stored, text
from msgspec import UNSET

from passhat import TraceError
from passhat.errors import InputError
from passhat.trace import StateUpdate
from passhat_adk import from_trace, to_trace, to_traces


def test_a_published_session_is_read_whole(shared: Path) -> None:
    (trace,) = to_traces(shared / "real" / "adk" / "customer-service__123.session.json")
    assert len(trace.turns) == 11
    assert all(call.succeeded for call in trace.calls)
    assert trace.final_state["customer_profile"]["customer_id"] == "123"
    assert trace.gaps == ()


def test_a_file_of_one_session_is_its_trace(tmp_path: Path) -> None:
    session = {"id": "s1", "events": [ASKED, event("shop", text("Done."))]}
    path = tmp_path / "s1.session.json"
    path.write_text(json.dumps(session))
    assert to_trace(path) == to_trace(str(path)) == to_trace(session)
    path.write_text(json.dumps([session, session | {"id": "s2"}]))
    with pytest.raises(TraceError, match="2 attempts are stored here"):
        to_trace(path)
    with pytest.raises(InputError, match="No such file"):
        to_trace(tmp_path / "gone.json")
    path.write_text("")
    with pytest.raises(TraceError, match="no attempt is stored here"):
        to_trace(path)


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
    own = {
        "temp:x": 1,
        "__llm_request_key__": "k",
        "_code_execution_context": {},
        "__session_metadata__": {"displayName": "Refunds"},
    }
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


@pytest.mark.parametrize("said", [[], [text("Let me ask.")]])
def test_a_long_running_call_that_is_the_final_response_is_one_call(said: list[Any]) -> None:
    content = {"role": "model", "parts": [*said, asks("c1", "approve"), asks("c2", "look")]}
    answer = {"parts": [gives("c1", "approve", {"status": "pending"}), gives("c2", "look", {})]}
    rows = [{"author": "shop", "content": content}, {"author": "shop", "content": answer}]
    for events in (rows[:1], rows):
        told = invocation(final_response=content, intermediate_data={"invocation_events": events})
        assert [call.name for call in to_trace([told]).calls] == ["approve", "look"]


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
        ([{"query": "Hi", "expected_tool_use": []}], "records no run"),
        ([{"name": "hi", "data": [{"query": "Hi"}]}], "records no run"),
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


@pytest.mark.parametrize("at", [1743712220.5, 1743712220500])
def test_a_call_without_an_id_ends_when_its_result_came(at: float) -> None:
    call: Json = {"function_call": {"name": "f", "args": {}}}
    result: Json = {"function_response": {"name": "f", "response": {"ok": True}}}
    trace = to_trace([event("shop", call), event("shop", result, timestamp=at)])
    assert (trace.calls[0].result, trace.calls[0].ended) == ({"ok": True}, 1743712220.5)


def test_a_content_that_holds_its_text_elsewhere_is_refused() -> None:
    with pytest.raises(TraceError, match=r"\$\[0\]\.content: .* in parts, not under 'content'"):
        to_trace([{**event("user"), "content": {"role": "user", "content": "Refund A1"}}])
