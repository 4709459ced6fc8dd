"""Anthropic messages against the canonical traces."""

import json

from passhat.recordings.anthropic import adapter
from passhat.testing import AdapterConformance, chat_samples


class Form:
    def user(self, text, picture):
        source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
        image = [{"type": "image", "source": source}] if picture else []
        return [{"role": "user", "content": [{"type": "text", "text": text}, *image]}]

    def says(self, text):
        return [{"role": "assistant", "content": text}]

    def asks(self, calls):
        blocks = [
            {
                "type": "tool_use",
                "id": call.id,
                "name": call.name,
                "input": call.args_error or call.args,
            }
            for call in calls
        ]
        return [{"role": "assistant", "content": blocks}]

    def gives(self, calls):
        return [{"role": "user", "content": [gave(call) for call in calls]}]


def gave(call):
    block = {"type": "tool_result", "tool_use_id": call.id}
    if call.error is not None:
        return {**block, "is_error": True, "content": [{"type": "text", "text": call.error}]}
    text = call.result if isinstance(call.result, str) else json.dumps(call.result)
    return {**block, "content": text}


ROWS = {name: {"messages": messages} for name, messages in chat_samples(Form()).items()}
CANNOT = {
    "pending_call": "messages have no interrupts",
    "approved_call": "messages have no interrupts",
    "nested_agent": "messages have no calls inside calls",
}
BROKEN = {"messages": [{"role": "assistant", "content": 5}]}


class TestAnthropic(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = ROWS
    cannot_express = CANNOT
    broken = BROKEN
