"""Single nodes, the edges they take, and the shape of agentevals."""

import asyncio
from dataclasses import dataclass
from typing import Literal

import pytest

from passhat import UsageError
from passhat_langgraph import record, route_from, run_node, to_graph_trajectory, to_trace


@dataclass
class Context:
    user: str = "nobody"


@pytest.fixture
def graph(scripted, shop):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode
    from langgraph.runtime import Runtime
    from langgraph.types import Command, Send

    class State(MessagesState):
        kind: str

    def greet(state, runtime: Runtime[Context]):
        return {"messages": [("ai", f"Hello {runtime.context.user}.")]}

    def triage(state) -> Command[Literal["greet", "tools"]]:
        return Command(goto="greet", update={"kind": "greeting"})

    def after(state):
        if state.get("kind") == "many":
            return [Send("greet", state), Send("greet", state)]
        return "tools" if state.get("kind") == "order" else "__end__"

    builder = StateGraph(State, context_schema=Context)
    builder.add_node("triage", triage)
    builder.add_node("greet", greet)
    builder.add_node("tools", ToolNode([shop.lookup]))
    builder.add_edge(START, "triage")
    builder.add_conditional_edges("greet", after, ["tools", "greet", "__end__"])
    return builder.compile()


def test_a_node_runs_alone_with_its_context(graph):
    update = run_node(graph, "greet", {"messages": []}, Context("Ann"))
    assert update == {"messages": [("ai", "Hello Ann.")]}


def test_tool_nodes_and_commands_run_alone_too(graph, scripted, shop):
    asked = {"messages": [scripted.ai("", scripted.LOOKUP)]}
    (message,) = run_node(graph, "tools", asked)["messages"]
    assert (message.tool_call_id, shop.done) == ("c1", ["lookup A1"])
    assert run_node(graph, "triage", {"messages": []}) == {"kind": "greeting"}


def test_the_model_of_create_agent_runs_alone(scripted, shop):
    from langchain.agents import create_agent

    agent = create_agent(scripted.model(scripted.ai("Hello.")), [shop.lookup])
    found = run_node(agent, "model", {"messages": [("user", "hi")]})
    found = found[0] if isinstance(found, list) else found
    assert found["messages"][-1].text == "Hello."


def test_a_node_runs_alone_with_a_config_and_a_store(graph):
    from langchain_core.runnables import RunnableConfig
    from langgraph.runtime import Runtime
    from langgraph.store.memory import InMemoryStore

    def told(state, config: RunnableConfig, runtime: Runtime[Context]):
        kept = runtime.store.get(("users",), "u").value
        return {"messages": [("ai", f"{config['configurable']['who']}, {kept['tier']}")]}

    store = InMemoryStore()
    store.put(("users",), "u", {"tier": "gold"})
    compiled = graph.builder.add_node("told", told).add_edge("told", "tools").compile()
    config = {"configurable": {"who": "Ann"}}
    update = run_node(compiled, "told", {"messages": []}, config=config, store=store)
    assert update == {"messages": [("ai", "Ann, gold")]}


@pytest.mark.parametrize("run", [False, True])
def test_edges_may_ask_for_the_context_the_store_and_the_config(run):
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.runtime import Runtime
    from langgraph.store.memory import InMemoryStore

    def after(state, config: RunnableConfig, runtime: Runtime[Context]):
        who = config["configurable"].get("who") or runtime.context.user
        return who if runtime.store.get(("users",), who) else "stranger"

    store = InMemoryStore()
    for name in ("Ann", "Bea"):
        store.put(("users",), name, {})
    builder = StateGraph(MessagesState, context_schema=Context).add_edge(START, "first")
    for name in ("first", "Ann", "Bea", "stranger"):
        builder.add_node(name, lambda state: {"messages": []})
    builder.add_conditional_edges("first", after, ["Ann", "Bea", "stranger"])
    compiled = builder.compile(store=store)

    def led(**more):
        return route_from(compiled, "first", {"messages": []}, run=run, **more)

    assert led(context=Context("Ann")) == ("Ann",)
    assert led(context=Context("Cy")) == ("stranger",)
    assert led(context=Context("Ann"), config={"configurable": {"who": "Bea"}}) == ("Bea",)


def test_the_edge_that_is_taken(graph):
    assert route_from(graph, "greet", {"messages": [], "kind": "order"}) == ("tools",)
    assert route_from(graph, "greet", {"messages": [], "kind": "none"}) == ()
    many = {"messages": [("user", "hi")], "kind": "many"}
    assert route_from(graph, "greet", many) == ("greet", "greet")


def test_a_node_that_is_not_there_is_named(graph, raised):
    for call in (
        lambda: run_node(graph, "gret", {}),
        lambda: route_from(graph, "gret", {}),
    ):
        with raised(UsageError, "no node 'gret'", "greet"):
            call()


def test_graph_trajectories_are_those_of_agentevals(scripted, shop, saver, on):
    from agentevals.graph_trajectory.strict import graph_trajectory_strict_match
    from agentevals.graph_trajectory.utils import extract_langgraph_trajectory_from_thread

    answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("a"), scripted.ai("b")]
    graph = scripted.react(answers, [shop.lookup], saver=saver)
    graph.invoke(scripted.HI, on("t"))
    graph.invoke({"messages": [("user", "And?")]}, on("t"))
    ours = to_graph_trajectory(to_trace(graph, on("t")))
    theirs = extract_langgraph_trajectory_from_thread(graph, on("t"))
    assert ours["outputs"]["steps"] == theirs["outputs"]["steps"]
    assert graph_trajectory_strict_match(
        outputs=ours["outputs"], reference_outputs=theirs["outputs"]
    )["score"]


def test_graph_trajectories_hold_where_theirs_break(scripted, shop):
    inner = scripted.react([scripted.ai("", scripted.LOOKUP), scripted.ai("a")], [shop.lookup])
    found = to_graph_trajectory(record(scripted.inside(inner), scripted.HI))["outputs"]
    assert found["steps"] == [
        ["__start__", "worker", "worker:agent", "worker:tools", "worker:agent", "post"]
    ]
    stopped = record(inner, scripted.HI, interrupt_before=["tools"])
    assert to_graph_trajectory(stopped)["outputs"]["steps"] == [["__start__", "agent"]]


def test_their_graph_judge_runs_on_it(scripted, shop):
    from agentevals.graph_trajectory.llm import create_graph_trajectory_llm_as_judge
    from langchain_core.runnables import RunnableLambda

    seen = []

    class Judge(scripted.Scripted):
        def with_structured_output(self, schema, **kwargs):
            def verdict(messages):
                seen.append(str(messages))
                return {"reasoning": "fine", "score": True}

            return RunnableLambda(verdict)

    judge = create_graph_trajectory_llm_as_judge(judge=Judge(answers=[]))
    answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("Shipped.")]
    found = to_graph_trajectory(record(scripted.react(answers, [shop.lookup]), scripted.HI))
    assert judge(inputs=found["inputs"], outputs=found["outputs"])["score"] is True
    assert "__start__" in seen[0]
    assert "Shipped." in seen[0]


def test_a_pause_begins_a_run_of_its_own(scripted, saver, on):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command, interrupt

    builder = StateGraph(MessagesState)
    builder.add_node("ask", lambda state: {"messages": [("ai", interrupt("which?"))]})
    builder.add_edge(START, "ask")
    graph = builder.compile(checkpointer=saver)
    graph.invoke(scripted.HI, on("t"))
    paused = to_graph_trajectory(to_trace(graph, on("t")))
    assert paused["outputs"]["steps"] == [["__start__", "ask", "__interrupt__"]]
    assert paused["outputs"]["results"] == [{}]
    graph.invoke(Command(resume="A1"), on("t"))
    found = to_graph_trajectory(to_trace(graph, on("t")))
    assert found["outputs"]["steps"] == [["__start__", "ask", "__interrupt__"], ["ask"]]
    assert found["inputs"][1] == "__resuming__"
    assert found["outputs"]["results"][1] == {"messages": [{"role": "assistant", "content": "A1"}]}


def test_a_node_that_can_only_be_awaited_runs_alone(scripted):
    from langgraph.graph import START, MessagesState, StateGraph

    async def node(state):
        return {"messages": [scripted.ai("awaited")]}

    builder = StateGraph(MessagesState)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    graph = builder.compile()

    async def in_a_loop():
        return run_node(graph, "node", scripted.HI)

    for found in (run_node(graph, "node", scripted.HI), asyncio.run(in_a_loop())):
        assert found["messages"][0].content == "awaited"


def test_a_node_that_asks_somebody_says_so(scripted, raised):
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import interrupt

    builder = StateGraph(MessagesState)
    builder.add_node("node", lambda state: {"messages": [interrupt("Which?")]})
    builder.add_edge(START, "node")
    with raised(UsageError, "'node'", "'Which?'"):
        run_node(builder.compile(), "node", scripted.HI)


@pytest.fixture
def leading(scripted):
    """A graph whose nodes lead on by themselves, by edges, by both, and by what they send."""
    from typing import Literal

    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.types import Command, Send

    ran = []

    class State(MessagesState):
        n: int

    def triage(state) -> Command[Literal["refund", "answer"]]:
        ran.append("triage")
        where = "refund" if state["n"] else "answer"
        return Command(update={"n": state["n"] + 1}, goto=where)

    def quiet(state):
        ran.append("quiet")
        return Command(goto=[Send("refund", {"n": 7}), "answer"])

    def both(state):
        ran.append("both")
        return Command(update={"n": state["n"] + 1}, goto="answer")

    def noted(name):
        return lambda state: ran.append(name) or {}

    builder = StateGraph(State)
    builder.add_node("triage", triage)
    builder.add_node("quiet", quiet)
    builder.add_node("both", both)
    builder.add_node("refund", noted("refund"))
    builder.add_node("answer", noted("answer"))
    builder.add_edge(START, "triage")
    builder.add_edge(START, "quiet")
    builder.add_conditional_edges("both", lambda state: "refund" if state["n"] == 3 else END)
    return builder.compile(), ran


def test_a_node_that_leads_on_by_its_own_command_is_run_for_its_route(leading, raised):
    graph, ran = leading
    with raised(UsageError, "'triage' leads on by itself", "refund, answer", "run=True"):
        route_from(graph, "triage", {"n": 1})
    assert ran == []
    assert route_from(graph, "triage", {"n": 1}, run=True) == ("refund",)
    assert route_from(graph, "triage", {"n": 0}, run=True) == ("answer",)
    assert sorted(route_from(graph, "quiet", {"n": 0}, run=True)) == ["answer", "refund"]
    assert sorted(route_from(graph, "both", {"n": 2}, run=True)) == ["answer", "refund"]
    assert route_from(graph, "both", {"n": 5}, run=True) == ("answer",)
    assert route_from(graph, "refund", {"n": 5}, run=True) == ()
    assert set(ran) == {"triage", "quiet", "both", "refund"}
    assert ran.count("refund") == 1, "only the node itself runs"
