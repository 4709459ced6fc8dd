"""A refund agent as a StateGraph, with a model that follows a script: no key, no network."""

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

ORDERS = {"A123": {"status": "delivered", "total": 49.9}, "B7": {"status": "open", "total": 12.0}}


@tool
def lookup_order(order_id: str) -> dict:
    """Looks an order up."""
    return ORDERS[order_id]


@tool
def issue_refund(order_id: str, amount: float) -> str:
    """Pays money back."""
    print(f"!! {amount} paid back for {order_id}")
    return "refunded"


class ScriptedModel(BaseChatModel):
    """Looks the order up, then refunds what was delivered."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        order_id = next(w for w in reversed(messages[0].text.split()) if w in ORDERS)
        answers = [m for m in messages if isinstance(m, ToolMessage)]
        if not answers:
            answer = asks("lookup_order", order_id=order_id)
        elif len(answers) == 1 and ORDERS[order_id]["status"] == "delivered":
            answer = asks("issue_refund", order_id=order_id, amount=ORDERS[order_id]["total"])
        elif len(answers) == 1:
            answer = AIMessage(f"{order_id} was not delivered yet, so I cannot refund it.")
        else:
            answer = AIMessage(f"I have refunded {order_id}.")
        return ChatResult(generations=[ChatGeneration(message=answer)])


def asks(name: str, **args) -> AIMessage:
    call = {"name": name, "args": args, "id": f"call_{name}", "type": "tool_call"}
    return AIMessage("", tool_calls=[call])


def build(checkpointer=None):
    model = ScriptedModel()
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode([lookup_order, issue_refund]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    return builder.compile(checkpointer=checkpointer)


graph = build()
