"""Success in CEL: what an expression sees, what it gives where something is missing, and why it does not hold."""

import pytest

from passhat.case import Case
from passhat.expressions import killable
from passhat.grading import grade
from passhat.trace import Message, ToolCall, Trace
from passhat.values import ABSENT

FINAL = {
    "refunds": {"A100": {"amount": 1200, "by": "bot"}},
    "orders": [{"id": "O1", "total": 5}, {"id": "O2", "total": 7}],
    "balance": 10,
    "none": None,
    "response": "a part that is called like a name",
}


def judged(text, final=FINAL, initial=ABSENT, answer="Refunded 1200.", **case):
    steps = (
        Message("user", "refund", turn=0),
        ToolCall("issue_refund", {"order": "A100"}, request=0, executed=True, result={"ok": True}),
        Message("assistant", answer, request=1),
    )
    states = {"initial_state": initial, "final_state": final}
    given = {name: state for name, state in states.items() if state is not ABSENT}
    trial = grade(Trace("t", steps=steps, **given), Case("c", success_check=text, **case))
    assert trial.results[0].key == "success_check"
    return trial.results[0]


@pytest.mark.parametrize(
    "text",
    [
        "refunds['A100'].amount == 1200",
        "state.refunds.A100.amount == 1200.0",
        "size(refunds) == 1 && balance < 11",
        "orders['O1'].total == 5 && state.orders['O2'].total == 7",
        "orders.exists(o, o.total > 6)",
        "orders[0].id == 'O1'",
        "response.contains('1200')",
        "calls.exists(c, c.name == 'issue_refund' && c.args.order == 'A100' && !c.failed)",
        "calls[0].result.ok && calls[0].error == null",
        "initial.balance == 12",
        "case.metadata.limit > refunds['A100'].amount && case.id == 'c'",
        "!has(refunds.A200)",
    ],
)
def test_what_holds(text):
    result = judged(text, initial={"balance": 12}, metadata={"limit": 2000, "odd": object})
    assert (result.status, result.score, result.reason) == ("passed", 1.0, "")


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        (
            "refunds['A100'].amount == 1000",
            "failed",
            "`refunds['A100'].amount == 1000` is false: refunds.A100.amount is 1200",
        ),
        (
            "refunds['A999'].amount == 1",
            "failed",
            "it asks for what is not there: `refunds['A999'].amount == 1`: no key 'A999'",
        ),
        (
            "refnds['A100'].amount == 1",
            "failed",
            "it asks for what is not there: the final state has no refnds, did you mean refunds?",
        ),
        ("orders['O9'].total == 1", "failed", "no key 'O9'"),
        ("orders[9].total == 1", "failed", "index out of bounds"),
        ("has(refunds.A100.amount) && refunds.A100.x > 1", "failed", "no key 'x'"),
        (
            "none.amount == 1",
            "failed",
            "it asks for what is not there: `none.amount == 1`: none is",
        ),
        ("state.none > 100 && balance > 5", "failed", "state.none is null"),
        ("none + 1 == 2", "failed", "none is null"),
        ("size(none) == 0", "failed", "none is null"),
        ("none == null && balance > '5'", "error", "do not go together"),
        ("none == null && balance / 0 == 1", "error", "division by zero"),
        ("size(none) == 0 || balance / 0 == 1", "error", "division by zero"),
        ("none == null && int('x') == 1", "error", "Function 'int' error"),
        ("response == 'x'", "failed", 'response is "Refunded 1200."'),
        ("balance > '5'", "error", "do not go together"),
        ("balance", "error", "`balance` gives 10, not true or false"),
        ("balance / 0 == 1", "error", "division by zero"),
        ("balance ==", "error", "not a CEL expression: at character 11, unexpected end"),
        (
            "initial.balance == 1",
            "not_evaluated",
            "neither the trace nor the case has an initial state",
        ),
    ],
)
def test_what_does_not(text, status, reason):
    result = judged(text)
    assert result.status == status
    assert reason in result.reason


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("response.contains('1200')", "passed"),
        ("refunds['A100'].amount == 1200", "not_evaluated"),
        ("size(state) == 0", "not_evaluated"),
        ("size(calls) == 1", "passed"),
    ],
)
def test_only_what_is_read_must_have_been_recorded(text, status):
    assert judged(text, final=ABSENT).status == status


def test_a_gap_in_what_is_read_is_not_evaluated():
    trace = Trace(
        "t", steps=(Message("assistant", "ok"),), gaps=("calls: one checkpoint was kept",)
    )
    trial = grade(trace, Case("c", success_check="size(calls) == 0"))
    assert trial.results[0].status == "not_evaluated"
    assert "one checkpoint" in trial.results[0].reason


def test_no_answer_is_null():
    assert judged("response == null", answer="").status == "passed"


def test_in_a_process_that_can_be_killed():
    state = {"xs": list(range(2400))}
    with killable(seconds=1):
        result = judged("xs.all(x, xs.all(y, x + y >= 0))", final=state)
        assert judged("balance == 10").status == "passed"
    assert (result.status, "takes longer than 1 seconds" in result.reason) == ("error", True)


def test_a_large_table_costs_what_is_read_of_it():
    rows = [{"id": f"R{n}", "amount": n} for n in range(20_000)]
    documents = {row["id"]: {**row, "odd": object()} for row in rows}
    assert judged("refunds['R7'].amount == 7", final={"refunds": documents}).status == "passed"
    assert judged("refunds['R7'].amount == 7", final={"refunds": rows}).status == "passed"
