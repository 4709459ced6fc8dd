"""One case of an eval set as a case of ours: what ADK's own keys say is expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from passhat.case import Case, ExpectedCall
from passhat.errors import InputError, Place, TraceError, UsageError
from passhat.recordings.shapes import kind_of
from passhat_adk.criteria import Meaning
from passhat_adk.expected import (
    beyond,
    leftover,
    read_calls,
    read_content,
    requests_in,
    stated_by_turns,
)
from passhat_adk.findings import Findings, note_final_state
from passhat_adk.legacy import misplaced
from passhat_adk.native import (
    EVAL_CASE,
    INVOCATION,
    SCENARIO,
    SESSION_INPUT,
    a_list,
)
from passhat_adk.parting import beside, note_partings, of_requests, partings
from passhat_adk.rubrics import (
    SCHEMA,
    case_value,
    checked_case,
    is_ours,
    read_rubrics,
    stated_by,
    turn_keys,
)

MADE = "made_by"
"""Marks a session input that is there only because ADK needs one for a state."""

UNKNOWN = "passhat_unknown"
"""The key of an eval case under which the keys ride that an invocation cannot have."""

PERSONAS = ("EXPERT", "NOVICE", "EVALUATOR")
"""The personas that ADK knows by their ids."""


def read_case(value: Any, meaning: Meaning, found: Findings, path: str) -> Case | None:
    """The case that an `EvalCase` is; None where it has faults, which `found` takes.

    Args:
        value: The `EvalCase` as JSON.
        meaning: How the criteria judge.
        found: Takes faults and notes.
        path: Where it stands.
    """
    if not isinstance(value, dict):
        found.fault(path, f"an eval case is an object, not {kind_of(value)}")
        return None
    before = len(found.faults)
    held = found.checked(value, EVAL_CASE, path)
    kept: dict[str, Any] = {} if held.keys() <= EVAL_CASE else _without(held, *EVAL_CASE)
    name = held.get("eval_id")
    if not isinstance(name, str) or not name:
        found.fault(f"{path}.eval_id", "an eval case needs an eval_id, which is text")
        name = ""
    if created := held.get("creation_timestamp"):
        kept["creation_timestamp"] = created
    stated: dict[str, Any] = {}
    reader = _Reader(name, meaning, found)
    if "session_input" in held or "final_session_state" in held:
        _state(reader, held, stated, kept, path)
    conversation, scenario = held.get("conversation"), held.get("conversation_scenario")
    if (conversation is None) == (scenario is None):
        both = "both" if conversation is not None else "neither of"
        found.fault(
            path, f"{both} conversation and conversation_scenario: an eval case has one of them"
        )
    elif conversation is not None:
        reader.conversation(conversation, stated, kept, path)
    else:
        reader.scenario(scenario, stated, kept, f"{path}.conversation_scenario")
    rubrics = held.get("rubrics")
    said: dict[str, Any] = {}
    whole = None
    if rubrics is not None:
        said, foreign, whole = read_rubrics(rubrics, name, found, f"{path}.rubrics")
        if foreign:
            kept["rubrics"] = foreign
    if len(found.faults) > before:
        return None
    try:
        case = whole or _made(name, stated, said, kept, reader, path)
    except UsageError as error:
        found.fault(path, error.message)
        return None
    except InputError as error:
        found.take(error)
        return None
    if found.parted and meaning.native is not None and (said or reader.said_of_turns):
        for one in beside(meaning.native, Case(name, **stated), case):
            found.note(f"{name}: {one.key}", "approximated", one.why, one.run)
    left = kept.get("conversation") if said or reader.said_of_turns else None
    if left is not None and (left := beyond(left, case)) is not kept["conversation"]:
        kept = {**kept, "conversation": left} if any(left) else _without(kept, "conversation")
        others = _without(case.extensions, "adk")
        return replace(case, extensions={**others, "adk": kept} if kept else others)
    if not kept or "adk" in case.extensions:
        return case
    return replace(case, extensions={**case.extensions, "adk": kept})


def _without(value: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """The object without some keys."""
    return {name: item for name, item in value.items() if name not in keys}


def _with_unknown(leftovers: list[dict[str, Any]], unknown: Any) -> list[dict[str, Any]]:
    """What is left over of invocations, with the keys that were written beside them."""
    if not isinstance(unknown, list) or len(unknown) != len(leftovers):
        return leftovers
    if not all(isinstance(more, dict) for more in unknown):
        return leftovers
    return [{**left, **more} for left, more in zip(leftovers, unknown, strict=True)]


def _made(
    name: str,
    stated: dict[str, Any],
    said: dict[str, Any],
    kept: dict[str, Any],
    reader: _Reader,
    path: str,
) -> Case:
    """The case of what ADK's keys state, what the criteria add, and what our rubrics say."""
    if said.get("schema") == SCHEMA:
        return checked_case(said, name, reader.found.place(path))
    added = {key: item for key, item in reader.meaning.case.items() if key not in stated}
    if not (said or added or reader.said_of_turns):
        return Case(name, **stated, extensions={"adk": kept} if kept else {})
    place = reader.found.place(path)
    plain = case_value(Case(name, **stated))
    for at, more in reader.said_of_turns.items():
        if "turns" in plain:
            turn = plain["turns"][at]
            plain["turns"][at] = {**(turn if isinstance(turn, dict) else {"input": turn}), **more}
        else:
            plain |= more
    return checked_case({**plain, **added, **said}, name, place)


def _state(
    reader: _Reader,
    held: Mapping[str, Any],
    stated: dict[str, Any],
    kept: dict[str, Any],
    path: str,
) -> None:
    """Reads the session before and the state expected after."""
    found = reader.found
    session = held.get("session_input")
    if session is not None and not isinstance(session, dict):
        found.fault(f"{path}.session_input", f"an object was expected, not {kind_of(session)}")
    elif session is not None:
        session = found.checked(session, SESSION_INPUT, f"{path}.session_input")
        state = session.get("state")
        if isinstance(state, dict) and state:
            stated["initial_state"] = state
        elif state is not None and not isinstance(state, dict):
            found.fault(f"{path}.session_input.state", f"an object, not {kind_of(state)}")
        rest = {
            key: item
            for key, item in session.items()
            if key != "state" and (item is not None or key not in SESSION_INPUT)
        }
        if MADE not in rest:
            kept["session_input"] = rest
    final = held.get("final_session_state")
    if isinstance(final, dict) and final:
        stated["expected_final_state"] = final
        note_final_state(reader.name, found)
    elif final is not None and not isinstance(final, dict):
        found.fault(f"{path}.final_session_state", f"an object, not {kind_of(final)}")


class _Reader(Struct):
    """Reads one case."""

    name: str
    meaning: Meaning
    found: Findings
    said_of_turns: dict[int, dict[str, Any]] = {}

    def conversation(
        self, value: Any, stated: dict[str, Any], kept: dict[str, Any], path: str
    ) -> None:
        path += ".conversation"
        if not isinstance(value, list):
            self.found.fault(path, f"a conversation is a list, not {kind_of(value)}")
            return
        if not value:
            self.found.fault(
                path,
                "the conversation is empty: there is nothing to ask and to judge; record one, or "
                "take the case out",
            )
            return
        turns: list[dict[str, Any]] = []
        references: list[Any] = []
        leftovers: list[dict[str, Any]] = []
        for at, item in enumerate(value):
            if type(item) is not dict:
                where = f"{path}[{at}]"
                self.found.fault(where, f"an invocation is an object, not {kind_of(item)}")
                continue
            if not item.keys() <= INVOCATION:
                item = self.found.checked(item, INVOCATION, f"{path}[{at}]")
                if not item.keys() <= INVOCATION:
                    misplaced(item, self.found, f"{path}[{at}]")
            try:
                turn, reference, left = self.turn(item, at)
            except InputError as error:
                self.found.take(error, f"{path}[{at}]")
                continue
            turns.append(turn)
            references.append(reference)
            leftovers.append(left)
        if UNKNOWN in kept:
            leftovers = _with_unknown(leftovers, kept.pop(UNKNOWN))
        if any(leftovers):
            kept["conversation"] = leftovers
        self._judged(turns, references, stated)

    def turn(
        self, invocation: Mapping[str, Any], at: int
    ) -> tuple[dict[str, Any], Any, dict[str, Any]]:
        """The keys of a turn, the final response as a reference, and what neither says.

        Raises:
            InputError: The invocation has not the shape of one; the error names the path in it.
        """
        content = invocation.get("user_content")
        if content is None:
            raise TraceError("an invocation needs a user_content")
        asked, whole = read_content(content, "user", "$.user_content")
        turn: dict[str, Any] = {"input": asked}
        said = ["user_content"] if whole else []
        calls: tuple[ExpectedCall, ...] = ()
        whole, data = True, invocation.get("intermediate_data")
        if data is not None:
            try:
                calls, whole = read_calls(data, self.meaning)
                if self.found.parted:
                    asked_outside = of_requests(self.meaning, requests_in(data))
                    note_partings(asked_outside, self.name, self.found)
            except TraceError as error:
                raise error.under("$.intermediate_data") from None
        if calls or self.meaning.mode == "exact":
            turn["expected_calls"] = calls
        if whole:
            said.append("intermediate_data")
        reference, final = None, invocation.get("final_response")
        if final is not None:
            reference, whole = read_content(final, "model", "$.final_response")
            if whole and reference:
                said.append("final_response")
        if invocation.get("rubrics") is not None:
            rubrics = a_list(invocation["rubrics"], "$.rubrics", "rubrics")
            ours = [rubric for rubric in rubrics if is_ours(rubric)]
            if ours:
                self.said_of_turns[at] = turn_keys(stated_by(ours, Place(path="$.rubrics")))
        return turn, reference or None, leftover(invocation, said)

    def _judged(
        self, turns: list[dict[str, Any]], references: list[Any], stated: dict[str, Any]
    ) -> None:
        """Says of the case, or of its turns, how calls and responses are judged."""
        if self.found.parted:
            judged = "expected_final_state" in stated or bool(self.meaning.checks)
            found = partings(self.meaning, turns, references, judged)
            note_partings(found, self.name, self.found)
        stated |= stated_by_turns(turns, references, self.meaning)

    def scenario(self, value: Any, stated: dict[str, Any], kept: dict[str, Any], path: str) -> None:
        if not isinstance(value, dict):
            self.found.fault(path, f"a scenario is an object, not {kind_of(value)}")
            return
        held = self.found.checked(value, SCENARIO, path)
        for key in ("starting_prompt", "conversation_plan"):
            if not isinstance(held.get(key), str):
                self.found.fault(f"{path}.{key}", "a scenario needs it, as text")
        stated["input"] = held.get("starting_prompt")
        scenario = {"goal": held.get("conversation_plan")}
        if held.get("user_persona") is not None:
            scenario["persona"] = held["user_persona"]
        stated["scenario"] = scenario
        rest = {key: item for key, item in held.items() if key not in SCENARIO}
        if rest:
            kept["conversation_scenario"] = rest
