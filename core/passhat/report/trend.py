"""A history of runs, told to people."""

from __future__ import annotations

from passhat.compare.comparison import interval_points, points
from passhat.history import RunPoint, Trend
from passhat.reliability.wording import counted, share_text
from passhat.report.blocks import Block, Heading, Note
from passhat.report.comparison import p_text
from passhat.report.tables import Cell, Column, Table, limited

_LEVELS = "▁▂▃▄▅▆▇█"
_MOST_RUNS = 20


def trend_blocks(trend: Trend, *, everything: bool = False) -> list[Block]:
    """The history: the last run in a sentence, pass^k run by run, each check, and new flaky cases."""
    blocks: list[Block] = [Heading(_sentence(trend)), _runs_table(trend, everything)]
    blocks += [
        table for table in (_checks_table(trend, everything), _flaky_table(trend)) if table.rows
    ]
    for run in trend.runs[1:]:
        blocks += [Note(f"{run.name}: {change}") for change in run.pins]
    return [*blocks, *(Note(f"not read: {why}") for why in trend.unread)]


def _sentence(trend: Trend) -> str:
    last = trend.runs[-1]
    if not last.pass_hat_k:
        return f"{counted(len(trend.runs), 'run')}; in the last one nothing was judged."
    most = max(last.pass_hat_k)
    hard = f", pass^{most} {share_text(last.pass_hat_k[most])}" if most > 1 else ""
    moved = ""
    if last.change is not None:
        ends = last.change_interval
        shown = ends is not None and not ends[0] <= 0 <= ends[1]
        moved = f"; {points(last.change)} since the run before"
        moved += "" if shown or not last.change else ", which chance explains"
    new = len(last.new_flaky) + len(last.new_failing)
    flaky = (
        f"; {counted(new, 'case')} that always passed no longer {'does' if new == 1 else 'do'}"
        if new
        else ""
    )
    return (
        f"{counted(len(trend.runs), 'run')}: the last passes {share_text(last.pass_hat_k[1])}"
        f"{hard}{moved}{flaky}."
    )


def _runs_table(trend: Trend, everything: bool) -> Table:
    most = max(
        2, min((max(run.pass_hat_k, default=1) for run in trend.runs if run.pass_hat_k), default=1)
    )
    rows = [_run_row(run, most) for run in trend.runs]
    shown = rows if everything else rows[-_MOST_RUNS:]
    return Table(
        "Runs",
        (
            Column("run"),
            Column("cases", "right"),
            Column("trials", "right", give="drop"),
            Column("pass^1", "right"),
            Column("95 % interval", "right", give="drop"),
            Column(f"pass^{most}", "right"),
            Column("change", "right"),
            Column("95 % interval", "right", give="drop"),
            Column("new flaky", "right"),
        ),
        tuple(shown),
        f"{trend_marks([run.pass_hat_k.get(1) for run in trend.runs])}",
        len(rows) - len(shown),
    )


def _run_row(run: RunPoint, most: int) -> tuple[Cell, ...]:
    once, often = run.pass_hat_k.get(1), run.pass_hat_k.get(most)
    ends = "" if run.interval is None else " – ".join(share_text(end) for end in run.interval)
    moved = "" if run.change is None else points(run.change).removesuffix(" points")
    between = "" if run.change_interval is None else interval_points(run.change_interval)
    new = len(run.new_flaky) + len(run.new_failing)
    return (
        Cell(run.name),
        Cell(f"{run.cases:,}"),
        Cell(f"{run.trials:,}"),
        Cell("" if once is None else share_text(once)),
        Cell(ends),
        Cell("" if often is None else share_text(often)),
        Cell(moved),
        Cell(between),
        Cell(str(new) if new else "", "mixed"),
    )


def _checks_table(trend: Trend, everything: bool) -> Table:
    keys = dict.fromkeys(key for run in trend.runs for key in run.checks)
    rows: list[tuple[Cell, ...]] = []
    for key in keys:
        known = [run.checks.get(key) for run in trend.runs]
        told = [value for value in known if value is not None]
        first, last = told[0], told[-1]
        moved = points(last - first).removesuffix(" points") if len(told) > 1 else ""
        rows.append(
            (
                Cell(key),
                Cell(share_text(first)),
                Cell(share_text(last)),
                Cell(moved),
                Cell(trend_marks(known), "track"),
            )
        )
    kept, hidden = limited(rows, None if everything else 12)
    return Table(
        "Checks: how often they held",
        (
            Column("check", give="cut"),
            Column("first", "right"),
            Column("last", "right"),
            Column("moved", "right"),
            Column("", give="cut"),
        ),
        kept,
        "",
        hidden,
    )


def _flaky_table(trend: Trend) -> Table:
    last = trend.runs[-1]
    return Table(
        "Cases that always passed before, and no longer do",
        (
            Column("case", give="cut"),
            Column("before", "right"),
            Column("now", "right"),
            Column("p", "right"),
        ),
        tuple(
            (
                Cell(case.case_id),
                Cell(f"{case.before[1]}/{case.before[0]}"),
                Cell(f"{case.now[1]}/{case.now[0]}", "mixed" if case.now[1] else "bad"),
                Cell(p_text(case.p)),
            )
            for case in (*last.new_failing, *last.new_flaky)
        ),
        last.name,
    )


def trend_marks(values: list[float | None]) -> str:
    """Shares as a row of small columns, from 0 to 1; a dot where there is none.

    >>> trend_marks([0.0, None, 1.0])
    '▁·█'
    """
    return "".join(
        "·" if value is None else _LEVELS[min(len(_LEVELS) - 1, int(value * len(_LEVELS)))]
        for value in values
    )
