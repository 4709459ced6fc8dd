"""The adapter passes what every adapter passes: as server histories, and as the real library's files."""

import json
import sqlite3
from pathlib import Path
from typing import ClassVar

from msgspec import UNSET

from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.writing import Asked, Results, chat_order
from passhat.testing import CANONICAL, AdapterConformance
from passhat.trace import Interrupt, Trace
from passhat_langgraph.needs import need_langgraph
from passhat_langgraph.reader import adapter
from passhat_langgraph.server import history_of

BROKEN = [{"values": {}, "next": [], "tasks": 5, "checkpoint": {"thread_id": "b"}}]


def state(number, name, result, ns="", parents=None, **task):
    return {
        "values": {},
        "next": [name] if name else [],
        "tasks": [{"id": f"t{number}{ns}", "name": name, "result": result, **task}] if name else [],
        "metadata": {
            "source": "input" if name == "__start__" else "loop",
            "step": number - 1,
            "parents": parents or {},
        },
        "checkpoint": {"thread_id": "t", "checkpoint_ns": ns, "checkpoint_id": f"{ns}{number:03}"},
        "parent_checkpoint": {"checkpoint_id": f"{ns}{number - 1:03}"} if number else None,
        "created_at": "2026-05-01T10:00:00+00:00",
        "interrupts": [],
    }


def human(text):
    return {"messages": [{"role": "user", "content": text}]}


def ai(text, *calls):
    listed = [{"type": "tool_call", "id": i, "name": n, "args": a} for i, n, a in calls]
    return {
        "messages": [
            {"type": "ai", "content": text, "id": f"m-{text}-{calls}", "tool_calls": listed}
        ]
    }


def tool(id, name, content):
    return {"messages": [{"type": "tool", "content": content, "tool_call_id": id, "name": name}]}


REFUND = ("c1", "refund_order", {"order_id": "A1"})
INSIDE = "tools:t2"
PARENTS = {"": "002"}
BY_HAND = {
    "pending_call": [
        state(0, "__start__", human("Refund order A1.")),
        state(1, "agent", ai("", REFUND)),
        state(2, "tools", None, interrupts=[{"id": "i1", "value": "Refund order A1?"}]),
    ],
    "approved_call": [
        state(0, "__start__", human("Refund order A1.")),
        state(1, "agent", ai("", REFUND)),
        state(
            2,
            "tools",
            tool("c1", "refund_order", '{"refunded": 79.5}'),
            interrupts=[{"id": "i1", "value": "Refund order A1?", "resume": True}],
        ),
        state(3, "agent", ai("Refunded.")),
        state(4, "", None),
    ],
    "nested_agent": [
        state(0, "__start__", human("Is order A1 late?")),
        state(1, "agent", ai("", ("c1", "ask_shipping", {"question": "Is A1 late?"}))),
        state(2, "tools", tool("c1", "ask_shipping", "It is on time.")),
        state(0, "__start__", human("Is A1 late?"), INSIDE, PARENTS),
        state(1, "agent", ai("", ("c2", "track_parcel", {"order_id": "A1"})), INSIDE, PARENTS),
        state(2, "tools", tool("c2", "track_parcel", '{"late": false}'), INSIDE, PARENTS),
        state(3, "agent", ai("It is on time."), INSIDE, PARENTS),
        state(4, "", None, INSIDE, PARENTS),
        state(3, "agent", ai("It is not late.")),
        state(4, "", None),
    ],
}


def history(name):
    if name in BY_HAND:
        return BY_HAND[name][::-1]
    states = history_of(CANONICAL[name].trace)
    if name == "structured_content":
        for task in (task for row in states for task in row["tasks"]):
            for entry in task["result"]["messages"]:
                if entry["type"] == "human":
                    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
                    entry["content"] = [{"type": "text", "text": "What is this?"}, image]
    return json.loads(json.dumps(states))


class TestServerHistories(AdapterConformance):
    adapter = adapter
    no_suites = "checkpoints record attempts, and expect nothing"
    samples: ClassVar = {name: history(name) for name in CANONICAL}
    broken: ClassVar = BROKEN

    def use_framework(self):
        return need_langgraph


def entries(trace):
    """The messages of a canonical trace, turn by turn: what the user says, then what nodes write."""
    turns = []
    for part in chat_order(trace):
        if isinstance(part, Asked | Results):
            turns[-1].append(part)
        else:
            turns.append([part])
    return turns


def played(name, saver, thread):
    """Plays a canonical trace with a real graph, which writes what each part says, node by node."""
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.types import Command, interrupt

    trace = CANONICAL[name].trace
    asks = [step for step in trace.steps if isinstance(step, Interrupt)]
    whole = history(name) if name == "structured_content" else None
    for turn in entries(trace):
        said, parts = turn[0], turn[1:]
        builder = StateGraph(MessagesState)
        previous = START
        for at, part in enumerate(parts):
            rows = rows_of(part)
            tools = isinstance(part, Results)
            node = f"{'tools' if tools else 'agent'}{at}"

            def run(state, rows=rows, waits=tools and asks):
                if waits:
                    interrupt(asks[0].value)
                return {"messages": rows}

            builder.add_node(node, run)
            builder.add_edge(previous, node)
            previous = node
        if name == "pending_call":
            builder.add_node("tools", lambda state: interrupt(asks[0].value))
            builder.add_edge(previous, "tools")
        graph = builder.compile(checkpointer=saver)
        config = {"configurable": {"thread_id": thread}}
        text = said.text
        if whole is not None:
            text = next(
                entry["content"]
                for row in whole
                for task in row["tasks"]
                for entry in task["result"]["messages"]
                if entry["type"] == "human"
            )
        graph.invoke({"messages": [("user", text)]}, config)
        if asks and asks[0].resolved:
            graph.invoke(Command(resume=asks[0].answer), config)


def rows_of(part):
    steps = (part.message, *part.calls) if isinstance(part, Asked) else part.calls
    steps = tuple(step for step in steps if step is not None)
    row = langchain.from_trace(Trace("x", steps=steps))["messages"]
    if isinstance(part, Results):
        return [entry for entry in row if entry["type"] == "tool"]
    return [entry for entry in row if entry["type"] == "ai"]


class TestFilesOfTheRealLibrary(AdapterConformance):
    adapter = adapter
    no_suites = "checkpoints record attempts, and expect nothing"
    samples: ClassVar = {name: {"play": name} for name in CANONICAL if name != "nested_agent"}
    cannot_express: ClassVar = {"nested_agent": "real agents in tools: see test_subgraphs.py"}
    broken: ClassVar = {"play": "broken"}

    def save(self, samples, folder: Path):
        from langgraph.checkpoint.sqlite import SqliteSaver

        path = folder / "threads.db"
        with SqliteSaver.from_conn_string(str(path)) as saver:
            for number, sample in enumerate(samples):
                name = sample["play"]
                played("plain_answer" if name == "broken" else name, saver, f"thread-{number}")
        for number, sample in enumerate(samples):
            if sample["play"] == "broken":
                with sqlite3.connect(path) as db:
                    db.execute(
                        "update writes set type = 'msgpack', value = x'c1' where thread_id = ?",
                        (f"thread-{number}",),
                    )
                db.close()
        return path

    def target(self, folder: Path):
        return folder / "written.jsonl"

    def use_framework(self):
        return need_langgraph

    def test_leaves_what_it_reads_as_it_is(self, sampled, tmp_path):
        source = self.save([self.samples[sampled]], tmp_path)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        trace = self._only(source)
        assert trace.final_state is not UNSET
        assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
