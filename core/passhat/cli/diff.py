"""`passhat diff`: what differs between two states, and whether a case expects it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from passhat.cli import terminal
from passhat.cli.options import Format
from passhat.errors import UsageError
from passhat.jsontext.files import STANDARD

if TYPE_CHECKING:
    from passhat.case import Case
    from passhat.result import CheckResult
    from passhat.state import Snapshot, StateDiff


class Lists(StrEnum):
    """How lists that are no tables compare."""

    align = "align"
    position = "position"
    set = "set"


_SOURCE = "A folder or file of JSON, JSONL or CSV, a SQLite file, a .sql script, or a database URL."


def diff(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help=_SOURCE)],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The state after, likewise.")],
    suite: Annotated[
        str | None, typer.Option(metavar="FILE", help="Judge the change by a case of this suite.")
    ] = None,
    case: Annotated[str | None, typer.Option(metavar="ID", help="That case.")] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="Pass over a path, such as '*.updated_at'; repeatable."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="TABLE=COLUMNS", help="What tells a table's rows apart; repeatable."),
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(metavar="N", help="How far numbers may be apart.")
    ] = None,
    lists: Annotated[
        Lists | None, typer.Option(help="How lists that are no tables compare: align if not said.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="List every place, not the first 200.")
    ] = False,
    format: Annotated[Format, typer.Option(help="How the difference is written.")] = Format.text,
) -> None:
    """Tell what differs between two states: rows by their key, places by their path.

    Exit codes: 0 equal (with --case: as the case expects), 1 different, 2 wrong usage or input, 3
    could not be judged.
    """
    from passhat.state import StateRules, snapshot

    if before == after == STANDARD:
        raise UsageError("only one of the two states can be standard input")
    judge = _case(suite, case)
    own: dict[str, Any] = {"ignore": tuple(ignore or ())}
    if key:
        own["keys"] = dict(map(_key, key))
    if tolerance is not None:
        own["tolerance"] = tolerance
    if lists is not None:
        own["lists"] = lists.value
    rules = StateRules.of(judge.state if judge is not None else None, own)
    old, new = snapshot(before), snapshot(after)
    found = rules.diff(old, new)
    verdict = _verdict(judge, old, new, own, found.schema) if judge is not None else None
    terminal.emit(_written(found, verdict, judge, format, lines=None if everything else _LINES))
    if verdict is None:
        raise typer.Exit(0 if found.equal else 1)
    raise typer.Exit(_CODES[verdict.status])


_LINES = 200
_CODES = {"passed": 0, "failed": 1, "error": 2, "not_evaluated": 3}


def _key(text: str) -> tuple[str, list[str]]:
    table, _, columns = text.rpartition("=")
    names = [name.strip() for name in columns.split(",")]
    if not table or not all(names):
        raise UsageError(f"--key is TABLE=COLUMN or TABLE=COLUMN,COLUMN, not {text!r}")
    return table, names


def _case(path: str | None, name: str | None) -> Case | None:
    """The case that judges the change, if one does."""
    if path is None and name is None:
        return None
    if path is None or name is None:
        raise UsageError("--suite and --case go together: which case, and of which suite")
    from difflib import get_close_matches

    from passhat.adapter import suite_adapter
    from passhat.suitefile import read_suite

    adapter = suite_adapter(path)
    suite = adapter.read_suite(Path(path))[0] if adapter is not None else read_suite(path)
    case = suite.by_id.get(name)
    if case is None:
        near: Sequence[str] = get_close_matches(name, suite.by_id, 1) or list(suite.by_id)[:5]
        raise UsageError(f"the suite has no case {name!r}; there is {', '.join(near)}")
    return case


def _verdict(
    case: Case, before: Snapshot, after: Snapshot, own: dict[str, Any], schema: Sequence[str]
) -> CheckResult:
    """What the check says that the case brings: on the expected state, or on none having changed.

    A check knows rows alone: where columns differ as well, it cannot say that all is as expected.
    """
    from passhat.grading import grade
    from passhat.result import CheckResult
    from passhat.trace import Trace

    expects = case.expected_final_state is not None
    key = "final_state" if expects else "state_unchanged"
    trace = Trace("diff", initial_state=before.value, final_state=after.value)
    result = grade(trace, case, {key: own}).results[0]
    if schema and result.status == "passed":
        said = "; ".join(schema)
        why = f"columns of tables differ, and a case says nothing of columns: {said}"
        return CheckResult.not_evaluated(key, why)
    return result


def _written(
    found: StateDiff,
    verdict: CheckResult | None,
    case: Case | None,
    format: Format,
    *,
    lines: int | None,
) -> str:
    if format is Format.json:
        said = found.to_dict()
        if verdict is not None and case is not None:
            said["verdict"] = {
                "case_id": case.id,
                "key": verdict.key,
                "status": verdict.status,
                "reason": verdict.reason,
                "evidence": verdict.evidence,
            }
        return json.dumps(said, indent=2, ensure_ascii=False, default=str) + "\n"
    from passhat.report.harmless import harmless

    text = found.markdown(lines=lines) if format is Format.md else found.text(lines=lines)
    if verdict is not None and case is not None:
        words = {"passed": "as expected", "failed": "not as expected"}
        reason = f": {verdict.reason}" if verdict.reason else ""
        told = harmless(f"{case.id}: {words.get(verdict.status, verdict.status)}{reason}")
        text += f"\n\n{told}" if format is Format.md else f"\n{told}"
    return text + "\n"
