"""What an invocation says: the input, the calls that are expected, the final response; and back."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from passhat.case import Case, ExpectedCall, ExpectedEntry, Turn
from passhat.errors import Place, TraceError
from passhat.recordings.parts import LISTED, SPOKEN
from passhat.recordings.shapes import kind_of
from passhat_adk.answering import REQUESTS
from passhat_adk.contents import lone_text, parts_of, text_of
from passhat_adk.criteria import Meaning
from passhat_adk.native import DURATIONS, INTERMEDIATE, INVOCATION, a_list, an_object, snaked
from passhat_adk.rubrics import is_ours

_NOTHING_WHEN_EMPTY = INVOCATION - {"intermediate_data"}
_CONTENT, _TEXT_ALONE = frozenset({"parts", "role"}), frozenset({"text"})
_SIGNATURE = "thought_signature"


def expected_in(data: Any) -> list[Mapping[str, Any]]:
    """The function calls that an invocation expects, in order, by its intermediate data.

    Raises:
        TraceError: The data has not the shape it should have.
    """
    if data is None:
        return []
    return _calls_in(snaked(an_object(data, "$", "an intermediate_data"), INTERMEDIATE))


def _calls_in(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [call for call in _all_in(data) if call["name"] not in REQUESTS]


def requests_in(data: Any) -> list[str]:
    """The names of the calls by which an invocation expects that ADK asks somebody outside.

    Raises:
        TraceError: The data has not the shape it should have.
    """
    calls = _all_in(snaked(an_object(data, "$", "an intermediate_data"), INTERMEDIATE))
    return [call["name"] for call in calls if call["name"] in REQUESTS]


def _all_in(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if "invocation_events" in data:
        return _asked_in(a_list(data["invocation_events"], "$.invocation_events", "events"))
    calls = a_list(data.get("tool_uses"), "$.tool_uses", "tool_uses")
    for at, call in enumerate(calls):
        if not _is_call(call):
            raise _no_call(call, f"$.tool_uses[{at}]")
    return calls


def _asked_in(events: list[Any]) -> list[Any]:
    """The function calls of events."""
    held = []
    for at, event in enumerate(events):
        path = f"$.invocation_events[{at}]"
        content = an_object(event, path, "an event").get("content")
        try:
            parts = parts_of(content)
        except TraceError as error:
            raise error.under(f"{path}.content") from None
        for number, part in enumerate(parts):
            if call := part.get("function_call"):
                if not _is_call(call):
                    raise _no_call(call, f"{path}.content.parts[{number}].function_call")
                held.append(call)
    return held


def _is_call(call: Any) -> bool:
    if type(call) is not dict or type(call.get("name")) is not str:
        return False
    args = call.get("args")
    return type(args) is dict or args is None


def _no_call(call: Any, path: str) -> TraceError:
    if type(call) is not dict or type(call.get("name")) is not str:
        return TraceError("a tool use needs a name", Place(path=path))
    return TraceError(
        f"args are an object, not {kind_of(call['args'])}", Place(path=f"{path}.args")
    )


def read_calls(data: Any, meaning: Meaning) -> tuple[tuple[ExpectedCall, ...], bool]:
    """What intermediate data expects, compared as the criteria say; and whether that is all of it.

    Raises:
        TraceError: The data has not the shape it should have.
    """
    data = snaked(an_object(data, "$", "an intermediate_data"), INTERMEDIATE)
    calls = _calls_in(data)
    if meaning.ignore_args:
        named = tuple([ExpectedCall(call["name"]) for call in calls])
        return named, bool(named) and data == intermediate_for(named)
    made, plain = [], True
    extra: Any = meaning.extra_args
    for call in calls:
        args = call.get("args")
        if args is None:
            args, plain = {}, False
        elif len(call) > 2 and (len(call) > 3 or call.get("id", "") is not None):
            plain = False
        made.append(ExpectedCall(call["name"], args, None, extra))
    alone = plain and made and not any(data[key] for key in data if key != "tool_uses")
    return tuple(made), bool(alone) and len(made) == len(data.get("tool_uses", ()))


def read_content(content: Any, role: str, path: str) -> tuple[Any, bool]:
    """What a content says, and whether that is all of it.

    It says a text where text is all it holds; else itself.

    Args:
        content: The content.
        role: Whose it is where that is not worth saying.
        path: Where it stands.

    Raises:
        TraceError: It is no content.
    """
    text = lone_text(content)
    if text is not None:
        whole = content.get("role") == role
        return text, whole and (len(content) == 2 or _says_only(content, _CONTENT))
    try:
        parts = parts_of(content)
    except TraceError as error:
        raise error.under(path) from None
    texts = [_text_in(part) for part in parts]
    if None in texts:
        stated = {key: item for key, item in content.items() if item is not None}
        return stated, stated == content
    whole = content.get("role") == role and _says_only(content, _CONTENT)
    said = len(parts) == 1 and isinstance(parts[0].get("text"), str)
    alone = said and _says_only(parts[0], _TEXT_ALONE)
    joint = SPOKEN if role == "model" else LISTED
    return joint.join(text for text in texts if text), whole and alone


def _text_in(part: Mapping[str, Any]) -> str | None:
    """The text of a part, "" where it holds nothing; None where it holds something else too.

    A signature of thoughts, which models sign their answers with, is nothing that is said.
    """
    there = [key for key, item in part.items() if item is not None and item is not False]
    if not there or there == [_SIGNATURE]:
        return ""
    return text_of(part if _SIGNATURE not in part else {**part, _SIGNATURE: None})


def leftover(invocation: Mapping[str, Any], said: Container[str]) -> dict[str, Any]:
    """What of an invocation is not said by the case that was read of it, as it was written.

    Args:
        invocation: The invocation.
        said: The keys of which all is said.
    """
    left: dict[str, Any] = {
        key: item
        for key, item in invocation.items()
        if key not in said
        and (item or key not in _NOTHING_WHEN_EMPTY or (key in DURATIONS and item == 0))
    }
    if "rubrics" in left:
        others = [rubric for rubric in left.pop("rubrics") if not is_ours(rubric)]
        if others:
            left["rubrics"] = others
    return left


def stated_by_turns(
    turns: list[dict[str, Any]], references: list[Any], meaning: Meaning
) -> dict[str, Any]:
    """The keys of a case that its turns state, with how the criteria judge its calls and responses.

    Args:
        turns: The keys of each turn; those of a lone one become the case's.
        references: The final response of each.
        meaning: How the criteria judge.
    """
    if len(turns) == 1:
        return stated_alone(turns[0], references[0], meaning)
    stated: dict[str, Any] = {}
    asked = [len(turn["expected_calls"]) for turn in turns if "expected_calls" in turn]
    if asked:
        stated = _judged(max(asked), meaning)
    if any(reference is not None for reference in references):
        stated["reference"] = references
    for turn, reference in zip(turns, references, strict=True):
        if meaning.response is not None and isinstance(reference, str):
            bound = {"reference": reference, "at_least": meaning.response}
            turn["checks"] = {**turn.get("checks", {}), "rouge1": bound}
    stated["turns"] = tuple(Turn(**turn) for turn in turns)
    return stated


def stated_alone(turn: dict[str, Any], reference: Any, meaning: Meaning) -> dict[str, Any]:
    """The same of a lone turn, whose keys become the case's."""
    calls = turn.get("expected_calls")
    if calls is not None:
        turn |= _judged(len(calls), meaning)
    if reference is not None:
        turn["reference"] = reference
        if meaning.response is not None and isinstance(reference, str):
            turn["checks"] = {**turn.get("checks", {}), "rouge1": {"at_least": meaning.response}}
    return turn


def _judged(most: int, meaning: Meaning) -> dict[str, Any]:
    """How calls are judged where a turn expects so many at most."""
    keys: dict[str, Any] = {"mode": meaning.mode}
    if meaning.native is not None:
        keys |= meaning.native.ways[min(2, most)]
    if meaning.trajectory:
        keys["checks"] = {"trajectory": dict(meaning.trajectory)}
    return keys


def _says_only(value: Mapping[str, Any], keys: frozenset[str]) -> bool:
    return value.keys() == keys or {k for k, item in value.items() if item is not None} <= keys


def read_turn(key: str, item: Any, meaning: Meaning) -> Any:
    """What one part of an invocation says in our words: the input, the reference, or the calls."""
    if key == "intermediate_data":
        calls, _ = read_calls(item, meaning) if item is not None else ((), True)
        return calls if calls or meaning.mode == "exact" else None
    answer = key == "final_response"
    value, _ = read_content(item, "model" if answer else "user", "$")
    return value or (None if answer else "")


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


def turns_of(case: Case) -> list[tuple[Turn, Any]]:
    """The turns of a case, a lone input being one, each with its reference."""
    turns = case.turns or (Turn(case.input, expected_calls=case.expected_calls),)
    references = case.reference if isinstance(case.reference, list) and case.turns else None
    if references is None or len(references) != len(turns):
        references = [case.reference if len(turns) == 1 else None] * len(turns)
    return list(zip(turns, references, strict=True))


def written(turn: Turn, reference: Any) -> dict[str, Any]:
    """What a turn says in ADK's words: a content, a response, intermediate data, or None."""
    return {
        "user_content": content_for(asked_text(turn.input), "user"),
        "final_response": content_for(_answer(reference), "model"),
        "intermediate_data": intermediate_for(turn.expected_calls) or None,
    }


def beyond(leftovers: list[dict[str, Any]], case: Case) -> list[dict[str, Any]]:
    """What is left over of the invocations of a case beyond what writing it gives again.

    Args:
        leftovers: What is left over of each; given back itself where that is beyond already.
        case: The case that was read.
    """
    if all(_SAID.isdisjoint(left) for left in leftovers):
        return leftovers
    turns = turns_of(case)
    if len(turns) != len(leftovers):
        return leftovers
    found = []
    for (turn, reference), left in zip(turns, leftovers, strict=True):
        again = {} if _SAID.isdisjoint(left) else written(turn, reference)
        found.append({key: item for key, item in left.items() if again.get(key) != item})
    return found


_SAID = frozenset({"user_content", "final_response", "intermediate_data"})


def asked_text(given: Any) -> Any:
    """What the user says, as far as one message can say it: text, or a content of ADK's."""
    if given is None:
        return ""
    if isinstance(given, list):
        texts = [
            item["content"]
            for item in given
            if isinstance(item, dict)
            and item.get("role") == "user"
            and isinstance(item.get("content"), str)
        ]
        return "\n".join(texts)
    if isinstance(given, dict) and not isinstance(given.get("parts"), list):
        words = [item for item in given.values() if isinstance(item, str)]
        return "\n".join(words)
    return given


def _answer(reference: Any) -> Any:
    if isinstance(reference, str):
        return reference or None
    return reference if isinstance(reference, dict) and "parts" in reference else None
