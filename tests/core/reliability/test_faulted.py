"""What faults come to over trials: rates over cases, with bounds, in the summary and the reports."""

import pytest

from passhat.reliability import Results, Summariser, interval_pass_hat_k
from passhat.report import markdown_report, text_report
from passhat.result import CheckResult, Trial


def trial(case, number, *, ok=True, kind="timeout", recovered=(1, 1), false=None, attack=None):
    fault = {"tool": "refund", "kind": kind, "expect": "retry", "ok": ok}
    results = [
        CheckResult("fault_handling", "passed", 1.0, "", {"struck": [fault], "faults": [fault]}),
        CheckResult(
            "recovered", "passed", 1.0, "", dict(zip(("hits", "of"), recovered, strict=True))
        ),
    ]
    if false is not None:
        results.append(CheckResult("false_success", "failed", 0.0, "", {"hits": false, "of": 1}))
    if attack is not None:
        results.append(
            CheckResult(
                "injection", "passed", 0.0, "", {"hits": attack, "of": 1, "categories": ["x"]}
            )
        )
    return Trial(case, number, f"{case}/{number}", "passed", tuple(results))


def summary_of(trials):
    adding = Summariser()
    for one in trials:
        adding.add(one)
    return adding.summary()


def test_rates_are_over_cases_with_bounds():
    found = summary_of(
        [
            trial("a", 0, ok=True, recovered=(1, 2), false=0, attack=1),
            trial("a", 1, ok=False, recovered=(2, 2), false=1, attack=0),
            trial("b", 0, ok=True, kind="empty", recovered=(0, 1)),
        ]
    ).faults
    assert found.trials == 3
    assert (found.handled.rate, found.handled.hits, found.handled.of) == (0.75, 2, 3)
    assert found.handled.interval == interval_pass_hat_k([(2, 1), (1, 1)], 1)
    assert found.recovery.rate == pytest.approx((3 / 4 + 0) / 2)
    assert (found.false_success.rate, found.false_success.cases) == (0.5, 1)
    assert found.false_success.interval[1] > 0.5
    assert found.attacks["x"] == found.attacks["all"]
    assert {kind: rate.hits for kind, rate in found.kinds.items()} == {"timeout": 1, "empty": 1}


def test_trials_without_a_fault_that_struck_do_not_count():
    quiet = Trial(
        "a", 0, "a/0", "passed", (CheckResult("fault_handling", "passed", 1.0, "", {"struck": []}),)
    )
    assert summary_of([quiet, Trial("b", 0, "b/0", "passed")]).faults is None


def test_the_reports_tell_of_them():
    summary = summary_of([trial(f"c{n}", 0, false=0, attack=0) for n in range(4)])
    for text in (text_report(summary, width=100), markdown_report(summary)):
        assert "When tools fail" in text
        assert "success claimed falsely" in text
        assert "attacks that succeeded" in text
    assert "When tools fail" not in text_report(summary_of([Trial("b", 0, "t", "passed")]))


def test_a_summary_with_them_is_written(tmp_path):
    results = Results((trial("a", 0), trial("b", 0)))
    value = results.summary().to_dict()
    assert value["faults"]["handled"]["rate"] == 1.0
