"""`next_calls`: what the agent wants to do, proven to run nothing; `sample_next`: many times over."""

import asyncio
import threading

import pytest

from passhat import Case, UsageError, grade
from passhat_langgraph import anext_calls, next_calls, sample_next, to_trace


def create(answers, tools, **how):
    from langchain.agents import create_agent

    return create_agent(answers, tools, **how)


def two(scripted):
    calls = (("pay", {"order_id": "A1"}, "c1"), ("pay", {"order_id": "A2"}, "c2"))
    return scripted.ai("I will pay both.", *calls)


def by_hand(shop):
    """A node that runs tools by itself, as plain functions that LangChain does not see."""

    def node(state):
        from langchain_core.messages import ToolMessage

        found = []
        for call in state["messages"][-1].tool_calls:
            shop.done.append(f"by hand {call['args']['order_id']}")
            found.append(ToolMessage("paid", tool_call_id=call["id"]))
        return {"messages": found}

    return node


def built_by_hand(scripted, saver, shop):
    """An agent without a model, whose node makes the message itself."""
    from langgraph.graph import START, MessagesState, StateGraph

    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": two(scripted)})
    builder.add_node("run", by_hand(shop))
    builder.add_edge(START, "agent")
    builder.add_edge("agent", "run")
    return builder.compile(checkpointer=saver)


KINDS = {
    "state graph": lambda s, shop, saver: s.react([two(s)], [shop.pay], saver=saver),
    "errors handled": lambda s, shop, saver: s.react(
        [two(s)], [shop.pay], saver=saver, handle_tool_errors=True
    ),
    "create_agent": lambda s, shop, saver: create(s.model(two(s)), [shop.pay], checkpointer=saver),
    "subgraph": lambda s, shop, saver: s.inside(s.react([two(s)], [shop.pay]), saver=saver),
    "create_agent in a subgraph": lambda s, shop, saver: s.inside(
        create(s.model(two(s)), [shop.pay]), saver=saver
    ),
    "two subgraphs deep": lambda s, shop, saver: s.inside(
        s.inside(s.react([two(s)], [shop.pay])), saver=saver
    ),
    "tools run by hand": lambda s, shop, saver: s.react(
        [two(s)], [], saver=saver, node=by_hand(shop)
    ),
    "tools run by hand in a subgraph": lambda s, shop, saver: s.inside(
        s.react([two(s)], [], node=by_hand(shop)), saver=saver
    ),
    "no model": lambda s, shop, saver: built_by_hand(s, saver, shop),
}


@pytest.fixture(params=["no checkpointer", "checkpointer"])
def keeping(request):
    if request.param == "no checkpointer":
        return None
    from langgraph.checkpoint.memory import InMemorySaver

    return InMemorySaver()


@pytest.mark.parametrize("how", ["sync", "async"])
@pytest.mark.parametrize("kind", list(KINDS))
def test_all_pending_calls_are_listed_and_nothing_runs(kind, how, scripted, shop, keeping):
    graph = KINDS[kind](scripted, shop, keeping)
    if how == "sync":
        step = next_calls(graph, scripted.HI)
    else:
        step = asyncio.run(anext_calls(graph, scripted.HI))
    assert shop.done == []
    assert [(call.id, call.name, call.args) for call in step.calls] == [
        ("c1", "pay", {"order_id": "A1"}),
        ("c2", "pay", {"order_id": "A2"}),
    ]
    assert {call.executed for call in step.calls} == {False}
    assert {call.node for call in step.calls} == {"run" if kind == "no model" else "tools"}
    path = {"two subgraphs deep": ("worker", "worker")}.get(
        kind, ("worker",) if "subgraph" in kind else ()
    )
    assert {call.path for call in step.calls} == {path}
    assert step.text == "I will pay both."
    assert step.tried
    assert step.outcome == "interrupted"
    assert step.gaps == ()
    if keeping is not None:
        assert list(keeping.list(None)) == [], "the graph's own checkpoints are left alone"


@pytest.mark.parametrize("how", ["sync", "async"])
def test_an_agent_inside_an_allowed_tool_is_followed(how, scripted, shop, keeping):
    inner = create(scripted.model(two(scripted)), [shop.pay])
    asked = scripted.ai("", ("delegate", {"question": "x"}, "d1"))
    graph = create(scripted.model(asked), [scripted.delegating(inner)], checkpointer=keeping)
    outer = next_calls(graph, scripted.HI)
    assert [call.name for call in outer.calls] == ["delegate"]
    if how == "sync":
        step = next_calls(graph, scripted.HI, allow={"delegate"})
    else:
        step = asyncio.run(anext_calls(graph, scripted.HI, allow={"delegate"}))
    assert [(call.id, call.path, call.parent) for call in step.calls] == [
        ("c1", ("tools",), None),
        ("c2", ("tools",), None),
    ]
    assert [call.name for call in step.settled] == ["delegate"]
    assert shop.done == []


def test_an_agent_that_answers_wants_no_call(scripted, shop):
    step = next_calls(scripted.react([scripted.ai("Hello.")], [shop.pay]), scripted.HI)
    assert (step.calls, step.text, step.outcome) == ((), "Hello.", "completed")
    step.expect_answer()


def test_middleware_may_speak_before_the_decision_is_told(scripted, shop):
    from langchain.agents.middleware import HumanInTheLoopMiddleware
    from langgraph.checkpoint.memory import InMemorySaver

    watched = [HumanInTheLoopMiddleware(interrupt_on={"pay": True})]
    model = scripted.model(two(scripted))
    graph = create(model, [shop.pay], checkpointer=InMemorySaver(), middleware=watched)
    step = next_calls(graph, scripted.HI)
    assert [call.name for call in step.calls] == ["pay", "pay"]
    assert any(type(one).__name__ == "Interrupt" for one in step.steps)


@pytest.mark.parametrize("option", ["interrupt_before", "interrupt_after"])
def test_a_misspelled_breakpoint_is_an_error_before_anything_runs(option, scripted, shop, raised):
    model = scripted.model(two(scripted))
    graph = scripted.react(model, [shop.pay])
    with raised(UsageError, "toolz", "tools"):
        next_calls(graph, scripted.HI, **{option: ["toolz"]})
    assert model.asked == []
    nested = scripted.inside(graph)
    with raised(UsageError, "worker/tools is inside a subgraph"):
        next_calls(nested, scripted.HI, **{option: "tools"})


def test_a_model_that_fails_says_so(scripted, shop):
    graph = scripted.react([ConnectionError("no route")], [shop.pay])
    with pytest.raises(ConnectionError):
        next_calls(graph, scripted.HI)


def test_what_is_no_compiled_graph_is_refused(scripted, raised):
    from langgraph.graph import MessagesState, StateGraph

    with raised(UsageError, "compile()"):
        next_calls(StateGraph(MessagesState), scripted.HI)
    with raised(UsageError, "str"):
        next_calls("graph", scripted.HI)


def test_a_step_grades_as_a_trace_does(scripted, shop):
    step = next_calls(scripted.react([two(scripted)], [shop.pay]), scripted.HI)
    assert grade(step, Case("c", expected_calls=["pay", "pay"], mode="exact")).status == "passed"
    assert grade(step, Case("c", forbidden_calls=["pay"])).status == "failed"


def test_a_failed_expectation_shows_the_alignment(scripted, shop):
    step = next_calls(scripted.react([two(scripted)], [shop.pay]), scripted.HI)
    assert step.expect("pay", order_id="A2").expect("pay", {"order_id": "A1"}) is step
    with pytest.raises(AssertionError) as caught:
        step.expect("lookup", order_id="A1")
    assert 'lookup(order_id="A1") was not called' in str(caught.value)
    assert '+           pay(order_id="A1")' in str(caught.value)
    with pytest.raises(AssertionError):
        step.expect_answer()


def test_a_stored_thread_is_gone_on_from_on_a_copy(scripted, shop, saver, on):
    graph = scripted.react(
        [scripted.ai("", scripted.LOOKUP), scripted.ai("", scripted.PAY)],
        [shop.lookup, shop.pay],
        saver=saver,
    )
    graph.invoke(scripted.HI, on("t"), interrupt_after=["tools"])
    before = saver.read()
    next_calls(graph, on("t")).expect("pay", order_id="A1")
    more = {"messages": [("user", "And now?")]}
    next_calls(graph, more, config=on("t")).expect("pay", order_id="A1")
    assert saver.read() == before
    assert shop.done == ["lookup A1"]


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_thread_that_is_new_begins_with_the_input_and_keeps_nothing(
    how, scripted, shop, on, raised
):
    from langgraph.checkpoint.memory import InMemorySaver

    saver = InMemorySaver()
    graph = scripted.react([two(scripted)], [shop.pay], saver=saver)
    given, config = {"messages": [("user", "Pay both.")]}, on("new")
    if how == "sync":
        step = next_calls(graph, given, config=config)
    else:
        step = asyncio.run(anext_calls(graph, given, config=config))
    assert [call.args["order_id"] for call in step.calls] == ["A1", "A2"]
    assert shop.done == []
    assert list(saver.list(None)) == []
    with raised(UsageError, "nothing stored of it"):
        next_calls(graph, given, config=on("new", checkpoint_id="1ef"))
    with raised(UsageError, "nothing stored of it"):
        next_calls(graph, config)


def test_a_thread_that_has_ended_has_no_next_step(scripted, shop, saver, on, raised):
    graph = scripted.react([scripted.ai("Hello.")], [shop.pay], saver=saver)
    graph.invoke(scripted.HI, on("t"))
    with raised(UsageError, "has ended"):
        next_calls(graph, on("t"))


def test_samples_decide_anew_and_leave_the_thread_alone(scripted, shop, saver, on, raised):
    model = scripted.model(two(scripted))
    graph = scripted.react(model, [shop.pay], saver=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    before, asked = saver.read(), len(model.asked)
    steps = sample_next(graph, on("t"), trials=5)
    assert len(model.asked) == asked + 5, "the stored decision is not given again"
    assert len(steps) == 5
    assert saver.read() == before
    assert steps.pass_hat_k(3, Case("c", expected_calls=["pay"])) == 1.0
    assert steps.pass_hat_k(3, Case("c", expected_calls=["lookup"])) == 0.0
    assert len(steps[1:3]) == 2
    decided = graph.get_state(on("t")).config
    with raised(UsageError, "decision is made"):
        sample_next(graph, decided, trials=2)
    start = next(s for s in graph.get_state_history(on("t")) if s.next == ("agent",))
    assert len(sample_next(graph, start, trials=2)[0].calls) == 2
    assert shop.done == []


@pytest.mark.parametrize("how", [{"trials": 0}, {"trials": 2.5}, {"trials": 2, "workers": None}])
def test_trials_and_workers_are_whole_numbers(how, scripted, shop, raised):
    graph = scripted.react([two(scripted)], [shop.pay])
    with raised(UsageError, "trials and workers are whole numbers from 1 on"):
        sample_next(graph, scripted.HI, **how)


def test_samples_of_a_state_and_of_a_model_that_is_not_sure(scripted, shop):
    answers = [scripted.ai("", scripted.PAY), scripted.ai("", scripted.LOOKUP)] * 2
    given = iter(answers)
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [next(given)]})
    builder.add_node("tools", ToolNode([shop.pay, shop.lookup]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    steps = sample_next(builder.compile(), scripted.HI, trials=4)
    assert steps.pass_hat_k(2, Case("c", expected_calls=["pay"])) == pytest.approx(1 / 6)
    assert shop.done == []


def test_a_cached_node_is_asked_again(scripted, shop):
    from langgraph.cache.memory import InMemoryCache
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import CachePolicy

    asked = []
    builder = StateGraph(MessagesState)

    def agent(state):
        asked.append(1)
        return {"messages": [scripted.ai("Hello.")]}

    builder.add_node("agent", agent, cache_policy=CachePolicy())
    builder.add_edge(START, "agent")
    sample_next(builder.compile(cache=InMemoryCache()), scripted.HI, trials=3)
    assert len(asked) == 3


def test_samples_from_many_threads_do_not_meet(scripted, shop, saver, on):
    graph = scripted.react([two(scripted)], [shop.pay], saver=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    steps = sample_next(graph, on("t"), trials=16, workers=8)
    assert [len(step.calls) for step in steps] == [2] * 16
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(next_calls(graph, scripted.HI)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(step.calls) for step in found] == [2] * 8
    assert shop.done == []


def test_a_subgraphs_checkpoint_is_sampled_alone_without_running_it_anew(scripted, shop, saver, on):
    answers = (scripted.ai("", scripted.LOOKUP), two(scripted), scripted.ai("Done."))
    model = scripted.model(*answers)
    graph = scripted.inside(scripted.react(model, [shop.lookup, shop.pay]), saver=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["post"])
    assert "lookup A1" in shop.done
    shop.done.clear()
    inner = [
        one
        for one in saver.list(on("t"))
        if one.config["configurable"]["checkpoint_ns"] and one.metadata["step"] == 2
    ]
    steps = sample_next(graph, inner[0].config, trials=2)
    assert [[call.id for call in step.calls] for step in steps] == [["c1", "c2"]] * 2
    assert shop.done == []


def test_delta_channels_are_copied_whole(scripted, shop, saver, on):
    from typing import Annotated, TypedDict

    pytest.importorskip("langgraph.channels.delta")
    from langgraph.channels.delta import DeltaChannel
    from langgraph.graph import START, StateGraph
    from langgraph.graph.message import _messages_delta_reducer
    from langgraph.prebuilt import ToolNode, tools_condition

    class State(TypedDict):
        messages: Annotated[list, DeltaChannel(_messages_delta_reducer)]

    seen = []

    def agent(state):
        seen.append(len(state["messages"]))
        return {"messages": [two(scripted)]}

    builder = StateGraph(State)
    builder.add_node("agent", agent)
    builder.add_node("tools", ToolNode([shop.pay]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    graph = builder.compile(checkpointer=saver)
    graph.invoke(scripted.HI, on("t"), interrupt_before=["tools"])
    assert len(sample_next(graph, on("t"), trials=2)[1].calls) == 2
    assert seen == [1, 1, 1], "a delta channel copied in part would be empty"
    assert len(to_trace(graph, on("t")).calls) == 2
