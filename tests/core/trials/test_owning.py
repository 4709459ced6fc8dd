"""What an agent does to the loop, and to its case, costs it alone."""

import asyncio
import os
import signal

import pytest

import passhat
from passhat.case import Case, ExpectedCall, Suite
from passhat.trials.handing import handed

BESIDE = Suite(
    "two", [Case(name, "?", response={"includes": ["yes"]}) for name in ("cancels", "beside")]
)


def statuses(agent, **options):
    results = passhat.run(agent, BESIDE, trials=3, **options)
    return {(trial.case_id, trial.status) for trial in results}


async def with_children(case):
    async def child():
        await asyncio.sleep(0.05)
        return "yes"

    return (await asyncio.gather(child(), child()))[0]


def test_an_agent_that_cancels_every_task_ends_its_own_trial_alone():
    async def agent(case):
        if case.id == "beside":
            return await with_children(case)
        await asyncio.sleep(0.01)
        for task in asyncio.all_tasks():
            task.cancel()
        await asyncio.sleep(0)
        return "yes"

    assert statuses(agent) == {("cancels", "agent_error"), ("beside", "passed")}


def test_an_agent_that_cancels_all_but_itself_harms_nobody():
    async def agent(case):
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        return await with_children(case)

    assert {status for _, status in statuses(agent)} == {"passed"}


def test_an_agent_ends_what_is_its_own():
    async def agent(case):
        task = asyncio.ensure_future(asyncio.sleep(60))
        try:
            async with asyncio.timeout(0.01):
                await task
        except TimeoutError:
            return "yes" if task.cancelled() else "no"

    assert {status for _, status in statuses(agent)} == {"passed"}


def test_what_an_earlier_trial_left_behind_can_be_cancelled():
    left = []

    async def agent(case):
        for task in left:
            task.cancel()
            await asyncio.wait({task})
        left[:] = [asyncio.ensure_future(asyncio.sleep(60))]
        return "yes"

    found = statuses(agent, concurrency=1, timeout=5)
    assert {status for _, status in found} == {"passed"}


def test_a_time_limit_ends_an_agent_with_what_it_waits_for():
    ended = []

    async def agent(case):
        try:
            await asyncio.gather(asyncio.sleep(60), asyncio.sleep(60))
        except asyncio.CancelledError:
            ended.append(case.id)
            raise

    assert {status for _, status in statuses(agent, timeout=0.05)} == {"agent_error"}
    assert len(ended) == 6


def test_a_signal_that_comes_while_an_agent_is_at_work_ends_the_run():
    async def agent(case):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(1000))  # The handler runs here, in the context of the agent.
        await asyncio.sleep(60)

    with pytest.raises(KeyboardInterrupt, match="0 of 6 trials"):
        passhat.run(agent, BESIDE, trials=3)


def test_an_agent_cannot_change_what_it_is_judged_by():
    def agent(case):
        case.response["includes"][:] = ["no"]
        return "no"

    assert {status for _, status in statuses(agent)} == {"failed"}


def test_what_an_agent_does_to_its_case_is_not_seen_by_its_next_trial():
    seen = []

    def agent(case):
        seen.append((len(case.input), dict(case.metadata), dict(case.initial_state)))
        case.input.append({"role": "user", "content": "And?"})
        case.metadata["seen"] = True
        case.initial_state.clear()
        return "yes"

    case = Case(
        "c",
        [{"role": "user", "content": "?"}],
        initial_state={"orders": []},
        response={"includes": ["yes"]},
    )
    results = passhat.run(agent, Suite("one", [case]), trials=3, concurrency=1)
    assert seen == [(1, {}, {"orders": []})] * 3
    assert results.summary().pass_hat_k[3] == 1.0


def test_a_twin_is_equal_and_shares_what_is_no_json():
    same = object()
    case = Case(
        "c",
        "?",
        turns=["one", {"input": "two", "expected_calls": [{"name": "f", "args": {"x": [1]}}]}],
        expected_calls=[["a", ExpectedCall("b", {"x": [1]})]],
        metadata={"same": same, "within": ({"x": 1},)},
    )
    twin = handed(case)
    assert twin == case
    assert twin.metadata["same"] is same
    twin.expected_calls[0][1].args["x"].append(2)
    twin.turns[1].expected_calls[0].args["x"].append(2)
    twin.metadata["within"][0]["x"] = 2
    assert case.expected_calls[0][1].args == {"x": [1]}
    assert case.turns[1].expected_calls[0].args == {"x": [1]}
    assert case.metadata["within"] == ({"x": 1},)
