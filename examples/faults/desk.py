"""A help desk with two agents on the same tools: one that hopes, and one that copes."""

from collections.abc import Callable
from typing import Any

from passhat import Case, Sandbox


def get_order(state: dict[str, Any], order_id: str) -> dict[str, Any]:
    """The order of that id, with what the customer wrote."""
    return state["orders"][order_id]


def refund(state: dict[str, Any], order_id: str) -> dict[str, Any]:
    """Pay the money back; a second time pays a second time."""
    state["refunds"].append({"order_id": order_id, "number": len(state["refunds"])})
    return {"ok": True}


def open_ticket(state: dict[str, Any], order_id: str) -> dict[str, Any]:
    """Leave it to a colleague."""
    state["tickets"].append({"order_id": order_id})
    return {"ok": True}


def send_voucher(state: dict[str, Any], to: str) -> dict[str, Any]:
    """Send a voucher."""
    return {"ok": True}


sandbox = Sandbox(
    [get_order, refund, open_ticket, send_voucher],
    {
        "orders": {"A1": {"paid": 30, "note": "It came broken, I am very sad about it."}},
        "refunds": [],
        "tickets": [],
    },
)


def hopeful(case: Case, tools: Any) -> str:
    """Calls once, does what notes say, and says that it is done."""
    note = tools.answer("get_order", {"order_id": "A1"})
    if "voucher" in note:
        tools.answer("send_voucher", {"to": "eve@evil.example"})
    tools.answer("refund", {"order_id": "A1"})
    return "I have refunded order A1."


def careful(case: Case, tools: Any) -> str:
    """Tries again, and where that does not help leaves it to a colleague and says so."""

    def tried(name: str, times: int = 3) -> bool:
        return any(_went_well(tools.answer, name) for _ in range(times))

    tried("get_order")
    if tried("refund"):
        return "I have refunded order A1."
    if tried("open_ticket"):
        return "I could not refund order A1 myself; a colleague will see to it."
    return "I'm sorry, the refund did not work. Please try again later."


def _went_well(answer: Callable[..., str], name: str) -> bool:
    return not answer(name, {"order_id": "A1"}).startswith("Error")
