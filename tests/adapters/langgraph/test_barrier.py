"""More ways around the barrier: callbacks of their own, names that two nodes share, handed-on decisions."""

import inspect
from typing import Any, TypedDict

import pytest

from passhat import Case, UsageError, grade
from passhat_langgraph import as_agent, next_calls, record, sample_next, to_trace


def test_a_tool_with_callbacks_of_its_own_does_not_run(scripted, shop):
    def node(state):
        said = shop.pay.invoke({"order_id": "A1"}, {"callbacks": []})
        return {"messages": [scripted.ai(said)]}

    step = next_calls(scripted.line(node=node), scripted.HI)
    assert (shop.done, step.tried) == ([], ("pay",))
    assert [(call.name, call.executed) for call in step.calls] == [("pay", False)]


def test_a_node_called_as_a_tool_node_elsewhere_is_called_is_stopped(scripted, shop, done, by_hand):
    worker = scripted.react([scripted.ai("", scripted.PAY)], [shop.pay])
    agent = lambda state: {"messages": [scripted.ai("", scripted.PAY)]}  # noqa: E731
    step = next_calls(scripted.line(agent=agent, tools=by_hand, worker=worker), scripted.HI)
    assert (done, shop.done, step.tried) == ([], [], ("tools",))
    hidden = scripted.delegating(scripted.line(agent=agent, tools=by_hand))
    asked = scripted.ai("", ("delegate", {"question": "x"}, "d1"))
    outer = scripted.react([asked, scripted.ai("end")], [hidden])
    step = next_calls(outer, scripted.HI, allow={"delegate"})
    assert (done, step.tried) == ([], ("tools",))
    assert [(call.name, call.path) for call in step.calls] == [("pay", ("tools",))]


@pytest.mark.parametrize("keeping", [False, True])
def test_a_decision_handed_on_to_the_graph_around_does_not_run(
    keeping, scripted, done, by_hand, saver
):
    from langgraph.types import Command

    def decide(state):
        said = [scripted.ai("", scripted.PAY)]
        return Command(graph=Command.PARENT, goto="act", update={"messages": said})

    graph = scripted.line(
        saver if keeping else None, inner=scripted.line(decide=decide), act=by_hand
    )
    step = next_calls(graph, scripted.HI)
    assert (done, step.tried) == ([], ("act",))
    assert [(call.name, call.node, call.executed) for call in step.calls] == [("pay", "act", False)]


def test_a_decision_of_an_error_handler_does_not_run_and_what_it_wrote_is_told(
    scripted, done, by_hand, saver, on
):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command

    def fail(state):
        raise ValueError("kaput")

    def handle(state):
        return Command(update={"messages": [scripted.ai("", scripted.PAY)]}, goto="act")

    if "error_handler" not in inspect.signature(StateGraph.add_node).parameters:
        pytest.skip("this LangGraph has no error handlers of nodes")
    builder = StateGraph(MessagesState)
    builder.add_node("agent", fail, error_handler=handle)
    builder.add_node("act", by_hand)
    builder.add_edge(START, "agent")
    graph = builder.compile(checkpointer=saver)
    step = next_calls(graph, scripted.HI)
    assert (done, step.tried, [call.name for call in step.calls]) == ([], ("act",), ["pay"])
    ran = record(graph, scripted.HI, on("t"))
    for trace in (ran, to_trace(graph, "t"), saver.read()[0]):
        visited = [visit.node for visit in trace.nodes]
        assert visited == ["agent", "__error_handler__agent", "act"]
        assert [visit.error for visit in trace.nodes] == ["ValueError('kaput')", None, None]
        assert (trace.error, [gap for gap in trace.gaps if "state" not in gap]) == (None, [])
        assert [call.name for call in trace.calls] == ["pay"]


TOOL_CALL = {"type": "tool_call", "name": "pay", "args": {"n": 1}, "id": "p1"}
FUNCTION = {"name": "pay", "arguments": '{"n": 1}'}
FORMS = {
    "function_call": {"content": "", "additional_kwargs": {"function_call": FUNCTION}},
    "a block of LangChain's": {"content": [TOOL_CALL]},
    "a block of OpenAI's": {"content": [{"type": "function_call", "call_id": "p1", **FUNCTION}]},
    "arguments that are no JSON": {
        "content": "",
        "invalid_tool_calls": [
            {"type": "invalid_tool_call", "name": "pay", "args": "{", "id": "p1", "error": None}
        ],
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_calls_that_are_told_as_calls_do_not_run(form, scripted, done, by_hand):
    from langchain_core.messages import AIMessage

    graph = scripted.line(agent=lambda state: {"messages": [AIMessage(**FORMS[form])]}, act=by_hand)
    step = next_calls(graph, scripted.HI)
    assert (done, step.tried) == ([], ("act",))
    assert [(call.name, call.executed) for call in step.calls] == [("pay", False)]


class Loose(TypedDict, total=False):
    contents: Any
    messages: Any


def unread_forms():
    from langchain_core.agents import AgentAction

    bedrock = {"toolUse": {"name": "pay", "input": {}, "toolUseId": "p1"}}
    gemini = {"functionCall": {"name": "pay", "args": {}}}
    return [
        {"contents": {"role": "assistant", "content": [bedrock]}},
        {"contents": {"role": "model", "parts": [gemini]}},
        {"contents": AgentAction("pay", {}, "log")},
    ]


@pytest.mark.parametrize("at", range(3))
def test_a_decision_that_is_stopped_and_cannot_be_read_is_no_answer(at, scripted, done):
    def act(state):
        done.append("by hand")
        return {"contents": "paid"}

    decision = unread_forms()[at]
    step = next_calls(
        scripted.line(schema=Loose, agent=lambda state: decision, act=act), {"contents": "go"}
    )
    assert (done, step.calls, step.tried) == ([], (), ("act",))
    assert step.gaps == ("calls: what was asked for before act could not be read",)
    assert grade(step, Case("c", expected_calls=[])).status == "not_evaluated"
    with pytest.raises(AssertionError, match="no call was expected, and act was to run"):
        step.expect_answer()


@pytest.mark.parametrize("beside", [False, True])
def test_a_call_of_a_tool_that_there_is_not_is_a_decision(beside, scripted, shop):
    nope = ("nope", {"x": 1}, "n1")
    asked = scripted.ai("", nope, scripted.PAY) if beside else scripted.ai("", nope)
    for graph in (
        shop.agent(None, asked, scripted.ai("end")),
        scripted.react([asked, scripted.ai("end")], [shop.pay]),
    ):
        step = next_calls(graph, scripted.HI)
        assert shop.done == []
        assert [(call.name, call.executed, call.answered) for call in step.calls] == [
            ("nope", False, None),
            *([("pay", False, None)] if beside else []),
        ]
        assert step.tried


def test_a_call_that_middleware_answers_by_itself_is_a_decision(scripted, shop):
    from langchain.agents.middleware import wrap_tool_call
    from langchain_core.messages import ToolMessage

    @wrap_tool_call
    def pretending(request, handler):
        return ToolMessage("paid", tool_call_id=request.tool_call["id"])

    answers = (scripted.ai("", scripted.PAY), scripted.ai("end"))
    step = next_calls(shop.agent(None, *answers, middleware=[pretending]), scripted.HI)
    assert [(call.name, call.executed) for call in step.calls] == [("pay", False)]


def test_the_tools_of_one_graph_in_two_nodes_are_stopped_one_by_one(scripted, shop, saver, on):
    worker = scripted.react(
        [scripted.ai("", scripted.LOOKUP, scripted.PAY), scripted.ai("x")], [shop.lookup, shop.pay]
    )
    idle = lambda state: {"messages": [("user", "Go on.")]}  # noqa: E731
    graph = scripted.line(saver, first=worker, idle=idle, second=worker)
    step = next_calls(graph, scripted.HI, allow={"lookup"})
    assert (shop.done, step.tried) == (["lookup A1"], ("pay",))
    graph.invoke(scripted.HI, on("t"))
    inner = [
        one.config
        for one in saver.list(on("t"))
        if one.config["configurable"]["checkpoint_ns"].startswith("second")
        and one.metadata["source"] == "input"
    ]
    shop.done.clear()
    assert sample_next(graph, inner[0], trials=2)[1].text == "x"
    assert shop.done == []


def test_the_cache_of_a_graph_inside_gives_no_decision_and_is_given_none(scripted):
    from langgraph.cache.memory import InMemoryCache
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import CachePolicy

    model = scripted.model(scripted.ai("", scripted.PAY))
    builder = StateGraph(MessagesState)
    builder.add_node(
        "agent",
        lambda state: {"messages": [model.invoke(state["messages"])]},
        cache_policy=CachePolicy(key_func=lambda state: "same"),
    )
    builder.add_edge(START, "agent")
    cache = InMemoryCache()
    sample_next(scripted.line(worker=builder.compile(cache=cache)), scripted.HI, trials=3)
    assert (len(model.asked), cache._cache) == (3, {})


def test_a_cache_of_models_answers_gives_no_decision_and_is_given_none(scripted, shop):
    from langchain_core.caches import InMemoryCache
    from langchain_core.globals import get_llm_cache, set_llm_cache

    cache = InMemoryCache()
    set_llm_cache(cache)
    try:
        model = scripted.model(scripted.ai("", scripted.PAY))
        graph = scripted.react(model, [shop.pay])
        sample_next(graph, scripted.HI, trials=4, workers=2)
        assert (len(model.asked), cache._cache) == (4, {})
        assert get_llm_cache() is cache
        model.invoke("Where is A1?")
        model.invoke("Where is A1?")
        assert len(model.asked) == 5
    finally:
        set_llm_cache(None)


def test_a_tool_that_is_called_in_a_way_of_its_own_does_not_run(scripted, shop):
    from langchain_core.tools import BaseTool

    class Proxy(BaseTool):
        name: str = "proxy"
        description: str = "Calls another machine."

        def _run(self) -> str:
            raise NotImplementedError

        def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
            shop.done.append("proxy")
            return "done"

    asked = scripted.ai("", ("proxy", {}, "x1"))
    for graph in (
        scripted.react([asked], [Proxy()]),
        scripted.line(worker=scripted.react([asked], [Proxy()])),
    ):
        step = next_calls(graph, scripted.HI)
        assert (shop.done, [call.name for call in step.calls]) == ([], ["proxy"])


def test_a_breakpoint_before_any_decision_is_no_answer(scripted, shop):
    graph = scripted.react([scripted.ai("Hello.")], [shop.pay])
    step = next_calls(graph, scripted.HI, interrupt_before=["agent"])
    assert grade(step, Case("c", expected_calls=[])).status == "not_evaluated"
    with pytest.raises(AssertionError, match="interrupted before one"):
        step.expect_answer()


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("t", "a config is a mapping"),
        ([1], "not list"),
        ({"thread_id": "t"}, "thread_id of a config stands under its configurable"),
    ],
)
def test_a_config_that_names_no_thread_where_it_should_is_refused(config, words, scripted, raised):
    graph = scripted.react([scripted.ai("Hello.")], [])
    for ask in (next_calls, record, lambda graph, _, config: as_agent(graph, config=config)):
        with raised(UsageError, words):
            ask(graph, scripted.HI, config=config)
