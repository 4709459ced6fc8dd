"""The sentences of an agent: to the user, and in its thoughts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from passhat.checks.claim_words import HEADED
from passhat.trace import Message, Trace
from passhat.trace.derived import remembered

_LONGEST_MESSAGE = 50_000
_LONGEST_SENTENCE = 2_000
_MOST_ITEMS = 200
_CODE = re.compile(r"```.*?(?:```|\Z)|^[ \t]*>.*$", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(
    r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|«[^»\n]{0,400}»|‹[^›\n]{0,400}›|„[^“”\n]{0,400}[“”]"
    r"|(?<!\w)['‘](?:[^'’\n]|(?<=\w)['’](?=\w)){1,400}['’](?!\w)"
)
_WORDS_QUOTED = 3
_MARKS = re.compile(r"\*+|`|(?<!\w)_+|_+(?!\w)|^[ \t]*#+[ \t]*", re.MULTILINE)
_THOUGHTS = re.compile(
    r"<(think|thinking|thought|reasoning|scratchpad)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_ENDS = re.compile(
    r"(?<=[.!?。！？])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\bSt\.)(?<!\bNo\.)(?<!\bv\.)(?<!\bvs\.)"
    r"(?<!e\.g\.)(?<!i\.e\.)\s+"
)
_LEADING = re.compile(
    r"\W*(?:(?:great|good|excellent|wonderful|fantastic) news|(?:(?:you're|you are) )?all (?:set|done)|"
    r"(?:you're|you are) (?:set|in)|done|"
    r"success|it's done)\W*",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-•–]|\d{1,2}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the agent.

    Attributes:
        text: Its text, without marks of emphasis.
        step: The index of its message in the trace.
        items: The lines of the list that it introduces.
        led: Whether the sentence before it announces news: `All done!`
    """

    text: str
    step: int
    items: tuple[str, ...] = ()
    led: bool = False


def told_in(trace: Trace) -> list[tuple[int, list[Sentence]]]:
    """The sentences of each of the agent's messages, with its step; remembered with the trace."""
    return remembered(trace, "_told", _told)


def _told(trace: Trace) -> list[tuple[int, list[Sentence]]]:
    return [
        (step, sentences_of(message.text, step))
        for step, message in enumerate(trace.steps)
        if type(message) is Message and message.role == "assistant" and message.text
    ]


def sentences_of(text: str, step: int) -> list[Sentence]:
    r"""The sentences of a message, without code and quotations; lists go with what introduces them.

    >>> [s.text for s in sentences_of("**Done.** You said \"I have cancelled it\" before.", 0)]
    ['Done.', 'You said  before.']
    >>> sentences_of("Cancelled:\n- A1\n- B2", 0)[0].items
    ('- A1', '- B2')
    """
    said = _THOUGHTS.sub("\n", text) if "<" in text else text
    plain = _MARKS.sub("", _QUOTED.sub(_unquoted, _CODE.sub("\n", said[:_LONGEST_MESSAGE])))
    lines = [line for line in plain.split("\n") if line.strip()]
    found: list[Sentence] = []
    for at, line in enumerate(lines):
        parts = _of_line(line)
        for part in parts:
            heads = part is parts[-1] and (part.endswith(":") or HEADED.match(part) is not None)
            items = _list_after(lines, at) if heads else ()
            led = bool(found) and _LEADING.fullmatch(found[-1].text) is not None
            found.append(Sentence(part[:_LONGEST_SENTENCE], step, items, led))
    return found


def _unquoted(found: re.Match[str]) -> str:
    """A short quotation, such as an id, as it is; nothing of a longer one, which somebody said."""
    return found[0] if len(found[0].split()) < _WORDS_QUOTED else ""


def _list_after(lines: list[str], at: int) -> tuple[str, ...]:
    """The items of the list that begins after a line."""
    items: list[str] = []
    for line in lines[at + 1 : at + 2 + _MOST_ITEMS]:
        if not _ITEM.match(line) or len(items) == _MOST_ITEMS:
            break
        items.append(line.strip())
    return tuple(items)


def _of_line(line: str) -> list[str]:
    """The sentences of a line; the number of a list's item stays with it."""
    mark = _ITEM.match(line)
    head, rest = (mark[0], line[mark.end() :]) if mark else ("", line)
    parts = [part.strip() for part in _ENDS.split(rest) if part.strip()]
    return [f"{head.strip()} {parts[0]}".strip(), *parts[1:]] if parts else []


def thoughts_in(text: str) -> str:
    """What a message says between the tags that reasoning models put around their thoughts.

    >>> thoughts_in("<think>I called get_stock.</think>It is sold out.")
    'I called get_stock.'
    """
    return "\n".join(found[2] for found in _THOUGHTS.finditer(text)) if "<" in text else ""


def folded(sentence: Sentence) -> str:
    """The text of a sentence without case, its apostrophes plain."""
    return sentence.text.replace("’", "'").casefold()
