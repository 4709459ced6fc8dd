"""How long origins and claims take, beside `json.loads` of the same trace, and how that grows.

    python benchmarks/provenance.py
    python benchmarks/provenance.py --runs runs.json   # Recorded runs as well, each once

Times are of the process, the best of some; a trace is new each time, so that nothing is remembered.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from passhat.adapter import read_traces
from passhat.case import Case
from passhat.grading import build_check
from passhat.provenance import trace_arguments
from passhat.trace import ToolCall, Trace, TraceBuilder

CASE = Case("c", writes=("cancel_order", "issue_refund"))


def orders(
    calls: int,
    *,
    amounts: tuple[int, int] | None = None,
    cents: bool = False,
    ids: bool = False,
    items: int = 0,
) -> Trace:
    """A run that looks up order after order; its calls may hold amounts and ids from nowhere.

    Args:
        calls: How many calls.
        amounts: Between what each call's amount from nowhere lies.
        cents: Whether the prices in the results have cents too.
        ids: Whether each call holds a made-up id.
        items: How many items each result holds.
    """
    draws = random.Random(7)
    build = TraceBuilder("t")
    build.system("You help the customers of a shop. Today is 2024-05-15.")
    build.user("I am user_12, my order A1000 is broken: refund $150 to card_77 by May 20, please.")
    for number in range(calls):
        args: dict[str, Any] = {"order_id": f"A{1000 + number}", "user_id": "user_12"}
        if amounts:
            args["amount"] = round(draws.uniform(*amounts), 2)
        if ids:
            args["card_id"] = f"card_{draws.randrange(10**6)}"
        result = {"next": f"A{1001 + number}", "total": 15 * number, "status": "shipped"}
        if items:
            rows = [
                {
                    "sku": f"T-{number}{i}",
                    "price": draws.randrange(9, 99) + (draws.randrange(100) / 100 if cents else 0),
                }
                for i in range(items)
            ]
            result |= {"items": rows, "date": f"2024-05-{number % 28 + 1:02}"}
        build.assistant(calls=[ToolCall("get_order", args, executed=True, result=result)])
    build.assistant("That is all.")
    return build.trace()


def claims(calls: int) -> Trace:
    """A run that cancels order after order, and tells of each."""
    build = TraceBuilder("t")
    build.user("Cancel them all, please.")
    for number in range(calls):
        args = {"order_id": f"A{1000 + number}"}
        build.assistant(calls=[ToolCall("cancel_order", args, executed=True, result={"ok": True})])
        build.assistant(f"I have cancelled order A{1000 + number}.")
    return build.trace()


def judged(trace: Trace) -> None:
    build_check("claimed_action").judge(trace, CASE)


def seconds(work: Callable[[Trace], object], trace: Trace, rounds: int) -> float:
    """The best time of several, each on a trace of its own that remembers nothing."""
    best = float("inf")
    for _ in range(rounds):
        new = Trace(**{name: getattr(trace, name) for name in Trace.__struct_fields__})
        gc.collect()
        gc.disable()
        start = time.process_time()
        work(new)
        best = min(best, time.process_time() - start)
        gc.enable()
    return best


def loading(trace: Trace) -> float:
    text = msgspec.json.encode(trace).decode()
    return seconds(lambda _: json.loads(text), trace, 50)


def rows() -> Iterator[tuple[str, Callable[[Trace], object], Callable[[int], Trace]]]:
    yield "small results, all seen", trace_arguments, orders
    yield "results of 10 values", trace_arguments, lambda n: orders(n, items=3)
    large, likely = (10_000, 90_000), (10, 400)
    yield (
        "an amount from nowhere in each",
        trace_arguments,
        lambda n: orders(n, amounts=large, items=3),
    )
    yield (
        "the same, like those seen, with cents",
        trace_arguments,
        lambda n: orders(n, amounts=likely, cents=True, items=3),
    )
    yield "a made-up id in each", trace_arguments, lambda n: orders(n, ids=True, items=3)
    yield (
        "both",
        trace_arguments,
        lambda n: orders(n, amounts=likely, cents=True, ids=True, items=3),
    )
    yield "a claim after each (claimed_action)", judged, claims


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", help="recorded runs to trace as well")
    options = parser.parse_args()
    print(f"{'30 calls':38}{'ms':>8}{'/ json':>8}   {'500 → 2,000 calls, ms':>22}   growth")
    for name, work, make in rows():
        trace = make(30)
        once = seconds(work, trace, 100)
        small, large = (seconds(work, make(calls), 3) for calls in (500, 2000))
        print(
            f"{name:38}{once * 1e3:8.2f}{once / loading(trace):8.1f}   "
            f"{small * 1e3:10.0f} → {large * 1e3:9.0f}   ×{large / small:.1f}"
        )
    if options.runs:
        runs = [run for run in read_traces(options.runs) if isinstance(run, Trace)]
        start = time.process_time()
        count = sum(len(trace_arguments(run)) for run in runs)
        spent = time.process_time() - start
        print(f"{len(runs)} recorded runs, {count:,} arguments: {spent:.2f} s")


if __name__ == "__main__":
    main()
