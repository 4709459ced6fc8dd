"""Whether what was really done bears a claim out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from passhat.checks.claimed_tools import bases_of, tools_of
from passhat.checks.claims import Claim
from passhat.checks.deed_index import Deeds
from passhat.checks.deed_words import DOERS, HINTS, NOUNS
from passhat.checks.deeds import Deed
from passhat.checks.naming import (
    alike,
    all_of_yours,
    as_written,
    how_many,
    named_in,
    speaks_of_several,
    stems,
    words_in,
)
from passhat.checks.spoken import folded
from passhat.checks.tool_kinds import surely_else, tool_verb
from passhat.checks.wishes import Wishes
from passhat.provenance.identifiers import name_parts
from passhat.provenance.numerals import numbers_in
from passhat.provenance.texts import tokens

_STEM = 5
_SMALL = 12
_CODE = re.compile(r"(?=.*\d)(?=.*[a-z])\w{4,}")
_MOST_DEEDS = 100
_RUNNING = frozenset({"run", "execute", "call", "invoke", "do"})
_PRONOUNS = frozenset(
    {"it", "this", "that", "they", "everything", "all", "these", "both", "you", "i", "we"}
)


@dataclass(frozen=True, slots=True)
class Bearing:
    """Whether a claim is borne out.

    Attributes:
        ok: Whether it is.
        why: Why not, in words.
        deeds: The calls that bear it out, the latest of them.
        tools: The tools that would.
        undecided: Whether the rules cannot tell.
    """

    ok: bool
    why: str = ""
    deeds: tuple[Deed, ...] = ()
    tools: frozenset[str] = frozenset()
    undecided: bool = False


@dataclass
class Account:
    """Judges claims one after the other, and keeps which deeds were told of.

    Attributes:
        deeds: What was really done.
        told: The indexes of the calls that a claim was already borne out by.
        wishes: What the user asked for.
    """

    deeds: Deeds
    told: set[int] = field(default_factory=set)
    wishes: Wishes = field(init=False)

    def __post_init__(self) -> None:
        self.wishes = Wishes(self.deeds)

    def bearing(self, claim: Claim, *, first: bool = False, said: Sequence[Claim] = ()) -> Bearing:
        """Whether a claim is borne out by a call before it, by a result, or by the state.

        Args:
            claim: The claim.
            first: Whether it is the first of its message: what is told first is news.
            said: The claims of its message.
        """
        until = self.deeds.until(claim.sentence.step)
        tools = tools_of(claim, self.deeds, said, until)
        found = self._borne(claim, tools, until, first=first)
        if found.ok or claim.tool is not None:
            return found
        may_be_otherwise = (
            (self._elsewhere(claim) and not self.wishes.asked_for(claim))
            or self._in_the_message(claim)
            or self.wishes.answered(claim)
            or self.wishes.followed(claim)
        )
        undecided = may_be_otherwise and not self.tried(claim, found)
        return replace(found, undecided=undecided or self._may_be(claim, until, found))

    def tried(self, claim: Claim, bearing: Bearing) -> bool:
        """Whether a call that does what is claimed failed in that turn, and not because it is so already."""
        step = claim.sentence.step
        start = self.deeds.turn_start(step)
        failed = self.deeds.failures(bearing.tools, start, self.deeds.until(step))
        stem = claim.verb[:_STEM]
        return bool(failed) and not any(stem in deed.said.casefold() for deed in failed)

    def tell(self, bearings: Iterable[Bearing]) -> None:
        """Notes that these were told."""
        for bearing in bearings:
            self.told.update(deed.index for deed in bearing.deeds)

    def _borne(self, claim: Claim, tools: frozenset[str], until: int, *, first: bool) -> Bearing:
        deeds = self.deeds
        done = deeds.did(tools, until)
        kinds = self._kinds(claim, tools, until)
        named = named_in(claim, deeds.ids, kinds, deeds.shapes(kinds))
        if not done:
            if self._known_otherwise(claim, named):
                return Bearing(True, tools=tools)
            return Bearing(False, "no successful call did it", tools=tools)
        for value in named:
            borne = any(deeds.concerning(value, tools, until))
            borne = borne or self._same_thing(value, kinds, tools, until)
            if not borne and not self._known_otherwise(claim, [value]):
                why = f"no successful call did it to {as_written(value, claim)}"
                return Bearing(False, why, tools=tools)
        lone = {kind for kind in kinds if deeds.lone(kind, tools, until)}
        many = how_many(claim, lone) if lone else 0
        if many and not deeds.several(tools, lone, until):
            return Bearing(False, "it was done to one thing, not to several", tools=tools)
        if many > 2 and not deeds.several(tools, lone, until, least=many):
            return Bearing(False, f"it was not done to {many} things", tools=tools)
        for value in self._all_of(claim, lone):
            if not any(deeds.concerning(value, tools, until)):
                return Bearing(False, f"no successful call did it to {value}", tools=tools)
        if not named and speaks_of_several(claim, lone) and not deeds.several(tools, lone, until):
            return Bearing(False, "it was done to one thing, not to several", tools=tools)
        found = self._bearers(named, tools, until)
        fresh = [deed for deed in found if deed.index not in self.told]
        if not fresh and not named and self._is_news(claim, tools, until, first=first):
            return Bearing(False, "the calls that did it were told of before", tools=tools)
        return Bearing(True, deeds=tuple(fresh or found), tools=tools)

    def _bearers(self, named: list[str], tools: frozenset[str], until: int) -> list[Deed]:
        """What was done to the things that are named; the latest deeds, where none is."""
        concerned = {
            deed.index: deed
            for value in named
            for deed in self.deeds.concerning(value, tools, until)
        }
        found = [concerned[index] for index in sorted(concerned)][-_MOST_DEEDS:]
        return found or self.deeds.of_tools(tools, until, _MOST_DEEDS)

    def _same_thing(self, value: str, kinds: set[str], tools: frozenset[str], until: int) -> bool:
        """Whether a result tells of a thing beside the id that was acted on: it is its name."""
        ids = self.deeds.ids
        if ids.get(value, set()) & kinds:
            return False
        return any(
            ids.get(word, set()) & kinds and any(self.deeds.concerning(word, tools, until))
            for words in self.deeds.reported.beside(value, until)
            for word in words
        )

    def _kinds(self, claim: Claim, tools: frozenset[str], until: int) -> set[str]:
        """The arguments that name what the tools act on: as the suite says, else the first id.

        Where no such tool was called, any identifier may be what it names.
        """
        own = self.deeds.words.get(claim.tool or "")
        if own is not None and own.object:
            return {own.object[-1]}
        if self.deeds.did(tools, until):
            acted_on = self.deeds.kinds(tools, until)
        else:
            acted_on = self.deeds.kinds(tools, len(self.deeds.trace.steps), failed=True)
        return acted_on or self.deeds.all_kinds

    def _all_of(self, claim: Claim, kinds: set[str]) -> list[str]:
        """The things that "all your business reservations" speaks of: those looked at that are such."""
        return [
            value
            for such in all_of_yours(claim, kinds)
            for report in self.deeds.reported.reports
            if report.step < claim.sentence.step and report.words >= such
            for kind in kinds
            for value in report.ids.get(kind, ())
        ]

    def _known_otherwise(self, claim: Claim, named: list[str]) -> bool:
        stem = claim.verb[:_STEM]
        return self.deeds.reported.says(
            stem, named, claim.sentence.step
        ) or self.deeds.reported.in_state(stem, named)

    def _is_news(self, claim: Claim, tools: frozenset[str], until: int, *, first: bool) -> bool:
        """Whether a claim speaks of this turn: it answers a go-ahead, or a try that failed."""
        start = self.deeds.turn_start(claim.sentence.step)
        if first and self.deeds.latest(tools, until, failed=True) > start:
            return True
        if not first and self.deeds.between(start, until):
            return False
        return self.wishes.agreed(claim, start)

    def _may_be(self, claim: Claim, until: int, found: Bearing) -> bool:
        """Whether a call that may be what is meant was made, though its name tells of no such deed.

        It was made in that turn or names the same thing, and is not sure to do something else: its
        verb is not of another kind, or no tool is known that does what is claimed.
        """
        deeds = self.deeds
        if deeds.did(found.tools, until):
            return False
        stem = claim.verb[:_STEM]
        near = deeds.between(deeds.turn_start(claim.sentence.step), until)[-_MOST_DEEDS:]
        named = [word for word in dict.fromkeys(words_in(claim.clause)) if word in deeds.ids]
        for word in named:
            same = deeds.concerning(word, None, until)
            about = [d for d in same if any(word in v for v in d.ids.values())][-_MOST_DEEDS:]
            if any(tool_verb(deed.call.name) is None for deed in about):
                return True
            near += about
        if near and not found.tools:
            return True
        if claim.passive and any(self._tells_result(claim, deed) for deed in near):
            return True
        others: dict[str, bool] = {}
        for deed in near:
            name = deed.call.name
            if name not in others:
                others[name] = self._is_else(name, claim, found.tools)
            told = claim.noun in deed.words or any(word.startswith(stem) for word in deed.words)
            if not others[name] or told:
                return True
        return False

    def _tells_result(self, claim: Claim, deed: Deed) -> bool:
        """Whether a claim tells an amount or a code that the result of a call alone holds."""
        own = {*deed.numbers_of_args, *(value for values in deed.ids.values() for value in values)}
        amounts = {number for number, _ in numbers_in(claim.clause)} - own
        if any(number in deed.numbers for number in amounts if number > _SMALL):
            return True
        codes = {word for word in words_in(claim.clause, alone=True) if _CODE.fullmatch(word)}
        return bool(codes - own) and codes <= deed.words and codes.isdisjoint(self.deeds.ids)

    def _is_else(self, name: str, claim: Claim, tools: frozenset[str]) -> bool:
        """Whether a tool is sure to do something else than is claimed, where `tools` do that."""
        if claim.deed == "request" and tool_verb(name) in DOERS["send"]:
            return False  # Who tells somebody may have asked for it.
        if surely_else(name, claim.deed):
            return True
        if tool_verb(name) in _RUNNING:
            return False
        closer = [tool for tool in tools if not surely_else(tool, claim.deed)]
        told = bases_of(claim)
        strict = any(not told.isdisjoint(name_parts(tool)) for tool in closer)
        spoken = stems(tokens(claim.clause))
        own = any(alike(self.deeds.nouns(tool), spoken) for tool in closer)
        if tool_verb(name) is None:  # A verb that nobody knows: it may do this to what it names.
            verb, *rest = name_parts(name) or [""]
            things = stems(rest)
            sure = strict and own and verb not in told
            return sure and bool(things) and not alike(things, spoken)
        return strict or own

    def _elsewhere(self, claim: Claim) -> bool:
        """Whether a claim that does not say who did it speaks of nothing that the tools act on."""
        if not claim.passive:
            return False
        text = folded(claim.sentence)
        subject = text[: text.find(claim.verb)]
        words = tokens(subject)
        if "successfully" in words or claim.verb in HINTS:
            return False
        if claim.deed == "pay" and words[:1] == ["you"]:
            return True
        if not words or not _PRONOUNS.isdisjoint(words) or any(word in NOUNS for word in words):
            return False
        if any(word in self.deeds.ids for word in words_in(subject)):
            return False
        firm = (words[0] == "your" or claim.verb in self.deeds.further) and not claim.doubtful
        if firm and self._is_done_by_its_name(claim):
            return False
        return not self.deeds.acts_on((*words, *tokens(claim.clause)))

    def _in_the_message(self, claim: Claim) -> bool:
        """Whether what was made may stand right below: `I have created five questions for you:`."""
        if claim.deed not in ("create", "add") or not claim.sentence.text.endswith(":"):
            return False
        return not self.deeds.acts_on(tokens(claim.told))

    def _is_done_by_its_name(self, claim: Claim) -> bool:
        """Whether a tool is called by the very verb of a claim."""
        told_by = bases_of(claim)
        return any(not told_by.isdisjoint(name_parts(name)) for name in self.deeds.tools)
