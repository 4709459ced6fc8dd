"""pass^k against the fault rate, as a table."""

from __future__ import annotations

from passhat.reliability import Summary
from passhat.reliability.wording import percent
from passhat.report.marks import bar
from passhat.report.tables import Cell, Column, Table
from passhat.trials.sweeping import FaultSweep

_BAR = 20
_MOST_KS = 3


def sweep_table(sweep: FaultSweep, *, drawn: bool = True) -> Table:
    """pass^k at each fault rate, with the interval of pass^1, a row a rate.

    Args:
        sweep: What was found.
        drawn: Whether pass^1 is drawn as a bar.
    """
    ks = sorted({k for point in sweep.points for k in point.summary.pass_hat_k})
    if len(ks) > _MOST_KS:
        ks = [*ks[: _MOST_KS - 1], ks[-1]]
    confidence = sweep.points[0].summary.confidence if sweep.points else 0.95
    columns = [
        Column("fault rate", "right"),
        *(Column(f"pass^{k}", "right") for k in ks),
        Column(f"pass^{ks[0] if ks else 1}: {100 * confidence:g} % interval"),
        Column("", give="drop"),
        Column("runs struck", "right", "drop"),
        Column("recovered", "right", "drop"),
        Column("false success", "right", "drop"),
    ]
    return Table(
        "pass^k against the fault rate",
        tuple(columns),
        tuple(_row(point.rate, point.summary, ks, drawn=drawn) for point in sweep.points),
    )


def _row(rate: float, summary: Summary, ks: list[int], *, drawn: bool) -> tuple[Cell, ...]:
    values = summary.pass_hat_k
    first = values.get(ks[0], 0.0) if ks else 0.0
    low, high = summary.intervals.pass_hat_k.get(ks[0], (0.0, 1.0)) if ks else (0.0, 1.0)
    faults = summary.faults
    recovery = None if faults is None else faults.recovery
    false = None if faults is None else faults.false_success
    return (
        Cell(f"{rate:g}"),
        *(Cell(f"{values[k]:.3f}" if k in values else "–", "strong") for k in ks),
        Cell(f"{low:.3f} – {high:.3f}", "dim"),
        Cell(bar(first, 1, _BAR).rstrip() if drawn else "", "track"),
        Cell(f"{0 if faults is None else faults.trials:,} of {summary.runs:,}", "dim"),
        Cell("" if recovery is None else f"{percent(recovery.rate)} of {recovery.of:,}", "dim"),
        Cell("" if false is None else f"≤ {percent(false.interval[1])}", "dim"),
    )


def sweep_text(sweep: FaultSweep, *, width: int = 80, ascii_only: bool = False) -> str:
    """The sweep as text."""
    from passhat.report.layout import table_lines
    from passhat.report.text import drawn

    return drawn(table_lines(sweep_table(sweep), width), width=width, ascii_only=ascii_only)


def sweep_markdown(sweep: FaultSweep) -> str:
    """The sweep as Markdown."""
    from passhat.report.markdown import markdown_table

    return f"{markdown_table(sweep_table(sweep, drawn=False))}\n"
