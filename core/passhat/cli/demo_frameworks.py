"""The second half of `passhat demo`: one agent in every framework, its suite in every form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from passhat.case import Suite
    from passhat.demo import Demo
    from passhat.reliability import Summary
    from passhat.result import Trial

TRIALS = 5
WRITTEN = (
    ("adk", "Google ADK", "refunds.evalset.json"),
    ("langsmith", "LangSmith", "refunds.examples.jsonl"),
)
"""The forms that the suite is written in: the format, its name, and the file."""

_MARKS = {"passed": ("●", "green"), "failed": ("○", "red"), "agent_error": ("○", "red")}
_KS = (1, 3, 5)
_GAP = 2


def frameworks(folder: Path, width: int) -> list[Text]:
    """What the refund desk did in each framework that is installed.

    Args:
        folder: Where the suite is written in the forms of others.
        width: The columns there are.
    """
    from passhat.demo import REFUNDS, demos
    from passhat.suitefile.reading import read_suite

    suite = read_suite(REFUNDS)
    found, absent = demos(suite, TRIALS)
    lines = [*_table(suite, found), *_bad_run(suite, found), *_alignment(found)]
    lines += _written(folder)
    lines += _absent(absent)
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _title(text: str, note: str = "") -> list[Text]:
    from rich.text import Text

    return [Text(), Text.assemble((text, "bold"), (f"   {note}" if note else "", "dim"))]


def _table(suite: Suite, found: list[Demo]) -> Iterator[Text]:
    """Each case's attempts in each framework, and pass^k with its intervals."""
    from rich.text import Text

    many = len(found) > 1
    what = f"One agent in {len(found)} frameworks" if many else f"One agent in {found[0].name}"
    note = f"{len(suite.cases)} tasks, {TRIALS} attempts each; pass^k with 95 % intervals"
    yield from _title(what, note)
    first = max(len(case.id) for case in suite.cases) + _GAP
    summaries = [one.results.summary(_KS) for one in found]
    ranges = [{k: _range(summary, k) for k in _KS} for summary in summaries]
    wide = max(len(text) for told in ranges for text in told.values()) + 2 * _GAP
    yield Text.assemble(
        ("  " + "task".ljust(first), "dim"), *((one.name.ljust(wide), "dim") for one in found)
    )
    for case in suite.cases:
        line = Text("  " + case.id.ljust(first))
        for one in found:
            marks = [_mark(trial) for trial in one.results if trial.case_id == case.id]
            for mark in marks:
                line.append(*mark)
            line.append(" " * (wide - len(marks)))
        yield line
    for k in _KS:
        line = Text.assemble(("  " + f"pass^{k}".ljust(first), "dim"))
        for told in ranges:
            line.append(told[k][:4], "bold")
            line.append(told[k][4:].ljust(wide - 4), "dim")
        yield line
    if many and _alike(found):
        yield Text("  The same runs get the same verdicts everywhere, and the same reasons.", "dim")


def _range(summary: Summary, k: int) -> str:
    low, high = summary.intervals.pass_hat_k[k]
    return f"{summary.pass_hat_k[k]:.2f}  {low:.2f} – {high:.2f}"


def _mark(trial: Trial) -> tuple[str, str]:
    return _MARKS.get(trial.status, ("?", "yellow"))


def _alike(found: list[Demo]) -> bool:
    """Whether every framework got the same verdicts, with the same reasons."""
    said = [
        sorted((str(t.case_id), t.trial, t.status, t.reason) for t in one.results) for one in found
    ]
    return all(one == said[0] for one in said)


def _bad_run(suite: Suite, found: list[Demo]) -> Iterator[Text]:
    """What a bad run left behind in the world."""
    from rich.text import Text

    from passhat.state import diff

    for one in found:
        trials = {(trial.case_id, trial.trial): trial for trial in one.results}
        for trace in one.traces:
            trial = trials.get((trace.case_id, trace.trial or 0))
            goal = trial.result("final_state") if trial is not None else None
            if trial is None or goal is None or goal.status != "failed":
                continue
            note = f"{trial.case_id}, attempt {trial.trial + 1} of {TRIALS} ({one.name})"
            yield from _title("What a bad run left behind", note)
            yield Text.assemble(("  asked    ", "dim"), str(suite.by_id[str(trial.case_id)].input))
            for at, change in enumerate(diff(trace.initial_state, trace.final_state).changes):
                yield Text.assemble(
                    ("  changed  " if not at else "           ", "dim"), str(change)
                )
            yield Text.assemble(("  but      ", "dim"), (goal.reason, "red"))
            return


def _alignment(found: list[Demo]) -> Iterator[Text]:
    """Where a run left the way, call by call."""
    from rich.text import Text

    for one in reversed(found):
        for trial in one.results:
            result = trial.result("trajectory")
            if result is None or not result.reason.startswith("out of order"):
                continue
            note = f"{trial.case_id}, attempt {trial.trial + 1} of {TRIALS} ({one.name})"
            yield from _title("Where another left the way", note)
            for line in str(result.evidence["alignment"]).splitlines():
                yield Text(f"  {line}")
            yield Text.assemble(("  why  ", "dim"), (result.reason, "red"))
            return


def _written(folder: Path) -> Iterator[Text]:
    """The suite in the forms of others, with what became of its fields."""
    from rich.text import Text

    from passhat.convert import convert_file
    from passhat.demo import REFUNDS

    yield from _title("The same suite, written for others", "passhat convert")
    for format, name, file in WRITTEN:
        report = convert_file(REFUNDS, folder / file, to=format, force=True)
        counts = ", ".join(f"{n} {kind}" for kind, n in reversed(report.counts.items()) if n)
        yield Text.assemble(("  " + name.ljust(12), "bold"), file.ljust(24), (counts, "dim"))
        yield Text(f"    {_glimpse(format, folder / file)}", "dim")


def _glimpse(format: str, path: Path) -> str:
    """The beginning of what a form makes of the first case's calls."""
    text = path.read_text("utf-8")
    if format == "adk":
        case = json.loads(text)["eval_cases"][0]
        uses = case["conversation"][0]["intermediate_data"]["tool_uses"]
        return json.dumps({"eval_id": case["eval_id"], "tool_uses": uses})
    example = json.loads(text.splitlines()[0])
    calls = example["outputs"]["expected_calls"]
    return json.dumps({"outputs": {"expected_calls": calls}})


def _absent(absent: list[tuple[str, str]]) -> Iterator[Text]:
    """The line that shows the frameworks that are not there."""
    from rich.text import Text

    if not absent:
        return
    names = ",".join(name for name, _ in absent)
    yield from _title("The same agent in the frameworks that are not installed here")
    yield Text.assemble(f"  pip install 'passhat[{names}]'", ("   then passhat demo again", "dim"))
