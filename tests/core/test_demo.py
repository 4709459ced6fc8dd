"""What `passhat demo` shows holds of the recordings and the suite that it comes with."""

import sys
from collections import Counter

import pytest

from passhat.adapter import read_traces
from passhat.cli import main
from passhat.cli.demo import SHOWN, THEIRS
from passhat.convert.sources import find_source
from passhat.demo import REFUNDS, SUITE, TRACES, demos, plain_demo, showing
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


@pytest.fixture(scope="module")
def refunds():
    found, fidelity = read_suite_with_notes(REFUNDS)
    assert fidelity.notes == ()
    return found


@pytest.fixture(scope="module")
def played_everywhere(refunds):
    found, absent = demos(refunds, 5)
    assert absent == []
    return found


def told(results):
    return [(trial.case_id, trial.trial, trial.status, trial.reason) for trial in results]


def test_the_refund_desk_gets_the_same_verdicts_in_every_framework(played_everywhere, refunds):
    assert [one.name for one in played_everywhere] == ["Google ADK", "LangGraph", "LangSmith"]
    alone = told(plain_demo(refunds, 5).results)
    for one in played_everywhere:
        assert told(one.results) == alone, one.name
    statuses = Counter(status for _, _, status, _ in alone)
    assert statuses == {"passed": 16, "failed": 4}
    assert len({case for case, _, status, _ in alone if status == "failed"}) == 3


def test_it_is_really_played_there(played_everywhere):
    adk, langgraph, langsmith = played_everywhere
    assert {trace.source for trace in adk.traces} == {"adk"}
    assert {trace.source for trace in langgraph.traces} == {"langgraph"}
    assert all(trace.nodes for trace in langgraph.traces)
    assert len(list(langsmith.results.native)) == 20


def test_what_it_left_behind_is_judged_beside(played_everywhere):
    for one in played_everywhere[:2]:
        wrong = [t for t in one.results if t.result("final_state").status == "failed"]
        assert [t.case_id for t in wrong] == ["broken-lamp", "not-there-yet"]


def test_where_nothing_is_installed_it_is_played_as_a_function(monkeypatch, refunds):
    monkeypatch.setattr(showing, "missing", lambda adapter: adapter.requires)
    found, absent = demos(refunds, 5)
    assert [one.name for one in found] == ["plain Python"]
    assert absent == [
        (name, f"pip install 'passhat[{name}]'") for name in ("adk", "langgraph", "langsmith")
    ]


def test_the_command_shows_both_and_what_is_not_there(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(showing, "missing", lambda adapter: adapter.requires)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "argv", ["passhat", "demo", "-o", str(tmp_path / "kept")])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    out, err = capsys.readouterr()
    assert err == ""
    assert "48 runs of 12 cases" in out
    assert "One agent in plain Python" in out
    assert "+ refunds[A1]" in out
    assert "(moved)" in out
    assert "pip install 'passhat[adk,langgraph,langsmith]'" in out
    assert "everywhere" not in out
    assert max(map(len, out.splitlines())) <= 100
    evalset, dataset = sorted((tmp_path / "kept").glob("refunds.*"))
    assert find_source(str(evalset), None, None).format == "adk"
    assert find_source(str(dataset), None, None).format == "langsmith"
    for path in (evalset, dataset):
        suite, _ = find_source(str(path), None, None).suite()
        assert suite == read_suite_with_notes(REFUNDS)[0]
