"""What came of the trials: pass^k, how often cases pass, and the flaky ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from passhat.jsontext import file_name
from passhat.reliability import CaseSummary, PartingPoint, Summary
from passhat.reliability.wording import counted
from passhat.report.marks import strip, track
from passhat.report.numbers import number
from passhat.report.tables import Cell, Column, Table, Tone, limited

_MOST_ROWS = 6
_BANDS = (
    (1.0, "all"),
    (0.75, "75 – 99 %"),
    (0.5, "50 – 74 %"),
    (0.25, "25 – 49 %"),
    (0.0, "1 – 24 %"),
)


def what_was_scored(summary: Summary) -> str:
    """How many runs of how many cases, of which file, judged by what; one line."""
    about = summary.about
    runs = counted(summary.runs, "run")
    if summary.counted_cases:
        all_cases = counted(len(summary.cases), "case")
        tried = summary.cases_with_runs
        runs += (
            f" of {all_cases}" if tried == len(summary.cases) else f" of {tried:,} of {all_cases}"
        )
    parts = [runs]
    if about.get("source"):
        named = f" ({about['format']})" if about.get("format") else ""
        parts.append(f"{PurePath(file_name(about['source'])).name}{named}")
    if about.get("judged_by"):
        parts.append(f"judged by {about['judged_by']}")
    if about.get("stopped"):
        parts.append(f"stopped {about['stopped']}, to which side these rates lean")
    return " · ".join(parts)


def reliability_table(summary: Summary, track_width: int | None = None) -> Table:
    """pass^k and pass@k with their intervals, a row a k.

    Args:
        summary: What was found.
        track_width: How many characters a drawing of the two on a line from 0 to 1 may take; None
            for no drawing.
    """
    level = f"{100 * summary.confidence:g} % interval"
    columns = [
        Column("k", "right"),
        Column("pass^k", "right"),
        Column(level),
        Column("pass@k", "right"),
        Column(level, give="drop"),
    ]
    if track_width is not None:
        columns.insert(3, Column(f"0 {'─' * (track_width - 4)} 1", give="drop"))
    rows = []
    for k, all_pass in summary.pass_hat_k.items():
        low, high = summary.intervals.pass_hat_k[k]
        any_passes = summary.pass_at_k[k]
        cells = [
            Cell(str(k)),
            Cell(f"{all_pass:.3f}", "strong"),
            Cell(_interval(low, high), "dim"),
            Cell(f"{any_passes:.3f}", "strong"),
            Cell(_interval(*summary.intervals.pass_at_k[k]), "dim"),
        ]
        if track_width is not None:
            cells.insert(3, Cell(track(low, all_pass, high, any_passes, track_width), "track"))
        rows.append(tuple(cells))
    return Table(
        "Reliability",
        tuple(columns),
        tuple(rows),
        "● pass^k: all of k runs pass   ○ pass@k: any passes",
    )


def _interval(low: float, high: float) -> str:
    return f"{low:.3f} – {high:.3f}"


class Band(NamedTuple):
    """How many cases pass so often.

    Attributes:
        label: How often: `3 of 4`.
        cases: How many cases.
        kind: Whether they always, never or sometimes pass.
    """

    label: str
    cases: int
    kind: str


def bands(summary: Summary) -> list[Band]:
    """The cases by how often they pass, from always to never."""
    cases = summary.counted_cases
    if not cases:
        return []
    sizes = {case.n for case in cases}
    if len(sizes) == 1 and (size := sizes.pop()) <= 6:
        return [
            Band(f"{c} of {size}", sum(case.c == c for case in cases), _kind(c, size))
            for c in range(size, -1, -1)
        ]
    found = [Band("all", 0, "always")]
    found += [Band(label, 0, "flaky") for _, label in _BANDS[1:]]
    found.append(Band("none", 0, "never"))
    for case in cases:
        at = len(_BANDS) if not case.c else _band(case)
        found[at] = found[at]._replace(cases=found[at].cases + 1)
    return found


def _band(case: CaseSummary) -> int:
    return next(at for at, (least, _) in enumerate(_BANDS) if case.c / case.n >= least)


def _kind(c: int, n: int) -> str:
    return "always" if c == n else "flaky" if c else "never"


def cases_table(summary: Summary, most: int | None = _MOST_ROWS, points: int = 1) -> Table:
    """The flaky cases, and what their failed runs do that their passed ones do not.

    Args:
        summary: What was found.
        most: How many rows at most; None tells of every case, the steady ones too.
        points: How many differences to tell for each case.
    """
    flaky = [case for case in summary.cases if case.flaky]
    shown: Sequence[CaseSummary] = summary.cases if most is None else flaky
    rows, hidden = limited([_case_row(case, points) for case in shown], most)
    return Table(
        f"Flaky cases ({len(flaky)})" if most is not None else f"Cases ({len(shown)})",
        (
            Column("case"),
            Column("passes"),
            Column("calls", "right", "drop"),
            Column("errors", "right", "drop"),
            Column("what sets failed runs apart", give="cut"),
        ),
        rows,
        note=_legend(shown),
        hidden=hidden,
    )


def _case_row(case: CaseSummary, points: int) -> tuple[Cell, ...]:
    tone: Tone = "mixed" if case.flaky else "good" if case.c else "bad"
    calls, told = case_cells(case, points)
    nothing = "nothing in their calls" if case.flaky and case.compared else ""
    return (
        Cell(case.case_id),
        Cell(strip(case.c, case.n) if case.n else "not judged", tone if case.n else "dim"),
        Cell(calls, "dim"),
        Cell(str(case.tool_errors) if case.tool_errors else "", "dim"),
        Cell(told) if told else Cell(nothing, "dim"),
    )


def case_cells(case: CaseSummary, points: int) -> tuple[str, str]:
    """How many calls a run of the case makes, and what sets its failed runs apart, in words.

    Args:
        case: What its trials come to.
        points: How many differences to tell at most.
    """
    calls = "" if case.tool_calls is None else number(case.tool_calls)
    lost = case.n - case.c
    told = "  ".join(_point(point, lost) for point in case.parting[:points])
    return calls, told or _failure_classes(case)


def _point(point: PartingPoint, of: int) -> str:
    if point.kind == "order":
        return f"out of order {point.failed}/{of}"
    sign = {"missing": "−", "wrong_argument": "≠", "extra": "+", "forbidden": "✗"}[point.kind]
    what = f"{point.tool}({point.arg})" if point.arg else point.tool
    return f"{sign} {what} {point.failed}/{of}"


def _legend(cases: Sequence[CaseSummary]) -> str:
    """What the signs mean that the cases bear."""
    seen = {point.kind for case in cases for point in case.parting}
    signs = {
        "missing": "− call missing",
        "wrong_argument": "≠ argument wrong",
        "extra": "+ call too many",
        "forbidden": "✗ call forbidden",
    }
    return "  ".join(words for kind, words in signs.items() if kind in seen)


def _failure_classes(case: CaseSummary) -> str:
    """How the case's runs failed, where that says more than that they did."""
    kinds = [kind for kind in case.failure_classes if kind != "unclassified"]
    return ", ".join(f"{kind} {case.failure_classes[kind]}/{case.n - case.c}" for kind in kinds[:2])
