"""Threads to traces: one for each branch, told from what the tasks wrote.

A branch is followed from its last checkpoint back along the parent links, since ids of several
processes have no order. A checkpoint made by a fork starts from the state of its parent; what the
parent's tasks wrote belongs to the other branch. So it is with an update of a checkpoint that led
elsewhere too; where it did not, its tasks ran, or waited for somebody, before the update.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from msgspec import UNSET

from passhat.errors import TraceError
from passhat.failing import outcome_of_text
from passhat.trace import Trace
from passhat_langgraph.branches import branches, chain_inside, chain_to, task_of_space
from passhat_langgraph.messages import messages_in, update_of
from passhat_langgraph.pauses import asks_for_review, before_tool, calls_of, pause_id, tell_pauses
from passhat_langgraph.points import Point, Thread, unreadable
from passhat_langgraph.states import delta_channels, is_own, sends_to, state_at, values_of
from passhat_langgraph.tasks import END, RETURN, START, Task, tasks_of
from passhat_langgraph.telling import Telling, by_order
from passhat_langgraph.untold import come_next, tell_left, tell_unseen, why_missing
from passhat_langgraph.where import Where

_OWN = frozenset({"source", "step", "parents", "counters_since_delta_snapshot", "thread_id"})


def traces_of(
    thread: Thread, *, states: bool = False, head: str | None = None
) -> Iterator[Trace | TraceError]:
    """The traces of a thread, a branch each; one that cannot be read is given as its error.

    Args:
        thread: The thread.
        states: Whether to decode the state in which each branch began and ended.
        head: The one checkpoint whose branch is wanted; it need not be the last of its branch.
    """
    by_id = {point.id: point for point in thread.points if not point.ns}
    if not by_id:
        yield unreadable(thread.id, None, "it has no checkpoint of the graph itself")
        return
    if head is not None and head not in by_id:
        yield unreadable(thread.id, head, "there is no such checkpoint", thread.place.file)
        return
    wanted = branches(thread) if head is None else [by_id[head]]
    if head is not None and any(point.parent == head for point in by_id.values()):
        # Its tasks ran, and their writes stay with it: they are what came after.
        wanted = [replace(by_id[head], writes=())]
    if not wanted:
        yield unreadable(thread.id, None, "its checkpoints follow each other in a circle")
    for number, last in enumerate(wanted):
        try:
            id = thread.id if number == 0 and head is None else f"{thread.id}@{last.id}"
            yield _Branch(thread, by_id, last, id, states).trace()
        except TraceError as error:
            what = error.message
            if "thread " not in what:
                what = f"thread {thread.id!r}: checkpoint {last.id}: {what}"
            yield TraceError(what, error.place if error.place.file else thread.place)


class _Branch:
    """One branch on its way to a trace."""

    def __init__(
        self, thread: Thread, by_id: dict[str, Point], last: Point, id: str, states: bool
    ) -> None:
        self.thread = thread
        self.chain = chain_to(by_id, last, thread)
        self.telling = Telling(id)
        self.states = states
        self.error: str | None = None
        self.entered: set[tuple[str, str]] = set()
        self.children = Counter((point.ns, point.parent) for point in thread.points)
        self.paths = any(write.path for point in thread.points for write in point.writes)
        self.spaces: defaultdict[str, list[str]] = defaultdict(list)
        self.points: defaultdict[str, list[Point]] = defaultdict(list)
        for point in thread.points:
            if point.ns:
                self.points[point.ns].append(point)
        for ns in self.points:
            self.spaces[task_of_space(ns)].append(ns)

    def trace(self) -> Trace:
        """The trace of the branch."""
        todo: list[Iterator[Any]] = [self._told(self.chain, (), None)]
        while todo:
            inner = next(todo[-1], None)
            if inner is None:
                todo.pop()
            else:
                todo.append(inner)
        last = self.chain[-1]
        metadata = {k: v for point in self.chain for k, v in point.metadata.items()}
        about = {k: v for k, v in metadata.items() if k not in _OWN}
        named = about.get("case_id")
        waits = self._waits(last)
        fields: dict[str, Any] = {
            "case_id": str(named) if isinstance(named, str | int) else self.thread.id,
            "metadata": {"thread_id": self.thread.id, **about},
            "started": self.chain[0].at,
            "ended": last.at,
            "extensions": {"checkpoint_id": last.id, **({"next": waits} if waits else {})},
        }
        if self.error is not None:
            fields |= {"error": self.error, "outcome": outcome_of_text(self.error)}
        elif waits:
            fields["outcome"] = "interrupted"
        if self.states:
            fields |= self._states()
        else:
            self.telling.chat.gap("state: states are decoded only with states=True")
        return self.telling.trace(**fields)

    def _waits(self, last: Point) -> list[str]:
        """The nodes that were to run from the last checkpoint, where none of them did."""
        if last.next is not None:
            return list(last.next)
        if last.writes or last.source == "update":
            return []
        sent, led = come_next(self.chain)
        return [*(str(row.get("node")) for row in sent), *led]

    def _told(
        self, chain: list[Point], path: tuple[str, ...], parent: str | None
    ) -> Iterator[Iterator[Any]]:
        """Tells a chain of checkpoints; gives the chains inside it when their time has come."""
        led: list[str] = []
        for at, point in enumerate(chain):
            after = chain[at + 1] if at + 1 < len(chain) else None
            self._made(point, chain[at - 1] if at else None, path, parent)
            if after is not None and (
                after.source == "fork" or (after.source == "update" and self._elsewhere(point))
            ):
                continue
            tasks = tasks_of(point, sends_to(chain, at))
            if self.paths and after is not None and after.source == "update":
                # Older updates are tasks without one.
                tasks = [task for task in tasks if task.path]
            if any(not task.path for task in tasks):
                self._name(tasks, point, led)
            led = [name for task in tasks for name in task.goto]
            ended = after.at if after is not None else None
            if point.source == "input" and not any(task.node == START for task in tasks):
                self._input_of_state(point, path)
            for task in tasks:
                where = Where(path, task.node, parent, point.at, ended)
                if task.node == START:
                    if not path and parent is None:
                        self.telling.take_in(task.update)
                    continue
                yield from self._task(task, where, point, after)

    def _elsewhere(self, point: Point) -> bool:
        """Whether what ran from a checkpoint led to more than the next one: to another branch."""
        return self.children[point.ns, point.id] > 1

    def _name(self, tasks: list[Task], point: Point, led: list[str]) -> None:
        """Names the nodes of tasks whose path is not stored: by where the step before led to."""
        names = {START} if point.source == "input" else set(led)
        for task in tasks:
            if not task.path and not task.node and len(names) == 1:
                task.node = next(iter(names))
            elif not task.path and not task.node:
                self.telling.chat.gap(f"nodes: which nodes ran in step {point.step} is not stored")

    def _task(
        self, task: Task, where: Where, point: Point, after: Point | None
    ) -> Iterator[Iterator[Any]]:
        telling = self.telling
        if task.nameless:
            telling.chat.gap("nodes: the names of a workflow's tasks are not stored")
        number = telling.visit(where, step=point.step)
        calls = calls_of(telling, task, where)
        for call in calls:
            telling.calls.place(call, where)
        spaces = self._inside(task, where, point)
        for index, ns in enumerate(spaces):
            inner = calls[min(index, len(calls) - 1)] if calls else where.parent
            if len(calls) > 1:
                telling.chat.gap(by_order(len(calls), where.node or ""))
            chain = chain_inside(self.points[ns], point)
            path = (*where.path, where.node or "")
            yield self._told(chain, path, inner)
            if task.done and not task.pauses:
                tell_left(self.telling, chain, path, inner)
        if not spaces and task.id in point.inside:
            tell_unseen(self.telling, task, where)
        over = after is not None and after.source == "loop"
        tell_pauses(telling, task, where, over=over)
        if after is not None and after.source == "update" and not task.done:
            for at, pause in enumerate(task.pauses):
                telling.pass_over(pause_id(task, pause, at))
        self._came_to(task, calls, number, where, inside=bool(spaces))
        if task.error is not None:
            telling.calls.fail(calls, task.error)
            if after is None:
                self.error = task.error

    def _came_to(
        self, task: Task, calls: list[str], visit: int, where: Where, *, inside: bool
    ) -> None:
        """Tells what a task wrote, and so what its visit came to."""
        telling = self.telling
        # Where a graph ran inside it, it was that graph that asked, and told what was refused.
        refused = not inside and any(asks_for_review(pause) for pause in task.pauses)
        for channel, value in task.update:
            entries = messages_in(channel, value)
            if entries:
                telling.say(entries, where, refused=refused)
            telling.calls.written(channel, value)
        about: dict[str, Any] = {"goto": task.goto} if task.goto else {}
        if task.tried:
            about["failed_before"] = task.tried
        if len(calls) == 1 and not any(before_tool(pause) for pause in task.pauses):
            # A body runs anew from its beginning, as far as its pause, with each answer.
            again = task.tried + sum(1 for pause in task.pauses if task.done)
            if again:
                telling.calls.ran(calls[0], 1 + again)
        update = task.delta if task.done else UNSET
        telling.visited(visit, update=update, error=task.error, extensions=about)
        delta = {
            channel: value
            for channel, value in task.update
            if channel not in (RETURN, END) and messages_in(channel, value) is None
        }
        if delta:
            telling.chat.state_update(delta, by=where.node, at=where.ended)

    def _inside(self, task: Task, where: Where, point: Point) -> list[str]:
        """The namespaces of the graphs that ran inside a task."""
        found = [ns for ns in self.spaces[task.id] if self.points[ns]]
        lasting = "|".join(filter(None, (point.ns, task.node)))
        if any(inner.parents.get(point.ns) == point.id for inner in self.points[lasting]):
            found.append(lasting)
        # Each is entered once from a checkpoint: a damaged file may nest a graph in itself.
        found = [ns for ns in found if (ns, point.id) not in self.entered]
        self.entered.update((ns, point.id) for ns in found)
        return sorted(found)

    def _made(
        self, point: Point, before: Point | None, path: tuple[str, ...], parent: str | None
    ) -> None:
        """Tells what only a checkpoint's state says: of an update, and of what was not kept before."""
        outside = not path and parent is None
        missing = why_missing(point, before, outside=outside)
        if missing:
            for need in ("calls", "nodes"):
                self.telling.chat.gap(f"{need}: {missing}")
        if not missing and point.source != "update":
            return
        values = values_of(point)
        changed = point.load().get("updated_channels")
        if changed is None and before is not None:
            old = values_of(before)
            changed = [name for name, value in values.items() if old.get(name) != value]
        delta = {}
        for channel, value in values.items():
            entries = messages_in(channel, value)
            if entries is not None:
                here = Where(path, None, parent, ended=point.at)
                # Who answers a call that waits by an update does so in place of its tool.
                by_hand = point.source == "update" and any(map(self.telling.calls.answers, entries))
                self.telling.say(entries, here, given=outside, whole=True, refused=by_hand)
            elif is_own(channel) and (not isinstance(changed, list) or channel in changed):
                delta[channel] = value
        if delta and point.source == "update":
            self.telling.chat.state_update(delta, by="update_state", at=point.at)

    def _input_of_state(self, point: Point, path: tuple[str, ...]) -> None:
        """Tells the input of a workflow, which only its state holds."""
        values = values_of(point)
        if path or START not in values:
            return
        given = values[START]
        if isinstance(given, dict) and messages_in("messages", given):
            given = [given]
        self.telling.take_in(list(update_of(given).items()))

    def _states(self) -> dict[str, Any]:
        """The state in which the branch began, its input taken in, and that in which it ended."""
        chain, last = self.chain, len(self.chain) - 1
        first = next((at for at, point in enumerate(chain) if point.source != "input"), last)
        for channel in delta_channels(chain[last]):
            self.telling.chat.gap(
                f"the state of the delta channel {channel!r} is put together from what was written"
            )
        values = values_of(chain[last])
        if not any(map(is_own, values)) and any(name in values for name in (START, END)):
            # A workflow has no state, but what it came to.
            return {"final_state": values[END]} if END in values else {}
        return {"initial_state": state_at(chain, first), "final_state": state_at(chain, last)}
