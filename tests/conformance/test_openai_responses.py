"""OpenAI Responses items against the canonical traces."""

import json

from passhat.recordings.openai_responses import adapter
from passhat.testing import AdapterConformance, chat_samples


class Form:
    def user(self, text, picture):
        parts = [{"type": "input_text", "text": text}]
        if picture:
            parts.append({"type": "input_image", "image_url": "data:image/png;base64,AAAA"})
        return [{"type": "message", "role": "user", "content": parts}]

    def says(self, text):
        part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        message = {"type": "message", "role": "assistant", "content": [part]}
        return [{**message, "id": "msg_1", "status": "completed"}]

    def asks(self, calls):
        return [
            {
                "type": "function_call",
                "id": f"fc_{call.id}",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.args_error or json.dumps(call.args),
                "status": "completed",
            }
            for call in calls
        ]

    def gives(self, calls):
        return [
            {"type": "function_call_output", "call_id": call.id, "output": said(call)}
            for call in calls
        ]


def said(call):
    if call.error is not None:
        return json.dumps({"error": call.error})
    return call.result if isinstance(call.result, str) else json.dumps(call.result)


REQUEST = {
    "type": "mcp_approval_request",
    "id": "mcpr_1",
    "name": "refund_order",
    "arguments": '{"order_id": "A1"}',
    "server_label": "shop",
}
APPROVED = [
    {"role": "user", "content": "Refund order A1."},
    REQUEST,
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
    {
        "type": "mcp_call",
        "id": "mcp_1",
        "approval_request_id": "mcpr_1",
        "name": "refund_order",
        "arguments": '{"order_id": "A1"}',
        "server_label": "shop",
        "output": '{"refunded": 79.5}',
        "error": None,
    },
    *Form().says("Refunded."),
]
LISTS = {
    **chat_samples(Form()),
    "pending_call": APPROVED[:2],
    "approved_call": APPROVED,
}
OWN = ("function_call", "mcp_approval_request", "mcp_call", "message")


def as_response(items):
    """The items as a response object: what came before the model's last items is its input."""
    last = max((n for n, item in enumerate(items) if item.get("role") == "user"), default=-1) + 1
    return {"object": "response", "input": items[:last], "output": items[last:], "model": "m"}


ROWS = {name: as_response(items) for name, items in LISTS.items()}
CANNOT = {"nested_agent": "items have no calls inside calls"}
BROKEN = {"input": "hi", "output": [{"type": "message", "role": "wizard", "content": []}]}


class TestItems(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = LISTS
    cannot_express = CANNOT
    broken = BROKEN


class TestResponses(AdapterConformance):
    no_suites = "messages record attempts, and expect nothing"
    adapter = adapter
    samples = ROWS
    cannot_express = CANNOT
    broken = BROKEN
