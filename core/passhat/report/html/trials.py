"""What a page shows of each failed run, and of each case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from passhat.reliability import CaseSummary
from passhat.report.alignment_rows import aligned_rows
from passhat.report.failed import (
    MOST_STATE,
    alignment_of,
    class_words,
    false_claims,
    level_of,
    marked_calls,
    state_rows,
    telling,
    why,
)
from passhat.report.harmless import cut
from passhat.report.html.fitting import together
from passhat.report.html.safe import shown
from passhat.report.numbers import money, number, seconds, thousands
from passhat.report.outcome import case_cells
from passhat.result import TimelineStep, Trial

MOST_ROWS = 60
_MOST_TEXT = 1_000
_MOST_CHECKS = 20
MOST_NAME = 200
MOST_CELLS = 60
_MARKS = {"passed": "✓", "failed": "✗", "error": "!", "not_evaluated": "–"}
_TONES = {"passed": "ok", "failed": "critical", "error": "warning", "not_evaluated": "note"}
_KINDS = {
    "matched": "as expected",
    "moved": "out of order",
    "near": "differs",
    "missing": "missing",
    "extra": "extra",
    "besides": "besides",
    "retry": "retried",
    "absorbed": "optional",
}
_STATE = {
    "missed": "not as expected",
    "added": "added, not asked for",
    "removed": "removed, not asked for",
    "changed": "changed, not asked for",
}


def card(trial: Trial, anchor: str, row: str, *, steps: int | None = None) -> dict[str, Any]:
    """What is shown of a failed run.

    Args:
        trial: The trial.
        anchor: The id of its place in the page.
        row: The id of its case's row.
        steps: How many steps of the timeline at most; None for all.
    """
    rows = aligned_rows(alignment_of(trial))
    if _lets_more_pass(trial):
        for held in rows:
            held.kind = "besides" if held.kind == "extra" else held.kind
    name = trial.failed_as or ""
    told, state = telling(trial), state_rows(trial)
    return {
        "id": anchor,
        "row": row,
        "level": level_of(trial),
        "name": cut(name, MOST_NAME),
        "words": cut(class_words(name), MOST_NAME),
        "case": cut(trial.case_id or "(no case)", MOST_NAME),
        "number": trial.trial,
        "why": cut(why(trial), _MOST_TEXT),
        "label": _label(trial),
        "about": _about(trial),
        "tags": tags_of(trial.tags),
        "tags_json": json.dumps(tags_of(trial.tags), ensure_ascii=False),
        "checks": [
            {
                "key": cut(result.key, MOST_NAME),
                "status": result.status.replace("_", " "),
                "mark": _MARKS[result.status],
                "tone": _TONES[result.status],
                "reason": cut(result.reason, _MOST_TEXT),
                "required": result.required,
            }
            for result in told[:_MOST_CHECKS]
        ],
        "more_checks": max(len(told) - _MOST_CHECKS, 0),
        "alignment": [
            {
                "kind": held.kind,
                "word": _KINDS.get(held.kind, held.kind),
                "expected": cut(held.expected, _MOST_TEXT),
                "actual": cut(held.actual, _MOST_TEXT),
                "notes": [cut(note, _MOST_TEXT) for note in held.notes[:20]],
            }
            for held in rows[:MOST_ROWS]
        ],
        "more_calls": max(len(rows) - MOST_ROWS, 0),
        "state": [
            {
                "kind": held.kind,
                "word": _STATE.get(held.kind, held.kind),
                "path": cut(held.path, MOST_NAME),
                "expected": held.expected,
                "actual": held.actual,
            }
            for held in state
        ],
        "more_state": len(state) >= MOST_STATE,
        "timeline": _timeline(trial, steps),
        "no_timeline": "" if trial.timeline else "The steps of this run were not kept.",
    }


def _lets_more_pass(trial: Trial) -> bool:
    """Whether calls besides the expected ones are no fault."""
    result = trial.result("trajectory")
    return result is not None and result.evidence.get("mode") in ("superset", "in_order")


def _label(trial: Trial) -> str:
    held = trial.failure
    if held is None or held.by == "rule":
        return ""
    said = f"Labelled {class_words(trial.failed_as or '')} by {held.by}"
    rule = f"; the rules say {class_words(held.rule)}" if held.rule else ""
    note = f": {held.reason}" if held.reason and held.reason != trial.reason else ""
    return cut(f"{said}{rule}{note}", _MOST_TEXT)


def _about(trial: Trial) -> str:
    """What the run took, and what else its failure is."""
    parts = [f"trace {cut(trial.trace_id, MOST_NAME)}"] if trial.trace_id else []
    if trial.status == "agent_error":
        parts.append("ended in an error of the agent")
    held = trial.failure
    if held is not None and held.also:
        parts.append(f"also {', '.join(class_words(name) for name in held.also)}")
    if "tool_calls" in trial.measures:
        calls = trial.measures["tool_calls"]
        parts.append(f"{number(calls)} {'call' if calls == 1 else 'calls'}")
    if trial.usage is not None and trial.usage.tokens is not None:
        parts.append(f"{thousands(trial.usage.tokens)} tokens")
    if trial.usage is not None and trial.usage.cost is not None:
        parts.append(money(trial.usage.cost, trial.usage.currency))
    if trial.seconds is not None:
        parts.append(seconds(trial.seconds))
    return " · ".join(parts)


def _timeline(trial: Trial, most: int | None) -> list[dict[str, Any]]:
    nested = any(step.nested for step in trial.timeline)
    marked = {} if nested else marked_calls(trial)
    steps = trial.timeline
    if most is not None and len(steps) > most:
        left_out = TimelineStep("left_out", text=f"{len(steps) - most} more steps")
        steps = (*steps[:most], left_out)
    claims = false_claims(trial)
    return [_step(step, _marks(step, marked, claims)) for step in steps]


def _marks(
    step: TimelineStep, calls: dict[int, list[str]], claims: Sequence[tuple[str, str]]
) -> list[str]:
    """The checks that find fault with a step."""
    if step.kind == "message" and step.name not in ("user", "system"):
        said = " ".join(step.text.split())
        return list(dict.fromkeys(key for key, sentence in claims if sentence in said))
    return calls.get(step.index, []) if step.index is not None else []


def _step(step: TimelineStep, marks: Sequence[str]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "css": step.kind,
        "who": cut(step.name, MOST_NAME),
        "at": seconds(step.at) if step.at is not None else "",
        "marks": ", ".join(marks[:4]),
        "call": "",
        "words": "",
        "error": cut(step.error, _MOST_TEXT) if step.error is not None else "",
        "back": "",
    }
    text = cut(step.text, _MOST_TEXT)
    if step.kind == "message":
        known = {"assistant": "agent", "user": "user", "system": "system"}
        told["who"] = known.get(step.name, told["who"])
        told["css"] = step.name if step.name in ("user", "system") else "assistant"
        told["words"] = text
    elif step.kind == "call":
        told["who"] = f"call {step.index}" if step.index is not None else "call"
        told["call"] = f"{cut(step.name, MOST_NAME)} {text}".rstrip()
        never = " (never ran)" if step.executed is False else ""
        told["who"] += never
    elif step.kind == "left_out":
        told["who"], told["words"] = "…", f"{text} left out"
    else:
        told["who"] = f"{step.kind} {told['who']}".rstrip()
        told["words"] = text
    if step.result is not None and step.error is None:
        told["back"] = cut(step.result, _MOST_TEXT)
    wrong = ("marked",) if marks else ("wrong",) if step.error is not None else ()
    told["css"] = " ".join((told["css"], *wrong, *(("nested",) if step.nested else ())))
    return told


def case_row(
    case: CaseSummary, trials: Sequence[Trial], anchor: str, anchors: dict[int, str]
) -> dict[str, Any]:
    """What is shown of a case: a square for each trial, and what sets its failed runs apart.

    Args:
        case: What its trials come to.
        trials: Its trials.
        anchor: The id of the row.
        anchors: The places of the failed runs that the page shows, by `id(trial)`.
    """
    calls, told = case_cells(case, points=2)
    return {
        "id": anchor,
        "name": cut(case.case_id, MOST_NAME),
        "cells": [_cell(trial, anchors.get(id(trial))) for trial in trials[:MOST_CELLS]],
        "more": max(len(trials) - MOST_CELLS, 0),
        "passes": f"{case.c} of {case.n}" if case.n else "not judged",
        "tone": "dim"
        if not case.n
        else "good"
        if case.c == case.n
        else "mixed"
        if case.c
        else "bad",
        "calls": calls,
        "told": together(cut(told, 300)),
        "tags": tags_of(case.tags),
        "tags_json": json.dumps(tags_of(case.tags), ensure_ascii=False),
    }


def _cell(trial: Trial, anchor: str | None) -> dict[str, str]:
    if not trial.lost:
        return {"kind": "p" if trial.passed else "n", "mark": "", "href": ""}
    level = level_of(trial)
    kind, mark = ("c", "‼") if level == "critical" else ("w", "✗")
    if anchor is None:
        return {"kind": kind, "mark": mark, "href": ""}
    words = cut(class_words(trial.failed_as or ""), 60)
    label = f"trial {trial.trial}: {level}, {words}"
    return {"kind": kind, "mark": mark, "href": f"#{anchor}", "label": label}


def tags_of(tags: Iterable[str], most: int = 12) -> list[str]:
    """The tags as a page knows them: the first so many, each cut."""
    return [cut(shown(tag), 80) for tag in list(tags)[:most]]
