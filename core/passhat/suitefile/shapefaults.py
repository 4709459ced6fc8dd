"""What is wrong with the shape of a document, in sentences: the key, the kind, the nearest word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from passhat.case import MODES
from passhat.suitefile.document import Document, Steps
from passhat.suitefile.shape import SUITE_SHAPE

_KINDS = {
    "string": "text",
    "object": "a mapping",
    "array": "a list",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}
_MEANT = {
    "strict": "exact",
    "ordered": "in_order",
    "name": "id",
    "case_id": "id",
    "task_id": "id",
    "eval_id": "id",
    "prompt": "input",
    "query": "input",
    "question": "input",
    "inputs": "input",
    "message": "input",
    "messages": "input",
    "output": "reference",
    "outputs": "reference",
    "expected_output": "reference",
    "reference_outputs": "reference",
    "expected_trajectory": "expected_calls",
    "trajectory": "expected_calls",
    "expected_state": "expected_final_state",
    "final_state": "expected_final_state",
    "state_before": "initial_state",
    "state_after": "expected_final_state",
    "max_steps": "budget",
    "max_turns": "budget",
    "tests": "cases",
    "test_cases": "cases",
    "examples": "cases",
    "tool_calls": "expected_calls",
    "expected_tool_calls": "expected_calls",
    "tools_expected": "expected_calls",
    "reference_tool_calls": "expected_calls",
    "tool": "name",
    "contains": "includes",
    "content": "input",
    "repetitions": "trials",
    "type": "schema",
}
"""Words of other worlds, and ours for the same thing; offered only where ours is a word there."""

_MANY = 12
_A_LETTER_OFF = 0.88


def shape_faults(document: Document, shape: dict[str, Any] = SUITE_SHAPE) -> None:
    """Notes in the document every fault of its shape, which is that of a suite if not said."""
    seen: set[tuple[Steps, str]] = set()
    for error in _validator(shape).iter_errors(document.value):
        for steps, message in _told(error, tuple(error.absolute_path)):
            if (steps, message) not in seen:
                seen.add((steps, message))
                document.fault(steps, message)


_VALIDATORS: dict[int, Any] = {}


def _validator(shape: dict[str, Any]) -> Any:
    from jsonschema import Draft202012Validator

    # Shapes are constants of modules, so that their ids stay theirs.
    found = _VALIDATORS.get(id(shape))
    if found is None:
        found = _VALIDATORS[id(shape)] = Draft202012Validator(shape)
    return found


def _told(error: Any, steps: Steps) -> Iterator[tuple[Steps, str]]:
    """The faults that one error of the validator stands for."""
    rule, value, wanted = error.validator, error.instance, error.validator_value
    if rule in ("anyOf", "oneOf"):
        yield from _told_of_branches(error, steps)
    elif rule == "additionalProperties":
        known = error.schema["properties"]
        for key in value:
            if key not in known:
                yield (*steps, key), _unknown_key(key, known, steps)
    elif rule == "required":
        for name in wanted:
            if name not in value:
                yield steps, _missing_key(name)
    elif rule == "type":
        kinds = [wanted] if isinstance(wanted, str) else wanted
        quote = "; write it in quotes" if kinds == ["string"] and not _holds_more(value) else ""
        yield steps, f"needs {_either(_KINDS[kind] for kind in kinds)}, not {shown(value)}{quote}"
    elif rule == "enum":
        foreign = _foreign_mode(value) if wanted == list(MODES) else ""
        yield steps, f"cannot be {shown(value)}{foreign or f', {nearest(value, wanted)}'}"
    elif rule == "const":
        yield steps, f"cannot be {shown(value)}; this version reads {wanted!r}"
    elif rule in ("minLength", "minProperties"):
        yield steps, "is empty"
    elif rule == "minItems":
        yield steps, _too_few(steps, value, wanted)
    elif rule == "maxItems":
        yield steps, f"has {len(value)} items; up to {wanted} are allowed"
    else:
        end = "least" if rule == "minimum" else "most"
        yield steps, f"is {value}; the {end} is {wanted}"


def _told_of_branches(error: Any, steps: Steps) -> Iterator[tuple[Steps, str]]:
    """The faults of a value that may have several shapes: those of the shape it is closest to."""
    branches = error.validator_value
    if all("required" in branch and "type" not in branch for branch in branches):
        names = [name for branch in branches for name in branch["required"]]
        if not isinstance(error.instance, dict):
            return  # That it is no mapping is told by another error.
        if error.context:
            yield steps, f"needs {_either(names)}"
        else:
            yield steps, f"has both {' and '.join(names)}; keep one"
        return
    of_kind = {
        index: [part for part in error.context if part.relative_schema_path[0] == index]
        for index in range(len(branches))
    }
    for parts in of_kind.values():
        if not any(part.validator == "type" and not part.relative_path for part in parts):
            for part in parts:
                yield from _told(part, (*steps, *part.relative_path))
            return
    kinds: list[str] = []
    for branch in branches:
        named = branch["type"]
        kinds += [named] if isinstance(named, str) else named
    words = dict.fromkeys(_KINDS[kind] for kind in kinds if kind != "null")
    yield steps, f"needs {_either(words)}, not {shown(error.instance)}"


def _unknown_key(key: str, known: Iterable[str], steps: Steps) -> str:
    if not steps and "cases" in known and key in SUITE_SHAPE["$defs"]["case"]["properties"]:
        return "is a key of a case, not of the suite; put it into a case, indented like its id"
    near = nearest(key, known)
    if not near.startswith("did") and "extensions" in known:
        near = "put what passhat does not read under extensions"
    return f"unknown key, {near}"


def _missing_key(name: str) -> str:
    if name == "id":
        return "has no id"
    if name == "cases":
        return "has no cases"
    return f"needs a {name}"


def _too_few(steps: Steps, value: list[Any], wanted: int) -> str:
    if steps == ("cases",):
        return "has no cases; a suite without cases tests nothing"
    if not value:
        return "is empty"
    return f"has {len(value)} item{'' if len(value) == 1 else 's'}; at least {wanted} are needed"


def _foreign_mode(word: Any) -> str:
    """Which of our modes a framework's word for one is; empty where no framework has the word."""
    from passhat.match.dialects import dialect_modes, translation

    ours: dict[str, dict[str, None]] = {}
    for dialect, mode, args in dialect_modes():
        if mode.name == word and args == "exact":
            found = translation(dialect, mode.name)
            said = f"{'' if found.same else 'nearest to '}our {found.nearest.mode}"
            ours.setdefault(said, {})[dialect.name] = None
    if not ours:
        return ""
    told = ", ".join(f"in {' and '.join(names)} that is {said}" for said, names in ours.items())
    return f": {told}; see `passhat explain {word}`"


def nearest(word: Any, known: Iterable[Any]) -> str:
    """The known word that was meant, as a question; all of them where none is near."""
    words = list(dict.fromkeys(map(str, known)))
    near = get_close_matches(str(word), words, 1)
    meant = _MEANT.get(str(word))
    if meant in words and not get_close_matches(str(word), near, 1, _A_LETTER_OFF):
        near = [meant]
    if near:
        return f"did you mean {near[0]}?"
    more = f" and {len(words) - _MANY} more" if len(words) > _MANY else ""
    return f"there are {', '.join(words[:_MANY])}{more}" if words else "there are none"


def shown(value: Any) -> str:
    """A value as a fault names it: short, and its kind where it is long."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return repr(value) if len(value) <= 60 else f"{value[:57]!r}..."
    return repr(value)


def _holds_more(value: Any) -> bool:
    return value is None or isinstance(value, dict | list)


def _either(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
