"""Whether an answer to "shall I?" is a yes or a no: words, and the forms that frameworks record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

YES = (
    "yes", "y", "yeah", "yep", "yup", "sure", "ok", "okay", "confirm", "confirmed", "i confirm",
    "approve", "approved", "accept", "accepted", "agree", "agreed", "allow", "allowed", "go ahead",
    "proceed", "please do", "do it", "correct", "absolutely", "certainly", "definitely",
    "of course", "sounds good", "continue",
)  # fmt: skip
NO = (
    "no", "n", "nope", "nah", "not", "don't", "dont", "do not", "doesn't", "never", "stop", "wait",
    "hold on", "decline", "declined", "reject", "rejected", "deny", "denied", "refuse", "refused",
    "instead", "rather",
)  # fmt: skip

_VERDICTS = (
    "confirmed",
    "approved",
    "accepted",
    "allowed",
    "confirm",
    "approve",
    "accept",
    "allow",
)
_WORDS = ("type", "action", "decision", "answer", "response", "status", "result")
_EDITED = frozenset({"edit", "edited", "modify"})
_STOPPED = frozenset({"ignore", "cancel", "respond", "response", "skip"})

_ASKING = re.compile(
    r"[?？؟]|\b(confirm|proceed|approv\w+|let me know|go ahead|shall i|should i|may i)\b", re.I
)

_HESITATING = re.compile(
    r"\b(wait|stop|hold on|hang on|never mind|nevermind|not yet|not sure|don't think so|"
    r"do not think so|are you sure)\b"
)

_NEUTRAL = re.compile(r"\b(mak(e|ing) sure|made sure|no problem|no worries)\b")


def asks(text: str) -> bool:
    """Whether the agent's words ask the user for something."""
    return _ASKING.search(text) is not None


@lru_cache(maxsize=64)
def word_pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """A pattern for any of the words, as whole words; None where there are none."""
    known = sorted((re.escape(word.casefold()) for word in words), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(known)})(?!\w)") if known else None


def said(text: str, yes: re.Pattern[str] | None, no: re.Pattern[str] | None) -> bool | None:
    """Whether the words are a yes (True), a no (False), or leave it open (None).

    A yes has a word of consent with none of refusal before it, and nothing in it that takes it
    back or asks again; a no begins with a word of refusal and has none of consent.

    >>> yes, no = word_pattern(YES), word_pattern(NO)
    >>> said("Yes, but don't email me", yes, no), said("No, thanks", yes, no)
    (True, False)
    >>> said("I don't want insurance. Yes, proceed", yes, no), said("Sure... wait, stop", yes, no)
    (None, None)
    """
    plain = _NEUTRAL.sub("", text.replace("’", "'").casefold()).lstrip(" \n\t\"'([{-–—.,!")
    agreed = yes.search(plain) if yes else None
    declined = no.search(plain) if no else None
    if agreed is not None:
        if _HESITATING.search(plain):
            return None
        return True if declined is None or agreed.start() < declined.start() else None
    return False if declined is not None and declined.start() == 0 else None


def answered(value: Any, yes: re.Pattern[str] | None, no: re.Pattern[str] | None) -> bool | None:
    """Whether an answer, as a framework records it, is a yes, a no, or leaves it open.

    Read are true and false; words; JSON as text; mappings that say it under a name such as
    `confirmed` or `approved`, or by a word under `type`, `action`, `decision` and the like; and
    lists, which say yes if all do and no if one does.

    >>> yes, no = word_pattern(YES), word_pattern(NO)
    >>> answered({"confirmed": True}, yes, no), answered({"decisions": [{"type": "reject"}]}, yes, no)
    (True, False)
    """
    found: list[bool | None] = []
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, bool):
            found.append(item)
        elif isinstance(item, str):
            decoded = _decoded(item)
            if decoded is not None:
                todo.append(decoded)
            else:
                found.append(_word(item, yes, no))
        elif isinstance(item, Mapping):
            todo += _telling(item)
        elif isinstance(item, list | tuple):
            todo += item
        else:
            found.append(None)
    if False in found:
        return False
    return True if found and all(found) else None


def decisions(value: Any) -> list[Any] | None:
    """The answers to each of several calls, where an answer lists them."""
    listed = value.get("decisions") if isinstance(value, Mapping) else value
    return list(listed) if isinstance(listed, list | tuple) else None


def _telling(item: Mapping[str, Any]) -> list[Any]:
    """The part of a mapping that says yes or no; without one it leaves it open."""
    if isinstance(item.get("decisions"), list | tuple):
        return [item["decisions"]] if item["decisions"] else [None]
    for name in _VERDICTS:
        if isinstance(item.get(name), bool):
            return [item[name]]
    return next(([item[name]] for name in _WORDS if isinstance(item.get(name), str | bool)), [None])


def _word(text: str, yes: re.Pattern[str] | None, no: re.Pattern[str] | None) -> bool | None:
    plain = text.strip().casefold()
    if plain in _EDITED:
        return True
    if plain in _STOPPED:
        return False
    return said(text, yes, no)


def _decoded(text: str) -> Any:
    """The value of a text that is JSON of an object, a list, true or false."""
    if not text.lstrip().startswith(("{", "[", "t", "f")):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
