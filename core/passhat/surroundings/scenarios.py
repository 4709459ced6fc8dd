"""Scenarios: who the user is, what they want, what they know, and what they tell only when asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from passhat.errors import UsageError
from passhat.values.matchers import normal_text

MAX_TURNS = 20
"""How many messages a user sends at most, where the scenario does not say."""

_ASKING = re.compile(
    r"\?|\b(please|provide|tell me|give me|share|send me|let me know|confirm|need(ed)? (your|the|to know)|"
    r"may i have|what|which|who|when|where|enter|specify|verify)\b"
)
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]?")
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "i",
        "if",
        "in",
        "is",
        "it",
        "its",
        "me",
        "my",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "she",
        "so",
        "that",
        "the",
        "their",
        "them",
        "they",
        "this",
        "to",
        "was",
        "we",
        "were",
        "will",
        "with",
        "would",
        "you",
        "your",
        "user",
        "customer",
        "who",
        "what",
        "when",
        "which",
        "there",
        "been",
        "very",
        "just",
        "only",
        "also",
        "about",
        "into",
        "than",
        "then",
    ]
)
_SAME = (
    frozenset({"id", "number", "no", "code", "reference", "ref", "identifier", "confirmation"}),
    frozenset({"email", "mail", "e"}),
    frozenset({"phone", "telephone", "mobile", "cell"}),
    frozenset({"zip", "postal", "postcode"}),
    frozenset({"name", "called"}),
    frozenset({"birth", "birthday", "born", "dob"}),
)
"""Words that ask for the same thing."""

_MOST_SHARED = 0.6


def _words(text: str) -> list[str]:
    return _WORD.findall(normal_text(text))


@dataclass(frozen=True)
class Fact:
    """Something the user knows.

    Attributes:
        name: What it is called: `order_id`; empty where it is told in words alone.
        value: What it is.
        ask: Patterns that ask for it; without them the words of its name, or its own, do.
        say: How the user tells it.

    >>> order = Fact("order_id", "A100")
    >>> order.told_by("It is a100."), order.asked_by("What is your order number?"), order.say
    (True, True, 'My order id is A100.')
    """

    name: str
    value: Any
    ask: tuple[str, ...] = ()
    said: str | None = None

    @cached_property
    def say(self) -> str:
        """How the user tells it."""
        if self.said is not None:
            return self.said
        if not self.name:
            return str(self.value)
        if isinstance(self.value, bool):
            return f"{_spoken(self.name).capitalize()}: {'yes' if self.value else 'no'}."
        return f"My {_spoken(self.name)} is {_text(self.value)}."

    @cached_property
    def _key_words(self) -> frozenset[str]:
        source = self.name.replace("_", " ") if self.name else str(self.value)
        words = [word for word in _words(source) if word not in _STOP]
        if self.name:
            return frozenset(words)
        return frozenset(word for word in words if len(word) > 2 and not _has_digit(word))

    @cached_property
    def _tokens(self) -> tuple[str, ...]:
        return tuple(_words(_text(self.value)))

    def asked_by(self, text: str) -> bool:
        """Whether a message of the agent asks for it."""
        if self.ask:
            return any(re.search(pattern, text, re.IGNORECASE) for pattern in self.ask)
        for sentence in _SENTENCE.findall(normal_text(text)):
            if not _ASKING.search(sentence):
                continue
            said = frozenset(_words(sentence))
            if self.name and all(_names(word, said) for word in self._key_words):
                return bool(self._key_words)
            if not self.name and self._key_words & said:
                return True
        return False

    def told_by(self, text: str) -> bool:
        """Whether a message of the user tells it."""
        said = _words(text)
        if self.name or len(self._tokens) <= 3:
            return bool(self._tokens) and _in_a_row(self._tokens, said)
        marks = [word for word in self._tokens if _has_digit(word)]
        if marks:
            return any(mark in said for mark in marks)
        wanted = self._key_words
        return bool(wanted) and len(wanted & set(said)) >= _MOST_SHARED * len(wanted)


def _names(word: str, said: frozenset[str]) -> bool:
    if word in said or f"{word}s" in said or word.removesuffix("s") in said:
        return True
    return any(word in same and not same.isdisjoint(said) for same in _SAME)


def _in_a_row(tokens: tuple[str, ...], said: list[str]) -> bool:
    width = len(tokens)
    if any(tuple(said[at : at + width]) == tokens for at in range(len(said) - width + 1)):
        return True
    whole = "".join(tokens)
    if len(whole) <= 3 or not _has_digit(whole):
        return False
    # An id may be spelt: "A 1 0 0", "A-100".
    for start in range(len(said)):
        spelt = ""
        for word in said[start:]:
            spelt += word
            if not whole.startswith(spelt):
                break
            if spelt == whole:
                return True
    return False


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def _spoken(name: str) -> str:
    return name.replace("_", " ").strip()


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items())
    return str(value)


@dataclass(frozen=True)
class Rule:
    """What the user says when the agent says something.

    Attributes:
        when: A pattern in what the agent says, whatever the case of its letters.
        say: What the user says to it: one of several, by the seed. `{name}` is a fact.
        end: Whether the user says no more after that.
        once: Whether it is said once only.
    """

    when: str
    say: tuple[str, ...] = ()
    end: bool = False
    once: bool = False

    def matches(self, text: str) -> bool:
        """Whether a message of the agent is what it waits for."""
        return re.search(self.when, text, re.IGNORECASE) is not None


@dataclass(frozen=True)
class Scenario:
    """What a user who plays a case goes by.

    Attributes:
        goal: What they want, in words.
        persona: Who they are.
        known: What they know and may tell at any time.
        hidden: What they tell only when asked.
        rules: What they say to what.
        advice: Rules in words, for a user who is a model.
        success: When they have what they want, in words, for a user who is a model.
        max_turns: How many messages they send at most.

    >>> scenario = Scenario.of({"goal": "Get a refund.", "hidden_facts": {"order_id": "A100"}})
    >>> scenario.hidden[0].say, scenario.max_turns
    ('My order id is A100.', 20)
    """

    goal: str = ""
    persona: str = ""
    known: tuple[Fact, ...] = ()
    hidden: tuple[Fact, ...] = ()
    rules: tuple[Rule, ...] = ()
    advice: tuple[str, ...] = ()
    success: str = ""
    max_turns: int = MAX_TURNS
    facts: dict[str, str] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, stated: Mapping[str, Any] | Scenario | None) -> Scenario:
        """The scenario that a case's `scenario` writes.

        Raises:
            UsageError: A rule or a fact of it cannot mean anything.
        """
        if isinstance(stated, Scenario):
            return stated
        stated = stated or {}
        for steps, message in scenario_problems(stated):
            raise UsageError(f"scenario: {steps[0]}: {message}")
        rules = stated.get("rules") or ()
        entries = [rules] if isinstance(rules, str | Mapping) else list(rules)
        known = tuple(_facts(stated.get("known_facts")))
        hidden = tuple(_facts(stated.get("hidden_facts")))
        return cls(
            goal=str(stated.get("goal") or ""),
            persona=_text(stated.get("persona") or ""),
            known=known,
            hidden=hidden,
            rules=tuple(_rule(entry) for entry in entries if isinstance(entry, Mapping)),
            advice=tuple(entry for entry in entries if isinstance(entry, str)),
            success=_text(stated.get("success") or ""),
            max_turns=int(stated.get("max_turns") or MAX_TURNS),
            facts={fact.name: _text(fact.value) for fact in (*known, *hidden) if fact.name},
        )

    def prompt(self) -> str:
        """What a model is told that plays the user.

        >>> print(Scenario.of({"goal": "Get a refund.", "hidden_facts": {"order": "A1"}}).prompt())
        You play a user who talks to an assistant. Stay in that role; never speak as the assistant.
        What you want: Get a refund.
        Tell these only when you are asked for them:
        - order: A1
        Say one short message at a time. When you have what you want, or it cannot be had, answer with
        <end> and nothing else.
        """
        lines = [
            "You play a user who talks to an assistant. Stay in that role; never speak as the assistant."
        ]
        if self.persona:
            lines.append(f"Who you are: {self.persona}")
        if self.goal:
            lines.append(f"What you want: {self.goal}")
        for head, facts in (
            ("What you know:", self.known),
            ("Tell these only when you are asked for them:", self.hidden),
        ):
            if facts:
                lines += [head, *(f"- {_listed(fact)}" for fact in facts)]
        told = [
            *self.advice,
            *(f"when it says {rule.when!r}: {' or '.join(rule.say)}" for rule in self.rules),
        ]
        if told:
            lines += ["Rules:", *(f"- {rule}" for rule in told)]
        if self.success:
            lines.append(f"You have what you want when: {self.success}")
        lines.append(
            "Say one short message at a time. When you have what you want, or it cannot be had, answer "
            "with\n<end> and nothing else."
        )
        return "\n".join(lines)


def _listed(fact: Fact) -> str:
    return f"{_spoken(fact.name)}: {_text(fact.value)}" if fact.name else _text(fact.value)


_FACT_KEYS = ("name", "value", "ask", "say")
_RULE_KEYS = ("when", "say", "end", "once")


def _facts(stated: Any) -> Iterator[Fact]:
    if stated is None:
        return
    if isinstance(stated, Mapping):
        for name, value in stated.items():
            if isinstance(value, Mapping) and "value" in value and value.keys() <= {*_FACT_KEYS}:
                yield Fact(
                    str(name), value["value"], _listed_texts(value.get("ask")), value.get("say")
                )
            else:
                yield Fact(str(name), value)
        return
    for entry in stated if isinstance(stated, list | tuple) else [stated]:
        if isinstance(entry, Mapping) and "value" in entry:
            yield Fact(
                str(entry.get("name", "")),
                entry["value"],
                _listed_texts(entry.get("ask")),
                entry.get("say"),
            )
        elif isinstance(entry, Mapping):
            yield from _facts(entry)
        else:
            yield Fact("", entry)


def _listed_texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _rule(entry: Mapping[str, Any]) -> Rule:
    return Rule(
        entry["when"],
        _listed_texts(entry.get("say")),
        bool(entry.get("end", False)),
        bool(entry.get("once", False)),
    )


def scenario_problems(stated: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What cannot mean anything in a case's `scenario`: the way to it, and why."""
    rules = stated.get("rules")
    listed = isinstance(rules, list | tuple)
    for index, entry in enumerate(rules if isinstance(rules, list | tuple) else [rules]):
        here: tuple[str | int, ...] = ("rules", index) if listed else ("rules",)
        if not isinstance(entry, Mapping):
            continue
        for key in entry:
            if key not in _RULE_KEYS:
                yield (*here, key), f"unknown key; a rule has {', '.join(_RULE_KEYS)}"
        if not isinstance(entry.get("when"), str) or not entry["when"]:
            yield here, "needs a `when`: a pattern in what the agent says"
        else:
            yield from _pattern_problems((*here, "when"), entry["when"])
        if not _listed_texts(entry.get("say")) and not entry.get("end"):
            yield here, "says nothing and ends nothing; give it `say` or `end: true`"
    for key in ("known_facts", "hidden_facts"):
        facts = stated.get(key)
        if facts is None or isinstance(facts, str):
            continue
        if not isinstance(facts, Mapping | list | tuple):
            yield (key,), f"are a mapping, a list or a text, not {facts!r}"
            continue
        for fact in _facts(facts):
            if not _words(_text(fact.value)):
                yield (key,), f"the fact {fact.name or fact.value!r} says nothing"
            for pattern in fact.ask:
                yield from _pattern_problems((key,), pattern)


def _pattern_problems(
    steps: tuple[str | int, ...], pattern: Any
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    try:
        re.compile(pattern)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        yield steps, f"{pattern!r} is no pattern: {error}"
