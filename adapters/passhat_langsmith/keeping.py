"""Examples written back as they were read: what a case does not say rides in its extensions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.adapter import FidelityNote
from passhat.case import EXPECTING, Case, Suite
from passhat.errors import InputError
from passhat.suitefile import suite_from, suite_value
from passhat_langsmith.cases import FILES, KEPT, OURS, Json, case_value

_SAID = frozenset({"id", "inputs", "outputs", "metadata"})


def case_of_row(example: Json, number: int) -> Json:
    """The case that a row of a file is, as JSON, with the rest of the example in its extensions.

    Args:
        example: The example.
        number: Which row it is, for one without an id.

    Raises:
        SuiteError: Its inputs, outputs or metadata are no objects.

    >>> case_of_row({"inputs": {"q": "hi"}, "created_at": "2026-01-01"}, 3)["extensions"]
    {'langsmith': {'created_at': '2026-01-01', 'id': None, 'inputs': {'q': 'hi'}}}
    """
    value = case_value(example)
    metadata = example.get("metadata")
    if isinstance(metadata, dict) and OURS in metadata:
        return value
    left: Json = {key: item for key, item in example.items() if key not in _SAID}
    if example.get("id") is None:
        value["id"] = f"example-{number}"
        left["id"] = None
    plain = _native(value, left)
    for name in ("inputs", "outputs", "metadata"):
        if name in example and example[name] != plain.get(name):
            left[name] = example[name]
    return {**value, "extensions": {KEPT: left}} if left else value


def example_as_read(case: Case, suite: Suite) -> Json | None:
    """The example that a case was read from, where the case still says the same; else None.

    Args:
        case: The case.
        suite: The suite it is of, which must say nothing of all cases.
    """
    if suite != Suite("langsmith", suite.cases):
        return None
    left = case.extensions.get(KEPT, {})
    if not isinstance(left, Mapping) or case.extensions.keys() - {KEPT}:
        return None
    value = suite_value(Suite("langsmith", (case,)))["cases"][0]
    example = _native(value, left)
    try:
        again = suite_from({"name": "langsmith", "cases": [_again(example, case.id)]}).cases[0]
    except InputError:
        return None
    return example if again == case else None


def _again(example: Json, id: str) -> Json:
    number = id.removeprefix("example-")
    return case_of_row(example, int(number) if number.isdecimal() else 0)


def _native(value: Json, left: Mapping[str, Any]) -> Json:
    """The example of a case by LangSmith's own keys alone."""
    given = value.get("input")
    inputs = given if isinstance(given, dict) else {} if given is None else {"input": given}
    made: Json = {"id": value["id"], "inputs": inputs}
    if isinstance(value.get("reference"), dict) and "reference_outputs" not in left:
        made["outputs"] = value["reference"]
    if value.get("metadata"):
        made["metadata"] = value["metadata"]
    made |= left
    if made["id"] is None:
        del made["id"]
    return made


def lacks_files(case: Case) -> bool:
    """Whether a case names attached files whose contents it does not hold."""
    kept = case.extensions.get(KEPT)
    if not isinstance(kept, Mapping):
        return False
    held = kept.get(FILES)
    return bool(set(kept.get("attachments") or ()) - set(held if isinstance(held, Mapping) else ()))


def files_of_cases(suite: Suite) -> list[FidelityNote]:
    """What is lost of cases whose examples have files attached that did not come along."""
    found = []
    for case in suite.cases:
        if lacks_files(case):
            said = f"their contents stay in LangSmith, their names in extensions.{KEPT}"
            found.append(FidelityNote(f"{case.id}: attachments", "lost", said))
    return found


def notes_on(case: Case, native: bool) -> list[FidelityNote]:
    """What becomes of each field of a case that is written as an example."""
    return [_note(case, name, native) for name in case.stated]


def _note(case: Case, name: str, native: bool) -> FidelityNote:
    what = f"{case.id}: {name}"
    if native:
        return FidelityNote(what, "kept", "as it was read")
    if name == "input":
        return FidelityNote(what, "kept", "inputs")
    if name == "metadata":
        return FidelityNote(what, "kept")
    if name in EXPECTING:
        said = "in the outputs, judged by evaluate(evaluators=[passhat_langsmith.as_evaluator()])"
        return FidelityNote(what, "translated", said)
    return FidelityNote(what, "carried", f"in metadata.{OURS}")
