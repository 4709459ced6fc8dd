"""Stopping when it is decided: e-values that are worth 1 at most, looks that cost nothing."""

import importlib.util
import random
import sys
from itertools import combinations, product
from math import comb, exp, log, prod
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, betaln

from passhat import EstimationError, UsageError
from passhat.reliability import LineTest
from passhat.reliability.evalues import log_e_value

BENCHMARK = Path(__file__).resolve().parents[3] / "benchmarks" / "sequential.py"


def tallied(values):
    return {value: values.count(value) for value in set(values)}


def ran(test, outcome):
    """The test after as many trials as it wants, each passing as `outcome(case_id, trial)` says."""
    for case_id, trial in test.order:
        if test.add(case_id, trial, outcome(case_id, trial)):
            break
    return test


@pytest.mark.parametrize(("s", "f"), [(0, 1), (1, 0), (12, 3), (40, 0), (3, 30), (200, 50)])
@pytest.mark.parametrize("line", [0.05, 0.5, 0.8, 0.99])
def test_of_trials_it_is_the_mixture_over_all_better_rates(s, f, line):
    mixed = betaln(s + 1, f + 1) + log(1 - betainc(s + 1, f + 1, line) or 1e-300)
    closed = mixed - log(1 - line) - s * log(line) - f * log(1 - line)
    if closed > -50:
        assert log_e_value({1.0: s, 0.0: f}, line, "above") == pytest.approx(closed, abs=1e-6)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.floats(0.05, 0.95))
def test_it_is_worth_1_at_most_for_unequal_cases_below_the_line(rates, line):
    mean = sum(rates) / len(rates)
    for side in ("above", "below"):
        holds = mean <= line if side == "above" else mean >= line
        worth = sum(
            prod(p if x else 1 - p for p, x in zip(rates, outcome, strict=True))
            * exp(log_e_value(tallied([float(x) for x in outcome]), line, side))
            for outcome in product((0, 1), repeat=len(rates))
        )
        if holds:
            assert worth <= 1 + 1e-9


@given(st.lists(st.floats(0, 1), min_size=4, max_size=5), st.data())
def test_so_is_that_of_a_part_drawn_at_random(rates, data):
    size = data.draw(st.integers(1, len(rates) - 1))
    line = min(max(sum(rates) / len(rates), 0.02), 0.98)
    if sum(rates) / len(rates) > line:
        return
    worth = 0.0
    for part in combinations(rates, size):
        for outcome in product((0, 1), repeat=size):
            chance = prod(p if x else 1 - p for p, x in zip(part, outcome, strict=True))
            values = tallied([float(x) for x in outcome])
            worth += chance * exp(log_e_value(values, line, "above")) / comb(len(rates), size)
    assert worth <= 1 + 1e-9


@pytest.mark.parametrize("estimand", ["kind-of-cases", "these-cases"])
@pytest.mark.parametrize("k", [1, 2])
def test_an_agent_that_always_passes_or_fails_is_settled_early(estimand, k):
    ids = [f"c{i}" for i in range(60)]
    good = ran(LineTest(0.8, ids, 5, k=k, estimand=estimand), lambda *_: True)
    bad = ran(LineTest(0.8, ids, 5, k=k, estimand=estimand), lambda *_: False)
    assert (good.side, bad.side) == ("above", "below")
    assert bad.taken < good.taken < good.planned / 2
    assert good.saved == 300 - good.taken
    assert good.interval().low > 0.8
    assert bad.interval().high < 0.8


@pytest.mark.parametrize("estimand", ["kind-of-cases", "these-cases"])
@given(seed=st.integers(0, 10**6), k=st.integers(1, 3))
def test_the_order_in_which_trials_end_changes_nothing(estimand, seed, k):
    rng = random.Random(seed)
    ids = ["a", "b", "c", "d", "e", "f"]
    outcomes = {(c, t): rng.choice([True, True, False, None]) for c in ids for t in range(4)}
    tests = [LineTest(0.3, ids, 4, k=k, estimand=estimand, seed=1) for _ in range(2)]
    for at in tests[0].order:
        tests[0].add(*at, outcomes[at])
    shuffled = list(outcomes)
    rng.shuffle(shuffled)
    for at in shuffled:
        tests[1].add(*at, outcomes[at])
    assert tests[0].side == tests[1].side
    assert tests[0].taken == tests[1].taken
    assert tests[0].interval() == tests[1].interval()


def test_failures_that_end_first_settle_nothing():
    test = LineTest(0.8, [f"c{i}" for i in range(100)], 2)
    later = [at for at in test.order if at[1] == 1]
    assert {test.add(*at, passed=False) for at in later} == {None}
    assert test.interval() == (0, 1)


def test_a_trial_that_does_not_count_is_taken_and_not_counted():
    ids = [f"c{i}" for i in range(50)]
    with_gaps = ran(LineTest(0.5, ids, 4, seed=3), lambda c, t: None if t == 0 else True)
    assert with_gaps.side == "above"
    assert with_gaps.taken > 50


@pytest.mark.parametrize("estimand", ["kind-of-cases", "these-cases"])
def test_it_is_held_to_a_baseline_case_by_case(estimand):
    ids = [f"c{i}" for i in range(200)]
    baseline = dict.fromkeys(ids, (5, 4))
    rng = random.Random(5)

    def held(rate):
        test = LineTest(-0.1, ids, 5, baseline=baseline, estimand=estimand)
        return ran(test, lambda *_: rng.random() < rate)

    same, worse = held(0.85), held(0.4)
    assert (same.side, worse.side) == ("above", "below")
    assert -0.1 < same.interval().low < 0.05 < same.interval().high < 0.3
    assert worse.interval().high < -0.1


def test_what_it_refuses():
    with pytest.raises(EstimationError, match="no cases"):
        LineTest(0.5, [], 3)
    with pytest.raises(EstimationError, match="line"):
        LineTest(1.0, ["a"], 3)
    with pytest.raises(EstimationError, match="trials"):
        LineTest(0.5, ["a"], 2, k=3)
    with pytest.raises(UsageError, match="twice"):
        LineTest(0.5, ["a", "a"], 3)
    with pytest.raises(UsageError, match="estimand"):
        LineTest(0.5, ["a"], 3, estimand="cases")
    with pytest.raises(EstimationError, match="no case 'b'"):
        LineTest(-0.1, ["a", "b"], 3, baseline={"a": (3, 3)})
    test = LineTest(0.5, ["a"], 3)
    test.add("a", 0, passed=True)
    for at in [("a", 0), ("a", 3), ("b", 0)]:
        with pytest.raises(UsageError, match="came before, or is not in the plan"):
            test.add(*at, passed=True)


@pytest.fixture(scope="module")
def simulation():
    spec = importlib.util.spec_from_file_location("sequential_benchmark", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.mark.slow
def test_it_is_rarely_wrong_and_saves_half_far_from_the_line(simulation, capsys):
    cells = list(simulation.table(runs=100, shapes=[(50, 5, 1), (50, 6, 3)]))
    with capsys.disabled():
        print("\n" + "\n".join(simulation.show(cells)))
    assert max(cell.wrong for cell in cells) <= 0.05
    assert sum(cell.wrong for cell in cells) / len(cells) <= 0.025
    far = [cell for cell in cells if cell.k == 1 and cell.rate in (0.99, 0.5)]
    assert len(far) == 8
    assert max(cell.used for cell in far) < 0.5
    assert min(cell.settled for cell in far) > 0.95
