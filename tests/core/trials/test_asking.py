"""What a run refuses before anything is begun, and says of what it was asked."""

import pytest

from passhat.case import Case, Suite
from passhat.errors import InputError, SuiteError, UsageError
from passhat.trials.agents import agent_named, as_callable
from passhat.trials.runs import Run, run
from passhat.trials.sandbox import Sandbox

GOOD = {"equals": "yes"}
ONE = Suite("s", [Case("a", "ok?", response=GOOD)])


def yes(case):
    return "yes"


@pytest.mark.parametrize(
    "options",
    [
        {"trials": 0},
        {"trials": 1.5},
        {"concurrency": 0},
        {"timeout": 0},
        {"retries": -1},
        {"max_cost": 0},
        {"max_seconds": -1},
        {"max_cost": float("nan")},
        {"resume": True, "fresh": True, "journal": "x"},
        {"max_cost": "1"},
        {"timeout": "3"},
        {"until": "decide"},
        {"until": 5},
        {"sandbox": [yes]},
        {"user": 7},
    ],
)
def test_arguments_that_mean_nothing_are_told_before_anything_runs(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = []
    with pytest.raises(UsageError):
        run(asked.append, ONE, **options)
    assert not asked


def test_an_agent_that_needs_tools_is_not_run_without_a_sandbox():
    with pytest.raises(UsageError, match="the agent takes tools, which a sandbox gives"):
        run(lambda case, tools: "yes", ONE)
    assert run(lambda case, tools=None: "yes", ONE, 1).summary().c == 1


def test_a_suite_that_cannot_be_run_is_told(tmp_path):
    with pytest.raises(UsageError, match="no cases"):
        run(yes, Suite("s"))
    (tmp_path / "bad.yaml").write_text("cases: [{id: a, inpt: x}]")
    with pytest.raises(SuiteError):
        run(yes, tmp_path / "bad.yaml")
    with pytest.raises(InputError):
        run(yes, tmp_path / "none.yaml")


def test_a_check_that_does_not_exist_costs_no_trial(tmp_path):
    asked = []
    for options in ({"checks": ["no_such"]}, {}):
        suite = ONE if options else Suite("s", [Case("a", "?", checks={"no_such": {}})])
        with pytest.raises(UsageError, match="no_such"):
            run(asked.append, suite, journal=tmp_path / "j", **options)
    assert not asked
    assert len(run(yes, ONE, 1, journal=tmp_path / "j")) == 1


def test_cases_that_cannot_be_told_apart_are_refused():
    with pytest.raises(UsageError, match="two cases are called 'a'"):
        run(yes, Suite("s", [Case("a"), Case("b"), Case("a")]))


def test_what_is_no_agent_is_told():
    for wrong, why in ((7, "no callable, but int"), (Suite, "a class"), (None, "NoneType")):
        with pytest.raises(UsageError, match=why):
            run(wrong, ONE)
    assert as_callable(yes) is yes


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("agents", "give package.module:name"),
        ("no_such_module_here:x", "ModuleNotFoundError"),
        ("os:no_such", "os has no 'no_such'"),
        ("os:environ", "no callable"),
    ],
)
def test_a_name_of_no_agent_is_told(name, why):
    with pytest.raises(UsageError, match=why):
        agent_named(name)


def test_half_a_surrogate_pair_is_refused_where_it_stands_in_the_suite():
    with pytest.raises(UsageError, match="half a surrogate pair"):
        run(yes, Suite("s", [Case("\ud800", "ok?", response=GOOD)]))


def test_approvals_that_answer_nobody_are_told_of():
    suite = Suite("s", [Case("a", "ok?", response=GOOD, approvals={"pay": "decline"})])
    with Run(yes, suite, trials=1) as running:
        running.play()
        assert any("answered nobody" in note for note in running.notes)
    with Run(yes, suite, trials=1, sandbox=Sandbox({"pay": yes})) as running:
        running.play()
        assert running.notes == ()
