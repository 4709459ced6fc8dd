"""OpenAI chat messages against the canonical traces."""

import json

from passhat.recordings.openai_chat import adapter
from passhat.testing import AdapterConformance, chat_samples


class Form:
    def user(self, text, picture):
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        return [
            {
                "role": "user",
                "content": [{"type": "text", "text": text}, image] if picture else text,
            }
        ]

    def says(self, text):
        return [{"role": "assistant", "content": text, "refusal": None, "annotations": []}]

    def asks(self, calls):
        return [
            {"role": "assistant", "content": None, "tool_calls": [asked(call) for call in calls]}
        ]

    def gives(self, calls):
        # The order of parallel results says nothing.
        return [
            {"role": "tool", "tool_call_id": call.id, "content": said(call)}
            for call in reversed(calls)
        ]


def asked(call):
    arguments = json.dumps(call.args) if call.args else call.args_error or ""
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def said(call):
    if call.error is not None:
        return json.dumps({"error": call.error})
    return call.result if isinstance(call.result, str) else json.dumps(call.result)


LISTS = chat_samples(Form())
ROWS = {name: {"messages": messages} for name, messages in LISTS.items()}
EXCHANGES = {
    name: {
        "request": {"messages": messages[:-1]},
        "response": {"choices": [{"index": 0, "message": messages[-1]}]},
    }
    if messages[-1]["role"] == "assistant"
    else {"messages": messages}
    for name, messages in LISTS.items()
}
CANNOT = {
    "pending_call": "a chat has no interrupts",
    "approved_call": "a chat has no interrupts",
    "nested_agent": "a chat has no calls inside calls",
}
BROKEN = {"messages": [{"role": "wizard", "content": "abracadabra"}]}
BROKEN_EXCHANGE = {"request": {"messages": []}, "response": {"choices": [{"delta": {}}]}}


class TestRows(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = ROWS
    cannot_express = CANNOT
    broken = BROKEN


class TestBareLists(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = LISTS
    cannot_express = CANNOT
    broken = BROKEN


class TestExchanges(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = EXCHANGES
    cannot_express = CANNOT
    broken = BROKEN_EXCHANGE
