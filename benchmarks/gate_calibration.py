"""How often does a gate accept, reject or say that it cannot tell? A simulation, as a table.

    python benchmarks/gate_calibration.py                 # 2,000 gates a line, about a minute
    python benchmarks/gate_calibration.py --gates 200

A baseline whose truth is known and a new run of the same cases are drawn, and the default policy
decides between them. In each suite the new agent is as good as the baseline, or passes 5 points
less often, which is just as much as the policy lets pass, or 15 points less often.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from passhat.compare import Tallies
from passhat.gate import Policy, decide_tallies

Rates = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, float], tuple[Rates, Rates]]

RATE = 0.8
SIZES = ((20, 1), (20, 5), (50, 5), (100, 5), (200, 1), (200, 5))
FEW_SIZES = ((20, 5), (200, 5))
DROPS = (0.0, 0.05, 0.15)


def alike(_: np.random.Generator, cases: int, drop: float) -> tuple[Rates, Rates]:
    """Every case passes at one and the same rate."""
    return np.full(cases, RATE), np.full(cases, RATE - drop)


def spread(draws: np.random.Generator, cases: int, drop: float) -> tuple[Rates, Rates]:
    """Cases differ much, as a beta distribution does; each loses its share."""
    base = draws.beta(1.6, 0.4, cases)
    return base, base * (1 - drop / RATE)


def broken(draws: np.random.Generator, cases: int, drop: float) -> tuple[Rates, Rates]:
    """The drop is of some cases alone, which never pass any more."""
    base = np.full(cases, RATE)
    return base, np.where(draws.random(cases) < drop / RATE, 0.0, base)


KINDS: dict[str, Draw] = {
    "alike": alike,
    "differ": spread,
    "some break": broken,
}


@dataclass(frozen=True)
class Line:
    """What a gate decided, as shares of all gates."""

    kind: str
    cases: int
    trials: int
    drop: float
    accept: float
    reject: float

    @property
    def inconclusive(self) -> float:
        """How often it could not tell."""
        return 1 - self.accept - self.reject


def simulated(
    kind: str,
    cases: int,
    trials: int,
    drop: float,
    *,
    gates: int,
    seed: int = 0,
    policy: Policy | None = None,
) -> Line:
    """How often the gates of one kind of suite decide what."""
    asked = policy or Policy(profile="production")
    draws = np.random.default_rng([seed, cases, trials, round(1000 * drop), len(kind)])
    verdicts = {"accept": 0, "reject": 0, "inconclusive": 0}
    names = [f"c{number}" for number in range(cases)]
    for _ in range(gates):
        before, after = KINDS[kind](draws, cases, drop)
        base, new = (
            Tallies.of_counts(
                (name, trials, int(c))
                for name, c in zip(names, draws.binomial(trials, rates), strict=True)
            )
            for rates in (before, after)
        )
        verdicts[decide_tallies(new, asked, base).verdict] += 1
    return Line(kind, cases, trials, drop, verdicts["accept"] / gates, verdicts["reject"] / gates)


def questions() -> Iterator[tuple[str, int, int, float]]:
    """What the table asks: a kind of suite, its cases, its trials and the drop."""
    for kind in KINDS:
        for cases, trials in SIZES if kind == "alike" else FEW_SIZES:
            for drop in DROPS:
                if kind != "some break" or drop:
                    yield kind, cases, trials, drop


def lines(gates: int, seed: int = 0) -> Iterator[Line]:
    """The lines of the table."""
    for asked in questions():
        yield simulated(*asked, gates=gates, seed=seed)


HEAD = (
    "| cases | cases x trials | true drop | accept | inconclusive | reject |\n"
    "| --- | --- | ---: | ---: | ---: | ---: |"
)


def row(line: Line) -> str:
    """A line of the table."""
    shares = " | ".join(
        f"{100 * share:.1f} %" for share in (line.accept, line.inconclusive, line.reject)
    )
    size = f"{line.cases} x {line.trials}"
    return f"| {line.kind} | {size} | {100 * line.drop:.0f} points | {shares} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="How often a gate decides what.")
    parser.add_argument("--gates", type=int, default=2000, help="simulated gates a line")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(HEAD)
    for line in lines(options.gates, options.seed):
        print(row(line), flush=True)


if __name__ == "__main__":
    main()
