"""Threads that go on: turns, branches, updates, and what failed or was stopped on the way."""

from typing import TypedDict

import pytest

from passhat import Case, grade
from passhat.case import Turn
from passhat_langgraph import as_agent, to_trace


def names(trace):
    return [call.name for call in trace.calls]


def nodes(trace):
    return ["/".join((*visit.path, visit.node)) for visit in trace.nodes]


def test_several_invocations_of_a_thread_are_turns(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("a"), scripted.ai("b"))
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


def test_a_replay_gives_a_branch_of_its_own_and_forks_do_not_mix(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
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
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    before_tools = next(s for s in graph.get_state_history(on("t")) if s.next == ("tools",))
    said = {"messages": [scripted.ai("Edited.")]}
    graph.update_state(before_tools.config, said, as_node="model")
    edited, original = saver.read()
    assert edited.final_response == "Edited."
    assert edited.calls[0].answered is None, "what the other branch's tools wrote is not its own"
    assert original.final_response == "Shipped."


def test_a_checkpoint_in_the_middle_gives_the_trace_up_to_it(scripted, shop, saver, on):
    graph = shop.agent(saver, scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped."))
    graph.invoke(scripted.HI, on("t"))
    before_tools = next(s for s in graph.get_state_history(on("t")) if s.next == ("tools",))
    trace = to_trace(graph, before_tools.config)
    assert trace.calls[0].answered is None
    assert nodes(trace)[0] == "model"


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


def test_a_call_id_that_comes_again_in_the_next_turn_is_another_call(scripted, shop, saver, on):
    again = [scripted.ai("", scripted.LOOKUP), scripted.ai("a")]
    graph = shop.agent(saver, *again, *again)
    graph.invoke(scripted.HI, on("t"))
    graph.invoke({"messages": [("user", "And?")]}, on("t"))
    (trace,) = saver.read()
    assert [(call.turn, call.succeeded) for call in trace.calls] == [(0, True), (1, True)]


def test_what_is_said_after_a_run_without_a_word_is_a_turn_of_its_own(scripted, saver, on):
    tries = []

    def flaky(state):
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("first")
        return {"messages": [scripted.ai("Hello.")]}

    graph = scripted.line(saver, agent=flaky)
    with pytest.raises(ValueError, match="first"):
        graph.invoke(scripted.HI, on("t"))
    graph.invoke({"messages": [("user", "Once more.")]}, on("t"))
    (trace,) = saver.read()
    assert [[message.text for message in turn.messages] for turn in trace.turns] == [
        ["Where is A1?"],
        ["Once more.", "Hello."],
    ]


def test_turns_of_a_graph_that_says_nothing_are_kept_apart(scripted):
    case = Case("c", turns=[Turn("one"), Turn("two")])
    trace = as_agent(scripted.line(agent=lambda state: None))(case)
    assert [turn.messages[0].text for turn in trace.turns] == ["one", "two"]


def test_a_result_that_a_person_gives_by_an_update_is_of_no_tool_that_ran(
    scripted, shop, saver, on
):
    from langchain_core.messages import ToolMessage

    answers = [scripted.ai("", scripted.PAY), scripted.ai("Paid.")]
    graph = scripted.react(answers, [shop.pay], saver=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    given = ToolMessage("paid by hand", tool_call_id="p1")
    graph.update_state(on("t"), {"messages": [given]}, as_node="tools")
    graph.invoke(None, on("t"))
    seeded = [("user", "Pay A1"), scripted.ai("", scripted.PAY), given]
    graph.update_state(on("u"), {"messages": seeded}, as_node="tools")
    found = {trace.id: trace.calls[0] for trace in saver.read()}
    assert (found["t"].executed, found["t"].result, shop.done) == (False, "paid by hand", [])
    assert found["u"].executed is True, (
        "of a conversation that is brought along nothing else is known"
    )
