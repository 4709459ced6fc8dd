"""What the agent did: where its calls part from the expected ones, its conduct, what runs take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from passhat.reliability import CheckCounts, Rate, Spread, Summary, ToolParting
from passhat.reliability.labels import NONE, LabelTable
from passhat.reliability.wording import percent
from passhat.report.failed import by_class, class_level, class_meaning, graver
from passhat.report.numbers import money, number, rate, seconds, thousands
from passhat.report.tables import Cell, Column, Table, limited
from passhat.result import Level, Trial

_MOST_ROWS = 5
_MOST_NAMES = 8

_RATES = {
    "error_rate": "tool errors",
    "recovered": "errors recovered",
    "runs_with_forbidden_call": "forbidden-call runs",
    "unknown_tools": "unknown tools",
    "duplicate_calls": "duplicate calls",
    "unnecessary_calls": "unnecessary calls",
    "call_exact": "calls exactly right",
    "argument_accuracy": "arguments right",
    "schema_valid": "valid by schema",
}
"""The rates that a report tells first, most telling first, and what they are called there."""


def conduct(summary: Summary) -> list[tuple[str, str]]:
    """How the agent behaved over all runs, as names and values."""
    calls = summary.rates["error_rate"].of if "error_rate" in summary.rates else 0
    rows = []
    ran = summary.trials - sum(
        summary.ledger.get(s, 0) for s in ("infrastructure_error", "not_run")
    )
    if calls and ran:
        rows.append(("tool calls", f"{number(calls)}, {number(calls / ran)} a run"))
    for name, words in _RATES.items():
        value = summary.rates.get(name)
        if value is not None and value.of and (value.hits or name == "error_rate"):
            rows.append((words, rate(value)))
    if summary.refusals is not None:
        for words, value in (
            ("refused without need", summary.refusals.over),
            ("should have refused", summary.refusals.under),
        ):
            if value.of:
                rows.append((words, rate(value)))
    return rows


def rates_table(summary: Summary) -> Table:
    """Every pooled rate, with its numerator and denominator."""
    return Table(
        "Rates",
        (Column("rate"), Column("value", "right"), Column("of", "right")),
        tuple(
            (
                Cell(name),
                Cell("" if value.value is None else percent(value.value), "strong"),
                Cell(f"{number(value.hits)}/{number(value.of)}", "dim"),
            )
            for name, value in summary.rates.items()
        ),
    )


def parting_table(summary: Summary, most: int | None = _MOST_ROWS, arguments: int = 2) -> Table:
    """Tool by tool, where the calls part from the expected ones.

    Args:
        summary: What was found.
        most: How many rows at most; None tells of every tool, those called too often too.
        arguments: How many of the arguments most often wrong to tell for each tool.
    """
    tools = [
        tool
        for tool in summary.tools
        if most is None or tool.undue or (tool.expected and tool.matched < tool.expected)
    ]
    rows, hidden = limited([_tool_row(tool, arguments) for tool in tools], most)
    check = summary.checks.get("trajectory")
    informs = check is not None and not check.required
    return Table(
        "Where calls part from the expected ones",
        (
            Column("tool"),
            Column("made", "right"),
            Column("missing", "right"),
            Column("wrong", "right"),
            Column("extra", "right", "drop"),
            Column("wrong argument", give="cut"),
        ),
        rows,
        note="informs, is not the verdict" if informs else "",
        hidden=hidden,
    )


def _tool_row(tool: ToolParting, arguments: int) -> tuple[Cell, ...]:
    return (
        Cell(tool.name),
        Cell(f"{tool.matched}/{tool.expected}" if tool.expected else ""),
        Cell(_count(tool.missing), "bad"),
        Cell(_count(tool.wrong_arguments), "mixed"),
        Cell(_count(tool.extra), "dim"),
        Cell(
            ", ".join(f"{arg} {times}" for arg, times in list(tool.arguments.items())[:arguments])
        ),
    )


def _count(value: int) -> str:
    return str(value) if value else ""


def checks_table(summary: Summary, most: int | None = _MOST_ROWS) -> Table:
    """What each check said, and how that goes with passing.

    Required checks come first; those that inform by how well they tell passed from failed runs.
    """
    told = [
        (key, check)
        for key, check in summary.checks.items()
        if most is None or _worth_telling(key, check)
    ]
    told.sort(key=lambda item: (not item[1].required, -_telling(item[1])))
    rows, hidden = limited([_check_row(key, check) for key, check in told], most)
    informing = not any(check.required for _, check in told[:most])
    return Table(
        "Checks",
        (
            Column("check"),
            Column("holds", "right"),
            Column("of", "right"),
            Column("passed runs", "right"),
            Column("failed runs", "right"),
            Column("unjudged", "right", "drop"),
            Column("", give="drop"),
        ),
        rows if not informing else tuple((*row[:-1], Cell("")) for row in rows),
        note="they inform, are not the verdict" if informing else "",
        hidden=hidden,
    )


def _worth_telling(key: str, check: CheckCounts) -> bool:
    if key == "recorded_score":
        return False
    return bool(check.failed or check.error or (check.required and check.not_evaluated))


def _telling(check: CheckCounts) -> float:
    passed, failed = check.when_passed.value, check.when_failed.value
    return 0.0 if passed is None or failed is None else passed - failed


def _check_row(key: str, check: CheckCounts) -> tuple[Cell, ...]:
    judged = check.passed + check.failed
    broke = f"{check.error:,} broke"
    return (
        Cell(key),
        Cell(_held(Rate.over(check.passed, judged)), "strong"),
        Cell(f"{judged:,}", "dim"),
        Cell(_held(check.when_passed)),
        Cell(_held(check.when_failed)),
        Cell(_count(check.not_evaluated), "dim"),
        Cell(broke, "bad") if check.error else Cell("" if check.required else "informs", "dim"),
    )


def _held(value: Rate) -> str:
    return "–" if value.value is None else percent(value.value)


def efficiency_table(summary: Summary) -> Table:
    """What passed runs take, a column a measure."""
    taken = summary.efficiency
    told: list[tuple[str, Spread, Callable[[float], str]]] = [
        (words, held, write)
        for words, held, write in (
            ("calls", taken.tool_calls, number),
            ("requests", taken.requests, number),
            ("turns", taken.turns, number),
            ("tokens", taken.tokens, thousands),
            ("cost", taken.cost, partial(money, currency=taken.currency)),
            ("time", taken.seconds, seconds),
            ("in models", taken.model_seconds, seconds),
            ("in tools", taken.tool_seconds, seconds),
            ("first token", taken.first_token_seconds, seconds),
            ("first call", taken.first_action_seconds, seconds),
        )
        if held is not None
    ]
    alone = all(held.of == 1 for _, held, _ in told)
    labels = (("p50", ""),) if alone else (("p50", "median"), ("p95", "95 % within"))
    rows = tuple(
        (Cell(label, "dim"), *(Cell(write(getattr(held, name))) for _, held, write in told))
        for name, label in labels
    )
    return Table(
        "What the passed run took" if alone else "What passed runs take",
        (Column("", give="drop"), *(Column(words, "right", "drop") for words, _, _ in told)),
        rows if told else (),
    )


def costs(summary: Summary) -> list[str]:
    """What success and failure cost, and how direct the way was, where it is known."""
    taken = summary.efficiency
    told = []
    if taken.cost_per_success is not None:
        told.append(f"{money(taken.cost_per_success, taken.currency)} a success")
    if taken.cost_of_failures:
        told.append(f"{money(taken.cost_of_failures, taken.currency)} spent on failures")
    if taken.step_efficiency is not None and taken.step_efficiency.value is not None:
        told.append(f"{rate(taken.step_efficiency)} of calls needed")
    return told


def mixups(table: LabelTable | None, least: int = 1) -> list[str]:
    """What was taken where something else was expected, so often at least, most frequent first."""
    return [
        f"{mixup.actual} for {mixup.expected} {mixup.count}×"
        for mixup in (table.mixups if table is not None else ())
        if NONE not in (mixup.expected, mixup.actual) and mixup.count >= least
    ]


def tags_table(summary: Summary, most: int | None = _MOST_ROWS) -> Table:
    """The same numbers by label, the worst first."""
    ranked = sorted(summary.tags.items(), key=lambda item: item[1].c / item[1].n)
    ks = list(summary.pass_hat_k)
    rows, hidden = limited(
        [
            (
                Cell(tag),
                Cell(str(found.cases), "dim"),
                *(Cell(f"{found.pass_hat_k[k]:.3f}" if k in found.pass_hat_k else "–") for k in ks),
            )
            for tag, found in ranked
        ],
        most,
    )
    heads = tuple(Column(f"pass^{k}", "right") for k in ks)
    return Table("By tag", (Column("tag"), Column("cases", "right"), *heads), rows, hidden=hidden)


def classes_table(summary: Summary, lost: Sequence[Trial] = ()) -> Table:
    """How failed runs failed: critical classes first, with what each means.

    Args:
        summary: What was found.
        lost: The failed trials, which tell how many of a class are graver than it is.
    """
    critical_of = graver(lost)
    return Table(
        "How runs fail",
        (Column("class"), Column("level"), Column("runs", "right"), Column("what it means")),
        tuple(
            (
                Cell(name, "bad" if class_level(name) == "critical" else "mixed"),
                Cell(_level_told(class_level(name), count, critical_of[name])),
                Cell(f"{count:,}", "strong"),
                Cell(class_meaning(name), "dim"),
            )
            for name, count in by_class(summary.failure_classes)
        ),
    )


def _level_told(level: Level, count: int, critical: int) -> str:
    if critical == count:
        return "critical"
    return f"{level}, {critical:,} critical" if critical else level


def never_passing(summary: Summary) -> list[str]:
    """The cases that never pass, where others do."""
    if not summary.c:
        return []
    names = [case.case_id for case in summary.counted_cases if not case.c]
    more = len(names) - _MOST_NAMES
    return [*names[:_MOST_NAMES], f"and {more} more"] if more > 0 else names
