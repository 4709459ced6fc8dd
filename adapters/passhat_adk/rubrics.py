"""What a case expects beyond ADK's own keys, in the one channel that reaches a metric: rubrics.

A rubric of the type `PASSHAT_CHECK` holds keys of a case (of a turn, where it stands on an
invocation) as JSON. ADK's own judges pass it over, for its type.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from passhat.case import Case, Suite
from passhat.errors import InputError, Place, SuiteError, SuiteFault, UsageError
from passhat.jsontext import decode
from passhat.recordings.shapes import kind_of
from passhat.suitefile.reading import suite_from
from passhat.suitefile.rowshapes import ROW_KEYS
from passhat.suitefile.writing import suite_value
from passhat_adk.findings import Findings
from passhat_adk.native import RUBRIC, snaked

TYPE = "PASSHAT_CHECK"
ID = "passhat:case"
SCHEMA = "passhat.case/1"
"""Marks a rubric that states a case whole: then ADK's own keys say nothing of what is expected."""

_MEANT = frozenset({"schema", *Case.__struct_fields__, *ROW_KEYS})
"""The keys by which a rubric states expectations, which must not be passed over where it has faults."""

_encode = msgspec.json.Encoder().encode


def is_ours(rubric: Any) -> bool:
    """Whether a rubric is one of ours."""
    return isinstance(rubric, dict) and rubric.get("type") == TYPE


def rubric_for(case: Case) -> dict[str, Any]:
    """The rubric that states a case whole.

    Raises:
        UsageError: The case has something that JSON cannot hold.

    >>> rubric_for(Case("c", forbidden_calls=["refund"]))["rubric_content"]["text_property"]
    '{"schema":"passhat.case/1","forbidden_calls":["refund"]}'
    """
    stated = {key: value for key, value in case_value(case).items() if key != "id"}
    text = _encode({"schema": SCHEMA, **stated}).decode()
    return {
        "rubric_id": ID,
        "rubric_content": {"text_property": text},
        "description": "What passhat_case judges.",
        "type": TYPE,
    }


def case_value(case: Case) -> dict[str, Any]:
    """A case as JSON, without what an adapter keeps in its extensions."""
    value = suite_value(Suite("", (case,)))["cases"][0]
    others = {key: item for key, item in case.extensions.items() if key != "adk"}
    value.pop("extensions", None)
    return {**value, "extensions": others} if others else dict(value)


def stated_by(rubrics: Iterable[Any], place: Place) -> dict[str, Any]:
    """The keys that our rubrics state, those of several together.

    Raises:
        InputError: A rubric holds no JSON object, or two of them state one key.
    """
    found: dict[str, Any] = {}
    for rubric in rubrics:
        held = snaked(rubric, RUBRIC)
        name = held.get("rubric_id")
        content = held.get("rubric_content")
        text = snaked(content, RUBRIC).get("text_property") if isinstance(content, dict) else None
        try:
            stated = decode(text) if isinstance(text, str) else None
        except InputError as error:
            raise InputError(f"rubric {name!r}: {error.message}", place) from error
        if not isinstance(stated, dict):
            raise InputError(f"rubric {name!r} holds no JSON object of expectations", place)
        twice = found.keys() & stated.keys() - {"schema"}
        if twice:
            raise InputError(f"rubric {name!r} states {min(twice)!r} a second time", place)
        found |= stated
    return found


def checked_case(stated: Mapping[str, Any], id: str, place: Place | None = None) -> Case:
    """The case that plain keys state.

    Raises:
        SuiteError: A key is none, or its value is none that it can have.
    """
    keys = {key: value for key, value in stated.items() if key not in ("schema", "id")}
    value = {"name": "adk", "cases": [{"id": id or "case", **keys}]}
    try:
        return suite_from(value, place).cases[0]
    except SuiteError as error:
        raise SuiteError([_placed(fault, place) for fault in error.faults]) from error
    except UsageError as error:
        raise InputError(error.message, place) from error


def _placed(fault: SuiteFault, place: Place | None) -> SuiteFault:
    """The fault of a case that stands at a place, which its path does not know."""
    if place is None or place.path is None:
        return fault
    inside = (fault.place.path or "").removeprefix("$.cases[0]")
    return SuiteFault(fault.message, Place(place.file, place.line, place.path + inside))


def turn_keys(stated: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that a rubric on an invocation states of its turn."""
    return {key: value for key, value in stated.items() if key != "schema"}


class Said(NamedTuple):
    """What the rubrics of a case say.

    Attributes:
        keys: What ours state.
        others: All other rubrics as they are.
        whole: The case, where one of ours states it whole.
    """

    keys: dict[str, Any]
    others: list[Any]
    whole: Case | None = None


def read_rubrics(value: Any, name: str, found: Findings, path: str) -> Said:
    """What our rubrics of a case state, and all other rubrics as they are.

    Args:
        value: The rubrics.
        name: The case.
        found: Takes faults and notes.
        path: Where they stand.
    """
    if not isinstance(value, list):
        found.fault(path, f"rubrics are a list, not {kind_of(value)}")
        return Said({}, [])
    others, ours = [], []
    for at, item in enumerate(value):
        rubric = snaked(item, RUBRIC) if isinstance(item, dict) else item
        if not is_ours(rubric):
            others.append(item)
            continue
        place = found.place(f"{path}[{at}]")
        what = f"{name}: rubrics[{at}]"
        keys: dict[str, Any] = {}
        try:
            keys = stated_by([rubric], place)
            if keys and not found.noted and _MEANT.isdisjoint(keys):
                others.append(item)
                continue
            case = checked_case(keys, name, place)
        except InputError as error:
            if not _MEANT.isdisjoint(keys):
                found.take(error)
            others.append(item)
            found.note(what, "carried", f"not understood, and not judged: {error.message}")
        else:
            ours.append((rubric, keys, case))
            if found.parted and "schema" not in keys:
                # One that was written by hand: what is written back states it all.
                found.note(what, "translated", ", ".join(keys), parts=(f"{path}[{at}]",))
    if len(ours) == 1:
        _, keys, case = ours[0]
        return Said(keys, others, case if keys.get("schema") == SCHEMA else None)
    try:
        return Said(stated_by([rubric for rubric, _, _ in ours], found.place(path)), others)
    except InputError as error:
        found.take(error)
        return Said({}, others)
