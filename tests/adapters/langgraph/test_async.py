"""Checkpointers that can only be awaited."""

import asyncio

from passhat import UsageError
from passhat.trace import Interrupt
from passhat_langgraph import (
    anext_calls,
    arecord,
    read_checkpoints,
    record,
    sample_next,
    to_trace,
)


def test_an_awaited_saver_is_read_by_its_file_and_gone_on_from(
    scripted, shop, on, tmp_path, raised
):
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    path = tmp_path / "threads.db"

    async def play():
        async with AsyncSqliteSaver.from_conn_string(str(path)) as saver:
            answers = [scripted.ai("", scripted.LOOKUP), scripted.ai("", scripted.PAY)]
            graph = scripted.react(answers, [shop.lookup, shop.pay], saver=saver)
            await graph.ainvoke(scripted.HI, on("t"), interrupt_after=["tools"])
            step = await anext_calls(graph, on("t"))
            step.expect("pay", order_id="A1")
            for call in (
                lambda: to_trace(graph, on("t")),
                lambda: sample_next(graph, on("t"), trials=1),
            ):
                with raised(UsageError, "can only be awaited", "read_checkpoints"):
                    call()
            recorded = await arecord(graph, scripted.HI, on("other"), interrupt_before=["tools"])
            assert recorded.outcome == "interrupted"

    asyncio.run(play())
    traces = {trace.id: trace for trace in read_checkpoints(path)}
    assert [call.name for call in traces["t"].calls] == ["lookup"]
    assert shop.done == ["lookup A1"]


def test_a_run_that_goes_on_from_an_awaited_saver_is_told_whole(scripted, on, tmp_path):
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
    from langgraph.types import Command, interrupt

    def ask(state):
        return {"messages": [scripted.ai(f"Refunding {interrupt('Which order?')}.")]}

    async def play():
        async with AsyncSqliteSaver.from_conn_string(str(tmp_path / "threads.db")) as saver:
            graph = scripted.line(saver, ask=ask)
            await arecord(graph, scripted.HI, on("t"))
            return await arecord(graph, Command(resume="A123"), on("t"))

    trace = asyncio.run(play())
    assert (trace.outcome, trace.final_response) == ("completed", "Refunding A123.")
    asked = [step for step in trace.steps if isinstance(step, Interrupt)]
    assert [(one.value, one.answer) for one in asked] == [("Which order?", "A123")]


def test_a_command_to_a_graph_that_keeps_nothing_is_recorded(scripted, on):
    from langgraph.types import Command

    graph = scripted.line(say=lambda state: {"messages": [scripted.ai("Hello.")]})
    command = Command(update={"messages": [("user", "Hi.")]}, goto="say")
    assert record(graph, command, on("t")).final_response == "Hello."
