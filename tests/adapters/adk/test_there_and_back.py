"""What is written as ADK's and read again is what it was, where ADK has no place for it too."""

from adk_events import ASKED, asks, event, gives, text
from msgspec.structs import replace

from passhat import ToolCall
from passhat.testing import call, says, trace_of, user
from passhat.trace import Interrupt, Message, StateUpdate, Trace
from passhat_adk import from_trace, to_trace
from passhat_adk.writing import invocations_of


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


def test_sessions_are_of_the_app_and_the_user_that_are_named_where_the_trace_names_none() -> None:
    trace = trace_of(user("hi"))
    named = from_trace(trace, app_name="shop", user_id="u")
    assert (named["app_name"], named["user_id"]) == ("shop", "u")
    own = replace(trace, metadata={"app_name": "own", "user_id": "me"})
    kept = from_trace(own, app_name="shop", user_id="u")
    assert (kept["app_name"], kept["user_id"]) == ("own", "me")


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


def test_a_long_running_tool_is_answered_when_it_was() -> None:
    asked = asks("c1", "wait"), asks("c2", "look"), asks("c3", "wait")
    told = [
        ASKED,
        event("s", *asked, long_running_tool_ids=["c1", "c3"], branch="par.s"),
        event(
            "s",
            gives("c1", "wait", {"status": "pending"}),
            gives("c2", "look", {"r": 1}),
            gives("c3", "wait", {"error": "not yet"}),
            branch="par.s",
            actions={"state_delta": {"k": 1}},
        ),
        event("s", text("Waiting.")),
        event("user", text("And?"), invocation_id="e-2"),
        event("s", text("Still waiting."), invocation_id="e-2"),
        event("user", gives("c1", "wait", {"status": "done"}), invocation_id="e-3"),
        event("s", text("Done."), invocation_id="e-3"),
    ]
    told = [{**one, "id": f"v{at}", "timestamp": 100.0 + at} for at, one in enumerate(told)]
    for events in (told[:4], told):
        trace = to_trace({"id": "s", "app_name": "a", "user_id": "u", "events": events})
        assert to_trace(from_trace(trace)) == trace
    assert (trace.calls[0].answered, trace.calls[0].ended) == (3, 102.0)


def test_a_call_of_no_known_request_says_that_it_waits_before_it_is_answered() -> None:
    waits, done = {"status": "pending"}, {"status": "done"}
    call = ToolCall("wait", id="c1", result=done, extensions={"interim": waits})
    asked = Interrupt("c1", waits, pending=("c1",), answer=done, resolved=True)
    trace = Trace("s", steps=(Message("user", "hi"), call, asked, Message("assistant", "Done.")))
    told = [
        (event["author"] == "user", part["function_response"]["response"])
        for event in from_trace(trace)["events"]
        for part in event["content"]["parts"]
        if "function_response" in part
    ]
    assert told == [(False, waits), (True, done)]


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
