"""What a page shows of all runs together: the verdict, what to act on, charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any

from passhat.compare import Comparison
from passhat.gate import Decision
from passhat.reliability import Summary
from passhat.reliability.labels import NONE, LabelTable
from passhat.reliability.wording import counted, percent
from passhat.report import behaviour, omissions, outcome
from passhat.report.blocks import Block, Heading, Item, Note
from passhat.report.comparison import comparison_blocks
from passhat.report.decision import decision_blocks
from passhat.report.failed import (
    by_class,
    class_level,
    class_meaning,
    class_words,
    level_of,
    why,
)
from passhat.report.harmless import cut
from passhat.report.html.charts import class_chart, cost_chart, histogram, reliability_chart
from passhat.report.html.safe import shown
from passhat.report.html.trials import MOST_NAME, tags_of
from passhat.report.numbers import money, number, seconds, thousands
from passhat.report.tables import Cell, Column, Table, filled
from passhat.report.tabular import tokens_of
from passhat.result import Level, Trial
from passhat.state.changes import value_text

_MOST_ROWS = 25
_MOST_LABELS = 14
_MOST_POINTS = 3_000
_MOST_CLASSES = 40
_LONGEST_CELL = 300


def page(
    summary: Summary,
    trials: Sequence[Trial],
    pins: dict[str, Any],
    title: str | None,
    decision: Decision | None = None,
    comparison: Comparison | None = None,
) -> dict[str, Any]:
    """The parts of a page, but for its cases and failed runs.

    Args:
        summary: What the trials come to.
        trials: The trials.
        pins: What all were pinned to.
        title: What to call the page; by default its verdict.
        decision: What a gate decided, which is the verdict then.
        comparison: What differs from a baseline.

    Raises:
        MissingExtraError: Matplotlib is not installed.
    """
    lost = [trial for trial in trials if trial.lost and trial.case_id is not None]
    levels = {id(trial): level_of(trial) for trial in lost}
    critical = [trial for trial in lost if levels[id(trial)] == "critical"]
    level, words = _level(summary, len(critical)) if decision is None else _decided(decision)
    verdict = summary.verdict if decision is None else decision.sentence
    classes: list[dict[str, Any]] = [
        {
            "name": cut(name, MOST_NAME),
            "words": cut(class_words(name), 100),
            "count": count,
            "level": class_level(name),
            "meaning": class_meaning(name),
        }
        for name, count in by_class(summary.failure_classes)[:_MOST_CLASSES]
    ]
    found = _cost(summary, trials)
    held: dict[str, Any] = {
        "title": title or verdict,
        "level": level,
        "level_words": words,
        "verdict": _unbroken(verdict),
        "also": "" if decision is None else _unbroken(summary.verdict),
        "gate": [] if decision is None else list(_drawable(decision_blocks(decision)[1:])),
        "comparison": [] if comparison is None else list(_drawable(comparison_blocks(comparison))),
        "about": " · ".join(filter(None, (title, outcome.what_was_scored(summary)))),
        "tiles": list(_tiles(summary, len(critical), len(lost))),
        "findings": list(_findings(summary, critical, classes)),
        "confidence": f"{100 * summary.confidence:g} %",
        "curve": reliability_chart(summary).svg if summary.pass_hat_k else "",
        "reliability": outcome.reliability_table(summary),
        "histogram": histogram(summary).svg if summary.counted_cases else "",
        "bands": ", ".join(
            f"{b.label}: {counted(b.cases, 'case')}" for b in outcome.bands(summary)
        ),
        "classes": classes,
        "class_chart": class_chart(
            [(shown(c["words"])[:40], c["count"], c["level"]) for c in classes[:14]]
        ).svg
        if classes
        else "",
        "flaky": _fitted(outcome.cases_table(summary, _MOST_ROWS, points=3)),
        "tools": _fitted(behaviour.parting_table(summary, None, arguments=3)),
        "tool_matrix": _matrix(summary.tool_confusion),
        "route_matrix": _matrix(summary.routing),
        "routes": _routes(summary.routing),
        "checks": _fitted(behaviour.checks_table(summary, None)),
        "rates": _fitted(behaviour.rates_table(summary)),
        "by_tag": _fitted(behaviour.tags_table(summary, _MOST_ROWS)),
        "efficiency": _fitted(behaviour.efficiency_table(summary)),
        "costs": " · ".join(behaviour.costs(summary)),
        "left_out": _fitted(omissions.omissions_table(summary)),
        "sensitivity": list(omissions.sensitivity_lines(summary)),
        "ledger": omissions.ledger_line(summary),
        "notes": [cut(note, _LONGEST_CELL) for note in summary.notes],
        "tags": tags_of(sorted(summary.tags), 100),
        "pins": [(cut(str(k), 100), value_text(v, 200)) for k, v in list(pins.items())[:40]],
        "lost": len(lost),
        "lost_words": f"{counted(len(lost), 'run')} failed, {len(critical):,} of them critical. "
        "Critical ones come first.",
        **found,
    }
    held["parts"] = list(_parts(held))
    return held


def _level(summary: Summary, critical: int) -> tuple[str, str]:
    """How bad it is, and in words."""
    if not summary.n:
        return "critical", "Critical: nothing was judged"
    if critical:
        return "critical", f"Critical: {counted(critical, 'run')} did or said what it may not"
    if summary.c < summary.n:
        return "warning", f"Warning: {counted(summary.n - summary.c, 'run')} failed"
    if not summary.judged:
        return "warning", "Warning: not everything was judged"
    return "ok", "All runs passed"


def _decided(decision: Decision) -> tuple[str, str]:
    """How bad a decision is, and in words."""
    if decision.verdict == "reject":
        return "critical", "Rejected"
    if decision.verdict == "inconclusive":
        return "warning", "Inconclusive"
    warnings = len(decision.warnings)
    return (
        ("warning", f"Accepted, {counted(warnings, 'warning')}") if warnings else ("ok", "Accepted")
    )


def _unbroken(text: str) -> str:
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _drawable(blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    """Blocks as the page draws them: rules follow each other in one list."""
    rules: list[dict[str, Any]] = []
    for block in blocks:
        if isinstance(block, Item):
            rules.append(
                {
                    "mark": block.mark,
                    "word": _MARKED.get(block.mark, ""),
                    "tone": block.tone,
                    "text": cut(block.text, _LONGEST_CELL),
                    "below": [cut(line, 2 * _LONGEST_CELL) for line in block.below],
                }
            )
            continue
        if rules:
            yield {"kind": "rules", "rules": rules}
            rules = []
        if isinstance(block, Heading):
            yield {"kind": "heading", "text": _unbroken(block.text)}
        elif isinstance(block, Note):
            yield {"kind": "note", "text": block.text}
        elif block.rows:
            yield {"kind": "table", "table": _fitted(block)}
    if rules:
        yield {"kind": "rules", "rules": rules}


_MARKED = {"✓": "holds: ", "✗": "does not hold: ", "?": "cannot be told: "}


def _tiles(summary: Summary, critical: int, lost: int) -> Iterator[dict[str, str]]:
    level = f"{100 * summary.confidence:g} %"
    most = max(summary.pass_hat_k, default=0)
    for k in dict.fromkeys((min(summary.pass_hat_k, default=0), most)):
        if k:
            low, high = summary.intervals.pass_hat_k[k]
            yield {
                "name": f"pass^{k}",
                "number": f"{summary.pass_hat_k[k]:.3f}",
                "of": f"{low:.3f} to {high:.3f} ({level})",
                "tone": "accent",
            }
    flaky = sum(case.flaky for case in summary.cases)
    yield {
        "name": "runs that passed",
        "number": f"{summary.c:,}",
        "of": f"of {summary.n:,} judged, {len(summary.counted_cases):,} cases",
        "tone": "good" if summary.n and summary.c == summary.n else "",
    }
    yield {
        "name": "critical failures",
        "number": f"{critical:,}",
        "of": f"of {counted(lost, 'failure')}",
        "tone": "bad" if critical else "good",
    }
    yield {
        "name": "flaky cases",
        "number": f"{flaky:,}",
        "of": "pass sometimes",
        "tone": "mixed" if flaky else "good",
    }
    if summary.efficiency.cost_per_success is not None:
        cost = money(summary.efficiency.cost_per_success, summary.efficiency.currency)
        yield {"name": "cost of a success", "number": cost, "of": "failures paid in", "tone": ""}
    elif summary.sensitivity.left_out:
        yield {
            "name": "not judged",
            "number": f"{summary.sensitivity.left_out:,}",
            "of": "left out of the rates",
            "tone": "mixed",
        }


def _findings(
    summary: Summary, critical: Sequence[Trial], classes: Sequence[dict[str, Any]]
) -> Iterator[dict[str, str]]:
    """What a reader should act on: critical things first."""
    if not summary.n:
        yield _finding("critical", "Nothing was judged.", "A report on nothing says nothing.")
    of_class: dict[str, list[Trial]] = {}
    for trial in critical:
        of_class.setdefault(trial.failed_as or "", []).append(trial)
    for name, runs in sorted(of_class.items(), key=lambda item: -len(item[1])):
        cases = len({trial.case_id for trial in runs})
        head = f"{counted(len(runs), 'run')} of {counted(cases, 'case')}: {class_words(name)}."
        more = f"{class_meaning(name).capitalize()}. First: {why(runs[0])}"
        yield _finding("critical", cut(head, 200), cut(more, 300), "#failed", "Failed runs")
    never = [case.case_id for case in summary.counted_cases if not case.c]
    if never:
        names = ", ".join(never[:6]) + (f" and {len(never) - 6} more" if len(never) > 6 else "")
        yield _finding(
            "warning", f"{counted(len(never), 'case')} never {_verb(len(never))}:", cut(names, 300)
        )
    flaky = [case for case in summary.cases if case.flaky]
    if flaky:
        yield _finding(
            "warning",
            f"{counted(len(flaky), 'case')} {_verb(len(flaky))} only sometimes.",
            "One green run of them says little.",
            "#flaky",
            "Flaky cases",
        )
    usual = [item for item in classes if item["level"] == "warning"]
    if usual:
        told = ", ".join(f"{item['words']} {item['count']}" for item in usual[:5])
        head = "Other failures:" if critical else "Failures:"
        yield _finding("warning", head, f"{told}.", "#classes", "How runs fail")
    if summary.ledger.get("check_error"):
        broke = counted(summary.ledger["check_error"], "run")
        yield _finding("warning", f"A check broke in {broke}.", "They count neither way.")
    if summary.n and summary.sensitivity.left_out:
        said = " ".join(f"{line.capitalize()}." for line in omissions.sensitivity_lines(summary))
        yield _finding(
            "warning", f"{omissions.left_out_title(summary)}.", said, "#left-out", "Not judged"
        )
    for note in summary.notes[:4]:
        yield _finding("warning", "Note:", cut(note, 300))


def _verb(cases: int) -> str:
    return "passes" if cases == 1 else "pass"


def _finding(level: Level, head: str, more: str, href: str = "", link: str = "") -> dict[str, str]:
    return {"level": level, "head": head, "more": more, "href": href, "link": link}


def _parts(held: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The parts that the page has, for its navigation."""
    for anchor, words, there in (
        ("gate", "Gate", held["gate"]),
        ("comparison", "Against the baseline", held["comparison"]),
        ("findings", "What to act on", held["findings"]),
        ("reliability", "Reliability", held["curve"]),
        ("cases", "Cases", True),
        ("flaky", "Flaky", held["flaky"].rows),
        ("classes", "How runs fail", held["classes"]),
        (
            "tools",
            "Tools",
            held["tools"].rows or held["tool_matrix"] or held["route_matrix"] or held["routes"],
        ),
        ("cost", "Cost", held["cost_chart"]),
        ("checks", "Checks", held["checks"].rows or held["rates"].rows),
        ("left-out", "Not judged", held["left_out"].rows),
        ("failed", "Failed runs", held["lost"]),
    ):
        if there:
            yield anchor, words


def _fitted(table: Table, most: int = _MOST_ROWS) -> Table:
    """The table with so many rows at most and no cell too long, without its empty columns."""
    rows = tuple(
        tuple(cell._replace(text=cut(cell.text, _LONGEST_CELL)) for cell in row)
        for row in table.rows[:most]
    )
    hidden = table.hidden + max(len(table.rows) - most, 0)
    return filled(Table(table.title, table.columns, rows, table.note, hidden))


def _matrix(table: LabelTable | None) -> dict[str, Any] | None:
    """Labels expected against labels given; those most mixed up, where there are too many."""
    if table is None or not table.counts or not table.mixups:
        return None
    wrong: dict[str, int] = {}
    for mixup in table.mixups:
        for name in (mixup.expected, mixup.actual):
            wrong[name] = wrong.get(name, 0) + mixup.count
    ranked = sorted((n for n in wrong if n != NONE), key=lambda name: (-wrong[name], name))
    kept = [*sorted(ranked[:_MOST_LABELS]), *([NONE] if NONE in wrong else [])]
    worst = max((mixup.count for mixup in table.mixups), default=1)
    rows = []
    for expected in kept:
        cells = []
        for actual in kept:
            count = table.counts.get(expected, {}).get(actual, 0)
            heat = "hit" if expected == actual else f"h{1 + min(2, 3 * (count - 1) // worst)}"
            cells.append({"text": f"{count:,}" if count else "·", "kind": heat if count else "dim"})
        rows.append((cut(expected, 80), cells))
    return {
        "columns": [cut(name, 80) for name in kept],
        "rows": rows,
        "hidden": max(len(ranked) - _MOST_LABELS, 0),
    }


def _routes(table: LabelTable | None) -> Table | None:
    """How well each route was taken."""
    if table is None:
        return None
    rows = tuple(
        (
            Cell(name),
            *(
                Cell("–" if value is None else percent(value))
                for value in (row.precision, row.recall, row.f1)
            ),
            Cell(f"{row.support:,}", "dim"),
        )
        for name, row in list(table.labels.items())[:_MOST_ROWS]
    )
    heads = ("precision", "recall", "F1", "expected")
    columns = (Column("route"), *(Column(head, "right") for head in heads))
    return _fitted(Table("Routes", columns, rows, hidden=max(len(table.labels) - _MOST_ROWS, 0)))


def _cost(summary: Summary, trials: Sequence[Trial]) -> dict[str, Any]:
    """What runs take against how often they pass, case by case, in what is known of all of them."""
    counting = [t for t in trials if t.case_id is not None and (t.passed or t.lost)]
    for name, title, measure, write in _MEASURES:
        values = [_measured(trial, name) for trial in counting]
        known = [value for value in values if value is not None]
        if not known or len(known) < len(counting) or not max(known):
            continue
        if name != "cost":
            return _drawn(summary, counting, known, title, measure, write)
        currencies = {t.usage.currency for t in counting if t.usage is not None}
        if len(currencies) == 1:
            currency = shown(currencies.pop())[:8]
            told = partial(money, currency=currency)
            return _drawn(summary, counting, known, title, f"cost in {currency}", told)
    return {"cost_chart": "", "cost_title": "", "cost_words": "", "cost_table": None}


_MEASURES: tuple[tuple[str, str, str, Callable[[float], str]], ...] = (
    ("cost", "Cost", "cost", number),
    ("tokens", "Tokens", "tokens", thousands),
    ("seconds", "Time", "seconds", seconds),
    ("tool_calls", "Calls", "calls", number),
)
"""What a run may take: its measure, its title, its words, and how a value is written."""


def _measured(trial: Trial, name: str) -> float | None:
    if name == "seconds":
        return trial.seconds
    if name == "tool_calls":
        return trial.measures.get(name)
    if name == "tokens":
        return tokens_of(trial)
    return trial.usage.cost if trial.usage is not None else None


def _drawn(
    summary: Summary,
    trials: Sequence[Trial],
    values: Sequence[float],
    title: str,
    measure: str,
    write: Callable[[float], str],
) -> dict[str, Any]:
    cases: dict[str, list[tuple[float, bool]]] = {}
    for trial, value in zip(trials, values, strict=True):
        cases.setdefault(trial.case_id or "", []).append((value, trial.passed))
    points = [
        (sum(v for v, _ in held) / len(held), sum(p for _, p in held) / len(held))
        for held in list(cases.values())[:_MOST_POINTS]
    ]
    split = {
        "passed": [v for t, v in zip(trials, values, strict=True) if t.passed],
        "failed": [v for t, v in zip(trials, values, strict=True) if not t.passed],
    }
    rows = tuple(
        (
            Cell(f"runs that {name}"),
            Cell(f"{len(held):,}", "dim"),
            Cell(write(median(held)), "strong"),
            Cell(write(sum(held) / len(held))),
        )
        for name, held in split.items()
        if held
    )
    columns = (Column(""), *(Column(head, "right") for head in ("runs", "median", "mean")))
    told = " and ".join(
        f"the median of runs that {name} is {write(median(held))}"
        for name, held in split.items()
        if held
    )
    return {
        "cost_chart": cost_chart(points, measure, summary.c / summary.n).svg,
        "cost_title": title,
        "cost_words": f"A dot is a case, larger where several fall together; the broken line is the "
        f"share of all runs that pass. {told[:1].upper()}{told[1:]}.",
        "cost_table": Table(f"{title} of a run ({rate_words(summary)})", columns, rows),
    }


def rate_words(summary: Summary) -> str:
    """How many runs pass, in words."""
    return f"{percent(summary.c / summary.n)} pass"
