"""Policies: what may not hold of a call, what must, and the state as it was when it was made."""

import pytest

from passhat.case import Case
from passhat.grading import grade
from passhat.trace import Message, StateUpdate, ToolCall, Trace


def call(name, request, executed=True, parent=None, **args):
    return ToolCall(
        name, args, request=request, executed=executed, parent=parent, id=f"{name}{request}"
    )


def judged(steps, *policies, initial=..., final=..., options=None, **case):
    given = {"initial_state": initial, "final_state": final}
    states = {name: state for name, state in given.items() if state is not ...}
    trace = Trace("t", steps=tuple(steps), **states)
    trial = grade(trace, Case("c", policies=policies, **case), {"policies": options or {}})
    return trial.results[0]


LIMIT = {"name": "limit", "deny": "call.name == 'refund' && call.args.amount > 100"}
VERIFIED = {
    "name": "verified",
    "require": "call.name != 'refund' || calls_before.exists(c, c.name == 'verify' && !c.failed)",
}


@pytest.mark.parametrize(
    ("steps", "policy", "status", "reason"),
    [
        ([call("refund", 0, amount=100)], LIMIT, "passed", ""),
        (
            [call("look", 0), call("refund", 1, amount=101)],
            LIMIT,
            "failed",
            "refund(amount=101) breaks 'limit': `call.name == 'refund' && call.args.amount > 100` holds",
        ),
        ([call("verify", 0), call("refund", 1, amount=1)], VERIFIED, "passed", ""),
        ([call("verify", 0), call("refund", 0, amount=1)], VERIFIED, "failed", "breaks 'verified'"),
        ([call("verify", None), call("refund", None, amount=1)], VERIFIED, "passed", ""),
        ([call("refund", 0, amount=1), call("verify", 1)], VERIFIED, "failed", "does not hold"),
        ([call("refund", 0, executed=False, amount=500)], LIMIT, "failed", "breaks 'limit'"),
        (
            [call("a", 0), call("refund", 0, parent="a0", amount=500)],
            LIMIT,
            "failed",
            "breaks 'limit'",
        ),
        ([Message("assistant", "hi", request=0)], LIMIT, "passed", ""),
        ([Message("user", "hi")], LIMIT, "not_evaluated", "neither answered nor called"),
        (
            [call("look", 0)],
            {"name": "p", "deny": "call.args.amount > 100"},
            "error",
            "policy 'p' at look(): `call.args.amount > 100`: no key 'amount'; guard it with has(...)",
        ),
        (
            [call("look", 0)],
            {"name": "p", "require": "call.args.confirmed"},
            "failed",
            "look() breaks 'p': `call.args.confirmed`: no key 'confirmed'",
        ),
        (
            [call("look", 0)],
            {"name": "p", "require": "call.name"},
            "error",
            'gives "look", not true or false',
        ),
        ([call("look", 0)], {"name": "p", "deny": "call.name > 1"}, "error", "do not go together"),
        ([call("look", 0)], {"name": "p", "deny": "cal.name"}, "error", "did you mean call?"),
        ([call("look", 0)], {"name": "p"}, "error", "needs one of deny and require"),
        ([call("look", 0)], "call.name", "error", "policy 1 is {name, deny or require}, not"),
        ([call("look", 0)], {"name": "p", "deny": "case.metadata.off"}, "failed", "holds"),
    ],
)
def test_each_call_keeps_them(steps, policy, status, reason):
    result = judged(steps, policy, metadata={"off": True})
    assert result.status == status
    assert reason in result.reason


def test_a_violation_outweighs_what_cannot_be_told():
    broken = {"name": "p", "deny": "call.args.x > 1"}
    result = judged(
        [call("refund", 0, amount=500)], broken, LIMIT, {"name": "s", "deny": "state.x"}
    )
    assert (result.status, result.score) == ("failed", 0.0)
    assert result.evidence["violations"] == [
        {
            "index": 0,
            "name": "refund",
            "policy": "limit",
            "reason": "`call.name == 'refund' && call.args.amount > 100` holds",
        }
    ]


def test_the_rate_is_of_policies():
    steps = [call("refund", 0, amount=500), call("refund", 1, amount=600)]
    result = judged(steps, LIMIT, VERIFIED, {"name": "never", "deny": "call.name == 'x'"})
    assert (result.evidence["hits"], result.evidence["of"]) == (1, 3)
    assert len(result.evidence["violations"]) == 4


def test_options():
    nested = [call("a", 0), call("refund", 0, parent="a0", amount=500)]
    assert judged(nested, LIMIT, options={"nested": "exclude"}).status == "passed"
    declined = [call("refund", 0, executed=False, amount=500)]
    assert judged(declined, LIMIT, options={"ran": True}).status == "passed"


OPEN = {"name": "open", "require": "call.name != 'cancel' || state.orders.A1 == 'open'"}
STEPS = [
    call("cancel", 0),
    StateUpdate({"orders": {"A1": "cancelled"}}, by="cancel0"),
    call("cancel", 1),
]
START = {"orders": {"A1": "open"}, "messages": 0}


def test_the_state_is_that_at_the_call():
    result = judged(STEPS, OPEN, initial=START)
    assert [entry["index"] for entry in result.evidence["violations"]] == [1]
    end = {"orders": {"A1": "cancelled"}, "messages": 5}
    result = judged(STEPS, OPEN, initial=START, final=end)
    assert [entry["index"] for entry in result.evidence["violations"]] == [1]


@pytest.mark.parametrize(("status", "verdict"), [("open", "passed"), ("lost", "failed")])
def test_a_table_of_rows_is_taken_by_its_key(status, verdict):
    policy = {"name": "open", "require": "state.orders['A1'].status == 'open'"}
    rows = [{"id": "A1", "status": status}, {"id": "A2", "status": "gone"}]
    assert judged(STEPS[:1], policy, initial={"orders": rows}).status == verdict


@pytest.mark.parametrize(
    ("steps", "states", "case", "status", "reason"),
    [
        (STEPS, {}, {}, "not_evaluated", "neither the trace nor the case has an initial state"),
        (
            STEPS,
            {"initial": START, "final": {"orders": {"A1": "lost"}}},
            {},
            "not_evaluated",
            'do not lead from the initial state to the final one: orders.A1: "cancelled" -> "lost"',
        ),
        (STEPS[::2], {"initial": START}, {}, "not_evaluated", "no state updates"),
        (
            STEPS[::2],
            {"initial": START},
            {"writes": ("cancel",)},
            "not_evaluated",
            "no state updates",
        ),
        (
            [call("look", 0), call("cancel", 1)],
            {"initial": START},
            {"writes": ("cancel",)},
            "passed",
            "",
        ),
        (
            [call("cancel", 0, executed=False), call("cancel", 1)],
            {"initial": START},
            {},
            "passed",
            "",
        ),
        (STEPS[::2], {"initial": START, "final": START}, {}, "passed", ""),
        (STEPS[:1], {}, {"initial_state": START}, "passed", ""),
        (STEPS, {"initial": []}, {}, "not_evaluated", "is no mapping"),
    ],
)
def test_a_state_that_nobody_knows_is_not_evaluated(steps, states, case, status, reason):
    result = judged(steps, OPEN, **states, **case)
    assert result.status == status
    assert reason in result.reason
