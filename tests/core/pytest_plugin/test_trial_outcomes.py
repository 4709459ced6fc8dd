"""What pytest says of a trial counts: skips, expected failures, subtests, and what breaks after it."""

import re

import pytest


def test_skipped_trials_do_not_count_and_a_test_that_skips_is_skipped(session, agent):
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
