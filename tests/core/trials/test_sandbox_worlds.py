"""The worlds of sandboxes: copied, or put back before each trial, and looked at after it."""

import asyncio
import sqlite3
import time
from contextlib import closing, suppress

import pytest

from passhat.case import Case, Suite
from passhat.trials.attempt import attempt
from passhat.trials.runs import run
from passhat.trials.sandbox import Sandbox


def add(state: dict):
    state["count"] += 1
    return state["count"]


def test_a_sqlite_file_is_copied_for_each_trial(tmp_path):
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT)")
        database.execute("INSERT INTO orders VALUES ('A1', 'open')")
        database.commit()

    def cancel(state: sqlite3.Connection, order: str):
        state.execute("UPDATE orders SET status = 'cancelled' WHERE id = ?", (order,))
        state.commit()
        return "cancelled"

    def agent(case, tools):
        return tools["cancel"](order="A1")

    sandbox = Sandbox([cancel], str(path))
    for n in range(2):
        trace = asyncio.run(attempt(agent, Case("c", "?"), trial=n, seed=n, sandbox=sandbox))
        assert trace.initial_state == {"orders": [{"id": "A1", "status": "open"}]}
        assert trace.final_state == {"orders": [{"id": "A1", "status": "cancelled"}]}
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT status FROM orders").fetchall() == [("open",)]


def test_a_world_outside_is_put_back_before_each_trial_and_trials_take_turns():
    world = {"count": 99}
    inside = []

    def reset(case):
        world["count"] = 0
        return world

    sandbox = Sandbox([add], reset=reset, look=lambda state: dict(state))

    async def agent(case, tools):
        inside.append(1)
        assert len(inside) == 1
        await tools.acall("add")
        await asyncio.sleep(0.01)
        inside.pop()
        return "ok"

    async def several():
        return await asyncio.gather(
            *(attempt(agent, Case("c", "Hi"), trial=n, seed=n, sandbox=sandbox) for n in range(4))
        )

    for trace in asyncio.run(several()):
        assert (trace.initial_state, trace.final_state) == ({"count": 0}, {"count": 1})


def broken(*_):
    raise KeyError("down")


@pytest.mark.parametrize(
    "sandbox",
    [
        Sandbox([add], reset=broken),
        Sandbox([add], reset=lambda: {"count": 0}, look=broken),
        Sandbox(broken, {"count": 0}),
    ],
)
def test_a_world_that_cannot_be_made_ready_is_no_failure_of_the_agent(sandbox):
    asked = []
    suite = Suite("s", [Case("c", "?", response={"includes": ["yes"]})])
    trial = run(lambda case, tools: asked.append(1), suite, 1, sandbox=sandbox, retries=0).trials[0]
    assert (trial.status, asked) == ("infrastructure_error", [])
    assert "the sandbox failed, not the agent: KeyError: 'down'" in trial.reason


def test_to_make_a_world_ready_takes_none_of_a_trials_time():
    def reset():
        time.sleep(0.6)
        return {}

    def agent(case, tools):
        time.sleep(0.1)
        return "yes"

    suite = Suite("s", [Case("c", "?", response={"includes": ["yes"]})])
    sandbox = Sandbox([add], reset=reset)
    assert run(agent, suite, 1, sandbox=sandbox, timeout=0.5).trials[0].status == "passed"


def test_a_world_that_a_given_up_attempt_never_leaves_is_waited_for_by_none():
    asked = []

    async def agent(case, tools):
        asked.append(case.id)
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        await asyncio.sleep(60)

    cases = [Case(name, name, response={"includes": ["yes"]}) for name in "ab"]

    def empty():
        return {}

    sandbox = Sandbox([add], reset=empty)
    trials = run(agent, Suite("s", cases), 1, sandbox=sandbox, timeout=0.1, retries=0).trials
    first, second = sorted(trials, key=lambda trial: trial.case_id not in asked)
    assert (first.status, second.status) == ("agent_error", "infrastructure_error")
    assert "the sandbox is not free" in second.reason
    assert asked == [first.case_id]


def test_a_world_that_cannot_be_looked_at_any_more_is_not_judged():
    looks = iter([{"n": 1}])
    hooks = {"reset": lambda: {"n": 0}, "look": lambda state: next(looks)}
    sandbox = Sandbox({"lookup": lambda: "yes"}, **hooks)

    def agent(case, tools):
        return tools["lookup"]()

    case = Case("c", "?", response={"includes": ["yes"]}, expected_final_state={})
    trial = run(agent, Suite("s", [case]), 1, sandbox=sandbox).trials[0]
    assert trial.result("response_includes").status == "passed"
    assert trial.status == "not_evaluated"
    assert "looking at the world failed: StopIteration" in trial.reason
