"""Trials in processes of their own: whatever an agent does to its process costs one trial."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from passhat.case import Case, Suite
from passhat.errors import MissingExtraError, UsageError
from passhat.trace import decode_trace
from passhat.trials.runs import Run, run

SPEC = importlib.util.spec_from_file_location(
    "agents_to_run", Path(__file__).with_name("agents_to_run.py")
)
agents = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(agents)

GOOD = {"includes": ["yes"]}
SUITE = Suite("s", [Case(name, "ok?", response=GOOD) for name in ("one", "bad", "two")])


def isolated(agent, trials=1, suite=SUITE, **options):
    return run(agent, suite, trials, isolate=True, **{"timeout": 20, **options})


@pytest.mark.parametrize(
    ("agent", "why", "options"),
    [
        (agents.hanging, "took longer than its 2 seconds", {"timeout": 2}),
        (agents.leaking, "MemoryError", {"memory": 256}),
        (agents.exiting, "ended its own process, with exit code 0", {}),
        (agents.crashing, "was ended by SIGSEGV", {}),
        (agents.killing_its_keeper, "ended the process that watched over it", {}),
    ],
)
def test_an_agent_that_misbehaves_costs_one_trial(agent, why, options):
    results = isolated(agent, **options)
    assert [t.status for t in results] == ["passed", "agent_error", "passed"]
    assert why in results.trials[1].reason
    assert results.summary().n == 3


def test_an_agent_that_does_not_hear_is_ended_all_the_same():
    results = isolated(agents.deaf, timeout=2)
    assert [t.status for t in results] == ["passed", "agent_error", "passed"]
    assert "took longer than its 2 seconds" in results.trials[1].reason


def test_what_an_agent_leaves_running_is_ended_with_its_trial(tmp_path, monkeypatch):
    pids = tmp_path / "pids"
    monkeypatch.setenv("PASSHAT_TEST_PIDS", str(pids))
    results = isolated(agents.forking)
    assert {t.status for t in results} == {"passed"}
    left = [int(line) for line in pids.read_text().split()]
    assert left
    until = time.monotonic() + 60
    while any(Path(f"/proc/{pid}").exists() for pid in left) and time.monotonic() < until:
        time.sleep(0.02)
    assert not [pid for pid in left if Path(f"/proc/{pid}").exists()]


def test_an_agent_that_forks_and_comes_back_twice_is_counted_once():
    results = isolated(agents.coming_back_twice, trials=2)
    assert [(t.case_id, t.trial) for t in results] == [
        (case, n) for case in ("one", "bad", "two") for n in (0, 1)
    ]
    assert {t.status for t in results} == {"passed"}


def test_every_trial_begins_in_the_same_memory_with_chances_of_its_own():
    suite = Suite("s", [Case("one", "ok?", response={"equals": "yes 1"})])
    assert {t.status for t in isolated(agents.counting, 3, suite)} == {"passed"}
    assert agents.COUNT == 0
    first, second = answers(agents.chancy), answers(agents.chancy)
    assert len(set(first.values())) == 3
    assert first == second


def answers(agent):
    """What an agent answers in each of three isolated trials."""
    suite = Suite("s", [Case("one", "ok?", response=GOOD)])
    with (
        tempfile.TemporaryDirectory() as folder,
        Run(agent, suite, trials=3, isolate=True, journal=f"{folder}/j") as running,
    ):
        running.play()
        traces = [decode_trace(data) for data in running.traces()]
    return {trace.trial: trace.final_response for trace in traces}


def test_closures_async_agents_and_retries_work_there_too():
    answer = "yes"

    async def agent(case):
        if case.id == "bad":
            raise ConnectionResetError("gone")
        return answer

    results = isolated(agent, retries=1)
    assert [t.status for t in results] == ["passed", "infrastructure_error", "passed"]
    assert results.trials[1].reason == "ConnectionResetError: gone; tried 2 times"


def test_what_cannot_be_run_is_told_as_without_isolation():
    def refusing(case):
        raise UsageError("there is nothing to say")

    def missing(case):
        raise MissingExtraError("langgraph", "langgraph")

    results = isolated(refusing)
    assert [t.reason for t in results] == ["there is nothing to say"] * 3
    assert {t.status for t in results} == {"not_run"}
    with pytest.raises(MissingExtraError):
        isolated(missing)


def test_what_waits_to_be_written_is_written_once():
    code = (
        "from passhat import Case, Suite, run\n"
        "print('once', end='')\n"
        "run(lambda case: 'x', Suite('s', [Case('a', 'x')]), 4, isolate=True)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "once"


def test_no_process_is_left_behind():
    before = children()
    isolated(agents.fine)
    assert children() == before


def children():
    listed = subprocess.run(
        ["ps", "-o", "pid=,stat=", "--ppid", str(os.getpid())], capture_output=True, text=True
    )
    return {line for line in listed.stdout.splitlines() if not line.split()[1].startswith("R")}


def test_memory_is_more_than_nothing():
    with pytest.raises(UsageError, match="more than 0 MiB"):
        isolated(agents.fine, memory=0)
