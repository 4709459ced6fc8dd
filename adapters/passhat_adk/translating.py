"""Which criterion of ADK's own means the same as what a suite expects, by the table of dialects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from passhat.case import Case, ExpectedCall, ExpectedEntry, Suite, Turn
from passhat.grading.catalogue import brought
from passhat.grading.planning import turn_case
from passhat.match.dialects import (
    Ours,
    Translation,
    equivalents,
    find_dialect,
    parted,
    translation,
)
from passhat_adk.criteria import DIALECT, TRAJECTORY


@dataclass(frozen=True, slots=True)
class Native:
    """A configuration with a criterion of ADK's own.

    Attributes:
        config: The configuration.
        said: What it means, for the report.
    """

    config: dict[str, Any]
    said: str


def native_config(suite: Suite) -> Native | None:
    """The configuration whose criterion judges every case as the suite does; None if none does.

    A criterion speaks of a whole eval set, so all cases have to mean the same mode, and nothing
    but calls may be expected.

    >>> call = ExpectedCall("f", {"x": "a"}, extra_args="forbid")
    >>> found = native_config(Suite("s", (Case("a", "hi", expected_calls=[call], mode="superset"),)))
    >>> found.config["criteria"]["tool_trajectory_avg_score"]["match_type"]
    'ANY_ORDER'
    """
    for (dialect, mode, args), ours in equivalents.items():
        if dialect != DIALECT or ours is None:
            continue
        theirs = translation(find_dialect(DIALECT), mode, args)
        if suite.cases and all(_says(case, theirs) for case in suite.cases):
            criterion: dict[str, Any] = {"threshold": 1.0, "match_type": mode.upper()}
            if args == "ignore":
                criterion["ignore_args"] = True
            ignored = ", ignore_args" if args == "ignore" else ""
            said = f"{TRAJECTORY} {mode.upper()}{ignored} is {ours}"
            return Native({"criteria": {TRAJECTORY: criterion}}, said)
    return None


def _says(case: Case, theirs: Translation) -> bool:
    """Whether a case asks for calls in that mode and for nothing else."""
    stated: tuple[Case | Turn, ...] = (case, *(case.turns or ()))
    if any(set(brought(one)) - {"trajectory"} or one.checks for one in stated):
        return False
    if case.match or case.optional_calls or case.counts is False or case.nested == "include":
        return False
    if case.scenario is not None or (case.turns and case.expected_calls is not None):
        return False
    judged: tuple[Case, ...] = tuple(turn_case(case, turn) for turn in case.turns or ()) or (case,)
    if any(parted(one, theirs) for one in judged):
        return False
    ours = theirs.nearest
    if ours.mode == "exact":
        return all(_asks(one, ours) for one in judged)
    asked = [one for one in judged if one.expected_calls is not None]
    # Where a turn expects no call, ADK passes whatever it calls, and we have nothing to judge.
    return bool(asked) and all(one.expected_calls and _asks(one, ours) for one in asked)


def _asks(case: Case, ours: Ours) -> bool:
    if case.expected_calls is None or case.effective_mode != ours.mode or case.optional_calls:
        return False
    return all(_compares(entry, ours) for entry in case.expected_calls)


def _compares(entry: ExpectedEntry, ours: Ours) -> bool:
    if isinstance(entry, ExpectedCall):
        return not entry.optional and not entry.match and _style(entry) == ours.args
    return ours.mode == "superset" and all(_compares(call, ours) for call in entry)


def _style(call: ExpectedCall) -> str:
    if call.args is None:
        return "ignore" if call.extra_args == "allow" else ""
    return "equal" if call.extra_args == "forbid" else "contains"
