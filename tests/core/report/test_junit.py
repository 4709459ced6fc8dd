"""JUnit XML: what readers of it see, and that any text can stand in it."""

from pathlib import Path

import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Properties, Skipped

from passhat.demo import SUITE, TRACES
from passhat.errors import TraceError
from passhat.reliability import Results
from passhat.report import junit_report
from passhat.result import CheckResult, Trial
from passhat.result import Failure as Why
from passhat.scoring import score

SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd"))


def read(trials, **options):
    text = junit_report(trials, **options)
    SCHEMA.validate(text)
    return JUnitXml.fromstring(text.encode())


def properties(case):
    return {p.name: p.value for held in case.iterchildren(Properties) for p in held}


def test_a_case_is_a_test_case_with_its_trials():
    (suite,) = read(score(TRACES, SUITE), name="shop")
    assert (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) == (
        "shop",
        12,
        7,
        0,
        0,
    )
    cases = {case.name: case for case in suite}
    case = cases["refund-one-item"]
    assert case.classname == "shop"
    told = properties(case)
    assert (told["trials"], told["passed"], told["pass^4"]) == ("4", "3", "0")
    assert (told["trial.1"], told["trial.2"]) == ("passed", "failed: wrong target")
    assert told["tag"] == "refunds"
    (failure,) = case.result
    assert isinstance(failure, Failure)
    assert failure.type == "wrong_target"
    assert failure.message.startswith("1 of 4 trials failed: other arguments than expected")
    assert "    ≠ issue_refund(" in failure.text
    assert "amount: expected" in failure.text
    assert properties(cases["order-status"])["pass^4"] == "1"
    assert cases["order-status"].result == []


def test_what_could_not_be_judged_is_skipped_or_an_error_and_never_passed():
    broken = CheckResult("own", "error", None, "ZeroDivisionError")
    trials = [
        Trial("skipped", 0, "t", "not_evaluated", reason="no state"),
        Trial("never", 0, "", "not_run", reason="no trace joins the case"),
        Trial("down", 0, "t", "infrastructure_error", reason="429"),
        Trial("broken", 0, "t", "check_error", (broken,), "own: ZeroDivisionError"),
        Trial("broken", 1, "t", "passed"),
        Trial("partly", 0, "t", "passed", seconds=1.5),
        Trial("partly", 1, "t", "not_evaluated", reason="no state", seconds=0.5),
        Trial(None, 0, "t", "failed", reason="no case"),
    ]
    (suite,) = read(trials)
    cases = {case.name: case for case in suite}
    for name in ("skipped", "never", "down", "(no case)"):
        assert isinstance(cases[name].result[0], Skipped), name
    assert cases["skipped"].result[0].message == "not_evaluated: no state"
    assert isinstance(cases["broken"].result[0], Error)
    assert cases["partly"].result == []
    assert cases["partly"].system_out == "trial 1: not_evaluated: no state"
    assert cases["partly"].time == 2
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 0, 1, 4)


def test_trials_of_several_suites_are_told_apart():
    trials = [Trial("a", 0, "t", "passed", pins={"suite": name}) for name in ("x", "y")]
    found = [(suite.name, suite.tests) for suite in read(trials, name="shop")]
    assert found == [("shop x", 1), ("shop y", 1)]


def test_many_trials_are_told_in_few_words():
    table = CheckResult.of("trajectory", False, "x" * 100, alignment="= a\n" * 10_000)
    trials = [Trial("a", at, f"t{at}", "failed", (table,), "no") for at in range(200)]
    (suite,) = read(trials)
    (case,) = suite
    assert "and 150 more trials" in case.result[0].text
    assert len(case.result[0].text) < 1_200_000


texts = st.text(st.characters(codec=None), max_size=20)


@settings(max_examples=60)
@given(st.lists(st.tuples(texts, texts, texts, texts), min_size=1, max_size=4))
def test_any_text_can_stand_in_it(rows):
    trials = []
    for at, (case, reason, kind, value) in enumerate(rows):
        evidence = {
            "alignment": value,
            "missed": [{"path": value, "expected": value}],
        }
        results = (CheckResult("final_state", "failed", 0.0, reason, evidence),)
        trials.append(
            Trial(case, at, value, ("failed", "not_evaluated")[at % 2], results, reason, None, 1.0,
                  {}, (value,), {"suite": kind}, kind or None, Why(reason=value, by=kind))
        )  # fmt: skip
    read(trials, name=rows[0][0])


def test_results_of_airline_runs(shared, tmp_path):
    runs = shared / "real" / "tau_airline" / "runs.json"
    (suite,) = read(score(runs, format="tau-bench", expected=True))
    assert (suite.tests, suite.failures, suite.skipped) == (50, 38, 7)


def test_an_empty_result_has_no_test(tmp_path):
    with pytest.raises(StopIteration):
        next(iter(read(Results(()))))


def test_what_could_not_be_read_is_an_error():
    trial = Trial("a", 0, "t", "passed", pins={"suite": "s1"})
    (suite,) = read(Results((trial,), unread=(TraceError("runs.jsonl:3: \x00"),)), name="shop")
    assert (suite.name, suite.tests, suite.errors) == ("shop", 2, 1)
    (error,) = next(case for case in suite if case.name == "(could not be read)").result
    assert isinstance(error, Error)
    assert error.message == "1 run cannot be read: runs.jsonl:3: \ufffd"
