"""A comparison of two runs, told to people."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from passhat.compare import CaseChange, Change, Comparison, Metric
from passhat.compare.comparison import CaseKind, interval_points, points
from passhat.reliability.wording import asked_percent, counted, share_text
from passhat.report.blocks import Block, Heading, Note
from passhat.report.tables import Cell, Column, Table, Tone, limited

_TONES: dict[str, Tone] = {"better": "good", "worse": "bad", "unclear": "dim"}
_CASE_TONES: dict[str, Tone] = {"broke": "bad", "healed": "good", "noise": "dim"}
_CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg"}


def comparison_blocks(found: Comparison, *, everything: bool = False) -> list[Block]:
    """The comparison: in a sentence, then by metric, check, tag and case, and notes.

    Args:
        found: The comparison.
        everything: Whether to list every row rather than the most telling.
    """
    limit = None if everything else 12
    many = _CORRECTIONS[found.correction]
    changes = _change_table
    tables = [
        changes("Success", (found.success, *found.pass_hat_k), found, limit, many),
        changes("Checks: how often they held", found.checks, found, limit, many),
        changes("What successful trials took", found.efficiency, found, limit, many),
        _tag_table(found, limit, many),
        _case_table(found, limit),
    ]
    heads: dict[str, Tone] = {"better": "good", "worse": "bad", "unclear": "strong"}
    blocks: list[Block] = [
        Heading(found.sentence, heads[found.success.verdict]),
        Note(_about(found)),
    ]
    if found.mcnemar is not None:
        test = found.mcnemar
        ties = f", {test.ties} even" if test.ties else ""
        blocks.append(
            Note(
                f"by most of its trials each, {counted(test.broke, 'case')} now "
                f"{'fails' if test.broke == 1 else 'fail'} that passed, and {test.healed} the "
                f"reverse{ties}: McNemar's exact p {p_text(test.p)}; permutation over cases "
                f"p {p_text(found.success.p)}"
            )
        )
    blocks += [table for table in tables if table.rows]
    blocks += [Note(f"varied: {change}") for change in found.pins if change.base and change.new]
    blocks += [Note(note) for note in found.notes]
    return blocks


def _about(found: Comparison) -> str:
    what = "these cases" if found.estimate == "these-cases" else "the kind of cases these stand for"
    left = (
        f" · left out: {found.left_out[0]:,} and {found.left_out[1]:,}"
        if any(found.left_out)
        else ""
    )
    return (
        f"{found.base} -> {found.new} · {found.pairing} · {found.trials[0]:,} and "
        f"{counted(found.trials[1], 'trial')} · estimates {what} · {asked_percent(found.confidence)} "
        f"intervals{left}"
    )


def p_text(p: float | None) -> str:
    """A p-value with as many digits as it bears.

    >>> p_text(0.0321), p_text(0.00001), p_text(None)
    ('0.032', '< 0.001', '')
    """
    if p is None:
        return ""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _change_table(
    title: str, changes: Iterable[Change], found: Comparison, limit: int | None, many: str
) -> Table:
    kept = list(changes)
    alone = found.success
    tests = sum(change.p is not None and change is not alone for change in kept)
    rows, hidden = limited([_change_row(change) for change in kept], limit)
    of = " of pass^k" if alone in kept else ""
    note = f"p{of} corrected for {tests} ({many})" if tests > 1 else ""
    return Table(title, _CHANGE_COLUMNS, rows, note, hidden)


_CHANGE_COLUMNS = (
    Column("metric", give="cut"),
    Column("base", "right"),
    Column("new", "right"),
    Column("difference", "right"),
    Column("interval", "right"),
    Column("p", "right", give="drop"),
    Column("cases", "right", give="drop"),
    Column("", give="drop"),
)


def _change_row(change: Change, name: str = "") -> tuple[Cell, ...]:
    metric = Metric.of(change.metric)
    value: Callable[[float], str] = share_text if metric.bounded else partial(_number)
    if metric.bounded:
        moved = points(change.difference).removesuffix(" points")
        ends = "" if change.interval is None else interval_points(change.interval)
    else:
        moved = _number(change.difference, sign=True)
        ends = (
            ""
            if change.interval is None
            else " to ".join(_number(end, sign=True) for end in change.interval)
        )
    return (
        Cell(name or _short(change.metric)),
        Cell(value(change.base)),
        Cell(value(change.new)),
        Cell(moved, _TONES[change.verdict] if change.verdict != "unclear" else ""),
        Cell(ends),
        Cell(p_text(change.p_adjusted)),
        Cell(f"{change.cases:,}"),
        Cell("" if change.verdict == "unclear" else change.verdict, _TONES[change.verdict]),
    )


def _short(metric: str) -> str:
    if metric.startswith("pass_hat_k."):
        return f"pass^{metric.rpartition('.')[2]}"
    for head in ("checks.", "efficiency."):
        if metric.startswith(head):
            return metric.removeprefix(head).removesuffix(".passed")
    return metric


def _number(value: float, *, sign: bool = False) -> str:
    size = abs(value)
    digits = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 4
    text = f"{value:{'+' if sign else ''},.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _tag_table(found: Comparison, limit: int | None, many: str) -> Table:
    ranked = sorted(found.tags.items(), key=lambda item: (item[1].p_adjusted or 1.0, item[0]))
    rows, hidden = limited([_change_row(change, tag) for tag, change in ranked], limit)
    columns = (Column("tag", give="cut"), *_CHANGE_COLUMNS[1:])
    note = f"p corrected for {len(ranked)} ({many})" if len(ranked) > 1 else ""
    return Table("Success by tag", columns, rows, note, hidden)


def _case_table(found: Comparison, limit: int | None) -> Table:
    rows, hidden = limited([_case_row(case) for case in found.cases], limit)
    kinds: tuple[CaseKind, ...] = ("broke", "healed", "noise")
    counts = ", ".join(f"{len(found.of_kind(kind))} {kind}" for kind in kinds)
    return Table(
        "Cases that changed",
        (
            Column("case", give="cut"),
            Column("base", "right"),
            Column("new", "right"),
            Column("p", "right"),
            Column(""),
        ),
        rows,
        f"{counts}, {found.unchanged} unchanged; Fisher, Benjamini-Hochberg",
        hidden,
    )


def _case_row(case: CaseChange) -> tuple[Cell, ...]:
    return (
        Cell(case.case_id),
        Cell(f"{case.base[1]}/{case.base[0]}"),
        Cell(f"{case.new[1]}/{case.new[0]}"),
        Cell(p_text(case.p_adjusted)),
        Cell(case.kind, _CASE_TONES[case.kind]),
    )
