"""A summary as text for a terminal, about one screen of it."""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from passhat.reliability import Summary
from passhat.reliability.wording import counted
from passhat.report import behaviour, omissions, outcome
from passhat.report.failed import alignment_of, class_words, level_of, why, worst_first
from passhat.report.faulted import faults_table
from passhat.report.harmless import harmless
from passhat.report.layout import beside, table_lines
from passhat.report.marks import PLAIN, bar
from passhat.result import Trial

MOST_WIDTH = 120
_LEAST_WIDTH = 60
_MOST_FAILED = 10
_WIDE = 100
_KINDS = {"always": "green", "flaky": "yellow", "never": "red"}


def text_report(
    summary: Summary,
    *,
    width: int = 80,
    color: bool = False,
    everything: bool = False,
    brief: bool = False,
    ascii_only: bool = False,
    failed: Iterable[Trial] = (),
) -> str:
    """The summary as text.

    Args:
        summary: What was found.
        width: Columns to fill, 60 to 120.
        color: Whether to add colours, as ANSI codes.
        everything: Whether to list every case, tool and check rather than the most telling.
        brief: Whether to stop after the flaky cases.
        ascii_only: Whether the terminal has only ASCII.
        failed: Trials of which those that failed are told one by one.

    Returns:
        Lines, the first of which says the verdict in words; each ends in a newline.

    >>> from passhat.reliability import Results
    >>> results = Results((Trial("a", 0, "a/0", "passed"), Trial("a", 1, "a/1", "failed")))
    >>> print(text_report(results.summary()).splitlines()[0])
    Passes 50 % of the time, but never 2 times in a row.
    """
    width = max(_LEAST_WIDTH, min(width, MOST_WIDTH))
    lines = [
        Text(summary.verdict, style=_verdict_style(summary)),
        Text(harmless(outcome.what_was_scored(summary)), style="dim"),
    ]
    blocks = _blocks(summary, width, everything=everything, brief=brief)
    blocks.append(_failed_runs(worst_first(failed), width, everything=everything))
    for block in blocks:
        if block:
            lines += [Text(), *block]
    return drawn(lines, width=width, color=color, ascii_only=ascii_only)


def drawn(
    lines: list[Text], *, width: int = 80, color: bool = False, ascii_only: bool = False
) -> str:
    r"""Styled lines as text: wrapped to the width, with ANSI codes where colours are wanted.

    >>> drawn([Text("All passed.", style="green")])
    'All passed.\n'
    """
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    for line in lines:
        for part in line.wrap(console, width):
            part.rstrip()
            console.print(part)
    text = out.getvalue()
    return text.translate(PLAIN) if ascii_only else text


def _verdict_style(summary: Summary) -> str:
    if not summary.n:
        return "bold yellow"
    return "bold green" if summary.judged and summary.c == summary.n else "bold"


def _blocks(summary: Summary, width: int, *, everything: bool, brief: bool) -> list[list[Text]]:
    """The parts of the report, from what matters most."""
    wide = width >= _WIDE
    few = None if everything else 5
    flaky = outcome.cases_table(summary, None if everything else 6, points=2 if wide else 1)
    blocks = [
        _reliability(summary, width, 40 if wide else 22),
        _left_out(summary, width, None if everything else 4),
        _overview(summary, width, 24 if wide else 14, everything=everything),
        table_lines(flaky, width) if flaky.rows else [],
    ]
    if brief:
        return blocks
    tables = [
        behaviour.parting_table(summary, few, arguments=2 if wide else 1),
        behaviour.checks_table(summary, few),
        faults_table(summary),
        behaviour.efficiency_table(summary),
    ]
    if everything:
        tables += [behaviour.tags_table(summary, None), behaviour.rates_table(summary)]
    blocks += [table_lines(table, width) for table in tables if table.rows]
    return [*blocks, _closing(summary, width)]


def _reliability(summary: Summary, width: int, track_width: int) -> list[Text]:
    if not summary.pass_hat_k:
        return []
    return table_lines(outcome.reliability_table(summary, track_width), width)


def _left_out(summary: Summary, width: int, most: int | None) -> list[Text]:
    if not summary.sensitivity.left_out:
        return []
    found = omissions.omissions(summary)
    lines = [Text(omissions.left_out_title(summary), style="bold yellow")]
    room = max(len(omission.kind) for omission in found[:most])
    for omission in found[:most]:
        lines += _labelled(f"  {omission.kind:<{room}}", omission.reason, width)
        if omission.runs:
            lines += _labelled(" " * (room + 2), omission.runs, width, "dim")
    if most is not None and len(found) > most:
        more = counted(len(found) - most, "more reason")
        lines.append(Text(f"  and for {more}, with --all", style="dim"))
    lines += [Text(f"  {told}", style="yellow") for told in omissions.sensitivity_lines(summary)]
    return lines


def _overview(summary: Summary, width: int, bar_width: int, *, everything: bool) -> list[Text]:
    """How often cases pass, beside how the agent behaved."""
    left = _histogram(summary, bar_width)
    right = _conduct(summary, None if everything else max(len(left) - 1, 5))
    if not left or not right:
        return left or right
    return beside(left, right, width)


def _histogram(summary: Summary, width: int) -> list[Text]:
    found = outcome.bands(summary)
    if not found:
        return []
    most = max(band.cases for band in found)
    label_width = max(len(band.label) for band in found)
    flaky = [at for at, band in enumerate(found) if band.kind == "flaky"]
    lines = [Text("Cases by how often they pass", style="bold")]
    for at, band in enumerate(found):
        line = Text(f"  {band.label:>{label_width}}  ")
        line.append(bar(band.cases, most, width), style=_KINDS[band.kind])
        line.append(f" {band.cases:>3}", style="bold")
        if band.kind != "flaky":
            line.append(f"  {band.kind}", style="dim")
        elif at == flaky[len(flaky) // 2]:
            line.append(f"  {sum(found[i].cases for i in flaky)} flaky", style="dim")
        lines.append(line)
    return lines


def _conduct(summary: Summary, most: int | None) -> list[Text]:
    rows = behaviour.conduct(summary)[:most]
    if not rows:
        return []
    room = max(len(words) for words, _ in rows)
    lines = [Text("What the agent did", style="bold")]
    for words, value in rows:
        line = Text("  ")
        line.append(f"{words:<{room}}  ", style="dim")
        line.append(value)
        lines.append(line)
    return lines


def _closing(summary: Summary, width: int) -> list[Text]:
    """How runs fail, what was taken for what, where every run went, and what to know."""
    kinds = summary.failure_classes
    told = {
        "costs": behaviour.costs(summary),
        "failures": (
            [f"{kind} {times:,}" for kind, times in kinds.items()]
            if set(kinds) - {"unclassified"}
            else []
        ),
        "mixed up": [
            *behaviour.mixups(summary.routing)[:3],
            *behaviour.mixups(summary.tool_confusion, least=3)[:3],
        ],
        "never pass": behaviour.never_passing(summary),
        "runs": [omissions.ledger_line(summary)],
    }
    lines = []
    for name, parts in told.items():
        if parts:
            joint = ", " if name == "never pass" else " · "
            lines += _labelled(f"{name:<10}", joint.join(parts), width)
    for note in summary.notes:
        lines += _labelled("note      ", note, width, "yellow")
    return lines


def _failed_runs(lost: list[Trial], width: int, *, everything: bool) -> list[Text]:
    """Failed runs, the worst first, each with why; with everything, its calls too."""
    if not lost:
        return []
    lines = [Text(f"Failed runs ({len(lost):,})", style="bold")]
    for trial in lost if everything else lost[:_MOST_FAILED]:
        critical = level_of(trial) == "critical"
        head = Text("  ‼ " if critical else "  ✗ ", style="bold red" if critical else "yellow")
        name = harmless(f"{trial.case_id or '(no case)'} #{trial.trial}")
        head.append(name, style="bold")
        head.append(f"  {harmless(class_words(trial.failed_as or ''))}")
        head.truncate(width, overflow="ellipsis")
        lines += [head, *_labelled("   ", why(trial), width, "dim")]
        if everything:
            for line in alignment_of(trial).splitlines():
                folded = wrap(harmless(line), width - 5, subsequent_indent=" " * 6)
                lines += [Text(f"     {part}", style="dim") for part in folded]
    if not everything and len(lost) > _MOST_FAILED:
        lines.append(Text(f"  and {len(lost) - _MOST_FAILED:,} more with --all", style="dim"))
    return lines


def _labelled(label: str, value: str, width: int, style: str = "") -> list[Text]:
    """A value with its label before it, folded under itself."""
    head = f"{label}  "
    folded = Text(harmless(value), style=style).wrap(Console(width=width), width - len(head))
    lines = []
    for at, part in enumerate(folded):
        line = Text()
        line.append(head if at == 0 else " " * len(head), style="dim")
        line.append_text(part)
        lines.append(line)
    return lines
