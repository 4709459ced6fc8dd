"""A shop as a world for agents: its tools, its state, and an agent around a chat model."""

import json
from collections.abc import Callable
from typing import Any

from passhat import Case, Sandbox


def get_order(state: dict[str, Any], order_id: str) -> dict[str, Any]:
    """The order of that id: its status, what was paid, and by which card."""
    return state["orders"][order_id]


def refund(state: dict[str, Any], order_id: str, amount: float) -> dict[str, Any]:
    """Pay money back.

    Args:
        order_id: The order.
        amount: In euros, at most what was paid.
    """
    order = state["orders"][order_id]
    paid_back = sum(row["amount"] for row in state["refunds"] if row["order_id"] == order_id)
    if paid_back + amount > order["paid"]:
        raise ValueError(f"only {order['paid'] - paid_back:g} are left to pay back")
    state["refunds"].append({"id": len(state["refunds"]), "order_id": order_id, "amount": amount})
    return {"ok": True, "amount": amount}


sandbox = Sandbox(
    [get_order, refund],
    {
        "orders": {"A1": {"status": "late", "paid": 30}, "B2": {"status": "sent", "paid": 80}},
        "refunds": [],
    },
)

Model = Callable[[list[dict[str, Any]]], dict[str, Any]]


def loop(model: Model, case: Case, tools: Any) -> list[dict[str, Any]]:
    """The messages of an agent: the model is asked until it asks for no tool."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": case.input}]
    while True:
        answer = model(
            messages
        )  # With a real one: client.chat.completions.create(..., tools=tools.as_openai())
        messages.append({"role": "assistant", **answer})
        if not answer.get("tool_calls"):
            return messages
        for call in answer["tool_calls"]:
            asked = call["function"]
            content = tools.answer(asked["name"], asked["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


def asks(number: int, name: str, **args: Any) -> dict[str, Any]:
    """What a model says that calls a tool."""
    call = {"id": f"c{number}", "type": "function"}
    return {
        "content": None,
        "tool_calls": [{**call, "function": {"name": name, "arguments": json.dumps(args)}}],
    }


def scripted(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A model that is a script: it looks the order up, then pays everything back."""
    order = "A1" if "A1" in messages[0]["content"] else "B2"
    results = [message["content"] for message in messages if message["role"] == "tool"]
    if not results:
        return asks(0, "get_order", order_id=order)
    if len(results) == 1:
        return asks(1, "refund", order_id=order, amount=json.loads(results[0])["paid"])
    if results[-1].startswith("Error"):
        return {"content": f"I'm sorry, I could not refund {order}: {results[-1]}"}
    return {"content": f"I have refunded order {order}."}


def agent(case: Case, tools: Any) -> list[dict[str, Any]]:
    """The agent that `passhat run` is given."""
    return loop(scripted, case, tools)
