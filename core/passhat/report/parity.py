"""What every door said, as blocks: equal, or who differs, on which case, and why."""

from __future__ import annotations

from collections.abc import Iterator

from passhat.parity import DoorReport, Finding, ParityReport
from passhat.reliability.wording import counted
from passhat.report.blocks import Block, Heading, Item, Note
from passhat.report.tables import Cell, Column, Table, Tone
from passhat.wording import joined

_FEW = 5
_FIELDS = 8
_COLUMNS = (
    Column("door"),
    Column("judged by", give="cut"),
    Column("runs", "right"),
    Column("equal", "right"),
    Column("differs", "right"),
    Column("not carried", "right", "drop"),
    Column("not judged", "right", "drop"),
)


def parity_blocks(found: ParityReport, *, everything: bool = False) -> list[Block]:
    """A report of doors as blocks.

    Args:
        found: The report.
        everything: Whether every finding is shown, or the first few of each door.
    """
    blocks: list[Block] = [_headline(found), Note(_about(found)), _doors(found)]
    for door in found.used:
        blocks += _findings(door, None if everything else _FEW)
    blocks += _not_carried(found)
    blocks += _left_out("not judged by passhat.grade either", found.unjudged, everything=everything)
    blocks += _left_out("joins no case", found.unmatched, everything=everything)
    blocks += _left_out("cannot be read", found.unread, everything=everything)
    blocks += [
        Note(f"{door.name} is not installed, and was not compared: {door.missing}")
        for door in found.doors
        if door.missing
    ]
    return blocks


def _headline(found: ParityReport) -> Heading:
    ours = [door for door in found.used if door.kind == "ours"]
    other = [door for door in found.used if door.broken or door.count("differs")]
    if other:
        names = ", ".join(door.name for door in other)
        same = (
            "; passhat's own checks say the same at every door"
            if (not any(door in ours for door in other) and any(door.verdicts for door in ours))
            else ""
        )
        verb = "says" if len(other) == 1 else "say"
        return Heading(f"{names} {verb} something else{same}.", "bad")
    number = max((door.verdicts for door in ours), default=0)
    if not number:
        return Heading("Nothing was compared.", "mixed")
    if found.alone:
        name = next(door.name for door in found.used if door.verdicts)
        return Heading(f"Only {name} judged: it was compared with no other door.", "mixed")
    doors = counted(len([door for door in ours if door.verdicts]), "door")
    if not found.complete:
        return Heading(f"The same at {doors}, as far as they could judge.", "mixed")
    return Heading(f"The same at {doors}: {number} verdicts, to the last bit.", "good")


def _about(found: ParityReport) -> str:
    return f"{counted(found.runs, 'run')} · judged by {found.suite} · beside passhat.grade"


def _doors(found: ParityReport) -> Table:
    rows = [_row(door) for door in found.doors]
    for at in (5, 6):  # Columns that say nothing but 0 are left out.
        if all(row[at].text in ("0", "") for row in rows):
            rows = [(*row[:at], Cell(""), *row[at + 1 :]) for row in rows]
    return Table("Doors", _COLUMNS, tuple(rows))


def _row(door: DoorReport) -> tuple[Cell, ...]:
    if door.missing:
        return (Cell(door.name, "dim"), Cell("not installed", "dim"), *[Cell("")] * 5)
    if door.broken:
        return (Cell(door.name), Cell(f"broke: {door.broken}", "bad"), *[Cell("")] * 5)
    return (
        Cell(door.name),
        Cell(door.about, "dim"),
        Cell(str(door.runs)),
        Cell(str(door.count("equal")), "good" if door.count("equal") else "dim"),
        _number(door.count("differs"), "bad"),
        _number(door.count("not_carried"), "mixed"),
        _number(door.count("not_judged"), "mixed"),
    )


def _number(value: int, tone: Tone) -> Cell:
    return Cell(str(value), tone) if value else Cell("0", "dim")


_WORDS = {
    "differs": ("✗", "says something else", "bad"),
    "not_carried": ("~", "judges without what it does not carry", "mixed"),
    "not_judged": ("○", "did not judge", "mixed"),
}


def _findings(door: DoorReport, most: int | None) -> Iterator[Block]:
    shown = door.findings if most is None else door.findings[:most]
    for one in shown:
        mark, _, tone = _WORDS[one.outcome]
        where = f"{door.name} · {one.case} · {one.trace} · {one.key}"
        yield Item(mark, where, tuple(_lines(one)), tone)  # type: ignore[arg-type]
    if more := len(door.findings) - len(shown):
        yield Note(f"and {more} more at {door.name}; --all shows them")


def _lines(one: Finding) -> Iterator[str]:
    if one.outcome != "not_judged":
        yield f"{one.field}: {_text(one.ours)} (passhat.grade), {_text(one.theirs)} (the door)"
    if one.why:
        yield one.why


def _text(value: object) -> str:
    return "none" if value is None else str(value)


def _not_carried(found: ParityReport) -> Iterator[Block]:
    """What doors cannot carry, doors that say the same together; and what changed on the way."""
    by_words: dict[str, list[str]] = {}
    for door in found.used:
        for words in door.not_carried:
            by_words.setdefault(words, []).append(door.name)
    told = tuple(f"{', '.join(doors)}: {words}" for words, doors in by_words.items())
    if told:
        yield Item("·", "What doors do not carry", told, "dim")
    changed = tuple(f"{door.name}: {_fields(door)}" for door in found.used if door.fields)
    if changed:
        yield Item("·", "What came another way, in how many runs", changed, "dim")


def _fields(door: DoorReport) -> str:
    names = [f"{name} ({number})" for name, number in door.fields]
    return joined(names, _FIELDS)


def _left_out(what: str, lines: tuple[str, ...], *, everything: bool) -> Iterator[Block]:
    if lines:
        shown = lines if everything else lines[:_FEW]
        more = (f"and {len(lines) - len(shown)} more",) if len(lines) > len(shown) else ()
        yield Item("○", f"{counted(len(lines), 'run')}: {what}", (*shown, *more), "mixed")
