"""Writes the recordings that `passhat demo` scores: 12 tasks of a shop's support agent, 4 runs each.

The conversations are written by hand, here; ids, times and token counts follow from them, so the
file comes out the same every time. Run it after a change: `python tools/make_demo.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parent.parent / "core" / "passhat" / "demo" / "traces.jsonl"

BEGAN = 1_767_603_600.0  # Monday 5 January 2026, 09:00 UTC
SYSTEM = (
    "You answer the customers of a small shop for tableware and shoes. Look things up before you "
    "act. Refunds are possible within 30 days of delivery; refunds over 500 are decided by a "
    "person. What has left the warehouse cannot be cancelled. Ask when it is unclear what is meant."
)


@dataclass(frozen=True)
class Call:
    """A call with what it gave back."""

    name: str
    args: dict[str, Any]
    result: Any


@dataclass(frozen=True)
class Task:
    """What the customer writes, and what the agent did in each of the four runs.

    A run is a list of requests: calls made together, or the text of the answer.
    """

    id: str
    asks: str
    runs: tuple[tuple[tuple[Call, ...] | str, ...], ...] = field(default=())


def call(name: str, result: Any, **args: Any) -> tuple[Call, ...]:
    """One call, as a request of its own."""
    return (Call(name, args, result),)


def order(order_id: str, status: str, items: dict[str, float], **more: Any) -> tuple[Call, ...]:
    """A look at an order."""
    found = {"id": order_id, "status": status, "items": items, "total": sum(items.values()), **more}
    return call("get_order", found, order_id=order_id)


def refund(order_id: str, amount: float) -> tuple[Call, ...]:
    """Money paid back."""
    return call("issue_refund", {"refunded": amount}, order_id=order_id, amount=amount)


def policy(topic: str, text: str) -> tuple[Call, ...]:
    """A look at what the shop allows."""
    return call("get_policy", {"topic": topic, "text": text}, topic=topic)


REFUNDS = policy("refunds", "Within 30 days of delivery. Over 500: a person decides.")
RETURNS = policy("returns", "Unworn shoes within 30 days; the label is free.")

A1043 = order("A1043", "shipped", {"plates": 46.0}, arrives="Thursday 8 January")
A1050 = order("A1050", "delivered", {"teapot": 24.5, "cups": 18.0}, delivered="2 January")
A0912 = order("A0912", "delivered", {"lamp": 58.0}, delivered="4 September")
A1061 = order("A1061", "packing", {"sandals": 49.0})
A1038 = order("A1038", "shipped", {"wok": 72.0}, arrives="Tuesday 6 January")
A1066 = order("A1066", "packing", {"vase": 33.0}, address="3 High Street, York")
A1029 = order("A1029", "shipped", {"bowls": 27.0}, tracking="PX-77120")
A1055 = order("A1055", "delivered", {"boots": 119.0}, delivered="29 December")
A1081 = order("A1081", "delivered", {"dinner set": 640.0}, delivered="30 December")
PAYMENTS = call(
    "list_payments",
    [{"id": "P-1", "amount": 31.0}, {"id": "P-2", "amount": 31.0}],
    order_id="A1077",
)
ORDERS = call(
    "list_orders",
    [{"id": "A1070", "items": ["mugs"]}, {"id": "A1064", "items": ["apron"]}],
    email="jo@example.org",
)
PARCEL = {"tracking": "PX-77120", "at": "Leeds depot", "arrives": "tomorrow"}
TRACKED = call("track_parcel", PARCEL, tracking="PX-77120")
TIMED_OUT = call("track_parcel", {"error": "carrier timed out"}, tracking="PX-77120")
LABEL = call("create_return_label", {"label": "R-2291"}, order_id="A1055")
TOO_LATE = {"error": "A1038 has left the warehouse"}

TASKS = (
    Task(
        "order-status",
        "Where is my order A1043?",
        (
            (A1043, "Your plates are on their way and should arrive on Thursday."),
            (A1043, "Order A1043 has shipped; it arrives on Thursday, 8 January."),
            (A1043, "It has left our warehouse and will be with you on Thursday."),
            (A1043, "Good news: it is on the road. Expect it on Thursday."),
        ),
    ),
    Task(
        "refund-one-item",
        "The teapot in order A1050 arrived broken, the cups are fine. Can I get my money back for it?",
        (
            (A1050, refund("A1050", 24.5), "I am sorry! I have refunded 24.50 for the teapot."),
            (A1050, REFUNDS, refund("A1050", 24.5), "Sorry about that. 24.50 is on its way back."),
            (A1050, refund("A1050", 42.5), "I am sorry! I have refunded your order, 42.50."),
            (A1050, refund("A1050", 24.5), "The 24.50 for the teapot will be back in 3 days."),
        ),
    ),
    Task(
        "refund-too-late",
        "I never used the lamp from order A0912, please refund it.",
        (
            (A0912, REFUNDS, "I am sorry, the lamp came in September and the 30 days are over."),
            (A0912, REFUNDS, "Unfortunately I can't refund it: more than 30 days have passed."),
            (A0912, REFUNDS, refund("A0912", 58.0), "As it is unused I have refunded 58.00."),
            ((*A0912, *REFUNDS), "I am sorry, I cannot: refunds end 30 days after delivery."),
        ),
    ),
    Task(
        "cancel-open-order",
        "Please cancel order A1061, I ordered the wrong size.",
        tuple(
            (A1061, call("cancel_order", {"status": "cancelled"}, order_id="A1061"), said)
            for said in (
                "Done: A1061 is cancelled, nothing will be charged.",
                "I have cancelled the sandals for you.",
                "A1061 is cancelled. Shall I help you find the right size?",
                "Cancelled. You will get a confirmation by mail.",
            )
        ),
    ),
    Task(
        "cancel-shipped-order",
        "Cancel A1038 please, I found it cheaper elsewhere.",
        (
            (A1038, "It has shipped already and can't be cancelled; you can send it back."),
            (
                A1038,
                call("cancel_order", TOO_LATE, order_id="A1038"),
                "I tried to cancel it, but it has left already.",
            ),
            (A1038, "I am sorry, it left this morning. You can return it within 30 days."),
            (
                call("cancel_order", TOO_LATE, order_id="A1038"),
                A1038,
                "That did not work: the wok has shipped.",
            ),
        ),
    ),
    Task(
        "change-address",
        "I moved! Send A1066 to 12 Mill Lane, Bath instead.",
        tuple(
            (
                A1066,
                call("change_address", {"ok": True}, order_id="A1066", address=address),
                said,
            )
            for address, said in (
                ("12 Mill Lane, Bath", "Done, A1066 goes to 12 Mill Lane, Bath."),
                ("12 Mill Lane, Bath", "I have changed the address. Enjoy your new home!"),
                ("12 mill lane, Bath", "Your vase will be sent to Bath."),
                ("12 Mill Lane, Bath", "The address is updated."),
            )
        ),
    ),
    Task(
        "late-parcel",
        "My parcel for A1029 should have been here on Monday. Where is it?",
        (
            (A1029, TRACKED, "It is at the depot in Leeds and will come tomorrow."),
            (A1029, TIMED_OUT, TRACKED, "Your parcel is in Leeds; expect it tomorrow."),
            (A1029, TRACKED, "The carrier has it in Leeds. It arrives tomorrow."),
            (A1029, TIMED_OUT, TIMED_OUT, TRACKED, "Found it: Leeds, arriving tomorrow."),
        ),
    ),
    Task(
        "charged-twice",
        "You charged me twice for A1077.",
        (
            (PAYMENTS, refund("A1077", 31.0), "You are right. I have refunded 31.00."),
            (
                PAYMENTS,
                refund("A1077", 31.0),
                refund("A1077", 31.0),
                "You are right, both are refunded.",
            ),
            (PAYMENTS, refund("A1077", 31.0), "Sorry! The second payment of 31.00 is on its way."),
            (
                PAYMENTS,
                (*refund("A1077", 31.0), *refund("A1077", 31.0)),
                "I have refunded the payments.",
            ),
        ),
    ),
    Task(
        "opening-hours",
        "Are you open on Sundays?",
        (
            ("Yes, from 10 to 4.",),
            ("We are, from 10 in the morning until 4.",),
            ("Yes! Sundays 10 to 4, other days 9 to 6.",),
            ("On Sundays we open at 10 and close at 4.",),
        ),
    ),
    Task(
        "return-label",
        "I'd like to send back the boots from A1055.",
        (
            (A1055, RETURNS, LABEL, "Here is your label, R-2291. Unworn, please."),
            ((*A1055, *RETURNS), LABEL, "Your free return label is R-2291."),
            (A1055, (*RETURNS, *LABEL), "Label R-2291 is ready. The boots must be unworn."),
            (A1055, RETURNS, LABEL, "Use label R-2291 within 30 days."),
        ),
    ),
    Task(
        "which-order",
        "Cancel my order, please. My address is jo@example.org.",
        (
            (ORDERS, "You have two open orders: A1070 (mugs) and A1064 (apron). Which one?"),
            (ORDERS, "Do you mean the mugs (A1070) or the apron (A1064)?"),
            (ORDERS, "I see A1070 and A1064. Which of them shall I cancel?"),
            (
                ORDERS,
                call("cancel_order", {"status": "cancelled"}, order_id="A1070"),
                "I have cancelled your latest order, A1070.",
            ),
        ),
    ),
    Task(
        "refund-over-limit",
        "The whole dinner set in A1081 is chipped. I want the 640 back.",
        (
            (A1081, refund("A1081", 640.0), "I am so sorry. 640.00 is on its way back."),
            (A1081, REFUNDS, refund("A1081", 640.0), "I have refunded all of it, 640.00."),
            (A1081, refund("A1081", 640.0), "That should not happen. I have refunded 640.00."),
            (
                A1081,
                refund("A1081", 500.0),
                call("escalate", {"ticket": "T-18"}, reason="140 of A1081 still to be refunded"),
                "I have refunded 500.00; a colleague will see to the rest.",
            ),
        ),
    ),
)


def main() -> None:
    """Writes the recordings."""
    lines = []
    began = BEGAN
    for trial in range(4):
        for task in TASKS:
            row = recorded(task, trial, began)
            began = row["ended"] + 40
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    TARGET.write_text("".join(lines), encoding="utf-8")


def recorded(task: Task, trial: int, began: float) -> dict[str, Any]:
    """One run as OpenAI chat messages, with what a tracing tool writes beside them."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": task.asks},
    ]
    read = written = 0
    seconds = 0.0
    for step in task.runs[trial]:
        read += tokens(messages)
        if isinstance(step, str):
            said: list[dict[str, Any]] = [{"role": "assistant", "content": step}]
        else:
            said = asked_and_answered(step, len(messages))
        written += tokens(said[:1])
        seconds += 0.6 + tokens(said[:1]) / 60 + 0.25 * (len(said) - 1)
        messages += said
    return {
        "id": f"{task.id}-{trial}",
        "case_id": task.id,
        "trial": trial,
        "model": "shop-agent-small",
        "started": round(began, 2),
        "ended": round(began + seconds, 2),
        "usage": {
            "input_tokens": read,
            "output_tokens": written,
            "cost": round(read * 4e-7 + written * 1.6e-6, 7),
        },
        "messages": messages,
    }


def asked_and_answered(calls: tuple[Call, ...], at: int) -> list[dict[str, Any]]:
    """An assistant message that asks for calls, and the tools' answers."""
    asked = [
        {
            "id": f"call_{at}_{number}",
            "type": "function",
            "function": {"name": one.name, "arguments": json.dumps(one.args)},
        }
        for number, one in enumerate(calls)
    ]
    answers = [
        {"role": "tool", "tool_call_id": ask["id"], "content": json.dumps(one.result)}
        for ask, one in zip(asked, calls, strict=True)
    ]
    return [{"role": "assistant", "content": None, "tool_calls": asked}, *answers]


def tokens(messages: list[dict[str, Any]]) -> int:
    """About how many tokens the messages are: one for four characters."""
    return len(json.dumps(messages)) // 4


if __name__ == "__main__":
    main()
