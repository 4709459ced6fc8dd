"""The refund desk of `passhat demo` as a LangGraph graph; loaded only when it is shown."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from passhat.case import Suite
from passhat.demo import Demo, Script, played
from passhat_langgraph.agents import as_agent


def demo(suite: Suite, trials: int) -> Demo:
    """Every case n times, by a graph of a model and its tools."""
    script = Script()

    def model(state: MessagesState) -> dict[str, Any]:
        messages = state["messages"]
        answers = sum(isinstance(one, ToolMessage) for one in messages)
        move = script.next(str(messages[0].content), answers)
        if not move.name:
            return {"messages": [AIMessage(move.text)]}
        call = {"name": move.name, "args": dict(move.args), "id": f"call_{answers}"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    def graph(tools: Any) -> Any:
        builder = StateGraph(MessagesState)
        builder.add_node("agent", model)
        builder.add_node("tools", ToolNode(tools))
        builder.add_edge(START, "agent")
        builder.add_conditional_edges("agent", tools_condition)
        builder.add_edge("tools", "agent")
        return builder.compile()

    return played("LangGraph", as_agent(graph), suite, trials)
