"""pass^k against the fault rate: the rates that are asked for, nested draws, tables, journals."""

import json

import pytest

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.report.sweep import sweep_markdown, sweep_text
from passhat.surroundings import Fault, faults_of
from passhat.trials.injecting import Injector
from passhat.trials.sandbox import Sandbox
from passhat.trials.sweeping import fault_sweep, with_fault_rate

SUITE = Suite("s", [Case(f"c{n}", f"ping {n}", response={"includes": ["pong"]}) for n in range(6)])


def ping(n: int):
    return f"pong {n}"


def agent(case, tools):
    for _ in range(2):
        said = tools.answer("ping", {"n": int(case.input.split()[1])})
        if not said.startswith("Error"):
            return said
    return "Sorry, it did not work."


@pytest.mark.parametrize("kinds", [["timeout"], ["timeout", "empty", "huge"]])
@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_every_call_is_struck_with_that_chance_by_each_kind_alike(kinds, rate):
    faults = faults_of(with_fault_rate(SUITE, rate, kinds).cases[0].faults)
    injector = Injector(faults, seed=5)
    n = 9_000
    struck = [injector.strike("ping", {"n": i}) for i in range(n)]
    counts = [sum(s is not None and s.fault.kind == kind for s in struck) for kind in kinds]
    for count in counts:
        assert abs(count / n - rate / len(kinds)) < 0.03
    if rate in (0.0, 1.0):
        assert sum(counts) == rate * n


def test_a_call_struck_at_one_rate_is_struck_at_every_higher_one():
    before: set[int] = set()
    for rate in (0.1, 0.2, 0.4, 0.8):
        injector = Injector(faults_of(with_fault_rate(SUITE, rate).cases[0].faults), seed=1)
        struck = {i for i in range(500) if injector.strike("ping", {"n": i}) is not None}
        assert before <= struck
        before = struck


def test_a_cases_own_faults_go_before():
    own = Fault("ping", "empty", when=1)
    (case,) = with_fault_rate(Suite("s", [Case("a", faults=[own])]), 0.1).cases
    assert faults_of(case.faults)[0] == own
    assert len(case.faults) == 5


def test_pass_hat_k_falls_with_the_rate(tmp_path):
    sweep = fault_sweep(
        agent,
        SUITE,
        [0.4, 0, 0.9],
        trials=6,
        sandbox=Sandbox([ping]),
        ks=[1, 2],
        journal=tmp_path / "run.journal",
    )
    first = [point.summary.pass_hat_k[1] for point in sweep.points]
    assert first[0] == 1.0
    assert first[0] > first[1] > first[2]
    assert [point.rate for point in sweep.points] == [0.0, 0.4, 0.9]
    # Both tries of a trial must be struck for it to fail.
    assert abs(first[1] - (1 - 0.4**2)) < 0.2
    assert abs(first[2] - (1 - 0.9**2)) < 0.2
    assert sweep.points[0].summary.faults is None
    assert sweep.points[2].summary.faults.trials > 25
    assert {path.name for path in tmp_path.glob("*.journal")} == {
        "run.faults-0.journal",
        "run.faults-0.4.journal",
        "run.faults-0.9.journal",
    }
    text = sweep_text(sweep, width=110)
    assert "pass^k against the fault rate" in text
    assert text.count("\n") == 5
    assert sweep_markdown(sweep).count("\n") == 7
    assert json.loads(sweep.to_json())["points"][1]["rate"] == 0.4


def test_the_same_seed_gives_the_same_sweep():
    def once(seed):
        sweep = fault_sweep(agent, SUITE, [0.5], trials=4, sandbox=Sandbox([ping]), seed=seed)
        return [case.c for case in sweep.points[0].summary.cases]

    assert once(3) == once(3)
    assert once(3) != once(4) or once(3) != once(5)


@pytest.mark.parametrize("rates", [[], [-0.1], [1.5]])
def test_rates_are_chances(rates):
    with pytest.raises(UsageError, match="fault rate"):
        fault_sweep(agent, SUITE, rates, sandbox=Sandbox([ping]))


def test_what_cannot_be_is_told():
    with pytest.raises(UsageError, match="give one"):
        fault_sweep(agent, SUITE, [0.1], sandbox=None)
    with pytest.raises(UsageError, match="did you mean timeout"):
        with_fault_rate(SUITE, 0.1, ["timeot"])
    with pytest.raises(UsageError, match="at least one kind"):
        with_fault_rate(SUITE, 0.1, [])
