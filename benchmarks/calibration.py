"""Do the intervals for pass^k keep their level? A simulation, printed as a table.

    python benchmarks/calibration.py                      # method auto, about a minute
    python benchmarks/calibration.py --method bca --runs 200

Suites are drawn from a known distribution of case rates, so that the true pass^k is known, and each
interval either holds it or does not. Each cell of the table tells how often it did, the mean width of
the intervals, and in brackets the width of `estimate ± z·sd` if the spread of the estimate were
known, which it never is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from passhat.reliability import interval_pass_hat_k, pass_hat_k
from passhat.reliability.intervals import normal_quantile
from passhat.reliability.mean_intervals import Method

Draw = Callable[[np.random.Generator, tuple[int, int]], npt.NDArray[np.float64]]

CASES = (10, 25, 50, 200)
TRIALS_AND_DRAWS = ((3, 3), (4, 2), (8, 1), (8, 4))


@dataclass(frozen=True)
class Rates:
    """How the chance to pass is spread over cases."""

    name: str
    draw: Draw
    pass_hat: Callable[[int], float]


def beta(a: float, b: float) -> Rates:
    return Rates(
        f"Beta({a:g}, {b:g})",
        lambda rng, shape: rng.beta(a, b, shape),
        lambda k: prod((a + i) / (a + b + i) for i in range(k)),
    )


def always(p: float) -> Rates:
    return Rates(f"{p:g}", lambda _, shape: np.full(shape, p), lambda k: p**k)


def two_kinds(often: float, rare: float, share: float) -> Rates:
    return Rates(
        f"{often:g}, or {rare:g} for {share:g}",
        lambda rng, shape: np.where(rng.random(shape) < share, rare, often),
        lambda k: (1 - share) * often**k + share * rare**k,
    )


SMOOTH = (beta(2, 1), beta(4, 1), beta(8, 2), beta(0.6, 0.4), always(0.8))
MIXTURE = two_kinds(0.98, 0.1, 0.1)


@dataclass(frozen=True)
class Cell:
    """What came of one setting."""

    cases: int
    n: int
    k: int
    rates: str
    coverage: float
    width: float
    normal: float


def simulate(
    rates: Rates,
    cases: int,
    n: int,
    k: int,
    *,
    runs: int,
    seed: int = 0,
    method: Method = "auto",
    confidence: float = 0.95,
) -> Cell:
    """The coverage and widths of the intervals of `runs` suites of that kind."""
    rng = np.random.default_rng((seed, cases, n, k))
    passed = rng.binomial(n, rates.draw(rng, (runs, cases)))
    truth = rates.pass_hat(k)
    estimates = np.array([pass_hat_k(n, c, k) for c in range(n + 1)])[passed].mean(axis=1)
    covered, widths = 0, []
    for row in passed.tolist():
        counts = [(n, c) for c in row]
        low, high = interval_pass_hat_k(counts, k, confidence, method, seed)
        covered += low <= truth <= high
        widths.append(high - low)
    normal = 2 * normal_quantile(confidence) * float(np.std(estimates))
    return Cell(cases, n, k, rates.name, covered / runs, float(np.mean(widths)), normal)


def table(
    all_rates: Iterable[Rates], *, runs: int, seed: int = 0, method: Method = "auto"
) -> Iterator[Cell]:
    """Each kind of rates with each number of cases, trials and draws."""
    for rates in all_rates:
        for cases in CASES:
            for n, k in TRIALS_AND_DRAWS:
                yield simulate(rates, cases, n, k, runs=runs, seed=seed, method=method)


def show(cells: Iterable[Cell]) -> Iterator[str]:
    """The lines of a Markdown table, one per kind of rates and number of cases."""
    settings = " | ".join(f"n={n}, k={k}" for n, k in TRIALS_AND_DRAWS)
    yield f"| case rates | cases | {settings} |"
    yield "|---|---:|" + "---|" * len(TRIALS_AND_DRAWS)
    rows: dict[tuple[str, int], list[str]] = {}
    for cell in cells:
        text = f"{cell.coverage:.1%}, {cell.width:.3f} ({cell.normal:.3f})"
        rows.setdefault((cell.rates, cell.cases), []).append(text)
    for (rates, cases), texts in rows.items():
        yield f"| {rates} | {cases} | " + " | ".join(texts) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage and width of intervals for pass^k.")
    parser.add_argument("--runs", type=int, default=4000, help="suites per setting")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--method", choices=("auto", "t", "percentile", "bca"), default="auto")
    options = parser.parse_args()
    cells = list(
        table((*SMOOTH, MIXTURE), runs=options.runs, seed=options.seed, method=options.method)
    )
    print("\n".join(show(cells)))
    smooth = [cell for cell in cells if cell.rates != MIXTURE.name]
    least = min(cell.coverage for cell in smooth)
    mean = sum(cell.coverage for cell in smooth) / len(smooth)
    print(f"\nWithout the mixture: least {least:.1%}, mean {mean:.1%}.")


if __name__ == "__main__":
    main()
