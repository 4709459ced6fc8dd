"""How long a gate takes on many trials, beside `json.loads` of the same bytes.

    python benchmarks/gating.py                  # 100,000 trials
    python benchmarks/gating.py --trials 20000

Results of a run and of its baseline are written, as `passhat score -o` does, and gated: read from
their files, gathered by case, compared and decided by a policy of hard and soft rules.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from passhat.compare import compare_results
from passhat.gate import decide
from passhat.reliability import read_results, results_writer
from passhat.result import CheckResult, Trial
from passhat.trace import Usage

POLICY = {
    "hard": ["forbidden_calls", "policies"],
    "soft": [
        {"metric": "success_rate", "margin": 0.05},
        {"metric": "pass_hat_k.3", "margin": 0.1, "severity": "warn"},
        {"metric": "checks.trajectory.mean", "min": 0.5},
        {"metric": "rates.schema_valid", "min": 0.5},
        {"metric": "efficiency.cost_per_success", "relative_margin": 0.2},
        {"metric": "efficiency.seconds.p95", "max": 60, "severity": "warn"},
    ],
}


def written(path: Path, trials: int, seed: int) -> None:
    """Results of trials with five checks each, five trials a case."""
    draws = random.Random(seed)
    with results_writer(path) as writer:
        for number in range(trials):
            case, trial = divmod(number, 5)
            ok = draws.random() < 0.8
            hits = draws.randrange(3, 6)
            writer.write(
                Trial(
                    f"case-{case}",
                    trial,
                    f"{seed}-{number}",
                    "passed" if ok else "failed",
                    (
                        CheckResult.of("trajectory", ok, "" if ok else "missing refund"),
                        CheckResult.of("forbidden_calls", True),
                        CheckResult.of("policies", True),
                        CheckResult(
                            "schema_valid", "passed", hits / 5, "", {"hits": hits, "of": 5}
                        ),
                        CheckResult.not_evaluated("approval", "nothing needs an approval"),
                    ),
                    usage=Usage(1000, 200, cost=draws.uniform(0.01, 0.03)),
                    seconds=draws.uniform(1, 20),
                    measures={"tool_calls": 3.0, "tool_errors": 0.0, "turns": 1.0},
                    tags=("refund",) if case % 3 else ("lookup",),
                    pins={"model": "m", "suite": "s"},
                )
            )


def timed(what: str, work, loads: float | None = None) -> float:
    began, busy = time.perf_counter(), time.process_time()
    work()
    took = time.perf_counter() - began
    busy = time.process_time() - busy
    beside = "" if loads is None else f"   {took / loads:5.1f} x json.loads of both files"
    print(f"{what:44} {took:7.2f} s ({busy:.2f} s of one core){beside}", flush=True)
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description="How long a gate takes.")
    parser.add_argument("--trials", type=int, default=100_000)
    trials = parser.parse_args().trials
    with tempfile.TemporaryDirectory() as folder:
        base, new = Path(folder, "base.jsonl"), Path(folder, "new.jsonl")
        written(base, trials, 1)
        written(new, trials, 2)
        size = sum(path.stat().st_size for path in (base, new)) / 1e6
        print(
            f"{trials:,} trials and a baseline of as many, {size:.0f} MB, Python {sys.version.split()[0]}"
        )

        def loads() -> None:
            for path in (base, new):
                for line in path.read_bytes().splitlines():
                    json.loads(line)

        plain = timed("json.loads of both files", loads)
        timed(
            "gate without a baseline, a profile",
            lambda: decide(read_results(new), "production"),
            plain,
        )
        timed(
            "gate with a baseline, two hard, six soft",
            lambda: decide(read_results(new), POLICY, read_results(base)),
            plain,
        )
        timed("compare", lambda: compare_results(read_results(base), read_results(new)), plain)


if __name__ == "__main__":
    main()
