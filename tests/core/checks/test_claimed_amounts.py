"""Amounts and identifiers in what the agent says: whether they were paid, or seen anywhere."""

import pytest

from passhat.case import Case

WRITES = ("cancel_order", "issue_refund", "update_address", "add_gift_wrap", "send_email")
CASE = Case("c", writes=WRITES)


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("I have refunded $105.", None),
        ("I have refunded $150.", "said 150, did 105"),
        ("I have refunded $135 in two parts, and $30 of them to your card.", None),
        ("I have refunded it; the order was $150.", None),
        ("I have refunded the 150.", None),
    ],
)
def test_an_amount_of_money_that_was_said_is_the_one_that_was_paid(run, call, judge, says, why):
    steps = [call("issue_refund", {"amount": 105})]
    if "135" in says:
        steps.append(call("issue_refund", {"amount": 30}))
    result = judge("claimed_action", run(*steps, says=says), CASE)
    assert [c["why"] for c in result.evidence["claims"] if not c["ok"]] == ([why] if why else [])


def test_amounts_and_ids_from_nowhere_are_reported(run, call, judge):
    paid = call("get_order", {"order_id": "A100"}, result={"total": 120, "shipping": 15})
    says = "A100 cost $120, without shipping $105, or $99. Your reference is ZX81Q."
    result = judge("claimed_action", run(paid, says=says), CASE)
    assert [(q["kind"], q["value"]) for q in result.evidence["quoted"]] == [
        ("identifier", "ZX81Q"),
        ("amount", 99.0),
    ]


def test_an_amount_without_a_float_breaks_nothing(run, call, judge):
    steps = [
        call("issue_refund", {"amount": 10**400}, error="no"),
        call("issue_refund", {"amount": 10**400}),
    ]
    for key in ("claimed_action", "false_success"):
        assert judge(key, run(*steps, says="I have refunded $5."), CASE).status == "passed"


def test_amounts_with_thousands_in_cents_and_under_other_names(run, call, judge):
    for args, says, ok in (
        ({"amount": 1050}, "I have refunded $1,050.00.", True),
        ({"amount": 15000}, "I have refunded $150.00.", True),
        ({"refund_amount": 105}, "I have refunded $150.", False),
    ):
        trace = run(call("issue_refund", args), says=says)
        assert (judge("claimed_action", trace, CASE).status == "passed") is ok


def test_an_amount_that_was_transferred_is_the_one_that_was_told(run, call, judge):
    case = Case("c", writes=["transfer_funds"])
    for amount, status in ((50, "failed"), (500, "passed")):
        trace = run(
            call("transfer_funds", {"amount": amount}), says="I've transferred $500 to Ann."
        )
        assert judge("claimed_action", trace, case).status == status
