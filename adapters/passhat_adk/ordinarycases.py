"""Eval cases of the ordinary shape as cases of ours; the same as the careful reader makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from passhat.case import Case, ExpectedCall
from passhat_adk.answering import REQUESTS
from passhat_adk.criteria import Meaning
from passhat_adk.expected import leftover, stated_alone, stated_by_turns
from passhat_adk.findings import Findings
from passhat_adk.native import EVAL_CASE, INVOCATION, SESSION_INPUT, snaked
from passhat_adk.ordinary import ordinary_case
from passhat_adk.parting import note_partings, partings


def judged_alike(meaning: Meaning) -> bool:
    """Whether the criteria leave each case with what it states, and compare its calls as they stand."""
    return not (meaning.ignore_args or meaning.case)


def read_ordinary(value: Any, meaning: Meaning, found: Findings) -> Case | None:
    """The case that an eval case of the ordinary shape is; None for one that asks for a careful reader.

    Args:
        value: The `EvalCase` as JSON.
        meaning: How the criteria judge; they are such that cases are `judged_alike`.
        found: Takes notes.
    """
    held = ordinary_case(value)
    if held is None or (found.parted and _asks_outside(held)):
        return None
    turns, items = held.conversation, value["conversation"]
    if len(turns) == 1:
        keys, reference, left = _read_turn(turns[0], items[0], meaning)
        _part([keys], [reference], meaning, held.eval_id, found)
        stated = stated_alone(keys, reference, meaning)
        leftovers = [left]
    else:
        read = [_read_turn(*pair, meaning) for pair in zip(turns, items, strict=True)]
        said, references, leftovers = map(list, zip(*read, strict=True))
        _part(said, references, meaning, held.eval_id, found)
        stated = stated_by_turns(said, references, meaning)
    kept: dict[str, Any] = {}
    if held.creation_timestamp:
        kept["creation_timestamp"] = held.creation_timestamp
    if held.session_input is not None:
        kept["session_input"] = _session(value, stated)
    if any(leftovers):
        kept["conversation"] = leftovers
    if kept:
        stated["extensions"] = {"adk": kept}
    return Case(held.eval_id, **stated)


def _asks_outside(held: Any) -> bool:
    """Whether a case expects a call by which ADK asks somebody outside, of which more is to be told."""
    data = [turn.intermediate_data for turn in held.conversation if turn.intermediate_data]
    return any(use.name in REQUESTS for between in data for use in between.tool_uses)


def _part(
    turns: list[Any], references: list[Any], meaning: Meaning, name: str, found: Findings
) -> None:
    """Notes where ADK's criteria judge the case otherwise, if that is asked for."""
    if found.parted:
        note_partings(partings(meaning, turns, references, bool(meaning.checks)), name, found)


def _read_turn(
    turn: Any, item: Mapping[str, Any], meaning: Meaning
) -> tuple[dict[str, Any], str | None, dict[str, Any]]:
    """The keys of a turn, its final response, and what of its invocation neither says."""
    asked, answer, between = turn.user_content, turn.final_response, turn.intermediate_data
    said = ["user_content"] if asked.role == "user" else []
    reference = None
    if answer is not None:
        reference = answer.parts[0].text or None
        if reference and answer.role == "model":
            said.append("final_response")
    calls: tuple[ExpectedCall, ...] = ()
    if between is not None:
        calls = expected(between.tool_uses, meaning)
    if between is None or _all_told(between, calls):
        said.append("intermediate_data")
    keys = turn_of(asked.parts[0].text, calls, meaning)
    return keys, reference, leftover(snaked(item, INVOCATION), said)


def expected(uses: Sequence[Any], meaning: Meaning) -> tuple[ExpectedCall, ...]:
    """The calls that are expected where these stand, without those by which ADK itself asks."""
    extra: Any = meaning.extra_args
    return tuple(
        [ExpectedCall(use.name, use.args, None, extra) for use in uses if use.name not in REQUESTS]
    )


def turn_of(asked: str, calls: tuple[ExpectedCall, ...], meaning: Meaning) -> dict[str, Any]:
    """The keys of a turn: what the user says, and the calls expected of it."""
    if calls or meaning.mode == "exact":
        return {"input": asked, "expected_calls": calls}
    return {"input": asked}


def _all_told(between: Any, calls: Sequence[ExpectedCall]) -> bool:
    """Whether expected calls say all that stands between a question and its answer."""
    if not calls or between.tool_responses or between.intermediate_responses:
        return False
    return len(calls) == len(between.tool_uses) and {use.id for use in between.tool_uses} == {None}


def _session(value: Mapping[str, Any], stated: dict[str, Any]) -> dict[str, Any]:
    """What a session says besides its state, which the case states."""
    session = snaked(snaked(value, EVAL_CASE)["session_input"], SESSION_INPUT)
    if session.get("state"):
        stated["initial_state"] = session["state"]
    return {key: item for key, item in session.items() if key != "state" and item is not None}
