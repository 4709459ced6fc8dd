"""A suite as parameters, and assertions whose failures say why."""

import pytest

from passhat import Case, Message, Suite, ToolCall, Trace, TrialNotCounted, assert_passes, cases
from passhat.errors import SuiteError, UsageError

SUITE = """
schema: passhat.suite/1
tools: {lookup_order: {}, refund: {}}
cases:
  - {id: look, input: Where is A1?, expected_calls: [lookup_order], tags: [read]}
  - {id: pay/back, input: Refund A1, expected_calls: [lookup_order, refund], trials: 3}
"""


def test_a_test_runs_once_for_each_case(session, pytester):
    pytester.path.joinpath("suite.yaml").write_text(SUITE, encoding="utf-8")
    ran = session(
        """
        import passhat

        @passhat.cases("suite.yaml")
        def test_agent(case):
            called = [passhat.ToolCall("lookup_order")]
            passhat.assert_passes(passhat.Trace("t", steps=called), case)
        """,
        "-v",
    )
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(
        [
            "*test_agent?look? PASSED*",
            "*test_agent?pay/back? FAILED*",
            "*trajectory: refund(...) was not called*",
            "*expected*actual*",
            "*0 of 3 trials passed*",
        ]
    )
    assert "asserting.py" not in ran.stdout.str()


@pytest.mark.parametrize("first", [True, False])
def test_a_case_that_says_how_many_trials_it_wants_gets_them(session, pytester, first):
    pytester.path.joinpath("suite.yaml").write_text(SUITE, encoding="utf-8")
    lines = ["@passhat.cases('suite.yaml')", "@pytest.mark.passhat(trials=5, k=1, at_least=0)"]
    decorators = "\n".join(lines if first else lines[::-1])
    ran = session(f"import passhat, pytest\n\n{decorators}\ndef test_agent(case): pass")
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["✓ *look?*  5   5 *", "✓ *pay/back?*  3   3 *"])


def test_the_suite_may_be_at_hand_and_cases_chosen_by_tag():
    suite = Suite("s", cases=(Case("a", tags=("x",)), Case("b", tags=("y",))))
    mark = cases(suite, "wanted", tags=["y", "z"])
    assert mark.args[0] == "wanted"
    assert [parameter.values for parameter in mark.args[1]] == [(suite.cases[1],)]
    with pytest.raises(UsageError, match="no case of the suite has one of the tags z"):
        cases(suite, tags=["z"])


def test_a_suite_with_faults_stops_the_collection(session, pytester):
    pytester.path.joinpath("suite.yaml").write_text(
        SUITE.replace("expected_calls", "expectd_calls")
    )
    ran = session("import passhat\n\n@passhat.cases('suite.yaml')\ndef test_agent(case): pass")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["*did you mean expected_calls?*"])
    with pytest.raises(SuiteError):
        cases("not_there.yaml")


def test_what_passes_gives_its_trial():
    case = Case("c", expected_calls=("look",))
    trial = assert_passes(Trace("t", steps=(ToolCall("look"),)), case)
    assert (trial.case_id, trial.passed) == ("c", True)
    messages = [{"role": "assistant", "tool_calls": [{"function": {"name": "look"}}]}]
    assert assert_passes(messages, {"id": "c", "expected_calls": ["look"]}).passed


def test_a_failure_shows_the_alignment_and_what_differs():
    trace = Trace(
        "t",
        steps=(ToolCall("pay", {"order": "A1"}),),
        initial_state={"orders": {"A1": {"status": "open"}}},
        final_state={"orders": {"A1": {"status": "paid"}}},
    )
    case = Case(
        "c",
        expected_calls=("refund",),
        expected_final_state={"orders": {"A1": {"status": "refunded"}}},
    )
    with pytest.raises(AssertionError) as caught:
        assert_passes(trace, case)
    assert 'status is "paid", not "refunded"' in str(caught.value)
    assert "- refund(...)" in str(caught.value)
    assert 'pay(order="A1")' in str(caught.value)


def test_nothing_judged_is_no_pass():
    with pytest.raises(AssertionError, match="not_evaluated"):
        assert_passes(Trace("t", steps=(Message("assistant", "Hi"),)), Case("c"))


def test_an_attempt_that_the_surroundings_ended_is_told_apart():
    trace = Trace("t", error="429", outcome="infrastructure_error")
    with pytest.raises(TrialNotCounted, match="infrastructure_error"):
        assert_passes(trace, Case("c", expected_calls=("look",)))


def test_so_it_is_in_a_test_run_as_trials(session):
    ran = session(
        """
        import passhat, pytest

        @pytest.mark.passhat(trials=3, k=2)
        def test_agent(passhat_trial):
            ended = "infrastructure_error" if passhat_trial == 1 else "completed"
            called = [passhat.ToolCall("look")]
            trace = passhat.Trace("t", steps=called, outcome=ended)
            passhat.assert_passes(trace, {"id": "c", "expected_calls": ["look"]})
        """
    )
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(["✓ *2   2  pass^2 1.000*1 not counted*"])
