"""A support agent on a script, as unsteady as a real one: on some days it forgets to look first."""

import random

from passhat import Message, ToolCall, Trace

ORDERS = {"A123": 49.9, "B7": 12.0}


class NoModel(Exception):
    """The model cannot be reached."""


def answer(question: str, seed: int) -> Trace:
    """What the agent does, as a trace; your agent's framework gives you one."""
    luck = random.Random(f"{question} {seed}").random()
    if luck > 0.95:
        raise NoModel("try again later")
    order = question.rstrip("?.").split()[-1]
    steps = [Message("user", question)]
    if luck > 0.15:
        steps.append(ToolCall("lookup_order", {"order_id": order}, result=ORDERS[order]))
    if "Refund" in question:
        steps.append(
            ToolCall("issue_refund", {"order_id": order, "amount": ORDERS[order]}, result="ok")
        )
    steps.append(Message("assistant", "That is done."))
    return Trace("run", steps=steps)
