"""Runners that are killed at random instants: nothing finished is lost, nothing counts twice."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from passhat.trials.runs import run

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
import killed as program  # noqa: E402

ROUNDS = 30


def ran(tmp_path, journal, runners, seed):
    command = [sys.executable, HERE / "killed.py", tmp_path / journal, tmp_path / "log"]
    told = subprocess.run(
        [*map(str, command), str(ROUNDS), str(runners), str(seed)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    log = tmp_path_factory.mktemp("whole") / "log"
    results = run(program.agent_with(log), program.SUITE, program.TRIALS, concurrency=16)
    return [[trial.case_id, trial.trial, trial.status] for trial in results]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("journal", "runners"),
    [("run.journal", 1), ("run.jsonl", 1), ("run.journal", 2), ("run.jsonl", 2)],
)
def test_a_run_that_is_killed_thirty_times_ends_as_if_it_had_not_been(
    tmp_path, uninterrupted, journal, runners
):
    told = ran(tmp_path, journal, runners, seed=runners)
    assert told["killed"] > ROUNDS * runners / 2
    assert len(told["trials"]) == program.CASES * program.TRIALS
    assert len({(case, trial) for case, trial, _ in told["trials"]}) == len(told["trials"])
    assert told["trials"] == uninterrupted
    # What was in flight may have run again, and nothing else: two at a time in each runner.
    again = told["calls"] - len(told["trials"])
    assert 0 <= again <= ROUNDS * runners * 2
