"""Tests run as trials beside what else runs tests: options, workers, event loops, other plugins."""

import pytest


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


def test_setup_only_runs_nothing(session, agent):
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
