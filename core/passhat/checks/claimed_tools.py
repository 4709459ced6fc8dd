"""The tools that do what a claim tells of."""

from __future__ import annotations

from collections.abc import Sequence

from passhat.checks.claim_words import BASES
from passhat.checks.claims import Claim
from passhat.checks.deed_index import Deeds
from passhat.checks.deed_words import DOERS, HINTS, VERBS
from passhat.checks.naming import alike, stems, words_in
from passhat.checks.tool_kinds import tool_verb
from passhat.provenance.identifiers import name_parts

_STEM = 5
_MOST_DEEDS = 100
_BASES_OF = {verb: {base for base, of in BASES.items() if of == verb} for verb in VERBS}


def tools_of(claim: Claim, deeds: Deeds, said: Sequence[Claim], until: int) -> frozenset[str]:
    """The tools that do what is claimed.

    Args:
        claim: The claim.
        deeds: What was really done, and by which tools it could be.
        said: The claims of the message.
        until: The step before which calls count.
    """
    return _untold(claim, _doing(claim, deeds), deeds, said, until)


def bases_of(claim: Claim) -> set[str]:
    """What the verb of a claim may be in the name of a tool: `open` for `opened`, and its deed."""
    return {claim.deed, *_BASES_OF.get(claim.verb, ())}


def _doing(claim: Claim, deeds: Deeds) -> frozenset[str]:
    """The tools that do what is claimed, those whose nouns are spoken of first."""
    if claim.tool is not None:
        return frozenset({claim.tool})
    able = deeds.able(claim.deed)
    if len(able) < 2 or claim.deed in ("do", "pay", "refund"):
        return able
    nouns = {name: deeds.nouns(name) for name in able}
    shared = set.intersection(*nouns.values())
    told = [word for word in words_in(claim.clause, alone=True) if not _is_verb(word, claim, deeds)]
    spoken = stems((*told, *HINTS.get(claim.noun or claim.verb, ())))
    closer = frozenset(name for name in able if alike(nouns[name] - shared, spoken))
    doers = DOERS.get(claim.deed, frozenset())
    surely = frozenset(name for name in able if tool_verb(name) in doers)
    if closer.isdisjoint(surely):  # A tool with a verb that nobody knows rules no other out.
        closer |= surely if closer else frozenset()
    told_by = bases_of(claim)
    own = frozenset(name for name in able if not told_by.isdisjoint(name_parts(name)))
    if closer.isdisjoint(own):  # What is called by the very verb does it, whatever it names.
        closer |= own if closer else frozenset()
    known = claim.verb in deeds.further and claim.verb not in VERBS
    if known or any(
        alike(nouns[name], spoken) for name in own
    ):  # Then no verb that nobody knows does.
        closer -= {name for name in closer - own if tool_verb(name) is None} if own else set()
    return closer or (own if known and own else able)


def _untold(
    claim: Claim, tools: frozenset[str], deeds: Deeds, said: Sequence[Claim], until: int
) -> frozenset[str]:
    """The tools but those that the message tells of by their very verb, where others do this too.

    So `report_item` does not bear out both halves of "I have reported it and credited $4 to you".
    """
    if claim.passive and claim.deed == "do":
        return tools
    if claim.passive:
        said = [other for other in said if other.passive and other.sentence is claim.sentence]
    if len(said) < 2:
        return tools
    own, doers, stem = bases_of(claim), DOERS.get(claim.deed, frozenset()), claim.verb[:_STEM]
    others = {base for other in said if other.deed != claim.deed for base in bases_of(other)}
    told = {
        name
        for name in tools
        if tool_verb(name) not in doers
        and not others.isdisjoint(parts := name_parts(name))
        and own.isdisjoint(parts)
        and not any(
            word.startswith(stem)
            for deed in deeds.of_tools((name,), until, _MOST_DEEDS)
            for word in deed.words
        )
    }
    left = tools - told
    return left if any(tool_verb(name) is not None for name in left) else tools


def _is_verb(word: str, claim: Claim, deeds: Deeds) -> bool:
    """Whether a word tells of a deed: that of a claim, or another one of its clause."""
    return word == claim.verb or word in VERBS or word in deeds.further
