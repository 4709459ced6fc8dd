"""The settings of their trajectory match evaluators, and what they are in our words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from passhat.adapter import FidelityNote
from passhat.case import ExpectedCall, Mode
from passhat.errors import UsageError
from passhat.match.dialects import (
    LIMITS,
    Ours,
    Translation,
    differences,
    find_dialect,
    reached,
    shown_on,
    translation,
)

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
    def theirs(self) -> Translation:
        """What they are in our words, overrides apart."""
        dialect = find_dialect(self.library)
        return translation(dialect, self.trajectory_match_mode, self.tool_args_match_mode)

    @property
    def ours(self) -> Ours:
        """The one of our modes that comes closest, overrides apart."""
        return self.theirs.nearest

    @property
    def mode(self) -> Mode:
        """The mode of ours that comes closest."""
        return self.ours.mode

    def way(self, tool: str) -> str | list[str]:
        """How the arguments of a tool compare; their evaluators pass over an empty list of keys."""
        return self.tool_args_match_overrides.get(tool) or self.tool_args_match_mode

    def expected_call(self, name: str, args: dict[str, Any]) -> ExpectedCall:
        """An expected call of a reference, compared as the settings say."""
        way = self.way(name)
        if isinstance(way, list):
            return ExpectedCall(name, {key: args[key] for key in way if key in args})
        dialect = find_dialect(self.library)
        asked = translation(dialect, self.trajectory_match_mode, way).nearest.args
        if asked == "ignore":
            return ExpectedCall(name)
        return ExpectedCall(name, args, extra_args="forbid" if asked == "equal" else "allow")

    def reached(self, calls: Iterable[ExpectedCall]) -> list[str]:
        """The limits of the translation that a run can reach where these calls are expected."""
        found: dict[str, None] = {}
        dialect = find_dialect(self.library)
        for call in calls:
            way = self.way(call.name)
            but = translation(
                dialect, self.trajectory_match_mode, "exact" if isinstance(way, list) else way
            ).but
            found |= {limit: None for limit in but if reached((limit,), [call])}
        return list(found)

    def notes(self, case: str, tools: Mapping[str, list[dict[str, Any]]]) -> list[FidelityNote]:
        """What became of each setting.

        Args:
            case: The case's id.
            tools: The tools that the reference calls, with the arguments of each call.
        """
        ways = self.tool_args_match_overrides
        plain = [tool for tool in tools if not ways.get(tool)]
        made: list[FidelityNote] = []
        if not tools:
            made.append(self._uncalled(f"{case}: {KEYS[0]}"))
        elif plain:
            calls = [(tool, args) for tool in plain for args in tools[tool]]
            made.append(self._note(f"{case}: {KEYS[0]}", self.tool_args_match_mode, calls))
        for tool, listed in tools.items():
            what = f"{case}: {KEYS[2]}.{tool}"
            way = ways.get(tool)
            if isinstance(way, list) and way:
                made.append(self._listed(what, tool, way, listed))
            elif way:
                calls = [(tool, args) for args in listed]
                made.append(self._note(what, str(way), calls))
        unused = [tool for tool in ways if tool not in tools]
        made += [
            FidelityNote(f"{case}: {KEYS[2]}.{tool}", "carried", "the reference never calls it")
            for tool in unused
        ]
        return made

    def _uncalled(self, what: str) -> FidelityNote:
        """The note of a reference that calls nothing."""
        mode, nearest = self.trajectory_match_mode, self.theirs.nearest
        if nearest.mode == "superset":
            return FidelityNote(
                what,
                "approximated",
                f"{self.library} {mode} became {nearest}: where no call is expected, theirs pass "
                "every run, and we have nothing to judge",
                "actual [], expected []: theirs True, ours not evaluated",
            )
        return self._note(what, self.tool_args_match_mode, [])

    def _note(self, what: str, args: str, calls: list[tuple[str, dict[str, Any]]]) -> FidelityNote:
        mode = self.trajectory_match_mode
        dialect = find_dialect(self.library)
        found = translation(dialect, mode, args)
        said = f"{self.library} {mode}, arguments {args}"
        entries = [self.expected_call(*call) for call in calls]
        limits = self.reached(entries)
        parted = [LIMITS[name].told for name in limits]
        if mode == "strict":
            parted.insert(0, _ROLES)
        if not found.same:
            parted.insert(0, found.why)
        if not parted:
            return FidelityNote(what, "translated", f"{said} is {found.nearest}")
        if not found.same:
            shown = differences(dialect.id, mode, args)
            run = next((str(one) for one in shown if not one.limit), "")
        elif mode == "strict":
            run = _ROLES_RUN
        else:
            run = str(shown_on(dialect.id, mode, args, limits[0], entries))
        why = f"{said} became {found.nearest}: theirs {'; it '.join(parted)}"
        return FidelityNote(what, "approximated", why, run)

    def _listed(
        self, what: str, tool: str, keys: list[str], args: list[dict[str, Any]]
    ) -> FidelityNote:
        odd = [key for key in keys if any(key not in one for one in args)]
        if odd:
            run = f"actual [{tool}({odd[0]}=1)], expected [{tool}()]: theirs False, ours True"
            why = f"{', '.join(odd)} is not compared: the reference has it not, or nested"
            return FidelityNote(what, "approximated", why, run)
        null = next((key for key in keys if any(one[key] is None for one in args)), None)
        if null is not None and self.library == "agentevals":
            why = f"agentevals takes {null} for null where it is not there; to us it is missing"
            run = f"actual [{tool}()], expected [{tool}({null}=None)]: theirs True, ours False"
            return FidelityNote(what, "approximated", why, run)
        said = f"only {', '.join(keys)} must match"
        entries = [self.expected_call(tool, one) for one in args]
        if self.reached(entries):
            mode, limit = self.trajectory_match_mode, LIMITS["booleans"]
            run = str(shown_on(self.library, mode, "exact", "booleans", entries))
            return FidelityNote(what, "approximated", f"{said}; theirs {limit.told}", run)
        return FidelityNote(what, "translated", said)


_ROLES = "compares the number and the roles of all messages too, which a suite does not state"
_ROLES_RUN = (
    "the expected calls with one more message of the assistant between: theirs False, ours True"
)


def _one_of(what: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{what} is one of {', '.join(known)}, not {value!r}")
