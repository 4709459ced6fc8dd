"""What stood in the state before the agent did anything was given to it."""

from passhat.provenance import trace_arguments
from passhat.trace import Message, StateUpdate, ToolCall, Trace

ASKED = Message("user", "Refund my last order.")
GIVEN = {"user_id": "user_8841", "orders": [{"id": "ORD-5512"}]}
REFUND = ToolCall("refund", {"order_id": "ORD-5512", "user_id": "user_8841"}, id="c1", request=0)


def kinds(*steps, **fields):
    return {origin.kind for origin in trace_arguments(Trace("t", steps=steps, **fields))}


def test_the_initial_state_is_given():
    assert kinds(ASKED, REFUND, initial_state=GIVEN) == {"given"}


def test_input_that_came_with_the_question_is_given():
    assert kinds(ASKED, StateUpdate(GIVEN, by="__start__"), REFUND) == {"given"}
    later = StateUpdate(GIVEN, by="agent")
    assert kinds(ASKED, REFUND, later, REFUND) == {"nowhere"}


def test_what_no_step_changed_was_there_where_each_change_is_told():
    assert kinds(ASKED, REFUND, final_state=GIVEN, source="adk") == {"given"}
    written = StateUpdate(GIVEN, by="c1")
    assert kinds(ASKED, REFUND, written, final_state=GIVEN, source="adk") == {"nowhere"}
    assert kinds(ASKED, REFUND, final_state=GIVEN) == {"nowhere"}
