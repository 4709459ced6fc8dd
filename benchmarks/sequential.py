"""Does stopping when it is decided keep its word, and what does it save? A simulation, as a table.

    python benchmarks/sequential.py                # about a minute
    python benchmarks/sequential.py --runs 200

Agents are drawn whose cases pass at rates from Beta(4r, 4(1 - r)), or all at r. Each is held to a
line and tested until it is settled on which side of it pass^k lies. `wrong` is the share of tests
that settled on the wrong side (for an agent on the line, on either); `used` is the share of the
planned trials that were run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from passhat.reliability import LineTest
from passhat.reliability.sequential import Estimand

LINE = 0.8
RATES = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
SHAPES = ((20, 5, 1), (50, 5, 1), (200, 5, 1), (50, 6, 3))
ESTIMANDS: tuple[Estimand, ...] = ("kind-of-cases", "these-cases")


@dataclass(frozen=True)
class Cell:
    """What many tests of one kind of agent came to; `wrong`, `settled` and `used` are shares."""

    estimand: Estimand
    cases: int
    trials: int
    k: int
    rate: float
    spread: bool
    truth: float
    wrong: float
    settled: float
    used: float


def simulate(
    estimand: Estimand, shape: tuple[int, int, int], rate: float, spread: bool, runs: int
) -> Cell:
    cases, trials, k = shape
    ids = [str(i) for i in range(cases)]
    rng = np.random.default_rng([cases, trials, k, round(1000 * rate), spread])
    truth = prod((4 * rate + i) / (4 + i) for i in range(k)) if spread else rate**k
    wrong = settled = taken = 0
    for seed in range(runs):
        rates = rng.beta(4 * rate, 4 * (1 - rate), cases) if spread else np.full(cases, rate)
        line = LINE**k
        test = LineTest(line, ids, trials, k=k, estimand=estimand, seed=seed)
        for case_id, trial in test.order:
            if test.add(case_id, trial, bool(rng.random() < rates[int(case_id)])):
                break
        real = truth if estimand == "kind-of-cases" else float(np.mean(rates**k))
        wrong += test.side is not None and (
            abs(real - line) < 1e-9 or (test.side == "above") != (real > line)
        )
        settled += test.side is not None
        taken += test.taken
    shares = (wrong / runs, settled / runs, taken / runs / (cases * trials))
    return Cell(estimand, *shape, rate, spread, truth, *shares)


def table(runs: int, shapes: Iterable[tuple[int, int, int]] = SHAPES) -> Iterator[Cell]:
    for estimand in ESTIMANDS:
        for shape in shapes:
            for spread in (False, True):
                for rate in RATES:
                    yield simulate(estimand, shape, rate, spread, runs)


def show(cells: Iterable[Cell]) -> Iterator[str]:
    yield f"{'estimand':14} {'cases':>5} {'trials':>6} {'k':>2} {'rates':>16} {'pass^k':>7} {'line':>6} {'settled':>8} {'wrong':>6} {'used':>6}"
    for cell in cells:
        rates = f"Beta, mean {cell.rate:g}" if cell.spread else f"all {cell.rate:g}"
        yield (
            f"{cell.estimand:14} {cell.cases:5} {cell.trials:6} {cell.k:2} {rates:>16} {cell.truth:7.3f}"
            f" {LINE**cell.k:6.3f} {cell.settled:8.1%} {cell.wrong:6.1%} {cell.used:6.1%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    for line in show(table(parser.parse_args().runs)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
