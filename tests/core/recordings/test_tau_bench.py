"""tau-bench results, the recorded ones among them."""

import json
from collections import Counter

import pytest
from msgspec import UNSET

from passhat import read_traces
from passhat.errors import InputError, TraceError
from passhat.recordings.tau_bench import adapter
from passhat.scoring import score


@pytest.fixture(scope="module")
def runs(shared):
    return shared / "real/tau_airline/runs.json"


@pytest.fixture(scope="module")
def traces(runs):
    return list(adapter.read_traces(runs))


def test_every_recorded_run_is_read(runs, traces):
    raw = json.loads(runs.read_bytes())
    assert [trace.id for trace in traces] == [f"{run['task_id']}/{run['trial']}" for run in raw]
    assert Counter(trace.case_id for trace in traces) == {str(n): 4 for n in range(50)}
    assert {trace.trial for trace in traces} == {0, 1, 2, 3}
    assert sum(trace.scores["reward"] for trace in traces) == 84
    for trace, run in zip(traces, raw, strict=True):
        asked = [
            (call["function"]["name"], json.loads(call["function"]["arguments"]))
            for message in run["traj"]
            for call in message.get("tool_calls") or []
        ]
        assert [(call.name, call.args) for call in trace.calls] == asked
        assert trace.metadata == run["info"]
        assert trace.gaps == ()


def test_an_answer_that_begins_with_error_is_one(runs, traces):
    said = [
        m["content"]
        for run in json.loads(runs.read_bytes())
        for m in run["traj"]
        if m["role"] == "tool"
    ]
    failed = [call for trace in traces for call in trace.calls if call.failed]
    assert Counter(call.error for call in failed) == Counter(
        text for text in said if text.startswith("Error:")
    )
    assert len(failed) == 73


def test_results_are_values_where_they_are_json(traces):
    kinds = Counter(type(call.result) for trace in traces for call in trace.calls if call.succeeded)
    assert set(kinds) == {dict, list, str}


def test_the_runs_are_written_back_without_loss(traces, tmp_path):
    report = adapter.write_traces(traces, tmp_path / "runs.json")
    assert report.notes == ()
    assert list(adapter.read_traces(tmp_path / "runs.json")) == traces
    first = json.loads((tmp_path / "runs.json").read_bytes())[0]
    assert list(first)[-1] == "traj"
    assert {key: first[key] for key in ("task_id", "trial", "reward")} == {
        "task_id": 0,
        "trial": 0,
        "reward": 0.0,
    }


def test_the_suite_of_the_runs(runs):
    suite, report = adapter.read_suite(runs)
    assert (suite.name, len(suite.cases)) == ("runs", 50)
    case = suite.by_id["0"]
    assert case.expected_calls[0].name == "book_reservation"
    assert case.expected_calls[0].args["user_id"] == "mia_li_3668"
    assert case.user == "mia_li_3668"
    assert case.scenario["goal"] == case.input == case.reference["instruction"]
    assert case.reference["outputs"] == []
    nothing = [case for case in suite.cases if case.expected_calls is None]
    assert len(nothing) == 7
    assert all(case.checks == {"state_unchanged": {"required": False}} for case in nothing)
    assert sum("nothing may be changed" in note.note for note in report.notes) == 7
    assert all(case.checks is None for case in suite.cases if case.expected_calls)


def test_a_change_where_none_was_expected_says_how_a_run_failed(runs):
    trials = [trial for trial in score(runs, success="reward", expected=True) if trial.lost]
    classes = Counter(trial.failure_class for trial in trials)
    assert (len(trials), classes["unclassified"]) == (116, 1)
    told = [trial.failure.reason for trial in trials if trial.case_id in ("15", "17", "21")]
    assert [why for why in told if not why.startswith("made a change that nothing expected")] == []
    assert len(told) == 6


def test_a_run_that_broke_has_its_error():
    trace = adapter.to_trace(
        {"task_id": 3, "trial": 1, "reward": 0.0, "traj": [], "info": {"error": "KeyError: 'x'"}}
    )
    assert (trace.id, trace.error, trace.outcome) == ("3/1", "KeyError: 'x'", "agent_error")


def test_a_run_that_its_surroundings_broke_says_so():
    row = {"task_id": 3, "info": {"error": "litellm.RateLimitError: slow down"}, "traj": []}
    assert adapter.to_trace(row).outcome == "infrastructure_error"


def test_trajectories_of_blocks_and_of_text_are_read(tmp_path):
    asked = {"role": "user", "content": "Cancel B7."}
    used = [
        {"type": "tool_use", "id": f"t{n}", "name": "cancel", "input": {"n": n}} for n in (0, 1)
    ]
    said = [{"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
            for n, text in enumerate(["Error: no such booking", "cancelled"])]  # fmt: skip
    blocks = [asked, {"role": "assistant", "content": used}, {"role": "user", "content": said}]
    path = tmp_path / "runs.json"
    rows = [{"task_id": 1, "traj": blocks}, {"task_id": 1, "traj": json.dumps(blocks)}]
    path.write_text(json.dumps(rows))
    for trace in read_traces(path):
        found = [(call.args, call.error, call.result) for call in trace.calls]
        assert found == [({"n": 0}, "Error: no such booking", UNSET), ({"n": 1}, None, "cancelled")]


def acts(name, given, thought="I need it."):
    action = json.dumps({"name": name, "arguments": given})
    return {"role": "assistant", "content": f"Thought:\n{thought}\nAction:\n{action}"}


def test_calls_that_an_agent_writes_into_its_texts_are_read_as_tau_bench_reads_them():
    traj = [
        {"role": "system", "content": "Be kind. Action: {...}"},
        {"role": "user", "content": "Cancel B7."},
        acts("get_booking", {"id": "B7"}),
        {"role": "user", "content": 'API output: {"id": "B7"}'},
        acts("cancel", {"id": "B7"}),
        {"role": "user", "content": "API output: Error: too late"},
        acts("respond", {"content": "It is too late."}),
        {"role": "user", "content": "Really?"},
        {"role": "assistant", "content": "Thought: so it is.\nAction: Yes, I am sorry."},
        {"role": "user", "content": "###STOP###"},
    ]
    trace = adapter.to_trace({"task_id": 1, "traj": traj})
    assert [(call.name, call.args, call.result, call.error) for call in trace.calls] == [
        ("get_booking", {"id": "B7"}, {"id": "B7"}, None),
        ("cancel", {"id": "B7"}, UNSET, "Error: too late"),
    ]
    assert [(m.role, m.text, m.reasoning) for m in trace.messages if m.text] == [
        ("system", "Be kind. Action: {...}", None),
        ("user", "Cancel B7.", None),
        ("assistant", "It is too late.", "I need it."),
        ("user", "Really?", None),
        ("assistant", "Yes, I am sorry.", "so it is."),
        ("user", "###STOP###", None),
    ]
    assert trace.gaps == ()
    back = adapter.to_trace(adapter.from_trace(trace))
    assert [(call.name, call.args, call.error) for call in back.calls] == [
        (call.name, call.args, call.error) for call in trace.calls
    ]


@pytest.mark.parametrize("given", [None, "x", [1], {"content": 5}])
def test_actions_with_odd_arguments_are_calls_still(given):
    traj = [{"role": "user", "content": "hi"}, acts("respond", given), acts("f", given)]
    assert len(adapter.to_trace({"task_id": 1, "traj": traj}).calls) == 2


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"content": "Error: busy"}, "Error: busy"),
        ({"content": "Error: busy", "error": None}, "Error: busy"),
        ({"content": "Error: busy", "error": False}, None),
        ({"content": "busy", "error": True}, "busy"),
        ({"content": "", "error": "TimeoutError"}, "TimeoutError"),
    ],
)
def test_what_is_said_of_a_failure_goes_before_how_an_answer_begins(said, error):
    asked = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "f"}}]}
    traj = [asked, {"role": "tool", "tool_call_id": "c1", **said}]
    (call,) = adapter.to_trace({"task_id": 1, "traj": traj}).calls
    assert call.error == error


def test_what_is_no_message_among_actions_is_named():
    traj = [{"content": "hi"}, acts("f", {})]
    with pytest.raises(TraceError, match=r"\$.traj\[0\].role: role None is none of"):
        adapter.to_trace({"task_id": 1, "traj": traj})


def test_attempts_without_a_trial_stay_apart(tmp_path):
    path = tmp_path / "runs.json"
    row = {"task_id": 3, "reward": 1.0, "info": {}, "traj": [{"role": "user", "content": "hi"}]}
    path.write_text(json.dumps([row, row, {**row, "trial": 0}]))
    found = list(adapter.read_traces(path))
    assert [(trace.id, trace.case_id, trace.trial) for trace in found] == [
        ("runs.json[0]", "3", None),
        ("runs.json[1]", "3", None),
        ("3/0", "3", 0),
    ]
    results = score(path, success="reward")
    assert [case.n for case in results.summary().cases] == [3]


def test_a_file_without_tasks_is_no_suite(tmp_path):
    path = tmp_path / "runs.json"
    path.write_text('[{"task_id": 1, "traj": []}]')
    with pytest.raises(InputError, match="no task of tau-bench"):
        adapter.read_suite(path)


TAU2 = {
    "info": {
        "git_commit": "abc",
        "agent_info": {"llm": "gpt", "implementation": "llm_agent"},
        "environment_info": {"domain_name": "telecom"},
    },
    "tasks": [
        {
            "id": "t1",
            "user_scenario": {
                "persona": "calm",
                "instructions": {
                    "domain": "telecom",
                    "reason_for_call": "No signal.",
                    "known_info": "You are Ann.",
                    "task_instructions": "Be short.",
                },
            },
            "evaluation_criteria": {
                "actions": [
                    {"name": "reset", "arguments": {"id": 1, "why": "x"}, "compare_args": ["id"]},
                    {"name": "reboot", "arguments": {}, "requestor": "user"},
                ]
            },
        }
    ],
    "simulations": [
        {
            "id": "s1",
            "task_id": "t1",
            "trial": 0,
            "termination_reason": "max_steps",
            "start_time": "2026-01-01T00:00:00.000000",
            "end_time": "2026-01-01T00:01:30",
            "reward_info": {"reward": 0.0},
            "messages": [
                {"role": "assistant", "content": "Hi!", "cost": 0.0},
                {
                    "role": "user",
                    "content": None,
                    "tool_calls": [
                        {"id": "u", "name": "reboot", "arguments": {}, "requestor": "user"}
                    ],
                },
                {"role": "tool", "id": "u", "content": "ok", "requestor": "user"},
                {"role": "user", "content": "No signal."},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "a", "name": "reset", "arguments": {"id": 1}}],
                    "usage": {"prompt_tokens": 9, "completion_tokens": 1},
                    "cost": 0.5,
                },
                {"role": "tool", "id": "a", "content": "Error: busy", "error": False},
            ],
        },
        {"id": "s2", "task_id": "t1", "termination_reason": "user_stop", "messages": 5},
    ],
}


def test_tau2_bench_results():
    trace, broken = adapter.read_traces(TAU2)
    assert (trace.id, trace.case_id, trace.outcome, trace.seconds) == ("s1", "t1", "limit", 90.0)
    assert [(call.name, call.args, call.result) for call in trace.calls] == [
        ("reset", {"id": 1}, "Error: busy")
    ]
    assert trace.extensions["user_tool_results"][0]["id"] == "u"
    assert trace.messages[1].extensions["tool_calls"][0]["name"] == "reboot"
    assert [message.turn for message in trace.messages] == [0, 0, 0, 0]
    assert (trace.total_usage.cost, trace.total_usage.input_tokens) == (0.5, 9)
    assert trace.pins == {"model": "gpt", "commit": "abc"}
    assert broken.place.path == "$.simulations[1].messages"


@pytest.mark.parametrize("info", [{"seed": 3}, None])
def test_tau2_bench_results_are_known_by_their_simulations_too(info, tmp_path):
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"info": info, **{k: TAU2[k] for k in ("tasks", "simulations")}}))
    first, broken = read_traces(path)
    assert [call.name for call in first.calls] == ["reset"]
    assert isinstance(broken, TraceError)
    assert [case.id for case in adapter.read_suite(path)[0].cases] == ["t1"]


def test_simulations_that_say_how_they_were_rewarded_alone_are_runs(tmp_path):
    asked = {"id": "c1", "type": "function", "function": {"name": "cancel", "arguments": "{}"}}
    chat = [
        {"role": "assistant", "content": None, "tool_calls": [asked, {**asked, "id": "c2"}]},
        {"role": "tool", "tool_call_id": "c2", "content": "later"},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    row = {"task_id": "4", "reward_info": {"reward": 1.0}, "messages": chat}
    path = tmp_path / "runs.json"
    for whole in ({"info": {"environment_info": {}}, "simulations": [row]}, row):
        path.write_text(json.dumps(whole))
        (trace,) = read_traces(path)
        assert (trace.case_id, trace.scores, trace.outcome) == ("4", {"reward": 1.0}, "completed")
        assert [call.result for call in trace.calls] == ["done", "later"]


def test_a_simulation_of_ticks_alone_says_that_its_calls_are_not_told():
    simulation = {"id": "s", "task_id": "t", "termination_reason": "user_stop", "messages": []}
    assert adapter.to_trace(simulation).gaps == ()
    (gap,) = adapter.to_trace({**simulation, "ticks": [{}]}).gaps
    assert gap.startswith("calls: ")


def test_the_suite_of_tau2_bench():
    suite, _ = adapter.read_suite(TAU2)
    case = suite.by_id["t1"]
    assert [(call.name, call.args) for call in case.expected_calls] == [("reset", {"id": 1})]
    assert case.scenario == {
        "persona": "calm",
        "goal": "No signal.",
        "known_facts": "You are Ann.",
        "rules": "Be short.",
    }
