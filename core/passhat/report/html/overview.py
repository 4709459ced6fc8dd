"""What a reader of the page sees first: the tiles of numbers, and what to act on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from passhat.reliability import Summary
from passhat.reliability.wording import counted
from passhat.report import omissions
from passhat.report.failed import class_meaning, class_words, why
from passhat.report.harmless import cut
from passhat.report.numbers import money
from passhat.result import Level, Trial

_MOST_NAMED = 5


def tiles(summary: Summary, critical: int, lost: int) -> Iterator[dict[str, str]]:
    """The numbers that say most: their names, what they are of, and whether they are good."""
    level = f"{100 * summary.confidence:g}\N{NO-BREAK SPACE}%"
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
    # That nothing was found is no good where nothing was judged.
    good = "good" if summary.n else ""
    yield {
        "name": "runs that passed",
        "number": f"{summary.c:,}",
        "of": f"of {summary.n:,} judged, {len(summary.counted_cases):,} cases",
        "tone": good if summary.c == summary.n else "",
    }
    yield {
        "name": "critical failures",
        "number": f"{critical:,}",
        "of": f"of {counted(lost, 'failure')}",
        "tone": "bad" if critical else good,
    }
    yield {
        "name": "flaky cases",
        "number": f"{flaky:,}",
        "of": "pass sometimes",
        "tone": "mixed" if flaky else good,
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


def findings(
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
    usual = [
        (item["words"], item["count"] - item["critical"])
        for item in classes
        if item["level"] == "warning" and item["count"] > item["critical"]
    ]
    if usual:
        told = ", ".join(f"{words} {count}" for words, count in usual[:_MOST_NAMED])
        if rest := sum(count for _, count in usual[_MOST_NAMED:]):
            told += f" and {rest} of other classes"
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
