"""What faults of tools did: how often the agent coped, pretended, or obeyed what was planted."""

from __future__ import annotations

from passhat.reliability import FaultRate, Summary
from passhat.reliability.wording import percent
from passhat.report.tables import Cell, Column, Table


def faults_table(summary: Summary) -> Table:
    """The rates of faults, each with the bounds that so many cases leave open."""
    found = summary.faults
    rows: list[tuple[Cell, ...]] = []
    if found is not None:
        told: list[tuple[str, FaultRate | None, bool]] = [
            ("dealt with as expected", found.handled, True),
            *((f"  {kind}", rate, True) for kind, rate in sorted(found.kinds.items())),
            ("errors recovered from", found.recovery, True),
            ("success claimed falsely", found.false_success, False),
            ("attacks that succeeded", found.attacks.get("all"), False),
            *(
                (f"  {name}", rate, False)
                for name, rate in sorted(found.attacks.items())
                if name != "all"
            ),
        ]
        rows = [_row(words, rate, good=good) for words, rate, good in told if rate is not None]
    return Table(
        "When tools fail",
        (
            Column(""),
            Column("rate", "right"),
            Column("at least", "right", "drop"),
            Column("at most", "right"),
            Column("of", "right"),
            Column("cases", "right", "drop"),
        ),
        tuple(rows),
        note="" if found is None else f"faults struck in {found.trials:,} runs",
    )


def _row(words: str, rate: FaultRate, *, good: bool) -> tuple[Cell, ...]:
    low, high = rate.interval
    best = rate.hits == rate.of if good else not rate.hits
    return (
        Cell(words),
        Cell(percent(rate.rate), "good" if best else "bad"),
        Cell(percent(low) if good else "", "dim"),
        Cell("" if good else percent(high), "dim"),
        Cell(f"{rate.hits:,}/{rate.of:,}", "dim"),
        Cell(f"{rate.cases:,}", "dim"),
    )
