"""What the agent was given, and from when on it could see it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from passhat.provenance.content import LONGEST_JOINED, MOST_JOINED, Content, SeenNumber
from passhat.provenance.numerals import number_text
from passhat.provenance.places import Node, path_of
from passhat.provenance.texts import words_of


class Passage(Struct, frozen=True, eq=False):
    """One thing that the agent was given.

    Attributes:
        kind: Whether the user said it, a call returned it, or it was given from the start.
        label: What it is, in words.
        step: The step it came with; -1 for what was there from the start.
        call: The index of the call that returned it.
        available: The first step that could see it.
        trusted: Whether nobody outside could have written it.
        content: What it holds.
        shared: Whether the content is that of many runs, and so is looked up where it is.
        within: The calls inside which it was returned, each with the first step that could see what
            that call returned itself.
    """

    kind: Literal["said", "returned", "given"]
    label: str
    step: int
    call: int | None
    available: int
    trusted: bool
    content: Content
    shared: bool = False
    within: tuple[tuple[int, int], ...] = ()

    @property
    def rank(self) -> int:
        """Its place among all kinds of passages: what is trusted first, the user's words first of it."""
        return _RANKS[self.kind] + (0 if self.trusted else _UNTRUSTED)


class Hit(Struct, frozen=True, eq=False):
    """A place in a passage where something was found.

    Attributes:
        passage: The passage.
        node: The place in it.
        leaf: The whole text or number that stands there, where a single word was looked up.
    """

    passage: Passage
    node: Node
    leaf: str | int | float | None = None

    @property
    def path(self) -> str | None:
        """The place as a JSON path, where the passage is JSON."""
        return path_of(self.node) if self.passage.content.decoded else None


_RANKS = {"said": 0, "returned": 1, "given": 2}
_UNTRUSTED = 3
_RANKED = 2 * _UNTRUSTED
_MOST_HITS = 8
_MOST_LOOKED_AT = 30
_MOST_SPLITS = 20
_MOST_TRIED = 100

Index: TypeAlias = Mapping[int, Mapping[Any, list[int]]]
"""For each rank of passages, those that hold a word or another form of a value, in their order."""


@dataclass(slots=True)
class Seen:
    """All that the agent was given, indexed by each form in which values are looked up.

    Passages are ranked: what is trusted comes first; of these the user's words, then results, then
    what was given from the start. Of each rank only the first few that hold a value are told, so that
    looking a value up takes no longer in a longer trace.

    Attributes:
        passages: What it was given, in the order in which it came.
        steps: The steps they came with.
        indexes: The passages by their words and by each other form that was asked for; those with
            shared content apart.
        shared: The passages with shared content.
        echoes: Passages and words in them that only repeat what their call made up.
        cut: Whether the last search left passages out.
        known: All its words, once they were asked for together.
        inside: Of each call that was made inside others, by its step: those others.
    """

    passages: list[Passage] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    indexes: dict[str, Index] = field(default_factory=dict)
    shared: list[Passage] = field(default_factory=list)
    echoes: set[tuple[int | None, str]] = field(default_factory=set)
    cut: bool = False
    known: frozenset[str] | None = None
    inside: dict[int, frozenset[int]] = field(default_factory=dict)

    def add(self, passage: Passage) -> None:
        """Adds a passage; all are added before the first is looked for."""
        self.passages.append(passage)
        self.steps.append(passage.step)
        if passage.shared:
            self.shared.append(passage)

    def visible(self, step: int) -> Iterator[Passage]:
        """The passages that could be seen at a step, the latest first."""
        start = bisect_left(self.steps, step)
        return (p for p in reversed(self.passages[:start]) if self.shows(p, step))

    def shows(self, passage: Passage, step: int) -> bool:
        """Whether a passage could be seen at a step.

        Inside a call nothing is seen of what was returned inside another one before that had ended:
        nested agents that run side by side do not hear each other.
        """
        if passage.available > step:
            return False
        inside = self.inside.get(step) if passage.within else None
        return inside is None or all(
            call in inside or opens <= step for call, opens in passage.within
        )

    def lookup(self, form: str, key: Any, step: int) -> list[Hit]:
        """Where a form of a value stands in what could be seen at a step: the first few of each rank.

        Args:
            form: The mapping of a content that holds that form: `numbers`, `joined`, `parts`, ...
            key: The value in that form.
            step: The step.
        """
        return [
            Hit(passage, _node_in(getattr(passage.content, form)[key]))
            for passage in self._holding(form, key, step)
        ]

    def find(self, text: str, step: int) -> list[Hit]:
        """Where the words of a text stand in a row, in what could be seen at a step.

        The first few places of each rank are told.
        """
        words = words_of(text)
        if not words:
            return []
        if len(words) == 1:
            word = words[0]
            return [
                Hit(passage, node, leaf)
                for passage in self._holding("words", word, step)
                for leaf, node in (passage.content.words[word],)
            ]
        found: list[Hit] = []
        phrase = " ".join(words)
        counts = [0] * _RANKED
        for passage in self._holding_all(words, step, counts):
            there, node = passage.content.phrase_at(phrase)
            if there:
                found.append(Hit(passage, node))
                counts[passage.rank] += 1
        return found

    def joined(self, text: str, step: int) -> list[Hit]:
        """Where words in a row, written as one, are that text: `A 100` for `a100`."""
        if self.known is None:
            shared = (passage.content.words for passage in self.shared)
            self.known = frozenset().union(*self._index("words").values(), *shared)
        found: dict[int, Hit] = {}
        for words in islice(_split(text, self.known), _MOST_SPLITS):
            for passage in self._holding_all(words, step, [0] * _RANKED):
                joined = passage.content.joined
                if text in joined and (passage.call, text) not in self.echoes:
                    found.setdefault(id(passage), Hit(passage, joined[text]))
        return list(found.values())

    def echo(self, call: int, value: str | int) -> None:
        """Says that a call made a value up: its own result is no source of it."""
        text = value if isinstance(value, str) else number_text(value)
        words = words_of(text)
        bare = "".join(words).replace("_", "")
        for form in (" ".join(words), "".join(words), bare, bare.lstrip("0")):
            self.echoes.add((call, form))

    def holding(self, words: Sequence[str], step: int) -> list[Passage]:
        """The passages, among some of each rank that could be seen, that hold several words anywhere."""
        return list(self._holding_all(words, step, [0] * _RANKED))

    def _index(self, form: str) -> Index:
        """The passages by a form of what they hold."""
        index = self.indexes.get(form)
        if index is None:
            ranked: list[dict[Any, list[int]]] = [defaultdict(list) for _ in range(_RANKED)]
            for at, passage in enumerate(self.passages):
                if not passage.shared:
                    places = ranked[passage.rank]
                    for key in getattr(passage.content, form):
                        places[key].append(at)
            index = {rank: places for rank, places in enumerate(ranked) if places}
            self.indexes[form] = index
        return index

    def _holding(self, form: str, key: Any, step: int) -> list[Passage]:
        """The first few passages of each rank, of what could be seen at a step, that hold a form."""
        found: list[Passage] = []
        for index in self._index(form).values():
            places = index.get(key)
            if places is None:
                continue
            enough = len(found) + _MOST_HITS
            echoes = 0
            for at in places:
                passage = self.passages[at]
                if passage.step > step or len(found) == enough:
                    break
                if self.echoes and (passage.call, key) in self.echoes:
                    echoes += 1
                elif self.shows(passage, step):
                    found.append(passage)
            if echoes > _MOST_HITS:  # What was an echo stays one.
                places[:] = [
                    at for at in places if (self.passages[at].call, key) not in self.echoes
                ]
        for passage in self.shared:
            if self.shows(passage, step) and key in getattr(passage.content, form):
                found.append(passage)
        return found

    def _holding_all(self, words: Sequence[str], step: int, counts: list[int]) -> Iterator[Passage]:
        """The passages that hold all of several words: of each rank those among so many of them.

        Args:
            words: The words.
            step: The step that could see them.
            counts: How many were useful so far, by rank; enough of one rank end the search there.
        """
        echo = " ".join(words)
        self.cut = False
        for rank, index in self._index("words").items():
            lists = [index.get(word) for word in words]
            if not all(lists):
                continue
            places = min((one for one in lists if one), key=len)
            end = bisect_right(places, bisect_right(self.steps, step) - 1)
            chosen: Iterable[int] = islice(places, end)
            if end > 2 * _MOST_LOOKED_AT:
                self.cut = True
                chosen = (*places[:_MOST_LOOKED_AT], *places[end - _MOST_LOOKED_AT : end])
            for at in chosen:
                if counts[rank] >= _MOST_HITS:
                    break
                passage = self.passages[at]
                if (
                    self.shows(passage, step)
                    and all(word in passage.content.words for word in words)
                    and (passage.call is None or (passage.call, echo) not in self.echoes)
                ):
                    yield passage
        for passage in self.shared:
            if self.shows(passage, step) and all(word in passage.content.words for word in words):
                yield passage


def _split(text: str, known: frozenset[str]) -> Iterator[list[str]]:
    """The ways to write a text as several known words, no more than so many."""
    if len(text) > LONGEST_JOINED:
        return
    dead: set[int] = set()
    todo: list[tuple[int, list[str]]] = [(0, [])]
    tried = 0
    while todo and tried < _MOST_TRIED:
        at, words = todo.pop()
        tried += 1
        rest = range(at + 1, len(text) + 1)
        ends = [end for end in rest if text[at:end] in known and end not in dead]
        if not ends:
            dead.add(at)
        for end in ends:
            if end < len(text):
                if len(words) < MOST_JOINED - 1:
                    todo.append((end, [*words, text[at:end]]))
            elif words:
                yield [*words, text[at:]]


def _node_in(held: Any) -> Node:
    """The place in what a form holds: the place itself, a number with it, or a list of days with it."""
    if isinstance(held, list):
        held = held[0][1]
    node: Node = held.node if isinstance(held, SeenNumber) else held
    return node
