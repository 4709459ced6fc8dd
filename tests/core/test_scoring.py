"""Scoring: traces joined, graded and numbered; nothing unjudged ever counts as a pass."""

import json

import pytest

import passhat
from passhat.case import Case, Suite
from passhat.errors import InputError, TraceError, UsageError
from passhat.scoring import NO_VERDICT, TWICE, Scoring, grade, score
from passhat.trace import Message, ToolCall, Trace, encode_trace


def traces(tmp_path, *items, name="traces.jsonl"):
    path = tmp_path / name
    path.write_bytes(
        b"".join(
            (item if isinstance(item, bytes) else encode_trace(item)) + b"\n" for item in items
        )
    )
    return path


def run(id, case_id=None, *tools, said="do it", **fields):
    steps = (Message("user", said), *(ToolCall(tool, result=1) for tool in tools))
    return Trace(id, case_id=case_id, steps=(*steps, Message("assistant", "done")), **fields)


SUITE = Suite("s", [Case("a", "do it", expected_calls=["lookup"])])


def statuses(results):
    return [(trial.case_id, trial.trial, trial.status) for trial in results]


def test_traces_are_graded_by_the_suite_and_numbered(tmp_path):
    path = traces(tmp_path, run("1", "a", "lookup"), run("2", "a"), run("3", None, "lookup"))
    results = score(path, SUITE)
    assert statuses(results) == [("a", 0, "passed"), ("a", 1, "failed"), ("a", 2, "passed")]
    assert results.about["judged_by"] == "s"
    assert results.summary().pass_hat_k == {
        1: pytest.approx(2 / 3),
        2: pytest.approx(1 / 3),
        3: 0.0,
    }


def test_what_joins_no_case_is_not_evaluated(tmp_path):
    path = traces(tmp_path, run("1", "a", "lookup"), run("2", "b", "lookup", said="other"))
    results = score(path, SUITE)
    assert statuses(results)[1] == (None, 0, "not_evaluated")
    assert "the suite has no case 'b'" in results.trials[1].reason
    assert results.summary().pass_hat_k == {1: 1.0}
    assert not results.summary().judged


def test_an_agents_error_without_a_case_is_left_out_too(tmp_path):
    path = traces(tmp_path, run("1", "zz", said="other", outcome="agent_error", error="boom"))
    (trial, never) = score(path, SUITE)
    assert (trial.case_id, trial.status) == (None, "not_evaluated")
    assert (never.case_id, never.status) == ("a", "not_run")


def test_a_case_that_no_trace_joins_was_not_run(tmp_path):
    suite = Suite("s", [*SUITE.cases, Case("b", expected_calls=["lookup"])])
    results = score(traces(tmp_path, run("1", "a", "lookup")), suite)
    assert statuses(results) == [("a", 0, "passed"), ("b", 0, "not_run")]
    assert results.summary().sensitivity.if_failed == {1: 0.5}


def test_a_recorded_score_is_the_verdict_and_expectations_inform(tmp_path):
    path = traces(
        tmp_path,
        run("1", "a", scores={"reward": 1.0}),
        run("2", "a", "lookup", scores={"reward": 0.5}),
    )
    results = score(path, SUITE, success="reward")
    assert [trial.status for trial in results] == ["passed", "failed"]
    assert results.trials[0].result("trajectory").status == "failed"
    assert not results.trials[0].result("trajectory").required


@pytest.mark.parametrize(
    ("options", "case_id"),
    [({}, None), ({"case": "x"}, "x"), ({"case_key": "task"}, "7"), ({"case_key": "no"}, None)],
)
def test_a_recorded_score_needs_a_case_to_count_for(tmp_path, options, case_id):
    path = traces(tmp_path, run("1", scores={"reward": 1.0}, metadata={"task": 7}))
    (trial,) = score(path, success="reward", **options)
    assert (trial.case_id, trial.status) == (
        case_id,
        "passed" if case_id is not None else "not_evaluated",
    )


def test_with_nothing_to_judge_by_nothing_is_judged(tmp_path):
    (trial,) = score(traces(tmp_path, run("1", "a", scores={"reward": 1.0})))
    assert trial.status == "not_evaluated"
    assert trial.reason == f"{NO_VERDICT} (recorded scores: reward)"
    assert not any(result.required for result in trial.results)


def test_one_broken_trace_costs_itself_alone(tmp_path):
    path = traces(tmp_path, run("1", "a", "lookup"), b"{nope", run("2", "a", "lookup"))
    results = score(path, SUITE)
    assert statuses(results) == [("a", 0, "passed"), ("a", 1, "passed")]
    assert len(results.unread) == 1
    assert "traces.jsonl:2" in str(results.unread[0])


@pytest.mark.parametrize("content", [b"{nope\n{nope\n", b"\n"])
def test_nothing_read_is_an_error(tmp_path, content):
    path = tmp_path / "traces.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError):
        score(path, SUITE, format="passhat")


def test_options_that_contradict_each_other(tmp_path):
    path = traces(tmp_path, run("1"))
    with pytest.raises(UsageError, match="--suite or --expected"):
        score(path, SUITE, expected=True)
    with pytest.raises(UsageError, match="hold no suite"):
        score(path, expected=True)
    with pytest.raises(UsageError, match="no case 'zz'"):
        score(path, SUITE, case="zz")


def test_expectations_that_the_recording_carries(tmp_path):
    def recorded(task, reward, *tools):
        calls = [{"id": t, "function": {"name": t, "arguments": "{}"}} for t in tools]
        traj = [{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": calls}]
        info = {"task": {"instruction": "x", "actions": [{"name": "book", "kwargs": {}}]}}
        return {"task_id": task, "trial": 0, "reward": reward, "info": info, "traj": traj}

    path = tmp_path / "runs.json"
    path.write_text(json.dumps([recorded(0, 1.0, "book"), recorded(1, 1.0)]))
    assert [trial.status for trial in score(path, expected=True)] == ["passed", "failed"]
    by_score = score(path, success="reward")
    assert [trial.status for trial in by_score] == ["passed", "passed"]
    assert by_score.trials[1].result("trajectory").status == "failed"
    assert [trial.status for trial in score(path)] == ["not_evaluated", "not_evaluated"]


def test_scoring_is_lazy(tmp_path):
    path = traces(tmp_path, *(run(str(n), "a", "lookup") for n in range(3)))
    scoring = Scoring([path], SUITE)
    first = next(iter(scoring))
    assert first.status == "passed"
    assert scoring.read == 1


def test_grade_takes_messages():
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "lookup"}}]},
    ]
    case = Case("a", expected_calls=["lookup"])
    assert grade(messages, case).status == "passed"
    assert grade({"messages": messages}, case).status == "passed"
    assert grade(messages, None).status == "not_evaluated"
    assert grade(run("1", "a", "lookup"), case, ["no_calls"]).status == "failed"
    with pytest.raises(TraceError):
        grade([{"role": "user", "content": 3}], case)


def test_a_case_of_a_recorded_run():
    steps = (
        Message("user", "cancel A1"),
        Message("assistant", request=0),
        ToolCall("lookup", {"id": "A1"}, request=0, result=1),
        ToolCall("policy", {}, request=0, result=1),
        Message("assistant", request=1),
        ToolCall("cancel", {"id": "A1"}, request=1, error="busy"),
        Message("assistant", request=2),
        ToolCall("cancel", {"id": "A1"}, request=2, result=1),
        Message("assistant", "done", request=3),
    )
    trace = Trace("t", case_id="c", steps=steps, tags=("x",))
    case = passhat.case_from_trace(trace, mode="in_order")
    group, cancel = case.expected_calls
    assert (case.id, case.input, case.tags, case.mode) == ("c", "cancel A1", ("x",), "in_order")
    assert [call.name for call in group] == ["lookup", "policy"]
    assert cancel.args == {"id": "A1"}
    assert grade(trace, case).status == "passed"
    corrected = passhat.case_from_trace(trace, "c2", expected_calls=[], forbidden_calls=["cancel"])
    assert grade(trace, corrected).status == "failed"
    with pytest.raises(UsageError, match="a case has no 'expected'"):
        passhat.case_from_trace(trace, expected=[])


def test_a_case_of_several_turns():
    steps = (
        Message("user", "one"),
        ToolCall("a", result=1),
        Message("user", "two", turn=1),
        ToolCall("b", result=1, turn=1),
    )
    case = passhat.case_from_trace(Trace("t", steps=steps))
    assert [(turn.input, turn.expected_calls[0].name) for turn in case.turns] == [
        ("one", "a"),
        ("two", "b"),
    ]
    assert grade(Trace("t", steps=steps), case).status == "passed"


def test_a_run_that_stands_twice_counts_once(tmp_path):
    first, second = run("1", "a", "lookup", trial=0), run("2", "a", "lookup", trial=1)
    path = traces(tmp_path, first, second, first)
    results = score(path, SUITE)
    assert [trial.status for trial in results] == ["passed", "passed", "not_evaluated"]
    assert results.trials[2].reason == TWICE
    both = Scoring([path, traces(tmp_path, second, name="again.jsonl")], SUITE)
    assert [item.status for item in both].count("not_evaluated") == 2
    other = run("1", "a", "lookup", "lookup", trial=0)
    assert [t.status for t in score(traces(tmp_path, first, other), SUITE)] == ["passed"] * 2


def test_runs_that_share_the_id_of_their_case_are_attempts_at_it(tmp_path):
    path = traces(tmp_path, *[run("a", None, "lookup")] * 3)
    results = score(path, SUITE, case_key="id")
    assert [(trial.case_id, trial.status) for trial in results] == [("a", "passed")] * 3
    assert [case.n for case in score(path, checks=["no_calls"], case_key="id").summary().cases] == [
        3
    ]


def test_what_is_read_as_another_format_is_told_what_it_looks_like(tmp_path):
    path = traces(tmp_path, run("1", "a"))
    with pytest.raises(InputError, match="nothing could be read") as caught:
        score(path, SUITE, format="gemini")
    assert str(caught.value).splitlines()[-1] == (
        f"{path} looks like passhat traces: leave --from (format=) out"
    )
