"""Suites and datasets: a case is an example, its input the inputs, its expectations the outputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec

from passhat.adapter import Fidelity, FidelityNote
from passhat.case import EXPECTING, Case, Suite
from passhat.errors import InputError, Place, UsageError
from passhat.jsontext import file_name, items, replacing
from passhat.suitefile import suite_from, suite_value
from passhat_langsmith.cases import OURS, Json, case_value, field_of, object_of
from passhat_langsmith.keeping import case_of_row, example_as_read, notes_on
from passhat_langsmith.parquet import is_parquet
from passhat_langsmith.runs import is_run

_encode = msgspec.json.Encoder().encode


def to_suite(examples: Iterable[Any], *, name: str | None = None) -> Suite:
    """The suite of a dataset's examples.

    Args:
        examples: Dicts with `inputs`, `outputs` (or `reference_outputs`) and `metadata`, or
            LangSmith's own `Example`s. What each expects is read as `as_evaluator` reads it.
        name: The suite's name; by default the one that came along from `from_suite`, or `langsmith`.

    Raises:
        SuiteError: An example has faults; all are told at once.

    >>> suite = Suite("s", [Case("a", "Where is A1?", expected_calls=["lookup"])])
    >>> to_suite(from_suite(suite)) == suite
    True
    """
    return _suite(list(examples), name, None)


def _suite(examples: list[Any], name: str | None, place: Place | None) -> Suite:
    head: Json = {}
    cases: list[Json] = []
    for number, example in enumerate(examples, 1):
        ours = object_of(example, "metadata").get(OURS)
        if not head and isinstance(ours, dict) and isinstance(ours.get("suite"), dict):
            head = ours["suite"]
        is_row = place is not None and isinstance(example, dict)
        cases.append(case_of_row(example, number) if is_row else case_value(example))
    told = {"name": "langsmith", **head, "cases": cases}
    return suite_from({**told, "name": name} if name is not None else told, place)


def from_suite(suite: Suite) -> list[Json]:
    """A suite as the examples of a dataset, ready for `client.create_examples(examples=...)`.

    Expectations stand in the outputs, where LangSmith shows them; what it has no place for rides
    in `metadata["passhat"]`. `to_suite` of them is the suite again.

    Returns:
        For each case a dict of `id` (the same each time, from the names of suite and case),
        `inputs`, `outputs` and `metadata`.

    Raises:
        UsageError: The suite has no cases, or something that JSON cannot hold.
    """
    value = suite_value(suite)
    cases = value.pop("cases")
    value.pop("schema")
    return [_example(case, value) for case in cases]


def example_id(suite: str, case_id: str) -> UUID:
    """The id of the example that a case becomes: the same each time.

    >>> example_id("s", "a") == example_id("s", "a") != example_id("t", "a")
    True
    """
    return uuid5(NAMESPACE_URL, f"passhat:{suite}:{case_id}")


def uuid_of(id: str) -> UUID:
    """The id of an example as LangSmith has it, a UUID; of one that is none, the same each time.

    >>> uuid_of("a") == uuid_of("a") == uuid_of(str(uuid_of("a")))
    True
    """
    try:
        return UUID(id)
    except ValueError:
        return uuid5(NAMESPACE_URL, f"passhat:example:{id}")


def _example(case: Json, head: Json) -> Json:
    held = dict(case)
    given = held.pop("input", None)
    metadata = dict(held.pop("metadata", {}))
    outputs = {key: held.pop(key) for key in EXPECTING if key in held}
    kind = "none" if given is None else "mapping" if isinstance(given, dict) else "value"
    inputs = {} if given is None else given if kind == "mapping" else {"input": given}
    return {
        "id": str(example_id(head["name"], case["id"])),
        "inputs": inputs,
        "outputs": outputs,
        "metadata": {**metadata, OURS: {**held, "input_is": kind, "suite": head}},
    }


def read_suite(source: Any) -> tuple[Suite, Fidelity]:
    """The suite that a file of examples holds.

    Raises:
        SuiteError: It has faults.
        InputError: A line cannot be read.
        UsageError: It holds runs, which expect nothing.
    """
    if not isinstance(source, str | Path):
        return to_suite(source), Fidelity()
    if is_parquet(source):
        raise UsageError(f"{file_name(source)} is a bulk export of runs, which expect nothing")
    examples: list[Any] = []
    for item in items(source):
        if isinstance(item, InputError):
            raise item
        if is_run(item.value):
            raise UsageError(
                f"{file_name(source)} holds runs, which record attempts and expect nothing; "
                "examples hold what is expected"
            )
        if not isinstance(item.value, dict) or not isinstance(item.value.get("inputs"), dict):
            raise InputError("an example is an object with its inputs", item.place)
        examples.append(item.value)
    return _suite(examples, None, Place(file_name(source))), Fidelity()


def write_suite(suite: Suite, target: Path) -> Fidelity:
    """Writes the examples of a suite, one a line, and says what became of each field.

    A case that was read from a file of examples, and still says the same, is written as it stood
    there.

    Raises:
        UsageError: The suite cannot be written.
    """
    notes: list[FidelityNote] = []
    with replacing(target) as file:
        for case, example in zip(suite.cases, from_suite(suite), strict=True):
            native = example_as_read(case, suite)
            file.write(_encode(native or example) + b"\n")
            notes += notes_on(case, native is not None)
    return Fidelity(tuple(notes))


def cases_by_id(suite: Suite) -> dict[str, Case]:
    """The cases of a suite, by their ids and by those of the examples that stand for them."""
    cases = suite.by_id.items()
    made = {str(example_id(suite.name, id)): case for id, case in cases}
    return made | {str(uuid_of(id)): case for id, case in cases} | suite.by_id


def case_in(cases: Mapping[str, Case], example: Any) -> Case | None:
    """The case that an example stands for, of `cases_by_id`: by what it says itself, or by its id."""
    ours = object_of(example, "metadata").get(OURS)
    stated = ours.get("id") if isinstance(ours, dict) else None
    for id in (stated, str(field_of(example, "id"))):
        if isinstance(id, str) and id in cases:
            return cases[id]
    return None
