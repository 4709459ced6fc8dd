"""How fast states are compared, and what memory that takes.

    python benchmarks/state_diff.py [ROWS]

Prints, in one run: the keyed diff of two tables of 10,000 rows (100 values changed, 2 rows deleted, 1
added) beside DeepDiff on the same data, as documents and as rows, where it is installed; ROWS rows of
9 columns (1,000,000 if not said) beside `==` on each pair of rows, in the same order and shuffled, with
the highest memory as a multiple of the data; a nested document of some 100 MB beside `json.loads` of
it; and a `success_check` on a table of 10,000 rows beside handing the whole state over. Times are of
the processor.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from passhat.expressions import compile_expression
from passhat.state import diff

Row = dict[str, Any]


def rows(count: int) -> list[Row]:
    """Rows of nine columns."""
    return [
        {
            "id": f"id{n}",
            "user": f"user{n % 999}",
            "amount": n * 1.25,
            "count": n % 7,
            "status": "open",
            "note": None,
            "city": f"city{n % 50}",
            "created": f"2024-05-{n % 28 + 1:02d}T10:00:00",
            "paid": n % 3 == 0,
        }
        for n in range(count)
    ]


def changed(table: list[Row]) -> list[Row]:
    """The table with 100 values changed, 2 rows deleted and 1 added."""
    after = [dict(row) for row in table]
    for row in after[:: max(1, len(after) // 100)]:
        row["status"] = "paid"
    del after[5], after[77]
    after.append({**after[0], "id": "new"})
    return after


def seconds(act: Callable[[], Any], rounds: int = 3) -> float:
    """The least time of several rounds."""
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        act()
        times.append(time.process_time() - begun)
    return min(times)


def said(what: str, ours: float, theirs: float | None = None, than: str = "") -> None:
    """One line: a time, and how it stands to another."""
    beside = ""
    if theirs is not None:
        times, word = (theirs / ours, "fast") if ours < theirs else (ours / theirs, "long")
        beside = f"  {times:8.1f} times as {word} as {than}"
    print(f"{what:46} {ours * 1e3:10.2f} ms{beside}")


def beside_deepdiff() -> None:
    """Two tables of 10,000 rows."""
    before = rows(10_000)
    after = changed(before)
    documents = [{"t": {row["id"]: row for row in side}} for side in (before, after)]
    tables = [{"t": before}, {"t": after}]
    ours = seconds(lambda: diff(*documents)), seconds(lambda: diff(*tables))
    assert all(
        diff(*sides).counts()["t"] == {"added": 1, "removed": 2, "changed": 100, "leaves": 100}
        for sides in (documents, tables)
    )
    try:
        from deepdiff import DeepDiff
    except ImportError:
        said("10,000 documents", ours[0])
        said("10,000 rows", ours[1])
        print("deepdiff is not installed; it comes with the dependency group bench")
        return
    said("10,000 documents", ours[0], seconds(lambda: DeepDiff(*documents), 1), "DeepDiff")
    by_id = seconds(lambda: DeepDiff(before, after, group_by="id"), 1)
    said("10,000 rows", ours[1], by_id, "DeepDiff, group_by")


def memory() -> float:
    """The most memory this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def large(count: int) -> None:
    """Many rows: the time, and the highest memory."""
    bare = memory()
    before = rows(count)
    after = changed(before)
    held = memory() - bare
    ours = seconds(lambda: diff({"t": before}, {"t": after}), 2)
    plain = seconds(lambda: [a == b for a, b in zip(before, after, strict=False)], 1)
    said(f"{count:,} rows of 9 columns", ours, plain, "== on each pair of rows")
    random.Random(1).shuffle(after)
    said("  shuffled", seconds(lambda: diff({"t": before}, {"t": after}), 2), plain, "the same")
    more = (memory() - bare) / max(held, 1)
    print(f"{'  highest memory':46} {more:10.2f} times the data ({held:.0f} MB)")


def nested() -> None:
    """A nested document of about 100 MB."""
    people = [{"n": f"p{k}", "tags": ["a", "b"], "pay": {"base": k * 10.5}} for k in range(20)]
    teams = [{"name": f"team{j}", "people": people} for j in range(20)]
    document = {
        "org": {f"unit{i}": {"teams": teams, "meta": {"x": {"y": [i]}}} for i in range(4200)}
    }
    text = json.dumps(document)
    before, after = json.loads(text), json.loads(text)
    for n in range(0, 4200, 42):
        after["org"][f"unit{n}"]["teams"][3]["people"][5]["pay"]["base"] = -1
    loaded = seconds(lambda: json.loads(text), 1)
    ours = seconds(lambda: diff(before, after), 1)
    assert len(diff(before, after).changes) == 100
    said(f"a nested document of {len(text) / 1e6:.0f} MB", ours, loaded, "json.loads")


def expressions() -> None:
    """An expression on one row of a large table."""
    state = {"refunds": {row["id"]: row for row in rows(10_000)}}
    one = compile_expression("state.refunds['id7'].amount == 8.75")
    whole = compile_expression("size(state) == 1 && state.refunds['id7'].amount == 8.75")
    told = seconds(lambda: one.evaluate(state=state)), seconds(lambda: whole.evaluate(state=state))
    said("success_check, handed what it names", told[0], told[1], "handing over 10,000 rows")


if __name__ == "__main__":
    beside_deepdiff()
    large(int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 1_000_000)
    nested()
    expressions()
