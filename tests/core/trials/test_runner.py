"""The runner: trials round by round, each with its result, whatever agents do on the way."""

import asyncio
import contextlib
import itertools
import os
import signal
import threading
import time

import pytest

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.reliability import read_results
from passhat.scoring import score
from passhat.trace import Message, ToolCall, Trace
from passhat.trials.runs import Run, run

GOOD = {"equals": "yes"}
ONE = Suite("s", [Case("a", "ok?", response=GOOD)])
TWO = Suite("s", [Case("a", "ok?", response=GOOD), Case("b", "ok?", response=GOOD)])


def yes(case):
    return "yes"


def once(agent, **options):
    (trial,) = run(agent, ONE, 1, **options)
    return trial


def test_trials_go_round_by_round_and_come_back_by_case():
    seen = []

    def agent(case):
        seen.append(case.id)
        return "yes"

    suite = Suite("s", [Case("a", "?", trials=3), Case("b", "?", trials=1), Case("c", "?")])
    results = run(agent, suite, concurrency=1)
    assert "".join(seen) == "abcacaccc"
    assert [(t.case_id, t.trial) for t in results][:4] == [("a", 0), ("a", 1), ("a", 2), ("b", 0)]
    assert len(run(yes, suite, 2)) == 6


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "the agent gave None"),
        (7, "a int"),
        ({"answer": "yes"}, ""),
        (Trace("t", "other"), "case 'other', and played case 'a'"),
        (Trace("t", steps=(Message("assistant", "yes", content=object()),)), "no JSON"),
        (Trace("t", steps=(Message("assistant", "\ud800"),)), "no JSON"),
        ([{"role": "assistant", "content": 7}], ""),
    ],
)
def test_what_is_no_answer_is_the_agents_failure(value, why):
    trial = once(lambda case: value)
    assert trial.status == "agent_error"
    assert why in trial.reason


def test_a_trace_may_tell_of_its_own_failure():
    def told(outcome, error):
        return once(lambda case: Trace("t", error=error, outcome=outcome), retries=0).status

    assert told("agent_error", "ValueError: x") == "agent_error"
    assert told("limit", "GraphRecursionError('25')") == "agent_error"
    assert told("infrastructure_error", "429") == "infrastructure_error"


def test_the_time_of_a_trial_is_the_agents_and_holds_up_nobody():
    async def sleeps(case):
        await asyncio.sleep(60 if case.id == "a" else 0)
        return "yes"

    async def clings(case):
        while case.id == "a":
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
        return "yes"

    async def too_late(case):
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60 if case.id == "a" else 0)
        return "yes"

    waiting = threading.Event()

    def blocks(case):
        waiting.wait(60 if case.id == "a" else 0)
        return "yes"

    for agent in (sleeps, clings, too_late, blocks):
        first, second = run(agent, TWO, 1, timeout=1)
        assert (first.status, second.status) == ("agent_error", "passed")
        assert first.reason == "took longer than its 1 seconds"
        assert first.failure_class == "agent_error"
    waiting.set()


def test_a_case_that_cannot_be_played_is_told_and_left_out():
    def agent(case):
        raise UsageError("the case asks nothing")

    trial = once(agent)
    assert (trial.status, trial.reason) == ("not_run", "the case asks nothing")


def test_a_signal_stops_cleanly_and_says_how_to_go_on(tmp_path):
    began = threading.Event()

    def agent(case):
        if case.id == "b":
            began.set()
            time.sleep(30)
        return "yes"

    def interrupt():
        began.wait()
        time.sleep(1)  # Time for those of the other case to end and be kept.
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    for journal in ("j.journal", "j.jsonl", None):
        began.clear()
        file = None if journal is None else tmp_path / journal
        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt) as stopped:
            run(agent, TWO, 3, journal=file)
        thread.join()
        told = "without a journal they are lost" if file is None else "--resume (resume=True)"
        assert f"{told}" in str(stopped.value)
        assert "3 of 6 trials" in str(stopped.value)
        assert signal.getsignal(signal.SIGINT) is before
        if file is not None:
            assert len(run(yes, TWO, 3, journal=file, resume=True, vary=True)) == 6


def test_it_runs_where_a_loop_is_running_already():
    async def notebook():
        return run(yes, ONE, 2)

    assert len(asyncio.run(notebook())) == 2


def test_the_results_are_those_of_scoring_the_traces(tmp_path):
    def agent(case):
        if case.id == "b":
            raise ValueError("lost")
        call = ToolCall("look", {"x": 1}, id="1", request=0, result=2, answered=1)
        return Trace("t", steps=(call, Message("assistant", "yes", request=1)), tools={"look": {}})

    with Run(agent, TWO, trials=2, journal=tmp_path / "j") as running:
        running.play()
        ours = list(running.results())
        (tmp_path / "traces.jsonl").write_bytes(b"".join(t + b"\n" for t in running.traces()))
    again = score(tmp_path / "traces.jsonl", TWO, timelines=True)
    assert sorted(again, key=lambda t: (t.case_id, t.trial)) == ours
    assert {"agent", "suite", "case", "seed", "versions"} <= ours[0].pins.keys()


def test_results_can_be_saved_and_read(tmp_path):
    results = run(yes, TWO, 2)
    results.save(tmp_path / "r.jsonl")
    assert read_results(tmp_path / "r.jsonl").trials == results.trials


def test_a_judge_that_takes_long_holds_up_nobody():
    from passhat.grading import check

    @check("slow_judge", needs=())
    def judge(trace, case):
        if next(judged):  # The first is quick, which says nothing of the next.
            together.wait(60)  # Passed by two that judge at the same time, and broken by one alone.
        return True

    together, judged = threading.Barrier(2), itertools.count()
    results = run(yes, Suite("s", [Case("a", "?")]), 17, concurrency=17, checks=[judge])
    assert {t.status for t in results} == {"passed"}


def test_more_at_a_time_than_there_are_trials_costs_nothing():
    assert run(yes, TWO, 1, concurrency=10**9).summary().c == 2


def test_an_agent_that_goes_to_another_folder_takes_nothing_along(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "away").mkdir()

    def agent(case):
        os.chdir(tmp_path / "away")
        return "yes"

    for journal in ("j.journal", "j.jsonl"):
        run(agent, TWO, 2, journal=journal)
        assert os.getcwd() == str(tmp_path)
        assert run(agent, TWO, 3, journal=journal, resume=True).summary().c == 6
    assert not list((tmp_path / "away").iterdir())


def test_an_agent_that_stops_the_loop_stops_nobody():
    async def agent(case):
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0.01)
        return "yes"

    assert run(agent, TWO, 3).summary().c == 6
