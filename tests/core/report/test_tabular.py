"""CSV: what a spreadsheet sees, and that passhat reads it back."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.demo import SUITE, TRACES
from passhat.reliability import Results, read_labels, read_results
from passhat.reliability.csvcells import guarded, unguarded
from passhat.report import csv_report
from passhat.report.tabular import COLUMNS
from passhat.result import CheckResult, Failure, Trial
from passhat.scoring import score
from passhat.trace import Usage


def rows(trials):
    return list(csv.DictReader(io.StringIO(csv_report(trials), newline="")))


def test_a_row_a_trial_with_its_checks_and_pins():
    trial = Trial(
        "a", 1, "t", "failed", (CheckResult.of("budget", False), CheckResult("own", "error")), "no",
        Usage(3, 4, cost=0.25), 1.5, {"tool_calls": 2.0}, ("x", "y"), {"model": "m", "seed": 7},
        "gave_up", Failure(reason="it stopped"),
    )  # fmt: skip
    first, second = rows([trial, Trial("b", 0, "u", "not_evaluated")])
    assert list(first) == [*COLUMNS, "check.budget", "check.own", "pin.model", "pin.seed"]
    assert first == first | {
        "case": "a", "trial": "1", "status": "failed", "passed": "false", "level": "warning",
        "failure_class": "gave_up", "reason": "it stopped", "cost": "0.25", "currency": "USD",
        "tokens": "7", "seconds": "1.5", "tool_calls": "2", "tags": "x;y", "check.budget": "failed",
        "check.own": "error", "pin.model": "m", "pin.seed": "7",
    }  # fmt: skip
    assert (second["passed"], second["failure_class"], second["check.budget"]) == ("", "", "")


@pytest.mark.parametrize(
    "text", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "|x"]
)
def test_no_text_is_a_formula(text):
    (row,) = rows(
        [Trial(text, 0, text, "failed", reason=text, tags=(text,), pins={text: text},
               failure_class=text, failure=Failure(by=text, reason=text))]
    )  # fmt: skip
    for name in ("case", "trace_id", "reason", "failure_class", "by", "tags", f"pin.{text}"):
        told = row[name] if not name.startswith("pin.") else row[f"pin.{text}".replace("\r", "\n")]
        assert told == f"'{text}".replace("\r", "\n"), name


@given(st.text(st.characters(codec=None)))
def test_any_text_can_stand_in_it(text):
    said = guarded(text)
    said.encode()
    assert not said.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


def test_it_is_read_back_as_results(tmp_path):
    results = score(TRACES, SUITE)
    path = tmp_path / "trials.csv"
    path.write_text(csv_report(results), encoding="utf-8")
    back, before = read_results(path).summary(), results.summary()
    assert (back.pass_hat_k, back.ledger) == (before.pass_hat_k, before.ledger)
    assert back.intervals == before.intervals
    assert back.checks["forbidden_calls"].failed == before.checks["forbidden_calls"].failed
    assert back.efficiency.cost_per_success == pytest.approx(before.efficiency.cost_per_success)
    assert set(back.tags) == set(before.tags)


def test_trials_of_one_number_are_told_apart_by_their_traces(tmp_path):
    path = tmp_path / "trials.csv"
    twice = [Trial("a", 0, name, "passed", measures={"turns": 2.0}) for name in "tu"]
    path.write_text(csv_report(twice), encoding="utf-8")
    back = read_results(path)
    assert [(trial.trace_id, trial.measures) for trial in back] == [
        ("t", {"turns": 2.0}),
        ("u", {"turns": 2.0}),
    ]
    assert "not_read" not in back.about


@pytest.mark.parametrize("text", ["=1+1", "-", "@a", "'=1", "''+", "'tis", "plain"])
def test_a_guard_is_taken_off_again(tmp_path, text):
    path = tmp_path / "trials.csv"
    told = Trial(text, 0, text, "failed", reason=text, tags=(text,), pins={"p": text},
                 failure_class=text, failure=Failure(by=text))  # fmt: skip
    path.write_text(csv_report([told]), encoding="utf-8")
    (back,) = read_results(path)
    assert back == told


@given(st.text(st.sampled_from("'= -+a\n|"), max_size=6))
def test_guards_are_never_taken_off_a_text_that_has_none(text):
    assert unguarded(guarded(text)) == text


def test_its_classes_can_be_changed_and_given_back(tmp_path):
    results = score(TRACES, SUITE)
    path = tmp_path / "trials.csv"
    text = csv_report(results)
    path.write_text(text.replace(",wrong_target,", ",wrong_answer,"), encoding="utf-8")
    found = results.relabelled(read_labels(path))
    changed = [t for t, before in zip(found, results, strict=True) if t != before]
    assert [(t.failure_class, t.failure.rule) for t in changed] == [
        ("wrong_answer", "wrong_target")
    ]


def test_nothing_gives_the_heading_alone():
    assert csv_report(Results(())) == ",".join(COLUMNS) + "\n"
