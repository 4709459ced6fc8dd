"""A failed run with what its checks said, and what follows from that of what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from passhat.case import Case, flat
from passhat.checks.tool_kinds import is_writing, tool_verb
from passhat.provenance.identifiers import name_parts
from passhat.result import CheckResult, TrialStatus
from passhat.trace import ToolCall, Trace
from passhat.trace.derived import derived, remembered

_HANDED_TO = frozenset({"human", "humans", "agent", "agents", "person", "operator", "support"})
_HANDING = frozenset({"transfer", "escalate", "handoff", "hand", "forward", "delegate"})
_STRICT = ("exact", "unordered", "subset")
_MANY_NAMES = 1_000


class FailedRun(Struct, frozen=True, dict=True):
    """A failed run with what its checks said."""

    trace: Trace
    case: Case
    status: TrialStatus
    results: tuple[CheckResult, ...]

    @derived
    def broken(self) -> dict[str, CheckResult]:
        """What failed, by key."""
        return {r.key: r for r in self.results if r.status == "failed"}

    def first(self, keys: tuple[str, ...], *, required: bool = False) -> CheckResult | None:
        """What the first of some checks said that failed."""
        broken = self.broken
        if broken.keys().isdisjoint(keys):
            return None
        for key in keys:
            if key in broken and (broken[key].required or not required):
                return broken[key]
        return None

    def parts(self, key: str) -> list[dict[str, Any]]:
        """The evidence of a check that failed; that of each turn that failed, where it has turns."""
        result = self.broken.get(key)
        if result is None:
            return []
        turns = result.evidence.get("turns")
        if not isinstance(turns, list):
            return [result.evidence]
        return [turn for turn in turns if turn.get("status") == "failed"]

    def listed(self, key: str, name: str) -> list[Any]:
        """A list in the evidence of a check that failed, over all its parts."""
        return [item for part in self.parts(key) for item in part.get(name) or ()]

    @derived
    def parted(self) -> tuple[list[Any], list[str], list[str]]:
        """Where the calls part from those expected: what is near, extra and missing."""
        near: list[Any] = []
        extra: list[str] = []
        missing: list[str] = []
        for part in self.parts("trajectory"):
            near += part.get("near") or ()
            extra += part.get("extra") or ()
            missing += part.get("missing") or ()
        return near, extra, missing

    @property
    def near(self) -> list[Any]:
        """The arguments in which calls differ from those expected of the same tool."""
        return self.parted[0]

    @property
    def extra(self) -> list[str]:
        """The calls that stand for nothing expected."""
        return self.parted[1]

    @derived
    def missing(self) -> list[str]:
        """The expected calls in whose place no call of that tool was made."""
        near = {item.get("tool") for item in self.near}
        missing = self.parted[2]
        return [name for name in missing if name not in near] if near else missing

    @derived
    def strayed(self) -> list[str]:
        """The calls in excess: where the mode lets no further call pass, all of them.

        Where it lets them pass and expected ones are missing, those of tools that nothing expects
        and that change something.
        """
        if not self.extra:
            return []
        wanted = {*(self.case.optional_calls or ()), *self.wanted}
        found: list[str] = []
        for part in self.parts("trajectory"):
            near = [item.get("tool") for item in part.get("near") or ()]
            extra = [name for name in part.get("extra") or () if name not in near]
            if part.get("mode") in _STRICT:
                found += extra
            elif self.missing:
                found += [name for name in extra if name not in wanted and self.acting[name]]
        return found

    @derived
    def surplus(self) -> list[str]:
        """The changes beyond those expected, where only a recorded score says that it failed.

        Every expected call was made then, and the mode lets others pass. A case that asks for
        `state_unchanged` expects no change at all.
        """
        still = "state_unchanged" in (self.case.checks or {})
        if (self.case.expected_calls is None and not still) or "trajectory" in self.broken:
            return []
        if [key for key, result in self.broken.items() if result.required] != ["recorded_score"]:
            return []
        left = Counter(self.wanted)
        optional = set(self.case.optional_calls or ())
        found = []
        for call in self.deeds:
            if left[call.name]:
                left[call.name] -= 1
            elif call.name not in optional:
                found.append(call.name)
        return found

    @derived
    def wanted(self) -> list[str]:
        """The tools of the expected calls, one for each call."""
        return [call.name for call in flat(self.case.expected_calls)]

    @derived
    def deeds(self) -> list[ToolCall]:
        """The calls that changed something, handing over apart."""
        acting = self.acting
        return [call for call in self.trace.calls if acting[call.name] and call.succeeded]

    @property
    def acting(self) -> Mapping[str, bool]:
        """Whether a tool is known to change something; remembered with the case."""
        return remembered(self.case, "_acting", lambda case: _Acting(case.writes))


class _Acting(dict[str, bool]):
    """Whether each tool is known to change something, by `writes` or a verb; handing over apart."""

    def __init__(self, writes: tuple[str, ...] | None) -> None:
        # Not the case itself: it keeps this, and would keep itself.
        self.case = Case("", writes=writes)

    def __missing__(self, name: str) -> bool:
        if len(self) >= _MANY_NAMES:
            self.clear()
        acts = self[name] = self._acts(name)
        return acts

    def _acts(self, name: str) -> bool:
        if self.case.writes is None and tool_verb(name) is None:
            return False
        return is_writing(name, self.case) and not hands_over(name)


@lru_cache(maxsize=1024)
def hands_over(name: str) -> bool:
    """Whether a tool hands the user over to somebody else: `transfer_to_human_agents`.

    >>> hands_over("transfer_to_human_agents"), hands_over("transfer_money")
    (True, False)
    """
    parts = set(name_parts(name))
    return bool(parts & _HANDING and parts & _HANDED_TO) or "escalate" in parts
