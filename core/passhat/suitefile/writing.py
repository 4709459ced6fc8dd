"""Writing suites: what is read back is the suite that was written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import asdict, replace

from passhat.case import SUITE_SCHEMA, Case, ExpectedCall, Suite, Turn
from passhat.errors import Place, UsageError
from passhat.jsontext import replacing
from passhat.suitefile.building import MAX_DEPTH, not_json
from passhat.suitefile.document import path_text
from passhat.suitefile.files import SUFFIXES, Form

_UNSAID = {name: getattr(Case(""), name) for name in Case.__struct_fields__}
_TURN_UNSAID = asdict(Turn())
_CALL_UNSAID = asdict(ExpectedCall(""))


def write_suite(suite: Suite, target: str | Path) -> Path:
    """Writes a suite as YAML, JSON or JSONL, by the name of the file; others are YAML.

    What the suite says of all its cases is not said again by each. `read_suite` of the file is the
    suite again; a state that is a file must lie in the folder of the target, and is named relative
    to it.

    Args:
        suite: The suite, with at least one case.
        target: The file, replaced if it is there; `-` is standard output.

    Returns:
        The file.

    Raises:
        UsageError: The suite has no cases, two of the same id, something that a file cannot hold (a
            callable, a NaN, a state outside the folder), or the file cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> from passhat.suitefile.reading import read_suite
    >>> suite = Suite("s", [Case("capital", "Of France?", response={"includes": ["Paris"]})])
    >>> with TemporaryDirectory() as folder:
    ...     read_suite(write_suite(suite, Path(folder) / "suite.yaml")) == suite
    True
    """
    path = Path(target)
    form = SUFFIXES.get(path.suffix.lower(), "yaml")
    data = _text(suite_value(suite, path.parent), form).encode()
    with replacing(path) as file:
        file.write(data)
    return path


def suite_value(suite: Suite, folder: Path | None = None) -> dict[str, Any]:
    """The suite as JSON values: what `suite_from` reads back.

    Args:
        suite: The suite.
        folder: The folder that paths are written relative to; None leaves them as they are.

    Raises:
        UsageError: The suite has something that a file cannot hold.

    >>> suite_value(Suite("s", [Case("a", mode="exact")], defaults={"mode": "exact"}))["cases"]
    [{'id': 'a'}]
    """
    ids = [case.id for case in suite.cases]
    if not ids:
        raise UsageError("a suite without cases tests nothing, and is not written")
    first: dict[str, int] = {}
    for index, name in enumerate(ids):
        if not name:
            raise UsageError("a case without an id is not written", _at(index))
        if first.setdefault(name, index) < index:
            raise UsageError(f"{name!r} is the id of cases[{first[name]}] too", _at(index))
    value: dict[str, Any] = {"schema": SUITE_SCHEMA, "name": suite.name}
    for key in ("metadata", "tools", "writes", "defaults", "checks", "extensions"):
        stated = getattr(suite, key)
        if stated or (stated is not None and key in ("tools", "writes")):
            value[key] = _plain(stated)
    bare = Suite("", (Case(""),), suite.tools, suite.writes, suite.defaults, suite.checks).cases[0]
    # No calls expected is said together with the mode, which then no default gives.
    idle = replace(bare, expected_calls=None, mode=None)
    value["cases"] = [_case(c, idle if c.expected_calls == () else bare) for c in suite.cases]
    if folder is not None:
        for stated in (value.get("defaults", {}), *value["cases"]):
            _relative(stated, folder.resolve())
    _refuse_what_is_no_json(value)
    return value


def _at(index: int) -> Place:
    return Place(path=path_text(("cases", index)))


def _case(case: Case, bare: Case) -> dict[str, Any]:
    """What a case says that a bare case of its suite does not."""
    value: dict[str, Any] = {}
    for name in Case.__struct_fields__:
        stated, given = getattr(case, name), getattr(bare, name)
        if name == "checks":
            held = given or {}
            own = {
                key: options for key, options in (stated or {}).items() if held.get(key) != options
            }
            if own or (stated is not None and given is None):
                value[name] = _plain(own)
        elif name == "id" or (stated != given and stated != _UNSAID[name]):
            value[name] = _plain(stated)
    return value


def _plain(value: Any) -> Any:
    """A value with its structs and tuples as what a file has for them."""
    if isinstance(value, ExpectedCall):
        said = {k: v for k, v in asdict(value).items() if v != _CALL_UNSAID[k] or k == "name"}
        return value.name if len(said) == 1 else said
    if isinstance(value, Turn):
        said = {k: v for k, v in asdict(value).items() if v != _TURN_UNSAID[k]}
        return {key: _plain(part) for key, part in said.items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value


def _relative(stated: dict[str, Any], folder: Path) -> None:
    state = stated.get("initial_state")
    if isinstance(state, str) and Path(state).is_absolute():
        path = Path(state).resolve()
        if not path.is_relative_to(folder):
            raise UsageError(
                f"the initial state {state!r} lies outside of the folder that the suite is written "
                "to; copy it beside the suite"
            )
        stated["initial_state"] = path.relative_to(folder).as_posix()


def _refuse_what_is_no_json(value: Any) -> None:
    todo: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while todo:
        steps, item = todo.pop()
        if len(steps) > MAX_DEPTH:
            place = Place(path=path_text(steps[:4]))
            raise UsageError(f"nested deeper than {MAX_DEPTH} levels", place)
        if isinstance(item, Mapping):
            for key, part in item.items():
                if not isinstance(key, str):
                    raise UsageError(f"a key is text, not {key!r}", Place(path=path_text(steps)))
                todo.append(((*steps, key), part))
        elif isinstance(item, list | tuple):
            todo.extend(((*steps, index), part) for index, part in enumerate(item))
        else:
            why = not_json(item)
            if why:
                raise UsageError(
                    f"a suite file cannot hold it: {why}", Place(path=path_text(steps))
                )


def _text(value: dict[str, Any], form: Form) -> str:
    if form == "json":
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    if form == "jsonl":
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in _rows(value))
    from passhat.suitefile.yamlwriter import yaml_text

    return yaml_text(value)


def _rows(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {key: part for key, part in value.items() if key != "cases"}
    yield from value["cases"]
