"""What no write tells: what led to a checkpoint, what was to run from the last one, and who left."""

from __future__ import annotations

from passhat_langgraph.messages import Entry, calls_sent, messages_in
from passhat_langgraph.points import Point
from passhat_langgraph.states import sends_to
from passhat_langgraph.tasks import Task, tasks_of
from passhat_langgraph.telling import Telling
from passhat_langgraph.where import Where

EXIT = "durability=exit kept one checkpoint: no trajectory"


def come_next(chain: list[Point]) -> tuple[list[Entry], list[str]]:
    """What was to run from the last checkpoint: tasks that were sent off, and nodes that were led to.

    Each task that was sent off runs; a node that several led to, once.
    """
    if len(chain) < 2:
        return [], []
    tasks = tasks_of(chain[-2], sends_to(chain, len(chain) - 2))
    led = dict.fromkeys(name for task in tasks for name in task.led)
    return [row for task in tasks for row in task.sent], list(led)


def why_missing(point: Point, before: Point | None, *, outside: bool) -> str:
    """Why nothing says what led to a checkpoint; nothing where that is known.

    Args:
        point: The checkpoint.
        before: The one before it in its branch.
        outside: Whether it is of the graph itself. One inside begins anew where it was left.
    """
    if outside and before is None and point.parent is not None:
        return f"checkpoints before step {point.step} are gone"
    if point.source != "loop" or (before is None and point.parent is not None):
        return ""
    if before is None:
        return EXIT if point.step >= 0 else ""
    cut = [task for task in tasks_of(before, []) if _cut(task)]
    if point.step > before.step + 1 or any(task.error is None for task in cut):
        return EXIT
    if cut:
        return f"node {cut[0].node} failed, and what ran then is not stored"
    return "" if before.writes else f"what the nodes of step {before.step} wrote is not stored"


def _cut(task: Task) -> bool:
    """Whether what a task did when it was taken up again is not stored: only that it had stopped."""
    return not (task.done or task.handled) and (bool(task.pauses) or not task.nameless)


def tell_left(
    telling: Telling, chain: list[Point], path: tuple[str, ...], parent: str | None
) -> None:
    """Tells the nodes that were at work when one left a graph inside: they wrote nothing there.

    A node leaves its graph by a command to the one around it.
    """
    last = chain[-1]
    tasks = tasks_of(last, sends_to(chain, len(chain) - 1))
    ran, done = {task.node for task in tasks}, [row for task in tasks for row in task.given]
    sent, led = come_next(chain)
    left: list[tuple[str, list[Entry]]] = [(name, []) for name in led if name not in ran]
    for row in sent:
        name, calls = str(row.get("node")), calls_sent(row.get("arg"))
        if (calls and calls[0] not in done) or (not calls and name not in ran):
            left.append((name, calls))
    for name, calls in left:
        where = Where(path, name, parent, started=last.at)
        for call in calls:
            telling.calls.place(str(call.get("id")), where)
        telling.visit(where, step=last.step)


def tell_unseen(telling: Telling, task: Task, where: Where) -> None:
    """Says that what a graph inside a task did is not there; its messages may be among its writes."""
    told = [e for channel, value in task.update for e in messages_in(channel, value) or ()]
    needs = ("nodes",) if any(e.get("type") == "ai" for e in told) else ("calls", "nodes")
    for need in needs:
        telling.chat.gap(
            f"{need}: the states of the graph inside {where.node} are not in the history"
        )
