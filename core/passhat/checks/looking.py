"""What an agent says it called or looked up: the tools it names, and those it must have used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec import UNSET

from passhat.checks.claim_words import verb_forms
from passhat.checks.clauses import CLAUSE_BREAK
from passhat.checks.deed_words import READERS
from passhat.checks.looking_words import CALLING, LOOKED, LOOKED_AROUND, RUN_CHECKS
from passhat.checks.naming import stems, text_of
from passhat.checks.no_claim_words import NEGATED, OPEN
from passhat.checks.tool_kinds import tool_verb
from passhat.provenance.identifiers import name_parts
from passhat.provenance.texts import tokens
from passhat.trace import ToolCall

_RAN = re.compile(r"\b(?:ran|run|executed)\b")
_NEAR = 80
_OBJECT = 60
_NAME = re.compile(r"[`'\"]?(?P<name>\w+(?:[.\-]\w+)*)[`'\"]?(?P<kind>\s+(?:tool|function|api)\b)?")
_RECORDS = re.compile(
    r"\b(?:system|systems|records?|database|account|order|orders|reservations?|bookings?|profile|"
    r"inventory|catalog(?:ue)?|calendar|website|web|internet|online|status|availability|flights?|"
    r"balance|payment|history|files?|documents?|logs?|inbox|stock|schedule|prices?)\b"
)
_GIVEN = re.compile(
    r"\b(?:you (?:provided|gave|shared|sent|mentioned|pasted|attached|uploaded|wrote|told)|"
    r"(?:your|the|this|our) (?:\w+ )?(?:message|request|question|conversation|instructions?|guidelines|"
    r"rules?|code above|text|prompt|context)|(?:the|this|our) (?:\w+ )?polic(?:y|ies)|above|below|with you|as you)\b"
)
_TOLD = re.compile(
    r"\b(?:yesterday|last (?:week|month|year|time)|earlier today|previously|in the past|already told|"
    r"you(?:'ve| have| had)?|says?|said|that|who|which|where|when|example|as)[\s:,]*$"
)
_GENERIC = stems(
    [
        "user",
        "users",
        "data",
        "info",
        "information",
        "details",
        "detail",
        "item",
        "items",
        "customer",
        "name",
        "list",
        "id",
        "all",
        "new",
        "tool",
    ]
)
_RUNNERS = frozenset(
    {"run", "execute", "test", "ping", "scan", "lint", "diagnose", "grep", "trace", "probe"}
)


def claimed_tool(sentence: str, known: Mapping[str, str], called: set[str]) -> str | None:
    """The tool that a sentence names as called and that was not; empty text where it names none.

    Args:
        sentence: The sentence.
        known: The tools there are, by their names in lower case.
        called: The names, in lower case, of the tools that were called before.

    >>> claimed_tool("I called get_stock: none.", {"get_stock": "get_stock"}, set())
    'get_stock'
    """
    text = _folded(sentence)
    if text.rstrip().endswith("?"):
        return None
    for found in CALLING.finditer(text):
        name = _NAME.match(text, found.end())
        if name is None or _left_open(text, found.start()):
            continue
        word = name["name"]
        like_a_tool = "_" in word and name["kind"]
        if (word in known or like_a_tool) and word not in called:
            return known.get(word, word)
    if (
        not called
        and _RAN.search(text)
        and any(RUN_CHECKS.match(what) for _, what in _sights(text))
    ):
        return ""
    if not called and (looked := _looked(text)) is not None:
        return "" if _RECORDS.search(looked) and not _GIVEN.search(looked) else None
    return None


def names_a_call(sentence: str) -> bool:
    """Whether a sentence has words by which an agent says that it called or checked something."""
    text = _folded(sentence)
    return any(pattern.search(text) for pattern in (CALLING, LOOKED, LOOKED_AROUND))


def may_have_looked(sentence: str) -> bool:
    """Whether a sentence says that something was checked, be it with a tool or without.

    >>> may_have_looked("I have reviewed your request."), may_have_looked("I will check it.")
    (True, False)
    """
    text = _folded(sentence)
    return not text.rstrip().endswith("?") and bool(_sights(text))


@dataclass(slots=True)
class Lookers:
    """The tools that find something out, by the words that tell of them.

    Attributes:
        known: The tools there are that change nothing.
        served: The beginnings of the words in the calls made so far, and in their results.
    """

    known: Iterable[str]
    served: set[str] = field(default_factory=set)

    def serve(self, call: ToolCall) -> None:
        """Notes what a call may have told of."""
        result = "" if call.result is UNSET else text_of(call.result)
        words = tokens(f"{' '.join(name_parts(call.name))} {text_of(call.args)} {result}")
        self.served |= stems(part for word in words for part in word.split("_"))

    def missing(self, sentence: str, called: set[str]) -> str | None:
        """The tool that a sentence says was used, in words, where neither it nor the like was called.

        The sentence has a verb of looking, or that of the tool, and names what the tool is about; no
        call made before tells of that, be it in its name, its arguments or its result.

        >>> Lookers(["get_weather", "run_tests"]).missing("I ran the tests, and all pass.", set())
        'run_tests'
        """
        text = _folded(sentence)
        if text.rstrip().endswith("?"):
            return None
        for verb, looked in _sights(text):
            if _GIVEN.search(looked):
                continue
            spoken = stems(tokens(looked)) - _GENERIC
            best, most = None, 0
            for name in self.known:
                if name.casefold() in called:
                    continue
                own = _nouns(name)
                shared = own & spoken
                if not shared or not shared.isdisjoint(self.served):
                    continue
                if len(shared) > most and _may_be(name, verb):
                    best, most = name, len(shared)
            if best is not None:
                return best
        return None

    def unserved(self, sentence: str) -> bool:
        """Whether a sentence says that something was looked up which no call so far tells of."""
        for _, looked in _sights(_folded(sentence)):
            spoken = stems(tokens(looked)) - _GENERIC
            if not _GIVEN.search(looked) and spoken and spoken.isdisjoint(self.served):
                return True
        return False


def _nouns(name: str) -> set[str]:
    parts = name_parts(name)
    verb = tool_verb(name) or (parts[0] if len(parts) > 1 else None)
    return stems(part for part in parts if part != verb) - _GENERIC


def _may_be(name: str, verb: str) -> bool:
    """Whether a verb, in the past, may tell of a call of a tool: it looks something up, or is the tool's."""
    own = tool_verb(name) or next(iter(name_parts(name)), "")
    if verb in ("ran", "run", "performed", "executed", "did", "made", "conducted"):
        return own in _RUNNERS or own in READERS
    return own in READERS or own in _RUNNERS or verb in verb_forms(own)


def _sights(text: str) -> list[tuple[str, str]]:
    """The verbs by which a text says that something was looked up, each with what was."""
    found: list[tuple[str, str]] = []
    for pattern in (LOOKED, LOOKED_AROUND):
        for hit in pattern.finditer(text):
            start = hit.start()
            if hit.re is LOOKED and (
                _left_open(text, start) or _TOLD.search(text[max(0, start - _NEAR) : start])
            ):
                continue
            after = text[hit.end() : hit.end() + _OBJECT]
            ends = CLAUSE_BREAK.search(after)
            inside = hit.groupdict().get("what") or ""
            found.append((hit["verb"], f"{inside} {after[: ends.start()] if ends else after}"))
    return found


def _looked(text: str) -> str | None:
    """What a text says was checked; None where it says of nothing that it was."""
    for verb, looked in _sights(text):
        if verb not in ("ran", "run", "did", "made", "performed", "executed", "conducted", "read"):
            return looked
    return None


def _folded(sentence: str) -> str:
    return sentence.replace("’", "'").casefold()


def _left_open(text: str, start: int) -> bool:
    before = text[max(0, start - _NEAR) : start]
    return bool(NEGATED.search(before) or OPEN.search(before))
