"""One case of an eval set as a case of ours: what ADK's own keys say is expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from msgspec.structs import replace

from passhat.adapter import FidelityKind, FidelityNote
from passhat.case import Case, ExpectedCall, ExpectedEntry, Turn
from passhat.errors import Fault, InputError, Place, SuiteError, TraceError, UsageError
from passhat.recordings.arguments import arguments
from passhat.recordings.shapes import kind_of
from passhat_adk.contents import parts_of, text_of
from passhat_adk.criteria import Meaning
from passhat_adk.events import REQUESTS
from passhat_adk.native import (
    EVAL_CASE,
    INTERMEDIATE,
    INVOCATION,
    RUBRIC,
    SCENARIO,
    SESSION_INPUT,
    snaked,
)
from passhat_adk.rubrics import SCHEMA, case_value, checked_case, is_ours, stated_by, turn_keys

MADE = "made_by"
"""Marks a session input that is there only because ADK needs one for a state."""

UNKNOWN = "passhat_unknown"
"""The key of an eval case under which the keys ride that an invocation cannot have."""

PERSONAS = ("EXPERT", "NOVICE", "EVALUATOR")
"""The personas that ADK knows by their ids."""


@dataclass
class Findings:
    """What is found while an eval set is read: faults, and what became of what."""

    file: str | None = None
    faults: list[Fault] = field(default_factory=list)
    notes: list[FidelityNote] = field(default_factory=list)

    def place(self, path: str) -> Place:
        """Where something stands."""
        return Place(self.file, None, path)

    def fault(self, path: str, message: str) -> None:
        """Notes what is wrong."""
        self.faults.append(Fault(message, self.place(path)))

    def note(self, what: str, kind: FidelityKind, why: str) -> None:
        """Notes what became of something."""
        self.notes.append(FidelityNote(what, kind, why))

    def take(self, error: InputError) -> None:
        """Takes the faults of an error that was raised on the way."""
        if isinstance(error, SuiteError):
            self.faults += error.faults
        else:
            place = Place(self.file, error.place.line, error.place.path)
            self.faults.append(Fault(error.message, place))

    def raise_faults(self) -> None:
        """Raises what was found.

        Raises:
            SuiteError: There is a fault.
        """
        if self.faults:
            raise SuiteError(self.faults)

    def checked(
        self, value: Mapping[str, Any], known: frozenset[str], path: str
    ) -> Mapping[str, Any]:
        """The object with its keys in snake case; a key that is nearly a known one is a fault."""
        held = snaked(value, known)
        for key in held.keys() - known:
            near = get_close_matches(key, known, 1, 0.8)
            if near:
                self.fault(f"{path}.{key}", f"unknown key, did you mean {near[0]}?")
        return held


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
    name = held.get("eval_id")
    if not isinstance(name, str) or not name:
        found.fault(f"{path}.eval_id", "an eval case needs an eval_id, which is text")
        name = ""
    kept = {key: item for key, item in held.items() if key not in EVAL_CASE}
    if held.get("creation_timestamp"):
        kept["creation_timestamp"] = held["creation_timestamp"]
    stated: dict[str, Any] = {}
    reader = _Reader(name, meaning, found)
    _state(reader, held, stated, kept, path)
    conversation, scenario = held.get("conversation"), held.get("conversation_scenario")
    if (conversation is None) == (scenario is None):
        both = "both" if conversation is not None else "neither of"
        found.fault(
            path, f"{both} conversation and conversation_scenario: an eval case has one of them"
        )
    elif conversation is not None:
        reader.conversation(conversation, stated, kept, f"{path}.conversation")
    else:
        reader.scenario(scenario, stated, kept, f"{path}.conversation_scenario")
    said = reader.rubrics(held.get("rubrics"), kept, f"{path}.rubrics")
    if len(found.faults) > before:
        return None
    try:
        case = _made(name, stated, said, kept, reader, path)
    except UsageError as error:
        found.fault(path, error.message)
        return None
    except InputError as error:
        found.take(error)
        return None
    if said.get("schema") == SCHEMA:
        kept.pop("conversation", None)
    if not kept or "adk" in case.extensions:
        return case
    return replace(case, extensions={**case.extensions, "adk": kept})


def _made(
    name: str,
    stated: dict[str, Any],
    said: dict[str, Any],
    kept: dict[str, Any],
    reader: _Reader,
    path: str,
) -> Case:
    """The case of what ADK's keys state, what the criteria add, and what our rubrics say."""
    place = reader.found.place(path)
    if said.get("schema") == SCHEMA:
        return checked_case(said, name, place)
    added = {key: item for key, item in reader.meaning.case.items() if key not in stated}
    if not (said or added or reader.said_of_turns):
        return Case(name, **stated, extensions={"adk": kept} if kept else {})
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
        rest = {key: item for key, item in session.items() if key != "state" and item is not None}
        if MADE not in rest:
            kept["session_input"] = rest
    final = held.get("final_session_state")
    if isinstance(final, dict) and final:
        stated["expected_final_state"] = final
        found.note(
            f"{reader.name}: final_session_state", "translated", "expected_final_state; ADK reads it nowhere"
        )  # fmt: skip
    elif final is not None and not isinstance(final, dict):
        found.fault(f"{path}.final_session_state", f"an object, not {kind_of(final)}")


@dataclass
class _Reader:
    name: str
    meaning: Meaning
    found: Findings
    said_of_turns: dict[int, dict[str, Any]] = field(default_factory=dict)

    def conversation(
        self, value: Any, stated: dict[str, Any], kept: dict[str, Any], path: str
    ) -> None:
        if not isinstance(value, list):
            self.found.fault(path, f"a conversation is a list, not {kind_of(value)}")
            return
        if not value:
            self.found.fault(
                path, "the conversation is empty: there is nothing to ask and to judge"
            )
            return
        turns: list[dict[str, Any]] = []
        references: list[Any] = []
        leftovers: list[dict[str, Any]] = []
        for at, item in enumerate(value):
            where = f"{path}[{at}]"
            if not isinstance(item, dict):
                self.found.fault(where, f"an invocation is an object, not {kind_of(item)}")
                continue
            invocation = self.found.checked(item, INVOCATION, where)
            try:
                turn, reference = self.turn(invocation, where, at)
            except InputError as error:
                self.found.take(error)
                continue
            turns.append(turn)
            references.append(reference)
            leftovers.append(_leftover(invocation, self.meaning))
        unknown = kept.pop(UNKNOWN, None)
        if isinstance(unknown, list) and len(unknown) == len(leftovers):
            leftovers = [{**left, **more} for left, more in zip(leftovers, unknown, strict=True)]
        if any(leftovers):
            kept["conversation"] = leftovers
        self._judged(turns, references, stated)

    def turn(self, invocation: Mapping[str, Any], path: str, at: int) -> tuple[dict[str, Any], Any]:
        """The keys of a turn, and the final response as a reference.

        Raises:
            TraceError: The invocation has not the shape of one.
        """
        content = invocation.get("user_content")
        if content is None:
            raise TraceError("an invocation needs a user_content", Place(path=path))
        turn: dict[str, Any] = {"input": plain_content(content, f"{path}.user_content")}
        calls = expected_in(invocation, path)
        if calls or self.meaning.mode == "exact":
            turn["expected_calls"] = tuple(_expected(call, self.meaning) for call in calls)
        final = invocation.get("final_response")
        reference = plain_content(final, f"{path}.final_response") if final is not None else None
        rubrics = invocation.get("rubrics")
        ours = [rubric for rubric in rubrics or () if is_ours(rubric)]
        if ours:
            self.said_of_turns[at] = turn_keys(stated_by(ours, Place(path=f"{path}.rubrics")))
        return turn, reference or None

    def _judged(
        self, turns: list[dict[str, Any]], references: list[Any], stated: dict[str, Any]
    ) -> None:
        """Says of the case, or of its turns, how calls and responses are judged."""
        meaning = self.meaning
        asked = any("expected_calls" in turn for turn in turns)
        if asked:
            stated["mode"] = meaning.mode
            if meaning.trajectory:
                stated["checks"] = {"trajectory": dict(meaning.trajectory)}
        if len(turns) == 1:
            stated |= turns[0]
            if references[0] is not None:
                stated["reference"] = references[0]
                if meaning.response is not None and isinstance(references[0], str):
                    checks = {**stated.get("checks", {}), "rouge1": {"at_least": meaning.response}}
                    stated["checks"] = checks
            return
        if any(reference is not None for reference in references):
            stated["reference"] = references
        for turn, reference in zip(turns, references, strict=True):
            if meaning.response is not None and isinstance(reference, str):
                bound = {"reference": reference, "at_least": meaning.response}
                turn["checks"] = {**turn.get("checks", {}), "rouge1": bound}
        stated["turns"] = tuple(Turn(**turn) for turn in turns)

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

    def rubrics(self, value: Any, kept: dict[str, Any], path: str) -> dict[str, Any]:
        """What our rubrics state; the others are kept as they are."""
        if value is None:
            return {}
        if not isinstance(value, list):
            self.found.fault(path, f"rubrics are a list, not {kind_of(value)}")
            return {}
        others, ours = [], []
        for at, item in enumerate(value):
            rubric = snaked(item, RUBRIC) if isinstance(item, dict) else item
            if not is_ours(rubric):
                others.append(item)
                continue
            place = self.found.place(f"{path}[{at}]")
            try:
                checked_case(stated_by([rubric], place), self.name, place)
            except InputError as error:
                if self._means_something(rubric, place):
                    self.found.take(error)
                others.append(item)
                why = f"not understood, and not judged: {error.message}"
                self.found.note(f"{self.name}: rubrics[{at}]", "carried", why)
            else:
                ours.append(rubric)
        if others:
            kept["rubrics"] = others
        try:
            return stated_by(ours, self.found.place(path))
        except InputError as error:
            self.found.take(error)
            return {}

    def _means_something(self, rubric: Any, place: Place) -> bool:
        """Whether a rubric that has faults states expectations, which must not be passed over."""
        try:
            stated = stated_by([rubric], place)
        except InputError:
            return False
        return bool(stated.keys() & {"schema", *Case.__struct_fields__})


def expected_in(invocation: Mapping[str, Any], path: str) -> list[Mapping[str, Any]]:
    """The function calls that an invocation expects, in order.

    Raises:
        TraceError: Its intermediate data has not the shape it should have.
    """
    data = invocation.get("intermediate_data")
    where = f"{path}.intermediate_data"
    if data is None:
        return []
    if not isinstance(data, dict):
        raise TraceError(f"an object was expected, not {kind_of(data)}", Place(path=where))
    data = snaked(data, INTERMEDIATE)
    held: list[Any] = []
    if "invocation_events" in data:
        for at, event in enumerate(_list(data["invocation_events"], f"{where}.invocation_events")):
            content = event.get("content") if isinstance(event, dict) else None
            parts = parts_of(content, f"{where}.invocation_events[{at}].content")
            held += [part["function_call"] for part in parts if part.get("function_call")]
    else:
        held = _list(data.get("tool_uses"), f"{where}.tool_uses")
    found = []
    for call in held:
        name = call.get("name") if type(call) is dict else None
        if type(name) is not str:
            at = held.index(call)
            raise TraceError("a tool use needs a name", Place(path=f"{where}.tool_uses[{at}]"))
        if name not in REQUESTS:
            found.append(call)
    return found


def _list(value: Any, path: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise TraceError(f"a list was expected, not {kind_of(value)}", Place(path=path))
    return value


def _expected(call: Mapping[str, Any], meaning: Meaning) -> ExpectedCall:
    if meaning.ignore_args:
        return ExpectedCall(call["name"])
    extra: Any = meaning.extra_args
    args = call.get("args")
    given = args if type(args) is dict else arguments(args)[0]
    return ExpectedCall(call["name"], given, extra_args=extra)


def plain_content(content: Any, path: str) -> Any:
    """A content as text where text is all it holds; else the content itself.

    Raises:
        TraceError: It is no content.
    """
    parts = parts_of(content, path)
    if len(parts) == 1 and (text := text_of(parts[0])) is not None:
        return text
    texts = [text_of(part) for part in parts]
    if None in texts:
        return {key: item for key, item in content.items() if item is not None}
    return "\n".join(text for text in texts if text is not None)


def _leftover(invocation: Mapping[str, Any], meaning: Meaning) -> dict[str, Any]:
    """What of an invocation its turn does not say again, as it was written."""
    left: dict[str, Any] = {}
    for key, item in invocation.items():
        if not item:
            continue
        if key == "rubrics":
            item = [rubric for rubric in item if not is_ours(rubric)]
        elif key == "user_content":
            item = None if _is_text(item, "user") else item
        elif key == "final_response":
            item = None if _is_text(item, "model") else item
        elif key == "intermediate_data":
            item = None if not meaning.ignore_args and _is_calls(item) else item
        if item:
            left[key] = item
    return left


def _is_text(content: Mapping[str, Any], role: str) -> bool:
    """Whether writing the text as a content gives this content again."""
    parts = content.get("parts")
    if content.get("role") != role or not isinstance(parts, list) or len(parts) != 1:
        return False
    return _says_only(content, ("parts", "role")) and _says_only(parts[0], ("text",))


def _is_calls(data: Mapping[str, Any]) -> bool:
    """Whether writing the calls as intermediate data gives this data again."""
    if len(data) == 1 and "tool_uses" in data:
        uses = data["tool_uses"]
    else:
        held = {key: item for key, item in snaked(data, INTERMEDIATE).items() if item}
        uses = held.pop("tool_uses", [])
        if held:
            return False
    for use in uses:
        if type(use.get("args")) is not dict:
            return False
        if len(use) != 2 and not (len(use) == 3 and "id" in use and use["id"] is None):
            return False
    return True


def _says_only(value: Mapping[str, Any], keys: tuple[str, ...]) -> bool:
    return len(value) == len(keys) or all(
        item is None or key in keys for key, item in value.items()
    )


def read_turn(key: str, item: Any, meaning: Meaning) -> Any:
    """What one part of an invocation says in our words: the input, the reference, or the calls."""
    if key == "intermediate_data":
        calls = expected_in({key: item}, "$")
        asked = calls or meaning.mode == "exact"
        return tuple(_expected(call, meaning) for call in calls) if asked else None
    return plain_content(item, "$") or (None if key == "final_response" else "")


def content_for(value: Any, role: str) -> dict[str, Any] | None:
    """A text as a content; what is one already is given as it is.

    >>> content_for("hi", "user")
    {'parts': [{'text': 'hi'}], 'role': 'user'}
    """
    if value is None:
        return None
    if isinstance(value, dict) and isinstance(value.get("parts"), list):
        return value
    return {"parts": [{"text": value if isinstance(value, str) else ""}], "role": role}


def intermediate_for(calls: Sequence[ExpectedEntry] | None) -> dict[str, Any]:
    """Expected calls as intermediate data; those of a group one after the other."""
    flat: list[ExpectedCall] = []
    for entry in calls or ():
        flat += entry if isinstance(entry, tuple) else (entry,)
    uses = [{"args": call.args or {}, "name": call.name} for call in flat]
    return {"tool_uses": uses} if uses else {}
