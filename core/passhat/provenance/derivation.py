"""How a value follows from what was seen: as it stands, in another form, or by reckoning."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from passhat.provenance.amounts import Amounts
from passhat.provenance.composing import numbered, put_together
from passhat.provenance.content import PHONE_DIGITS
from passhat.provenance.corrected import is_corrected
from passhat.provenance.found import Effort, Found
from passhat.provenance.identifiers import name_parts
from passhat.provenance.moments import Moments, is_moment
from passhat.provenance.numerals import as_float, number_text, numbers_in
from passhat.provenance.ranges import Range, in_rows
from passhat.provenance.seen import Hit, Passage, Seen
from passhat.provenance.texts import words_of

_PHONE_WORDS = frozenset(
    {"phone", "mobile", "telephone", "tel", "fax", "cell", "contact", "number"}
)
_MOST_WORDS_APART = 4
_MOST_PASSAGES = 200
_EXACT = 2**53
_SHORTEST_SPELLED = 5
_SHORTEST_DICTATED = 3
_WORDS_AN_EFFORT = 200
_LONGEST_SPELLED = 40
_MOST_ROWS = 100
_MOST_CODES = 100
_EVER = 1 << 60


@dataclass(slots=True)
class Derivation:
    """Looks values up in what was seen.

    Attributes:
        seen: What was seen.
        effort: What searches for sums and days may still cost.
        said: The user's words, once they were asked for.
        rows: The rows of codes in them, likewise.
        codes: The codes in them by their length, likewise.
    """

    seen: Seen
    effort: Effort = field(default_factory=Effort)
    said: list[Passage] | None = None
    rows: list[tuple[Passage, Range]] | None = None
    codes: dict[int, list[tuple[int, str]]] | None = None
    moments: Moments = field(init=False)
    amounts: Amounts = field(init=False)

    def __post_init__(self) -> None:
        self.moments = Moments(self.seen, self.effort)
        self.amounts = Amounts(self.seen, self.effort)

    @property
    def bounded(self) -> bool:
        """Whether the last search left something out, or was not made."""
        return self.effort.bounded

    def plainly(self, value: Any, step: int, *, identifier: bool = False) -> Found | None:
        """The value as it was seen, but perhaps for case, spacing and the marks of a number.

        Identifiers and integers too long for a float are compared digit by digit.
        """
        self.effort.bounded = False
        if isinstance(value, str):
            return self._text(value, step)
        if isinstance(value, int) and (identifier or abs(value) >= _EXACT):
            if value >= 0:
                return self._text(number_text(value), step)
            hits = self.seen.lookup("numbers", as_float(-value), step)
            same = [
                hit
                for hit in hits
                if any(n == value and at is hit.node for n, at in hit.passage.content.leaf_numbers)
            ]
            return Found(same) if same else None
        number = as_float(value)
        if number is None:
            return None
        number = abs(number)
        hits = self.seen.lookup("numbers", number, step)
        plain = [hit for hit in hits if _is_plain(hit.passage.content.numbers[number].written)]
        if plain:
            return Found(plain)
        return Found(hits, "number") if hits else None

    def _text(self, value: str, step: int) -> Found | None:
        hits = self.seen.find(value, step)
        if not hits and "_" in value and not any(map(str.isdigit, value)):
            hits = self.seen.find(value.replace("_", " "), step)  # A word of a code: round_trip.
        if not hits:
            return None
        text = value.strip()
        exact = [hit for hit in hits if hit.leaf == text or text in hit.passage.content.raw]
        if exact:
            return Found(exact)
        if text.isdecimal() and any(
            text in hit.passage.content.words for hit in hits
        ):  # A number where the value is text.
            return Found(hits)
        folded = text.casefold()
        alike = [hit for hit in hits if folded in hit.passage.content.raw_folded]
        return Found(alike, "case") if alike else Found(hits, "spacing")

    def otherwise(self, value: Any, name: str, step: int, *, identifier: bool) -> Found | None:
        """The value as it follows from what was seen.

        An identifier follows only from another way to write or to say it: no reckoning.
        """
        if isinstance(value, str):
            if is_moment(value):
                return self.moments.found(value, step)
            return (
                self._rewritten(value, name, step)
                or self._as_number(value, step, identifier=identifier)
                or (None if identifier else self._words_apart(value, step))
            )
        if identifier:
            written = number_text(value)
            return self._rewritten(written, name, step) if value >= 0 and written else None
        number = as_float(value)
        return None if number is None else self.amounts.found(abs(number), step)

    def _rewritten(self, value: str, name: str, step: int) -> Found | None:
        """The value with other spacing and marks, as a phone number, or as a part of a longer one."""
        joined = "".join(words_of(value))
        address = "@" in value
        if not address and not any(map(str.isdigit, joined)):
            return None
        bare = joined.replace("_", "")
        hits = self.seen.find(joined, step) if joined != value.casefold() else []
        hits = hits or self.seen.joined(bare, step) or self.seen.lookup("bare", bare, step)
        if hits := hits or self._spelled(bare, step):
            return Found(hits, "spacing")
        if bare.isdecimal() and (hits := self.seen.lookup("unpadded", bare, step)):
            return Found(hits, "number")
        digits = "".join(filter(str.isdigit, value))
        if len(digits) >= PHONE_DIGITS and not any(map(str.isalpha, value)):
            wants = not _PHONE_WORDS.isdisjoint(name_parts(name)) or value.strip()[:1] in "+("
            hits = self.seen.lookup("endings", digits[-PHONE_DIGITS:], step) if wants else []
            if hits:
                return Found(hits, "phone")
        if hits := self.seen.lookup("parts", joined, step):
            return Found(hits, "part")
        if hits := self.seen.lookup("abbreviated", joined, step):
            return Found(hits, "part")
        if hits := self._in_a_row(value, name, step):
            return Found(hits, "range")
        if hits := self._put_right(bare, step):
            return Found(hits, "correction")
        hits = self._dictated(bare, step, address=address)
        return Found(hits, "spelling") if hits else None

    def _spelled(self, joined: str, step: int) -> list[Hit]:
        """Where the user wrote a code in many groups, or spelled it."""
        if not _SHORTEST_SPELLED <= len(joined) <= _LONGEST_SPELLED:
            return []
        said = self._said_before(step)
        found = [Hit(p, None) for p in said if p.content.talk.spelled.spells(joined)]
        return found or [
            Hit(p, None) for p in said if p.content.talk.spelled.spells(joined, alike=True)
        ]

    def _in_a_row(self, value: str, name: str, step: int) -> list[Hit]:
        """Where the user told a row of codes by its ends: `orders 101 to 105`."""
        if self.rows is None:
            every = ((p, row) for p in self._said_before(_EVER) for row in p.content.talk.rows)
            self.rows = list(islice(every, _MOST_ROWS))
        if not self.rows or len(value) > _LONGEST_SPELLED:
            return []
        seen = {id(row): p for p, row in self.rows if p.available <= step}
        told = in_rows(value, name, [row for p, row in self.rows if p.available <= step])
        return [Hit(seen[id(row)], None) for row in told]

    def _put_right(self, bare: str, step: int) -> list[Hit]:
        """Where the user told a code by what differs from one told before."""
        said = self._said_before(step) if len(bare) <= _LONGEST_SPELLED else []
        hits = [Hit(p, None) for p in said if bare in p.content.talk.continued]
        if hits or not any(p.content.talk.corrections for p in said):
            return hits
        if not self.effort.spend(1):
            return []
        codes = [code for opens, code in self._told_codes().get(len(bare), ()) if opens <= step]
        changes = [(p, change) for p in said for change in p.content.talk.corrections][:_MOST_ROWS]
        return [
            Hit(p, None)
            for p, change in changes
            if any(is_corrected(code, bare, *change) for code in codes)
        ]

    def _told_codes(self) -> dict[int, list[tuple[int, str]]]:
        """The codes in the user's words by their length, a few of each, with the step of each."""
        if self.codes is None:
            self.codes = {}
            for passage in self._said_before(_EVER):
                content = passage.content
                for code in (*content.joined, *(word for word, _ in content.coded)):
                    alike = self.codes.setdefault(len(code), [])
                    if len(alike) < _MOST_CODES:
                        alike.append((passage.available, code))
        return self.codes

    def _dictated(self, joined: str, step: int, *, address: bool) -> list[Hit]:
        """Where the user told a code in words: `M as in Mike, two, oh`."""
        if not _SHORTEST_DICTATED <= len(joined) <= _LONGEST_SPELLED:
            return []
        spoken = [p for p in self._said_before(step) if p.content.talk.spoken.telling]
        words = sum(len(p.content.talk.spoken.words) for p in spoken)
        if not spoken or not self.effort.spend(1 + words // _WORDS_AN_EFFORT):
            return []
        return [
            Hit(p, None) for p in spoken if p.content.talk.spoken.spells(joined, address=address)
        ]

    def _said_before(self, step: int) -> list[Passage]:
        """The user's words before a step."""
        if self.said is None:
            self.said = [p for p in self.seen.passages if p.kind == "said"][:_MOST_PASSAGES]
        return [p for p in self.said if p.available <= step]

    def composed(self, value: str, name: str, step: int, *, known: bool) -> Found | None:
        """An identifier that is put together of seen ones, or a told number with letters before it.

        Args:
            value: The identifier.
            name: The argument's name.
            step: The step that uses it.
            known: Whether results hold others of that shape, so that it is one that is looked up.
        """
        if not self.effort.spend(1):
            return None
        hits = [] if known else put_together(value, step, self.seen, name)
        hits = hits or numbered(value, name, self._said_before(step), known=known)
        return Found(hits, "composed") if hits else None

    def _as_number(self, value: str, step: int, *, identifier: bool) -> Found | None:
        """A text that writes a number, as the number."""
        if identifier:
            return self._without_zeros(value.strip(), step)
        numbers = list(numbers_in(value))
        if len(numbers) != 1 or any(map(str.isalpha, value)):
            return None
        if hits := self.seen.lookup("numbers", numbers[0][0], step):
            return Found(hits, "number")
        return self.amounts.found(numbers[0][0], step)

    def _without_zeros(self, digits: str, step: int) -> Found | None:
        """An identifier of digits alone, with zeros before it that were not seen."""
        plain = digits.lstrip("0")
        if not digits.isdecimal() or not plain or plain == digits:
            return None
        hits = self.seen.find(plain, step)
        return Found(hits, "number") if hits else None

    def _words_apart(self, value: str, step: int) -> Found | None:
        """A short text whose words all stand in one passage, though not in a row."""
        words = words_of(value)
        if not 1 < len(words) <= _MOST_WORDS_APART:
            return None
        hits = [
            Hit(passage, passage.content.words[words[0]][1])
            for passage in self.seen.holding(words, step)
        ]
        return Found(hits, "words") if hits else None


def _is_plain(written: str | None) -> bool:
    """Whether a number was a JSON number, or written in digits alone."""
    return written is None or ("," not in written and written[-1:].isdigit())
