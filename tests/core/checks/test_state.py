"""The state a run left: what was expected, nothing else, and how much of it was reached."""

import json
import pickle

import pytest

from passhat.case import Case
from passhat.errors import UsageError
from passhat.grading import grade
from passhat.grading.catalogue import build_check
from passhat.state import replay
from passhat.trace import Message, ToolCall, Trace
from passhat.values import ABSENT

BEFORE = {
    "orders": [
        {"id": "A1", "status": "open", "total": 50, "updated_at": 1},
        {"id": "A2", "status": "open", "total": 70, "updated_at": 1},
    ],
    "users": {"u1": {"email": "ada@example.com", "points": 10}},
    "balance": 100,
}


def after(**changes):
    return {**json.loads(json.dumps(BEFORE)), **changes}


def orders(**changes):
    return [{**row, **changes} if row["id"] == "A1" else row for row in BEFORE["orders"]]


def judged(key, final, initial=BEFORE, options=None, **case):
    states = {"initial_state": initial, "final_state": final}
    given = {name: state for name, state in states.items() if state is not ABSENT}
    trace = Trace("t", steps=(ToolCall("cancel", {"id": "A1"}, executed=True),), **given)
    trial = grade(trace, Case("c", **case), {key: options or {}})
    return trial.results[0]


def verdict(*args, **kwargs):
    result = judged("final_state", *args, **kwargs)
    return result.status, result.reason


CANCELLED = {"orders": {"A1": {"status": "cancelled"}}}


@pytest.mark.parametrize(
    "expected",
    [
        CANCELLED,
        {"orders": [{"id": "A1", "status": "cancelled"}]},
        {"orders": [{"status": "cancelled"}]},
        {"orders": [{"status": "cancelled", "total": 50}, {"id": "A2"}]},
        {"orders": [{"id": "A1", "status": {"$match": {"one_of": ["cancelled", "void"]}}}]},
        {"orders": [{"id": "A1", "status": lambda actual, _: actual.startswith("canc")}]},
        {
            "orders": [
                {
                    "id": "A1",
                    "status": "cancelled",
                    "total": {"$match": {"number": {"abs": 1}}, "$value": 49.5},
                }
            ]
        },
    ],
)
def test_what_is_expected_is_there_and_nothing_else_changed(expected):
    final = after(orders=orders(status="cancelled"))
    assert verdict(final, expected_final_state=expected) == ("passed", "")


@pytest.mark.parametrize(
    ("final", "case", "reason"),
    [
        (after(), {"expected_final_state": CANCELLED}, 'orders[A1].status is "open", not "cancelled"'),
        (
            after(orders=orders(status="cancelled", total=0)),
            {"expected_final_state": CANCELLED},
            "nothing asked for: orders[A1].total: 50 -> 0",
        ),
        (
            after(orders=orders(status="cancelled"), balance=150, users={}),
            {"expected_final_state": CANCELLED},
            'nothing asked for: - users[u1]: {"email":"ada@example.com","points":10}; balance: 100 -> 150',
        ),
        (
            after(orders=orders(status="void"), balance=150),
            {"expected_final_state": CANCELLED},
            'orders[A1].status is "void", not "cancelled"; nothing asked for: balance: 100 -> 150',
        ),
        (after(), {"expected_final_state": {"refunds": [{"amount": 5}]}}, 'refunds has no row {"amount":5}'),
        (
            after(),
            {"expected_final_state": {"refunds": {"R1": {"amount": 5}}}},
            'refunds[R1] is missing: {"amount":5} was expected',
        ),
        (
            after(),
            {"expected_final_state": {"users": {"u1": {"$match": "absent"}}}},
            "users[u1] is there and should not be",
        ),
        (
            after(orders=orders(status=None)),
            {"expected_final_state": {"orders": [{"id": "A1", "note": None, "status": None}]}},
            "orders[A1].note is missing: null was expected",
        ),
        (after(), {"expected_final_state": {"orders": []}}, "orders is"),
        (after(), {"expected_final_state": {"balance": {"$match": {"regex": "^9"}}}}, 'balance is 100, not {"regex":"^9"}'),
        (after(), {"expected_final_state": {"balance": True}}, "balance is 100, not true"),
        ({"orders": None}, {"expected_final_state": CANCELLED}, "orders is null, not"),
        (5, {"expected_final_state": CANCELLED}, "$ is 5, not"),
    ],
)  # fmt: skip
def test_what_is_not_so_is_said(final, case, reason):
    status, said = verdict(final, **case)
    assert status == "failed"
    assert reason in said


def test_a_new_row_may_hold_what_was_not_spoken_of():
    final = after(refunds=[{"id": "R7", "order": "A1", "amount": 50, "at": "now"}])
    expected = {"refunds": [{"order": "A1", "amount": 50}]}
    assert verdict(final, expected_final_state=expected) == ("passed", "")
    twice = after(refunds=[*final["refunds"], {"id": "R8", "order": "A1", "amount": 50, "at": "x"}])
    status, said = verdict(twice, expected_final_state=expected)
    assert status == "failed"
    assert "nothing asked for: + refunds[R8]" in said


def test_the_row_that_was_meant_is_named():
    final = after(refunds=[{"id": "R7", "order": "A1", "amount": 20}])
    expected = {"refunds": [{"order": "A1", "amount": 50}]}
    assert verdict(final, expected_final_state=expected) == (
        "failed",
        "refunds[R7].amount is 20, not 50",
    )


def test_each_expected_row_speaks_of_another():
    """Greedy pairing would give the only row that fits the second to the first."""
    final = after(refunds=[{"id": 1, "a": 1, "b": 1}, {"id": 2, "a": 1, "b": 2}])
    expected = {"refunds": [{"a": 1}, {"a": 1, "b": 1}]}
    assert verdict(final, expected_final_state=expected) == ("passed", "")
    status, said = verdict(final, expected_final_state={"refunds": [{"a": 1}] * 3})
    assert (status, said) == ("failed", 'refunds has no row {"a":1}')


def test_rows_without_a_key():
    before = {"log": [{"what": "a", "n": 1.5}, {"what": "a", "n": 1.5}]}
    final = {"log": [{"what": "b", "n": 2.5}, {"what": "a", "n": 1.5}, {"what": "a", "n": 1.5}]}
    expected = {"log": [{"what": "b"}]}
    assert verdict(final, before, expected_final_state=expected) == ("passed", "")
    final["log"][1] = {"what": "a", "n": 9.5}
    status, said = verdict(final, before, expected_final_state=expected)
    assert (status, said) == ("failed", 'nothing asked for: log["#1"].n: 1.5 -> 9.5')


@pytest.mark.parametrize(
    ("state", "status"),
    [
        ({"allow": ["balance"]}, "failed"),
        ({"allow": ["balance", "orders.updated_at"]}, "passed"),
        ({"ignore": ["*.updated_at"], "allow": ["balance"]}, "passed"),
        ({"ignore": ["*.updated_at"], "tolerance": 5}, "passed"),
        ({"allow": ["*"]}, "passed"),
    ],
)
def test_what_may_change_besides(state, status):
    final = after(orders=orders(status="cancelled", updated_at=2), balance=103)
    found = judged("final_state", final, expected_final_state=CANCELLED, state=state)
    assert found.status == status


def test_options_of_the_check_add_to_the_case():
    final = after(orders=orders(status="cancelled", updated_at=2), balance=103)
    case = {"expected_final_state": CANCELLED, "state": {"ignore": ["*.updated_at"]}}
    assert judged("final_state", final, options={"allow": ["balance"]}, **case).status == "passed"


def test_matchers_by_path():
    final = after(orders=orders(status=" Cancelled "), balance=99.999)
    case = {
        "expected_final_state": {**CANCELLED, "balance": 100},
        "state": {"match": {"orders.status": "text", "balance": {"number": {"abs": 0.01}}}},
    }
    assert verdict(final, **case) == ("passed", "")


def test_exactly_the_whole():
    gold = after(orders=orders(status="cancelled"))
    case = {"expected_final_state": gold, "state": {"exact": True}}
    assert verdict(gold, ABSENT, **case) == ("passed", "")
    assert verdict(after(), **case) == ("failed", 'orders[A1].status is "open", not "cancelled"')
    more = after(orders=[*orders(status="cancelled"), {"id": "A3"}])
    assert verdict(more, **case) == ("failed", "orders[A3] is there and should not be")
    assert (
        judged(
            "final_state", more, **{**case, "state": {"exact": True, "allow": ["orders[A3]"]}}
        ).status
        == "passed"
    )
    less = {name: value for name, value in gold.items() if name != "balance"}
    assert verdict(less, **case) == ("failed", "balance is missing: 100 was expected")
    tagged = {**gold, "balance": {"$match": {"number": {"abs": 1}}, "$value": 100.5}}
    assert verdict(gold, expected_final_state=tagged, state={"exact": True}) == ("passed", "")
    keyed = {**gold, "orders": {row["id"]: row for row in gold["orders"]}}
    assert verdict(gold, expected_final_state=keyed, state={"exact": True}) == ("passed", "")


def test_any_way_to_the_goal_of_a_replay_passes():
    def cancel(state, id):
        next(row for row in state["orders"] if row["id"] == id)["status"] = "cancelled"

    goal = replay([("cancel", {"id": "A1"})], {"cancel": cancel}, BEFORE)
    case = {"expected_final_state": goal, "state": {"exact": True}}
    assert verdict(after(orders=list(reversed(orders(status="cancelled")))), **case)[0] == "passed"


def test_not_evaluated_without_the_states():
    assert verdict(ABSENT, expected_final_state={}) == (
        "not_evaluated",
        "the trace has no final state",
    )
    status, said = verdict(after(), ABSENT, expected_final_state={"balance": 100})
    assert status == "not_evaluated"
    assert "whether anything else changed cannot be told" in said
    assert verdict(after(), ABSENT, expected_final_state={"balance": 1})[0] == "failed"
    allowed = {"expected_final_state": {"balance": 100}, "state": {"allow": ["*"]}}
    assert verdict(after(), ABSENT, **allowed) == ("passed", "")
    gap = Trace("t", final_state={}, gaps=("final_state: only half of it was kept",))
    trial = grade(gap, Case("c", expected_final_state={}))
    assert trial.reason == "final_state: only half of it was kept"


@pytest.mark.parametrize(
    ("expected", "state", "said"),
    [
        (CANCELLED, {"ignore": ["orders"]}, "all that is expected lies in what is ignored"),
        (CANCELLED, {"ignore": ["*"]}, "all that is expected lies in what is ignored"),
        (
            {"orders": [{"id": "A1", "status": "void"}]},
            {"ignore": ["*.status", "orders.id"]},
            "all that is expected",
        ),
        ({}, {"ignore": ["*"]}, "all that the state holds is ignored"),
        (BEFORE, {"ignore": ["*"], "exact": True}, "all that the state holds is ignored"),
        ({}, {"allow": ["*"]}, "everything may change (allow), and nothing is expected"),
    ],
)
def test_where_all_is_passed_over_nothing_is_judged(expected, state, said):
    final = after(orders=orders(status="void"))
    status, reason = verdict(final, expected_final_state=expected, state=state)
    assert status == "not_evaluated"
    assert said in reason
    if expected == {}:
        result = judged("state_unchanged", final, state=state)
        assert (result.status, result.reason) == ("not_evaluated", reason)


def test_what_is_not_passed_over_is_judged():
    ignoring = {"ignore": ["orders", "users"]}
    assert verdict(BEFORE, expected_final_state={}, state=ignoring) == ("passed", "")
    assert verdict(after(balance=1), expected_final_state={}, state=ignoring)[0] == "failed"
    assert verdict({}, {}, expected_final_state={}, state={"ignore": ["*"]})[0] == "passed"


def test_the_initial_state_may_be_the_case_s_or_its_file(tmp_path):
    final = after(orders=orders(status="cancelled"))
    case = {"expected_final_state": CANCELLED}
    assert verdict(final, ABSENT, initial_state=BEFORE, **case) == ("passed", "")
    path = tmp_path / "state.json"
    path.write_text(json.dumps(BEFORE))
    assert verdict(final, ABSENT, initial_state=str(path), **case) == ("passed", "")
    path.write_text(json.dumps({**BEFORE, "balance": 5}))
    assert verdict(final, ABSENT, initial_state=str(path), **case)[0] == "failed"
    path.unlink()
    status, said = verdict(final, ABSENT, initial_state=str(path), **case)
    assert (status, "cannot be read" in said) == ("error", True)


def test_a_judge_that_is_not_there_is_not_evaluated():
    expected = {"users": {"u1": {"email": {"$match": "semantic", "$value": "x"}}}}
    assert verdict(after(), expected_final_state=expected)[0] == "not_evaluated"


@pytest.mark.parametrize(
    "case",
    [
        {"state": {"exat": True}},
        {"state": {"exact": 1}},
        {"state": {"ignore": ["a..b"]}},
        {"state": {"match": {"a": "nearly"}}},
        {"state": {"keys": {"orders": 5}}},
        {"state": {"tolerance": -1}},
        {"state": {"lists": "sorted"}},
        {"expected_final_state": {"a": {"$match": "nearly"}}},
        {"expected_final_state": {"a": {"$match": "exact"}}},
    ],
)
def test_rules_that_are_none_are_errors(case):
    case = {"expected_final_state": {}, **case}
    assert verdict(after(), **case)[0] == "error"


def test_evidence_names_the_places():
    final = after(orders=orders(status="void"), balance=1)
    evidence = judged("final_state", final, expected_final_state=CANCELLED).evidence
    assert evidence == {
        "missed": [{"path": "orders[A1].status", "expected": "cancelled", "actual": "void"}],
        "unexpected": [{"path": "balance", "kind": "changed", "before": 100, "after": 1}],
    }


def test_state_unchanged():
    assert judged("state_unchanged", after()).status == "passed"
    result = judged("state_unchanged", after(balance=1))
    assert (result.status, result.reason) == ("failed", "changed: balance: 100 -> 1")
    assert (
        judged("state_unchanged", after(balance=1), options={"allow": ["balance"]}).status
        == "passed"
    )
    assert (
        judged("state_unchanged", after(balance=1), state={"ignore": ["balance"]}).status
        == "passed"
    )
    assert judged("state_unchanged", after(), ABSENT).status == "not_evaluated"
    assert judged("state_unchanged", ABSENT).status == "not_evaluated"


GOALS = {"orders": [{"id": "A1", "status": "cancelled"}, {"id": "A2", "status": "open"}], "balance": 150, "users": {"u1": {"points": 0}}}  # fmt: skip


@pytest.mark.parametrize(
    ("final", "initial", "hits", "of", "reason"),
    [
        (after(), BEFORE, 0, 3, "not reached: orders[A1], balance, users[u1]"),
        (after(orders=orders(status="cancelled")), BEFORE, 1, 3, "not reached: balance, users[u1]"),
        (after(orders=orders(status="cancelled"), balance=150, users={"u1": {"points": 0}}), BEFORE, 3, 3, ""),
        (after(orders=[], balance=150), BEFORE, 1, 4, "not reached: orders[A1], orders[A2], users[u1]"),
        (after(), ABSENT, 1, 4, "not reached: orders[A1], balance, users[u1]"),
    ],
)  # fmt: skip
def test_partial_credit_is_of_what_had_to_change(final, initial, hits, of, reason):
    result = judged("partial_credit", final, initial, expected_final_state=GOALS)
    assert (result.evidence["hits"], result.evidence["of"], result.reason) == (hits, of, reason)
    assert result.score == hits / of


def test_partial_credit_where_nothing_had_to_change():
    result = judged("partial_credit", after(), expected_final_state={"balance": 100})
    assert (result.status, result.score) == ("passed", 1.0)
    result = judged("partial_credit", after(balance=0), expected_final_state={"balance": 100})
    assert (result.status, result.score) == ("failed", 0.0)


def test_partial_credit_of_a_whole_state():
    gold = after(orders=orders(status="cancelled"), balance=150)
    case = {"expected_final_state": gold, "state": {"exact": True}}
    half = judged("partial_credit", after(balance=150), **case)
    assert (half.score, half.reason) == (0.5, "not reached: orders[A1]")
    harm = judged("partial_credit", {**gold, "users": {}}, **case)
    assert harm.score == pytest.approx(2 / 3)
    assert judged("partial_credit", gold, ABSENT, **case).score == 1


def test_partial_credit_by_goals_of_its_own():
    goals = {
        "cancelled": "orders['A1'].status == 'cancelled'",
        "asked": "calls.exists(c, c.name == 'cancel')",
    }
    result = judged("partial_credit", after(), options={"goals": goals, "at_least": 0.5})
    assert (result.status, result.score) == ("passed", 0.5)
    assert result.evidence["missed"] == ["cancelled"]
    with pytest.raises(UsageError, match="goal 'x': not a CEL expression"):
        build_check("partial_credit", {"goals": {"x": "a =="}})
    assert judged("partial_credit", after()).status == "not_evaluated"


def test_checks_pickle_with_their_options():
    check = build_check("final_state", {"exact": True, "allow": ["a"]})
    assert pickle.loads(pickle.dumps(check)) == check


def test_brought_by_the_expected_final_state():
    trace = Trace("t", steps=(Message("user", "x"),), initial_state={}, final_state={})
    trial = grade(trace, Case("c", expected_final_state={}))
    assert (trial.status, trial.results[0].key) == ("passed", "final_state")


def test_an_amount_that_csv_writes_with_a_trailing_zero_is_asked_for_as_a_number(tmp_path):
    from passhat.state import snapshot

    (tmp_path / "refunds.csv").write_text("id,amount,version\n007,49.90,1.10\n")
    state = snapshot(tmp_path).value
    trace = Trace("t", initial_state={"refunds": []}, final_state=state)
    expected = {"refunds": [{"id": "007", "amount": 49.9}]}

    def status(**how):
        settings = {"allow": ["refunds"], **how}
        return grade(trace, Case("c", expected_final_state=expected, state=settings)).status

    assert status() == "failed"
    assert status(match={"refunds.amount": "number"}) == "passed"
