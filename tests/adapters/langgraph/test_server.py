"""Histories of the LangGraph Server: of older servers, of updates, with gaps, and none at all."""

import json

import pytest
from spoiling import spoiled_traces

from passhat import Case, TraceError, grade, read_traces
from passhat_langgraph import adapter, to_trace, to_traces
from passhat_langgraph.server import history_of


def state(number, *, values=None, tasks=(), source="loop", **more):
    parent = {"checkpoint_id": f"c{number - 1:02}"} if number else None
    return {
        "values": values or {},
        "next": more.pop("next", []),
        "tasks": list(tasks),
        "metadata": {"source": source, "step": number - 1, **more.pop("metadata", {})},
        "checkpoint": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": f"c{number:02}"},
        "parent_checkpoint": parent,
        **more,
    }


def task(name, result=None, **more):
    return {"id": f"task-{name}", "name": name, "result": result, **more}


HUMAN = {"type": "human", "content": "Where is A1?", "id": "h1"}
CALL = {"type": "tool_call", "id": "c1", "name": "lookup", "args": {"order_id": "A1"}}
ASKS = {"type": "ai", "content": "", "id": "m1", "tool_calls": [CALL]}
GIVES = {"type": "tool", "content": "shipped", "tool_call_id": "c1", "name": "lookup", "id": "r1"}
SAYS = {"type": "ai", "content": "Shipped.", "id": "m2"}


def test_an_older_server_keeps_writes_in_the_metadata_of_what_follows():
    history = [
        state(0, source="input", metadata={"writes": None}),
        state(1, metadata={"writes": {"__start__": {"messages": [HUMAN]}}}),
        state(2, metadata={"writes": {"agent": {"messages": [ASKS]}}}),
        state(3, metadata={"writes": {"tools": {"messages": [GIVES]}}}),
        state(4, metadata={"writes": {"agent": {"messages": [SAYS]}}}),
    ][::-1]
    trace = to_trace(history)
    assert [visit.node for visit in trace.nodes] == ["agent", "tools", "agent"]
    assert [(call.name, call.result) for call in trace.calls] == [("lookup", "shipped")]
    assert (trace.final_response, trace.gaps[:-1]) == ("Shipped.", ())


def test_histories_without_writes_keep_messages_and_say_what_is_missing():
    history = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, values={"messages": [HUMAN]}),
        state(2, values={"messages": [HUMAN, ASKS]}),
    ][::-1]
    trace = to_trace(history)
    assert [call.name for call in trace.calls] == ["lookup"]
    assert "calls: what the nodes of step 0 wrote is not stored" in trace.gaps
    assert grade(trace, Case("c", expected_calls=["lookup"])).status == "not_evaluated"


@pytest.mark.parametrize("kept", [1, 2])
def test_a_page_of_a_history_keeps_what_was_said_before_it(kept):
    """One state is what the server gives for a thread, too."""
    history = [
        state(4, values={"messages": [HUMAN, ASKS, GIVES, SAYS]}),
        state(
            3, values={"messages": [HUMAN, ASKS, GIVES]}, tasks=[task("agent", {"messages": SAYS})]
        ),
    ]
    trace = to_trace(history[:kept])
    assert [message.role for message in trace.messages] == ["user", "assistant", "assistant"]
    assert [(call.name, call.result) for call in trace.calls] == [("lookup", "shipped")]
    assert trace.final_response == "Shipped."
    assert f"calls: checkpoints before step {4 - kept} are gone" in trace.gaps
    assert grade(trace, Case("c", forbidden_calls=["cancel"])).status == "not_evaluated"
    assert grade(trace, Case("c", response={"includes": ["Shipped"]})).status == "passed"


def test_an_update_of_the_state_is_told():
    history = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN], "seen": False})]),
        state(1, values={"messages": [HUMAN], "seen": False}, tasks=[task("agent")]),
        state(2, source="update", values={"messages": [HUMAN, SAYS], "seen": True}),
    ][::-1]
    trace = to_trace(history, states=True)
    assert trace.final_response == "Shipped."
    updates = [step for step in trace.steps if type(step).__name__ == "StateUpdate"]
    assert [(update.by, update.delta) for update in updates] == [
        ("__start__", {"seen": False}),
        ("update_state", {"seen": True}),
    ]
    assert trace.final_state["seen"] is True


def test_what_failed_and_what_comes_next_are_told():
    failed = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, next=["agent"], tasks=[task("agent", error="RateLimitError('429')")]),
    ][::-1]
    trace = to_trace(failed)
    assert (trace.outcome, trace.nodes[0].error) == (
        "infrastructure_error",
        "RateLimitError('429')",
    )
    paused = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, tasks=[task("agent", {"messages": [ASKS]})]),
        state(2, next=["tools"], tasks=[task("tools")]),
    ][::-1]
    assert to_trace(paused).extensions["next"] == ["tools"]
    assert to_trace(paused).outcome == "interrupted"


def test_several_writes_to_one_channel_are_all_told():
    both = {"messages": {"$writes": [[ASKS], [GIVES]]}}
    history = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, tasks=[task("agent", both)]),
        state(2),
    ][::-1]
    assert to_trace(history).calls[0].result == "shipped"


@pytest.mark.parametrize("id", [{"a": 1}, [], 5])
def test_a_request_edited_to_calls_whose_ids_are_no_texts_drops_its_calls(id):
    edited = {**ASKS, "tool_calls": [{**CALL, "id": id}]}
    history = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, tasks=[task("agent", {"messages": [ASKS]})]),
        state(2, tasks=[task("review", {"messages": [edited]})]),
        state(3),
    ][::-1]
    assert [(call.id, call.executed) for call in to_trace(history).calls] == [("c1", False)]


def test_histories_with_anything_anywhere_are_read_or_refused(tmp_path):
    paused = {"value": {"action_requests": [{"name": "lookup"}]}, "id": "i", "resume": "yes"}
    history = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, tasks=[task("agent", {"messages": {"$writes": [[ASKS]]}, "seen": 1})]),
        state(2, values={"messages": [HUMAN]}, tasks=[task("tools", interrupts=[paused])]),
        state(3, next=["agent"], metadata={"writes": {"tools": {"messages": [GIVES]}}}),
    ][::-1]
    for trace in spoiled_traces(adapter, tmp_path / "history.json", history, 10**400):
        history_of(trace)


def test_files_hold_one_history_or_one_a_line(tmp_path):
    history = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, tasks=[task("agent", {"messages": [SAYS]})]),
        state(2),
    ][::-1]
    one = tmp_path / "history.json"
    one.write_text(json.dumps(history))
    assert [trace.id for trace in read_traces(one)] == ["t"]
    lines = tmp_path / "histories.jsonl"
    lines.write_text(f"{json.dumps(history)}\n{json.dumps(history)}\n")
    assert len(list(to_traces(lines))) == 2
    assert len(list(to_traces([history]))) == 1


@pytest.mark.parametrize(
    ("history", "words", "path"),
    [
        ([], "list of states", None),
        ([state(1), {"values": {}}], "no thread state", "$[1]"),
        ([state(1), state(0) | {"tasks": [5]}], "list of objects", "$[1].tasks"),
        (
            [state(1), state(0) | {"tasks": [{}, {"interrupts": 5}]}],
            "interrupts are a list",
            "$[1].tasks[1].interrupts",
        ),
        ([state(0) | {"checkpoint": {"checkpoint_ns": "a:b"}}], "no checkpoint of the graph", None),
        (
            [state(1), state(0) | {"checkpoint": {"thread_id": "t"}}],
            "without the id of its checkpoint",
            "$[1].checkpoint.checkpoint_id",
        ),
        ([state(1) | {"checkpoint": "c1"}, state(0)], "is an object, not text", "$[0].checkpoint"),
        (
            [state(1) | {"parent_checkpoint": "c0"}, state(0)],
            "is an object, not text",
            "$[0].parent_checkpoint",
        ),
        ([state(1) | {"next": ["x"]}, state(1), state(0)], "twice, and not alike", "$[1]"),
        (
            [state(1) | {"checkpoint": {"thread_id": "u", "checkpoint_id": "c1"}}, state(0)],
            "of 2 threads ('u', 't')",
            None,
        ),
    ],
)
def test_what_is_no_history_is_refused_with_its_place(history, words, path):
    with pytest.raises(TraceError) as caught:
        to_trace(history)
    assert words in str(caught.value)
    assert caught.value.place.path == path


def test_one_state_needs_no_id_and_a_state_on_two_pages_counts_once():
    alone = state(0, tasks=[task("agent", {"messages": [SAYS]})]) | {"checkpoint": {}}
    assert [visit.node for visit in to_trace(alone).nodes] == ["agent"]
    history = [
        state(1),
        state(0, tasks=[task("agent", {"messages": [SAYS]})]),
    ]
    paged = [history[0], *history]
    assert [trace.id for trace in to_traces([paged])] == ["t"]
    assert to_trace(paged) == to_trace(history)


INNER = {"thread_id": "t", "checkpoint_ns": "worker:task-worker"}


@pytest.mark.parametrize(
    ("result", "untold"),
    [
        ({"messages": [ASKS, GIVES, SAYS]}, ["nodes"]),
        ({"summary": "shipped"}, ["calls", "nodes"]),
    ],
)
def test_what_a_graph_inside_did_is_a_gap_where_its_states_are_not_there(result, untold):
    ran = task("worker", result, checkpoint=INNER)
    history = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, tasks=[ran]),
        state(2),
    ]
    gap = "the states of the graph inside worker are not in the history"
    trace = to_trace(history[::-1])
    assert [one for one in trace.gaps if gap in one] == [f"{need}: {gap}" for need in untold]
    status = grade(trace, Case("c", expected_calls=[])).status
    assert status == ("not_evaluated" if "calls" in untold else "failed")
    agent = {"checkpoint": {**INNER, "checkpoint_id": "i0"}, "parent_checkpoint": None}
    inside = state(0, tasks=[task("agent", {"messages": [ASKS]})]) | agent
    inside["metadata"] = {"source": "loop", "step": 0, "parents": {"": "c01"}}
    assert not any(gap in one for one in to_trace([*history[::-1], inside]).gaps)


def test_what_ran_after_an_error_that_was_handled_is_a_gap():
    history = [
        state(0, source="input", tasks=[task("__start__", {"messages": [HUMAN]})]),
        state(1, tasks=[task("agent", error="ValueError('kaput')")]),
        state(2, values={"messages": [HUMAN, SAYS]}),
    ]
    trace = to_trace(history[::-1])
    assert "calls: node agent failed, and what ran then is not stored" in trace.gaps
    assert (trace.error, trace.nodes[0].error) == (None, "ValueError('kaput')")
    assert trace.final_response == "Shipped."
