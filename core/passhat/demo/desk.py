"""A refund desk: its tools, and an agent whose model answers by a script and slips now and then.

The script knows no framework. Each adapter puts it into an agent of its framework's, and the
attempts slip alike everywhere: they are seeded by the task and the number of the attempt.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

SEED = 513


class Move(NamedTuple):
    """What the agent does next: a call, or what it says where `name` is empty."""

    name: str = ""
    args: Mapping[str, Any] = {}
    text: str = ""


def lookup_order(state: dict[str, Any], order_id: str) -> dict[str, Any]:
    """Looks an order up."""
    return dict(state["orders"][order_id])


def issue_refund(state: dict[str, Any], order_id: str, amount: float) -> str:
    """Pays an amount back for an order."""
    refund = state["refunds"].setdefault(order_id, {"amount": 0.0})
    refund["amount"] += amount
    return "refunded"


TOOLS: tuple[Callable[..., Any], ...] = (lookup_order, issue_refund)
"""The tools of the desk, each of a state that it may change."""


def _look(order: str) -> Move:
    return Move("lookup_order", {"order_id": order})


def _pay(order: str, amount: float) -> Move:
    return Move("issue_refund", {"order_id": order, "amount": amount})


@dataclass(frozen=True)
class _Task:
    odds: float
    well: tuple[Move, ...]
    slip: tuple[Move, ...]


def _paid(order: str) -> Move:
    return Move(text=f"I have refunded order {order}.")


_TASKS = {
    "A1": _Task(
        0.4,
        (_look("A1"), _pay("A1", 49.9), _paid("A1")),
        (_look("A1"), _pay("A1", 499.0), _paid("A1")),
    ),
    "A2": _Task(
        0.4,
        (_look("A2"), _pay("A2", 18.0), _paid("A2")),
        (_pay("A2", 18.0), _look("A2"), _paid("A2")),
    ),
    "A3": _Task(
        0.3,
        (_look("A3"), Move(text="Order A3 is still on its way, so I cannot refund it yet.")),
        (_look("A3"), _pay("A3", 75.0), Move(text="It is on its way, but I have refunded A3.")),
    ),
    "A4": _Task(
        0.3,
        (_look("A4"), _pay("A4", 120.0), _paid("A4")),
        (_look("A4"), _pay("A4", 120.0), _pay("A4", 120.0), _paid("A4")),
    ),
}


@dataclass
class Script:
    """The model of the agent: what it does next, by what was asked and what came back so far.

    A conversation begins where nothing came back yet; the n-th about an order is its n-th attempt.
    """

    _attempts: Counter[str] = field(default_factory=Counter)
    _now: dict[str, tuple[Move, ...]] = field(default_factory=dict)

    def next(self, asked: str, answers: int) -> Move:
        """The next move.

        Args:
            asked: What the user asked.
            answers: How many calls have come back.

        >>> script = Script()
        >>> script.next("Refund A3.", 0).name, script.next("Refund A3.", 1).text[:21]
        ('lookup_order', 'Order A3 is still on ')
        """
        order = next(name for name in _TASKS if name in asked)
        if not answers:
            task, number = _TASKS[order], self._attempts[order]
            self._attempts[order] += 1
            slips = Random(f"{SEED}:{order}:{number}").random() < task.odds
            self._now[order] = task.slip if slips else task.well
        return self._now[order][answers]


def answered(script: Script, asked: str, tools: Mapping[str, Callable[..., Any]]) -> list[Any]:
    """The agent as a plain function: the chat of one attempt, as OpenAI writes it."""
    chat: list[Any] = [{"role": "user", "content": asked}]
    answers = 0
    while (move := script.next(asked, answers)).name:
        answers += 1
        id = f"call_{answers}"
        call = {"name": move.name, "arguments": json.dumps(move.args)}
        chat.append({"role": "assistant", "tool_calls": [{"id": id, "function": call}]})
        gave = tools[move.name](**move.args)
        text = gave if isinstance(gave, str) else json.dumps(gave)
        chat.append({"role": "tool", "tool_call_id": id, "content": text})
    return [*chat, {"role": "assistant", "content": move.text}]
