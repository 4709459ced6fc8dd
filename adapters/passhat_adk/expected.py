"""What an invocation says: the input, the calls that are expected, the final response; and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from passhat.case import Case, ExpectedCall, ExpectedEntry, Turn
from passhat.errors import Place, TraceError
from passhat.recordings.arguments import arguments
from passhat_adk.answering import REQUESTS
from passhat_adk.contents import parts_of, text_of
from passhat_adk.criteria import Meaning
from passhat_adk.native import INTERMEDIATE, a_list, an_object, snaked
from passhat_adk.rubrics import is_ours

_TEXT = {str}


def expected_in(invocation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The function calls that an invocation expects, in order.

    Raises:
        TraceError: Its intermediate data has not the shape it should have.
    """
    data = invocation.get("intermediate_data")
    if data is None:
        return []
    try:
        return _calls_in(snaked(an_object(data, "$", "an intermediate_data"), INTERMEDIATE))
    except TraceError as error:
        raise error.under("$.intermediate_data") from None


def _calls_in(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    held = data.get("tool_uses")
    if "invocation_events" in data:
        held = _asked_in(a_list(data["invocation_events"], "$.invocation_events", "events"))
    calls = a_list(held, "$.tool_uses", "tool_uses")
    try:
        names = {call["name"] for call in calls}
    except (TypeError, KeyError):
        names = {None}
    if {*map(type, names)} <= _TEXT:
        return (
            calls if REQUESTS.isdisjoint(names) else [c for c in calls if c["name"] not in REQUESTS]
        )
    for at, call in enumerate(calls):
        if type(call) is not dict or type(call.get("name")) is not str:
            raise TraceError("a tool use needs a name", Place(path=f"$.tool_uses[{at}]"))
    return []


def _asked_in(events: list[Any]) -> list[Any]:
    """The function calls of events."""
    held = []
    for at, event in enumerate(events):
        content = event.get("content") if isinstance(event, dict) else None
        try:
            parts = parts_of(content)
        except TraceError as error:
            raise error.under(f"$.invocation_events[{at}].content") from None
        held += [part["function_call"] for part in parts if part.get("function_call")]
    return held


def expected_calls(
    calls: Iterable[Mapping[str, Any]], meaning: Meaning
) -> tuple[ExpectedCall, ...]:
    """Function calls as expected ones, compared as the criteria say."""
    if meaning.ignore_args:
        return tuple([ExpectedCall(call["name"]) for call in calls])
    extra: Any = meaning.extra_args
    return tuple([
        ExpectedCall(
            call["name"],
            args if type(args := call.get("args")) is dict else arguments(args)[0],
            None,
            extra,
        )
        for call in calls
    ])  # fmt: skip


def plain_content(content: Any, path: str) -> Any:
    """A content as text where text is all it holds; else the content itself.

    Raises:
        TraceError: It is no content.
    """
    try:
        parts = parts_of(content)
    except TraceError as error:
        raise error.under(path) from None
    if len(parts) == 1 and (text := text_of(parts[0])) is not None:
        return text
    texts = [text_of(part) for part in parts]
    if None in texts:
        return {key: item for key, item in content.items() if item is not None}
    return "\n".join(text for text in texts if text is not None)


def leftover(
    invocation: Mapping[str, Any], turn: Mapping[str, Any], reference: Any, meaning: Meaning
) -> dict[str, Any]:
    """What of an invocation the turn that was read of it does not say again, as it was written."""
    left: dict[str, Any] = {}
    for key, item in invocation.items():
        if not item:
            if key == "intermediate_data" and item is not None:
                left[key] = item
            continue
        if key == "user_content":
            if _is_text(item, "user") or item == turn["input"]:
                continue
        elif key == "final_response":
            if _is_text(item, "model") or item == reference:
                continue
        elif key == "intermediate_data":
            if not meaning.ignore_args:
                if turn.get("expected_calls") and _is_calls(item):
                    continue
            elif item == intermediate_for(turn.get("expected_calls")):
                continue
        elif key == "rubrics":
            item = [rubric for rubric in item if not is_ours(rubric)]
            if not item:
                continue
        left[key] = item
    return left


def _is_text(content: Mapping[str, Any], role: str) -> bool:
    """Whether writing the text as a content gives this content again."""
    if content.get("role") != role:
        return False
    parts = content.get("parts")
    if not isinstance(parts, list) or len(parts) != 1:
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
        calls = expected_in({key: item})
        asked = calls or meaning.mode == "exact"
        return expected_calls(calls, meaning) if asked else None
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
