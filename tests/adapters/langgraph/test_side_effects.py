"""Ways around the barrier: decisions in other forms, nodes that run tools by hand, swallowed stops."""

import operator
from typing import Annotated, Any, TypedDict

import pytest

from passhat import UsageError
from passhat_langgraph import as_agent, next_calls, resume, sample_next


def by_hand(done):
    """A node that runs what the last message asks for, whatever form it has."""

    def run(state):
        messages = state["messages"] if isinstance(state, dict) else state.messages
        done.append(messages[-1])
        return {"messages": [{"role": "tool", "tool_call_id": "p1", "content": "paid"}]}

    return run


def deciding(scripted, done, decision, schema=None, *, saver=None, review=None):
    """An agent that makes its decision without a model, and a node that runs tools by hand."""
    from langgraph.graph import START, MessagesState, StateGraph

    builder = StateGraph(schema or MessagesState)
    builder.add_node("agent", lambda state: decision)
    builder.add_node("tools", by_hand(done))
    builder.add_edge(START, "agent")
    if review is None:
        builder.add_edge("agent", "tools")
    else:
        builder.add_node("review", review)
        builder.add_edge("agent", "review")
        builder.add_edge("review", "tools")
    return builder.compile(checkpointer=saver)


class Plain(TypedDict):
    messages: Annotated[list[Any], operator.add]


OPENAI = {
    "role": "assistant",
    "content": "",
    "tool_calls": [
        {"id": "p1", "type": "function", "function": {"name": "pay", "arguments": '{"n": 1}'}}
    ],
}
ANTHROPIC = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "p1", "name": "pay", "input": {"n": 1}}],
}


@pytest.mark.parametrize("said", [OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def test_decisions_in_plain_json_do_not_run(said, scripted):
    done = []
    graph = deciding(scripted, done, {"messages": [said]}, Plain)
    step = next_calls(graph, {"messages": [{"role": "user", "content": "hi"}]})
    assert done == []
    assert [(call.name, call.args, call.executed) for call in step.calls] == [
        ("pay", {"n": 1}, False)
    ]


def test_decisions_in_json_that_the_state_makes_messages_of_do_not_run(scripted):
    done = []
    step = next_calls(deciding(scripted, done, {"messages": [OPENAI]}), scripted.HI)
    assert (done, [call.name for call in step.calls]) == ([], ["pay"])


def test_calls_without_ids_do_not_run(scripted):
    from langchain_core.messages import AIMessage

    done = []
    said = AIMessage("", tool_calls=[{"name": "pay", "args": {}, "id": None}])
    step = next_calls(deciding(scripted, done, {"messages": [said]}), scripted.HI)
    assert (done, [(call.name, call.executed) for call in step.calls]) == ([], [("pay", False)])


def test_decisions_in_states_that_are_objects_do_not_run(scripted):
    from langgraph.graph.message import add_messages
    from pydantic import BaseModel

    class State(BaseModel):
        messages: Annotated[list[Any], add_messages] = []

    done = []
    decision = State(messages=[scripted.ai("", scripted.PAY)])
    step = next_calls(deciding(scripted, done, decision, State), scripted.HI)
    assert (done, [call.name for call in step.calls]) == ([], ["pay"])


def test_calls_that_a_checkpoint_or_an_input_waits_at_do_not_run(scripted, saver, on):
    from langgraph.graph import START, MessagesState, StateGraph

    done = []
    asked = scripted.ai("", scripted.PAY)
    graph = deciding(scripted, done, {"messages": [asked]}, saver=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    builder = StateGraph(MessagesState)
    builder.add_node("tools", by_hand(done))
    builder.add_edge(START, "tools")
    given = {"messages": [("user", "Pay"), asked]}
    for step in (next_calls(graph, on("t")), next_calls(builder.compile(), given)):
        assert (done, [call.name for call in step.calls], step.tried) == ([], ["pay"], ("tools",))


@pytest.mark.parametrize("deep", [False, True], ids=["graph", "subgraph"])
def test_an_answered_review_goes_on_to_the_tools_and_not_into_them(deep, scripted, saver, on):
    from langgraph.types import interrupt

    done, reviewed = [], []

    def review(state):
        reviewed.append(interrupt("All right?"))
        return {}

    decision = {"messages": [scripted.ai("", scripted.PAY)]}
    graph = deciding(scripted, done, decision, saver=None if deep else saver, review=review)
    if deep:
        graph = scripted.inside(graph, saver=saver)
    graph.invoke(scripted.HI, on("t"))
    step = resume(graph, on("t"), "yes")
    assert (reviewed, done, step.tried) == (["yes"], [], ("tools",))
    assert [call.name for call in step.calls] == ["pay"]


def test_states_with_a_type_and_a_role_of_their_own_hide_no_decision(scripted):
    from langgraph.graph import MessagesState

    class State(MessagesState):
        type: str
        role: str

    done = []
    decision = {"type": "refund", "role": "buyer", "messages": [scripted.ai("", scripted.PAY)]}
    step = next_calls(deciding(scripted, done, decision, State), scripted.HI)
    assert (step.tried, done) == (("tools",), [])


def test_calls_in_delta_channels_do_not_run_either(scripted, saver, on):
    pytest.importorskip("langgraph.channels.delta")
    from langgraph.channels.delta import DeltaChannel
    from langgraph.graph.message import add_messages

    def added(now, writes):
        for write in writes:
            now = add_messages(now, write)
        return now

    class State(TypedDict):
        messages: Annotated[list[Any], DeltaChannel(added, list)]

    done = []
    decision = {"messages": [scripted.ai("", scripted.PAY)]}
    graph = deciding(scripted, done, decision, State, saver=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    assert (next_calls(graph, on("t")).tried, done) == (("tools",), [])


def test_a_call_that_was_left_long_ago_stops_nothing(scripted, shop):
    old = scripted.ai("", ("old", {}, "o1"))
    given = {"messages": [("user", "Pay"), old, ("user", "Never mind. Where is A1?")]}
    graph = scripted.react([scripted.ai(), scripted.ai("", scripted.LOOKUP)], [shop.lookup])
    step = next_calls(graph, given)
    assert "agent" not in step.tried
    assert "lookup" in [call.name for call in step.calls]


def test_code_that_swallows_the_stop_settles_nothing(scripted, shop):
    from langchain.agents import create_agent
    from langchain.agents.middleware import wrap_tool_call
    from langchain_core.messages import ToolMessage

    @wrap_tool_call
    def catching(request, handler):
        try:
            return handler(request)
        except Exception as error:
            return ToolMessage(str(error), tool_call_id=request.tool_call["id"])

    asked = scripted.model(scripted.ai("", scripted.PAY, scripted.LOOKUP), scripted.ai("done"))
    graph = create_agent(asked, [shop.pay, shop.lookup], middleware=[catching])
    step = next_calls(graph, scripted.HI)
    assert (shop.done, step.settled, step.outcome) == ([], (), "interrupted")
    assert [(c.name, c.executed, c.failed) for c in step.calls] == [
        ("pay", False, False),
        ("lookup", False, False),
    ]


def test_trials_do_not_share_what_they_are_given(scripted):
    from langgraph.graph import START, StateGraph

    class State(TypedDict):
        items: list[int]

    seen = []

    def node(state):
        state["items"].append(1)
        seen.append(len(state["items"]))
        return {}

    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    given = {"items": []}
    sample_next(builder.compile(), given, trials=3)
    assert (seen, given) == ([1, 1, 1], {"items": []})


def test_calls_stand_at_the_node_of_their_tools_whatever_runs_beside_it(scripted, shop):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    noted = []
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [scripted.ai("", scripted.PAY)]})
    builder.add_node("beside", noted.append)
    builder.add_node("tools", ToolNode([shop.pay]))
    builder.add_edge(START, "agent")
    builder.add_edge("agent", "beside")
    builder.add_edge("agent", "tools")
    step = next_calls(builder.compile(), scripted.HI)
    assert (noted, shop.done, [call.node for call in step.calls]) == ([], [], ["tools"])


@pytest.mark.parametrize("option", ["stream_mode", "version", "subgraphs"])
def test_options_that_are_set_already_are_refused(option, scripted, raised):
    graph = scripted.react([scripted.ai("hi")], [])
    for ask in (next_calls, lambda graph, _, **how: as_agent(graph, **how)):
        with raised(UsageError, option):
            ask(graph, scripted.HI, **{option: "v2"})


@pytest.mark.parametrize("outer_keeps", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_an_agent_inside_with_a_checkpointer_and_a_thread_of_its_own_is_told(
    named, outer_keeps, scripted, shop, on
):
    from langchain.agents import create_agent
    from langchain_core.tools import tool
    from langgraph.checkpoint.memory import InMemorySaver

    own = InMemorySaver()
    answers = scripted.model(scripted.ai("", scripted.PAY), scripted.ai("", scripted.LOOKUP))
    inner = create_agent(answers, [shop.pay, shop.lookup], checkpointer=own)

    @tool
    def delegate(question: str) -> str:
        """Asks another agent."""
        config = on("inner") if named else None
        return inner.invoke({"messages": [("user", question)]}, config)["messages"][-1].content

    asked = scripted.ai("", ("delegate", {"question": "x"}, "d1"))
    saver = InMemorySaver() if outer_keeps else None
    graph = create_agent(scripted.model(asked), [delegate], checkpointer=saver)
    steps = sample_next(graph, scripted.HI, trials=2, allow={"delegate"})
    assert shop.done == []
    assert steps[0].calls[0].name == "pay"
    if named:
        assert all("a thread that it names itself" in step.gaps[0] for step in steps)
    else:
        # Without a thread of its own it is on that of the trial, and keeps nothing.
        assert [step.gaps for step in steps] == [(), ()]
        assert [call.name for step in steps for call in step.calls] == ["pay", "pay"]
        assert list(own.list(None)) == []


POOL = None


def in_a_thread(act):
    import threading

    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def in_a_pool(act):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        pool.submit(act).result()


def in_a_pool_that_was_there(act):
    POOL.submit(act).result()


@pytest.mark.parametrize("how", [in_a_thread, in_a_pool, in_a_pool_that_was_there])
@pytest.mark.parametrize("awaited", [False, True])
def test_an_agent_in_a_thread_that_a_node_starts_runs_no_tool_either(
    how, awaited, scripted, shop, monkeypatch
):
    import asyncio
    import threading
    from concurrent.futures import ThreadPoolExecutor

    from langchain.agents import create_agent
    from langgraph.graph import START, MessagesState, StateGraph

    from passhat_langgraph import anext_calls

    inner = create_agent(scripted.model(scripted.ai("", scripted.PAY)), [shop.pay])
    later = []

    def work(state):
        how(lambda: inner.invoke(scripted.HI))
        return {}

    builder = StateGraph(MessagesState)
    builder.add_node("work", work)
    builder.add_node("later", lambda state: later.append(1) or {})
    builder.add_edge(START, "work")
    builder.add_edge("work", "later")
    graph = builder.compile()
    before = threading.Thread.start, ThreadPoolExecutor.submit
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        monkeypatch.setitem(globals(), "POOL", pool)
        if awaited:
            step = asyncio.run(anext_calls(graph, scripted.HI))
        else:
            step = next_calls(graph, scripted.HI)
    assert shop.done == []
    assert later == []
    assert [call.name for call in step.calls] == ["pay"]
    assert "pay" in step.tried
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == before


def test_threads_of_others_are_left_as_they_are(scripted, shop):
    import contextvars
    import threading

    mine = contextvars.ContextVar("mine", default="nothing")
    seen = []

    def elsewhere():
        thread = threading.Thread(target=lambda: seen.append(mine.get()))
        thread.start()
        thread.join()

    def agent(state):
        beside = threading.Thread(target=contextvars.Context().run, args=(elsewhere,))
        beside.start()
        beside.join()
        return {"messages": [scripted.ai("Hello.")]}

    mine.set("something")
    from langgraph.graph import START, MessagesState, StateGraph

    builder = StateGraph(MessagesState)
    builder.add_node("agent", agent)
    builder.add_edge(START, "agent")
    assert next_calls(builder.compile(), scripted.HI).text == "Hello."
    assert seen == ["nothing"]
