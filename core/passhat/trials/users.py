"""Users who play a scenario: by rule, by a callable, or by a framework's own simulator."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol, TypeAlias, runtime_checkable

from passhat.case import Case
from passhat.errors import UsageError
from passhat.surroundings import Fact, Rule, Scenario

Messages: TypeAlias = Sequence[Mapping[str, str]]
"""What was said so far: `{"role": "user" | "assistant", "content": text}`, in order."""

Player: TypeAlias = Callable[[Messages], "str | Awaitable[str | None] | None"]
"""A user in one conversation: gives what they say next, or None where they say no more."""


@runtime_checkable
class User(Protocol):
    """Somebody who can play the user of a case."""

    def begin(self, case: Case, seed: int) -> Player:
        """The user in one conversation."""
        ...


_QUESTION = re.compile(r"\?|\b(please (provide|share|tell|enter|give|confirm)|let me know)\b", re.I)
_CONFIRMING = re.compile(
    r"\b(shall i|should i|do you (want|confirm|agree)|would you like me to|may i|can i (go ahead|proceed)|"
    r"is (that|this) (ok|okay|correct|right|fine)|please confirm|to confirm|confirm\b.*\?|"
    r"(go ahead|proceed)\s*\?|\(?yes\s*/\s*no)",
    re.I,
)


@dataclass(frozen=True)
class ScriptedUser:
    """A user who answers by rule, and tells a hidden fact only when asked for it.

    To each message of the agent they say, in this order: what the first rule says whose pattern is
    in it; the facts that it asks for, known and hidden; yes, where it asks whether to go on; what
    `unsure` says, where it asks something else; nothing more, where it asks nothing: then the
    conversation is over. They open with the case's `input`, or else with their goal.

    Everything is drawn from the seed: the same seed gives the same words to the same messages.

    Args:
        rules: Rules before those of the scenario: `Rule`s, or mappings of `when`, `say`, `end` and
            `once`; or mappings of a pattern to what is said.
        opening: What they say first, instead of the case's input.
        consent: What they say to "shall I?"; None, or no text, lets it be a question as any other.
        unsure: What they say to a question they have no answer to.
        patience: How often they say that before they give up.
        thanks: What they say at the end; None says nothing.

    Raises:
        UsageError: A rule cannot mean anything.

    >>> case = Case("c", "I want a refund.", scenario={"hidden_facts": {"order_id": "A100"}})
    >>> say = ScriptedUser().begin(case, seed=1)
    >>> said = [{"role": "assistant", "content": "Sure. What is your order number?"}]
    >>> say([]), say(said), say([{"role": "assistant", "content": "Done."}])
    ('I want a refund.', 'My order id is A100.', None)
    """

    rules: Any = ()
    opening: str | None = None
    consent: str | Sequence[str] | None = ("Yes, please.", "Yes.", "Please go ahead.")
    unsure: str | Sequence[str] = ("I don't know.", "I am not sure.", "I can't tell you that.")
    patience: int = 3
    thanks: str | None = None
    _rules: tuple[Rule, ...] = field(default=(), init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.unsure:
            raise UsageError("unsure is what the user says to a question: a text, or several")
        stated = self.rules
        if isinstance(stated, Mapping):
            stated = [{"when": when, "say": say} for when, say in stated.items()]
        own = [rule for rule in stated if isinstance(rule, Rule)]
        rest = [rule for rule in stated if not isinstance(rule, Rule)]
        object.__setattr__(self, "_rules", (*own, *Scenario.of({"rules": rest}).rules))

    def begin(self, case: Case, seed: int) -> Player:
        """The user in one conversation.

        Raises:
            UsageError: The case says nothing that they could open with.
        """
        scenario = Scenario.of(case.scenario)
        opening = self.opening or _text(case.first_input) or scenario.goal
        if not opening:
            raise UsageError(
                f"case {case.id!r} has no input and no goal that a user could open with"
            )
        return _Scripted(self, scenario, opening, seed)


@dataclass
class _Scripted:
    user: ScriptedUser
    scenario: Scenario
    opening: str
    seed: int
    spoken: int = 0
    puzzled: int = 0
    over: bool = False
    used: set[int] = field(default_factory=set)

    def __call__(self, messages: Messages) -> str | None:
        self.spoken += 1
        if self.spoken == 1 and not any(said["role"] == "assistant" for said in messages):
            return self.opening
        if self.over:
            return None
        heard = next((m["content"] for m in reversed(messages) if m["role"] == "assistant"), "")
        for number, rule in enumerate((*self.user._rules, *self.scenario.rules)):
            if number in self.used or not rule.matches(heard):
                continue
            if rule.once:
                self.used.add(number)
            self.over = rule.end
            if rule.say:
                return self._filled(self._drawn(rule.say))
            return None
        asked = [fact for fact in self._facts if fact.asked_by(heard)]
        if asked:
            return " ".join(fact.say for fact in asked)
        if self.user.consent and _CONFIRMING.search(heard):
            return self._drawn(self.user.consent)
        if _QUESTION.search(heard):
            self.puzzled += 1
            if self.puzzled > self.user.patience:
                return None
            return self._drawn(self.user.unsure)
        self.over = True
        return self.user.thanks

    @property
    def _facts(self) -> tuple[Fact, ...]:
        return (*self.scenario.known, *self.scenario.hidden)

    def _drawn(self, texts: str | Sequence[str]) -> str:
        """One of the texts, by the seed and by how much was said."""
        if isinstance(texts, str):
            return texts
        drawn = blake2b(b"%d|%d" % (self.seed, self.spoken), digest_size=8).digest()
        return texts[int.from_bytes(drawn, "big") % len(texts)]

    def _filled(self, text: str) -> str:
        for name, value in self.scenario.facts.items():
            text = text.replace(f"{{{name}}}", value)
        return text


@dataclass(frozen=True)
class FixedUser:
    """A user who says the turns of a case one after the other, whatever is answered.

    >>> say = FixedUser().begin(Case("c", turns=["Hi", "Bye"]), seed=0)
    >>> [say([]), say([]), say([])]
    ['Hi', 'Bye', None]
    """

    def begin(self, case: Case, seed: int) -> Player:
        """The user in one conversation."""
        said = [turn.input for turn in case.turns] if case.turns else [case.input]
        turns = iter([_text(one) for one in said])
        return lambda messages: next(turns, None)


@dataclass(frozen=True)
class _Called:
    """A callable as a user."""

    function: Callable[..., Any]

    def begin(self, case: Case, seed: int) -> Player:
        opening = _text(case.first_input)
        scenario = Scenario.of(case.scenario)
        known = {"scenario": scenario, "case": case, "seed": seed}

        def play(messages: Messages) -> Any:
            if not messages and opening:
                return opening
            said_so_far = sum(said["role"] == "user" for said in messages)
            given = {"turn_counter": said_so_far, **known}
            names = _names(self.function)
            extra = {name: value for name, value in given.items() if name in names}
            return self.function([dict(said) for said in messages], **extra)

        return play


def user_of(stated: Any) -> User:
    """The user that something plays.

    Args:
        stated: A user; or a callable of the messages so far that gives what the user says next (a
            text, or a message with `content`), or None where they say no more. It is given what it
            has parameters for: `scenario`, `case`, `seed`, `turn_counter` (the messages of the user
            so far). It opens where the case has no input. A simulated user of openevals is one.

    Raises:
        UsageError: It is none of these.
    """
    if isinstance(stated, type):
        raise UsageError(f"a user is an object, not the class {stated.__name__}: call it")
    if isinstance(stated, User):
        return stated
    if callable(stated):
        return _Called(stated)
    raise UsageError(f"a user is a ScriptedUser, another user, or a callable, not {stated!r:.100}")


END = "<end>"


def spoken(value: Any) -> str | None:
    """What a user said: a text, or the content of a message; None where they say no more.

    >>> spoken({"role": "user", "content": "Hi"}), spoken("<end>"), spoken("")
    ('Hi', None, None)
    """
    if isinstance(value, Mapping):
        value = value.get("content")
    elif value is not None and not isinstance(value, str):
        value = getattr(value, "content", value)
    if isinstance(value, list):
        parts = [part.get("text") or "" if isinstance(part, Mapping) else part for part in value]
        value = "".join(parts) if all(isinstance(part, str) for part in parts) else value
    if value is None:
        return None
    if not isinstance(value, str):
        raise UsageError(f"a user says a text or None, not {value!r:.100}")
    said = value.replace(END, "").strip()
    return said or None


def _names(function: Callable[..., Any]) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()


def _text(given: Any) -> str:
    return opening_of(given)[1]


def opening_of(given: Any) -> tuple[list[dict[str, Any]], str]:
    """What was said before a conversation begins, and what the user opens it with.

    >>> opening_of([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}])
    ([{'role': 'system', 'content': 'Be kind.'}], 'Hi')
    >>> opening_of("Hi")
    ([], 'Hi')
    """
    from passhat.trials.returned import asked_text

    if isinstance(given, list | tuple) and given and isinstance(given[-1], Mapping):
        last = given[-1]
        if last.get("role") in ("user", "human") and isinstance(last.get("content"), str):
            return [dict(message) for message in given[:-1]], last["content"]
    return [], asked_text(given)
