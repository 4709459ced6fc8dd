"""One attempt: sync and async agents, what they give back, and what they raise."""

import asyncio
import functools
import threading

import pytest

from passhat.case import Case
from passhat.errors import TraceError
from passhat.trace import Message, Trace
from passhat.trials.attempt import AttemptFailed, attempt

CASE = Case("where", "Where is A1?")
CHAT = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "Here."}]


def played(agent, case=CASE):
    return asyncio.run(attempt(agent, case, trial=1, seed=0))


async def later(case):
    await asyncio.sleep(0)
    return "Here."


class Callable:
    async def __call__(self, case):
        return "Here."


@pytest.mark.parametrize(
    "agent",
    [
        lambda case: "Here.",
        later,
        lambda case: later(case),
        functools.partial(later),
        Callable(),
        lambda case: CHAT,
        lambda case: {"messages": CHAT},
        lambda case: tuple(CHAT),
        lambda case: Trace("t", steps=(Message("assistant", "Here.", request=0),)),
    ],
)
def test_every_shape_of_agent_and_answer_becomes_a_trace(agent):
    trace = played(agent)
    assert (trace.case_id, trace.trial, trace.final_response) == ("where", 1, "Here.")
    assert trace.seconds is not None


def test_a_sync_agent_runs_in_a_thread_of_its_own():
    names = []
    played(lambda case: names.append(threading.current_thread().name) or "ok")
    assert names == ["passhat-agent"]


@pytest.mark.parametrize("value", [None, 7, object(), [], {}, [1, 2], {"answer": 1}, b"bytes"])
def test_what_is_no_answer_is_told(value):
    with pytest.raises(AttemptFailed) as failed:
        played(lambda case: value)
    assert isinstance(failed.value.error, TraceError)
    assert failed.value.trace.messages[0].text == "Where is A1?"


def test_a_trace_of_another_case_is_told():
    with pytest.raises(AttemptFailed) as failed:
        played(lambda case: Trace("t", "other"))
    assert "case 'other'" in str(failed.value.error)


def raising(error):
    def agent(case):
        raise error

    async def awaited(case):
        raise error

    return [agent, awaited]


@pytest.mark.parametrize(
    "error", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()]
)
@pytest.mark.parametrize("at", [0, 1])
def test_whatever_an_agent_raises_ends_the_attempt_alone(error, at):
    with pytest.raises(AttemptFailed) as failed:
        played(raising(error)[at])
    assert failed.value.error is error
