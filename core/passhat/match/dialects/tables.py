"""The dialects as tables, for the documentation to print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from passhat.case import MODES
from passhat.match.dialects.dialect import Raises, Verdict
from passhat.match.dialects.differing import calls_text
from passhat.match.dialects.registry import dialect_modes, find_dialect
from passhat.match.dialects.showcase import Disagreement, gallery
from passhat.match.dialects.translating import translation


def table() -> list[dict[str, Any]]:
    """One row for each mode of each dialect with each way of comparing arguments.

    The keys: `dialect, verified, mode, args, meaning, scope, assignment, values, relation,
    denominator, empties, turns, no_arguments, failed_calls, ours` (the one of ours that means the
    same, or None), `nearest`, `limits`.

    >>> row = next(row for row in table() if row["dialect"] == "adk@2.13")
    >>> row["mode"], row["assignment"], row["turns"], str(row["nearest"])
    ('exact', 'positional', 'mean', 'mode exact, extra_args forbid, retries count, parallel ordered')
    """
    rows = []
    for dialect, mode, args in dialect_modes():
        found = translation(dialect, mode.name, args)
        rows.append(
            {
                "dialect": dialect.id,
                "verified": dialect.verified,
                "mode": mode.name,
                "args": args,
                "meaning": mode.meaning,
                "scope": mode.scope,
                "assignment": mode.assignment,
                "values": mode.values,
                "relation": mode.arguments[args],
                "denominator": mode.denominator,
                "empties": mode.empties,
                "turns": mode.turns,
                "no_arguments": dialect.no_arguments,
                "failed_calls": dialect.failed_calls,
                "ours": found.nearest if found.same else None,
                "nearest": found.nearest,
                "limits": found.but,
            }
        )
    return rows


def table_markdown(dialect: str | None = None) -> str:
    """The table in markdown: what each mode compares and how, and which of ours means the same.

    Args:
        dialect: Only the rows of this dialect (`adk`); None for all.
    """
    rows = (
        {
            "mode": f"{row['dialect']} {row['mode']}"
            + ("" if row["verified"] else " (documented)"),
            "args": f"{row['args']}: {row['relation']}",
            "over": row["scope"] if row["turns"] == "flattened" else "turn, then the mean",
            "values": row["values"],
            "pairing": row["assignment"],
            "share of": row["denominator"],
            "no calls": row["empties"],
            "ours": f"{row['ours'] or 'none'}",
            "but for": ", ".join(row["limits"]) if row["ours"] else "",
        }
        for row in table()
        if dialect in (None, row["dialect"].partition("@")[0])
    )
    return _markdown(rows)


def gallery_markdown(runs: Iterable[Disagreement] = gallery) -> str:
    """The gallery in markdown: each run with who answers what, passhat's own modes included."""
    return "\n\n".join(
        f"### {run.title}\n\n"
        f"- expected: `{calls_text(run.expected)}`\n"
        f"- actual: `{calls_text(run.actual)}`\n\n"
        f"{run.why}\n\n{_markdown(_sides(run))}"
        for run in runs
    )


def _sides(run: Disagreement) -> list[dict[str, str]]:
    sides: dict[str, list[str]] = {}
    for mode, verdict in run.verdicts.items():
        sides.setdefault(_word(verdict), []).append(mode)
    for mode, holds in run.ours.items():
        sides.setdefault(_word(holds), []).append(f"passhat:{mode}")
    return [{"verdict": word, "modes": _grouped(modes)} for word, modes in sorted(sides.items())]


def _grouped(spelt: Iterable[str]) -> str:
    """Modes by framework, without what goes without saying: all modes, or all argument modes."""
    found: dict[str, dict[str, list[str]]] = {}
    for one in spelt:
        dialect, mode, *args = one.split(":")
        found.setdefault(dialect, {}).setdefault(mode, []).append(args[0] if args else "exact")
    texts = []
    for dialect, modes in found.items():
        every = _every_args(dialect)
        names = ", ".join(
            mode if args == every[mode] else f"{mode} (args {' or '.join(args)})"
            for mode, args in modes.items()
        )
        texts.append(f"{dialect}: {'all' if modes == every else names}")
    return "; ".join(texts)


def _every_args(dialect: str) -> dict[str, list[str]]:
    if dialect == "passhat":
        return {mode: ["exact"] for mode in MODES}
    return {name: list(mode.arguments) for name, mode in find_dialect(dialect).modes.items()}


def _word(verdict: Verdict) -> str:
    if isinstance(verdict, Raises):
        return f"raises {verdict.type}"
    return "no score" if verdict is None else f"{float(verdict):.4g}"


def _markdown(rows: Iterable[Mapping[str, str]]) -> str:
    lines: list[str] = []
    for row in rows:
        if not lines:
            lines += [f"| {' | '.join(row)} |", f"|{' --- |' * len(row)}"]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row.values())} |")
    return "\n".join(lines)
