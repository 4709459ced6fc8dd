"""A support agent of a shop. Its model is a script, so that this page gives the same every time."""

import threading
from collections import Counter

ORDERS = {
    "A1001": {"status": "shipped", "arrives": "Thursday"},
    "A1002": {"status": "open"},
}
_calls: Counter[str] = Counter()
_lock = threading.Lock()


def _attempt(case_id: str) -> int:
    """Which call in this process it is, for the script's moods; a real agent has its own."""
    with _lock:
        _calls[case_id] += 1
        return _calls[case_id]


def agent(case):
    """Takes a case and gives the messages of the conversation, as OpenAI's API writes them."""
    attempt = _attempt(case.id)
    messages = [{"role": "user", "content": case.input}]
    if case.id == "cancel-open" and attempt == 1:
        raise ConnectionResetError("the model's server hung up")
    if case.id == "cancel-open" and attempt % 3 == 0:
        messages.append({"role": "assistant", "content": "I have cancelled A1002."})
        return messages
    order_id = next(word.strip("?.") for word in case.input.split() if word.startswith("A1"))
    messages += _called("lookup_order", attempt, order_id, ORDERS[order_id])
    if case.id == "cancel-open":
        messages += _called("cancel_order", attempt, order_id, {"cancelled": order_id})
        messages.append({"role": "assistant", "content": f"I have cancelled {order_id}."})
    else:
        messages.append({"role": "assistant", "content": "It has shipped and arrives on Thursday."})
    return messages


def _called(tool, attempt, order_id, result):
    call_id = f"{tool}-{attempt}"
    arguments = f'{{"order_id": "{order_id}"}}'
    call = {"id": call_id, "type": "function", "function": {"name": tool, "arguments": arguments}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call_id, "content": str(result).replace("'", '"')},
    ]
