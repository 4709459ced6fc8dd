"""`record` and `as_agent`: one run as it happens, with and without a checkpointer."""

import asyncio

import pytest
from msgspec import UNSET

from passhat import Case, UsageError, grade
from passhat_langgraph import arecord, as_agent, record, to_trace
from passhat_langgraph.agents import graph_input


def test_a_run_without_a_checkpointer_gives_calls_results_nodes_times_states_and_usage(
    scripted, shop
):
    used = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    answers = [scripted.ai("", scripted.LOOKUP, usage_metadata=used), scripted.ai("Shipped.")]
    trace = record(scripted.react(answers, [shop.lookup]), scripted.HI)
    (call,) = trace.calls
    assert (call.result, call.executed, call.node) == ({"status": "shipped"}, True, "tools")
    assert call.started <= call.ended
    assert [visit.node for visit in trace.nodes] == ["agent", "tools", "agent"]
    assert all(visit.started <= visit.ended for visit in trace.nodes)
    assert trace.total_usage.input_tokens == 7
    assert (len(trace.initial_state["messages"]), len(trace.final_state["messages"])) == (1, 4)
    assert trace.final_response == "Shipped."
    assert trace.seconds >= 0
    assert grade(trace, Case("c", expected_calls=["lookup"], mode="exact")).status == "passed"


def test_a_run_awaited_gives_the_same(scripted, shop):
    answers = [scripted.ai("", scripted.LOOKUP, id="m1"), scripted.ai("Shipped.", id="m2")]
    graph = scripted.react(answers, [shop.lookup])
    one, other = record(graph, scripted.HI), asyncio.run(arecord(graph, scripted.HI))
    assert [(c.name, c.args, c.result) for c in one.calls] == [
        (c.name, c.args, c.result) for c in other.calls
    ]
    assert [visit.node for visit in one.nodes] == [visit.node for visit in other.nodes]


def test_a_recorded_run_says_what_its_checkpoints_say(scripted, shop, saver, on):
    inner = scripted.react([scripted.ai("", scripted.LOOKUP), scripted.ai("Yes.")], [shop.lookup])
    graph = scripted.inside(inner, saver=saver)
    live = record(graph, scripted.HI, on("t"))
    stored = to_trace(graph, on("t"), states=True)

    def told(trace):
        visits = [("/".join((*v.path, v.node)), v.step) for v in trace.nodes]
        calls = [(c.name, c.args, c.result, c.node, c.path, c.request) for c in trace.calls]
        return visits, calls, [m.text for m in trace.messages], trace.final_state

    assert told(live) == told(stored)
    assert live.metadata["thread_id"] == "t"


def test_a_second_run_on_a_thread_tells_only_what_is_new(scripted, shop, saver, on):
    answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("a"), scripted.ai("b")]
    inner = scripted.react(answers, [shop.lookup])
    graph = scripted.inside(inner, saver=saver)
    record(graph, scripted.HI, on("t"))
    second = record(graph, {"messages": [("user", "And?")]}, on("t"))
    assert second.messages[0].text == "And?"
    assert len(second.turns) == 1


def test_an_agent_in_a_tool_is_seen_inside_its_call(scripted, shop):
    from langchain.agents import create_agent

    inner = create_agent(
        scripted.model(scripted.ai("", scripted.LOOKUP), scripted.ai("Yes.")), [shop.lookup]
    )
    ask = scripted.ai("", ("delegate", {"question": "x"}, "d1"))
    graph = create_agent(scripted.model(ask, scripted.ai("Done.")), [scripted.delegating(inner)])
    trace = record(graph, scripted.HI)
    assert [(call.name, call.parent) for call in trace.all_calls] == [
        ("delegate", None),
        ("lookup", "d1"),
    ]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(ValueError("kaput"), "agent_error"), (ConnectionError("gone"), "infrastructure_error")],
)
def test_an_exception_is_the_traces_error(error, outcome, scripted, shop):
    answers = [scripted.ai("", scripted.LOOKUP), error]
    trace = record(scripted.react(answers, [shop.lookup]), scripted.HI)
    assert (trace.outcome, trace.error) == (outcome, repr(error))
    assert [call.name for call in trace.calls] == ["lookup"]
    assert trace.nodes[-1].error == repr(error)


def test_an_agent_that_never_ends_hits_its_limit(scripted, shop):
    graph = scripted.react([scripted.ai("", scripted.LOOKUP)], [shop.lookup])
    trace = record(graph, scripted.HI, {"recursion_limit": 5})
    assert trace.outcome == "limit"
    assert len(trace.calls) > 1


def test_breakpoints_stop_and_their_names_are_checked(scripted, shop, raised):
    graph = scripted.react([scripted.ai("", scripted.LOOKUP)], [shop.lookup])
    trace = record(graph, scripted.HI, interrupt_before=["tools"])
    assert (trace.outcome, shop.done) == ("interrupted", [])
    with raised(UsageError, "no node 'toolz'"):
        record(graph, scripted.HI, interrupt_before=["toolz"])
    with raised(UsageError, "stream_mode"):
        record(graph, scripted.HI, stream_mode="values")


def test_an_agent_plays_a_case_turn_by_turn_and_leaves_its_checkpointer_alone(
    scripted, shop, saver
):
    answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("a"), scripted.ai("b")]
    play = as_agent(scripted.react(answers, [shop.lookup], saver=saver))
    case = Case("c", turns=[{"input": "Where is A1?"}, {"input": "And?"}])
    trace = play(case)
    assert trace.case_id == "c"
    assert [turn.messages[0].text for turn in trace.turns] == ["Where is A1?", "And?"]
    assert [turn.final_response for turn in trace.turns] == ["a", "b"]
    assert play(case).id != trace.id
    assert list(saver.list(None)) == []


def test_a_case_begins_in_its_state_and_needs_an_input(scripted, shop, raised):
    case = Case("c", {"messages": [["user", "hi"]]}, initial_state={"orders": {"A1": "open"}})
    assert graph_input(case, case.input) == {
        "orders": {"A1": "open"},
        "messages": [["user", "hi"]],
    }
    play = as_agent(scripted.react([scripted.ai("a")], [shop.lookup]))
    with raised(UsageError, "no input"):
        play(Case("c"))
    assert play(Case("c", "hi")).final_state is not UNSET


def test_objects_that_could_not_be_stored_are_told_by_their_class():
    from typing import TypedDict

    from langgraph.graph import START, StateGraph

    class State(TypedDict):
        handle: object

    builder = StateGraph(State)
    builder.add_node("open", lambda state: {"handle": iter(())})
    builder.add_edge(START, "open")
    trace = record(builder.compile(), {"handle": None})
    assert trace.final_state == {"handle": {"__type__": "builtins.tuple_iterator"}}


def test_messages_that_bring_their_own_ids_are_told_too(scripted, shop, saver, on):
    from langchain_core.messages import HumanMessage

    graph = scripted.react([scripted.ai("a"), scripted.ai("a")], [shop.lookup], saver=saver)
    asked = [("user", "Hi."), HumanMessage("Hi.", id="h2"), HumanMessage("Hi.", id="h3")]
    for message in asked:
        told = record(graph, {"messages": [message]}, on("t"))
        assert [m.text for m in told.messages] == ["Hi.", "a"]
    (trace,) = saver.read()
    assert [m.text for m in trace.messages] == ["Hi.", "a"] * 3
    assert len(trace.turns) == 3
