"""The account of a conversion as text and as Markdown: what was kept, and what was not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import fill

from passhat.adapter import FidelityKind
from passhat.convert import FidelityReport, FieldNote
from passhat.convert.ledger import KINDS
from passhat.reliability.wording import counted
from passhat.report.harmless import harmless
from passhat.wording import joined

_INDENT = 16
_FEW = 3
_SHOWN = 6


def conversion_text(report: FidelityReport, width: int | None = None) -> str:
    """The account in a few lines: what says the same together, the gravest first.

    Args:
        report: The account.
        width: The columns there are; None folds no line.
    """
    lines = [headline(report)]
    shortened = False
    for kind in KINDS:
        if kind == "kept":
            continue
        for same in _shortened(_together(report, kind)):
            most = 1 if same.parts and same.parts[0].startswith("$") else _SHOWN
            parts = same.parts if kind != "translated" or not same.note else []
            where = f" ({joined(parts, most)})" if parts else ""
            told = "".join(f": {part}" for part in (same.note, same.share) if part)
            names = joined(same.fields, _SHOWN)
            lines.append(f"  {kind:<12}  {names}{where}{_of(same.cases)}{told}")
            lines += [f"  {'':<12}    smallest run: {same.run}"] if same.run else []
            shortened |= same.several or len(same.fields) > _SHOWN or len(parts) > most
    lines += [f"  {'':<12}  {remark}" for remark in report.remarks]
    if shortened:
        lines.append(f"  {'':<12}  --report FILE tells of every field by itself, with its places")
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
            told = "; ".join(filter(None, (note.told, ", ".join(note.parts))))
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


@dataclass(frozen=True, slots=True)
class _Same:
    """What is told in one line: fields that one note holds for.

    Attributes:
        fields: The fields.
        note: What became of them.
        run: The smallest run that gets another verdict.
        cases: The cases.
        parts: The paths within the field.
        share: In how many of how many steps.
        several: Whether not each of the fields need be of each of the cases.
    """

    fields: list[str]
    note: str
    run: str
    cases: list[str]
    parts: list[str]
    share: str = ""
    several: bool = False


def _together(report: FidelityReport, kind: FidelityKind) -> Iterator[_Same]:
    """Notes of a kind that say the same of one field, with all their cases and parts."""
    grouped: dict[tuple[str, str], list[FieldNote]] = {}
    for note in report.notes:
        if note.kind == kind:
            grouped.setdefault((note.field, note.note), []).append(note)
    for (name, told), notes in grouped.items():
        cases = list(dict.fromkeys(note.case for note in notes if note.case is not None))
        parts = dict.fromkeys(part for note in notes for part in note.parts if part[0] != "[")
        runs = list(dict.fromkeys(note.run for note in notes))
        run = runs[0] + (f" ({cases[0]})" if len(runs) > 1 and cases else "")
        shares = [note.share for note in notes if note.share is not None]
        share = (
            f"{sum(n for n, _ in shares):,} of {sum(of for _, of in shares):,}" if shares else ""
        )
        yield _Same([name], told, run, cases, list(parts), share)


def _shortened(told: Iterable[_Same]) -> Iterator[_Same]:
    """Fields of which the same is told, in one line where there are many of them."""
    alike: dict[tuple[str, str], list[_Same]] = {}
    for same in told:
        alike.setdefault((same.note, same.run), []).append(same)
    for group in alike.values():
        if len(group) <= _FEW or not group[0].note:
            yield from group
            continue
        names = dict.fromkeys(name for same in group for name in same.fields)
        cases = dict.fromkeys(case for same in group for case in same.cases)
        yield _Same(list(names), group[0].note, group[0].run, list(cases), [], several=True)


def _of(cases: list[str]) -> str:
    return f" of {joined(cases, _FEW)}" if cases else ""


def _plain(text: str) -> str:
    """A text that ends no cell and begins no markup."""
    clean = harmless(text).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
    return clean.replace("<", "&lt;").replace("`", "\\`")
