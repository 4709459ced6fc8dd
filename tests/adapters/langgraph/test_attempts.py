"""How often a call really ran, where something tells: retries of nodes, of tools, of the run, and pauses."""

import asyncio

import pytest

from passhat import Case
from passhat_langgraph import arecord, as_agent, record


@pytest.fixture
def flaky(shop):
    """A tool that fails until its third time."""
    from langchain_core.tools import tool

    @tool
    def charge(order_id: str) -> str:
        """Charges an order."""
        shop.done.append(f"charge {order_id}")
        if len(shop.done) % 3:
            raise ConnectionError("busy")
        return "charged"

    return charge


CHARGE = ("charge", {"order_id": "A1"}, "c1")


def retrying(scripted, tools, saver=None, **policy):
    """An agent whose tools run in a node that LangGraph retries."""
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition
    from langgraph.types import RetryPolicy

    model = scripted.model(scripted.ai("", CHARGE), scripted.ai("Done."))
    how = {"retry_policy": RetryPolicy(initial_interval=0.001, **policy)} if policy else {}
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode(tools, handle_tool_errors=False), **how)
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    return builder.compile(checkpointer=saver)


def attempts(trace):
    return [(call.name, call.attempts) for call in trace.calls]


def test_retries_of_a_node_are_counted_while_it_is_recorded(scripted, flaky, shop):
    graph = retrying(scripted, [flaky], max_attempts=5)
    trace = record(graph, scripted.HI)
    assert (attempts(trace), len(shop.done)) == ([("charge", 3)], 3)
    assert trace.calls[0].result == "charged"
    assert attempts(asyncio.run(arecord(graph, scripted.HI))) == [("charge", 3)]
    assert attempts(as_agent(graph)(Case("c", "Charge A1"))) == [("charge", 3)]
    given_up = record(retrying(scripted, [flaky], max_attempts=2), scripted.HI)
    assert attempts(given_up) == [("charge", 2)]
    assert "busy" in given_up.calls[0].error


def test_retries_of_a_tool_by_middleware_are_counted(scripted, flaky):
    from langchain.agents import create_agent
    from langchain.agents.middleware import ToolRetryMiddleware

    model = scripted.model(scripted.ai("", CHARGE), scripted.ai("Done."))
    retry = ToolRetryMiddleware(max_retries=4, initial_delay=0, backoff_factor=0, jitter=False)
    trace = record(create_agent(model, [flaky], middleware=[retry]), scripted.HI)
    assert attempts(trace) == [("charge", 3)]


def test_calls_of_one_id_are_each_counted_once_or_not_at_all(scripted, shop):
    twice = scripted.ai("", scripted.LOOKUP, scripted.LOOKUP)
    trace = record(scripted.react([twice, scripted.ai("Done.")], [shop.lookup]), scripted.HI)
    assert attempts(trace) == [("lookup", 1), ("lookup", 1)]


def test_a_stored_call_that_failed_and_was_taken_up_again_ran_twice(scripted, shop, saver, on):
    from langchain_core.tools import tool

    @tool
    def charge(order_id: str) -> str:
        """Charges an order."""
        shop.done.append(order_id)
        if len(shop.done) == 1:
            raise ConnectionError("busy")
        return "charged"

    graph = retrying(scripted, [charge], saver)
    with pytest.raises(ConnectionError):
        graph.invoke(scripted.HI, on("t"))
    graph.invoke(None, on("t"))
    (trace,) = saver.read()
    assert (attempts(trace), shop.done) == ([("charge", 2)], ["A1", "A1"])


def test_a_stored_body_ran_again_after_its_pause_was_answered(scripted, shop, saver, on):
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from langgraph.types import Command, interrupt

    @tool
    def refund(order_id: str) -> str:
        """Refunds an order, once somebody agrees."""
        shop.done.append(order_id)
        return f"refunded: {interrupt('Refund?')}"

    asked = scripted.ai("", ("refund", {"order_id": "A1"}, "r1"))
    graph = create_agent(scripted.model(asked, scripted.ai("Done.")), [refund], checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    (trace,) = saver.read()
    assert attempts(trace) == [("refund", None)]
    graph.invoke(Command(resume="yes"), on("t"))
    (trace,) = saver.read()
    assert (attempts(trace), shop.done) == ([("refund", 2)], ["A1", "A1"])


def test_a_call_that_was_approved_before_it_ran_is_not_counted_twice(scripted, shop, saver, on):
    from langchain.agents import create_agent
    from langchain.agents.middleware import HumanInTheLoopMiddleware
    from langgraph.types import Command

    asking = HumanInTheLoopMiddleware(interrupt_on={"pay": True})
    model = scripted.model(scripted.ai("", scripted.PAY), scripted.ai("Paid."))
    graph = create_agent(model, [shop.pay], middleware=[asking], checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    graph.invoke(Command(resume={"decisions": [{"type": "approve"}]}), on("t"))
    (trace,) = saver.read()
    assert (attempts(trace), shop.done) == ([("pay", None)], ["pay A1"])
