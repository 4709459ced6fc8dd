"""Scenarios: who the user is, what they want, what they know, and what they tell only when asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from passhat.errors import UsageError
from passhat.surroundings.facts import Fact, spoken_name, spoken_value, words_of
from passhat.surroundings.problems import Problem

MAX_TURNS = 20
"""How many messages a user sends at most, where the scenario does not say."""


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
            persona=spoken_value(stated.get("persona") or ""),
            known=known,
            hidden=hidden,
            rules=tuple(_rule(entry) for entry in entries if isinstance(entry, Mapping)),
            advice=tuple(entry for entry in entries if isinstance(entry, str)),
            success=spoken_value(stated.get("success") or ""),
            max_turns=int(stated.get("max_turns") or MAX_TURNS),
            facts={fact.name: spoken_value(fact.value) for fact in (*known, *hidden) if fact.name},
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
    value = spoken_value(fact.value)
    return f"{spoken_name(fact.name)}: {value}" if fact.name else value


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


def scenario_problems(stated: Mapping[str, Any]) -> Iterator[Problem]:
    """What cannot mean anything in a case's `scenario`: the way to it, and why."""
    yield from _rule_problems(stated.get("rules"))
    for key in ("known_facts", "hidden_facts"):
        yield from _fact_problems(key, stated.get(key))


def _rule_problems(rules: Any) -> Iterator[Problem]:
    listed = isinstance(rules, list | tuple)
    for index, entry in enumerate(rules if listed else [rules]):
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


def _fact_problems(key: str, facts: Any) -> Iterator[Problem]:
    if facts is None or isinstance(facts, str):
        return
    if not isinstance(facts, Mapping | list | tuple):
        yield (key,), f"are a mapping, a list or a text, not {facts!r}"
        return
    for fact in _facts(facts):
        if not words_of(spoken_value(fact.value)):
            yield (key,), f"the fact {fact.name or fact.value!r} says nothing"
        for pattern in fact.ask:
            yield from _pattern_problems((key,), pattern)


def _pattern_problems(steps: tuple[str | int, ...], pattern: Any) -> Iterator[Problem]:
    try:
        re.compile(pattern)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        yield steps, f"{pattern!r} is no pattern: {error}"
