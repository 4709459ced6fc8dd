"""Steps from threads whose calls wait: commands, new input, samples, reviews of one call and another."""

from typing import Annotated, TypedDict

import pytest

from passhat import Case, UsageError, grade
from passhat_langgraph import as_agent, next_calls, resume, sample_next


@pytest.fixture
def decided(scripted, by_hand, saver, on):
    """A thread that waits at a node in which tools are run by hand; its model, and its config."""
    model = scripted.model(scripted.ai("", scripted.PAY), scripted.ai("Never mind, then."))
    agent = lambda state: {"messages": [model.invoke(state["messages"])]}  # noqa: E731
    graph = scripted.line(saver, agent=agent, tools=by_hand)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    model.asked.clear()
    return graph, model, on("t")


COMMANDS = {
    "goto": {"goto": "tools"},
    "resume": {"resume": True},
    "an update": {"update": {"messages": []}},
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_to_a_thread_whose_calls_wait_runs_none_of_them(command, decided, done):
    from langgraph.types import Command

    graph, _, thread = decided
    step = next_calls(graph, Command(**COMMANDS[command]), config=thread)
    assert (done, step.tried) == ([], ("tools",))
    assert [(call.name, call.executed) for call in step.calls] == [("pay", False)]


def test_the_calls_that_a_command_brings_are_listed(scripted, done, by_hand):
    from langgraph.types import Command

    update = {"messages": [scripted.ai("", scripted.PAY)]}
    graph = scripted.line(agent=by_hand)
    step = next_calls(graph, Command(update=update, goto="agent"))
    assert (done, [(call.name, call.executed) for call in step.calls]) == ([], [("pay", False)])


def test_a_call_whose_id_comes_again_does_not_bring_back_the_one_before(scripted, shop):
    given = [
        ("user", "Pay A1"),
        scripted.ai("", scripted.PAY),
        {"role": "tool", "tool_call_id": "p1", "content": "paid"},
        ("user", "And again."),
    ]
    graph = scripted.react([scripted.ai("", scripted.PAY)], [shop.pay])
    step = next_calls(graph, {"messages": given})
    assert [(call.name, call.turn, call.answered) for call in step.calls] == [("pay", 1, None)]
    assert [(call.name, call.turn, call.executed) for call in step.settled] == [("pay", 0, True)]


def test_calls_that_the_user_went_on_without_are_behind_the_step(decided, scripted, done):
    graph, _, thread = decided
    step = next_calls(graph, {"messages": [("user", "Forget it.")]}, config=thread)
    assert step.calls == ()
    assert [(call.name, call.executed) for call in step.settled] == [("pay", False)]
    step = next_calls(graph, {"messages": []}, config=thread)
    assert [(call.name, call.executed) for call in step.calls] == [("pay", False)]
    assert step.tried == ("agent",)


def test_a_decision_that_waits_is_made_anew_whatever_it_waits_for(decided, scripted, shop, raised):
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    graph, model, thread = decided
    sample_next(graph, thread, trials=3)
    assert len(model.asked) == 3
    with raised(UsageError, "its calls wait"):
        sample_next(graph, graph.get_state(thread), trials=1)
    graph, model, thread = reviewed(scripted, shop, HumanInTheLoopMiddleware({"pay": True}))
    steps = sample_next(graph, thread, trials=3)
    assert [[call.name for call in step.calls] for step in steps] == [["lookup", "pay"]] * 3
    assert len(model.asked) == 3


def test_the_copies_of_answered_calls_in_another_channel_wait_for_nothing(scripted, saver, on):
    from langgraph.graph import END, START, StateGraph
    from langgraph.graph.message import add_messages

    class State(TypedDict, total=False):
        messages: Annotated[list, add_messages]
        calls: list

    model = scripted.model(scripted.ai("", scripted.PAY), scripted.ai("All paid."))

    def agent(state):
        said = model.invoke(state["messages"])
        return {"messages": [said], "calls": said.tool_calls}

    def act(state):
        return {
            "messages": [
                {"role": "tool", "tool_call_id": call["id"], "content": "paid"}
                for call in state["calls"]
            ]
        }

    builder = StateGraph(State)
    builder.add_node("agent", agent)
    builder.add_node("act", act)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", lambda state: "act" if state["calls"] else END)
    builder.add_edge("act", "agent")
    graph = builder.compile(checkpointer=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_after=["act"])
    assert next_calls(graph, on("t")).text == "All paid."
    assert [step.text for step in sample_next(graph, on("t"), trials=2)] == ["All paid."] * 2
    next_calls(graph, scripted.HI).expect("pay")
    before = {"messages": [("user", "Pay"), scripted.ai("", scripted.PAY)]}
    for given in (before | {"calls": scripted.ai("", scripted.PAY).tool_calls}, before):
        next_calls(graph, given).expect("pay")


def test_a_decision_whose_beginning_is_not_stored_is_not_given_again(scripted, shop, raised):
    from langgraph.checkpoint.memory import InMemorySaver

    asked = scripted.ai("", scripted.PAY)
    graph = scripted.react([asked], [shop.pay], saver=InMemorySaver())
    thread = {"configurable": {"thread_id": "t"}}
    graph.invoke(scripted.HI, thread, interrupt_before=["tools"], durability="exit")
    with raised(UsageError, "the checkpoint from which it was made is not stored"):
        sample_next(graph, thread, trials=2)
    next_calls(graph, thread).expect("pay")


def reviewed(scripted, shop, middleware):
    """A thread that waits for a person's review: its graph, its model, and its config."""
    from langchain.agents import create_agent
    from langgraph.checkpoint.memory import InMemorySaver

    asks = scripted.ai("", scripted.LOOKUP, scripted.PAY)
    model = scripted.model(asks, scripted.ai("done"))
    graph = create_agent(
        model, [shop.lookup, shop.pay], middleware=[middleware], checkpointer=InMemorySaver()
    )
    thread = {"configurable": {"thread_id": "t"}}
    graph.invoke(scripted.HI, thread)
    model.asked.clear()
    return graph, model, thread


@pytest.fixture
def one_by_one(scripted, shop):
    return reviewed(scripted, shop, scripted.asking_one_by_one("pay"))


def test_what_ran_beside_a_call_that_waits_is_behind_the_next_step(one_by_one, shop):
    graph, _, thread = one_by_one
    assert shop.done == ["lookup A1"]
    for answer in ("approve", {"decisions": [{"type": "approve"}]}):
        approved = resume(graph, thread, answer)
        assert [call.name for call in approved.calls] == ["pay"]
        assert [(call.name, call.executed) for call in approved.settled] == [("lookup", True)]
    rejected = resume(graph, thread, "reject")
    assert (rejected.calls, rejected.text) == ((), "done")
    assert shop.done == ["lookup A1"]


@pytest.mark.parametrize("where", ["a subgraph", "a tool"])
def test_in_an_agent_inside_what_ran_beside_a_call_that_waits_is_behind_too(
    where, scripted, shop, on
):
    from langgraph.checkpoint.memory import InMemorySaver

    asks = (scripted.ai("", scripted.LOOKUP, scripted.PAY), scripted.ai("done"))
    middleware = scripted.asking_one_by_one("pay")
    inner = shop.agent(None, *asks, middleware=[middleware])
    if where == "a subgraph":
        graph, allow = scripted.inside(inner, saver=InMemorySaver()), set()
    else:
        asked = scripted.ai("", ("delegate", {"question": "x"}, "d1"))
        tools = [scripted.delegating(inner)]
        graph = scripted.react([asked, scripted.ai("bye")], tools, saver=InMemorySaver())
        allow = {"delegate"}
    graph.invoke(scripted.HI, on("t"))
    assert shop.done == ["lookup A1"]
    approved = resume(graph, on("t"), "approve", allow=allow)
    assert [call.name for call in approved.calls] == ["pay"]
    rejected = resume(graph, on("t"), "reject", allow=allow)
    assert (rejected.calls, rejected.text, rejected.gaps) == ((), "bye", ())
    assert {call.name: call.executed for call in rejected.settled if call.name != "delegate"} == {
        "lookup": True,
        "pay": False,
    }
    assert shop.done == ["lookup A1"]


def test_a_review_inside_a_call_refuses_not_the_call_itself(scripted, shop, saver, on):
    from langchain.agents.middleware import HumanInTheLoopMiddleware
    from langgraph.types import Command

    asks = (scripted.ai("", scripted.LOOKUP, scripted.PAY), scripted.ai("done"))
    inner = shop.agent(None, *asks, middleware=[HumanInTheLoopMiddleware({"pay": True})])
    asked = scripted.ai("", ("delegate", {"question": "x"}, "d1"))
    graph = scripted.react([asked, scripted.ai("bye")], [scripted.delegating(inner)], saver=saver)
    graph.invoke(scripted.HI, on("t"))
    graph.invoke(Command(resume={"decisions": [{"type": "reject"}]}), on("t"))
    [trace] = saver.read()
    assert {call.name: call.executed for call in trace.all_calls} == {
        "delegate": True,
        "lookup": True,
        "pay": False,
    }


@pytest.mark.parametrize("answer", [None, {}, 5, [None], [{"x": 1}]])
def test_what_is_no_decision_on_a_call_is_refused(answer, one_by_one, scripted, shop, raised):
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    for graph, _, thread in (
        one_by_one,
        reviewed(scripted, shop, HumanInTheLoopMiddleware({"pay": True})),
    ):
        with raised(UsageError, "is no decision on a call that waits"):
            resume(graph, thread, answer)
        with raised(UsageError, "2 decisions are given"):
            resume(graph, thread, ["approve", "reject"])


def test_a_call_that_an_approval_declines_by_itself_did_not_run(scripted, shop):
    middleware = scripted.asking_one_by_one("pay")
    asks = scripted.ai("", scripted.LOOKUP, scripted.PAY)
    graph = shop.agent(None, asks, scripted.ai("done"), middleware=[middleware])
    trace = as_agent(graph)(Case("c", "Pay A1", approvals={"pay": {"decision": "decline"}}))
    assert [(call.name, call.executed) for call in trace.calls] == [
        ("lookup", True),
        ("pay", False),
    ]
    assert shop.done == ["lookup A1"]


def test_a_run_that_asks_without_end_hits_a_limit(scripted):
    from langgraph.types import Command, interrupt

    def ask(state):
        interrupt({"type": "tool_approval", "name": "pay", "args": {}})
        return Command(goto="ask")

    trace = as_agent(scripted.line(ask=ask))(Case("c", "Pay A1", approvals="approve"))
    assert (trace.outcome, trace.error) == ("limit", "it was answered 100 times, and asks again")
    assert grade(trace, Case("c", forbidden_calls=["refund"])).status == "agent_error"
