"""Threads with much state: what was written is read, and no state."""

import sqlite3
import tracemalloc
from uuid import UUID

import msgspec
import pytest

from passhat_langgraph import read_checkpoints

CHECKPOINTS = 1000
STATE = 145_000


def message(kind, **fields):
    payload = ["langchain_core.messages", f"{kind}Message", {"type": kind, **fields}, "x"]
    return msgspec.msgpack.Ext(5, msgspec.msgpack.encode(payload))


@pytest.fixture
def much(tmp_path):
    """A thread as a ReAct agent leaves it, with 145 kB of state at each of 1,000 checkpoints."""
    path = tmp_path / "much.db"
    db = sqlite3.connect(path)
    db.execute(
        "create table checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, "
        "type, checkpoint, metadata, primary key (thread_id, checkpoint_ns, checkpoint_id))"
    )
    db.execute(
        "create table writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, "
        "channel, type, value, primary key (thread_id, checkpoint_ns, checkpoint_id, task_id, idx))"
    )
    state = b"x" * STATE
    before = None
    for number in range(CHECKPOINTS):
        id = str(UUID(int=(number << 80) | (6 << 76) | (8 << 60)))
        source = "input" if number == 0 else "loop"
        about = f'{{"source": "{source}", "step": {number - 1}, "parents": {{}}}}'
        row = ("t", "", id, before, "msgpack", state, about)
        db.execute("insert into checkpoints values (?, ?, ?, ?, ?, ?, ?)", row)
        if number == 0:
            node, value = "__start__", [["user", "go"]]
        elif number % 2:
            call = {"name": "f", "args": {"n": number}, "id": f"c{number}", "type": "tool_call"}
            node = "agent"
            value = [message("ai", content="", id=f"m{number}", tool_calls=[call])]
        else:
            node = "tools"
            value = [message("tool", content="done", tool_call_id=f"c{number - 1}", name="f")]
        written = msgspec.msgpack.encode(value)
        told = ("t", "", id, f"task{number}", f"~__pregel_pull, {node}", 0, "messages", "msgpack")
        db.execute("insert into writes values (?, ?, ?, ?, ?, ?, ?, ?, ?)", (*told, written))
        before = id
    db.commit()
    db.close()
    return path


@pytest.mark.slow
def test_a_thousand_checkpoints_become_a_trajectory_and_no_state_is_decoded(much):
    # How long it takes is in benchmarks/checkpoints.py.
    tracemalloc.start()
    (trace,) = read_checkpoints(much)
    assert len(trace.calls) == CHECKPOINTS // 2
    assert trace.gaps == ("state: states are decoded only with states=True",)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000, f"{peak / 1e6:.0f} MB"
