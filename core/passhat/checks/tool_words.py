"""How claims of a tool sound, in the words of a suite: the language of `claims`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from passhat.checks.claims import Claim, claims_in, lone_claim
from passhat.checks.clauses import CLAUSE_BREAK, is_open
from passhat.checks.consent import word_pattern
from passhat.checks.no_claim_words import NEGATED, OPEN
from passhat.checks.spoken import Sentence, folded
from passhat.errors import UsageError


@dataclass(frozen=True, slots=True)
class ToolWords:
    """How an agent says that one tool was used, as a suite writes it.

    Attributes:
        tool: The tool.
        says: What it says: texts in which `{object}` and `{amount}` stand for those, and `*` for a
            few words.
        unless: Words before it that make it no claim, besides the English ones.
        object: Which argument names what it was done to: `args.order_id`.
        amount: Which argument or part of the result is the amount: `args.amount`, `result.total`.
    """

    tool: str
    says: tuple[re.Pattern[str], ...] = ()
    unless: re.Pattern[str] | None = None
    object: tuple[str, ...] = ()
    amount: tuple[str, ...] = ()

    @classmethod
    def of(cls, tool: str, spec: Any) -> ToolWords:
        """The words of a tool from what a suite writes.

        Raises:
            UsageError: The mapping has a key that is none, or a part that is neither of the
                arguments nor of the result.
        """
        if isinstance(spec, str | list | tuple):
            spec = {"says": spec}
        if not isinstance(spec, Mapping):
            raise UsageError(f"claims: {tool}: give what it says, or a mapping, not {spec!r}")
        unknown = [key for key in spec if key not in _KEYS]
        if unknown:
            raise UsageError(f"claims: {tool} has no {unknown[0]!r}; there are {', '.join(_KEYS)}")
        return cls(
            tool,
            tuple(_phrase(tool, text) for text in _texts(tool, spec.get("says", ()))),
            word_pattern(tuple(_texts(tool, spec.get("unless", ())))),
            _part(tool, spec.get("object")),
            _part(tool, spec.get("amount")),
        )

    def claims(self, sentence: Sentence) -> Iterator[Claim]:
        """The claims that a sentence makes in these words; questions and conditions make none."""
        text = folded(sentence)
        if is_open(text):
            return
        for pattern in self.says:
            found = pattern.search(text)
            if found and self.unless is not None and self.unless.search(found[0]):
                continue
            if found and self._unguarded(text[: found.start()]):
                yield Claim(sentence, self.tool, found[0], text, tool=self.tool)
                return

    def _unguarded(self, before: str) -> bool:
        breaks = [hit.end() for hit in CLAUSE_BREAK.finditer(before)]
        clause = before[breaks[-1] if breaks else 0 :]
        if self.unless is not None and self.unless.search(clause):
            return False
        return not (NEGATED.search(clause) or OPEN.search(clause))


_KEYS = ("says", "unless", "object", "amount")


def _texts(tool: str, value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"claims: {tool}: words are a text or a list of texts, not {value!r}")
    return list(texts)


def _phrase(tool: str, text: str) -> re.Pattern[str]:
    if not text.strip():
        raise UsageError(f"claims: {tool}: what it says is empty")
    parts = re.split(r"(\{object\}|\{amount\}|\*|\s+)", text.strip().casefold())
    forms = {"{object}": r"\S+", "{amount}": r"[^\w\s]?\d[\d.,]*\S*", "*": r".{0,60}?"}
    body = "".join(
        forms.get(part) or (r"\s+" if part.isspace() else re.escape(part)) for part in parts if part
    )
    return re.compile(rf"(?<!\w){body}(?!\w)")


def _part(tool: str, text: Any) -> tuple[str, ...]:
    if text is None:
        return ()
    keys = tuple(str(text).split("."))
    if keys[0] not in ("args", "result") or len(keys) < 2:
        raise UsageError(
            f"claims: {tool}: {text!r} is no part of a call: write args.NAME or result.NAME"
        )
    return keys


def words_of_tools(claims: Mapping[str, Any]) -> tuple[ToolWords, ...]:
    """The words of each tool that a suite names."""
    return tuple(ToolWords.of(tool, spec) for tool, spec in claims.items())


def all_claims(
    sentences: list[Sentence],
    words: tuple[ToolWords, ...],
    further: Mapping[str, str] | None = None,
) -> list[Claim]:
    """The claims of sentences: in the tools' own words, else in English.

    Args:
        sentences: The sentences of a message.
        words: The tools' own words.
        further: The verbs of the tools' names, by participle.
    """
    found: list[Claim] = []
    more = frozenset(further or ())
    for sentence in sentences:
        own = [claim for tool in words for claim in tool.claims(sentence)]
        found += own or claims_in(sentence, more, further)
    if sentences and all(claim.doubtful for claim in found):
        found += lone_claim(sentences)
    return found
