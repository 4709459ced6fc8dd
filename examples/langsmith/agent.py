"""A refund agent traced with LangSmith, whose model answers by a script."""

from collections import Counter
from typing import Any

from langsmith import traceable

ORDERS = {"A1": {"status": "delivered", "total": 40.0}, "B2": {"status": "on its way"}}
_asked: Counter[str] = Counter()


@traceable(run_type="tool")
def lookup_order(order_id: str) -> dict[str, Any]:
    return ORDERS.get(order_id, {"error": f"there is no order {order_id}"})


@traceable(run_type="tool")
def issue_refund(order_id: str, amount: float) -> str:
    return "refunded"


@traceable(run_type="llm", metadata={"ls_model_name": "script-1"})
def model(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Looks the order up and refunds what was delivered; each third time it does not look it up."""
    question = messages[0]["content"]
    order_id = question.split()[-1].strip(".?")
    done = [message for message in messages if message["role"] == "tool"]
    if not done:
        _asked[question] += 1
        hasty = "B2" in question and _asked[question] % 3 == 0
        name, args = "lookup_order", {"order_id": order_id}
        if hasty:
            name, args = "issue_refund", {"order_id": order_id, "amount": 15.0}
    elif len(done) == 1 and done[0]["content"] == "delivered":
        name, args = "issue_refund", {"order_id": order_id, "amount": 40.0}
    else:
        text = "Refunded." if done[-1]["content"] == "refunded" else "It has not arrived yet."
        return {"role": "assistant", "content": text}
    call = {"id": f"call_{len(done) + 1}", "name": name, "args": args, "type": "tool_call"}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


TOOLS = {"lookup_order": lookup_order, "issue_refund": issue_refund}


def agent(inputs: dict[str, Any]) -> dict[str, Any]:
    """The target: answers `inputs["question"]`."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": inputs["question"]}]
    while True:
        answer = model([*messages])
        messages.append(answer)
        if not answer.get("tool_calls"):
            return {"answer": answer["content"]}
        call = answer["tool_calls"][0]
        gave = TOOLS[call["name"]](**call["args"])
        text = gave if isinstance(gave, str) else gave.get("status", "error")
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
