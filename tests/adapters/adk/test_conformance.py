"""The adapter passes what every adapter passes."""

from collections.abc import Callable
from typing import Any, ClassVar

from adk_events import Json, asks, gives

from passhat.testing import AdapterConformance
from passhat_adk import from_trace
from passhat_adk.needs import need_adk
from passhat_adk.reader import adapter


def session(*events: Json) -> Json:
    rows = [
        {"id": f"v{at}", "timestamp": 100.0 + at, "invocation_id": "e-1", **event}
        for at, event in enumerate(events)
    ]
    return {"id": "s1", "app_name": "shop", "user_id": "u", "state": {}, "events": rows}


def user(*parts: Json, **more: Any) -> Json:
    return {"author": "user", "content": {"role": "user", "parts": list(parts)}, **more}


def model(*parts: Json, author: str = "shop", **more: Any) -> Json:
    return {"author": author, "content": {"role": "model", "parts": list(parts)}, **more}


def tool(*parts: Json, author: str = "shop", **more: Any) -> Json:
    return {"author": author, "content": {"role": "user", "parts": list(parts)}, **more}


def says(text: str) -> Json:
    return {"text": text}


LOOKUP = asks("c1", "lookup_order", order_id="A1")
SHIPPED = gives("c1", "lookup_order", {"status": "shipped"})
GREETING = "Grüße aus 東京 🙂 — e\u0301tat, שָׁלוֹם\u200d"
INSIDE = {"custom_metadata": {"passhat": {"parent": "c1"}}}
CONFIRM = asks(
    "k1",
    "adk_request_confirmation",
    originalFunctionCall={"id": "c1", "name": "refund_order", "args": {"order_id": "A1"}},
    toolConfirmation={"hint": "Refund order A1?", "confirmed": False},
)
REFUND = [
    user(says("Refund order A1.")),
    model(asks("c1", "refund_order", order_id="A1"), long_running_tool_ids=[]),
    model(CONFIRM, long_running_tool_ids=["k1"]),
    tool(gives("c1", "refund_order", {"error": "This tool call requires confirmation."})),
]
SAMPLES = {
    "plain_answer": session(
        user(says("What can you do?")), model(says("I look up orders and cancel them."))
    ),
    "parallel_calls": session(
        user(says("Where are orders A1 and A2?")),
        model(LOOKUP, asks("c2", "lookup_order", order_id="A2")),
        tool(SHIPPED, gives("c2", "lookup_order", {"status": "packed"})),
        model(says("A1 has shipped, A2 is packed.")),
    ),
    "failed_call": session(
        user(says("Cancel order A1.")),
        model(asks("c1", "cancel_order", order_id="A1")),
        tool(gives("c1", "cancel_order", {"error": "order A1 has shipped"})),
        model(says("It has shipped, so I cannot cancel it.")),
    ),
    "retry": session(
        user(says("Where is order A1?")),
        model(LOOKUP),
        tool(gives("c1", "lookup_order", {"error": "timed out"})),
        model(asks("c2", "lookup_order", order_id="A1")),
        tool(gives("c2", "lookup_order", {"status": "shipped"})),
        model(says("It has shipped.")),
    ),
    "unknown_tool": session(
        user(says("Send order A1 faster.")),
        model(asks("c1", "teleport_order", order_id="A1")),
        tool(gives("c1", "teleport_order", {"error": "there is no tool teleport_order"})),
        model(says("I cannot do that.")),
    ),
    "no_arguments": session(
        user(says("What time is it?")),
        model(asks("c1", "clock")),
        tool(gives("c1", "clock", {"result": "12:30"})),
        model(says("Half past twelve.")),
    ),
    "unanswered_call": session(user(says("Where is order A1?")), model(LOOKUP)),
    "pending_call": session(*REFUND),
    "approved_call": session(
        *REFUND,
        user(gives("k1", "adk_request_confirmation", {"confirmed": True})),
        tool(gives("c1", "refund_order", {"refunded": 79.5})),
        model(says("Refunded.")),
    ),
    "nested_agent": session(
        user(says("Is order A1 late?")),
        model(asks("c1", "ask_shipping", question="Is A1 late?")),
        model(asks("c2", "track_parcel", order_id="A1"), author="shipping", **INSIDE),
        tool(gives("c2", "track_parcel", {"late": False}), author="shipping", **INSIDE),
        model(says("It is on time."), author="shipping", **INSIDE),
        tool(gives("c1", "ask_shipping", {"result": "It is on time."})),
        model(says("It is not late.")),
    ),
    "multi_turn": session(
        user(says("Hello.")),
        model(says("Hello, how can I help?")),
        user(says("Where is order A1?"), invocation_id="e-2"),
        model(LOOKUP, invocation_id="e-2"),
        tool(SHIPPED, invocation_id="e-2"),
        model(says("It has shipped."), invocation_id="e-2"),
    ),
    "no_output": session(user(says("Where is order A1?")), model(LOOKUP), tool(SHIPPED)),
    "structured_content": session(
        user(
            says("What is this?"),
            {"inline_data": {"mime_type": "image/png", "data": "iVBORw0KGgo="}},
        ),
        model(asks("c1", "find_order", like={"items": ["lamp"], "limit": 1})),
        tool(
            gives(
                "c1",
                "find_order",
                {"status": "shipped", "items": ["lamp", "desk"], "total": 79.5, "note": None},
            )
        ),
        model(says("A lamp of order A1.")),
    ),
    "unicode": session(
        user(says(GREETING)),
        model({"function_call": {"id": "c1", "name": "échо", "args": {"grüße": GREETING}}}),
        tool(gives("c1", "échо", {"🙂": GREETING})),
        model(says(GREETING)),
    ),
}


class TestAdk(AdapterConformance):
    def writer(self):
        return from_trace

    adapter = adapter
    samples = SAMPLES
    cannot_express: ClassVar = {
        "unparsable_arguments": "ADK's function calls hold an object; Gemini never gives them as text"
    }
    broken: ClassVar = {"id": "s2", "app_name": "shop", "user_id": "u", "events": {"not": "a list"}}
    holds_suites = True

    def use_framework(self) -> Callable[[], object] | None:
        return need_adk
