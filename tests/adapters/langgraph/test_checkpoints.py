"""Stored threads as traces: each trap of LangGraph's storage, on files of the real library."""

import operator
import sqlite3
import subprocess
import sys
from typing import Annotated, TypedDict

import pytest
from msgspec import UNSET

from passhat import Case, Message, grade
from passhat_langgraph import node_diffs, read_checkpoints, record, to_trace, to_traces


def names(trace):
    return [call.name for call in trace.calls]


def nodes(trace):
    return ["/".join((*visit.path, visit.node)) for visit in trace.nodes]


def agent(scripted, shop, saver, *answers, **how):
    from langchain.agents import create_agent

    tools = [shop.lookup, shop.pay]
    return create_agent(scripted.model(*answers), tools, checkpointer=saver, **how)


def test_a_thread_becomes_a_trace_with_calls_results_nodes_and_times(scripted, shop, saver, on):
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
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
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert to_trace(graph, on("t")) == to_trace(saver, "t") == trace
    assert list(to_traces(saver)) == [trace]


def test_a_saver_in_memory_is_read_by_its_list(scripted, shop, on):
    from langgraph.checkpoint.memory import InMemorySaver

    saver = InMemorySaver()
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    trace = to_trace(graph, on("t"), states=True)
    assert names(trace) == ["lookup"]
    assert nodes(trace) == ["model", "tools", "model"]
    assert len(trace.final_state["messages"]) == 4


def test_states_are_decoded_only_when_asked_for(scripted, shop, saver, on):
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
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


def test_several_invocations_of_a_thread_are_turns(scripted, shop, saver, on):
    graph = agent(
        scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("a"), scripted.ai("b")
    )
    graph.invoke(scripted.HI, on("t"))
    graph.invoke({"messages": [("user", "And?")]}, on("t"))
    (trace,) = saver.read()
    assert [message.text for message in trace.messages if message.role == "user"] == [
        "Where is A1?",
        "And?",
    ]
    assert len(trace.turns) == 2
    assert [len(turn.calls) for turn in trace.turns] == [1, 0]


def test_invocations_without_messages_are_turns_too(saver, on):
    from langgraph.graph import START, StateGraph

    class State(TypedDict):
        topic: str

    builder = StateGraph(State)
    builder.add_node("write", lambda state: {"topic": state["topic"].upper()})
    builder.add_edge(START, "write")
    graph = builder.compile(checkpointer=saver)
    graph.invoke({"topic": "a"}, on("t"))
    graph.invoke({"topic": "b"}, on("t"))
    (trace,) = saver.read()
    assert [visit.turn for visit in trace.nodes] == [0, 1]


def test_a_fan_out_by_send_names_its_node_for_each_task(scripted, shop, saver, on):
    two = scripted.ai("", scripted.LOOKUP, scripted.LOOKUP_2)
    graph = agent(scripted, shop, saver, two, scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert nodes(trace) == ["model", "tools", "tools", "model"]
    assert [call.args["order_id"] for call in trace.calls] == ["A1", "A2"]
    assert {call.request for call in trace.calls} == {0}


def test_a_replay_gives_a_branch_of_its_own_and_forks_do_not_mix(scripted, shop, saver, on):
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    before_tools = next(s for s in graph.get_state_history(on("t")) if s.next == ("tools",))
    graph.invoke(None, before_tools.config)
    found = saver.read()
    assert len(found) == 2
    assert found[0].id == "t"
    assert found[1].id.startswith("t@")
    for trace in found:
        assert names(trace) == ["lookup"]
        assert trace.calls[0].succeeded
        assert nodes(trace) == ["model", "tools", "model"]


def test_an_update_of_the_state_is_told_from_the_state_it_made(scripted, shop, saver, on):
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    before_tools = next(s for s in graph.get_state_history(on("t")) if s.next == ("tools",))
    said = {"messages": [scripted.ai("Edited.")]}
    graph.update_state(before_tools.config, said, as_node="model")
    edited, original = saver.read()
    assert edited.final_response == "Edited."
    assert edited.calls[0].answered is None, "what the other branch's tools wrote is not its own"
    assert original.final_response == "Shipped."


def test_a_checkpoint_in_the_middle_gives_the_trace_up_to_it(scripted, shop, saver, on):
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    before_tools = next(s for s in graph.get_state_history(on("t")) if s.next == ("tools",))
    trace = to_trace(graph, before_tools.config)
    assert trace.calls[0].answered is None
    assert nodes(trace)[0] == "model"


def test_durability_exit_is_a_stated_gap(scripted, shop, saver, on):
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"), durability="exit")
    graph.invoke({"messages": [("user", "And?")]}, on("t"), durability="exit")
    (trace,) = saver.read()
    assert "calls: durability=exit kept one checkpoint: no trajectory" in trace.gaps
    trial = grade(trace, Case("c", expected_calls=["lookup"]))
    assert trial.status == "not_evaluated"
    assert "durability=exit" in trial.reason
    assert trace.final_response == "Shipped."


def test_checkpoints_that_are_gone_are_a_stated_gap(scripted, shop, saver, on):
    graph = agent(scripted, shop, saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    with sqlite3.connect(saver.path) as db:
        db.execute("delete from checkpoints where parent_checkpoint_id is null")
    db.close()
    (trace,) = saver.read()
    assert "calls: checkpoints before step 0 are gone" in trace.gaps


def test_a_failure_is_an_agent_error_with_its_node(scripted, shop, saver, on):
    graph = scripted.react([RuntimeError("no model")], [shop.lookup], saver=saver)
    with pytest.raises(RuntimeError):
        graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert (trace.outcome, trace.error) == ("agent_error", "RuntimeError('no model')")
    assert trace.nodes[-1].error == "RuntimeError('no model')"
    assert grade(trace, Case("c", expected_calls=["lookup"])).status == "agent_error"


def test_a_tool_that_raises_fails_its_call(scripted, shop, saver, on):
    asked = scripted.ai("", ("broken", {"order_id": "A1"}, "b1"))
    graph = scripted.react([asked], [shop.broken], saver=saver)
    with pytest.raises(ValueError, match="kaput"):
        graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert trace.calls[0].error == "ValueError('kaput')"
    assert trace.outcome == "agent_error"


def test_a_run_that_failed_and_was_taken_up_again_completes(scripted, shop, saver, on):
    tries = []

    def flaky(state):
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("first")
        return {"messages": [scripted.ai("Done.")]}

    from langgraph.graph import START, MessagesState, StateGraph

    builder = StateGraph(MessagesState)
    builder.add_node("flaky", flaky)
    builder.add_edge(START, "flaky")
    graph = builder.compile(checkpointer=saver)
    with pytest.raises(ValueError, match="first"):
        graph.invoke(scripted.HI, on("t"))
    graph.invoke(None, on("t"))
    (trace,) = saver.read()
    assert (trace.outcome, trace.error, trace.final_response) == ("completed", None, "Done.")
    assert trace.nodes[0].extensions["failed_before"] == 1


def test_a_static_breakpoint_leaves_the_call_unrun(scripted, shop, saver, on):
    graph = scripted.react([scripted.ai("", scripted.LOOKUP)], [shop.lookup], saver=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    (trace,) = saver.read()
    assert trace.outcome == "interrupted"
    assert trace.extensions["next"] == ["tools"]
    assert trace.calls[0].executed is None
    assert shop.done == []


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


def test_delta_channels_are_put_together_from_what_was_written(scripted, saver, on):
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
    graph = agent(scripted, shop, saver, scripted.ai("Hello."))
    graph.invoke(scripted.HI, on("one"))
    reading = read_checkpoints(saver.path)
    assert next(reading).id == "one"
    graph.invoke(scripted.HI, on("two"))
    saver.conn.execute("begin immediate")
    assert {trace.id for trace in saver.read()} == {"one", "two"}
    saver.conn.rollback()


def test_reading_loads_no_langgraph(scripted, shop, saver, on):
    agent(scripted, shop, saver, scripted.ai("Hello.")).invoke(scripted.HI, on("t"))
    code = (
        "import sys; from passhat_langgraph import read_checkpoints; "
        f"print(len(list(read_checkpoints({str(saver.path)!r}, states=True)))); "
        "print([m for m in sys.modules if m.startswith(('lang', 'ormsgpack', 'numpy'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split("\n")[:2] == ["1", "[]"]


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


def test_a_call_id_that_comes_again_in_the_next_turn_is_another_call(scripted, shop, saver, on):
    again = [scripted.ai("", scripted.LOOKUP), scripted.ai("a")]
    graph = agent(scripted, shop, saver, *again, *again)
    graph.invoke(scripted.HI, on("t"))
    graph.invoke({"messages": [("user", "And?")]}, on("t"))
    (trace,) = saver.read()
    assert [(call.turn, call.succeeded) for call in trace.calls] == [(0, True), (1, True)]


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
