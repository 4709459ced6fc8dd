"""`passhat score --untrusted`: the suite of somebody else cannot hold the machine."""

import json
from functools import partial

from passhat.expressions import killable

CASES = [
    {"id": "slow", "success_check": "xs.all(x, xs.all(y, x + y >= 0))"},
    {"id": "quick", "success_check": "size(xs) == 2400"},
]


def traces():
    for case in CASES:
        state = {"xs": list(range(2400))}
        yield json.dumps(
            {
                "schema": "passhat.trace/1",
                "id": case["id"],
                "case_id": case["id"],
                "final_state": state,
            }
        )


def test_an_expression_that_takes_too_long_costs_itself(passhat, recorded, suite, monkeypatch):
    monkeypatch.setattr("passhat.expressions.killable", partial(killable, 0.5))
    runs, cases = recorded(*traces()), suite(*CASES)
    ran = passhat("score", runs, "--suite", cases, "--untrusted", "--format", "json")
    assert ran.code == 3
    assert "takes longer than 0.5 seconds" in ran.out
    ledger = ran.json["ledger"]
    assert (ledger["passed"], ledger["check_error"]) == (1, 1)


def test_code_of_the_suite_s_own_is_no_match_for_it(passhat, recorded, suite):
    ran = passhat(
        "score", recorded(*traces()), "--suite", suite(*CASES), "--untrusted", "--allow-code"
    )
    assert (ran.code, "exclude each other" in ran.err) == (2, True)
