"""One case of ours as a case of an eval set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.adapter import FidelityNote
from passhat.case import EXPECTING, Case, Suite, Turn
from passhat_adk.criteria import Meaning
from passhat_adk.evalcases import MADE, PERSONAS, UNKNOWN, read_case
from passhat_adk.expected import asked_text, read_turn, turns_of, written
from passhat_adk.findings import Findings
from passhat_adk.native import EVAL_CASE, INVOCATION
from passhat_adk.rubrics import case_value, rubric_for
from passhat_adk.writingparts import object_in


def write_case(
    case: Case, suite: Suite, meaning: Meaning, app_name: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A case as an `EvalCase`, and the keys of it that ADK's own do not say: they ride in a rubric.

    Args:
        case: The case.
        suite: The suite it is of.
        meaning: How the criteria beside it judge.
        app_name: The app of a session input that has to be made.

    Raises:
        UsageError: The case has something that JSON cannot hold.
    """
    kept = case.extensions.get("adk")
    kept = kept if isinstance(kept, dict) else {}
    value: dict[str, Any] = {"eval_id": case.id}
    unknown: list[dict[str, Any]] = []
    if case.scenario is not None and case.turns is None:
        value["conversation_scenario"] = scenario_value(case, kept)
    else:
        value["conversation"] = _conversation(case, kept, meaning, unknown)
    session = _session(case, kept, app_name)
    if session is not None:
        value["session_input"] = session
    if isinstance(case.expected_final_state, dict) and case.expected_final_state:
        value["final_session_state"] = case.expected_final_state
    if isinstance(rubrics := kept.get("rubrics"), list) and rubrics:
        value["rubrics"] = list(rubrics)
    for key, item in kept.items():
        if key not in EVAL_CASE or key == "creation_timestamp":
            value.setdefault(key, item)
    if any(unknown):
        value[UNKNOWN] = unknown
    again = read_case(value, meaning, Findings(parted=False), "$")
    if again is not None and _completed(again, suite) == case:
        return value, ()
    rubric = rubric_for(case)
    value["rubrics"] = [*value.get("rubrics", ()), rubric]
    return value, tuple(key for key in case_value(case) if key != "id")


def case_notes(case: Case, ridden: tuple[str, ...], native: str) -> list[FidelityNote]:
    """What became of each field of a case.

    Args:
        case: The case.
        ridden: The keys that ride in a rubric.
        native: Which criterion of ADK's own judges the calls; empty where `passhat_case` does.
    """
    notes = [_note(case, name, name in ridden, native) for name in case.stated]
    if native and case.mode is None and case.expected_calls is not None:
        notes.append(FidelityNote(f"{case.id}: mode", "translated", native))
    return notes


def _note(case: Case, name: str, rides: bool, native: str) -> FidelityNote:
    what = f"{case.id}: {name}"
    if native and name == "mode":
        return FidelityNote(what, "translated", native)
    if name in ("input", "turns") and (unsaid := _unsaid(case, name)):
        why = f"ADK's user only speaks, and says {unsaid[0]!r:.60}; the whole rides in a rubric"
        return FidelityNote(what, "approximated", why)
    if name in _PLACES and not (rides and _stays_out(case, name)):
        said = _PLACES[name]
        if rides and name in EXPECTING and not native:
            said += "; judged by passhat_case, a custom metric"
        return FidelityNote(what, "translated" if name in EXPECTING else "kept", said)
    if rides and name in EXPECTING:
        said = "in a rubric, judged by passhat_case, a custom metric"
        return FidelityNote(what, "translated", said)
    return FidelityNote(what, "carried", "in a rubric") if rides else FidelityNote(what, "kept")


def _stays_out(case: Case, name: str) -> bool:
    """Whether ADK's own key says nothing of a field, as it takes texts and objects alone."""
    if name == "extensions":
        return True
    if name == "reference":
        return not any(written(turn, one)["final_response"] for turn, one in turns_of(case))
    held = getattr(case, name)
    return name in ("initial_state", "expected_final_state") and not (
        isinstance(held, dict) and held
    )


def _unsaid(case: Case, name: str) -> list[Any]:
    """What ADK's user says where an input is neither a text nor a content of ADK's."""
    inputs = [case.input] if name == "input" else [turn.input for turn in case.turns or ()]
    said = [(given, asked_text(given)) for given in inputs if given is not None]
    return [text for given, text in said if text != given]


_PLACES = {
    "id": "eval_id",
    "input": "user_content",
    "turns": "conversation",
    "reference": "final_response",
    "expected_calls": "tool_uses",
    "initial_state": "session_input.state",
    "expected_final_state": "final_session_state",
    "scenario": "conversation_scenario",
    "extensions": "where they were in the eval set",
}
"""Where ADK's own keys say something of a case."""


def _completed(case: Case, suite: Suite) -> Case:
    return Suite("", (case,), suite.tools, suite.writes, suite.defaults, suite.checks).cases[0]


def _known(facts: Any) -> str:
    """What a user knows, as a simulator of ADK's is told it."""
    from passhat.surroundings import Scenario
    from passhat.surroundings.facts import spoken_value

    scenario = Scenario.of({"known_facts": facts})
    told = [(fact.name, spoken_value(fact.value)) for fact in scenario.known]
    return "; ".join(f"{name}: {value}" if name else value for name, value in told)


def scenario_value(case: Case, kept: Mapping[str, Any]) -> dict[str, Any]:
    """A case's scenario as ADK writes one."""
    scenario = case.scenario or {}
    goal = scenario.get("goal")
    plan = goal if isinstance(goal, str) else ""
    facts = scenario.get("known_facts")
    if facts and set(scenario) - {"goal", "persona"}:
        plan = f"{plan}\nYou know: {_known(facts)}"
    given = case.first_input
    made: dict[str, Any] = {
        "starting_prompt": given if isinstance(given, str) else plan,
        "conversation_plan": plan,
        **object_in(kept, "conversation_scenario"),
    }
    persona = scenario.get("persona")
    if isinstance(persona, dict) and {"id", "description", "behaviors"} <= persona.keys():
        made["user_persona"] = persona
    elif isinstance(persona, str):
        made["user_persona"] = (
            persona
            if persona in PERSONAS
            else {"id": persona, "description": persona, "behaviors": []}
        )
    return made


def _conversation(
    case: Case, kept: Mapping[str, Any], meaning: Meaning, unknown: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    turns = turns_of(case)
    leftovers = kept.get("conversation")
    if not isinstance(leftovers, list) or len(leftovers) != len(turns):
        leftovers = [{}] * len(turns)
    leftovers = [left if isinstance(left, dict) else {} for left in leftovers]
    made = []
    for (turn, reference), left in zip(turns, leftovers, strict=True):
        invocation = {key: item for key, item in left.items() if key in INVOCATION}
        unknown.append({key: item for key, item in left.items() if key not in INVOCATION})
        for key, item in written(turn, reference).items():
            if key in invocation and read_turn(key, invocation[key], meaning) == _says(
                key, turn, reference
            ):
                continue
            if item is not None:
                invocation[key] = item
            else:
                invocation.pop(key, None)
        made.append(invocation)
    return made


def _says(key: str, turn: Turn, reference: Any) -> Any:
    if key == "user_content":
        return turn.input
    return reference if key == "final_response" else turn.expected_calls


def _session(case: Case, kept: Mapping[str, Any], app_name: str) -> dict[str, Any] | None:
    given = kept.get("session_input")
    state = case.initial_state if isinstance(case.initial_state, dict) else None
    if isinstance(given, dict):
        return {**given, "state": state} if state else dict(given)
    if not state:
        return None
    return {"app_name": app_name, "user_id": "user", "state": state, MADE: "passhat"}
