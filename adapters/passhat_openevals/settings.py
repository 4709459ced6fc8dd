"""The settings of their trajectory match evaluators, and what they are in our words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from passhat.adapter import FidelityNote
from passhat.case import ExpectedCall, Mode
from passhat.errors import UsageError
from passhat.match.dialects import Ours, differences, find_dialect, translation

MODES = ("strict", "unordered", "subset", "superset")
ARGS = ("exact", "ignore", "subset", "superset")
LIBRARIES = ("openevals", "agentevals")
KEYS = ("trajectory_match_mode", "tool_args_match_mode", "tool_args_match_overrides")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a trajectory match evaluator.

    Attributes:
        trajectory_match_mode: `strict`, `unordered`, `subset` or `superset`.
        tool_args_match_mode: How arguments compare: `exact`, `ignore`, `subset` or `superset`.
        tool_args_match_overrides: Per tool: one of these, or a list of the keys (dotted where
            nested) that are to be equal.
        library: Whose evaluator it is: `openevals` or `agentevals`.

    >>> Settings("superset").kwargs
    {'trajectory_match_mode': 'superset', 'tool_args_match_mode': 'exact'}
    """

    trajectory_match_mode: str = "strict"
    tool_args_match_mode: str = "exact"
    tool_args_match_overrides: Mapping[str, str | list[str]] = field(default_factory=dict)
    library: str = "openevals"

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Settings:
        """The settings that a mapping states, with their defaults for the others.

        Raises:
            UsageError: A key or a value is none of theirs; the nearest is named.

        >>> Settings.of({"trajectory_match_mode": "supersett"})
        Traceback (most recent call last):
        passhat.errors.UsageError: trajectory_match_mode is one of strict, unordered, subset, superset, not 'supersett'
        """
        for key in value:
            if key not in (*KEYS, "library"):
                near = get_close_matches(str(key), KEYS, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KEYS)}"
                raise UsageError(f"unknown evaluator setting {key!r}, {hint}")
        given = {key: item for key, item in value.items() if item is not None}
        made = cls(**given)
        _one_of("trajectory_match_mode", made.trajectory_match_mode, MODES)
        _one_of("tool_args_match_mode", made.tool_args_match_mode, ARGS)
        _one_of("library", made.library, LIBRARIES)
        if not isinstance(made.tool_args_match_overrides, Mapping):
            raise UsageError("tool_args_match_overrides is a mapping of tools to how they compare")
        for tool, way in made.tool_args_match_overrides.items():
            if isinstance(way, list) and all(isinstance(one, str) for one in way):
                continue
            if callable(way):
                raise UsageError(
                    f"tool_args_match_overrides: {tool} compares by code, which no file holds"
                )
            _one_of(f"tool_args_match_overrides: {tool}", way, ARGS)
        return made

    @property
    def kwargs(self) -> dict[str, Any]:
        """The settings as their `create_trajectory_match_evaluator` takes them."""
        made: dict[str, Any] = {
            "trajectory_match_mode": self.trajectory_match_mode,
            "tool_args_match_mode": self.tool_args_match_mode,
        }
        if self.tool_args_match_overrides:
            made["tool_args_match_overrides"] = dict(self.tool_args_match_overrides)
        return made

    @property
    def ours(self) -> Ours:
        """The one of our modes that comes closest, overrides apart."""
        dialect = find_dialect(self.library)
        return translation(dialect, self.trajectory_match_mode, self.tool_args_match_mode).nearest

    @property
    def mode(self) -> Mode:
        """The mode of ours that comes closest."""
        return self.ours.mode

    def expected_call(self, name: str, args: dict[str, Any]) -> ExpectedCall:
        """An expected call of a reference, compared as the settings say."""
        way = self.tool_args_match_overrides.get(name, self.tool_args_match_mode)
        if isinstance(way, list):
            return ExpectedCall(name, {key: args[key] for key in way if key in args})
        dialect = find_dialect(self.library)
        asked = translation(dialect, self.trajectory_match_mode, way).nearest.args
        if asked == "ignore":
            return ExpectedCall(name)
        return ExpectedCall(name, args, extra_args="forbid" if asked == "equal" else "allow")

    def notes(self, case: str, tools: Mapping[str, list[dict[str, Any]]]) -> list[FidelityNote]:
        """What became of each setting.

        Args:
            case: The case's id.
            tools: The tools that the reference calls, with the arguments of each call.
        """
        made: list[FidelityNote] = []
        ways = self.tool_args_match_overrides
        if not tools or any(tool not in ways for tool in tools):
            made.append(
                self._note(f"{case}: {KEYS[0]}", self.tool_args_match_mode, called=bool(tools))
            )
        for tool in tools:
            if tool not in ways:
                continue
            what = f"{case}: {KEYS[2]}.{tool}"
            way = ways[tool]
            made.append(
                self._listed(what, way, tools[tool])
                if isinstance(way, list)
                else self._note(what, way)
            )
        unused = [tool for tool in ways if tool not in tools]
        made += [
            FidelityNote(f"{case}: {KEYS[2]}.{tool}", "carried", "the reference never calls it")
            for tool in unused
        ]
        return made

    def _note(self, what: str, args: str, called: bool = True) -> FidelityNote:
        mode = self.trajectory_match_mode
        dialect = find_dialect(self.library)
        found = translation(dialect, mode, args)
        said = f"{self.library} {mode}, arguments {args}"
        if not called and found.nearest.mode == "superset":
            return FidelityNote(
                what,
                "approximated",
                f"{said} became {found.nearest}: where no call is expected, theirs pass every run, "
                "and we have nothing to judge",
                "actual [], expected []: theirs True, ours not evaluated",
            )
        if found.same:
            but = f"; it differs in: {', '.join(found.but)}" if found.but else ""
            return FidelityNote(what, "translated", f"{said} is {found.nearest}{but}{_roles(mode)}")
        shown = next((one for one in differences(dialect.id, mode, args) if not one.limit), None)
        return FidelityNote(
            what,
            "approximated",
            f"{said} became {found.nearest}: theirs {found.why}",
            str(shown) if shown else "",
        )

    def _listed(self, what: str, keys: list[str], args: list[dict[str, Any]]) -> FidelityNote:
        odd = [key for key in keys if any(key not in one for one in args)]
        if not odd:
            return FidelityNote(what, "translated", f"only {', '.join(keys)} must match")
        run = f"actual [call({odd[0]}=1)], expected [call()]: theirs False, ours True"
        return FidelityNote(
            what,
            "approximated",
            f"{', '.join(odd)} is not compared: the reference has it not, or nested",
            run,
        )


def _roles(mode: str) -> str:
    if mode != "strict":
        return ""
    return "; it also compares the number and the roles of all messages, which we do not"


def _one_of(what: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{what} is one of {', '.join(known)}, not {value!r}")
