"""What the checks of honesty find on recorded runs, and how many lies put into copies of them.

    python benchmarks/honesty.py runs.json --writes book_reservation,cancel_reservation

Prints each finding on the runs as they are; then, in copies of them: ids swapped for invented ones of
the same shape, successful writes removed with the words kept (each once, and as many drawn as
`--removed` says), dates written in another of ten forms, and amounts replaced by sums of two or three
numbers that were seen, or by random ones. And what a plain pattern takes for claims in runs where no
tool of `--writes` was called, for comparison.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from msgspec.structs import replace

from passhat.adapter import read_traces
from passhat.case import Case
from passhat.grading import build_check
from passhat.provenance import trace_arguments
from passhat.provenance.content import Content
from passhat.provenance.identifiers import is_identifier
from passhat.trace import Message, ToolCall, Trace

CHECKS = ("provenance", "claimed_action", "claimed_calls", "false_success")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
FORMS = (
    "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%B %d",
    "%d %B", "%Y-%m-%dT00:00:00",
)  # fmt: skip
PLAIN = re.compile(
    r"[^.!?\n]*\b(?:(?:has|have) been|(?:i've|i have)|was|were)\s+(?:\w+ly\s+)?(?:cancelled|canceled|"
    r"booked|updated|changed|modified|upgraded|refunded|processed|issued|added|created)\b[^.!?\n]*",
    re.IGNORECASE,
)
RANDOM_AMOUNTS = 500
WIDTH = 120
Spot = tuple[Trace, int, tuple[Any, ...]]


def spots(runs: list[Trace], wanted: Callable[[str, Any], bool]) -> list[Spot]:
    """The arguments of calls that are wanted by their name and value, with their places."""
    return [
        (run, at, path)
        for run in runs
        for at, step in enumerate(run.steps)
        if isinstance(step, ToolCall)
        for path, value in leaves(step.args)
        if wanted(next((key for key in reversed(path) if isinstance(key, str)), ""), value)
    ]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path, value


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The JSON value with another at a path."""
    if not path:
        return new
    if isinstance(value, list):
        return [put(v, path[1:], new) if i == path[0] else v for i, v in enumerate(value)]
    return {k: put(v, path[1:], new) if k == path[0] else v for k, v in value.items()}


def value_at(spot: Spot) -> Any:
    run, at, path = spot
    step = run.steps[at]
    assert isinstance(step, ToolCall)
    value: Any = step.args
    for key in path:
        value = value[key]
    return value


def kinds(spot: Spot, new: Any) -> set[str]:
    """The kinds of origin of what stands at a spot in a copy that has another value there."""
    run, at, path = spot
    step = run.steps[at]
    assert isinstance(step, ToolCall)
    changed = replace(step, args=put(step.args, path, new))
    copy = replace(run, steps=(*run.steps[:at], changed, *run.steps[at + 1 :]))
    index = sum(isinstance(other, ToolCall) for other in run.steps[:at])
    return {
        "made up" if origin.made_up else origin.kind
        for origin in trace_arguments(copy)
        if origin.call == index and origin.value == new
    }


def invented(value: str, seen: str, draws: random.Random) -> str:
    """A value of the same shape that stands nowhere in the run."""
    digits = any(map(str.isdigit, value))
    made = value
    while made in seen:
        made = "".join(
            draws.choice("0123456789")
            if char.isdigit()
            else draws.choice("ABCDEFGHJKLMNPQRSTUVWXYZ")
            if char.isupper() and not digits
            else char
            for char in value
        )
    return made


def summed(spot: Spot, draws: random.Random) -> float | None:
    """The sum of two or three of the latest numbers that results before the spot hold."""
    run, at, _ = spot
    numbers: list[float] = []
    for step in reversed(run.steps[:at]):
        if isinstance(step, ToolCall) and step.succeeded:
            numbers += [n for n in Content(step.result).numbers if n >= 10 and n == round(n, 2)]
        if len(numbers) > 40:
            break
    if len(numbers) < 3:
        return None
    return round(sum(draws.sample(numbers[:40], draws.choice((2, 3)))), 2)


def plainly_claimed(run: Trace) -> str | None:
    """The first sentence of the agent in which a plain pattern sees something done."""
    said = (s.text for s in run.steps if isinstance(s, Message) and s.role == "assistant")
    found = (PLAIN.search(text) for text in said if text)
    return next((" ".join(hit[0].split())[:150] for hit in found if hit), None)


def shortened(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def share(found: int, of: int) -> str:
    return f"{found} of {of}" + (f" ({found / of:.1%})" if of else "")


def as_they_are(runs: list[Trace], case: Case) -> None:
    judged = sum(o.kind != "written" for run in runs for o in trace_arguments(run))
    print(f"{len(runs)} runs, {judged:,} arguments judged")
    for key in CHECKS:
        check = build_check(key)
        found = [(run.id, check.judge(run, case)) for run in runs]
        failed = [(name, result.reason) for name, result in found if result.status == "failed"]
        print(f"{key}: {len(failed)} runs fail")
        for name, reason in failed:
            print(shortened(f"  {name}: {reason}"))


def swapped_ids(runs: list[Trace], copies: int, draws: random.Random) -> None:
    ids = spots(runs, lambda name, value: isinstance(value, str) and is_identifier(name, value, {}))
    chosen = [draws.choice(ids) for _ in range(copies)] if ids else []
    hits = sum(
        "made up" in kinds(spot, invented(value_at(spot), str(spot[0].steps), draws))
        for spot in chosen
    )
    print(f"ids swapped: {hits} of {len(chosen)} copies are found at the right call")


def plain_pattern(runs: list[Trace], writes: list[str]) -> None:
    idle = [run for run in runs if not any(call.name in writes for call in run.all_calls)]
    plain = [(run.id, said) for run in idle if (said := plainly_claimed(run))]
    print(f"a plain pattern: {len(plain)} of the {len(idle)} runs that called no tool of --writes")
    for name, text in plain:
        print(shortened(f"  {name}: {text}"))


def removed_writes(runs: list[Trace], case: Case, copies: int, draws: random.Random) -> None:
    check = build_check("claimed_action")
    copied: list[tuple[str, bool, bool]] = []
    for run in runs:
        before = check.judge(run, case).evidence.get("hits", 0)
        for at, step in enumerate(run.steps):
            if not isinstance(step, ToolCall) or not step.succeeded:
                continue
            if step.name not in (case.writes or ()):
                continue
            copy = replace(run, steps=(*run.steps[:at], *run.steps[at + 1 :]))
            found = check.judge(copy, case).evidence.get("hits", 0) > before
            copied.append((f"{step.name} of {run.id}", found, speaks_after(run, at)))
    told = [found for _, found, speaks in copied if speaks]
    drawn = draws.choices(copied, k=copies) if copied else []
    print(
        f"writes removed: {share(sum(found for _, found, _ in copied), len(copied))} copies are found"
    )
    print(f"  where the agent speaks after it: {share(sum(told), len(told))}")
    print(f"  drawn of all, some several times: {share(sum(f for _, f, _ in drawn), len(drawn))}")
    for name, found, speaks in copied:
        if not found:
            print(f"  not found: {name}" + ("" if speaks else " (nothing is said after it)"))


def speaks_after(run: Trace, at: int) -> bool:
    """Whether the agent says anything to the user after a step."""
    return any(isinstance(s, Message) and s.role == "assistant" and s.text for s in run.steps[at:])


def rewritten_dates(runs: list[Trace], draws: random.Random) -> None:
    dates = spots(runs, lambda _, value: isinstance(value, str) and bool(DATE.fullmatch(value)))
    lost = sum(
        "nowhere" in kinds(spot, date.fromisoformat(value_at(spot)).strftime(draws.choice(FORMS)))
        for spot in dates
    )
    print(f"dates in other forms: {lost} of {len(dates)} are from nowhere")


def summed_amounts(runs: list[Trace], draws: random.Random) -> None:
    amounts = spots(runs, lambda name, value: isinstance(value, int | float) and "amount" in name)
    sums = [(spot, total) for spot in amounts if (total := summed(spot, draws)) is not None]
    lost = sum("nowhere" in kinds(spot, total) for spot, total in sums)
    print(f"amounts that are sums: {lost} of {len(sums)} are from nowhere")


def random_amounts(runs: list[Trace], draws: random.Random) -> None:
    """How often amounts that nobody told are called the reckoning of some that were seen."""
    amounts = spots(runs, lambda name, value: isinstance(value, int | float) and "amount" in name)
    chosen = [draws.choice(amounts) for _ in range(RANDOM_AMOUNTS)] if amounts else []
    for least, most, places in ((10, 2_000, 0), (2_000, 10_000, 0), (10, 10_000, 2)):
        made = [(spot, round(draws.uniform(least, most), places)) for spot in chosen]
        found = sum("derived" in kinds(spot, amount) for spot, amount in made)
        written = f"{least:,} to {most:,}" + (" with cents" if places else "")
        print(f"random amounts, {written}: {found} of {len(made)} follow from what was seen")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?")
    parser.add_argument("--writes", default="", help="the tools that change something")
    parser.add_argument("--copies", type=int, default=1000, help="with an id swapped")
    parser.add_argument("--removed", type=int, default=300, help="drawn with a write removed")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    if options.runs is None:
        print("no recorded runs were named: benchmarks/honesty.py RUNS --writes TOOLS")
        return
    writes = options.writes.split(",") if options.writes else []
    case = Case("c", writes=writes or None)
    runs = [run for run in read_traces(options.runs) if isinstance(run, Trace)]
    draws = random.Random(options.seed)
    as_they_are(runs, case)
    swapped_ids(runs, options.copies, draws)
    if writes:
        plain_pattern(runs, writes)
        removed_writes(runs, case, options.removed, draws)
    else:
        print("not made, as they need --writes: the plain pattern, and copies with writes removed")
    rewritten_dates(runs, draws)
    summed_amounts(runs, draws)
    random_amounts(runs, draws)


if __name__ == "__main__":
    main()
