"""Checkpointers that can only be awaited."""

import asyncio

from passhat import UsageError
from passhat_langgraph import anext_calls, arecord, read_checkpoints, sample_next, to_trace


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
