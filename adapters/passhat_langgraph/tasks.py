"""The tasks that ran from a checkpoint: which node each was, what it wrote, what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from passhat_langgraph.decoding import TYPE
from passhat_langgraph.messages import SENDS, Entry, calls_sent, sends_of
from passhat_langgraph.points import Point, Write

ERROR, INTERRUPT, RESUME = "__error__", "__interrupt__", "__resume__"
RETURN, START, END, TRIGGER = "__return__", "__start__", "__end__", "branch:to:"
ROOT = "__root__"
"""The channel of a state that is no mapping."""

PULL, PUSH = "~__pregel_pull, ", "~__pregel_push, "
UPDATED = "~__interrupt__, "
"""The path of what `update_state` writes: beside the tasks of the checkpoint that it updates.

Older versions gave it none, and the id of a task that waits.
"""
HANDLER = ", node_error_handler, "
"""What the path of a task that handles another's error goes on with, after that one's path."""

_HANDLES, _SOURCE = "__error_handler__", "__error_source_node__"
_NOBODY = "00000000-0000-0000-0000-000000000000"


@dataclass
class Task:
    """One task, from all that it wrote.

    Args:
        id: Its id.
        path: How it came to run.
        node: The node it ran.
        update: What it wrote to the graph's own channels, in order.
        sent: The tasks it sent off, and `goto` the nodes it led to.
        given: The calls that it was started for, where it was sent off with them.
        error: Why it failed, where nothing says that it went well later.
        tried: How often it failed before it went well.
        pauses: The interrupts it raised, with `answers` to them so far.
        unsure: Whether one more answer was given to it or to another, and nothing tells to which.
        done: Whether it finished.
        handled: Whether it failed, and the graph went on with the node that handles its errors.
        nameless: Whether the name of its node is not stored.
    """

    id: str
    path: str
    node: str
    update: list[tuple[str, Any]] = field(default_factory=list)
    sent: list[Entry] = field(default_factory=list)
    goto: list[str] = field(default_factory=list)
    given: list[Entry] = field(default_factory=list)
    error: str | None = None
    tried: int = 0
    pauses: list[Entry] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    unsure: bool = False
    done: bool = False
    handled: bool = False
    nameless: bool = False

    @property
    def led(self) -> list[str]:
        """The nodes that it led to by its edges, without those of the tasks it sent off."""
        sent = Counter(str(row.get("node")) for row in self.sent)
        found = []
        for name in self.goto:
            if sent[name]:
                sent[name] -= 1
            else:
                found.append(name)
        return found

    @property
    def delta(self) -> dict[str, Any]:
        """What it wrote, by channel; of several writes to one channel a list under `$writes`."""
        found: dict[str, Any] = {}
        several: set[str] = set()
        for channel, value in self.update:
            if channel in several:
                found[channel]["$writes"].append(value)
            elif channel in found:
                found[channel] = {"$writes": [found[channel], value]}
                several.add(channel)
            else:
                found[channel] = value
        return found


def tasks_of(point: Point, sends: list[Entry]) -> list[Task]:
    """The tasks that ran from a checkpoint, in order.

    Args:
        point: The checkpoint.
        sends: What was sent off towards it: where a task's path has a number, it is one of these.
    """
    found: dict[str, Task] = {}
    loose: list[Any] = []
    told = {write.task for write in point.writes if write.path}
    for write in sorted(point.writes, key=_order):
        older = not write.path and write.task in told and not write.channel.startswith("__")
        if older or write.path.startswith(UPDATED):
            continue  # The checkpoint that the update made tells of it.
        if write.task == _NOBODY:
            if write.channel == RESUME:
                loose.append(write.value)
            continue
        task = found.get(write.task)
        if task is None:
            task = found[write.task] = _named(write, point, sends)
        _take(task, write)
    handled = {path for path, handles, _ in map(_handler, found.values()) if handles}
    for task in found.values():
        task.handled = task.path in handled
        if task.done and task.error is not None:
            task.error, task.tried = None, 1
    _answer([task for task in found.values() if task.done and task.pauses], loose)
    return sorted(found.values(), key=lambda task: (task.node != START, task.path))


def _handler(task: Task) -> tuple[str, str, str]:
    return task.path.partition(HANDLER)


def _answer(asked: list[Task], loose: list[Any]) -> None:
    """Gives what was answered to a checkpoint as a whole to the task that took it.

    The last answer may stand with the checkpoint alone, those before it with the task.
    """
    if not loose or any(task.answers[-1:] == loose[-1:] for task in asked):
        return
    takers = [task for task in asked if not task.answers] or asked
    for task in takers:
        if len(takers) > 1 and task.answers:
            task.unsure = True
        else:
            task.answers += loose


def _order(write: Write) -> tuple[bool, str, str, int]:
    return not write.path, write.path, write.task, write.index


def _named(write: Write, point: Point, sends: list[Entry]) -> Task:
    node = point.tasks.get(write.task)
    task = Task(write.task, write.path, "")
    path, handles, _ = _handler(task)
    task.node = node or path
    if path.startswith(PULL):
        task.node = node or path.removeprefix(PULL)
    elif path.startswith(PUSH):
        rest = path.removeprefix(PUSH)
        number = rest.partition(",")[0]
        if _is_number(number) and int(number) < len(sends):
            sent = sends[int(number)]
            task.node = node or str(sent.get("node"))
            task.given = calls_sent(sent.get("arg"))
        elif PULL in f"{rest}, ":
            # A task of the functional API: only its workflow and its number are stored.
            names = rest.split(", ")
            told = len(names) > 2 and _is_number(names[2])
            task.node = node or (f"{names[1]}.task[{int(names[2])}]" if told else path)
            task.nameless = node is None
    if handles and node is None:
        task.node = f"{_HANDLES}{task.node}"
    return task


def is_error_handler(node: str | None) -> bool:
    """Whether a node is what LangGraph makes of another's `error_handler`.

    >>> is_error_handler("__error_handler__agent"), is_error_handler("agent")
    (True, False)
    """
    return node is not None and node.startswith((_HANDLES, "__default_error_handler__"))


def led_to(values: dict[str, Any]) -> list[str]:
    """The nodes that a state leads to, by the channels that trigger them and what was sent off.

    >>> led_to({"branch:to:agent": None, "messages": []})
    ['agent']
    """
    named = [name.removeprefix(TRIGGER) for name in values if name.startswith(TRIGGER)]
    return named + [str(getattr(sent, "node", "")) for sent in values.get(SENDS) or ()]


def _is_number(text: str) -> bool:
    """Whether a part of a path is a number, and no more than a count of tasks can be."""
    return text.isdecimal() and len(text) <= 12


def _take(task: Task, write: Write) -> None:
    channel, value = write.channel, write.value
    if channel == ERROR:
        task.error = value if isinstance(value, str) else str(value)
    elif channel == _SOURCE:
        return
    elif channel == INTERRUPT:
        rows = value if isinstance(value, list) else [value]
        task.pauses += [_pause(row) for row in rows]
    elif channel == RESUME:
        task.answers += value if isinstance(value, list) else [value]
    elif channel == SENDS:
        sent = sends_of(channel, value)
        task.sent += sent
        task.goto += [str(row.get("node")) for row in sent]
        task.done = True
    elif channel.startswith(TRIGGER):
        task.goto.append(channel.removeprefix(TRIGGER))
        task.done = True
    else:
        task.done = True
        if channel in (RETURN, END, ROOT) or not (
            channel.startswith("__") and channel.endswith("__")
        ):
            task.update.append((channel, value))


def _pause(row: Any) -> Entry:
    if isinstance(row, dict) and (row.get(TYPE) == "langgraph.types.Interrupt" or "value" in row):
        return row
    return {"value": row}
