"""What `passhat demo` shows holds of the recordings and the suite that it comes with."""

from collections import Counter

import pytest

from passhat.adapter import read_traces
from passhat.cli.demo import SHOWN, THEIRS
from passhat.demo import SUITE, TRACES
from passhat.match.dialects import verdict
from passhat.scoring import score
from passhat.suitefile.reading import read_suite_with_notes
from passhat.trace import Trace


@pytest.fixture(scope="module")
def suite():
    found, fidelity = read_suite_with_notes(SUITE)
    assert fidelity.notes == ()
    return found


@pytest.fixture(scope="module")
def runs():
    return list(read_traces(TRACES))


def test_the_recordings_are_read_whole(runs):
    assert len(runs) == 48
    assert all(isinstance(run, Trace) for run in runs)
    assert not any(run.gaps or run.extensions or run.metadata for run in runs)


def test_every_case_has_four_attempts(runs, suite):
    attempts = Counter((run.case_id, run.trial) for run in runs)
    assert attempts == Counter((case, trial) for case in suite.by_id for trial in range(4))
    assert len(suite.cases) == 12


def test_every_run_is_judged_by_what_its_case_expects(suite):
    summary = score(TRACES, suite).summary()
    assert summary.judged
    assert [counts.error for counts in summary.checks.values() if counts.error] == []


def test_the_run_it_shows_passes_elsewhere_and_fails_here(runs, suite):
    (run,) = [run for run in runs if (run.case_id, run.trial) == SHOWN]
    case = suite.by_id[SHOWN[0]]
    asked = {(dialect.partition("@")[0], mode) for _, dialect, mode in THEIRS}
    assert asked == {("adk", "in_order"), ("adk", "any_order"), ("agentevals", "superset")}
    for _, dialect, mode in THEIRS:
        assert verdict(dialect, mode, run.calls, case.expected_calls) in (True, 1.0)
    (trial,) = [one for one in score(TRACES, suite) if (one.case_id, one.trial) == SHOWN]
    assert (trial.status, trial.failure_class) == ("failed", "policy_violation")
