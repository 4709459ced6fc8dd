"""The account of a conversion as text and as Markdown: what was kept, and what was not."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from passhat.adapter import FidelityKind
from passhat.convert import FidelityReport, FieldNote
from passhat.convert.ledger import KINDS
from passhat.reliability.wording import counted
from passhat.report.harmless import harmless

_INDENT = 16
_FEW = 3
_SHOWN = 8


def conversion_text(report: FidelityReport, width: int | None = None) -> str:
    """The account in a few lines: equal notes of several cases together, the gravest first.

    Args:
        report: The account.
        width: The columns there are; None folds no line.
    """
    lines = [headline(report)]
    for kind in KINDS:
        if kind == "kept":
            continue
        for (name, note), run, cases, parts in _together(report, kind):
            where = (
                f" ({_listed(parts, _SHOWN)})"
                if parts and (kind != "translated" or not note)
                else ""
            )
            told = f": {note}" if note else ""
            lines.append(f"  {kind:<12}  {name}{where}{_of(cases)}{told}")
            lines += [f"  {'':<12}    smallest run: {run}"] if run else []
    lines += [f"  {'':<12}  {remark}" for remark in report.remarks]
    return "".join(f"{_folded(harmless(line), width)}\n" for line in lines)


def _folded(line: str, width: int | None) -> str:
    """A line in the width there is, what is folded standing under what it says."""
    if width is None:
        return line
    return fill(
        line,
        width,
        subsequent_indent=" " * _INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def conversion_markdown(report: FidelityReport) -> str:
    """The account as a document: each field of each case with what became of it."""
    lines = [
        f"# {_plain(report.source)} to {report.to_format}",
        "",
        f"{_plain(headline(report))}.",
        "",
    ]
    for remark in report.remarks:
        lines += [f"{_plain(remark)}.", ""]
    if report.fields:
        lines += ["| field | " + " | ".join(KINDS) + " |", "|---|" + "---:|" * len(KINDS)]
        for name, kinds in report.fields.items():
            cells = " | ".join(str(kinds.get(kind, "")) for kind in KINDS)
            lines.append(f"| {_plain(name)} | {cells} |")
        lines.append("")
    if report.notes:
        unit = "case" if report.what == "suite" else "trace"
        lines += [f"| {unit} | field | kind | what became of it |", "|---|---|---|---|"]
        for note in report.notes:
            told = "; ".join(filter(None, (note.note, ", ".join(note.parts))))
            if note.run:
                told += f"; smallest run: {note.run}"
            row = (note.case or "all", note.field, note.kind, told)
            lines.append(f"| {' | '.join(map(_plain, row))} |")
        lines.append("")
    return "\n".join(lines)


def headline(report: FidelityReport) -> str:
    """What was converted, and how many fields were what."""
    unit = "case" if report.what == "suite" else "trace"
    counts = ", ".join(f"{number} {kind}" for kind, number in reversed(report.counts.items()))
    done = "" if report.written else " (not written)"
    return (
        f"{counted(report.count, unit)} from {report.from_format} to {report.to_format}{done}: "
        f"{counts}"
    )


def _together(
    report: FidelityReport, kind: FidelityKind
) -> Iterator[tuple[tuple[str, str], str, list[str], list[str]]]:
    """Notes of a kind that say the same, with the run of the first, and the cases and the parts."""
    grouped: dict[tuple[str, str], list[FieldNote]] = {}
    for note in report.notes:
        if note.kind == kind:
            grouped.setdefault((note.field, note.note), []).append(note)
    for key, notes in grouped.items():
        cases = list(dict.fromkeys(note.case for note in notes if note.case is not None))
        parts = dict.fromkeys(part for note in notes for part in note.parts if part[0] != "[")
        runs = list(dict.fromkeys(note.run for note in notes))
        run = runs[0] + (f" ({cases[0]})" if len(runs) > 1 and cases else "")
        yield key, run, cases, list(parts)


def _of(cases: list[str]) -> str:
    return f" of {_listed(cases, _FEW)}" if cases else ""


def _listed(words: list[str], most: int) -> str:
    more = len(words) - most
    shown = ", ".join(words[:most])
    return f"{shown} and {more} more" if more > 0 else shown


def _plain(text: str) -> str:
    """A text that ends no cell and begins no markup."""
    clean = harmless(text).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    return clean.replace("<", "&lt;").replace("`", "\\`")
