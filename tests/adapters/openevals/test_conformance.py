"""The adapter passes what every adapter passes."""

import json
from typing import ClassVar

from passhat.testing import AdapterConformance, chat_samples
from passhat_openevals.needs import need_openevals
from passhat_openevals.reader import adapter


class Form:
    def user(self, text, picture):
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        content = [{"type": "text", "text": text}, image] if picture else text
        return [{"role": "user", "content": content}]

    def says(self, text):
        return [{"role": "assistant", "content": text}]

    def asks(self, calls):
        return [{"role": "assistant", "content": "", "tool_calls": [asked(call) for call in calls]}]

    def gives(self, calls):
        return [{"role": "tool", "tool_call_id": call.id, "content": said(call)} for call in calls]


def asked(call):
    arguments = json.dumps(call.args) if call.args else call.args_error or ""
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}


def said(call):
    if call.error is not None:
        return json.dumps({"error": call.error})
    return call.result if isinstance(call.result, str) else json.dumps(call.result)


REFERENCE = [{"role": "assistant", "content": "Done."}]
ROWS = {
    name: {
        "inputs": "hi",
        "outputs": messages,
        "reference_outputs": REFERENCE,
        "evaluator": {"trajectory_match_mode": "superset"},
    }
    for name, messages in chat_samples(Form()).items()
}
CANNOT = {
    "pending_call": "a chat has no interrupts",
    "approved_call": "a chat has no interrupts",
    "nested_agent": "a chat has no calls inside calls",
}


class TestRows(AdapterConformance):
    adapter = adapter
    samples = ROWS
    cannot_express = CANNOT
    broken: ClassVar = {
        "outputs": [{"role": "wizard", "content": "x"}],
        "reference_outputs": REFERENCE,
    }
    holds_suites = True

    def use_framework(self):
        return need_openevals


class TestRowsOfAState(TestRows):
    """Outputs as a graph gives them: a mapping with messages."""

    samples: ClassVar = {
        name: {"outputs": {"messages": row["outputs"]}, "reference_outputs": REFERENCE}
        for name, row in ROWS.items()
    }
