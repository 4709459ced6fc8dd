"""Which checkpoints belong together: the branches of a thread, and the graphs inside its tasks."""

from __future__ import annotations

from passhat_langgraph.points import Point, Thread, unreadable


def branches(thread: Thread) -> list[Point]:
    """The last checkpoint of each branch of a thread; that of its present state comes first."""
    roots = [point for point in thread.points if not point.ns]
    followed = {point.parent for point in roots}
    leaves = [point for point in roots if point.id not in followed]
    return sorted(leaves, key=lambda point: point.id, reverse=True)


def chain_to(by_id: dict[str, Point], last: Point, thread: Thread) -> list[Point]:
    """The checkpoints of a branch, the first one first."""
    found, seen = [last], {last.id}
    while (parent := _parent(by_id, found[-1])) is not None:
        if parent.id in seen:
            raise unreadable(thread.id, parent.id, "it follows itself", thread.place.file)
        found.append(parent)
        seen.add(parent.id)
    return found[::-1]


def _parent(by_id: dict[str, Point], point: Point) -> Point | None:
    return by_id.get(point.parent) if point.parent is not None else None


def chain_inside(points: list[Point], outer: Point) -> list[Point]:
    """The checkpoints of a graph inside a task, the first one first."""
    mine = [p for p in points if p.parents.get(outer.ns) == outer.id]
    by_id = {point.id: point for point in mine or points}
    last = max(by_id.values(), key=lambda point: point.id)
    found, seen = [last], {last.id}
    while (parent := _parent(by_id, found[-1])) is not None and parent.id not in seen:
        found.append(parent)
        seen.add(parent.id)
    return found[::-1]


def task_of_space(ns: str) -> str:
    """The id of the task that a namespace is inside of; nothing where it names none."""
    parts = [part for part in ns.split("|") if not part.isdecimal()]
    return parts[-1].rpartition(":")[2] if parts and ":" in parts[-1] else ""


def nodes_of_space(ns: str) -> tuple[str, ...]:
    """The nodes that a namespace lies inside, outermost first.

    >>> nodes_of_space("worker:1f2e|1|tools:7a9c")
    ('worker', 'tools')
    """
    return tuple(p.partition(":")[0] for p in ns.split("|") if p and not p.isdecimal())
