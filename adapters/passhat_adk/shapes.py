"""The shape that ADK asks of an eval set: what it would not load, said without ADK.

ADK takes an eval set that it cannot load for one of an older shape, and then complains of that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from passhat.recordings.shapes import kind_of
from passhat_adk.native import PART, camel

Said: TypeAlias = tuple[str, str]
"""A path, and what is wrong there."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An object of ADK's.

    Attributes:
        name: What it is called.
        fields: What may be there.
        needs: The keys that must be there.
        null: The keys that may be null.
        closed: Whether ADK refuses every other key.
        camel: Whether it takes keys in camel case too.
    """

    name: str
    fields: Mapping[str, Kind]
    needs: frozenset[str] = frozenset()
    null: frozenset[str] = frozenset()
    closed: bool = False
    camel: bool = True
    spelt: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        spelt = {name: name for name in self.fields}
        if self.camel:
            spelt |= {camel(name): name for name in self.fields}
        object.__setattr__(self, "spelt", spelt)


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of one kind."""

    of: Kind


@dataclass(frozen=True, slots=True)
class Pair:
    """A list of two: who said it, and what."""

    first: Kind
    second: Kind


@dataclass(frozen=True, slots=True)
class Either:
    """Text or an object: a persona is its id or is spelt out."""

    other: Shape


Kind: TypeAlias = "str | Shape | ListOf | Pair | Either"
_NUMBER = "a number"
_TEXT = "text"
_OBJECT = "an object"
_ANY = "anything"


def _shape(name: str, /, *, closed: bool = False, camel: bool = True, **keys: Any) -> Shape:
    """A shape from its keys: `x=_TEXT` may be absent, `x=(_TEXT, "needed")`, `x=(_TEXT, "null")`."""
    kinds = {key: kind[0] if isinstance(kind, tuple) else kind for key, kind in keys.items()}
    marks = {key: kind[1] for key, kind in keys.items() if isinstance(kind, tuple)}
    return Shape(
        name,
        kinds,
        frozenset(key for key, mark in marks.items() if mark == "needed"),
        frozenset(key for key, mark in marks.items() if mark == "null"),
        closed,
        camel,
    )


_CALL = _shape(
    "function call",
    closed=True,
    name=(_TEXT, "null"),
    args=(_OBJECT, "null"),
    id=(_TEXT, "null"),
    partial_args=_ANY,
    will_continue=_ANY,
)
_RESPONSE = _shape(
    "function response",
    closed=True,
    name=(_TEXT, "null"),
    response=(_OBJECT, "null"),
    id=(_TEXT, "null"),
    parts=_ANY,
    scheduling=_ANY,
    will_continue=_ANY,
)
_OTHERS: dict[str, Any] = dict.fromkeys(
    sorted(PART - {"text", "function_call", "function_response"}), _ANY
)
_PART = _shape(
    "part",
    closed=True,
    text=(_TEXT, "null"),
    function_call=(_CALL, "null"),
    function_response=(_RESPONSE, "null"),
    **_OTHERS,
)
_CONTENT = _shape("content", closed=True, parts=(ListOf(_PART), "null"), role=(_TEXT, "null"))
_RUBRIC = _shape(
    "rubric",
    closed=True,
    rubric_id=(_TEXT, "needed"),
    rubric_content=(
        _shape("rubric_content", closed=True, text_property=(_TEXT, "null")),
        "needed",
    ),
    description=(_TEXT, "null"),
    type=(_TEXT, "null"),
)
_FLAT = _shape(
    "intermediate_data",
    closed=True,
    tool_uses=ListOf(_CALL),
    tool_responses=ListOf(_RESPONSE),
    intermediate_responses=ListOf(Pair(_TEXT, ListOf(_PART))),
)
_EVENTS = _shape(
    "intermediate_data",
    closed=True,
    invocation_events=ListOf(
        _shape("invocation event", author=(_TEXT, "needed"), content=(_CONTENT, "null"))
    ),
)
_INVOCATION = _shape(
    "invocation",
    closed=True,
    invocation_id=_TEXT,
    user_content=(_CONTENT, "needed"),
    final_response=(_CONTENT, "null"),
    intermediate_data=(_FLAT, "null"),
    creation_timestamp=_NUMBER,
    duration=(_NUMBER, "null"),
    model_duration=(_NUMBER, "null"),
    tool_duration=(_NUMBER, "null"),
    rubrics=(ListOf(_RUBRIC), "null"),
    app_details=(_OBJECT, "null"),
)
_BEHAVIOR = _shape(
    "behavior",
    camel=False,
    name=(_TEXT, "needed"),
    description=(_TEXT, "needed"),
    behavior_instructions=(ListOf(_TEXT), "needed"),
    violation_rubrics=(ListOf(_TEXT), "needed"),
)
_PERSONA = _shape(
    "persona",
    camel=False,
    id=(_TEXT, "needed"),
    description=(_TEXT, "needed"),
    behaviors=(ListOf(_BEHAVIOR), "needed"),
)
_SCENARIO = _shape(
    "conversation_scenario",
    closed=True,
    starting_prompt=(_TEXT, "needed"),
    conversation_plan=(_TEXT, "needed"),
    user_persona=(Either(_PERSONA), "null"),
)
_SESSION = _shape(
    "session_input",
    app_name=(_TEXT, "needed"),
    user_id=(_TEXT, "needed"),
    session_id=(_TEXT, "null"),
    state=_OBJECT,
)
_CASE = _shape(
    "eval case",
    eval_id=(_TEXT, "needed"),
    conversation=(ListOf(_INVOCATION), "null"),
    conversation_scenario=(_SCENARIO, "null"),
    session_input=(_SESSION, "null"),
    creation_timestamp=_NUMBER,
    rubrics=(ListOf(_RUBRIC), "null"),
    final_session_state=(_OBJECT, "null"),
)
_SET = _shape(
    "eval set",
    camel=False,
    eval_set_id=(_TEXT, "needed"),
    name=(_TEXT, "null"),
    description=(_TEXT, "null"),
    eval_cases=(ListOf(_CASE), "needed"),
    creation_timestamp=_NUMBER,
)


def misshapen(evalset: Mapping[str, Any]) -> list[Said]:
    """Where an eval set has not the shape that ADK loads: the path, and what is wrong there.

    >>> misshapen({"eval_set_id": "s", "eval_cases": [{"eval_id": 7}]})
    [('$.eval_cases[0].eval_id', 'text was expected, not a number')]
    """
    return _misshapen(evalset, _SET, "$")


def misshapen_rubrics(rubrics: Any, path: str) -> list[Said]:
    """Where the rubrics of a criterion have not the shape that ADK takes.

    >>> misshapen_rubrics([{"rubric_id": "r"}], "$.rubrics")
    [('$.rubrics[0].rubric_content', 'rubric without rubric_content')]
    """
    return _misshapen(rubrics, ListOf(_RUBRIC), path)


def _misshapen(value: Any, kind: Kind, path: str) -> list[Said]:
    found: list[Said] = []
    waiting: list[tuple[Any, Kind, str]] = [(value, kind, path)]
    while waiting:
        value, kind, path = waiting.pop()
        wrong = _wrong(value, kind)
        if wrong is not None:
            found.append((path, wrong))
        elif isinstance(kind, ListOf):
            waiting += [(item, kind.of, f"{path}[{at}]") for at, item in enumerate(value)]
        elif isinstance(kind, Pair):
            waiting += [(value[0], kind.first, f"{path}[0]"), (value[1], kind.second, f"{path}[1]")]
        elif isinstance(kind, Either) and isinstance(value, dict):
            waiting.append((value, kind.other, path))
        elif isinstance(kind, Shape):
            if kind is _FLAT and {"invocation_events", "invocationEvents"} & value.keys():
                kind = _EVENTS
            found += _keys(value, kind, path)
            waiting += _within(value, kind, path)
    return sorted(found)


def _wrong(value: Any, kind: Kind) -> str | None:
    """What is wrong with a value itself; None where nothing is."""
    wanted: str
    if isinstance(kind, Either):
        wanted, fits = "text or an object", isinstance(value, str | dict)
    elif isinstance(kind, ListOf):
        wanted, fits = "a list", isinstance(value, list)
    elif isinstance(kind, Pair):
        wanted, fits = "a pair [author, parts]", isinstance(value, list) and len(value) == 2
    elif isinstance(kind, Shape):
        wanted, fits = _OBJECT, isinstance(value, dict)
    elif kind == _ANY:
        return None
    elif kind == _NUMBER:
        wanted, fits = kind, isinstance(value, int | float) or _is_number(value)
    else:
        wanted, fits = kind, isinstance(value, str if kind == _TEXT else dict)
    return None if fits else f"{wanted} was expected, not {kind_of(value)}"


def _is_number(value: Any) -> bool:
    """Whether ADK reads a text as a number."""
    try:
        return isinstance(value, str) and float(value) == float(value)
    except ValueError:
        return False


def _keys(value: Mapping[str, Any], shape: Shape, path: str) -> Iterator[Said]:
    """Keys that are missing, and keys that ADK refuses."""
    there = {shape.spelt[key] for key in value if key in shape.spelt}
    for key in sorted(shape.needs - there):
        hint = f", which ADK reads as {key} only" if camel(key) in value else ""
        yield f"{path}.{key}", f"{shape.name} without {key}{hint}"
    if shape.closed:
        for key in value:
            if key not in shape.spelt:
                yield f"{path}.{key}", f"{shape.name} has no such key"


def _within(value: Mapping[str, Any], shape: Shape, path: str) -> Iterator[tuple[Any, Kind, str]]:
    for key, item in value.items():
        name = shape.spelt.get(key)
        if name is not None and not (item is None and name in shape.null):
            yield item, shape.fields[name], f"{path}.{name}"
