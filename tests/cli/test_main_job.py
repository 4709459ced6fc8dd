"""The main job: 200 recorded runs of a real agent, none of which were written here."""

import pytest


@pytest.fixture
def runs(shared):
    return shared / "real" / "tau_airline" / "runs.json"


def test_the_numbers_are_the_published_ones(passhat, runs):
    ran = passhat(
        *("score", runs, "--from", "tau-bench", "--success", "reward", "-k", "1,2,3,4"),
        *("--format", "json"),
    )
    assert ran.code == 0
    told = ran.json
    assert list(told["pass_hat_k"]) == ["1", "2", "3", "4"]
    assert list(told["pass_hat_k"].values()) == pytest.approx([0.42, 0.273333, 0.22, 0.2], abs=1e-6)
    assert list(told["pass_at_k"].values()) == pytest.approx([0.42, 0.566667, 0.66, 0.72], abs=1e-6)
    assert {status: n for status, n in told["ledger"].items() if n} == {"passed": 84, "failed": 116}
    assert told["sensitivity"]["left_out"] == 0
    assert len(told["cases"]) == 50
    assert sum(case["n"] for case in told["cases"]) == 200
    for k, (low, high) in told["intervals"]["pass_hat_k"].items():
        assert low < told["pass_hat_k"][k] < high
    assert told["rates"]["error_rate"]["of"] == 1164


def test_it_is_known_without_being_named(passhat, runs):
    ran = passhat("score", runs, "--success", "reward", "--format", "json")
    assert ran.code == 0
    assert ran.json["about"]["format"] == "tau-bench"


def test_the_table_begins_with_the_verdict(passhat, runs):
    ran = passhat("score", runs, "--from", "tau-bench", "--success", "reward", "-k", "1,2,3,4")
    lines = ran.out.splitlines()
    assert lines[0] == "Passes 42 % of the time, but 4 times in a row only 20 % of the time."
    assert len(lines) <= 55
    assert max(map(len, lines)) <= 80
    for part in ("Flaky cases (26)", "Where calls part from the expected ones", "tool errors"):
        assert part in ran.out


def test_tasks_that_expect_nothing_are_not_graded_green(passhat, runs):
    ran = passhat("score", runs, "--expected", "--format", "json")
    assert ran.code == 3
    assert ran.json["ledger"]["not_evaluated"] == 28
