"""States that are files: named from where the suite goes, or put into the cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from passhat.adapter import FidelityKind
from passhat.case import Suite
from passhat.convert.ledger import FieldNote
from passhat.state import snapshot

_STAND_IN = "passhat:file"


def placed(suite: Suite, folder: Path | None) -> tuple[Suite, list[FieldNote]]:
    """The suite with its states as they are to be written, and what became of those that are files.

    A file inside the folder is named relative to it; what lies elsewhere is put into the case.

    Args:
        suite: The suite.
        folder: The folder that it is written to; None where it is written to no file.

    Raises:
        InputError: A file that is to be put into a case cannot be read.
    """
    notes: list[FieldNote] = []
    read: dict[Path, tuple[Any, FidelityKind, str]] = {}

    def put(state: Any, case: str | None) -> Any:
        if not isinstance(state, str) or not Path(state).is_absolute():
            return state
        path = Path(state).resolve()
        if folder is not None and path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
        if path not in read:
            read[path] = _held_by(path)
        value, kind, told = read[path]
        name = "defaults" if case is None else "initial_state"
        notes.append(FieldNote(case, name, kind, told))
        return value

    defaults = dict(suite.defaults)
    inherited = defaults.get("initial_state")
    if "initial_state" in defaults:
        defaults["initial_state"] = put(inherited, None)
    cases = tuple(
        replace(case, initial_state=defaults["initial_state"])
        if isinstance(inherited, str) and case.initial_state == inherited
        else replace(case, initial_state=put(case.initial_state, case.id))
        if isinstance(case.initial_state, str)
        else case
        for case in suite.cases
    )
    return _changed(suite, cases, defaults), notes


def _held_by(path: Path) -> tuple[Any, FidelityKind, str]:
    """The state that a file holds, and what becomes of it in a case, in words too."""
    taken = snapshot(path)
    left = list(taken.gaps)
    if taken.primary_keys:
        left.append("the keys that it names are not said")
    told = f"{path.name} lies in another folder: what it holds stands in the case"
    return taken.value, "approximated" if left else "translated", "; ".join([told, *left])


def stood_in(suite: Suite) -> Suite:
    """The suite with a stand-in for each state that is a file: a draft does not lie beside it."""

    def stand_in(state: Any) -> Any:
        return {_STAND_IN: state} if isinstance(state, str) else state

    cases = tuple(
        replace(case, initial_state=stand_in(case.initial_state))
        if isinstance(case.initial_state, str)
        else case
        for case in suite.cases
    )
    defaults = dict(suite.defaults)
    if "initial_state" in defaults:
        defaults["initial_state"] = stand_in(defaults["initial_state"])
    return _changed(suite, cases, defaults)


def _changed(suite: Suite, cases: tuple[Any, ...], defaults: dict[str, Any]) -> Suite:
    same = all(one is other for one, other in zip(cases, suite.cases, strict=True))
    if same and defaults == dict(suite.defaults):
        return suite
    return replace(suite, cases=cases, defaults=defaults)
