"""What an example expects, in the shapes in which people write it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from passhat.case import EXPECTING, MODES, Case
from passhat.errors import Place, SuiteError, SuiteFault
from passhat.recordings.arguments import arguments
from passhat.recordings.shapes import kind_of
from passhat.suitefile import suite_from
from passhat_langsmith.messages import calls_of, entries
from passhat_langsmith.plain import plain

OURS = "passhat"
"""The key of an example's metadata under which rides what LangSmith has no place for."""

KEPT = "langsmith"
"""The key of a case's extensions under which the rest of its example rides."""

FILES = "files"
"""The key there under which stand the contents of what is attached to the example, by name."""

FETCHED = "fetched_attachments"
"""The key under which a pull puts into an example the contents of its attachments."""

SPLIT = "dataset_split"
"""The key of an example's metadata under which LangSmith holds its splits."""

LISTS = ("expected_tool_calls", "tool_calls", "trajectory", "expected_trajectory", "messages")
"""The keys of reference outputs in which people list the calls they expect."""
_TRAJECTORIES = ("trajectory", "expected_trajectory")
_OBJECTS = frozenset({"response", "state", "scenario"})
_HOW = frozenset({"mode", "optional_calls"})
"""Keys of a case that say how calls are judged, and expect nothing where none are listed."""
_NAMES = ("name", "tool", "tool_name")
_ARGS = ("args", "arguments", "input", "tool_input", "parameters", "params")

Json = dict[str, Any]


def field_of(example: Any, *names: str) -> Any:
    """A field of an example, whether it is a dict or LangSmith's own object, as JSON has it."""
    for name in names:
        held = example.get(name) if isinstance(example, Mapping) else getattr(example, name, None)
        if held is not None:
            return plain(held)
    return None


def object_of(example: Any, *names: str) -> Json:
    """An object that an example holds, empty where it holds none.

    Raises:
        SuiteError: Something else stands there.
    """
    held = field_of(example, *names)
    if held is None:
        return {}
    if not isinstance(held, dict):
        said = f"example {field_of(example, 'id')}: {names[-1]} are an object, not {kind_of(held)}"
        raise SuiteError([SuiteFault(said, Place())])
    return held


def case_of(example: Any) -> Case:
    """The case that an example is.

    What is expected is read from the first of these that is there: the keys of a case (in the
    reference outputs, or in the metadata), `expected_tool_calls`, `tool_calls`, `trajectory` and
    `messages` of the reference outputs. Keys of a case that name no calls stand beside
    `expected_tool_calls`; an example with none of all expects nothing. LangSmith's own generator of
    datasets writes `expected_trajectory`, which is read as `trajectory`.

    Args:
        example: A dict with `inputs`, `outputs` (or `reference_outputs`) and `metadata`, or
            LangSmith's `Example`.

    Raises:
        SuiteError: What it expects has faults; it names the example.

    >>> case_of({"id": "e", "inputs": {}, "outputs": {"trajectory": ["lookup"]}}).expected_calls
    (ExpectedCall(name='lookup'),)
    """
    value = case_value(example)
    try:
        return suite_from({"name": "example", "cases": [value]}).cases[0]
    except SuiteError as error:
        told = "; ".join(
            f"{(fault.place.path or '').removeprefix('$.cases[0].')}: {fault.message}"
            for fault in error.faults
        )
        raise SuiteError([SuiteFault(f"example {value['id']}: {told}", Place())]) from error


def case_value(example: Any) -> Json:
    """The case that an example is, as a suite file writes it, its values not yet checked.

    Raises:
        SuiteError: Its inputs, outputs or metadata are no objects, or broken.
    """
    inputs = object_of(example, "inputs")
    outputs = object_of(example, "reference_outputs", "outputs")
    metadata = object_of(example, "metadata")
    ours = metadata.pop(OURS, None)
    held: Json = dict(ours) if isinstance(ours, dict) else {}
    exact = held.get("exact")
    if isinstance(exact, str):
        found = case_value(_exact(exact, example))
        _put_beside(found, example)
        return found
    _put_split(metadata, held.pop("split", None))
    for key in ("suite", "pushed", "at", "files"):
        held.pop(key, None)
    whole = held.pop("input_is", None)
    value: Json = {"id": held.pop("id", None) or str(field_of(example, "id") or "example")}
    value["input"] = _input(inputs, whole)
    if held or whole is not None:
        value |= held
        value |= {key: outputs[key] for key in EXPECTING if key in outputs}
    else:
        value |= _expected(outputs, metadata)
        if outputs:
            value["reference"] = outputs
    if metadata:
        value["metadata"] = metadata
    _put_beside(value, example)
    return {key: item for key, item in value.items() if item is not None}


def _exact(text: str, example: Any) -> Json:
    """The example that rides as text beside one that the server's JSON cannot hold.

    Raises:
        SuiteError: It is no JSON object.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        said = f"example {field_of(example, 'id')}: metadata.{OURS}.exact is no JSON object"
        raise SuiteError([SuiteFault(said, Place())])
    return found


def _put_beside(value: Json, example: Any) -> None:
    """Puts into a case what stands beside its example: the run it was made of, and its files."""
    if beside := _beside(example):
        extensions = value.get("extensions") or {}
        known = extensions.get(KEPT)
        known = known if isinstance(known, Mapping) else {}
        value["extensions"] = {**extensions, KEPT: {**known, **beside}}


def _beside(example: Any) -> Json:
    found: Json = {}
    if (run := field_of(example, "source_run_id")) is not None:
        found["source_run_id"] = run
    is_row = isinstance(example, Mapping)
    for key in ("attachments", "attachment_urls"):
        held = example.get(key) if is_row else getattr(example, key, None)
        if isinstance(held, Mapping) and held:
            found["attachments"] = sorted(str(one).removeprefix("attachment.") for one in held)
            break
    if is_row and isinstance(example.get(FETCHED), Mapping) and example[FETCHED]:
        found[FILES] = example[FETCHED]
    return found


def splits_of(stated: Any) -> list[str]:
    """The splits of an example, sorted, but for `base`, in which LangSmith puts those that have none.

    >>> splits_of(["test", "base"]), splits_of("train"), splits_of(None)
    (['test'], ['train'], [])
    """
    listed = [stated] if isinstance(stated, str) else stated if isinstance(stated, list) else []
    return sorted({str(one) for one in listed} - {"base"})


def _put_split(metadata: Json, pushed: Any) -> None:
    """Leaves in the metadata the splits that somebody chose, as they were written."""
    there = splits_of(metadata.pop(SPLIT, None))
    if there:
        metadata[SPLIT] = pushed if splits_of(pushed) == there else there
    elif pushed is not None and not splits_of(pushed):
        metadata[SPLIT] = pushed


def _input(inputs: Json, whole: str | None) -> Any:
    if whole == "mapping":
        return inputs
    if whole == "none":
        return None
    if inputs.keys() == {"input"}:
        return inputs["input"]
    if whole is None and len(inputs) == 1:
        only = next(iter(inputs.values()))
        if isinstance(only, str) or ("messages" in inputs and _have_roles(only)):
            return only
    return inputs or None


def _have_roles(value: Any) -> bool:
    """Whether a value is messages that a case can have as input; LangChain's have types instead."""
    return isinstance(value, list) and all(
        isinstance(one, dict) and isinstance(one.get("role"), str) for one in value
    )


def _expected(outputs: Json, metadata: Json) -> Json:
    key, calls = _listed(outputs)
    for held in (outputs, metadata):
        own = {
            name: held[name] for name in EXPECTING if name in held and _is_ours(name, held[name])
        }
        if own:
            asks = own.keys() & {"expected_calls", "turns"}
            if not asks and (key == "expected_tool_calls" or own.keys() <= _HOW):
                return own | calls
            return own
    return calls


def _listed(outputs: Json) -> tuple[str, Json]:
    """The calls that the reference outputs list, and the key under which they do."""
    for key in LISTS:
        listed = outputs.get(key)
        if not isinstance(listed, list):
            if key == "expected_tool_calls" and listed is not None:
                return key, {"expected_calls": listed}  # Told as no list of calls when it is read.
            continue
        if key == "messages" or (key in _TRAJECTORIES and _are_messages(listed)):
            calls = [call for entry in entries(listed)[0] for call in calls_of(entry)]
            if not calls:
                continue
        else:
            calls = listed
        return key, {"expected_calls": [_call(one) for one in calls]}
    return "", {}


def _is_ours(key: str, value: Any) -> bool:
    """Whether a value under one of our keys is meant so: `response` is also any dataset's answer."""
    if value is None:
        return False
    if key in _OBJECTS:
        return isinstance(value, dict)
    return value in MODES if key == "mode" else True


def _are_messages(listed: list[Any]) -> bool:
    return any(isinstance(one, dict) and ("role" in one or "content" in one) for one in listed)


def _call(value: Any) -> Any:
    """An expected call in our form, from the forms of others; what is none is left to the reader."""
    if not isinstance(value, dict):
        return value
    nested = value.get("function")
    inner: Json = nested if isinstance(nested, dict) else value
    name = next((inner[key] for key in _NAMES if isinstance(inner.get(key), str)), None)
    if name is None:
        return value
    given = next((inner[key] for key in _ARGS if inner.get(key) is not None), None)
    if given is None:
        return {"name": name}
    args, broken = arguments(given)
    return {"name": name, "args": given if broken else args}
