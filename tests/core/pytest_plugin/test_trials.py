"""Tests run as trials, in real sessions of pytest: what is counted, held to a line and told."""

import pytest


def test_it_passes_on_pass_hat_k_and_says_so(session, agent):
    ran = session(agent("trials=5, k=3, at_least=0.3", "assert number != 1, 'wrong tool'"))
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(
        ["*passhat: tests run as trials*", "✓ test_it.py::test_agent*5*4*pass^3 0.400*0.3*"]
    )


def test_it_fails_below_and_shows_a_trial_that_failed(session, agent):
    ran = session(agent("trials=5, k=3, at_least=0.6", "assert number != 1, 'wrong tool'"))
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(
        [
            "*AssertionError: wrong tool*",
            "*passhat: this is trial 1*",
            "4 of 5 trials passed: pass^3 is too low (0.4 against 0.6)",
            "trial 0: passed",
            "trial 1: failed: AssertionError: wrong tool*",
            "trial 2: passed",
            "✗ test_it.py::test_agent*",
            "FAILED test_it.py::test_agent - 4 of 5 trials passed*",
        ]
    )


def test_k_is_all_trials_and_the_least_is_all_unless_it_is_said(session, agent):
    session(agent("", "assert number < 4")).assert_outcomes(failed=1)
    session(agent("", "assert number < 5")).assert_outcomes(passed=1)


def test_it_can_be_held_to_a_bound(session, agent):
    passing = "trials=10, k=1, at_least=0.7, confidence={}"
    session(agent(passing.format(0.95), "pass")).assert_outcomes(passed=1)  # 0.05**(1/10) = 0.741
    ran = session(agent(passing.format(0.99), "pass"))  # 0.01**(1/10) = 0.631
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*pass^1 1, at least 0.631 with confidence 0.99, is too low (0.7*"])


def test_errors_of_the_surroundings_do_not_count(session, agent):
    ran = session(agent("trials=4, k=3", "if number == 2: raise ConnectionResetError('gone')"))
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(["✓ *  3   3  pass^3 1.000*1 not counted: errors of the surroundings"])


def test_others_can_be_declared(session, agent, pytester):
    body = "if number == 2: raise KeyError('quota of the night')"
    session(agent("trials=4, k=3", body)).assert_outcomes(failed=1)
    session(agent("trials=4, k=3, infrastructure=KeyError", body)).assert_outcomes(passed=1)
    session(agent("trials=4, k=3, infrastructure=['of the night']", body)).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\npasshat_infrastructure =\n    of the n.ght\n")
    session(agent("trials=4, k=3", body)).assert_outcomes(passed=1)


def test_too_few_that_count_never_pass(session, agent):
    ran = session(agent("trials=3, k=2", "if number: raise ConnectionError('gone')"))
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(
        [
            "1 of 1 trials passed (2 not counted*): pass^2 needs 2 trials that count, not evaluated",
            "– test_it.py::test_agent*not evaluated",
        ]
    )


def test_the_closest_marker_adds_to_wider_ones(session):
    ran = session(
        """
        import pytest
        pytestmark = pytest.mark.passhat(trials=3, at_least=0.2)
        seen = []

        @pytest.mark.passhat(k=1)
        def test_agent():
            seen.append(1)
            assert len(seen) == 1

        def test_three(): pass
        """
    )
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines(["*::test_agent *3*1*pass^1 0.333*0.2*", "*::test_three *3*3*pass^3*"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("trails=3", "has no 'trails': trials, k, at_least, confidence, infrastructure"),
        ("trials=2, k=3", "k=3 draws need as many trials, and there are 2"),
        ("trials=0", "trials is a whole number of 1 or more, not 0"),
        ("at_least=60", "at_least is a share from 0 to 1, not 60"),
        ("confidence=0.5", "confidence is between 0.5 and 1, not 0.5"),
        ("infrastructure=['(']", "is no regular expression"),
        ("5", "give the marker passhat its options by name"),
    ],
)
def test_a_marker_that_cannot_be_meant_is_refused_before_anything_runs(
    session, agent, options, said
):
    ran = session(agent(options, "print('ran')"), "-s")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert said in ran.stderr.str()
    assert "ran" not in ran.stdout.str().splitlines()


def test_what_a_trial_printed_is_shown_once(session, agent):
    ran = session(agent("trials=3", "print('said', number); assert number != 1"))
    assert ran.stdout.str().count("said 1") == 1
    assert "said 0" not in ran.stdout.str()


def test_junit_files_have_the_numbers(session, agent, pytester):
    session(agent("trials=4, k=2, at_least=0.4", "assert number"), "--junitxml=out.xml")
    text = pytester.path.joinpath("out.xml").read_text(encoding="utf-8")
    for name, value in (("n", 4), ("c", 3), ("k", 2), ("pass_hat_k", 0.5)):
        assert f'<property name="passhat.{name}" value="{value}"' in text
    assert "None" not in text
