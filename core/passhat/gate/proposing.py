"""A policy proposed from a baseline, with the reason for each rule beside it."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

from passhat.compare import Difference, Measured, Metric, Tallies, measured
from passhat.errors import InputError, UsageError
from passhat.gate.hard import hard_outcome
from passhat.gate.policy import CONFIDENCE, POLICY_SCHEMA, HardRule
from passhat.gate.profiles import HARD_CHECKS
from passhat.reliability import Results
from passhat.reliability.counts import whole
from passhat.reliability.wording import bound_text, counted, percent, share_text

POWER = 0.8
_DRAWS = 200
_K = 3
_WIDE = 0.1


def proposed_policy(baseline: Results, *, seed: int = 0, name: str = "the baseline") -> str:
    """A policy file that fits a baseline, as YAML with comments.

    The margin of a rule is the least whole number of points at which an agent that did not change
    is accepted four times in five, given how many cases and trials there are and how they vary.

    Args:
        baseline: The results of the agent that is to be kept up with.
        seed: For the draws that the margins rest on.
        name: What to call the baseline.

    Raises:
        InputError: No trial was judged.

    >>> from passhat.result import Trial
    >>> trials = [
    ...     Trial(f"c{case}", trial, f"{case}/{trial}", "failed" if case % 5 == trial else "passed")
    ...     for case in range(100)
    ...     for trial in range(5)
    ... ]
    >>> print(proposed_policy(Results(tuple(trials))).splitlines()[-6])
    soft:
    """
    tallies = Tallies.of(baseline, name)
    if not tallies.n:
        raise InputError(f"{name}: no trial was judged, so there is nothing to propose")
    return "\n".join(_lines(tallies, whole(seed, "seed", least=0))) + "\n"


def _lines(tallies: Tallies, seed: int) -> Iterator[str]:
    yield f"# Proposed from {counted(tallies.n, 'trial')} of {counted(len(tallies.counted), 'case')}."
    yield f"schema: {POLICY_SCHEMA}"
    yield "estimate: kind-of-cases   # these-cases, where the cases are all the work there is"
    yield f"confidence: {CONFIDENCE}"
    yield "on_inconclusive: fail     # warn, to let pass what cannot be told"
    hard = list(_hard(tallies))
    if any(not line.startswith("  #") for line in hard):
        yield ""
        yield "# One failure rejects."
        yield "hard:"
        yield from hard
    elif hard:
        yield ""
        yield from (line.strip() for line in hard)
    yield ""
    yield "# Margins at which an unchanged agent is accepted four times in five."
    yield "soft:"
    yield from _soft(tallies, seed)


def _hard(tallies: Tallies) -> Iterator[str]:
    for key in HARD_CHECKS:
        if key not in tallies.check_keys:
            continue
        found = hard_outcome(HardRule(key), tallies, CONFIDENCE)
        if found.failures:
            yield (
                f"  # {key}: the baseline itself failed it in {counted(found.failures, 'trial')} of "
                f"{found.trials:,}, so it is no hard rule yet"
            )
        elif found.bound is not None:
            yield (
                f"  - check: {key}   # none in {counted(found.cases, 'case')}: fewer than "
                f"{bound_text(found.bound)} have one, at {percent(CONFIDENCE)}"
            )


def _soft(tallies: Tallies, seed: int) -> Iterator[str]:
    yield from _rule(tallies, "success_rate", "fail", seed)
    least = min(tallies.cases[name].n for name in tallies.counted)
    if least >= 2:
        yield from _rule(tallies, f"pass_hat_k.{min(_K, least)}", "warn", seed)
    try:
        cost = measured(Metric.of("efficiency.cost_per_success"), tallies)
    except UsageError:
        return
    yield f"  - metric: efficiency.cost_per_success   # {cost.value:.4g} in the baseline"
    yield "    relative_margin: 0.2"
    yield "    severity: warn"


def _rule(tallies: Tallies, name: str, severity: str, seed: int) -> Iterator[str]:
    metric = Metric.of(name)
    value = measured(metric, tallies).value
    margin = _margin(tallies, metric, seed)
    yield f"  - metric: {name}   # {share_text(value)} in the baseline"
    wide = (
        "   # wide, for so few cases or trials: passhat plan tells how many more"
        if margin > _WIDE
        else ""
    )
    yield f"    margin: {margin:.2f}{wide}"
    if severity == "warn":
        yield f"    severity: {severity}"


def _margin(tallies: Tallies, metric: Metric, seed: int) -> float:
    """The margin, in whole points, that an unchanged agent keeps four times in five."""
    import numpy as np

    draws: Any = np.random.default_rng(seed)
    counts = tallies.counts(tallies.counted)
    trials = np.asarray([one.n for one in counts])
    # Drawn towards the mean, as the rate of one case is known from its few trials alone.
    mean = sum(one.c for one in counts) / sum(one.n for one in counts)
    rates = np.asarray([(one.c + mean) / (one.n + 1) for one in counts])
    ends = []
    for _ in range(_DRAWS):
        base, new = (_drawn(tallies, metric, draws.binomial(trials, rates)) for _ in range(2))
        found = Difference(base, new).interval(2 * CONFIDENCE - 1)
        ends.append(1.0 if found is None else -found.low)
    ends.sort()
    points = ceil(100 * ends[ceil(POWER * _DRAWS) - 1])
    return min(0.99, max(0.01, points / 100))


def _drawn(tallies: Tallies, metric: Metric, passes: Any) -> Measured:
    drawn = Tallies.of_counts(
        (name, tallies.cases[name].n, int(c))
        for name, c in zip(tallies.counted, passes, strict=True)
    )
    return measured(metric, drawn)
