"""Whose fault a failure is: what is tried again, what counts, and what is left out."""

import asyncio
import time

import pytest

from passhat.case import Case, Suite
from passhat.failing import FailureRules
from passhat.trials.retrying import Retries
from passhat.trials.runs import Run, run

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


def test_a_limit_of_time_ends_the_waiting_for_the_surroundings():
    class Refused(ConnectionError):
        retry_after = 30

    agent = Raising(*[Refused()] * 10)
    began = time.monotonic()
    (trial,) = run(agent, ONE, 1, max_seconds=0.3)
    assert (trial.status, agent.calls) == ("infrastructure_error", 1)
    assert time.monotonic() - began < 10
