"""The runner: what becomes of every way in which an agent and its surroundings can fail."""

import asyncio
import contextlib
import itertools
import os
import signal
import threading
import time

import pytest

from passhat.case import Case, Suite
from passhat.errors import InputError, SuiteError, UsageError
from passhat.failing import FailureRules
from passhat.reliability import read_results
from passhat.result import Trial
from passhat.scoring import score
from passhat.trace import Message, ToolCall, Trace, Usage
from passhat.trials.agents import agent_named, as_callable
from passhat.trials.retrying import Retries
from passhat.trials.runs import Run, run
from passhat.trials.sandbox import Sandbox
from passhat.trials.stopping import Limits, Stop

GOOD = {"equals": "yes"}
ONE = Suite("s", [Case("a", "ok?", response=GOOD)])
TWO = Suite("s", [Case("a", "ok?", response=GOOD), Case("b", "ok?", response=GOOD)])
QUICK = Retries(3, first=0.001)


def yes(case):
    return "yes"


def once(agent, **options):
    (trial,) = run(agent, ONE, 1, **{"retries": QUICK, **options})
    return trial


class Raising:
    """Raises these one after the other, then answers."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.calls = 0

    def __call__(self, case):
        self.calls += 1
        if self.errors:
            raise self.errors.pop(0)
        return "yes"


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


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        SystemExit(1),
        KeyboardInterrupt(),
        GeneratorExit(),
        asyncio.CancelledError(),
    ],
)
@pytest.mark.parametrize("kind", ["sync", "async", "task"])
def test_whatever_is_raised_costs_one_trial_and_the_others_go_on(error, kind):
    def sync(case):
        if case.id == "a":
            raise error
        return "yes"

    async def awaited(case):
        return sync(case)

    async def in_a_task(case):
        return await asyncio.ensure_future(awaited(case))

    agent = {"sync": sync, "async": awaited, "task": in_a_task}[kind]
    first, second = run(agent, TWO, 1)
    assert (first.status, second.status) == ("agent_error", "passed")
    assert type(error).__name__ in first.reason


def test_an_error_that_cannot_be_told_is_told_all_the_same():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    assert "its message cannot be told" in once(Raising(Mute())).reason
    assert once(Raising(ValueError("\ud800"))).reason == "ValueError: \\ud800"


def test_a_trace_may_tell_of_its_own_failure():
    def told(outcome, error):
        return once(lambda case: Trace("t", error=error, outcome=outcome), retries=0).status

    assert told("agent_error", "ValueError: x") == "agent_error"
    assert told("limit", "GraphRecursionError('25')") == "agent_error"
    assert told("infrastructure_error", "429") == "infrastructure_error"


def test_the_surroundings_are_tried_again_with_what_they_said_kept():
    agent = Raising(ConnectionError("a"), ConnectionResetError("b"))
    with Run(agent, ONE, trials=1, retries=QUICK) as running:
        running.play()
        (trial,) = running.results()
        assert running.standing.retries == 2
        assert "2 retries after errors of the surroundings" in running.notes
    assert (trial.status, agent.calls) == ("passed", 3)


def test_what_stays_broken_is_in_the_ledger_and_never_in_n():
    class Half:
        def __call__(self, case):
            if case.id == "b":
                raise ConnectionRefusedError("no")
            return "yes"

    summary = run(Half(), TWO, 4, retries=QUICK).summary()
    assert summary.n == 4
    assert summary.ledger["infrastructure_error"] == 4
    assert summary.left_out[0].reason == "ConnectionRefusedError: no; tried 4 times"
    assert summary.sensitivity.if_failed[1] == 0.5


def test_the_agents_own_errors_are_not_tried_again():
    agent = Raising(ValueError("x"))
    assert once(agent).status == "agent_error"
    assert agent.calls == 1


def test_what_is_declared_decides():
    class Odd(Exception):
        pass

    rules = FailureRules(infrastructure=[Odd], agent=["ConnectionError"])
    agent = Raising(Odd(), Odd())
    assert (once(agent, failures=rules).status, agent.calls) == ("passed", 3)
    agent = Raising(ConnectionError("mine"))
    assert (once(agent, failures=rules).status, agent.calls) == ("agent_error", 1)


def test_a_servers_wish_is_kept_and_too_long_a_one_gives_up():
    class Refused(Exception):
        def __init__(self, seconds):
            super().__init__("slow down")
            self.status_code = 429
            self.retry_after = seconds

    agent = Raising(Refused(0.2))
    began = time.monotonic()
    assert once(agent).status == "passed"
    assert time.monotonic() - began >= 0.2
    agent = Raising(Refused(3600))
    assert (once(agent).status, agent.calls) == ("infrastructure_error", 1)


def test_when_everything_is_down_the_budget_ends_the_trying():
    agent = Raising(*[ConnectionError()] * 1000)
    results = run(agent, ONE, 30, retries=Retries(5, first=0.0001, total=7))
    assert agent.calls == 37
    assert {t.status for t in results} == {"infrastructure_error"}


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


def spending(cost):
    def agent(case):
        time.sleep(0.01)
        said = Message("assistant", "yes", request=0)
        return Trace("t", steps=(said,), usage=Usage(cost=cost))

    return agent


def test_a_limit_of_cost_stops_in_good_order():
    results = run(spending(1.0), ONE, 50, concurrency=4, max_cost=10.0)
    done = [t for t in results if t.status == "passed"]
    left = [t for t in results if t.status == "not_run"]
    assert 10 <= len(done) <= 13  # Of the first ones that run side by side no cost is known yet.
    assert len(done) + len(left) == 50
    assert left[0].reason.startswith("stopped: --max-cost 10 was reached")


def test_a_limit_of_cost_says_what_is_spent_and_what_is_still_running():
    limits = Limits(cost=1.0)
    limits.spend(Trial("a", 0, "", "passed", usage=Usage(cost=0.75)))
    assert limits.reached(0, running=0) is None
    assert limits.reached(0, running=1) == (
        "--max-cost 1 was reached (0.75 spent, and 1 running at 0.75 each)"
    )


def test_a_cost_that_is_not_known_is_told():
    with Run(yes, ONE, trials=2, max_cost=1.0) as running:
        running.play()
        assert [note for note in running.notes if "cost of 2 trials is unknown" in note]


def test_a_limit_of_time_starts_no_more_and_finishes_what_runs():
    begun = []

    def agent(case):
        begun.append(case.id)
        if len(begun) > 2:  # The first two end long before the limit, the next two long after it.
            time.sleep(2)
        return "yes"

    results = run(agent, ONE, 50, concurrency=2, max_seconds=1)
    assert [t.status for t in results].count("passed") == len(begun) == 4
    assert results.trials[-1].reason == "stopped: --max-seconds 1 were over"


def test_a_limit_that_is_reached_with_the_last_trial_cuts_nothing(tmp_path):
    options = {"trials": 3, "concurrency": 1, "max_cost": 3.0, "journal": tmp_path / "j"}
    with Run(spending(1.0), ONE, **options) as running:
        running.play()
        assert [t.status for t in running.results()] == ["passed"] * 3
        assert running.standing.reason is None


def test_a_limit_of_time_ends_the_waiting_for_the_surroundings():
    class Refused(ConnectionError):
        retry_after = 30

    agent = Raising(*[Refused()] * 10)
    began = time.monotonic()
    (trial,) = run(agent, ONE, 1, max_seconds=0.3)
    assert (trial.status, agent.calls) == ("infrastructure_error", 1)
    assert time.monotonic() - began < 10


def test_a_rule_says_which_cases_need_no_more():
    def rule(trial, counts):
        settled = {name for name, (n, c, _) in counts.items() if n >= 2 and name == "a"}
        return Stop(frozenset(settled), everything=counts["b"].n >= 4)

    with Run(yes, TWO, trials=10, concurrency=1, until=rule) as running:
        running.play()
        results = list(running.results())
        assert running.standing.saved == 14
        assert [note for note in running.notes if "14 trials were not needed" in note]
    assert [t.case_id for t in results] == ["a"] * 2 + ["b"] * 4


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
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
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


@pytest.mark.parametrize(
    "options",
    [
        {"trials": 0},
        {"trials": 1.5},
        {"concurrency": 0},
        {"timeout": 0},
        {"retries": -1},
        {"max_cost": 0},
        {"max_seconds": -1},
        {"max_cost": float("nan")},
        {"resume": True, "fresh": True, "journal": "x"},
        {"sandbox": 7},
    ],
)
def test_arguments_that_mean_nothing_are_told(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "sandbox" in options:
        assert run(yes, ONE, 1, **options).trials[0].status == "not_run"
        return
    with pytest.raises(UsageError):
        run(yes, ONE, **options)


def test_a_suite_that_cannot_be_run_is_told(tmp_path):
    with pytest.raises(UsageError, match="no cases"):
        run(yes, Suite("s"))
    (tmp_path / "bad.yaml").write_text("cases: [{id: a, inpt: x}]")
    with pytest.raises(SuiteError):
        run(yes, tmp_path / "bad.yaml")
    with pytest.raises(InputError):
        run(yes, tmp_path / "none.yaml")


def test_a_check_that_does_not_exist_costs_no_trial(tmp_path):
    agent = Raising()
    for options in ({"checks": ["no_such"]}, {}):
        suite = ONE if options else Suite("s", [Case("a", "?", checks={"no_such": {}})])
        with pytest.raises(UsageError, match="no_such"):
            run(agent, suite, journal=tmp_path / "j", **options)
    assert agent.calls == 0
    assert len(run(yes, ONE, 1, journal=tmp_path / "j")) == 1


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


def test_cases_that_cannot_be_told_apart_are_refused():
    with pytest.raises(UsageError, match="two cases are called 'a'"):
        run(yes, Suite("s", [Case("a"), Case("b"), Case("a")]))


def test_what_is_no_agent_is_told():
    for wrong, why in ((7, "no callable, but int"), (Raising, "a class"), (None, "NoneType")):
        with pytest.raises(UsageError, match=why):
            run(wrong, ONE)
    assert as_callable(yes) is yes


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("agents", "give package.module:name"),
        ("no_such_module_here:x", "ModuleNotFoundError"),
        ("os:no_such", "os has no 'no_such'"),
        ("os:environ", "no callable"),
    ],
)
def test_a_name_of_no_agent_is_told(name, why):
    with pytest.raises(UsageError, match=why):
        agent_named(name)


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


def test_half_a_surrogate_pair_is_refused_where_it_stands_in_the_suite():
    with pytest.raises(UsageError, match="half a surrogate pair"):
        run(yes, Suite("s", [Case("\ud800", "ok?", response=GOOD)]))


def test_approvals_that_answer_nobody_are_told_of():
    suite = Suite("s", [Case("a", "ok?", response=GOOD, approvals={"pay": "decline"})])
    with Run(yes, suite, trials=1) as running:
        running.play()
        assert any("answered nobody" in note for note in running.notes)
    with Run(yes, suite, trials=1, sandbox=Sandbox({"pay": yes})) as running:
        running.play()
        assert running.notes == ()
