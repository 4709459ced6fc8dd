"""Trees of runs: given nested or flat, whole or with parts missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from passhat_langsmith.runs import Run, field_in, listed, read_run

_START = "__start__"
"""LangGraph's own node, which takes the inputs in."""
_PLACE = "langgraph_checkpoint_ns"
"""What tells a visit of a node from any other: all runs in it have it."""


@dataclass(slots=True)
class Tree:
    """One trace: its root, and what is missing of it."""

    root: Run
    gaps: list[str]


def trees(values: Iterable[Any]) -> list[Tree]:
    """The trees of runs that are given flat, nested, or mixed; in the order their roots began.

    A run that is given twice (when it began and when it ended) is one, and what was said last
    stands. One whose parent is not there hangs from the root of its trace, which the gaps say.

    Raises:
        TraceError: A run cannot be read; the error names it.
    """
    runs: dict[str, Run] = {}
    todo: list[tuple[Any, str, str | None]] = [
        (value, f"$[{at}]", None) for at, value in enumerate(values)
    ]
    todo.reverse()
    while todo:
        value, path, parent = todo.pop()
        run = read_run(value, path, parent)
        if run.id in runs:
            _merge(runs[run.id], run)
            continue
        runs[run.id] = run
        children = value.get("child_runs") if type(value) is dict else field_in(value, "child_runs")
        if children and (children := listed(children)):
            todo += [
                (child, f"{path}.child_runs[{at}]", run.id)
                for at, child in reversed(list(enumerate(children)))
            ]
    return _planted(runs)


def _merge(held: Run, again: Run) -> None:
    for name in Run.__struct_fields__:
        said = getattr(again, name)
        if name not in ("children", "above") and said not in (None, "", {}, [], ()):
            setattr(held, name, said)


def _planted(runs: dict[str, Run]) -> list[Tree]:
    gaps: dict[str, list[str]] = {}
    roots: dict[str, Run] = {}
    orphans: list[Run] = []
    for run in runs.values():
        if run.parent is None or run.parent == run.id:
            roots[run.id] = run
        elif run.parent in runs:
            runs[run.parent].children.append(run)
        else:
            orphans.append(run)
    reached = _below([*roots.values(), *orphans])
    for run in runs.values() if len(reached) < len(runs) else ():
        if run.id not in reached:  # What no root leads to is a ring of parents: it is cut here.
            runs[run.parent or ""].children.remove(run)
            gaps[run.id] = [f"run {run.id}: its parents go round in a ring"]
            roots[run.id] = run
            reached |= _below([run])
    for run in orphans:
        home = run.trace_id or run.parent or run.id
        if home not in roots:
            roots[home] = Run(home, trace_id=home, order=run.order, started=run.started)
            gaps.setdefault(home, []).append(f"run {home}: the root of the trace is missing")
        else:
            gap = f"run {run.id}: its parent {run.parent} is missing"
            gaps.setdefault(home, []).append(gap)
        roots[home].children.append(run)
    for run in [*runs.values(), *roots.values()]:
        if len(run.children) > 1:
            run.children.sort(key=_order if all(one.order for one in run.children) else _when)
        for child in run.children:
            child.above = run
    found = sorted(roots.values(), key=_when)
    return [Tree(root, gaps.get(root.id, [])) for root in found]


def all_below(root: Run) -> Iterator[Run]:
    """A run, and all that were started in it."""
    todo = [root]
    while todo:
        run = todo.pop()
        yield run
        todo += run.children


def _below(roots: list[Run]) -> set[str]:
    reached: set[str] = set()
    todo = list(roots)
    while todo:
        run = todo.pop()
        if run.id not in reached:
            reached.add(run.id)
            todo += run.children
    return reached


def ended_before(run: Run, other: Run) -> bool:
    """Whether a run, with all that it was a part of, had ended when another began.

    What they are both a part of had not, and does not count. Where a time is missing, or both are
    steps of one run, whose ends may be written down late, the other is taken to have come after.
    """
    parts: dict[str, Run] = {}
    at = run
    while at.above is not None:
        parts[at.above.id] = at
        at = at.above
    at = other
    while at.above is not None and at.above.id not in parts:
        at = at.above
    if at.above is None:
        return True
    part = parts[at.above.id]
    if (part is run and at is other) or part.ended is None or at.started is None:
        return True
    return part.ended <= at.started


def is_visit(run: Run) -> bool:
    """Whether a run is a visit of a graph's node, and not the graph in it, which may be called the same."""
    name, place = run.name, run.metadata.get(_PLACE)
    if run.metadata.get("langgraph_node") != name or name == _START:
        return False
    above = run.above
    while above is not None and above.metadata.get("langgraph_node") == name:
        if above.metadata.get(_PLACE) != place:
            break
        if above.name == name:
            return False
        above = above.above
    return True


def _order(run: Run) -> str:
    return run.order


def _when(run: Run) -> float:
    """Runs sort by when they began: parallel ones are listed in the order they ended."""
    return run.started if run.started is not None else 0.0
