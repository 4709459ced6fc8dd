"""Several deeds in one answer: each of them must have been done, to each thing that is named."""

import pytest

from passhat.case import Case

WRITES = ("cancel_order", "issue_refund", "update_address", "add_gift_wrap", "send_email")
CASE = Case("c", writes=WRITES)


def test_each_thing_that_is_named_must_have_been_done(run, call, judge):
    looked = [call("get_order", {"order_id": name}) for name in ("A100", "B200")]
    cancelled = call("cancel_order", {"order_id": "A100"})
    for says in (
        "Orders A100 and B200 have been cancelled.",
        "These orders have been cancelled:\n- A100\n- B200\n\nAnything else?",
    ):
        result = judge("claimed_action", run(*looked, cancelled, says=says), CASE)
        assert result.evidence["claims"][0]["why"] == "no successful call did it to B200"
    fine = run(*looked, cancelled, says="A100 has been cancelled. I cannot cancel B200.")
    assert judge("claimed_action", fine, CASE).status == "passed"
    plural = run(*looked, cancelled, says="The orders have been cancelled.")
    assert judge("claimed_action", plural, CASE).status == "failed"


LINES = Case("c", writes=["resume_line", "enable_roaming", "freeze_card", "rollback_release"])


@pytest.mark.parametrize(
    ("done", "says", "status"),
    [
        (["resume_line"], "I've resumed your line and enabled roaming.", "failed"),
        (
            ["resume_line", "enable_roaming"],
            "I've resumed your line and enabled roaming.",
            "passed",
        ),
        (["resume_line"], "I went ahead and froze the card.", "failed"),
        (["freeze_card"], "I went ahead and froze the card.", "passed"),
        (["resume_line"], "I rolled back payments to the release before.", "failed"),
        (["rollback_release"], "I rolled back payments to the release before.", "passed"),
    ],
)
def test_each_of_several_deeds_must_have_been_done(run, call, judge, done, says, status):
    assert judge("claimed_action", run(*map(call, done), says=says), LINES).status == status


@pytest.mark.parametrize(
    ("done", "says"),
    [
        ("transfer_funds", "I moved $200 from checking to savings."),
        ("book_reservation", "Your flight has been booked and the seats are confirmed."),
        ("restart_service", "The checkout service has been restarted."),
    ],
)
def test_a_tool_of_that_very_verb_bears_it_out(run, call, judge, done, says):
    case = Case("c", writes=[done, "update_reservation_flights", "update_service", "update_funds"])
    assert judge("claimed_action", run(call(done), says=says), case).status == "passed"


@pytest.mark.parametrize(
    ("says", "status"),
    [
        ("I have cancelled orders A100 and A200.", "failed"),
        ("I have cancelled both orders.", "failed"),
        ("I have cancelled order A100 instead of A200.", "passed"),
        ("I have cancelled order T-100.", "passed"),
        ("I have cancelled order T-200.", "failed"),
        ("I have cancelled order 1001.", "passed"),
        ("I have cancelled order 2002.", "failed"),
    ],
)
def test_each_object_named_must_have_been_done(run, call, judge, says, status):
    name = "1001" if "00" in says and "A" not in says and "T" not in says else "A100"
    name = "T-100" if "T-" in says else name
    trace = run(call("cancel_order", {"order_id": name}), says=says)
    assert judge("claimed_action", trace, CASE).status == status


@pytest.mark.parametrize(
    ("says", "status"),
    [
        ("All your open orders have been cancelled.", "failed"),
        ("I have cancelled all of your open orders.", "failed"),
        ("All your orders have been cancelled.", "failed"),
        ("All your shipped orders have been cancelled.", "passed"),
        ("All your eligible orders have been cancelled.", "passed"),
    ],
)
def test_all_of_a_kind_are_all_that_were_looked_at(run, call, judge, says, status):
    seen = {"A100": "shipped", "A200": "open", "A300": "shipped"}
    looked = [
        call("get_order", {"order_id": order}, result={"status": how})
        for order, how in seen.items()
    ]
    done = [call("cancel_order", {"order_id": order}) for order in ("A100", "A300")]
    result = judge("claimed_action", run(*looked, *done, says=says), CASE)
    assert result.status == status
    if status == "failed":
        assert result.reason.endswith("no successful call did it to a200")


@pytest.mark.parametrize(
    ("says", "why"),
    [
        (
            "I've cancelled both orders, b1-9920 and b1-9921.",
            "no successful call did it to b1-9921",
        ),
        ("All three orders (b1-9920, b1-9930) are cancelled now.", "it was not done to 3 things"),
        ("I have cancelled both orders (b1-9920 and b1-9930).", ""),
        ("I've cancelled order b1-9920, since its price is above your limit.", ""),
    ],
)
def test_ids_with_hyphens_in_parentheses_and_counts(run, call, judge, says, why):
    made = [call("cancel_order", {"order_id": f"b1-{number}"}) for number in (9920, 9930)]
    result = judge("claimed_action", run(*made, says=says), CASE)
    assert result.reason.endswith(why)
    assert result.status == ("failed" if why else "passed")


def test_a_list_of_actions_taken_is_a_list_of_claims(run, call, judge):
    told = "**Actions taken**\n- Cancelled order A100\n- Emailed the customer\n\n**Next steps**\n- Wait"
    done = call("cancel_order", {"order_id": "A100"})
    found = judge("claimed_action", run(done, says=told), CASE)
    assert found.status == "failed"
    assert "Emailed the customer" in found.reason
    mailed = call("send_email", {"to": "ann"})
    assert judge("claimed_action", run(done, mailed, says=told), CASE).status == "passed"


def test_each_verb_of_the_tools_is_done_by_its_tool(run, call, judge):
    case = Case("c", writes=["git_commit", "git_push", "edit_file"])
    says = "The changes have been committed and pushed."
    for done, status in (
        (["git_commit"], "failed"),
        (["git_commit", "git_push"], "passed"),
    ):
        assert judge("claimed_action", run(*map(call, done), says=says), case).status == status
