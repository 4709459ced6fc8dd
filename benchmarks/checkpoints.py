"""How fast stored LangGraph threads become trajectories, and what a decision trial adds to the model.

    python benchmarks/checkpoints.py [CHECKPOINTS]

Prints, in one run: a thread that SqliteSaver wrote, with full state at each of 1,000 checkpoints (some
145 MB) as a trajectory, beside LangGraph's own history of its newest 50 checkpoints, times as many as
there are; the highest memory of it; and trials of one decision beside the model asked alone. Times are of
the processor.
"""

from __future__ import annotations

import sys
import tempfile
import time
import tracemalloc
from itertools import islice
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from passhat_langgraph import read_checkpoints, sample_next

HISTORY = 50


class Model(BaseChatModel):
    """Asks for a call as often as it is told to."""

    calls: int

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        asked = sum(isinstance(message, AIMessage) for message in messages)
        call = {"name": "look", "args": {"n": asked}, "id": f"c{asked}", "type": "tool_call"}
        answer = AIMessage("", tool_calls=[call] if asked < self.calls else [])
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
def look(n: int) -> str:
    """Looks something up."""
    return "x" * 120


def agent(calls: int, saver: Any = None) -> Any:
    """A ReAct agent that makes so many calls."""
    model = Model(calls=calls)
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode([look]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    return builder.compile(checkpointer=saver)


def stored(checkpoints: int) -> None:
    """A long thread as a trajectory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "threads.db")
        config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": checkpoints * 2}
        with SqliteSaver.from_conn_string(str(path)) as saver:
            graph = agent(checkpoints // 2 - 1, saver)
            graph.invoke({"messages": [HumanMessage("Go.")]}, config)
            begun = time.process_time()
            newest = len(list(islice(graph.get_state_history(config), HISTORY)))
            history = (time.process_time() - begun) / newest * checkpoints
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6
        times = []
        for _ in range(3):
            begun = time.process_time()
            (trace,) = read_checkpoints(path)
            times.append(time.process_time() - begun)
        tracemalloc.start()
        list(read_checkpoints(path))
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        ours = min(times)
        print(f"{checkpoints:,} checkpoints ({size:.0f} MB) as a trajectory {ours * 1e3:10.0f} ms")
        print(f"  {history / ours:.0f} times as fast as get_state_history, by its newest {newest}")
        print(f"  {len(getattr(trace, 'calls', ()))} calls; highest memory {peak:.0f} MB")


def trials(count: int = 200) -> None:
    """What a trial adds to the model's own time."""
    graph = agent(1)
    given = {"messages": [HumanMessage("Go.")]}
    sample_next(graph, given, trials=3)
    model = Model(calls=1)
    begun = time.process_time()
    for _ in range(count):
        model.invoke(given["messages"])
    alone = (time.process_time() - begun) / count
    begun = time.process_time()
    sample_next(graph, given, trials=count)
    ours = (time.process_time() - begun) / count - alone
    print(f"a trial of one decision adds                     {ours * 1e3:10.2f} ms to the model")


if __name__ == "__main__":
    trials()
    stored(int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 1_000)
