"""Graphs in graphs, in a thread: fan-outs, subgraphs, agents in tools, and agents that hand over."""

import operator
from typing import Annotated, TypedDict

import pytest

from passhat import Case, Message, grade
from passhat_langgraph import record


def names(trace):
    return [call.name for call in trace.calls]


def nodes(trace):
    return ["/".join((*visit.path, visit.node)) for visit in trace.nodes]


def test_a_fan_out_by_send_names_its_node_for_each_task(scripted, shop, saver, on):
    two = scripted.ai("", scripted.LOOKUP, scripted.LOOKUP_2)
    graph = shop.agent(saver, two, scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert nodes(trace) == ["model", "tools", "tools", "model"]
    assert [call.args["order_id"] for call in trace.calls] == ["A1", "A2"]
    assert {call.request for call in trace.calls} == {0}


def test_a_subgraph_is_found_by_its_namespace_and_its_calls_are_the_graphs_own(
    scripted, shop, saver, on
):
    from langchain.agents import create_agent

    answers = scripted.model(scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph = scripted.inside(create_agent(answers, [shop.lookup], name="worker"), saver=saver)
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert nodes(trace) == ["worker", "worker/model", "worker/tools", "worker/model", "post"]
    assert names(trace) == ["lookup"]
    assert trace.calls[0].path == ("worker",)
    texts = [message.text for message in trace.messages if message.role != "system"]
    assert texts == ["Where is A1?", "", "Shipped.", "bye"], "passed on messages are told once"


def test_an_agent_hidden_in_a_tool_is_found_and_its_calls_belong_to_that_call(
    scripted, shop, saver, on
):
    from langchain.agents import create_agent

    inner = create_agent(
        scripted.model(scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped.")), [shop.lookup]
    )
    ask = scripted.ai("", ("delegate", {"question": "Where?"}, "d1"))
    graph = create_agent(
        scripted.model(ask, scripted.ai("It has.")),
        [scripted.delegating(inner)],
        checkpointer=saver,
    )
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert names(trace) == ["delegate"]
    assert [(call.name, call.parent) for call in trace.all_calls] == [
        ("delegate", None),
        ("lookup", "d1"),
    ]
    assert trace.all_calls[1].path == ("tools",)
    assert len(trace.turns) == 1, "what the inner agent was asked is no turn"


def test_a_lasting_subgraph_is_read_run_by_run(scripted, shop, saver, on):
    from langchain.agents import create_agent

    answers = scripted.model(scripted.ai("", scripted.LOOKUP), scripted.ai("a"), scripted.ai("b"))
    inner = create_agent(answers, [shop.lookup], checkpointer=True)
    graph = scripted.inside(inner, saver=saver)
    graph.invoke(scripted.HI, on("t"))
    graph.invoke({"messages": [("user", "And?")]}, on("t"))
    (trace,) = saver.read()
    assert [len(turn.calls) for turn in trace.turns] == [1, 0]


def test_supervisors_hand_over_with_commands_to_the_parent(scripted, shop, saver, on):
    from langchain_core.messages import ToolMessage
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command

    def supervisor(state):
        said = scripted.ai("", ("transfer_to_worker", {}, "h1"))
        noted = ToolMessage("handed over", tool_call_id="h1", name="transfer_to_worker")
        return Command(goto="worker", update={"messages": [said, noted]})

    builder = StateGraph(MessagesState)
    builder.add_node("supervisor", supervisor)
    answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped.")]
    builder.add_node("worker", scripted.react([answers[0], *answers], [shop.lookup]))
    builder.add_edge(START, "supervisor")
    graph = builder.compile(checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert names(trace)[:2] == ["transfer_to_worker", "lookup"]
    assert trace.nodes[0].extensions == {"goto": ["worker"]}
    case = Case("c", route="worker")
    checks = {"route": {"labels": ["worker", "billing"]}}
    assert grade(trace, case, checks).status == "passed"


def test_parallel_nodes_share_their_step(saver, on):
    from langgraph.graph import START, StateGraph

    class State(TypedDict):
        log: Annotated[list, operator.add]

    builder = StateGraph(State)
    for name in ("a", "b"):
        builder.add_node(name, lambda state, name=name: {"log": [name]})
        builder.add_edge(START, name)
    builder.add_node("join", lambda state: {"log": ["join"]})
    builder.add_edge(["a", "b"], "join")
    builder.compile(checkpointer=saver).invoke({"log": []}, on("t"))
    (trace,) = saver.read()
    assert [(visit.node, visit.step) for visit in trace.nodes] == [("a", 0), ("b", 0), ("join", 1)]
    for mode, expected, status in (
        ("exact", [["b", "a"], "join"], "passed"),
        ("in_order", ["a", "join"], "passed"),
        ("unordered", ["join", "b", "a"], "passed"),
        ("superset", ["join"], "passed"),
        ("subset", ["a", "b", "join", "c"], "passed"),
        ("exact", ["a", "join"], "failed"),
    ):
        checks = {"node_trajectory": {"expected": expected, "mode": mode}}
        assert grade(trace, Case("c"), checks).status == status, (mode, expected)


def test_agents_that_hand_over_from_inside_a_subgraph(scripted, shop, saver, on):
    from langchain.agents import create_agent
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import InjectedToolCallId, tool
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import InjectedState
    from langgraph.types import Command

    @tool
    def to_bob(
        state: Annotated[dict, InjectedState], call: Annotated[str, InjectedToolCallId]
    ) -> Command:
        """Hands over."""
        note = ToolMessage("over to bob", tool_call_id=call, name="to_bob")
        said = [*state["messages"], note]
        return Command(goto="bob", graph=Command.PARENT, update={"messages": said})

    ask = scripted.ai("", ("to_bob", {}, "h1"))
    looks = scripted.ai("", scripted.LOOKUP)
    builder = StateGraph(MessagesState)
    alice = create_agent(scripted.model(ask), [to_bob], name="alice")
    bob = create_agent(scripted.model(ask, looks, scripted.ai("Shipped.")), [shop.lookup])
    builder.add_node("alice", alice, destinations=("bob",))
    builder.add_node("bob", bob)
    builder.add_edge(START, "alice")
    builder.compile(checkpointer=saver).invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert names(trace) == ["to_bob", "lookup"]
    assert all(call.succeeded for call in trace.calls)
    assert [visit.node for visit in trace.nodes if not visit.path] == ["alice", "bob"]
    assert len(trace.turns) == 1
    assert trace.final_response == "Shipped."


@pytest.mark.parametrize("plain", [False, True])
def test_parallel_agents_inside_tools_whose_models_count_their_calls_alike(
    plain, scripted, shop, saver, on
):
    from langchain.agents import create_agent

    inner = create_agent(
        scripted.model(scripted.ai("", scripted.LOOKUP), scripted.ai("Yes.")), [shop.lookup]
    )
    both = [("delegate", {"question": text}, f"d{n}") for n, text in enumerate("xy")]
    answers = [scripted.ai("", *both), scripted.ai("Done.")]
    tools = [scripted.delegating(inner)]
    if plain:
        graph = scripted.react(answers, tools, saver=saver)
    else:
        graph = create_agent(scripted.model(*answers), tools, checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    found = [(call.name, call.parent, call.succeeded) for call in trace.all_calls]
    assert sorted(found, key=str) == [
        ("delegate", None, True),
        ("delegate", None, True),
        ("lookup", "d0", True),
        ("lookup", "d1", True),
    ]
    assert any("by their order" in gap for gap in trace.gaps) is plain


def test_what_a_fan_out_asks_its_agents_is_no_turn_of_the_user(scripted, shop, saver, on):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Send

    worker = scripted.react([scripted.ai("", scripted.PAY), scripted.ai("done")], [shop.pay])
    builder = StateGraph(MessagesState)
    builder.add_node("worker", worker)
    builder.add_conditional_edges(
        START, lambda _: [Send("worker", {"messages": [("user", n)]}) for n in "ab"], ["worker"]
    )
    graph = builder.compile(checkpointer=saver)
    live = record(graph, scripted.HI, on("t"))
    [stored] = saver.read()
    for trace in (live, stored):
        assert [s.text for s in trace.steps if isinstance(s, Message) and s.role == "user"] == [
            "Where is A1?"
        ]
        assert (trace.final_response, len(trace.calls)) == ("done", 2)


def handing_over(scripted, saver):
    """An agent whose tool hands over to another node of the graph around it."""
    from langchain.agents import create_agent
    from langchain_core.tools import InjectedToolCallId, tool
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command

    @tool
    def transfer(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Hands over."""
        said = {"role": "tool", "tool_call_id": tool_call_id, "content": "moved"}
        return Command(goto="bob", graph=Command.PARENT, update={"messages": [said]})

    asks = scripted.ai("", ("transfer", {}, "t1"))
    builder = StateGraph(MessagesState)
    builder.add_node("alice", create_agent(scripted.model(asks), [transfer]))
    builder.add_node("bob", lambda state: {"messages": [scripted.ai("Bob here.")]})
    builder.add_edge(START, "alice")
    return builder.compile(checkpointer=saver)


def test_the_node_that_leaves_its_graph_by_a_command_is_visited(scripted, saver, on):
    live = record(handing_over(scripted, saver), scripted.HI, on("t"))
    [stored] = saver.read()
    for trace in (live, stored):
        assert nodes(trace) == ["alice", "alice/model", "alice/tools", "bob"]
        [call] = trace.calls
        assert (call.name, call.node, call.path, call.executed) == (
            "transfer",
            "tools",
            ("alice",),
            True,
        )


def test_the_node_that_leaves_its_graph_is_visited_beside_one_that_ends(scripted, saver, on):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command

    builder = StateGraph(MessagesState)
    leave = Command(graph=Command.PARENT, goto="after")
    for name, node in (("one", lambda state: leave), ("two", lambda state: {"messages": []})):
        builder.add_node(name, node)
        builder.add_edge(START, name)
    outer = StateGraph(MessagesState)
    outer.add_node("inner", builder.compile())
    outer.add_node("after", lambda state: {"messages": [scripted.ai("Hello.")]})
    outer.add_edge(START, "inner")
    live = record(outer.compile(checkpointer=saver), scripted.HI, on("t"))
    [stored] = saver.read()
    for trace in (live, stored):
        assert sorted(nodes(trace)) == ["after", "inner", "inner/one", "inner/two"]
