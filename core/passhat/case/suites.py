"""A suite: named cases, the tools they may use, and what applies to all of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from msgspec import Struct, field
from msgspec.structs import force_setattr, replace

from passhat.case.cases import Case
from passhat.errors import UsageError

SUITE_SCHEMA = "passhat.suite/1"


class Suite(
    Struct,
    frozen=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    forbid_unknown_fields=True,
    dict=True,
):
    """Named cases, the tools they may use, and what applies to all.

    What the suite says of all cases (`tools`, `writes`, `defaults`, `checks`) is put into each
    case that does not say otherwise, so that a case alone is enough to grade a trace.

    Attributes:
        name: The suite's name.
        cases: The cases, each complete.
        tools: The tools: name to JSON Schema of the arguments.
        writes: The tools that change the world.
        defaults: Case keys for every case that does not state them.
        checks: Options of checks by key for every case.
        metadata: Anything else about the suite.
        extensions: Keys of other tools, carried along unread.

    >>> suite = Suite("s", [Case("a"), Case("b", mode="exact")], defaults={"mode": "in_order"})
    >>> [case.mode for case in suite.cases]
    ['in_order', 'exact']
    """

    name: str
    cases: tuple[Case, ...] = ()
    tools: dict[str, dict[str, Any]] | None = None
    writes: tuple[str, ...] | None = None
    defaults: dict[str, Any] = field(default_factory=dict)
    checks: dict[str, dict[str, Any]] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    extensions: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.writes, list):
            force_setattr(self, "writes", tuple(self.writes))
        for name in self.defaults:
            if name == "id" or name not in Case.__struct_fields__:
                raise UsageError(f"defaults are keys of a case, and {name!r} is none")
        cases = tuple(self.cases)
        if self.defaults or self.checks or self.tools is not None or self.writes is not None:
            cases = tuple(map(self._completed, cases))
        force_setattr(self, "cases", cases)

    def _completed(self, case: Case) -> Case:
        given: dict[str, Any] = {
            name: value for name, value in self.defaults.items() if _unstated(case, name)
        }
        if case.expected_calls == ():
            # No calls with no mode means exactly none, which no default may loosen.
            given.pop("mode", None)
        if case.tools is None and self.tools is not None:
            given["tools"] = self.tools
        if case.writes is None and self.writes is not None:
            given["writes"] = self.writes
        checks = dict(self.checks)
        for level in (self.defaults.get("checks", {}), case.checks or {}):
            for key, options in level.items():
                checks[key] = {**checks.get(key, {}), **options}
        if checks:
            given["checks"] = checks
        return replace(case, **given) if given else case

    @cached_property
    def by_id(self) -> dict[str, Case]:
        """The cases by their ids."""
        return {case.id: case for case in self.cases}


def _unstated(case: Case, name: str) -> bool:
    value = getattr(case, name)
    return value is None or (name in ("tags", "metadata", "extensions") and not value)
