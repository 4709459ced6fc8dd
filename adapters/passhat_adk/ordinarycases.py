"""Eval cases of the ordinary shape as cases of ours; the same as the careful reader makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, to_builtins

from passhat.case import Case, ExpectedCall
from passhat_adk.answering import REQUESTS
from passhat_adk.criteria import Meaning
from passhat_adk.expected import stated_alone, stated_by_turns
from passhat_adk.findings import Findings, note_final_state
from passhat_adk.ordinary import ordinary_case
from passhat_adk.parting import note_partings, partings
from passhat_adk.rubrics import is_ours

_SESSION = ("app_name", "user_id", "session_id")
_NO_ID = (None, UNSET)


def judged_alike(meaning: Meaning) -> bool:
    """Whether the criteria leave each case with what it states, and compare its calls as they stand."""
    return not (meaning.ignore_args or meaning.case)


def read_ordinary(value: Any, meaning: Meaning, found: Findings) -> Case | None:
    """The case that an eval case of the ordinary shape is; None for one that asks for a careful reader.

    Args:
        value: The `EvalCase` as JSON, or as the text of that.
        meaning: How the criteria judge; they are such that cases are `judged_alike`.
        found: Takes notes.
    """
    held = ordinary_case(value)
    if held is None or _holds_ours(held) or (found.parted and _asks_outside(held)):
        return None
    turns, final = held.conversation, held.final_session_state
    if final:
        note_final_state(held.eval_id, found)
    judged = bool(final or meaning.checks)
    if len(turns) == 1:
        keys, reference, left = _read_turn(turns[0], meaning)
        _part([keys], [reference], meaning, judged, held.eval_id, found)
        stated = stated_alone(keys, reference, meaning)
        leftovers = [left]
    else:
        read = [_read_turn(turn, meaning) for turn in turns]
        said, references, leftovers = map(list, zip(*read, strict=True))
        _part(said, references, meaning, judged, held.eval_id, found)
        stated = stated_by_turns(said, references, meaning)
    if final:
        stated["expected_final_state"] = final
    kept: dict[str, Any] = {}
    if held.creation_timestamp:
        kept["creation_timestamp"] = held.creation_timestamp
    if held.session_input:
        kept["session_input"] = _session(held.session_input, stated)
    if any(leftovers):
        kept["conversation"] = leftovers
    if held.rubrics:
        kept["rubrics"] = held.rubrics
    if kept:
        stated["extensions"] = {"adk": kept}
    return Case(held.eval_id, **stated)


def _holds_ours(held: Any) -> bool:
    """Whether one of the rubrics of a case is ours."""
    several = [one.rubrics for one in (held, *held.conversation) if one.rubrics]
    return any(is_ours(rubric) for rubrics in several for rubric in rubrics)


def _asks_outside(held: Any) -> bool:
    """Whether a case expects a call by which ADK asks somebody outside, of which more is to be told."""
    data = [turn.intermediate_data for turn in held.conversation if turn.intermediate_data]
    return any(use.name in REQUESTS for between in data for use in _uses(between))


def _uses(between: Any) -> Sequence[Any]:
    """The calls that stand between a question and its answer, alone or in events."""
    if between.invocation_events is UNSET:
        return between.tool_uses or ()
    contents = [event.content for event in between.invocation_events if event.content]
    parts = [part for content in contents for part in content.parts or ()]
    return [part.function_call for part in parts if part.function_call]


def _part(
    turns: list[Any],
    references: list[Any],
    meaning: Meaning,
    judged: bool,
    name: str,
    found: Findings,
) -> None:
    """Notes where ADK's criteria judge the case otherwise, if that is asked for."""
    if found.parted:
        note_partings(partings(meaning, turns, references, judged), name, found)


def _read_turn(turn: Any, meaning: Meaning) -> tuple[dict[str, Any], str | None, dict[str, Any]]:
    """The keys of a turn, its final response, and what of its invocation neither says."""
    asked, answer, between = turn.user_content, turn.final_response, turn.intermediate_data
    left: dict[str, Any] = {}
    if turn.invocation_id:
        left["invocation_id"] = turn.invocation_id
    if asked.role != "user":
        left["user_content"] = to_builtins(asked)
    reference = None
    if answer:
        reference = answer.parts[0].text or None
        if not reference or answer.role != "model":
            left["final_response"] = to_builtins(answer)
    calls: tuple[ExpectedCall, ...] = ()
    if between:
        calls = expected(_uses(between), meaning)
        if not _all_told(between, calls):
            left["intermediate_data"] = to_builtins(between)
    if turn.creation_timestamp:
        left["creation_timestamp"] = turn.creation_timestamp
    if turn.rubrics:
        left["rubrics"] = turn.rubrics
    return turn_of(asked.parts[0].text, calls, meaning), reference, left


def expected(uses: Sequence[Any], meaning: Meaning) -> tuple[ExpectedCall, ...]:
    """The calls that are expected where these stand, without those by which ADK itself asks."""
    extra: Any = meaning.extra_args
    return tuple(
        [
            ExpectedCall(use.name, use.args or {}, None, extra)
            for use in uses
            if use.name not in REQUESTS
        ]
    )


def turn_of(asked: str, calls: tuple[ExpectedCall, ...], meaning: Meaning) -> dict[str, Any]:
    """The keys of a turn: what the user says, and the calls expected of it."""
    if calls or meaning.mode == "exact":
        return {"input": asked, "expected_calls": calls}
    return {"input": asked}


def _all_told(between: Any, calls: Sequence[ExpectedCall]) -> bool:
    """Whether expected calls say all that stands between a question and its answer."""
    others = between.tool_responses or between.intermediate_responses
    if not calls or others or between.invocation_events is not UNSET:
        return False
    more = [use for use in between.tool_uses if use.id not in _NO_ID or type(use.args) is not dict]
    return len(calls) == len(between.tool_uses) and not more


def _session(session: Any, stated: dict[str, Any]) -> dict[str, Any]:
    """What a session says besides its state, which the case states."""
    if session.state:
        stated["initial_state"] = session.state
    held = [(key, getattr(session, key)) for key in _SESSION]
    return {key: item for key, item in held if item is not None and item is not UNSET}
