"""The intervals for pass^k keep their level, for suites as small and as uneven as they come."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[3] / "benchmarks" / "calibration.py"


@pytest.fixture(scope="module")
def calibration():
    spec = importlib.util.spec_from_file_location("calibration", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    sys.modules["calibration"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["calibration"]


@pytest.mark.slow
def test_nominal_95_percent_intervals_cover(calibration, capsys):
    smooth = list(calibration.table(calibration.SMOOTH, runs=2000))
    mixed = list(calibration.table([calibration.MIXTURE], runs=2000))
    with capsys.disabled():
        print("\n" + "\n".join(calibration.show(smooth + mixed)))
    assert len(smooth) == 5 * 4 * 4
    assert min(cell.coverage for cell in smooth) >= 0.93
    assert sum(cell.coverage for cell in smooth) / len(smooth) >= 0.95
    assert min(cell.coverage for cell in mixed if cell.cases >= 50) >= 0.92
    # Not bought by width: never much wider than a normal interval whose spread is known, which
    # with 10 cases a t interval exceeds by 15 % already.
    for cell in smooth:
        assert cell.width <= cell.normal * (1.4 if cell.cases == 10 else 1.2)


def test_a_table_can_be_had_in_a_second(calibration):
    cell = calibration.simulate(calibration.MIXTURE, 50, 4, 2, runs=400)
    assert cell.coverage >= 0.92
    assert len(list(calibration.show([cell]))) == 3


def test_truths_are_those_of_the_rates(calibration):
    import numpy as np

    for rates in (*calibration.SMOOTH, calibration.MIXTURE):
        drawn = rates.draw(np.random.default_rng(1), (200_000, 1))
        assert float(np.mean(drawn**3)) == pytest.approx(rates.pass_hat(3), abs=0.005)
