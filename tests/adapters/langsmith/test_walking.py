"""What the runs say of a call beyond its result: whether it ran, and which request saw what it gave."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

import passhat
from passhat.trace import Trace, Usage
from passhat_langsmith import adapter, to_trace
from passhat_langsmith.attachments import attachments_of
from passhat_langsmith.runs import Run

Json = dict[str, Any]
USER = {"type": "human", "content": "Do it."}


def run(id: str, kind: str = "chain", parent: str | None = None, **more: Any) -> Json:
    held = {"id": id, "name": id, "run_type": kind, "parent_run_id": parent, "trace_id": "root"}
    return {**held, "inputs": {}, "outputs": {}, **more}


def span(begin: float, end: float) -> Json:
    return {
        "start_time": f"2026-01-01T00:00:{begin:06.3f}",
        "end_time": f"2026-01-01T00:00:{end:06.3f}",
    }


def call(id: str, name: str) -> Json:
    return {"id": id, "name": name, "args": {}, "type": "tool_call"}


def says(*calls: Json, text: str = "") -> Json:
    return {"type": "ai", "content": text, "tool_calls": list(calls)}


def told(id: str, content: str = "ok", **more: Any) -> Json:
    return {"type": "tool", "tool_call_id": id, "content": content, **more}


def llm(id: str, parent: str, heard: list[Json], said: Json, **more: Any) -> Json:
    outputs = {"generations": [[{"message": said}]]}
    return run(id, "llm", parent, inputs={"messages": [heard]}, outputs=outputs, **more)


def tool(id: str, name: str, parent: str, call_id: str | None = None, **more: Any) -> Json:
    extra = {} if call_id is None else {"tool_call_id": call_id}
    held = {"name": name, "outputs": {"output": "ok"}, "extra": extra, **more}
    return run(id, "tool", parent, **held)


# Whether a call ran.


@pytest.mark.parametrize(
    ("runs", "offered", "message", "executed"),
    [
        ([tool("t", "lookup", "root", "c0")], (), {"status": "error"}, False),
        ([tool("t", "lookup", "root", "c0")], (), {}, False),
        (
            [tool("t", "other", "root", "c0")],
            (),
            {},
            True,
        ),  # Its tool has runs: and one is its own.
        ([tool("t", "lookup", "root", "c0")], ("lookup",), {"status": "success"}, False),
        ([tool("t", "lookup", "root", "c0")], ("lookup", "nope"), {"status": "success"}, None),
        ([tool("t", "lookup", "root", "c0")], ("lookup", "nope"), {"status": "error"}, False),
        ([], ("lookup",), {"status": "error"}, False),
        ([], ("lookup", "nope"), {"status": "error"}, True),
        ([], (), {"status": "error"}, True),
    ],
)
def test_whether_a_call_ran_that_a_message_alone_answers(
    runs: list[Json], offered: tuple[str, ...], message: Json, executed: bool | None
) -> None:
    if runs and runs[0]["name"] == "other":
        runs = [tool("t", "nope", "root", "c1")]
    first = says(call("c0", "lookup"), call("c1", "nope"))
    tools = [{"type": "function", "function": {"name": name}} for name in offered]
    params = {"extra": {"invocation_params": {"tools": tools}}}
    trace = to_trace(
        [
            run("root", inputs={"messages": [USER]}),
            llm("m1", "root", [USER], first, **params),
            *runs,
            llm("m2", "root", [USER, first, told("c1", **message)], says(text="Done.")),
        ]
    )
    found = {one.id: one for one in trace.calls}
    assert found["c1"].executed is executed
    assert found["c1"].answered == 1


# Which request saw what a call gave.


def test_agents_side_by_side_see_nothing_of_each_other() -> None:
    """Their requests are told one agent after the other, whatever the clock said."""
    first = says(call("c1", "ask"), call("c2", "ask"))
    inner = says(call("s1", "look"))
    other = says(call("s2", "look"))
    trace = to_trace(
        [
            run("root", inputs={"messages": [USER]}, **span(0, 10)),
            llm("m1", "root", [USER], first, **span(0, 1)),
            tool("t1", "ask", "root", "c1", **span(1, 4)),
            llm("a1", "t1", [USER], inner, **span(1, 2)),
            tool("t3", "look", "t1", "s1", **span(2, 3)),
            llm("a2", "t1", [USER, inner, told("s1")], says(text="A"), **span(3, 4)),
            tool("t2", "ask", "root", "c2", **span(1.1, 6)),
            llm("b1", "t2", [USER], other, **span(1.1, 2)),
            tool("t4", "look", "t2", "s2", **span(2, 3)),
            llm("b2", "t2", [USER, other, told("s2")], says(text="B"), **span(3, 6)),
            llm("m2", "root", [USER, first, told("c1"), told("c2")], says(text="."), **span(7, 8)),
        ]
    )
    assert {one.id: (one.request, one.answered) for one in trace.all_calls} == {
        "c1": (0, 5),
        "s1": (1, 2),
        "c2": (0, 5),
        "s2": (3, 4),
    }


def test_branches_side_by_side_see_nothing_of_each_other() -> None:
    """Both are the agent's own, in subgraphs; a summary after them is given neither as a message."""
    one, two = says(call("c1", "look")), says(call("c2", "look"))
    trace = to_trace(
        [
            run("root", inputs={"messages": [USER]}, **span(0, 10)),
            run("left", parent="root", **span(0, 5)),
            run("right", parent="root", **span(0.1, 6)),
            llm("l1", "left", [USER], one, **span(0, 1)),
            tool("t1", "look", "left", "c1", **span(1, 2)),
            llm("r1", "right", [USER], two, **span(3, 4)),
            tool("t2", "look", "right", "c2", **span(4, 5)),
            llm("r2", "right", [USER, two, told("c2")], says(text="R"), **span(5, 6)),
            llm("end", "root", [{"type": "human", "content": "Sum up."}], says(), **span(7, 8)),
        ]
    )
    assert {one.id: (one.request, one.answered) for one in trace.calls} == {
        "c1": (0, 3),
        "c2": (1, 2),
    }


def test_what_no_request_saw_was_there_for_the_next_one() -> None:
    first = says(call("c1", "ask"))
    trace = to_trace(
        [
            run("root", inputs={"messages": [USER]}),
            llm("m1", "root", [USER], first),
            tool("t1", "ask", "root", "c1"),
            llm("a1", "t1", [USER], says(call("s1", "look"))),
            tool("t2", "look", "t1", "s1"),
        ]
    )
    assert {one.id: one.answered for one in trace.all_calls} == {"c1": 2, "s1": 2}


# What the client was told to hide.


def test_what_a_tool_gave_that_was_hidden_is_told_by_the_next_model() -> None:
    asked = says(call("c1", "look"))
    runs = [
        run("root", inputs={"messages": [USER]}),
        llm("m1", "root", [USER], asked),
        tool("t1", "look", "root", "c1", outputs={}, **span(2, 3)),
    ]
    trace = to_trace(runs)
    (look,) = trace.calls
    assert (look.result, look.executed) == (UNSET, True)
    assert trace.gaps == ("run t1: what the tool gave was not recorded",)
    heard = [USER, asked, told("c1", "shipped")]
    (look,) = to_trace([*runs, llm("m2", "root", heard, says(text="Done."))]).calls
    assert (look.result, look.executed, look.answered) == ("shipped", True, 1)


def test_what_a_model_was_given_that_was_hidden_is_said_and_provenance_is_not_judged() -> None:
    asked = {**call("c1", "look"), "args": {"order_id": "A1"}}
    hidden = {**llm("m1", "root", [], says(asked)), "inputs": {}}
    trace = to_trace([run("root"), hidden, tool("t1", "look", "root", "c1")])
    assert trace.gaps == ("results: run m1: what the model was given was not recorded",)
    (judged,) = passhat.grade(trace, passhat.Case("c"), checks=["provenance"]).results
    assert (judged.status, judged.reason) == ("not_evaluated", trace.gaps[0])


# Runs that go on from another.


def test_a_resumed_run_alone_says_what_it_does_not_know() -> None:
    asked = says(call("c1", "refund"))
    resumed = run("root", inputs={"input": {"resume": "yes", "goto": []}})
    trace = to_trace(
        [
            resumed,
            tool("t1", "refund", "root", "c1"),
            llm("m2", "root", [USER, asked, told("c1")], says(text="Done.")),
        ]
    )
    (refund,) = trace.calls
    assert (refund.request, refund.extensions, refund.executed) == (None, {}, True)
    (gap,) = trace.gaps
    assert gap.startswith("calls: run root goes on from a run that is not here")
    assert trace.final_response == "Done."


def test_a_tool_that_code_called_bears_no_id_of_a_call() -> None:
    (by_code,) = to_trace([run("root"), tool("t", "look", "root")]).calls
    (by_model,) = to_trace([run("root"), tool("t", "look", "root", "c9")]).calls
    assert (by_code.extensions, by_model.extensions) == ({"asked_by": "code"}, {})


# What is attached to runs.


def test_attachments_are_kept_where_they_are_not_large() -> None:
    class Failed:
        def tell(self) -> int:
            raise OSError("gone")

    reader = io.BytesIO(b"abc")
    reader.seek(1)
    files: Json = {
        "attachment.told": {"presigned_url": "https://x/1", "mime_type": "text/plain"},
        "read": {"reader": reader, "mime_type": "text/plain"},
        "failed": {"reader": Failed(), "mime_type": "text/plain"},
        "path": ("text/plain", Path("/etc/hostname")),
        "large": ("application/pdf", b"x" * (1 << 20) + b"y"),
        "odd": 5,
    }
    found, gaps = attachments_of(Run("r", files=files))
    by_name = {one.pop("name"): one for one in found}
    assert by_name["told"] == {"run": "r", "mime_type": "text/plain", "url": "https://x/1"}
    assert by_name["read"]["text"] == "abc"
    assert reader.tell() == 1
    assert by_name["path"] == {"run": "r", "mime_type": "text/plain", "path": "/etc/hostname"}
    assert by_name["large"].keys() == {"run", "mime_type", "size", "sha256"}
    assert gaps == [
        "run r: the content of the attachment 'failed' is not there",
        "run r: the attachment 'large' is too large to be kept",
        "run r: the content of the attachment 'odd' is not there",
    ]


def test_attachments_of_runs_stand_in_the_extensions_of_their_trace() -> None:
    runs = [run("root"), run("part", parent="root", attachments={"a": ("text/plain", b"hi")})]
    assert to_trace(runs).extensions["attachments"] == [
        {"run": "part", "name": "a", "mime_type": "text/plain", "size": 2, "text": "hi"}
    ]


# What the server holds apart, or puts around runs.


def test_inputs_and_outputs_that_are_stored_apart_are_said_to_be_missing() -> None:
    """LangSmith stores what is large in S3, and shows an address instead."""
    apart = {"ROOT": {"presigned_url": "https://x"}}
    model = run("m", "llm", "root", outputs=None, outputs_s3_urls=apart, inputs_s3_urls=apart)
    gaps = to_trace([run("root"), model]).gaps
    assert gaps[0].startswith("calls: run m: its inputs are stored apart (inputs_s3_urls)")
    assert gaps[1].startswith("calls: run m: its outputs are stored apart (outputs_s3_urls)")
    assert not to_trace([run("root", inputs_s3_urls=apart, inputs={"q": "x"})]).gaps


@pytest.mark.parametrize("key", ["runs", "items"])
def test_what_a_query_or_a_webhook_gives_holds_runs(key: str, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    runs = [run("root"), tool("t", "look", "root", "c")]
    path.write_text(json.dumps({"rule_id": "r", key: runs, "feedback_stats": {}}), "utf-8")
    assert adapter.sniff(path, path.read_bytes()) > 0.9
    (trace,) = adapter.read_traces(path)
    assert isinstance(trace, Trace)
    assert [one.name for one in trace.calls] == ["look"]


def test_a_root_that_came_alone_tells_what_the_whole_consumed_and_what_is_missing() -> None:
    """As `list_runs(is_root=True)` gives it: the tokens of all runs inside, and none of them."""
    stated: Json = {
        "prompt_tokens": 651,
        "completion_tokens": 705,
        "total_cost": "0.00052065",
        "prompt_token_details": {"cache_read": 5},
        "child_runs": None,
        "attachments": {},
    }
    chat = [USER, says(text="Done.")]
    trace = to_trace(run("root", inputs={"messages": [USER]}, outputs={"messages": chat}, **stated))
    assert trace.total_usage == Usage(651, 705, 5, cost=0.00052065)
    assert trace.gaps == ()
    bare = to_trace(run("root", inputs={"q": "x"}, outputs={"output": "y"}, **stated))
    assert bare.gaps[0].startswith("calls: run root: the runs inside it are not here")
    usage = {"usage_metadata": {"input_tokens": 1, "output_tokens": 2}}
    whole = [
        run("root", outputs={"output": "y"}, **stated),
        llm("m", "root", [USER], {**says(text="y"), **usage}),
    ]
    assert to_trace(whole).total_usage == Usage(1, 2)
    assert to_trace(whole).gaps == ()


def test_the_agents_own_name_is_whose_answer_it_is() -> None:
    """Agents of LangChain all call their node `model`; a router's labels are the agents' names."""
    run = {"id": "r", "run_type": "llm", "inputs": {"messages": []}, "outputs": {"output": "Hi."}}
    held = {"langgraph_node": "model", "lc_agent_name": "orders"}
    for metadata, name in ((held, "orders"), ({"langgraph_node": "model"}, "model")):
        (said,) = to_trace({**run, "extra": {"metadata": metadata}}).messages
        assert said.agent == name


def turn_of(at: int, said: str, *more: dict[str, Any]) -> dict[str, Any]:
    """A root of a thread that holds its own turn alone, and no run of a model."""
    user = {"role": "user", "content": "And now?"}
    return {
        "id": f"r{at}",
        "run_type": "chain",
        "start_time": f"2026-01-01T00:0{at}:00",
        "inputs": {"messages": [user, *more]},
        "outputs": {"messages": [user, *more, {"role": "assistant", "content": said}]},
        "extra": {"metadata": {"thread_id": "T"}},
    }


def test_an_answer_that_a_thread_had_before_is_an_answer_again() -> None:
    trace = to_trace(
        [turn_of(0, "Nothing new."), turn_of(1, "A letter."), turn_of(2, "Nothing new.")]
    )
    told = [(one.turn, one.text) for one in trace.messages if one.role == "assistant"]
    assert told == [(0, "Nothing new."), (1, "A letter."), (2, "Nothing new.")]


def test_what_an_agent_was_given_as_the_begin_of_its_answer_is_context() -> None:
    trace = to_trace(turn_of(0, "no letter.", {"role": "assistant", "content": "There is"}))
    assert [one.text for one in trace.messages] == ["And now?", "no letter."]
    assert [one["content"] for one in trace.extensions["context"]] == ["There is"]


def test_a_status_alone_says_that_a_run_ended_in_an_error() -> None:
    """As files have it that hold no errors: those of `langsmith-fetch`, and short lists of runs."""
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yo"}]
    fetched = {"trace_id": "t", "messages": messages, "metadata": {"status": "error"}}
    listed = {"id": "r", "run_type": "chain", "status": "error", "outputs": {"messages": messages}}
    for one in (fetched, listed):
        trace = to_trace(one)
        assert trace.outcome == "agent_error"
        assert trace.error == "the run ended in an error, which is not told here"
    paused = {**listed, "error": "GraphInterrupt(())"}
    assert to_trace(paused).error is None
