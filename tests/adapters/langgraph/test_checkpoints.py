"""Stored threads as traces: each trap of LangGraph's storage, on files of the real library."""

import operator
import sqlite3
import subprocess
import sys
from typing import Annotated, TypedDict

import pytest
from msgspec import UNSET

from passhat import Case, grade
from passhat.trace import StateUpdate
from passhat_langgraph import node_diffs, read_checkpoints, record, to_trace, to_traces


def names(trace):
    return [call.name for call in trace.calls]


def nodes(trace):
    return ["/".join((*visit.path, visit.node)) for visit in trace.nodes]


def test_a_thread_becomes_a_trace_with_calls_results_nodes_and_times(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, {**on("t"), "metadata": {"case_id": "where"}})
    (trace,) = saver.read()
    assert (trace.id, trace.case_id, trace.source, trace.outcome) == (
        "t",
        "where",
        "langgraph",
        "completed",
    )
    assert trace.metadata["thread_id"] == "t"
    (call,) = trace.calls
    assert (call.name, call.args, call.result) == (
        "lookup",
        {"order_id": "A1"},
        {"status": "shipped"},
    )
    assert (call.node, call.executed, call.answered) == ("tools", True, 1)
    assert nodes(trace) == ["model", "tools", "model"]
    assert [visit.step for visit in trace.nodes] == [0, 1, 2]
    assert all(visit.started < visit.ended for visit in trace.nodes)
    assert trace.nodes[0].extensions == {"goto": ["tools"]}
    assert trace.final_response == "Shipped."
    assert trace.seconds > 0
    assert grade(trace, Case("c", expected_calls=["lookup"], mode="exact")).status == "passed"


def test_the_saver_and_the_graph_give_the_same_as_the_file(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert to_trace(graph, on("t")) == to_trace(saver, "t") == trace
    assert list(to_traces(saver)) == [trace]


def test_a_saver_in_memory_is_read_by_its_list(scripted, shop, on):
    from langgraph.checkpoint.memory import InMemorySaver

    saver = InMemorySaver()
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    trace = to_trace(graph, on("t"), states=True)
    assert names(trace) == ["lookup"]
    assert nodes(trace) == ["model", "tools", "model"]
    assert len(trace.final_state["messages"]) == 4


def test_states_are_decoded_only_when_asked_for(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    (bare,) = saver.read()
    assert (bare.initial_state, bare.final_state) == (UNSET, UNSET)
    assert any(gap.startswith("state: ") for gap in bare.gaps)
    with sqlite3.connect(saver.path) as db:
        db.execute("update checkpoints set checkpoint = x'c1'")
    db.close()
    assert names(saver.read()[0]) == ["lookup"]


def test_states_hold_the_graphs_own_channels(saver, on):
    from langgraph.graph import START, StateGraph

    class State(TypedDict):
        orders: dict
        log: Annotated[list, operator.add]

    builder = StateGraph(State)
    builder.add_node("ship", lambda state: {"orders": {"A1": "shipped"}, "log": ["ship"]})
    builder.add_node("bill", lambda state: {"log": ["bill"]})
    builder.add_edge(START, "ship")
    builder.add_edge("ship", "bill")
    graph = builder.compile(checkpointer=saver)
    graph.invoke({"orders": {"A1": "open"}, "log": []}, on("t"))
    (trace,) = saver.read(states=True)
    assert trace.initial_state == {"orders": {"A1": "open"}, "log": []}
    assert trace.final_state == {"orders": {"A1": "shipped"}, "log": ["ship", "bill"]}
    wanted = {"orders": {"A1": "shipped"}}
    case = Case("c", expected_final_state=wanted, state={"ignore": ["log"]})
    assert grade(trace, case).status == "passed"
    found = list(node_diffs(graph, on("t")))
    assert [diff.nodes for diff in found] == [("ship",), ("bill",)]
    assert [change.path for change in found[0].diff.changes] == ["orders.A1", "log[0]"]


def test_durability_exit_is_a_stated_gap(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"), durability="exit")
    graph.invoke({"messages": [("user", "And?")]}, on("t"), durability="exit")
    (trace,) = saver.read()
    assert "calls: durability=exit kept one checkpoint: no trajectory" in trace.gaps
    trial = grade(trace, Case("c", expected_calls=["lookup"]))
    assert trial.status == "not_evaluated"
    assert "durability=exit" in trial.reason
    assert trace.final_response == "Shipped."


def test_checkpoints_that_are_gone_are_a_stated_gap(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    with sqlite3.connect(saver.path) as db:
        db.execute("delete from checkpoints where parent_checkpoint_id is null")
    db.close()
    (trace,) = saver.read()
    assert "calls: checkpoints before step 0 are gone" in trace.gaps


def test_workflows_of_the_functional_api_keep_results_and_say_that_names_are_gone(
    scripted, saver, on
):
    from langgraph.func import entrypoint, task

    @task
    def ask(text):
        return scripted.ai("", scripted.LOOKUP)

    @entrypoint(checkpointer=saver)
    def workflow(text):
        return ask(text).result().tool_calls[0]["name"]

    workflow.invoke("Where is A1?", on("t"))
    (trace,) = saver.read()
    assert [message.text for message in trace.messages] == ["Where is A1?", ""]
    assert names(trace) == ["lookup"]
    assert "nodes: the names of a workflow's tasks are not stored" in trace.gaps


@pytest.mark.parametrize(
    "given", ["hi", {"messages": [("user", "hi")]}, {"n": 1}, ["x"], [("user", "hi")]]
)
def test_a_workflow_has_no_state_but_what_it_came_to(given, scripted, saver, on):
    from langgraph.func import entrypoint

    @entrypoint(checkpointer=saver)
    def workflow(given):
        return {"messages": [scripted.ai("Hello.")], "n": 2}

    live = record(workflow, given, on("t"))
    (stored,) = saver.read(states=True)
    for trace in (live, stored):
        assert (trace.initial_state, trace.final_state["n"]) == (UNSET, 2)
        assert trace.final_response == "Hello."
        case = Case("c", initial_state={}, checks={"state_unchanged": {}})
        assert grade(trace, case).status != "passed"
    said = [
        [(type(step).__name__, getattr(step, "text", None) or getattr(step, "delta", None))]
        for step in (live.steps[0], stored.steps[0])
    ]
    assert said[0] == said[1]


def test_a_workflow_that_waits_has_no_state_at_all(scripted, saver, on):
    from langgraph.func import entrypoint
    from langgraph.types import interrupt

    @entrypoint(checkpointer=saver)
    def workflow(given):
        return interrupt("Which?")

    workflow.invoke("hi", on("t"))
    (trace,) = saver.read(states=True)
    assert (trace.outcome, trace.initial_state, trace.final_state) == ("interrupted", UNSET, UNSET)


def test_a_state_that_is_no_mapping_is_itself(scripted, saver, on):
    graph = scripted.line(saver, Annotated[list, operator.add], agent=lambda state: ["y"])
    live = record(graph, ["x"], on("t"))
    (stored,) = saver.read(states=True)
    for trace in (live, stored):
        assert trace.final_state == ["x", "y"]
        assert [(step.delta, step.by) for step in trace.steps if isinstance(step, StateUpdate)] == [
            ({"input": ["x"]}, "__start__"),
            ({"__root__": ["y"]}, "agent"),
        ]
    assert next(one.diff.changes for one in node_diffs(graph, "t"))


def test_messages_may_be_the_whole_state(scripted, saver, on):
    from langgraph.graph.message import add_messages

    schema = Annotated[list, add_messages]
    graph = scripted.line(saver, schema, agent=lambda state: [scripted.ai("Hello.")])
    live = record(graph, [("user", "hi")], on("t"))
    (stored,) = saver.read(states=True)
    for trace in (live, stored):
        assert [(m.role, m.text) for m in trace.messages] == [
            ("user", "hi"),
            ("assistant", "Hello."),
        ]


def test_delta_channels_are_put_together_from_what_was_written(scripted, saver, on):
    pytest.importorskip("langgraph.channels.delta")
    from langgraph.channels.delta import DeltaChannel
    from langgraph.graph import START, StateGraph
    from langgraph.graph.message import _messages_delta_reducer

    class State(TypedDict):
        messages: Annotated[list, DeltaChannel(_messages_delta_reducer)]

    builder = StateGraph(State)
    builder.add_node("agent", lambda state: {"messages": [scripted.ai("Hello.", id="m1")]})
    builder.add_edge(START, "agent")
    builder.compile(checkpointer=saver).invoke(scripted.HI, on("t"))
    (trace,) = saver.read(states=True)
    assert [message.text for message in trace.messages] == ["Where is A1?", "Hello."]
    assert [row["content"] for row in trace.final_state["messages"]] == ["Where is A1?", "Hello."]
    assert any("delta channel 'messages'" in gap for gap in trace.gaps)


def test_messages_that_nodes_write_in_a_users_name_keep_who_wrote_them(scripted, saver, on):
    from langchain_core.messages import HumanMessage
    from langgraph.graph import START, MessagesState, StateGraph

    builder = StateGraph(MessagesState)
    report = HumanMessage("Found it.", name="researcher")
    builder.add_node("research", lambda state: {"messages": [report]})
    builder.add_edge(START, "research")
    builder.compile(checkpointer=saver).invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert len(trace.turns) == 1
    assert (trace.messages[-1].role, trace.messages[-1].agent) == ("assistant", "researcher")
    assert trace.final_response == "Found it."


def test_a_file_is_read_while_another_process_writes_it(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("Hello."))
    graph.invoke(scripted.HI, on("one"))
    reading = read_checkpoints(saver.path)
    assert next(reading).id == "one"
    graph.invoke(scripted.HI, on("two"))
    saver.conn.execute("begin immediate")
    assert {trace.id for trace in saver.read()} == {"one", "two"}
    saver.conn.rollback()


def test_reading_loads_no_langgraph(scripted, shop, saver, on):
    shop.agent(saver, scripted.ai("Hello.")).invoke(scripted.HI, on("t"))
    code = (
        "import sys; from passhat_langgraph import read_checkpoints; "
        f"print(len(list(read_checkpoints({str(saver.path)!r}, states=True)))); "
        "print([m for m in sys.modules if m.startswith(('lang', 'ormsgpack', 'numpy'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split("\n")[:2] == ["1", "[]"]
