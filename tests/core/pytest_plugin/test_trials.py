"""Tests run as trials, in real sessions of pytest."""

import re

import pytest

COUNTED = """
    import itertools
    import pytest

    calls = itertools.count()

    @pytest.mark.passhat({options})
    def test_agent():
        number = next(calls)
        {body}
"""


def agent(options, body):
    return COUNTED.format(options=options, body=body)


def test_it_passes_on_pass_hat_k_and_says_so(session):
    ran = session(agent("trials=5, k=3, at_least=0.3", "assert number != 1, 'wrong tool'"))
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(
        ["*passhat: tests run as trials*", "✓ test_it.py::test_agent*5*4*pass^3 0.400*0.3*"]
    )


def test_it_fails_below_and_shows_a_trial_that_failed(session):
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


def test_k_is_all_trials_and_the_least_is_all_unless_it_is_said(session):
    session(agent("", "assert number < 4")).assert_outcomes(failed=1)
    session(agent("", "assert number < 5")).assert_outcomes(passed=1)


def test_it_can_be_held_to_a_bound(session):
    passing = "trials=10, k=1, at_least=0.7, confidence={}"
    session(agent(passing.format(0.95), "pass")).assert_outcomes(passed=1)  # 0.05**(1/10) = 0.741
    ran = session(agent(passing.format(0.99), "pass"))  # 0.01**(1/10) = 0.631
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["*pass^1 1, at least 0.631 with confidence 0.99, is too low (0.7*"])


def test_errors_of_the_surroundings_do_not_count(session):
    ran = session(agent("trials=4, k=3", "if number == 2: raise ConnectionResetError('gone')"))
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(["✓ *  3   3  pass^3 1.000*1 not counted: errors of the surroundings"])


def test_others_can_be_declared(session, pytester):
    body = "if number == 2: raise KeyError('quota of the night')"
    session(agent("trials=4, k=3", body)).assert_outcomes(failed=1)
    session(agent("trials=4, k=3, infrastructure=KeyError", body)).assert_outcomes(passed=1)
    session(agent("trials=4, k=3, infrastructure=['of the night']", body)).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\npasshat_infrastructure =\n    of the n.ght\n")
    session(agent("trials=4, k=3", body)).assert_outcomes(passed=1)


def test_too_few_that_count_never_pass(session):
    ran = session(agent("trials=3, k=2", "if number: raise ConnectionError('gone')"))
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(
        [
            "1 of 1 trials passed (2 not counted*): pass^2 needs 2 trials that count, not evaluated",
            "– test_it.py::test_agent*not evaluated",
        ]
    )


def test_skipped_trials_do_not_count_and_a_test_that_skips_is_skipped(session):
    ran = session(agent("trials=3, k=2", "if number == 0: pytest.skip('not now')"))
    ran.assert_outcomes(passed=1)
    ran = session(agent("trials=3", "pytest.skip('not here')"))
    ran.assert_outcomes(skipped=1)
    ran = session(
        """
        import pytest
        @pytest.mark.skipif(True, reason="no agent")
        @pytest.mark.passhat(trials=3)
        def test_agent(): print("ran")
        """,
        "-rs",
    )
    ran.assert_outcomes(skipped=1)
    ran.stdout.fnmatch_lines(["SKIPPED*no agent"])


def test_an_expected_failure_is_one(session):
    source = """
        import pytest
        @pytest.mark.xfail(reason="not yet", strict={strict})
        @pytest.mark.passhat(trials=3)
        def test_agent(): assert {holds}
    """
    session(source.format(strict=False, holds=False)).assert_outcomes(xfailed=1)
    session(source.format(strict=False, holds=True)).assert_outcomes(xpassed=1)
    session(source.format(strict=True, holds=True)).assert_outcomes(failed=1)


def test_fixtures_are_fresh_in_each_trial_and_wider_ones_shared(session):
    ran = session(
        """
        import pytest
        made = []

        @pytest.fixture(scope="module")
        def module():
            made.append("module")
            yield
            made.append("module gone")

        @pytest.fixture
        def world(module, tmp_path):
            made.append("world")
            yield {"path": tmp_path, "calls": []}
            made.append("world gone")

        seen = []

        @pytest.mark.passhat(trials=3)
        def test_agent(world, passhat_trial, monkeypatch):
            monkeypatch.setenv("TRIAL", str(passhat_trial))
            assert world["calls"] == []
            assert world["path"] not in [path for path, _ in seen]
            world["calls"].append(1)
            seen.append((world["path"], passhat_trial))

        def test_after():
            import os
            assert [number for _, number in seen] == [0, 1, 2]
            assert made == ["module"] + ["world", "world gone"] * 3
            assert "TRIAL" not in os.environ
        """
    )
    ran.assert_outcomes(passed=2)


def test_a_fixture_that_fails_is_an_error_of_the_test(session):
    source = """
        import pytest
        made = []

        @pytest.fixture
        def world():
            made.append(1)
            if len(made) == 2: raise {error}
            yield
            {after}

        @pytest.mark.passhat(trials=4, k=3)
        def test_agent(world): pass

        def test_after(): assert len(made) == {times}
    """
    ran = session(source.format(error="RuntimeError('no world')", after="", times=2))
    ran.assert_outcomes(passed=1, errors=1)
    ran = session(source.format(error="ConnectionError('no network')", after="", times=4))
    ran.assert_outcomes(passed=2)
    ran = session(source.format(error="ConnectionError()", after="assert len(made) != 3", times=4))
    ran.assert_outcomes(passed=2, errors=1)


def test_it_works_with_parametrize_classes_and_unittest(session):
    ran = session(
        """
        import unittest
        import pytest

        class TestAgent:
            @pytest.mark.passhat(trials=2)
            @pytest.mark.parametrize("tool", ["a", "b"])
            def test_tools(self, tool):
                assert tool == "a"

        @pytest.mark.passhat(trials=4)
        class TestOld(unittest.TestCase):
            seen = []
            def setUp(self): self.seen.append(1)
            def test_it(self): assert len(self.seen) < 5
        """
    )
    ran.assert_outcomes(passed=2, failed=1)


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
def test_a_marker_that_cannot_be_meant_is_refused_before_anything_runs(session, options, said):
    ran = session(agent(options, "print('ran')"), "-s")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert said in ran.stderr.str()
    assert "ran" not in ran.stdout.str().splitlines()


def test_it_works_with_x_and_lf(session):
    source = """
        import pytest
        from pathlib import Path

        @pytest.mark.passhat(trials=3)
        def test_a(): assert Path("good").exists()

        @pytest.mark.passhat(trials=3)
        def test_b(): pass
    """
    stopped = session(source, "-x")
    stopped.assert_outcomes(failed=1)
    session(None).assert_outcomes(failed=1, passed=1)
    again = session(None, "--lf")
    assert again.parseoutcomes() == {"failed": 1}


def test_it_works_with_xdist(session):
    ran = session(
        """
        import pytest

        @pytest.mark.passhat(trials=4, k=2, at_least=0.4)
        @pytest.mark.parametrize("number", range(6))
        def test_agent(number, passhat_trial):
            assert number < 3 or passhat_trial < number - 3, "wrong tool"
        """,
        "-n2",
    )
    ran.assert_outcomes(passed=3, failed=3)
    ran.stdout.fnmatch_lines_random(
        [
            "✓ test_it.py::test_agent?0?   4   4  pass^2 1.000*",
            "✗ test_it.py::test_agent?4?   4   1  pass^2 0.000*",
            "trial 3: failed: AssertionError: wrong tool*",
        ]
    )


def test_async_tests_have_an_event_loop_of_their_own(session):
    ran = session(
        """
        import asyncio
        import pytest

        loops = []

        @pytest.fixture
        async def world():
            yield asyncio.get_running_loop()

        @pytest.mark.passhat(trials=3)
        async def test_agent(world, passhat_trial):
            await asyncio.sleep(0)
            assert asyncio.get_running_loop() is world
            loops.append(world)
            assert passhat_trial != 1

        def test_after():
            assert len({id(loop) for loop in loops}) == len(loops) == 3
        """,
        "-o",
        "asyncio_mode=auto",
        "-W",
        "error",
    )
    ran.assert_outcomes(failed=1, passed=1)
    ran.stdout.fnmatch_lines(["✗ *::test_agent   3   2  pass^3 0.000*"])


def test_it_leaves_other_tests_to_other_plugins(session):
    ran = session(
        """
        import pytest
        seen = []

        @pytest.mark.flaky(reruns=2)
        def test_flaky():
            seen.append(1)
            assert len(seen) == 2

        @pytest.mark.passhat(trials=3, k=1, at_least=0.5)
        def test_agent(passhat_trial): assert passhat_trial
        """
    )
    assert ran.parseoutcomes() == {"passed": 2, "rerun": 1}


@pytest.mark.parametrize(
    ("marker", "option"), [("@pytest.mark.flaky(reruns=5)", "-q"), ("", "--reruns=5")]
)
def test_a_marked_test_is_never_run_again(session, marker, option):
    ran = session(
        f"""
        import itertools
        import pytest

        calls = itertools.count()

        {marker}
        @pytest.mark.passhat(trials=3)
        def test_agent(): assert next(calls) >= 3
        """,
        option,
    )
    assert ran.parseoutcomes() == {"failed": 1}
    ran.stdout.fnmatch_lines(["✗ *::test_agent   3   0  pass^3 0.000*"])


def test_what_a_trial_printed_is_shown_once(session):
    ran = session(agent("trials=3", "print('said', number); assert number != 1"))
    assert ran.stdout.str().count("said 1") == 1
    assert "said 0" not in ran.stdout.str()


def test_junit_files_have_the_numbers(session, pytester):
    session(agent("trials=4, k=2, at_least=0.4", "assert number"), "--junitxml=out.xml")
    text = pytester.path.joinpath("out.xml").read_text(encoding="utf-8")
    for name, value in (("n", 4), ("c", 3), ("k", 2), ("pass_hat_k", 0.5)):
        assert f'<property name="passhat.{name}" value="{value}"' in text


def test_setup_only_runs_nothing(session):
    ran = session(agent("trials=3", "print('ran')"), "--setup-only", "-s")
    assert "ran" not in ran.stdout.str().splitlines()


def test_a_session_without_marked_tests_loads_nothing_of_it(session):
    ran = session(
        """
        import sys
        def test_it():
            loaded = [name for name in sys.modules if name.startswith("passhat")]
            assert "passhat.reliability" not in loaded
            assert "passhat.trace" not in loaded
        """,
    )
    ran.assert_outcomes(passed=1)
    assert "passhat:" not in ran.stdout.str()


def test_a_trial_fails_where_one_of_its_subtests_does(session, pytester):
    pytest.importorskip("_pytest.subtests")
    ran = session(
        """
        import unittest
        import passhat, pytest

        @pytest.mark.passhat(trials=3, k=1, at_least=0.6)
        def test_mostly(subtests, passhat_trial):
            for at in range(3):
                with subtests.test(at=at):
                    assert (passhat_trial, at) != (1, 1)

        @pytest.mark.passhat(trials=3, k=1, at_least=0.5)
        def test_never(subtests):
            for at in range(3):
                with subtests.test(at=at):
                    assert at == 0, f"part {at}"

        @pytest.mark.passhat(trials=3, k=1, at_least=1)
        def test_surroundings(subtests, passhat_trial):
            with subtests.test():
                if passhat_trial == 1:
                    raise ConnectionError("down")

        @pytest.mark.passhat(trials=2)
        class TestOfUnittest(unittest.TestCase):
            def test_parts(self):
                with self.subTest(at=1):
                    self.assertEqual(1, 2)

        def test_of_pytest(subtests):
            with subtests.test():
                assert False
        """,
        "-v",
        "--junitxml=junit.xml",
    )
    text = ran.stdout.str()
    assert re.search(r"✓ test_it.py::test_mostly +3   2  pass\^1 0.667", text)
    assert re.search(r"✗ test_it.py::test_never +3   0  pass\^1 0.000", text)
    assert re.search(r"✓ test_it.py::test_surroundings +2   2 .* 1 not counted", text)
    assert re.search(r"✗ test_it.py::TestOfUnittest::test_parts +2   0", text)
    assert "trial 0: failed: AssertionError: part 1" in text
    # Subtests outside of trials are pytest's own.
    assert text.count("SUBFAILED") == 2
    failed = re.findall(r"^FAILED (\S+)", text, flags=re.M)
    assert [name.rpartition("::")[2] for name in failed] == [
        "test_never",
        "test_parts",
        "test_of_pytest",
    ]
    assert (pytester.path / "junit.xml").read_text("utf-8").count("<failure") == 4


def test_a_strict_xfail_counts_what_passed(session):
    ran = session(
        """
        import pytest

        @pytest.mark.xfail(strict=True)
        @pytest.mark.passhat(trials=3, k=1, at_least=0.5)
        def test_mostly(passhat_trial):
            assert passhat_trial

        @pytest.mark.xfail(strict=True)
        @pytest.mark.passhat(trials=3, k=2, at_least=0.9)
        def test_seldom(passhat_trial):
            assert passhat_trial
        """
    )
    ran.assert_outcomes(failed=1, xfailed=1)
    ran.stdout.fnmatch_lines(
        [
            "✓ *test_mostly *3   2*",
            "✗ *test_seldom *3   2*",
            "FAILED *test_mostly - *XPASS(strict)*",
        ]
    )


def test_unittest_expects_failures_strictly_too(session):
    ran = session(
        """
        import unittest

        import pytest

        class TestAgent(unittest.TestCase):
            runs = 0

            def setUp(self):
                type(self).runs += 1

            @pytest.mark.passhat(trials=3, k=1, at_least=0.5)
            @unittest.expectedFailure
            def test_mostly(self):
                self.assertNotEqual(self.runs, 1)

            @pytest.mark.passhat(trials=3, k=1, at_least=0.5)
            @unittest.expectedFailure
            def test_never(self):
                self.fail("no")

            @pytest.mark.passhat(trials=2)
            def test_words(self):
                pytest.fail("Unexpected success", pytrace=False)
        """
    )
    ran.assert_outcomes(failed=2, xfailed=1)
    ran.stdout.fnmatch_lines(
        [
            "✓ *test_mostly *3   2*",
            "✗ *test_never *3   0*",
            "✗ *test_words *2   0*",
            "FAILED *test_mostly - *Unexpected success*",
        ]
    )


def test_what_breaks_after_a_failure_does_not_excuse_it(session):
    ran = session(
        """
        import pytest

        @pytest.fixture
        def server():
            yield
            raise ConnectionError("down")

        @pytest.mark.passhat(trials=2, k=1)
        def test_wrong(server):
            assert 0
        """
    )
    ran.assert_outcomes(failed=1, errors=1)
    ran.stdout.fnmatch_lines(["✗ *test_wrong *2   0*"])


def test_each_worker_is_told_where_each_runs_the_test(session):
    ran = session(
        """
        import pytest

        @pytest.mark.passhat(trials=2)
        def test_it():
            pass
        """,
        "-n2",
        "--dist=each",
    )
    ran.assert_outcomes(passed=2)
    ran.stdout.fnmatch_lines_random(["✓ [[]gw0] *test_it *", "✓ [[]gw1] *test_it *"])
