"""The sandbox: what it adds to a call of a tool, and how that grows with the state.

    python benchmarks/sandbox.py

Prints, in one run, the microseconds of a call of a trivial function through a sandbox beside the bare
function, with and without tracking what calls change, for states of several sizes; of a call that
changes the state; and what the beginning of a trial costs, which copies the state.
"""

import sys
import time

from passhat.case import Case
from passhat.trials.sandbox import Sandbox

CALLS = 200
ROWS = (0, 100, 1_000, 10_000)
CASE = Case("c")


def look(state, order: str):
    return state["orders"].get(order)


def change(state, order: str):
    state["orders"][order] = {"status": "changed"}
    return "done"


def state_of(rows):
    return {"orders": {f"A{n}": {"status": "open", "total": n} for n in range(rows)}}


def each(work, times):
    began = time.perf_counter()
    for _ in range(times):
        work()
    return 1e6 * (time.perf_counter() - began) / times


def row(rows):
    state = state_of(rows)
    sandbox = Sandbox([look, change], state)
    tools = sandbox.begin(CASE)
    loose = Sandbox([look, change], state, track=False).begin(CASE)
    few = CALLS if rows < 10_000 else 20
    numbers = iter(range(10**9))
    return (
        each(lambda: look(state, "A1"), CALLS),
        each(lambda: tools["look"](order="A1"), few),
        each(lambda: loose["look"](order="A1"), CALLS),
        each(lambda: tools["change"](order=f"B{next(numbers)}"), few),
        each(lambda: sandbox.begin(CASE).close(), few),
    )


def main():
    print(f"Python {sys.version.split()[0]}; microseconds each")
    print(f"{'rows':>7} {'bare':>8} {'looks':>9} {'untracked':>10} {'changes':>10} {'begin':>10}")
    for rows in ROWS:
        bare, looks, untracked, changes, begin = row(rows)
        print(f"{rows:7,} {bare:8.2f} {looks:9.1f} {untracked:10.1f} {changes:10.1f} {begin:10.1f}")


if __name__ == "__main__":
    main()
