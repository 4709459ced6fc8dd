"""English words for what was done: which verbs tell of which kind of deed, and which tools do it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from passhat.checks.deed_words import NOUNS, OUTCOMES, OWN_WORK, VERBS

_SLOT = (
    "now|just|already|also|all|both|since|each|indeed|in fact|"
    r"gone ahead and|and|finished|in full|\w+ly"
)
_ADVERBS = rf"(?:(?:{_SLOT})\s+)*"
_OBJECT = r"(?:the|your|it|this|that|these|those|both|all|an?|order|ticket|#?\w*\d[\w-]*|[$€£]\d)"
_NO_OBJECT = (
    r"(?:my|our|me|us|you|to|in|on|at|for|with|by|from|into|up|about|that|if|when|as|and|or|but|how|"
    r"whether|what|last|yesterday|earlier|before)"
)
_AT_FIRST = "found located checked looked reviewed pulled verified ran tested read searched drafted prepared composed"
_OTHER = r"(?:that|which|who|where|when|you|he|she|it|they|was|were|is|are|be|been|has|have|had|not|no|by)"
_IT = r"(?:it|them|the|your|you|both|all|this|that|these|those)"
_ENDED = "through complete successful done out succeeded in"
_SENDINGS = (
    "email|mail|message|notification|notice|newsletter|invitations?|invites?|text|receipt|offer|letter|"
    "invoice|confirmation|reminder|announcement"
)
_TITLES = (
    "order|booking|reservation|appointment|email|mail|message|ticket|alarm|reminder|meeting|event|"
    "payment|refund|subscription|trip|file"
)


def verb_forms(verb: str) -> tuple[str, ...]:
    """How the past participle of an English verb, and its past, may be written.

    >>> verb_forms("close"), verb_forms("freeze"), verb_forms("checkout")
    (('closed',), ('frozen', 'froze'), ('checked out',))
    """
    if (parted := _PARTED.fullmatch(verb)) is not None:
        return tuple(f"{form} {parted[2]}" for form in verb_forms(parted[1]))
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return (f"{verb}d",)
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return (f"{verb[:-1]}ied",)
    doubled = (f"{verb}{verb[-1]}ed",) if verb[-1:] in tuple("bdglmnprt") else ()
    same = (verb,) if verb in ("set", "reset", "put", "cut", "split") else ()
    return (*same, f"{verb}ed", *doubled)


_PARTED = re.compile(
    r"(roll|shut|turn|switch|back|sign|log|check|scale|spin|power|start|lock|opt|tear|hang|fall)"
    r"(back|down|up|off|on|out|in|over)"
)
"""Verbs of two words that tools' names write as one: `rollback`."""

_IRREGULAR = {
    verb: tuple(forms.split())
    for verb, forms in {
        "write": "written wrote", "rewrite": "rewritten rewrote", "hide": "hidden hid",
        "overwrite": "overwritten overwrote", "build": "built", "withdraw": "withdrawn withdrew",
        "give": "given gave", "take": "taken took", "make": "made", "run": "run ran",
        "freeze": "frozen froze", "unfreeze": "unfrozen unfroze", "sell": "sold", "buy": "bought",
        "lend": "lent", "undo": "undone undid", "redo": "redone redid", "tell": "told",
        "hold": "held", "shut": "shut", "tear": "torn tore", "hang": "hung", "fall": "fallen fell",
    }.items()
}  # fmt: skip


def _base_forms(participle: str) -> set[str]:
    """The verbs that a participle may be of."""
    if not participle.endswith("ed"):
        irregular = {"sent": "send", "paid": "pay"}
        known = {
            verb for verb, forms in _IRREGULAR.items() if participle in forms and verb != "make"
        }
        return known | {verb for form, verb in irregular.items() if form == participle}
    stem = participle[:-2]
    twice = stem[-1:] == stem[-2:-1] and stem[-1:] in tuple("bdglmnprt")
    ends = {f"{stem[:-1]}y"} if stem.endswith("i") else {stem, f"{stem}e"}
    return ends | ({stem[:-1]} if twice else set())


BASES: Mapping[str, str] = {base: verb for verb in VERBS for base in _base_forms(verb)}
"""The verbs themselves, as in `I was able to cancel it`, each with its participle."""

_ABLE = "|".join(sorted(BASES, key=len, reverse=True))


@lru_cache(maxsize=256)
def _verb(more: frozenset[str]) -> str:
    verbs = sorted({*VERBS, *more}, key=len, reverse=True)
    return rf"(?P<verb>{'|'.join(map(re.escape, verbs))}|taken care of)\b"


def _own(more: frozenset[str]) -> str:
    return rf"(?P<verb>{'|'.join(map(re.escape, sorted(more, key=len, reverse=True)))})\b"


class Form(NamedTuple):
    """A way in which a claim sounds.

    Attributes:
        pattern: How it sounds, in a text without case.
        needs: Words of which it has one; none where that is any verb.
    """

    pattern: re.Pattern[str]
    needs: frozenset[str] = frozenset()

    def may_be_in(self, words: frozenset[str]) -> bool:
        """Whether a text of these words may hold it."""
        return not self.needs or not self.needs.isdisjoint(words)


@lru_cache(maxsize=256)
def claiming(more: frozenset[str] = frozenset()) -> tuple[Form, ...]:
    """How a claim sounds: `I have cancelled`, `has been refunded`, ...

    Args:
        more: Participles besides the common ones: of the verbs in the names of tools.
    """
    verb = _verb(more)
    own = _verb(more | OWN_WORK)
    nouns = "|".join(NOUNS)
    forms = {
        "i we": (
            rf"\b(?:i(?:'ve|\s+have)?|we(?:'ve|\s+have))\s+{_ADVERBS}{own}",
            rf"\b(?:i|we)\s+(?:went ahead and\s+|successfully\s+){own}",
            rf"\b(?:i|we)\s+{_ADVERBS}{own}(?=\s+{_OBJECT}\b)",
            *([rf"\b(?:i|we)\s+{_ADVERBS}{_own(more)}(?=\s+(?!{_NO_OBJECT}\b)\w)"] if more else ()),
        ),
        "let": (
            r"\b(?:i|we)(?:'ve|\s+have)?\s+(?:just\s+|also\s+)?(?P<verb>let)"
            r"(?=\s+(?!(?:you|me|nobody|none|no)\b)(?:[\w.'-]+\s+){1,4}know\b)",
        ),
        "left": (
            r"\b(?:i|we)(?:'ve|\s+have)?\s+(?:just\s+|also\s+)?(?P<verb>left)"
            r"(?=\s+(?:\w+\s+){1,3}(?:comment|note|message|review|reply|voicemail|rating|feedback|stars?)\b)",
        ),
        _AT_FIRST: (
            rf"\b(?:i|we)(?:'ve|\s+have)?\s+{_ADVERBS}(?:{'|'.join(_AT_FIRST.split())})\s+"
            rf"(?:(?!{_OTHER}\b)[\w'#$-]+\s+){{1,10}}?and\s+(?:then\s+|also\s+)?{own}(?=\s+{_IT}\b)",
        ),
        "able managed": (
            rf"\b(?:i|we)\s+(?:was|were|have been|(?:'ve)\s+been)?\s*(?:able|managed) to\s+"
            rf"{_ADVERBS}(?P<verb>{_ABLE})\b",
        ),
        "been": (rf"(?:\b(?:has|have)|\w'(?:ve|s))\s+{_ADVERBS}been\s+{_ADVERBS}{verb}",),
        "now": (
            rf"\b(?:is|are)\s+now\s+{_ADVERBS}{verb}",
            rf"\b(?:is|are)\s+{_ADVERBS}{verb}\s+now\b",
            rf"\byou(?:'re|\s+are)\s+now\s+{_ADVERBS}{verb}",
        ),
        "successfully": (
            rf"\b(?:was|were|is|are)\s+(?:also\s+)?successfully\s+{verb}",
            rf"(?:^|[:—–])\W*successfully\s+{verb}",
            rf"{verb}\s+successfully\b",
        ),
        "": (
            rf"^(?:\d{{1,2}}[.)])?\W*(?:(?:all )?done[.!,:]*\s+)?{verb}\s+"
            r"(?:the|your|it|order|ticket|reservation|booking)\b",
            rf"^\W*{_verb(more)}\s+(?:both |all )?#?(?=[\w-]*\d)\w[\w-]{{3,}}(?!\s+ago\b)",
            rf"^\W*(?:your\s+)?(?:{_TITLES}|{nouns})\s+(?:\S*\d\S*\s+)?{verb}"
            r"(?=\s*(?:[.!:,]|$|to\b|for\b))",
        ),
        _ENDED: (
            rf"\b(?:{nouns})\b(?:[^.;]|\.\d){{0,60}}?\s(?P<verb>went through|has gone through|is complete|"
            r"is now complete|was successful|is done|has gone out|succeeded|has succeeded)\b",
            rf"\b(?:{_TITLES})\b[^.;]{{0,40}}?\s(?P<verb>went through|has gone through)\b",
            rf"\b(?:{_SENDINGS})\b[^.;]{{0,40}}?\s(?P<verb>went out|has gone out)\b",
            r"\byour (?:\w+ ){0,2}(?:request|application|claim|order) (?P<verb>is in)(?=\s*(?:[.!:]|$))",
        ),
        "confirmed": (
            r"\b(?:booking|reservation|appointment|order|trip|room|table|seat|stay|visit)\s+(?:is|are)\s+(?:now\s+|all\s+)?"
            r"(?P<verb>confirmed)\b",
            r"^\W*(?:your\s+)?(?:booking|reservation|appointment|order)\s+(?P<verb>confirmed)(?=\W*$)",
        ),
    }
    return tuple(
        Form(re.compile(pattern), frozenset(needs.split()))
        for needs, patterns in forms.items()
        for pattern in patterns
    )


@lru_cache(maxsize=256)
def telling_words(more: frozenset[str] = frozenset()) -> frozenset[str]:
    """Words of which every text with a claim has one; the argument is that of `claiming`."""
    told = {
        *VERBS,
        *OWN_WORK,
        *OUTCOMES,
        *more,
        "now",
        "been",
        "let",
        "left",
        "complete",
        "taken",
        "able",
        "managed",
        "confirmed",
        *_ENDED.split(),
    }
    return frozenset(word for verb in told for word in re.findall(r"\w+", verb)[:1])


WHATEVER = re.compile(
    rf"\b(?:(?:has|have)\s+{_ADVERBS}been|(?:is|are)\s+now)\s+{_ADVERBS}"
    rf"(?P<verb>\w+ed|{'|'.join(sorted(verb for verb in OWN_WORK if not verb.endswith('ed')))})\b"
)
"""What may be a claim, of any verb: of the one by which the user asked for it, perhaps."""

OUTCOME = re.compile(
    rf"\b(?:is|are|it's|that's|they're)\s+(?:(?:now|all|back|both)\s+)*(?P<verb>{'|'.join(OUTCOMES)})"
    r"(?=\s*(?:[.,;!)]|$|(?:again|now|and|for|in|from|at|(?<=out )to)\b))"
)
"""What may tell of a deed by how things are after it: `the lights are off`."""

NOW_SO = re.compile(
    r"\b(?P<verb>(?:(?<=\bis )|(?<=\bare )|(?<='s )|(?<='re ))now|now(?= (?:has|have|reads?|shows?|"
    r"includes?|uses?|points?|belongs?|goes|go)\b))\s+(?!available|in stock|out\b|sold|ready|possible|"
    r"eligible|due|overdue|too|no\b|at\b|down|required|shipped|in transit|processing|pending|being)"
)
"""The same, in any words: `it is now in the second stage`."""

LONE = re.compile(rf"^\W*(?:[\w']+\W+)?(?:all\s+)?{_verb(OWN_WORK)}(?:\W*$|:\s)")
"""A claim of one word: `Sent!`, or `Booked: table for two`."""


@lru_cache(maxsize=256)
def going_on(more: frozenset[str] = frozenset()) -> re.Pattern[str]:
    """A claim that goes on: `was upgraded to economy and then cancelled`."""
    return re.compile(
        rf"\s+(?:[\w$./'#()-]+\s+){{0,8}}?(?:(?:and|,)\s+(?:then\s+|also\s+|subsequently\s+)?|"
        rf"[\w$./'#()-]+,\s+(?=\w+\s+{_IT}\s)){_verb(more)}"
    )


_VERB = _verb(frozenset())

ITEM_VERB = re.compile(
    rf"\b{_VERB}|\b(?P<noun>{'|'.join(NOUNS)})\b|^\W*(?P<new>new|updated|revised)\s+\w"
)
"""What makes an item of a list tell of a deed of its own."""

HEADED = re.compile(
    r"^\W*(?:(?:summary of |the )?(?:actions?|steps?|changes?|updates?) (?:i(?:'ve)? )?(?:taken|performed|"
    r"completed|made|done|took|applied)(?: so far| today)?|what i(?:'ve)? (?:did|done|changed)|"
    r"what (?:was|has been) done|here(?:'s| is) what (?:i did|i've done|was done)|completed(?: actions| tasks)?)\W*$",
    re.IGNORECASE,
)
"""What stands above a list of deeds: `Actions taken`."""


@lru_cache(maxsize=256)
def listed(more: frozenset[str] = frozenset()) -> re.Pattern[str]:
    """An item of a list of deeds: `- Isolated the host`."""
    return re.compile(
        rf"^\W*(?:\d{{1,2}}[.)])?\W*(?:successfully\s+)?{_verb(more | OWN_WORK)}(?=\s+\w)"
    )


HEADLINE = re.compile(
    rf"^\W*(?:your |new )?(?!(?:the|they|you|he|she|it|we|i|who|a|an|if|no|not|as)\b)(?:[\w'-]+\s+){{1,2}}?"
    rf"{_verb(OWN_WORK | {'complete'})}(?=\s*(?:[.!,]|$|(?<=complete):|(?:to|for|and)\b))"
)
"""A claim like a headline: `Timer set for ten minutes.`"""


@lru_cache(maxsize=256)
def of_states(more: frozenset[str] = frozenset()) -> tuple[Form, ...]:
    """What may be a claim, or tell of how things are: `the order is cancelled`, and by its outcome."""
    verb = _verb(more | OWN_WORK)
    is_so = re.compile(rf"\b(?:was|were|is|are|got|you're)\s+(?:being\s+)?{_ADVERBS}{verb}")
    return (
        Form(is_so, frozenset({"was", "were", "is", "are", "got", "you"})),
        Form(WHATEVER, frozenset({"been", "now"})),
        Form(HEADLINE),
        Form(OUTCOME, frozenset(outcome.split()[0] for outcome in OUTCOMES)),
        Form(NOW_SO, frozenset({"now"})),
    )


APART = re.compile(
    r"\b(?P<verb>turned|switched|rolled|set|signed|shut|powered|checked) (?P<what>(?!(?:to|in|on|at|for|with|by|"
    r"from|up|off|out|down|and|or|as)\b)(?:[\w#'/.-]+ ){1,4}?)(?P<part>on|off|back|up|down|out)\b(?! of\b)"
)
"""A verb of two words with its object between them: `turned the lights off`."""

LEADING_IN = re.compile(
    r"\b(?:i can (?:now )?confirm|please (?:note|be (?:advised|informed|aware))|rest assured|"
    r"i(?:'d| would) like to (?:inform you|let you know|confirm)|i want(?:ed)? to (?:inform you|"
    r"let you know|confirm)|let me (?:confirm|inform you)|(?:i(?:'m| am)|we(?:'re| are)) (?:happy|"
    r"pleased|glad|delighted) to (?:inform you|let you know|tell you|confirm|say|report)|"
    r"you(?:'ll| will) be (?:happy|pleased|glad) to (?:hear|know))(?:\s+that)?\b"
)
"""How a claim is led in, with words that would else leave it open: `I can confirm that`."""

LEADS = frozenset({
    "confirm", "note", "advised", "informed", "aware", "assured", "inform", "know", "tell", "say",
    "report", "hear",
})  # fmt: skip
"""Words of which `LEADING_IN` needs one."""
