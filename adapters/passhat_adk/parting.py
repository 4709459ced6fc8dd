"""Where ADK's own criteria judge a case otherwise than the case that was made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.json import decode, encode

from passhat.case import Case, ExpectedEntry, expected_call, flat
from passhat.match.dialects import LIMITS, reached, shown_on, ways_of
from passhat.match.dialects.reaching import reaching
from passhat.reliability.wording import counted
from passhat_adk.criteria import DIALECT, TRAJECTORY, Meaning, NativeMode
from passhat_adk.findings import Findings


class Parting(NamedTuple):
    """One way in which ADK's verdict on a case may be another than ours.

    Attributes:
        key: The key of the case that it is about.
        why: What ADK does.
        run: The smallest run that gets another verdict.
    """

    key: str
    why: str
    run: str


def partings(
    meaning: Meaning, turns: Sequence[Mapping[str, Any]], references: Sequence[Any], judged: bool
) -> Iterator[Parting]:
    """Where ADK's criteria judge a case otherwise.

    Args:
        meaning: What the criteria say.
        turns: The turns that were read.
        references: The final response of each.
        judged: Whether the case expects something besides calls and responses.
    """
    native = meaning.native
    if native is not None and native.threshold > 0:
        yield from _of_calls(native, turns, judged or meaning.response is not None)
    if meaning.response is not None and meaning.response > 0:
        yield from _of_responses(meaning.response, references)


def of_requests(meaning: Meaning, names: Sequence[str]) -> Iterator[Parting]:
    """Where ADK judges as calls what it asks somebody outside.

    Args:
        meaning: What the criteria say.
        names: The names of such calls that a turn expects.
    """
    if meaning.native is None or meaning.native.threshold <= 0:
        return
    for name in dict.fromkeys(names):
        yield Parting(
            "expected_calls",
            f"ADK counts {name} as a call of the agent; here it is a pause, and not judged "
            "(requires_approval names the tools that need one)",
            f"actual [], expected [{name}]: theirs 0.0, ours True",
        )


def note_partings(partings: Iterable[Parting], name: str, found: Findings) -> None:
    """Notes of a case where ADK's criteria judge it otherwise."""
    for one in partings:
        found.note(f"{name}: {one.key}", "approximated", one.why, one.run)


def beside(native: NativeMode, told: Case, case: Case) -> Iterator[Parting]:
    """Where a criterion of ADK's own fails runs that the case passes, since it judges them too.

    Args:
        native: The criterion.
        told: The case as ADK's own keys state it, which is what the criterion judges.
        case: The case with what our rubrics say.
    """
    if native.threshold <= 0 or _asks_the_same(native, told, case) or _implied(native, told, case):
        return
    more = native.word == "exact" and case.effective_mode in ("superset", "in_order")
    yield Parting(
        "mode" if told.effective_mode != case.effective_mode else "expected_calls",
        f"{TRAJECTORY} ({native.said}) stands among the criteria and judges the calls too, as "
        f"{native.ours.nearest}; without it passhat_case alone judges them",
        "the expected calls and one more: theirs 0.0, ours True" if more else "",
    )


_CALL_KEYS = ("expected_calls", "effective_mode", "match", "optional_calls", "counts")


def _asks_the_same(native: NativeMode, told: Case, case: Case) -> bool:
    turns = [[(turn.expected_calls, turn.mode) for turn in one.turns or ()] for one in (told, case)]
    return turns[0] == turns[1] and all(
        getattr(told, key) == getattr(case, key)
        for key in (*_CALL_KEYS, *ways_of(native.ours.nearest, case.expected_calls or ()))
    )


def _implied(native: NativeMode, told: Case, case: Case) -> bool:
    """Whether each run that a case passes is one that the criterion passes."""
    if told.turns is not None or case.effective_mode != "exact" or native.word == "exact":
        return False
    if case.match or case.optional_calls or case.counts is False:
        return False
    ordered = native.word == "any_order" or case.parallel == told.parallel
    return ordered and case.expected_calls == told.expected_calls


def _of_calls(
    native: NativeMode, turns: Sequence[Mapping[str, Any]], judged: bool
) -> Iterator[Parting]:
    entries = [entry for turn in turns for entry in turn.get("expected_calls", ())]
    limits = [name for name in native.ours.but if reached((name,), entries)]
    if limits:
        said = f"{native.said} became {native.ours.nearest}: theirs "
        said += "; it ".join(LIMITS[name].told for name in limits)
        runs = [_run_within(name, native, entries) for name in limits]
        yield Parting("mode", said, "; ".join(runs))
    if not flat(entries) and native.ours.nearest.mode != "exact" and not judged:
        yield Parting(
            "expected_calls",
            f"{native.said} passes every run where no call is expected; we have nothing to judge",
            "actual [], expected []: theirs 1.0, ours not evaluated",
        )
    number = len(turns)
    if number > 1 and (number - 1) / number >= native.threshold:
        yield Parting(
            "turns",
            f"ADK asks that {native.threshold:g} of a case's turns match; here each turn must",
            f"{counted(number, 'turn')} of which one makes a call that is not expected: theirs "
            f"{(number - 1) / number:.4g}, which passes, ours False",
        )


def _run_within(limit: str, native: NativeMode, entries: Sequence[ExpectedEntry]) -> str:
    """The smallest run within a limit that gets another verdict, on a call of the case if one shows it."""
    own = reaching(limit, entries)
    return _run_on(native.word, native.args, limit, encode(own[1][0]) if own is not None else b"")


@lru_cache(maxsize=1024)
def _run_on(word: str, args: str, limit: str, call: bytes) -> str:
    """The same for an expected call as JSON: the cases of a file share a few of them."""
    entries = [expected_call(decode(call))] if call else []
    return str(shown_on(DIALECT, word, args, limit, entries))


def _of_responses(threshold: float, references: Sequence[Any]) -> Iterator[Parting]:
    number = len(references)
    if not all(isinstance(one, str) for one in references):
        yield Parting(
            "reference",
            "ADK scores a turn whose final response it does not know, or that is not text alone, "
            "by what text there is, 0 where there is none; here it is not judged",
            "1 turn that answers 'Done.' where no final response is known: theirs 0, ours not "
            "evaluated",
        )
    if number > 1 and threshold < 1:
        low = max(0.0, number * threshold - (number - 1))
        mean = (number - 1 + low) / number
        others = "the other" if number == 2 else f"the other {number - 1}"
        yield Parting(
            "turns",
            f"ADK asks that the mean of the turns' ROUGE-1 reaches {threshold:g}; here each "
            "turn's must",
            f"{counted(number, 'turn')}, one scores {low:.4g} and {others} 1: theirs "
            f"{mean:.4g}, which passes, ours False",
        )
