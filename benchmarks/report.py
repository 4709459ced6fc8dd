"""Reports of 10,000 trials: how long each form takes and how large it is, beside json.loads.

    python benchmarks/report.py [TRIALS]

Half of the trials fail, with an alignment of a dozen calls, a state's difference and a timeline of
twenty steps. `json` is what reading the same bytes with json.loads takes.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from passhat.reliability import read_results
from passhat.report import csv_report, html_report, junit_report, markdown_report, text_report
from passhat.result import CheckResult, Failure, TimelineStep, Trial, encode_trial
from passhat.trace import Usage

ALIGNMENT = "  expected  actual\n" + "\n".join(
    f"+           lookup_reservation(reservation_id='R{n}', verbose=True)" for n in range(12)
)
STATE = {"missed": [{"path": "orders[A1].status", "expected": "closed", "actual": "open"}]}
CLASSES = ("incomplete", "wrong_target", "policy_violation", "gave_up")


def trial(at: int) -> Trial:
    lost = at * 7919 % 10 < 5
    steps = [TimelineStep("message", 0, "user", f"Please look at R{at}. " * 8)]
    steps += [
        TimelineStep("call", 0, "lookup", f'{{"id":"R{n}"}}', result=f"row {n} " * 30, index=n)
        for n in range(20)
    ]
    extra = {
        "mode": "superset", "matched": ["lookup"], "missing": ["refund"], "extra": ["lookup"] * 11,
        "near": [], "alignment": ALIGNMENT,
    }  # fmt: skip
    results = (
        CheckResult("trajectory", "failed" if lost else "passed", float(not lost),
                    "refund(...) was not called" if lost else "", extra if lost else {}),
        CheckResult("final_state", "failed" if lost else "passed", float(not lost), "",
                    STATE if lost else {}),
        CheckResult("error_rate", "passed", 0.0, "", {"hits": 0, "of": 12}, required=False),
    )  # fmt: skip
    return Trial(
        f"case-{at // 10}", at % 10, f"trace-{at}", "failed" if lost else "passed", results,
        "trajectory: refund(...) was not called" if lost else "",
        Usage(1_000 + at % 500, 300, cost=0.01 + at % 50 / 1e4), 3.0 + at % 7,
        {"tool_calls": 12.0, "turns": 3.0, "requests": 8.0, "tool_errors": 0.0},
        (f"kind-{at % 12}",), {"model": "m"},
        CLASSES[at % 4] if lost else None,
        Failure(check="trajectory", reason="not called: refund") if lost else None,
        tuple(steps) if lost else (),
    )  # fmt: skip


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.jsonl")
        with path.open("wb") as file:
            for at in range(trials):
                file.write(encode_trial(trial(at)) + b"\n")
        size = path.stat().st_size
        began = time.perf_counter()
        for line in path.read_bytes().splitlines():
            json.loads(line)
        unit = time.perf_counter() - began
        print(f"{trials:,} trials, {size / 1e6:.1f} MB of results; json.loads {unit:.2f} s")
        began = time.perf_counter()
        results = read_results(path)
        summary = results.summary()
        read = time.perf_counter() - began
        print(f"read and sum up  {read:6.2f} s  {read / unit:5.1f} x json")
        forms = {
            "text": lambda: text_report(summary, failed=results),
            "md": lambda: markdown_report(summary, failed=results),
            "junit": lambda: junit_report(results),
            "csv": lambda: csv_report(results),
            "html": lambda: html_report(results, summary=summary),
        }
        for name, write in forms.items():
            began = time.perf_counter()
            text = write()
            took = time.perf_counter() - began
            large = len(text.encode()) / 1e6
            print(f"{name:<15}  {took:6.2f} s  {(read + took) / unit:5.1f} x json with reading"
                  f"  {large:6.2f} MB")  # fmt: skip


if __name__ == "__main__":
    main()
