"""Scripted models and small graphs: no model is asked, no network is used."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import Field

HI = {"messages": [("user", "Where is A1?")]}


class Scripted(BaseChatModel):
    """Gives its answers in order: the one after as many answers as the conversation has."""

    answers: list[Any]
    asked: list[int] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Scripted:
        return self

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Any:
        given = sum(isinstance(message, AIMessage) for message in messages)
        self.asked.append(given)
        answer = self.answers[min(given, len(self.answers) - 1)]
        if isinstance(answer, Exception):
            raise answer
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy(deep=True))])


def model(*answers: Any) -> Scripted:
    return Scripted(answers=list(answers), asked=[])


def ai(text: str = "", *calls: tuple[str, dict[str, Any], str], **fields: Any) -> AIMessage:
    listed = [{"name": n, "args": a, "id": i, "type": "tool_call"} for n, a, i in calls]
    return AIMessage(text, tool_calls=listed, **fields)


class Shop:
    """Tools that note what they did."""

    def __init__(self) -> None:
        self.done: list[str] = []

        @tool
        def lookup(order_id: str) -> dict[str, str]:
            """Looks an order up."""
            self.done.append(f"lookup {order_id}")
            return {"status": "shipped"}

        @tool
        def pay(order_id: str) -> str:
            """Pays an order."""
            self.done.append(f"pay {order_id}")
            return "paid"

        @tool
        def broken(order_id: str) -> str:
            """Fails."""
            self.done.append(f"broken {order_id}")
            raise ValueError("kaput")

        self.lookup, self.pay, self.broken = lookup, pay, broken

    def agent(self, saver: Any, *answers: Any, **how: Any) -> Any:
        """An agent with the tools that work, whose model gives these answers."""
        from langchain.agents import create_agent

        tools = [self.lookup, self.pay]
        return create_agent(model(*answers), tools, checkpointer=saver, **how)


LOOKUP = ("lookup", {"order_id": "A1"}, "c1")
LOOKUP_2 = ("lookup", {"order_id": "A2"}, "c2")
PAY = ("pay", {"order_id": "A1"}, "p1")


def react(answers: Any, tools: Any, *, saver: Any = None, node: Any = None, **how: Any) -> Any:
    """A StateGraph with an agent and a ToolNode (or another node that runs the tools)."""
    scripted = answers if isinstance(answers, Scripted) else model(*answers)
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [scripted.invoke(state["messages"])]})
    builder.add_node("tools", node or ToolNode(tools, **how))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    return builder.compile(checkpointer=saver)


def inside(graph: Any, *, saver: Any = None) -> Any:
    """A graph with another as its node."""
    builder = StateGraph(MessagesState)
    builder.add_node("worker", graph)
    builder.add_node("post", lambda state: {"messages": [AIMessage("bye")]})
    builder.add_edge(START, "worker")
    builder.add_edge("worker", "post")
    return builder.compile(checkpointer=saver)


def line(saver: Any = None, schema: Any = None, **nodes: Any) -> Any:
    """A graph whose nodes run one after the other."""
    builder = StateGraph(schema or MessagesState)
    names = [START, *nodes]
    for at, (name, node) in enumerate(nodes.items()):
        builder.add_node(name, node)
        builder.add_edge(names[at], name)
    return builder.compile(checkpointer=saver)


def asking_one_by_one(*tools: str) -> Any:
    """Middleware in which each call of these tools waits for a decision of its own."""
    import pytest
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    try:
        return HumanInTheLoopMiddleware(dict.fromkeys(tools, True), interrupt_mode="per_call")
    except TypeError:
        pytest.skip("this LangChain asks for all calls at once")


def delegating(agent: Any) -> Any:
    """A tool in which another agent works."""

    @tool
    def delegate(question: str) -> str:
        """Asks another agent."""
        return agent.invoke({"messages": [("user", question)]})["messages"][-1].content

    return delegate
