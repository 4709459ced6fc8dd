"""What the agent of a trace was given, gathered from its steps and its case."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from passhat.case import Case
from passhat.provenance.content import Content, decoded, prompt_content
from passhat.provenance.hidden import shown, with_shown
from passhat.provenance.scalars import scalars
from passhat.provenance.seen import Passage, Seen
from passhat.trace import Interrupt, Message, NodeVisit, StateUpdate, ToolCall, Trace
from passhat.trace.derived import kept, remembered
from passhat.values.parts import with_texts

NEVER = 1 << 60
_LONGEST_IN_PIECES = 100_000
_TELL_CHANGES = frozenset({"adk"})
"""Sources that record each change of the state as a step, so that all else was there from the start."""


def seen_in(
    trace: Trace,
    case: Case | None = None,
    untrusted: frozenset[str] = frozenset(),
    planted: tuple[str, ...] = (),
) -> Seen:
    """What the agent of a trace was given, in the order in which it could see it.

    It is remembered with the trace, so that checks share it.
    """
    key = (id(case), untrusted, planted)
    held: dict[Any, tuple[Case | None, Seen]] = kept(trace).setdefault("_seen", {})
    found = held.get(key)
    if found is None or found[0] is not case:
        found = held[key] = (case, _gathered(trace, case, untrusted, planted))
    return found[1]


def _gathered(
    trace: Trace, case: Case | None, untrusted: frozenset[str], planted: tuple[str, ...]
) -> Seen:
    seen = Seen()
    for passage in _from_the_start(trace, case):
        seen.add(passage)
    clock = _Clock(trace)
    spans = _spans(planted)
    numbers: dict[str | None, int] = {}
    nested: dict[int, tuple[tuple[int, int], ...]] = {}
    opened: list[int] = []
    call_index = -1
    asked = True
    for at, step in enumerate(trace.steps):
        if type(step) is NodeVisit or type(step) is ToolCall:
            asked = False
        elif type(step) is Message:
            asked = step.role != "assistant"
        if type(step) is Message:
            if step.role == "system" and step.text:
                content = prompt_content(step.text)
                seen.add(Passage("given", "the system prompt", at, None, at, True, content, True))
            elif step.role == "user":
                words = step.text if step.content is None else [step.text, step.content]
                seen.add(Passage("said", "the user's words", at, None, at, True, Content(words)))
        elif type(step) is ToolCall:
            call_index += 1
            outer = numbers.get(step.parent) if step.parent is not None else None
            numbers[step.id] = call_index
            label = step.name
            trusted = step.name not in untrusted
            opens = clock.sees(at, step)
            opened.append(opens)
            within = () if outer is None else (*nested.get(outer, ()), (outer, opened[outer]))
            if within:
                nested[call_index] = within
                seen.inside[at] = frozenset(call for call, _ in within)
            for value in (step.result, step.error):
                if (
                    value is UNSET
                    or value is None
                    or (value is step.error and value == step.result)
                ):
                    continue
                for part, clean in _parted(decoded(value), spans) if spans else ((value, True),):
                    known = trusted and clean
                    content = Content(part if known else with_texts(decoded(part), with_shown))
                    seen.add(
                        Passage(
                            *("returned", label, at, call_index, opens, known, content),
                            within=within,
                        )
                    )
        elif type(step) is Interrupt and step.answer is not UNSET:
            seen.add(Passage("said", "the user's answer", at, None, at, True, Content(step.answer)))
        elif type(step) is StateUpdate and asked and (step.by is None or step.by not in numbers):
            # It came with what was asked, before the agent had done anything.
            seen.add(Passage("given", "the input", at, None, at, True, Content(step.delta)))
        elif type(step) is StateUpdate and step.by in numbers and step.by is not None:
            origin = numbers[step.by]
            call = trace.all_calls[origin]
            opens = max(at, clock.sees(at, call))
            trusted = call.name not in untrusted
            seen.add(
                Passage(
                    *("returned", call.name, at, origin, opens, trusted, Content(step.delta)),
                    within=nested.get(origin, ()),
                )
            )
    return seen


def _from_the_start(trace: Trace, case: Case | None) -> Iterator[Passage]:
    if case is not None:
        asked = _asked(case.first_input)
        if asked is not None:
            yield Passage("given", "the case's input", -1, None, -1, True, Content(asked))
    state: Any = None if trace.initial_state is UNSET else trace.initial_state
    holder: Any = trace
    if state is None and case is not None and not isinstance(case.initial_state, str):
        state, holder = case.initial_state, case
    if state is None:
        state = _never_changed(trace)
    if state is not None:
        content = remembered(holder, "_state_content", lambda _: Content(state))
        yield Passage("given", "the initial state", -1, None, -1, True, content, True)


def _never_changed(trace: Trace) -> dict[Any, Any] | None:
    """What the last state holds that no step changed, where the source tells each change of it."""
    if trace.source not in _TELL_CHANGES or not isinstance(trace.final_state, Mapping):
        return None
    deltas = (step.delta for step in trace.steps if type(step) is StateUpdate)
    changed = {key for delta in deltas if isinstance(delta, Mapping) for key in delta}
    return {key: value for key, value in trace.final_state.items() if key not in changed}


def _asked(value: Any) -> Any:
    """The input of a case without what an assistant says in it."""
    if isinstance(value, list | tuple):
        return [
            item
            for item in value
            if not (isinstance(item, Mapping) and item.get("role") in ("assistant", "ai", "model"))
        ]
    return value


class _Clock:
    """From which step on the answer of a call could be seen."""

    def __init__(self, trace: Trace) -> None:
        self.requests: list[int] = []
        self.firsts: list[int] = []
        for at, step in enumerate(trace.steps):
            request = getattr(step, "request", None)
            if request is not None and (not self.requests or request > self.requests[-1]):
                self.requests.append(request)
                self.firsts.append(at)

    def sees(self, at: int, call: ToolCall) -> int:
        """The first step that could see the answer of the call, which is step `at`.

        Where the call does not say which request that was, it is the next one.
        """
        if call.request is None and call.answered is None:
            return at + 1
        by = call.answered if call.answered is not None else (call.request or 0) + 1
        if self.requests and self.requests[-1] >= by:
            return max(at + 1, self.firsts[bisect_left(self.requests, by)])
        return at + 1 if call.answered is not None else NEVER


def _spans(planted: tuple[str, ...]) -> list[re.Pattern[str]]:
    """Patterns of the planted texts, white space being any."""
    return [
        re.compile(r"\s+".join(map(re.escape, text.split())), re.IGNORECASE)
        for text in planted
        if text.strip()
    ]


def _parted(value: Any, spans: list[re.Pattern[str]]) -> Iterator[tuple[Any, bool]]:
    """The value, with what was planted in its texts apart: parts, and whether each is clean.

    A planted text may be hidden between characters that are not seen, or in several texts in a row.
    """
    found: list[str] = []

    def without(text: str) -> str:
        if text in pieces:
            found.append(pieces[text][0])
            return pieces[text][1]
        plain = shown(text)
        for span in spans:
            if plain != text and span.search(plain) and not span.search(text):
                text = plain
            found.extend(hit[0] for hit in span.finditer(text))
            text = span.sub(" ", text)
        return text

    pieces = _in_pieces(value, spans)
    yield with_texts(value, without), True
    if found:
        yield found, False


def _in_pieces(value: Any, spans: list[re.Pattern[str]]) -> dict[str, tuple[str, str]]:
    """The texts that hold a piece of a planted one, which goes on in the next: the piece and the rest."""
    texts = [shown(text) for _, text in scalars(value) if isinstance(text, str)]
    if len(texts) < 2 or sum(map(len, texts)) > _LONGEST_IN_PIECES:
        return {}
    whole = " ".join(texts)
    raw = [text for _, text in scalars(value) if isinstance(text, str)]
    found: dict[str, tuple[str, str]] = {}
    for hit in (hit for span in spans for hit in span.finditer(whole)):
        at = 0
        for text, plain in zip(raw, texts, strict=True):
            start, end = max(hit.start() - at, 0), min(hit.end() - at, len(plain))
            if start < end and not (at <= hit.start() and hit.end() <= at + len(plain)):
                found[text] = (plain[start:end], f"{plain[:start]} {plain[end:]}")
            at += len(plain) + 1
    return found
