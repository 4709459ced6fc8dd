"""What results and the state tell of how things are, indexed so that a claim is judged without all of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from msgspec import UNSET

from passhat.checks.naming import ids_of, text_of, words_in
from passhat.provenance.content import decoded
from passhat.provenance.scalars import scalars
from passhat.provenance.texts import plain_text, tokens
from passhat.state import diff
from passhat.trace import ToolCall, Trace

_STATUS_WORDS = 3
_MOST_RECORDS = 20
_LONGEST_STATUS = 60


@dataclass(frozen=True, slots=True)
class Report:
    """What a result says of how things are.

    Attributes:
        step: The place of its call in the trace.
        statuses: Its short texts, and the keys of what was done to whom: `assigned_to`.
        words: The words of its call's arguments and of itself.
        ids: The identifiers in its call's arguments, by argument.
    """

    step: int
    statuses: tuple[str, ...]
    words: frozenset[str]
    ids: dict[str, set[str]]

    @classmethod
    def of(cls, step: int, call: ToolCall) -> Report:
        """What the result of a call says."""
        leaves = [leaf for leaf in scalars(decoded(call.result)) if isinstance(leaf[1], str)]
        whom = [path[-1] for path, text in leaves if text and path and _is_done_to(path[-1])]
        texts = [*(text for _, text in leaves), *whom]
        short = (plain_text(text) for text in texts if len(text) <= _LONGEST_STATUS)
        statuses = tuple(text for text in short if len(text.split()) <= _STATUS_WORDS)
        words = frozenset(words_in(f"{text_of(call.args)} {text_of(call.result)}"))
        return cls(step, statuses, words, ids_of(call.args))


@dataclass
class Reported:
    """What the results of a trace and its state tell.

    Attributes:
        trace: What happened.
        deeds: The tools that changed something: their results tell of that, and are not asked.
    """

    trace: Trace
    deeds: frozenset[str]

    @cached_property
    def reports(self) -> tuple[Report, ...]:
        """What the results of the calls that change nothing say of how things are."""
        return tuple(
            Report.of(step, call)
            for step, call in enumerate(self.trace.steps)
            if type(call) is ToolCall and call.succeeded and call.name not in self.deeds
        )

    def between(self, after: int, until: int) -> bool:
        """Whether a result came after a step and before another."""
        at = bisect_right(self.reports, after, key=lambda report: report.step)
        return at < len(self.reports) and self.reports[at].step < until

    def says(self, stem: str, named: list[str], until: int) -> bool:
        """Whether a result before a step says that it is so: a status, of the things that are named."""
        found = self._reports_by_stem.get(stem)
        if found is None:
            found = self._reports_by_stem[stem] = {}
            for report in self.reports:
                if any(stem in text for text in report.statuses):
                    for word in ("", *report.words):
                        found.setdefault(word, []).append(report)
        first = named[0] if named else ""
        return any(
            report.step < until and report.words.issuperset(named)
            for report in found.get(first, ())
        )

    @cached_property
    def _reports_by_stem(self) -> dict[str, dict[str, list[Report]]]:
        return {}

    def beside(self, value: str, until: int) -> Iterator[frozenset[str]]:
        """The words of a few records in the results before a step in which a thing is named."""
        for step, words in self._records.get(value, ())[:_MOST_RECORDS]:
            if step < until:
                yield words

    @cached_property
    def _records(self) -> dict[str, list[tuple[int, frozenset[str]]]]:
        found: dict[str, list[tuple[int, frozenset[str]]]] = {}
        for step, call in enumerate(self.trace.steps):
            if type(call) is ToolCall and call.succeeded and call.name not in self.deeds:
                for record in _records_in(decoded(call.result)):
                    words = frozenset(words_in(text_of(record)))
                    for word in words:
                        found.setdefault(word, []).append((step, words))
        return found

    def in_state(self, stem: str, named: list[str]) -> bool:
        """Whether the state changed in a way that bears a claim out: where what is named stands."""
        if not named:
            return any(stem in text for text in self._changes)
        return any(words.issuperset(named) for words in self._changes_by_word.get(named[0], ()))

    @cached_property
    def _changes(self) -> tuple[str, ...]:
        """What changed in the state, where it was recorded before and after, a text each."""
        before, after = self.trace.initial_state, self.trace.final_state
        if before is UNSET or after is UNSET:
            return ()
        return tuple(plain_text(str(change)) for change in diff(before, after).changes)

    @cached_property
    def _changes_by_word(self) -> dict[str, list[set[str]]]:
        found: dict[str, list[set[str]]] = {}
        for words in (set(tokens(text)) for text in self._changes):
            for word in words:
                found.setdefault(word, []).append(words)
        return found


def _is_done_to(key: Any) -> bool:
    """Whether a key says that something was done to whom stands under it: `assigned_to`."""
    return isinstance(key, str) and re.fullmatch(r"[a-z]+ed_?[tT]o", key) is not None


def _records_in(result: Any) -> Iterator[Any]:
    """What a result tells of one thing each: the items of its lists, its lines, or all of it."""
    if isinstance(result, str):
        yield from result.splitlines()
    elif isinstance(result, list):
        yield from result
    elif isinstance(result, Mapping):
        lists = {key: value for key, value in result.items() if isinstance(value, list)}
        for value in lists.values():
            yield from value
        yield {key: value for key, value in result.items() if key not in lists}
