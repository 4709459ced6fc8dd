"""Thread histories of the LangGraph Server, as its API and its SDK give them: JSON, no LangGraph.

A history is a list of thread states, the newest first: each is the state before its tasks ran, with
what they wrote. The states of subgraphs may stand among them; their `checkpoint_ns` tells.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

from passhat.errors import Place, TraceError
from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.shapes import kind_of
from passhat.trace import Trace
from passhat_langgraph.points import Point, Thread, Write
from passhat_langgraph.sqlite import point
from passhat_langgraph.tasks import ERROR, INTERRUPT, RESUME, START

State: TypeAlias = dict[str, Any]


def is_state(value: Any) -> bool:
    """Whether a value is a thread state.

    >>> is_state({"values": {}, "next": [], "tasks": [], "checkpoint": {}})
    True
    """
    return (
        isinstance(value, dict)
        and "values" in value
        and "tasks" in value
        and bool({"checkpoint", "parent_checkpoint", "config", "parent_config"} & value.keys())
    )


def thread_of(history: Any, id: str) -> Thread:
    """The thread of a history.

    Args:
        history: The states, or one state.
        id: The thread's id, should the states have none.

    Raises:
        TraceError: It is no history; the error names the path.
    """
    rows = [history] if isinstance(history, dict) else history
    if not isinstance(rows, list) or not rows:
        raise TraceError(f"a thread history is a list of states, not {kind_of(history)}")
    for at, row in enumerate(rows):
        if not is_state(row):
            raise TraceError(
                "no thread state: it has no values, tasks and checkpoint; what a graph of yours "
                "stored is read by the graph and the thread, to_trace(graph, config)",
                _at(at),
            )
    places = _places(rows)
    threads = [_about(row).get("thread_id") for row in rows]
    named = list(dict.fromkeys(str(thread) for thread in threads if thread))
    if len(named) > 1:
        raise TraceError(
            f"the states are of {len(named)} threads ({named[0]!r}, {named[1]!r}); a history is of "
            "one: give each a list of its own"
        )
    dated = _dated([rows[at] for at in places])
    points = tuple(_point(row, at) for at, row in zip(places, dated, strict=True))
    return Thread(named[0] if named else id, points)


def _places(rows: list[State]) -> list[int]:
    """Where the states stand, the oldest first; one that two pages of a history share counts once.

    Raises:
        TraceError: One of several has no id, or two with one id differ.
    """
    found: dict[tuple[str, str], int] = {}
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        for key in ("checkpoint", "parent_checkpoint"):
            if not isinstance(row.get(key), dict | None):
                raise TraceError(f"{key} is an object, not {kind_of(row[key])}", _at(at, f".{key}"))
        if not _id(row) and len(rows) > 1:
            raise TraceError(
                "a thread state without the id of its checkpoint: what follows it cannot be told",
                _at(at, ".checkpoint.checkpoint_id"),
            )
        before = found.setdefault((_space(row), _id(row)), at)
        if row != rows[before]:
            raise TraceError(
                f"checkpoint {_id(row)!r} stands in the history twice, and not alike", _at(before)
            )
    return list(found.values())


def _at(number: int, more: str = "") -> Place:
    return Place(path=f"$[{number}]{more}")


def _about(row: State, key: str = "checkpoint") -> State:
    """What a state says of its checkpoint, or of its parent: the API's way, or a snapshot's."""
    found = row.get(key)
    if not isinstance(found, dict):
        config = row.get(key.replace("checkpoint", "config"))
        found = config.get("configurable") if isinstance(config, dict) else None
    return found if isinstance(found, dict) else {}


def _space(row: State) -> str:
    """The namespace of a state: that of a graph inside another; empty for the graph itself."""
    found = _about(row).get("checkpoint_ns")
    return found if isinstance(found, str) else ""


def _id(row: State, key: str = "checkpoint") -> str:
    about = _about(row, key)
    found = about.get("checkpoint_id") or row.get(f"{key}_id")
    return found if isinstance(found, str) else ""


def _dated(rows: list[State]) -> list[State]:
    """The states, those of older servers with the writes that their children's metadata hold."""
    by_id = {_id(row): at for at, row in enumerate(rows)}
    found = list(rows)
    for row in rows:
        metadata = row.get("metadata")
        writes = metadata.get("writes") if isinstance(metadata, dict) else None
        before = by_id.get(_id(row, "parent_checkpoint"))
        if not isinstance(writes, dict) or before is None:
            continue
        held = found[before].get("tasks")
        if isinstance(held, list) and any(_result(task) for task in held):
            continue
        tasks = [
            {"id": f"{_id(found[before])}:{name}", "name": name, "result": update}
            for name, update in writes.items()
        ]
        found[before] = {**found[before], "tasks": tasks}
    return found


def _result(task: Any) -> Any:
    return task.get("result") if isinstance(task, dict) else None


def _point(row: State, number: int) -> Point:
    tasks = row.get("tasks")
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise TraceError("tasks are a list of objects", _at(number, ".tasks"))
    writes: list[Write] = []
    names: dict[str, str] = {}
    inside: set[str] = set()
    for at, task in enumerate(tasks):
        id = str(task.get("id") or f"{_id(row)}:{at}")
        names[id] = str(task.get("name"))
        if isinstance(task.get("checkpoint"), dict) or isinstance(task.get("state"), dict):
            inside.add(id)
        if not isinstance(task.get("interrupts"), list | None):
            raise TraceError("interrupts are a list", _at(number, f".tasks[{at}].interrupts"))
        writes += _writes(id, f"{at:06}", task)
    values = row.get("values")
    if not isinstance(values, dict):
        values = {} if values is None else {"__root__": values}
    metadata = row.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    about = {k: v for k, v in metadata.items() if k != "writes"}
    made = point(
        _space(row),
        _id(row),
        _id(row, "parent_checkpoint"),
        about,
        tuple(writes),
        lambda: {"channel_values": values},
    )
    following = row.get("next")
    listed = tuple(map(str, following)) if isinstance(following, list) else None
    return replace(made, tasks=names, inside=frozenset(inside), next=listed)


def _writes(id: str, path: str, task: State) -> list[Write]:
    result = task.get("result")
    found: list[Write] = []
    for at, pause in enumerate(task.get("interrupts") or ()):
        answers = pause.get("resume") if isinstance(pause, dict) else None
        found.append(Write(id, path, at - 1000, INTERRUPT, [pause]))
        if answers is not None:
            found.append(Write(id, path, at - 500, RESUME, [answers]))
    if task.get("error") is not None:
        found.append(Write(id, path, -1, ERROR, task["error"]))
    if isinstance(result, dict):
        for channel, value in result.items():
            several = value.get("$writes") if isinstance(value, dict) else None
            rows = several if isinstance(several, list) else [value]
            found += [Write(id, path, at, channel, row) for at, row in enumerate(rows)]
        if not result:
            found.append(Write(id, path, 0, "__no_writes__", None))
    elif result is not None:
        found.append(Write(id, path, 0, "__root__", result))
    return found


def history_of(trace: Trace) -> list[State]:
    """A trace as a thread history, the newest state first: its messages, turn by turn.

    Raises:
        TraceError: The trace holds a value that is no JSON.
    """
    entries = langchain.from_trace(trace)["messages"]
    groups: list[tuple[str, list[Any]]] = []
    for entry in entries:
        name = {"ai": "agent", "tool": "tools"}.get(entry["type"], START)
        if name == "agent" or not groups or groups[-1][0] != name:
            groups.append((name, []))
        groups[-1][1].append(entry)
    states: list[State] = []
    metadata = {"case_id": trace.case_id} if trace.case_id is not None else {}
    for name, group in [*groups, ("", [])]:
        number = len(states)
        task = {"id": f"task-{number}", "name": name, "result": {"messages": group}}
        states.append(
            {
                "values": {},
                "next": [name] if name else [],
                "tasks": [task] if name else [],
                "metadata": {
                    **metadata,
                    "source": "input" if name == START else "loop",
                    "step": number - 1,
                },
                "checkpoint": {
                    "thread_id": trace.id,
                    "checkpoint_ns": "",
                    "checkpoint_id": f"checkpoint-{number:06}",
                },
                "parent_checkpoint": {"checkpoint_id": f"checkpoint-{number - 1:06}"}
                if number
                else None,
                "interrupts": [],
            }
        )
    final = trace.final_state
    states[-1]["values"] = final if isinstance(final, dict) else {"messages": entries}
    return states[::-1]
