"""Goal states by replay: a fresh copy, the user's own tools, and errors that are the suite's."""

import copy
from types import SimpleNamespace

import pytest

from passhat.case import expected_calls
from passhat.errors import SuiteError, UsageError
from passhat.state import diff, replay, snapshot
from passhat.trace import ToolCall

BEFORE = {"orders": {"A1": {"status": "open", "lines": [1]}}}


def set_status(state, order, status="closed"):
    state["orders"][order]["status"] = status
    return {"ok": True}


def add(state, order):
    state["orders"][order]["lines"].append(len(state["orders"][order]["lines"]) + 1)


def clock():
    return "now"


TOOLS = {"set_status": set_status, "add": add, "clock": clock}


@pytest.mark.parametrize(
    "actions",
    [
        [
            {"name": "set_status", "args": {"order": "A1"}},
            {"name": "add", "kwargs": {"order": "A1"}},
        ],
        [("add", {"order": "A1"}), "clock", ["set_status", {"order": "A1"}]],
        [
            ToolCall("set_status", {"order": "A1"}),
            SimpleNamespace(name="add", kwargs={"order": "A1"}),
        ],
        expected_calls(
            [
                [
                    {"name": "set_status", "args": {"order": "A1"}},
                    {"name": "add", "args": {"order": "A1"}},
                ],
                "clock",
            ]
        ),
    ],
)
def test_any_way_leads_to_the_same_state(actions):
    kept = copy.deepcopy(BEFORE)
    after = replay(actions, TOOLS, BEFORE)
    assert after == {"orders": {"A1": {"status": "closed", "lines": [1, 2]}}}
    assert kept == BEFORE


def test_tools_bound_to_a_state():
    class World:
        def __init__(self, state):
            self.state = state

        def close(self, order):
            self.state["orders"][order]["status"] = "closed"

    def tools(state):
        return {"close": World(state).close}

    taken = snapshot(BEFORE)
    after = replay([("close", {"order": "A1"})], tools, taken)
    assert str(diff(taken, after).changes[0]) == 'orders[A1].status: "open" -> "closed"'


def test_no_actions_leave_the_state_as_it_was():
    assert replay([], TOOLS, BEFORE) == BEFORE


def fail(state):
    return {"error": "no such order"}


async def later(state):
    return None


def step(state):
    yield state


def leave(state):
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        (
            [("add", {"order": "A1"}), ("add", {"order": "A9"})],
            r"\$\[1\]: the reference action add .*KeyError: 'A9'",
        ),
        ([("add", {"order": "A1", "n": 1})], "unexpected keyword argument 'n'"),
        (["refund"], "no tool of that name: there are set_status, add"),
        ([["clock", "fail"]], r"\$\[0\]\[1\]: .*no such order"),
        (["later"], "asynchronous"),
        (["step"], "a generator, which has not run"),
        (["leave"], "SystemExit: 3"),
        ([{"args": {}}], "a name and arguments"),
        ([{"name": "add", "args": 5}], "a name and arguments"),
        (["grumble"], "it gives"),
    ],
)
@pytest.mark.filterwarnings("ignore:coroutine")
def test_errors_are_those_of_the_suite(actions, said):
    tools = {**TOOLS, "fail": fail, "later": later, "step": step, "leave": leave}
    tools["grumble"] = lambda state: "Error: no"
    with pytest.raises(SuiteError, match=said):
        replay(actions, tools, BEFORE, failed=lambda result: str(result).startswith("Error:"))


def test_tools_that_could_change_nothing():
    with pytest.raises(UsageError, match="no tool takes a state"):
        replay(["clock"], {"clock": clock}, BEFORE)


def test_the_actions_stay_as_they_are_whatever_a_tool_does_with_its_arguments():
    def book(state, order, lines):
        state["orders"][order] = {"lines": lines}

    actions = [("book", {"order": "A2", "lines": [1]}), ("add", {"order": "A2"})]
    kept = copy.deepcopy(actions)
    first, second = (replay(actions, {"book": book, "add": add}, BEFORE) for _ in range(2))
    assert first == second
    assert actions == kept
