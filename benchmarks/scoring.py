"""How fast recordings are scored, and what memory that takes.

    python benchmarks/scoring.py

Prints, in one run: scoring a JSONL file of traces (trajectory, forbidden calls, budget) beside
`json.loads` on the same bytes; 2,000 cases that have tools of their own each; a whole `passhat score`
on a small file; the highest memory on 10,000 and on 100,000 traces; and the 200 airline recordings of
tau-bench, where `PASSHAT_SHARED` or `../shared` has them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from passhat import Case, Suite, Trace
from passhat.grading import Grader
from passhat.scoring import Scoring
from passhat.testing import call, calls, result, says, trace_of, user
from passhat.trace import encode_trace

CHECKS = ["trajectory", "forbidden_calls", "budget"]
CASES = 50
SUITE = Suite(
    "benchmark",
    [
        Case(
            f"case-{number}",
            expected_calls=[
                {"name": f"tool_{at}", "args": {"id": f"A{number}", "n": at}} for at in range(10)
            ],
            forbidden_calls=["delete_everything"],
            budget={"tool_calls": 20},
        )
        for number in range(CASES)
    ],
)


def trace(number: int, wrong: int = 5, how: str = "left out") -> Trace:
    """A run of ten calls, of which one in so many has one that is not as expected; none with 0."""
    case = number % CASES
    other = number // CASES % 10 if wrong and number % wrong == 0 else -1
    steps = [user(f"Please do {case}.")]
    for at in range(10):
        if at == other and how == "left out":
            continue
        steps.append(calls(call(f"tool_{at}", id=f"A{case}", n=-1 if at == other else at)))
        steps.append(result({"ok": True, "rows": [1, 2, 3]}))
    made = trace_of(*steps, says("Done."), id=f"t{number}", case_id=f"case-{case}")
    assert isinstance(made, Trace)
    return made


def write(path: Path, count: int, wrong: int = 5, how: str = "left out") -> None:
    lines = [encode_trace(trace(number, wrong, how)) for number in range(CASES * 5)]
    with path.open("wb") as file:
        for number in range(count):
            line = lines[number % len(lines)]
            file.write(line.replace(b'"id":"t', b'"id":"%d-t' % number, 1) + b"\n")


def scored(path: Path, **options: object) -> Iterator[object]:
    return iter(Scoring([path], **options))  # type: ignore[arg-type]


def seconds(action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    began = clock()
    action()
    return clock() - began


def processor(action: Callable[[], object]) -> float:
    """The least processor time of five runs, in seconds."""
    return min(seconds(action, time.process_time) for _ in range(5))


def beside_json(folder: Path) -> None:
    for wrong, how, said in (
        (0, "left out", "all as expected"),
        (5, "left out", "one in five leaves a call out"),
        (2, "left out", "one in two leaves a call out"),
        (1, "left out", "each leaves a call out"),
        (5, "wrong", "one in five has a wrong argument"),
        (1, "wrong", "each has a wrong argument"),
    ):
        path = folder / "traces.jsonl"
        write(path, 5_000, wrong, how)
        lines = path.read_bytes().splitlines()

        def loads(lines: list[bytes] = lines) -> None:
            for line in lines:
                json.loads(line)

        def score(checks: list[str] | None, path: Path = path) -> None:
            for _ in scored(path, suite=SUITE, checks=checks, format="passhat"):
                pass

        base = processor(loads)
        three, whole = processor(lambda: score(CHECKS)), processor(lambda: score(None))
        target = "  (target: 3 x)" if wrong in (0, 5) else ""
        print(f"5,000 traces of ten calls, {path.stat().st_size / 1e6:.1f} MB, {said}")
        print(f"  json.loads                           {base:7.3f} s")
        print(
            f"  trajectory, forbidden calls, budget  {three:7.3f} s  {three / base:4.1f} x{target}"
        )
        print(f"  every check that informs as well     {whole:7.3f} s  {whole / base:4.1f} x")


def own_tools() -> None:
    """Cases of which each has tools of its own, so that no schema is asked of twice."""
    for amount, said in ((5, "right"), ("5", "wrong")):
        pairs = []
        for number in range(2_000):
            made = call("refund", order_id=f"A{number}", amount=amount)
            run = trace_of(calls(made), says("Done."))
            assert isinstance(run, Trace)
            pairs.append((run, Case(f"c{number}", tools={"refund": schema(number)})))

        def score(grader: Grader, pairs: list[tuple[Trace, Case]] = pairs) -> None:
            for run, case in pairs:
                grader.grade(run, case)

        taken = seconds(lambda score=score: score(Grader(["schema_valid"])), time.process_time)
        print(f"schema_valid of 2,000 cases, each with a tool of its own, {said}  {taken:.2f} s")


def schema(number: int) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {
            "order_id": {"type": "string", "pattern": "^A[0-9]+$"},
            "amount": {"type": "number", "minimum": 0, "maximum": 1_000 + number},
            "reason": {"enum": ["late", "broken", None]},
        },
        "required": ["order_id", "amount"],
        "additionalProperties": False,
    }


MEASURE = """
import re, resource, sys
sys.path.insert(0, sys.argv[1])
import scoring
from pathlib import Path
from passhat.reliability import Summariser
summary = Summariser()
for item in scoring.scored(Path(sys.argv[2]), suite=scoring.SUITE, format="passhat"):
    summary.add(item)
status = Path("/proc/self/status")
if status.exists():
    print(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1])
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
"""On Linux what `getrusage` tells begins at the size of the process that started this one."""


def memory(folder: Path) -> None:
    print("highest memory of a process that scores (target: hardly more with more traces)")
    for count in (1_000, 10_000, 100_000):
        path = folder / f"{count}.jsonl"
        write(path, count)
        arguments = [sys.executable, "-c", MEASURE, str(Path(__file__).parent), str(path)]
        taken = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
        print(
            f"  {count:>7,} traces, {path.stat().st_size / 1e6:6.1f} MB  {int(taken) / 1024:6.0f} MB"
        )


def command(folder: Path) -> None:
    path = folder / "small.jsonl"
    write(path, 20)
    arguments = [
        str(Path(sys.executable).parent / "passhat"),
        "score",
        str(path),
        "--checks",
        "loops",
    ]
    taken = min(seconds(lambda: subprocess.run(arguments, stdout=-3)) for _ in range(3))
    print(f"passhat score on 20 traces, start to end  {taken:.2f} s  (target: 2 s)")


def airline() -> None:
    shared = Path(os.environ.get("PASSHAT_SHARED", Path(__file__).parents[2] / "shared"))
    path = shared / "real" / "tau_airline" / "runs.json"
    if not path.exists():
        print("200 airline recordings: not at hand")
        return

    def ours() -> None:
        for _ in scored(path, success="reward", format="tau-bench"):
            pass

    taken = min(seconds(ours) for _ in range(3))
    print(f"200 airline recordings, 4 MB, after start-up  {taken:.2f} s  (target: 1 s)")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        beside_json(Path(name))
        own_tools()
        command(Path(name))
        memory(Path(name))
    airline()
