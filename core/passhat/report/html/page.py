"""What a page shows of all runs together: the verdict, what to act on, charts and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from passhat.compare import Comparison
from passhat.gate import Decision
from passhat.reliability import Summary
from passhat.reliability.wording import counted
from passhat.report import behaviour, omissions, outcome
from passhat.report.comparison import comparison_blocks
from passhat.report.decision import decision_blocks
from passhat.report.failed import (
    by_class,
    class_level,
    class_meaning,
    class_words,
    graver,
    level_of,
)
from passhat.report.harmless import cut
from passhat.report.html.charts import class_chart, histogram, reliability_chart
from passhat.report.html.fitting import LONGEST_CELL, MOST_ROWS, drawable, fitted, unbroken
from passhat.report.html.labels import matrix, routes
from passhat.report.html.overview import findings, tiles
from passhat.report.html.safe import shown
from passhat.report.html.spending import spending
from passhat.report.html.trials import MOST_NAME, tags_of
from passhat.result import Trial
from passhat.state.changes import value_text

_MOST_CLASSES = 40
_MOST_BARS = 14


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
    critical = [trial for trial in lost if level_of(trial) == "critical"]
    level, words = _level(summary, len(critical)) if decision is None else _decided(decision)
    verdict = summary.verdict if decision is None else decision.sentence
    classes = _classes(summary, critical)
    held: dict[str, Any] = {
        "title": title or verdict,
        "level": level,
        "level_words": words,
        "verdict": unbroken(verdict),
        "also": "" if decision is None else unbroken(summary.verdict),
        "gate": [] if decision is None else list(drawable(decision_blocks(decision)[1:])),
        "comparison": [] if comparison is None else list(drawable(comparison_blocks(comparison))),
        "about": " · ".join(filter(None, (title, outcome.what_was_scored(summary)))),
        "tiles": list(tiles(summary, len(critical), len(lost))),
        "findings": list(findings(summary, critical, classes)),
        "confidence": f"{100 * summary.confidence:g} %",
        "curve": reliability_chart(summary).svg if summary.pass_hat_k else "",
        "reliability": outcome.reliability_table(summary),
        "histogram": histogram(summary).svg if summary.counted_cases else "",
        "bands": ", ".join(
            f"{b.label}: {counted(b.cases, 'case')}" for b in outcome.bands(summary)
        ),
        "classes": classes,
        "class_chart": _class_chart(classes),
        "flaky": fitted(outcome.cases_table(summary, MOST_ROWS, points=3)),
        "tools": fitted(behaviour.parting_table(summary, None, arguments=3)),
        "tool_matrix": matrix(summary.tool_confusion),
        "route_matrix": matrix(summary.routing),
        "routes": routes(summary.routing),
        "checks": fitted(behaviour.checks_table(summary, None)),
        "rates": fitted(behaviour.rates_table(summary)),
        "by_tag": fitted(behaviour.tags_table(summary, MOST_ROWS)),
        "efficiency": fitted(behaviour.efficiency_table(summary)),
        "costs": " · ".join(behaviour.costs(summary)),
        "left_out": fitted(omissions.omissions_table(summary)),
        "sensitivity": list(omissions.sensitivity_lines(summary)),
        "ledger": omissions.ledger_line(summary),
        "notes": [cut(note, LONGEST_CELL) for note in summary.notes],
        "tags": tags_of(sorted(summary.tags), 100),
        "pins": [(cut(str(k), 100), value_text(v, 200)) for k, v in list(pins.items())[:40]],
        "lost": len(lost),
        "lost_words": f"{counted(len(lost), 'run')} failed, {len(critical):,} of them critical. "
        "Critical ones come first.",
        **spending(summary, trials),
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


def _classes(summary: Summary, critical: Sequence[Trial]) -> list[dict[str, Any]]:
    """How runs fail, critical ones first, with what that means.

    `critical` is how many runs of a class that is none of itself are critical all the same.
    """
    critical_of = graver(critical)
    return [
        {
            "name": cut(name, MOST_NAME),
            "words": cut(class_words(name), 100),
            "count": count,
            "level": class_level(name),
            "critical": critical_of[name],
            "meaning": class_meaning(name),
        }
        for name, count in by_class(summary.failure_classes)[:_MOST_CLASSES]
    ]


def _class_chart(classes: Sequence[dict[str, Any]]) -> str:
    if not classes:
        return ""
    bars = [(shown(item["words"])[:40], item["count"], item["level"]) for item in classes]
    return class_chart(bars[:_MOST_BARS]).svg


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
