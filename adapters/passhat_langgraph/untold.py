"""What no write tells: why nothing led to a checkpoint, and what was to run from the last one."""

from __future__ import annotations

from passhat_langgraph.messages import Entry
from passhat_langgraph.points import Point
from passhat_langgraph.states import sends_to
from passhat_langgraph.tasks import Task, tasks_of

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


def why_missing(point: Point, before: Point | None) -> str:
    """Why nothing says what led to a checkpoint; nothing where that is known."""
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
