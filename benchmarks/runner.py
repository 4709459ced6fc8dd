"""The runner: what it adds to a trial, its memory, and how much runs side by side.

    python benchmarks/runner.py

Prints, in one run: the milliseconds that each of 10,000 trivial trials takes, by the clock and of the
processor, beside grading alone; the memory in use after 1,000 to 10,000 trials; and how many times
faster 64 async trials of 50 ms run side by side than one after another.
"""

import asyncio
import gc
import resource
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from passhat.case import Case, Suite
from passhat.trace import Message, Trace
from passhat.trials.runs import Run

TRIALS = 10_000
SIDE_BY_SIDE, EACH = 64, 0.05
SUITE = Suite("s", [Case(f"c{n}", "ok?", response={"equals": "yes"}) for n in range(100)])
TRACE = Trace("t", steps=(Message("user", "ok?"), Message("assistant", "yes", request=0)))


async def trivial(case):
    return TRACE


def in_a_thread(case):
    return TRACE


async def waits(case):
    await asyncio.sleep(EACH)
    return "yes"


def played(agent, trials, folder, name, suite=SUITE, concurrency=8):
    """Seconds by the clock and of the processor, with a journal of that name (None for none)."""
    file = None if name is None else Path(folder) / name
    with Run(agent, suite, trials=trials, concurrency=concurrency, journal=file) as running:
        began, worked = time.perf_counter(), time.process_time()
        running.play()
        seconds, worked = time.perf_counter() - began, time.process_time() - worked
        count = sum(trial.passed for trial in running.results())
    assert count == trials * len(suite.cases), count
    return seconds, worked


def graded_alone():
    """Seconds that grading alone takes of a trial."""
    from passhat.grading import Grader

    grader, case = Grader(), SUITE.cases[0]
    grader.grade(TRACE, case)
    began = time.perf_counter()
    for _ in range(2000):
        grader.grade(TRACE, case)
    return (time.perf_counter() - began) / 2000


def overhead(folder):
    print(
        f"{TRIALS:,} trivial trials of {len(SUITE.cases)} cases: ms a trial, all told, clock and processor"
    )
    each = TRIALS // len(SUITE.cases)
    print(f"  {'grading alone':36} {1000 * graded_alone():8.3f}")
    for label, agent, name in (
        ("async agent, no journal", trivial, None),
        ("async agent, SQLite journal", trivial, "a.journal"),
        ("async agent, JSONL journal", trivial, "a.jsonl"),
        ("agent in a thread, SQLite journal", in_a_thread, "b.journal"),
    ):
        seconds, worked = played(agent, each, folder, name)
        clock, processor = 1000 * seconds / TRIALS, 1000 * worked / TRIALS
        print(f"  {label:36} {clock:8.3f} {processor:8.3f}")


def memory(folder):
    print("memory in use after so many trials, SQLite journal, MiB beyond the start")
    for each in (10, 50, 100):
        gc.collect()
        tracemalloc.start()
        file = Path(folder) / f"m{each}.journal"
        with Run(trivial, SUITE, trials=each, journal=file) as running:
            running.play()
            gc.collect()
            now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"  {each * len(SUITE.cases):7,} {now / 2**20:8.2f}   at most {peak / 2**20:8.2f}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  the process at most {most:.0f} MiB")


def side_by_side(folder):
    suite = Suite("w", [Case("c", "ok?", response={"equals": "yes"})])
    one = played(waits, SIDE_BY_SIDE, folder, "w1.journal", suite, concurrency=1)[0]
    many = played(waits, SIDE_BY_SIDE, folder, "w2.journal", suite, concurrency=SIDE_BY_SIDE)[0]
    print(f"{SIDE_BY_SIDE} async trials of {1000 * EACH:.0f} ms each")
    print(f"  one after another {one:6.3f} s, side by side {many:6.3f} s: {one / many:.1f} times")


def main():
    print(f"Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        overhead(folder)
        memory(folder)
        side_by_side(folder)


if __name__ == "__main__":
    main()
