"""Runs to traces: what the facts about LangSmith's runs come to."""

import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from langsmith_runs import USER, Json, asks, llm, run

from passhat.errors import UsageError
from passhat.trace import Message, Trace, Usage
from passhat_langsmith import adapter, from_trace, to_trace, to_traces


def read(path: Path) -> dict[str, Trace]:
    found = list(adapter.read_traces(path))
    assert all(isinstance(one, Trace) for one in found)
    return {one.metadata["run_name"]: one for one in found if isinstance(one, Trace)}


def test_a_captured_langgraph_agent_with_parallel_tools(shared: Path) -> None:
    found = read(shared / "real/langsmith/langgraph_runs.json")
    agent = found["my_agent"]
    assert [(one.name, one.request, one.answered) for one in agent.calls] == [
        ("get_weather", 0, 1),
        ("book_flight", 0, 1),
    ]
    assert agent.calls[1].result == {
        "ok": True,
        "ref": "ABC123",
        "city": "Paris",
        "date": "2026-01-01",
    }
    assert agent.final_response == "Booked ABC123, weather sunny."
    assert agent.total_usage == Usage(140, 22, 20)
    assert [one.node for one in agent.nodes] == ["model", "tools", "tools", "model"]
    assert sorted(agent.tools or ()) == ["book_flight", "broken", "get_weather"]
    assert agent.gaps == ()


def test_captured_failures_are_told_without_their_traceback(shared: Path) -> None:
    found = read(shared / "real/langsmith/langgraph_runs.json")
    broken = found["broken_agent"]
    assert broken.outcome == "agent_error"
    assert broken.error == broken.calls[0].error == "ValueError('backend down')"
    model = found["llm_err_agent"]
    assert (model.error, model.calls) == ("RuntimeError('rate limited')", ())
    assert len(model.extensions["failed_requests"]) == 1


def test_captured_functions_and_openai_clients(shared: Path) -> None:
    found = read(shared / "real/langsmith/traceable_openai_runs.json")
    agent = found["oa_agent"]
    assert [(one.name, one.error) for one in agent.calls] == [
        ("get_weather", None),
        ("fails", "KeyError('nope')"),
    ]
    assert agent.calls[1].extensions == {"asked_by": "code"}
    assert agent.calls[1].request is None
    assert [one["name"] for one in agent.extensions["retrievals"]] == ["docs"]
    assert agent.total_usage == Usage(50, 12, 5)
    responses = found["resp_agent"]
    assert [(one.name, one.args, one.id) for one in responses.calls] == [
        ("get_weather", {"city": "Rome"}, "call_r1")
    ]
    assert responses.total_usage == Usage(11, 4, 3, 1)
    plain = found["plain_agent"]
    assert plain.final_response == "plain string"
    assert plain.total_usage is not None
    assert plain.total_usage.cost == 0.003
    assert found["err_agent"].outcome == "agent_error"
    assert [(one.name, one.id) for one in found["ctx_root"].calls] == [("ctx_tool", "call_q")]


def test_a_tool_that_does_not_exist_leaves_no_run_and_is_told_by_its_message() -> None:
    told = {"role": "tool", "tool_call_id": "c1", "content": "no tool teleport"}
    first = asks(("c1", "teleport", {}))
    runs = [
        run("chain", "root", inputs={"messages": [USER]}),
        llm("m1", "root", [USER], first),
        llm("m2", "root", [USER, {"role": "assistant", **first}, told], {"content": "Sorry."}),
    ]
    call = to_trace(runs).calls[0]
    assert (call.name, call.result, call.answered) == ("teleport", "no tool teleport", 1)


def test_tools_without_ids_are_joined_by_arguments_then_by_order() -> None:
    first = asks(("", "f", {"x": 1}), ("", "f", {"x": 2}), ("", "g", {"y": 1}))
    runs = [
        run("chain", "root", inputs={"question": "?"}),
        llm("m1", "root", [USER], first),
        run("tool", "f", "root", id="t1", inputs={"x": 2, "more": None}, outputs={"output": "two"}),
        run("tool", "f", "root", id="t2", inputs={"x": 1, "more": None}, outputs={"output": "one"}),
        run("tool", "g", "root", id="t3", inputs={"y": "1"}, outputs={"output": "g"}),
    ]
    assert [one.result for one in to_trace(runs).calls] == ["one", "two", "g"]


def test_parallel_tools_are_ordered_by_when_they_began() -> None:
    tools = [
        run("tool", "b", "root", dotted_order="2", start_time="2026-01-01T00:00:02"),
        run("tool", "a", "root", dotted_order="1", start_time="2026-01-01T00:00:01"),
    ]
    assert [one.name for one in to_trace([*tools, run("chain", "root")]).calls] == ["a", "b"]


def test_a_call_that_ran_again_keeps_its_last_result_and_how_often_it_ran() -> None:
    again = {"extra": {"tool_call_id": "c1"}, "inputs": {"x": 1}}
    runs = [
        run("chain", "root"),
        llm("m1", "root", [USER], asks(("c1", "f", {"x": 1}))),
        run("tool", "f", "root", **{**again, "id": "t1", "error": "TimeoutError()"}),
        run("tool", "f", "root", **{**again, "id": "t2", "outputs": {"output": "ok"}}),
    ]
    call = to_trace(runs).calls[0]
    assert (call.result, call.error, call.attempts) == ("ok", None, 2)


def test_a_model_within_a_model_is_one_request() -> None:
    inner = llm("inner", "outer", [USER], {"content": "Hello."})
    outer = llm("outer", "root", [USER], {"content": "Hello."})
    trace = to_trace([run("chain", "root"), outer, inner])
    assert trace.requests == 1


def test_examples_in_a_prompt_and_earlier_turns_are_no_calls_of_this_run() -> None:
    shown = {"role": "assistant", **asks(("x1", "refund", {"id": "A9"}))}
    result = {"role": "tool", "tool_call_id": "x1", "content": "done"}
    heard = [{"role": "user", "content": "Refund A9"}, shown, result, USER]
    runs = [
        run("chain", "root", inputs={"question": "Where is A1?"}),
        llm("m1", "root", heard, {"content": "Shipped."}),
    ]
    trace = to_trace(runs)
    assert trace.calls == ()
    assert [one.text for one in trace.messages] == ["Where is A1?", "Shipped."]
    assert len(trace.extensions["context"]) == 3


def test_a_prompt_that_code_wrote_opens_no_turn() -> None:
    prompts = [[{"role": "user", "content": text}] for text in ("Rewrite: x", "Answer with: y")]
    runs = [
        run("chain", "root", inputs={"question": "x"}),
        llm("m1", "root", prompts[0], {"content": "y"}),
        llm("m2", "root", prompts[1], {"content": "z"}),
    ]
    trace = to_trace(runs)
    assert len(trace.turns) == 1
    assert trace.final_response == "z"


@pytest.mark.parametrize("key", ["session_id", "thread_id", "conversation_id"])
def test_a_thread_becomes_turns_and_a_repeated_word_is_said_again(key: str) -> None:
    def turn(id: str, heard: list[Any], said: str) -> list[Json]:
        root = run("chain", id, inputs={"messages": [heard[-1]]}, start_time=f"2026-01-0{id}")
        root["extra"] = {"metadata": {key: "T"}}
        return [root, llm(f"m{id}", id, heard, {"content": said})]

    yes = {"role": "user", "content": "yes"}
    first = turn("1", [yes], "Sure?")
    second = turn("2", [yes, {"role": "assistant", "content": "Sure?"}, yes], "Done.")
    trace = to_trace([*second, *first])
    assert [(one.text, one.turn) for one in trace.messages] == [
        ("yes", 0),
        ("Sure?", 0),
        ("yes", 1),
        ("Done.", 1),
    ]
    assert trace.id == "T"
    assert len(to_traces([*first, *second])) == 2
    with pytest.raises(UsageError, match="share no thread"):
        to_trace([run("chain", "a"), run("chain", "b")])


def test_an_approval_that_came_in_a_second_trace_of_the_thread() -> None:
    thread = {"metadata": {"thread_id": "T"}}
    asked = asks(("c1", "refund", {}))
    paused = {"__interrupt__": [{"value": "Refund?", "id": "i1"}]}
    runs = [
        run("chain", "a", inputs={"messages": [USER]}, outputs=paused, extra=thread),
        llm("m1", "a", [USER], asked),
        run("tool", "refund", "a", id="t1", error="GraphInterrupt((...))"),
        run("chain", "b", inputs={"resume": True}, extra=thread, start_time="2026-01-01"),
        run("tool", "refund", "b", id="t2", outputs={"output": "ok"}, extra={"tool_call_id": "c1"}),
    ]
    waiting = to_trace(runs[:3])
    assert waiting.outcome == "interrupted"
    assert waiting.calls[0].error is None
    trace = to_trace(runs)
    assert (trace.outcome, trace.calls[0].result, len(trace.calls)) == ("completed", "ok", 1)


def test_an_agent_behind_a_server_has_no_child_runs_and_its_messages_tell() -> None:
    said = [USER, {"role": "assistant", **asks(("c1", "lookup", {"id": "A1"}))}]
    said += [
        {"role": "tool", "tool_call_id": "c1", "content": "shipped"},
        {"role": "assistant", "content": "It has shipped."},
    ]
    trace = to_trace(run("chain", "root", inputs={"messages": [USER]}, outputs={"messages": said}))
    assert [(one.name, one.result) for one in trace.calls] == [("lookup", "shipped")]
    assert trace.final_response == "It has shipped."


def test_anthropic_blocks() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "lookup", "input": {"id": "A1"}}
    said = {"role": "assistant", "content": [use]}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "gone", "is_error": True}
    runs = [
        run("chain", "root"),
        run("llm", "m1", "root", inputs={"system": "Be kind.", "messages": [USER]}, outputs=said),
        run(
            "llm",
            "m2",
            "root",
            inputs={"messages": [USER, said, {"role": "user", "content": [result]}]},
            outputs={"role": "assistant", "content": [{"type": "text", "text": "Lost."}]},
        ),
    ]
    trace = to_trace(runs)
    assert [(one.name, one.args, one.error) for one in trace.calls] == [
        ("lookup", {"id": "A1"}, "gone")
    ]
    assert (len(trace.turns), trace.final_response) == (1, "Lost.")


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ("RateLimitError('Error code: 429 - slow')\n\nTraceback (most recent call last):", "infra"),
        ("APIConnectionError('Connection error.')", "infra"),
        ("GraphRecursionError('Recursion limit of 25')Traceback (most recent call last):", "limit"),
        ("AuthenticationError('Error code: 401')", "agent"),
        ("ValueError('Connection of 429 parcels')", "agent"),
    ],
)
def test_how_a_run_ended(error: str, outcome: str) -> None:
    trace = to_trace(run("chain", "root", error=error, outputs={"output": None}))
    assert trace.outcome.startswith(outcome)
    assert "Traceback" not in (trace.error or "")


def test_the_example_the_times_and_the_feedback() -> None:
    value = run(
        "chain",
        "root",
        reference_example_id="e1",
        start_time="2026-01-01T00:00:00",
        end_time=datetime(2026, 1, 1, 0, 0, 2),
        feedback_stats={"ok": {"n": 2, "avg": 0.5}},
        extra={"metadata": {"LANGSMITH_PROJECT": "p", "team": "x"}},
    )
    trace = to_trace(value)
    assert (trace.case_id, trace.seconds, trace.scores) == ("e1", 2.0, {"ok": 0.5})
    assert trace.metadata == {"team": "x", "run_name": "root"}


def test_a_newer_run_names_its_parents_as_a_list_and_shouts_its_type() -> None:
    runs = [
        run("CHAIN", "root"),
        {"id": "t", "name": "f", "run_type": "TOOL", "parent_run_ids": ["x", "root"]},
    ]
    assert [one.name for one in to_trace(runs).calls] == ["f"]


def test_a_run_told_twice_is_one_and_what_was_said_last_stands() -> None:
    first = run("tool", "f", "root", id="t", inputs={"x": 1})
    then = {"id": "t", "run_type": "tool", "outputs": {"output": 5}, "end_time": "2026-01-01"}
    trace = to_trace([run("chain", "root"), first, then])
    assert [(one.args, one.result) for one in trace.calls] == [({"x": 1}, 5)]


def test_a_list_that_code_went_on_to_append_to_tells_no_model_of_what_came_later() -> None:
    heard: list[Any] = [USER]
    said = {"role": "assistant", **asks(("c1", "teleport", {}))}
    runs = [run("chain", "root", inputs={"question": "?"})]
    runs.append(llm("m1", "root", heard, said))
    heard += [said, {"role": "tool", "tool_call_id": "c1", "content": "no such tool"}]
    runs.append(llm("m2", "root", heard, {"content": "Sorry."}))
    heard += [{"role": "assistant", "content": "Sorry."}]
    trace = to_trace(runs)
    assert [(one.result, one.answered) for one in trace.calls] == [("no such tool", 1)]
    assert [one.text for one in trace.messages] == ["?", "", "Sorry."]
    assert trace.extensions["context"] == [{**USER, "type": "human"}]


def test_importing_the_adapter_and_converting_imports_no_langsmith() -> None:
    code = (
        "import sys, passhat_langsmith as p\n"
        "p.to_trace({'id': 'r', 'run_type': 'chain', 'outputs': {'output': 'x'}})\n"
        "p.to_suite([{'id': 'e', 'inputs': {'q': 'x'}}])\n"
        "assert not [m for m in sys.modules if m.split('.')[0] in ('langsmith', 'langchain_core')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_each_call_of_a_long_loop_has_its_own_result() -> None:
    runs = [run("chain", "root", inputs={"messages": [USER]})]
    heard: list[Any] = [USER]
    for at in range(24):
        said = asks((f"c{at}", "lookup", {"id": at}))
        runs.append(llm(f"m{at}", "root", list(heard), said, dotted_order=f"{2 * at:04d}"))
        tool = run("tool", "lookup", "root", inputs={"id": at}, outputs={"output": f"ok {at}"})
        tool |= {"id": f"t{at}", "extra": {"tool_call_id": f"c{at}"}}
        runs.append({**tool, "dotted_order": f"{2 * at + 1:04d}"})
        heard += [
            {"role": "assistant", **said},
            {"role": "tool", "tool_call_id": f"c{at}", "content": f"ok {at}"},
        ]
    trace = to_trace(runs)
    assert len(trace.calls) == 24
    assert [one.result for one in trace.calls] == [f"ok {at}" for at in range(24)]
    assert [one.args for one in trace.calls] == [{"id": at} for at in range(24)]


def test_written_runs_have_the_shape_of_langsmiths() -> None:
    trace = to_trace(
        [
            run("chain", "root", inputs={"messages": [USER]}),
            llm("m1", "root", [USER], asks(("c1", "lookup", {"id": "A1"}))),
            run("tool", "lookup", "root", id="t1", inputs={"id": "A1"}, outputs={"output": "ok"}),
        ]
    )
    runs = from_trace(trace)
    assert [(one["run_type"], one["name"]) for one in runs] == [
        ("chain", "root"),
        ("llm", "model"),
        ("tool", "lookup"),
    ]
    assert all(one["parent_run_id"] == "root" for one in runs[1:])
    assert runs[1]["dotted_order"].startswith(runs[0]["dotted_order"] + ".")
    assert to_trace(runs).calls[0].result == "ok"


@pytest.mark.parametrize("seconds", [1e20, -1e20, 1e12, 1e300])
def test_times_that_no_calendar_has_are_not_written_and_told_as_lost(
    tmp_path: Path, seconds: float
) -> None:
    said = Message("assistant", "Hello.", request=0, started=seconds)
    trace = Trace("t", steps=(said,), started=seconds, ended=2.0)
    root, model = from_trace(trace)
    assert (root["start_time"], model["start_time"]) == (None, None)
    assert root["end_time"] == "1970-01-01T00:00:02+00:00"
    account = adapter.write_traces([trace], tmp_path / "runs.jsonl")
    assert {note.what for note in account.notes if note.kind == "lost"} == {
        "t: started",
        "t: messages' started",
    }


def test_a_call_that_its_tools_run_and_the_answer_both_tell_of_is_one() -> None:
    """An agent of plain functions: no model's run is there, and its messages come with the answer."""
    asked = asks(("c1", "look", {"id": "A1"}), ("c2", "look", {"id": "A2"}))
    chat = [
        USER,
        {"role": "assistant", **asked},
        {"role": "assistant", "content": "On its way."},
    ]

    def looked(id: str, answer: int) -> Json:
        output = {"output": {"ok": answer}}
        return {**run("tool", id, "r", inputs={"id": "A1"}, outputs=output), "name": "look"}

    root = run("chain", inputs={"question": "Where is A1?"}, outputs={"messages": chat})
    trace = to_trace([root, looked("t1", 1), looked("t2", 2)])
    assert [(call.id, call.args["id"], call.succeeded) for call in trace.calls] == [
        ("t2", "A1", True),
        ("c1", "A1", True),
        ("c2", "A2", False),
    ]
    joined = trace.calls[1]
    assert (joined.result, joined.request, joined.answered) == ({"ok": 1}, 0, 1)
