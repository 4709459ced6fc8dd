"""YAML, read as JSON types only.

What is written plain is null (`null`, `~`, nothing), true or false, a number as JSON writes it, or
else text: `no`, `2024-05-20`, `12:30`, `0o17`, `1_000` and `007` are text. Aliases, anchors, tags,
merge keys and a second document are faults, as are keys that stand twice.

As with JSON, what is right is read at once, and all else by a second reader that says where.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
import yaml

from passhat.errors import SuiteError
from passhat.suitefile.building import MAX_DEPTH, MAX_DIGITS, Builder
from passhat.suitefile.document import Document, Steps

_PLAIN: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(\.[0-9]+)?|(\.[0-9]+))([eE][+-]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBERS_BEGIN = frozenset("-+.0123456789")

_NODES: dict[type, Any] = {
    yaml.ScalarEvent: None,
    yaml.AliasEvent: None,
    yaml.MappingStartEvent: dict,
    yaml.SequenceStartEvent: list,
}
_ENDS = frozenset({yaml.MappingEndEvent, yaml.SequenceEndEvent})

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str, document: Document) -> None:
    """Fills the document with the value that the text writes.

    Raises:
        SuiteError: The text is no YAML, or is nested too deep.
    """
    try:
        document.value = _read_at_once(text)
    except (ValueError, yaml.YAMLError):
        _read(text, document)
    else:
        document.read_lines_later(lambda lines: _read(text, Document(_lines=lines)))


def _read_at_once(text: str) -> Any:
    """The value that a text writes in which nothing is wrong.

    Raises:
        ValueError: Something is wrong with it.
        yaml.YAMLError: It is no YAML.
    """
    documents: list[Any] = []
    here: Any = documents
    around: list[Any] = []
    key: str | None = None
    event: Any
    for event in yaml.parse(text, Loader=_Loader):
        kind = type(event)
        if kind in _ENDS:
            here = around.pop()
            continue
        if kind not in _NODES:
            continue
        if event.anchor is not None or event.tag is not None:  # An alias has an anchor too.
            raise ValueError
        scalar, mapping = kind is yaml.ScalarEvent, type(here) is dict
        if mapping and key is None:
            if not scalar or event.value in here or event.value == "<<":
                raise ValueError
            key = event.value
            continue
        value, fault = _scalar(event) if scalar else (_NODES[kind](), None)
        if fault:
            raise ValueError
        if mapping:
            here[key] = value
            key = None
        else:
            here.append(value)
        if not scalar:
            if len(around) >= MAX_DEPTH:
                raise ValueError
            around.append(here)
            here = value
    if len(documents) > 1:
        raise ValueError
    if "\\u" in text or "\\U" in text:
        msgspec.json.encode(documents)  # Which no half of a surrogate pair can be.
    return documents[0] if documents else None


def _read(text: str, document: Document) -> None:
    """Fills the document, its lines and its faults with what a text writes.

    Raises:
        SuiteError: The text is no YAML, or is nested too deep.
    """
    builder = Builder(document)
    documents = 0
    events = yaml.parse(text, Loader=_Loader)
    while True:
        try:
            event = next(events, None)
        except yaml.MarkedYAMLError as error:
            raise _stop(document, error, text) from error
        except yaml.YAMLError as error:
            raise document.stop(f"not YAML: {_one_line(error)}") from error
        if event is None:
            break
        line = event.start_mark.line + 1 if event.start_mark else None
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents == 2:
                document.fault((), "a second document; a suite file holds one", line)
                break
        elif isinstance(event, yaml.NodeEvent):
            _node(builder, event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            builder.end()
    document.value = builder.value


_HINTS = {
    "mapping values are not allowed": 'a text with ": " in it is written in quotes; or the line is '
    "indented too far",
    "did not find expected key": "the keys of a mapping are indented alike, and a text with quotes or "
    "signs in it is written in quotes",
    "alphabetic or numeric": "a text that begins with * or & is written in quotes",
}


def _hint(said: str, line: str) -> str:
    """What to do about what libyaml or PyYAML says."""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "; indent with spaces, not with tabs"
    if "cannot start any token" in said:
        return "; a text that begins with @, ` or % is written in quotes"
    return next((f"; {hint}" for begin, hint in _HINTS.items() if begin in said), "")


def _stop(document: Document, error: yaml.MarkedYAMLError, text: str) -> SuiteError:
    said = str(error.problem or error)
    if "nesting depth" in said:
        return document.stop(f"nested deeper than {MAX_DEPTH} levels")
    mark, begun = error.problem_mark, error.context_mark
    if mark is not None and begun is not None and begun.line != mark.line:
        said += f" (in what begins on line {begun.line + 1})"
    lines = text.splitlines()
    said += _hint(said, lines[mark.line] if mark is not None and mark.line < len(lines) else "")
    return document.stop(f"not YAML: {said}", mark.line + 1 if mark is not None else None)


def _node(builder: Builder, event: yaml.NodeEvent, line: int | None) -> None:
    if builder.wants_key:
        _key(builder, event, line)
        return
    if isinstance(event, yaml.ScalarEvent):
        value, fault = _scalar(event)
        steps = builder.scalar(value, line)
        if fault:
            builder.document.spoil(steps, fault, line)
    elif isinstance(event, yaml.MappingStartEvent):
        steps = builder.begin({}, line)
    elif isinstance(event, yaml.SequenceStartEvent):
        steps = builder.begin([], line)
    else:
        steps = builder.scalar(None, line)
        said = f"an alias (*{event.anchor}) is not read; write the value out"
        builder.document.spoil(steps, said, line)
        return
    _unread(builder, event, steps, line)


def _key(builder: Builder, event: yaml.NodeEvent, line: int | None) -> None:
    if not isinstance(event, yaml.ScalarEvent):
        raise builder.document.stop(
            "a key is text, not a list, a mapping or an alias; a text that begins with { or [ is written in quotes",
            line,
        )
    name = event.value
    builder.key(name, line)
    steps = (*builder.way[:-1], name)
    if name == "<<" and not event.style:
        builder.document.spoil(steps, "a merge key (<<) is not read; write the keys out", line)
    _unread(builder, event, steps, line)


def _unread(builder: Builder, event: Any, steps: Steps, line: int | None) -> None:
    if event.anchor is not None:
        said = f"an anchor (&{event.anchor}) is not read; leave it out"
        builder.document.fault(steps, said, line)
    if event.tag is not None:
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        said = f"a tag ({tag}) is not read; leave it out"
        builder.document.spoil(steps, said, line)


def _scalar(event: yaml.ScalarEvent) -> tuple[Any, str | None]:
    """The JSON value of a scalar, and why it has none."""
    text: str = event.value
    if event.style:
        return text, None
    if text in _PLAIN:
        return _PLAIN[text], None
    return plain_number(text)


def plain_number(text: str) -> tuple[Any, str | None]:
    """The number that a text writes, else the text; and why it is neither."""
    if text[:1] not in _NUMBERS_BEGIN:
        return text, None
    found = NUMBER.fullmatch(text)
    if found is None:
        return text, "JSON has no such number" if _NO_NUMBER.fullmatch(text) else None
    if not any(found.groups()):
        if len(text) > MAX_DIGITS:
            return None, f"a number of {len(text)} digits"
        return int(text), None
    value = float(text)
    return value, None if abs(value) != float("inf") else f"{text} is beyond the numbers there are"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
