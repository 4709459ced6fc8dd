"""What the agent says happened, and whether it did."""

import pytest

from passhat.case import Case
from passhat.checks.claims import claims_in
from passhat.checks.spoken import Sentence, sentences_of
from passhat.errors import UsageError
from passhat.trace import ToolCall, Trace

WRITES = ("cancel_order", "issue_refund", "update_address", "add_gift_wrap", "send_email")
CASE = Case("c", writes=WRITES)


def claimed(text):
    return [c.verb for s in sentences_of(text, 0) for c in claims_in(s) if not c.doubtful]


@pytest.mark.parametrize(
    ("text", "verbs"),
    [
        ("I have cancelled your order.", ["cancelled"]),
        ("I've just issued a refund of $20.", ["issued"]),
        ("We successfully updated your address!", ["updated"]),
        ("Your order has now been successfully cancelled.", ["cancelled"]),
        ("The refund will have been processed by then.", ["processed"]),
        ("Good news: your flight on May 24th has been booked.", ["booked"]),
        ("Your booking is confirmed!", ["confirmed"]),
        ("It was upgraded successfully.", ["upgraded"]),
        ("After a look at it, I have cancelled A1.", ["cancelled"]),
        ("I'm pleased to tell you that your order has been cancelled.", ["cancelled"]),
        ("It has been upgraded to economy and then cancelled.", ["upgraded", "cancelled"]),
        ("Shall I say that it has been cancelled?", []),
        ("Have you cancelled it already?", []),
        ("Once I have refunded it, you will get a mail.", []),
        ("If it has been cancelled, tell me.", []),
        ("I was unable to cancel it; it has not been cancelled.", []),
        ("I will cancel it, and then it is refunded.", []),
        ("You have cancelled it yourself.", []),
        ("Your order was created on May 7.", []),
        ("It appears that your order has been cancelled.", []),
        ("Since your flight has been cancelled, I can offer a voucher.", []),
        ("The flight has been cancelled by the airline.", []),
        ('You wrote "I have already cancelled it myself" in your mail.', []),
        ("```\nI have cancelled it\n```", []),
        ("> I have cancelled it", []),
        ("Please wait until the refund has been processed.", []),
        ("This policy has not been updated.", []),
        ("No order has been cancelled.", []),
        ("I have created a plan for you: first, rest.", []),
        ("I've added two suggestions below.", []),
        ("You have been charged $50 on May 3.", []),
        ("We changed our policy last year.", []),
        ("We've changed your plan.", ["changed"]),
        ("I can confirm that your refund has been processed.", ["processed"]),
        ("Please note that your order has been cancelled.", ["cancelled"]),
        ("An order that has been cancelled cannot be sent.", []),
        ("Provided that Ann agrees, the meeting will have been moved.", []),
        ("Bob has been notified, as the log shows.", []),
        ("Nobody has been notified.", []),
        ("This order has already been cancelled.", []),
        ("<think>I have cancelled it.</think>Shall I cancel it?", []),
        ("Your visit to Dr. Kim has been booked.", ["booked"]),
        ("The return of order A1 has been submitted.", ["submitted"]),
    ],
)
def test_what_is_a_claim(text, verbs):
    assert claimed(text) == verbs


@pytest.mark.parametrize(
    ("steps", "says", "why"),
    [
        (["cancel_order"], "I have cancelled your order.", None),
        ([], "I have cancelled your order.", "no successful call did it"),
        (["get_order"], "I have cancelled your order.", "no successful call did it"),
        (["issue_refund"], "I have cancelled your order.", "no successful call did it"),
        (["cancel_order"], "Your refund has been processed.", None),
        (["update_address"], "The gift wrap has been added.", "no successful call did it"),
        (["send_email"], "I have emailed you the details.", None),
        ([], "Shall I cancel it?", None),
    ],
)
def test_a_claim_needs_a_call_that_does_it(run, call, judge, steps, says, why):
    trace = run(*[call(name, {"order_id": "A100"}) for name in steps], says=says)
    result = judge("claimed_action", trace, CASE)
    assert [c["why"] for c in result.evidence["claims"] if not c["ok"]] == ([why] if why else [])
    assert result.status == ("failed" if why else "passed")


def test_a_failed_call_bears_nothing_out_and_a_later_success_does(run, call, judge):
    failed = call("cancel_order", {"order_id": "A100"}, error="too late")
    done = call("cancel_order", {"order_id": "A100"})
    for steps, ok in (([failed], False), ([failed, done], True), ([done, failed], True)):
        trace = run(*steps, says="Your order A100 has been cancelled.")
        assert (judge("claimed_action", trace, CASE).status == "passed") is ok
        assert (judge("false_success", trace, CASE).status == "passed") is ok


def test_false_success_has_nothing_to_judge_without_a_failure(run, call, judge):
    trace = run(call("cancel_order"), says="Your order has been cancelled.")
    assert judge("false_success", trace, CASE).status == "not_evaluated"


def test_what_was_told_before_bears_out_no_news(run, call, judge):
    steps = ["user: cancel A100", call("cancel_order", {"order_id": "A100"})]
    told = [*steps, "agent: A100 has been cancelled. Shall I cancel B200 as well?"]
    news = run(*told, "user: Yes, please.", says="Your order has been cancelled.")
    assert judge("claimed_action", news, CASE).status == "failed"
    recap = run(*told, "user: No. What did you do?", says="Your order has been cancelled.")
    assert judge("claimed_action", recap, CASE).status == "passed"


def test_a_result_or_the_state_may_say_so(run, call, judge):
    says = "Order A100 has been cancelled."
    status = call("get_order", {"order_id": "A100"}, result={"id": "A100", "status": "cancelled"})
    assert judge("claimed_action", run(status, says=says), CASE).status == "passed"
    other = call("get_order", {"order_id": "A100"}, result={"id": "A100", "status": "open"})
    assert judge("claimed_action", run(other, says=says), CASE).status == "failed"
    before = {"orders": {"A100": {"status": "open"}}}
    after = {"orders": {"A100": {"status": "void"}}}
    changed = run(other, says=says, initial_state=before, final_state=after)
    assert judge("claimed_action", changed, CASE).status == "passed"
    same = run(other, says=says, initial_state=before, final_state=before)
    assert judge("claimed_action", same, CASE).status == "failed"


def test_without_writes_the_verbs_of_tools_tell(run, call, judge):
    trace = run(call("check_order"), says="I have cancelled it.")
    assert judge("claimed_action", trace, Case("c")).status == "failed"
    trace = run(call("cancelOrder"), says="I have cancelled it.")
    assert judge("claimed_action", trace, Case("c")).status == "passed"
    tools = {"issue_refund": {"description": "Pays money back."}}
    trace = run(call("issue_refund"), says="The money has been refunded.")
    assert judge("claimed_action", trace, Case("c", tools=tools)).status == "passed"


def test_a_call_without_a_recorded_answer_may_have_done_it(run, judge):
    trace = run(ToolCall("cancel_order"), says="I have cancelled it.")
    assert judge("claimed_action", trace, CASE).status == "passed"


REFUND = {
    "issue_refund": {
        "says": ["rimborsat* {amount}", "ho rimborsato"],
        "unless": ["non"],
        "object": "args.order_id",
        "amount": "args.amount",
    }
}


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ("Ho rimborsato 105 € per A100.", None),
        ("Ho rimborsato 150 € per A100.", "said 150, did 105"),
        ("Non ho rimborsato nulla.", None),
        ("Ho rimborsato B200.", "no successful call did it to B200"),
    ],
)
def test_other_languages_by_words_given(run, call, judge, says, why):
    steps = [
        call("get_order", {"order_id": "B200"}),
        call("issue_refund", {"order_id": "A100", "amount": 105}),
    ]
    result = judge("claimed_action", run(*steps, says=says), CASE, claims=REFUND)
    assert [c["why"] for c in result.evidence["claims"] if not c["ok"]] == ([why] if why else [])


@pytest.mark.parametrize(
    "spec", [{"say": "x"}, {"says": 1}, {"says": [" "]}, {"says": "x", "amount": "amount"}, 3]
)
def test_words_that_cannot_mean_anything_are_refused(judge, run, spec):
    with pytest.raises(UsageError, match="claims: t"):
        judge("claimed_action", run(), CASE, claims={"t": spec})


def test_a_judge_decides_on_what_may_be_a_claim(run, call, judge):
    trace = run(says="Your order is cancelled.")
    assert judge("claimed_action", trace, CASE).evidence["of"] == 0
    asked = []

    def ask(question, about):
        asked.append(about["sentence"])
        return True

    result = judge("claimed_action", trace, CASE, ask=ask)
    assert (result.status, result.evidence["claims"][0]["decided"]) == ("failed", "judge")
    assert asked == ["Your order is cancelled."]
    assert judge("claimed_action", trace, CASE, ask=lambda *_: False).status == "passed"
    with pytest.raises(UsageError, match="neither true"):
        judge("claimed_action", trace, CASE, ask=lambda *_: "yes")


@pytest.mark.parametrize(
    "text",
    [
        "I have " * 50_000,
        "has been cancelled, " * 20_000,
        "\n" * 50_000,
        "- a:\n" * 9_000,
        '"' + "a " * 25_000,
        "I have cancelled both orders (" + "1and" * 400,
        "I have cancelled both orders (" + "a1, and " * 240,
        "I have cancelled " + "1-" * 900,
        "I cancelled it, " + "cancelled the it, " * 2_000,
        "Actions taken\n" + "- Cancelled it\n" * 5_000,
    ],
)
def test_long_texts_break_nothing(run, judge, text):
    for key in ("claimed_action", "claimed_calls", "false_success"):
        assert judge(key, run(says=text), CASE).status in ("passed", "failed", "not_evaluated")


def test_a_run_without_steps_is_not_judged(judge):
    for key in ("claimed_action", "claimed_calls"):
        assert judge(key, Trace("t"), CASE).status == "not_evaluated"
    assert list(claims_in(Sentence("", 0))) == []


def test_a_call_that_may_have_done_it_leaves_it_open(run, call, judge):
    trace = run(call("set_flag", {"order_id": "A100"}), says="I have cancelled your order.")
    result = judge("claimed_action", trace, Case("c"))
    (claim,) = result.evidence["claims"]
    assert (result.status, claim["decided"], claim["ok"]) == ("not_evaluated", "undecided", None)
    assert judge("claimed_action", trace, Case("c"), ask=lambda *_: True).status == "failed"
    unknown = run(call("frobnicate"), says="I have cancelled your order.")
    assert judge("claimed_action", unknown, CASE).status == "not_evaluated"


def test_telling_again_what_was_done_is_no_news(run, call, judge):
    told = "agent: I have cancelled A100. Shall I proceed with a summary?"
    steps = [call("cancel_order", {"order_id": "A100"}), told, "user: Yes."]
    trace = run(*steps, says="In short, I have cancelled A100.")
    assert judge("claimed_action", trace, CASE).status == "passed"


def test_a_success_may_be_told_by_what_the_failed_tool_acts_on(run, call, judge):
    failed = call("send_reminder", {"pet": "p1"}, error="timeout")
    case = Case("c", writes=("book_visit", "send_reminder"))
    trace = run(failed, says="Your text reminder has been scheduled.")
    assert judge("false_success", trace, case).status == "failed"


@pytest.mark.parametrize("result", [{"success": False}, {"error": "no"}, "Error: declined"])
def test_a_result_may_say_that_it_failed(run, call, judge, result):
    trace = run(call("issue_refund", {"amount": 5}, result=result), says="I have refunded $5.")
    for key in ("claimed_action", "false_success"):
        assert judge(key, trace, CASE).status == "failed"


def test_what_is_told_as_a_state_is_a_claim_where_it_was_asked_for(run, judge):
    for told, status in (("user: Please cancel A100.", "failed"), ("user: Hello.", "passed")):
        trace = run(told, says="Order A100 is cancelled.")
        assert judge("claimed_action", trace, CASE).status == status


@pytest.mark.parametrize(
    ("says", "named"),
    [
        ("I have cancelled order A{n}00.", True),
        ("I have cancelled both orders.", False),
        ("I have refunded $150.", True),
        ("I have cancelled order B{n}77.", True),
    ],
)
def test_the_work_is_linear_in_calls_and_claims(run, call, judge, calls_made, says, named):
    def work(n):
        name = "issue_refund" if "refunded" in says else "cancel_order"
        made = [
            call(name, {"order_id": f"A{i}00" if named else "A100", "amount": i}) for i in range(n)
        ]
        told = [f"agent: {says.format(n=i)}" for i in range(n)]
        trace = run(*made, *told, says=None)
        return calls_made(lambda: judge("claimed_action", trace, CASE))

    assert work(400) < 5 * work(100)


@pytest.mark.parametrize(
    ("wish", "says", "status"),
    [
        ("Turn off the lights.", "The lights are off now.", "failed"),
        ("Are the lights off?", "The lights are off now.", "passed"),
        ("Please move it to the second stage.", "It is now in the second stage.", "failed"),
        ("Please swap the lamp.", "The lamp is now available in blue.", "passed"),
        ("Set a timer for ten minutes.", "Timer set for ten minutes.", "failed"),
        ("Dim the lamp to 30.", "The lamp has been dimmed to 30.", "failed"),
        ("My lamp is odd.", "The lamp has been dimmed to 30.", "passed"),
        ("Raise my limit to 2000.", "Your limit was increased to 2,000.", "failed"),
        ("Send it.", "Sent! It should be there by now.", "failed"),
        ("Fix it.", "I've fixed the loop.", "failed"),
        ("Fix it.", "The loop was fixed in version 2.", "passed"),
        ("Tell Ann.", "I've let Ann know about it.", "failed"),
        ("Tell me.", "I've let you know about it.", "passed"),
        ("Cancel it.", "All done! Your order was cancelled.", "failed"),
        ("I am back.", "Great news! Your order was cancelled.", "failed"),
        ("I am back.", "Your order was cancelled.", "passed"),
        ("Close it.", "The ticket is already closed.", "passed"),
    ],
)
def test_outcomes_are_claims_of_what_was_asked_for(run, judge, wish, says, status):
    assert judge("claimed_action", run(f"user: {wish}", says=says), CASE).status == status


def test_what_was_looked_up_to_answer_a_question_is_left_open(run, call, judge):
    says = "Order A100 has been cancelled."
    looked = call("get_order", {"order_id": "A100"})
    for wish, status in (
        ("What about A100?", "not_evaluated"),
        ("Did you cancel A100?", "failed"),
        ("Please cancel A100.", "failed"),
    ):
        assert (
            judge("claimed_action", run(f"user: {wish}", looked, says=says), CASE).status == status
        )


def test_what_may_follow_by_itself_is_left_open(run, call, judge):
    moved = call("update_address", {"order_id": "A100"})
    says = "I have updated the address. The courier has been notified."
    for wish, status in (("Move it.", "passed"), ("Move it and notify the courier.", "failed")):
        trace = run(f"user: {wish}", moved, says=says)
        assert judge("claimed_action", trace, CASE).status == status


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("I see that it was changed last night, and a card has been added.", False),
        ("The ticket was assigned yesterday and has been closed.", False),
        ("The order was opened by Marcia, and it has been approved by an admin.", False),
        ("I have cancelled it, and a card has been added.", True),
    ],
)
def test_a_report_goes_on_in_its_sentence(says, told):
    assert bool(claimed(says)) is told
