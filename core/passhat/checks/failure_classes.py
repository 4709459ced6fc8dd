"""How a failed run failed: one class by rule, told from what its checks said and what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from passhat.case import Case
from passhat.checks.declining import DECLINING, declines
from passhat.checks.tool_kinds import is_writing, tool_verb
from passhat.provenance.identifiers import name_parts
from passhat.result import CheckResult, Failure, TrialStatus
from passhat.trace import ToolCall, Trace
from passhat.trace.derived import derived

_LONGEST = 400
_HANDED_TO = frozenset({"human", "humans", "agent", "agents", "person", "operator", "support"})
_HANDING = frozenset({"transfer", "escalate", "handoff", "hand", "forward", "delegate"})
_STRICT = ("exact", "unordered", "subset")

_VIOLATIONS = (
    "injection",
    "forbidden_calls",
    "policies",
    "approval",
    "precedence",
    "clarification",
    "state_unchanged",
)
_MADE_UP = ("provenance", "guessed_arguments")
_CLAIMS = ("claimed_action", "false_success", "claimed_calls")
_ARGUMENTS = ("argument_accuracy", "call_exact", "schema_valid")
_WRONG_CALLS = ("unknown_tools", "no_calls")
_WRONG_TOOLS = ("tool_selection", "tool_call_f1")
_GOALS = ("turns", "success_check", "partial_credit")
_UNDONE = ("final_state", "success_check", "partial_credit", "recorded_score")
_TOO_MUCH = ("retry_budget", "duplicate_calls", "unnecessary_calls", "error_rate")


@dataclass(frozen=True)
class _Failed:
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
    def near(self) -> list[Any]:
        """The arguments in which calls differ from those expected of the same tool."""
        return self.listed("trajectory", "near")

    @derived
    def extra(self) -> list[str]:
        """The calls that stand for nothing expected."""
        return self.listed("trajectory", "extra")

    @derived
    def missing(self) -> list[str]:
        """The expected calls in whose place no call of that tool was made."""
        missing = self.listed("trajectory", "missing")
        near = {item.get("tool") for item in self.near}
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
                found += [n for n in extra if n not in wanted and _acts(n, self.case)]
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
        groups = (
            entry if isinstance(entry, tuple) else (entry,)
            for entry in self.case.expected_calls or ()
        )
        return [call.name for group in groups for call in group]

    @derived
    def deeds(self) -> list[ToolCall]:
        """The calls that changed something, handing over apart."""
        return [c for c in self.trace.calls if _acts(c.name, self.case) and c.succeeded]


def classify(
    trace: Trace, case: Case, status: TrialStatus, results: tuple[CheckResult, ...]
) -> tuple[str, Failure]:
    """The class of a failed run, with why.

    The first class of `passhat.result.FAILURE_CLASSES` whose rule holds; but a run that ended at a
    limit while it repeated itself has `looped`. Checks that only inform tell as well as required
    ones, but for those that run on every trace to measure (`tool_selection`, `argument_accuracy`,
    `error_rate`, ...).

    Args:
        trace: What happened.
        case: What was expected.
        status: `failed` or `agent_error`.
        results: What each check said.

    >>> trace = Trace("t", steps=(ToolCall("lookup", result="ok"),))
    >>> result = CheckResult.of("forbidden_calls", False, "forbidden: lookup()")
    >>> classify(trace, Case("c"), "failed", (result,))
    ('policy_violation', Failure(check='forbidden_calls', reason='forbidden: lookup()'))
    """
    failed = _Failed(trace, case, status, results)
    broken = failed.broken.keys()
    found: dict[str, _Said] = {}
    for name, (rests_on, rule) in _RULES.items():
        if rests_on is None or not rests_on.isdisjoint(broken):
            said = rule(failed)
            if said is not None:
                found[name] = said
    if "looped" in found and trace.outcome == "limit":
        found = {"looped": found["looped"], **found}
    first, *also = found or {"unclassified": _unclassified(failed)}
    check, reason = (found or {"unclassified": _unclassified(failed)})[first]
    return first, Failure(check=check, reason=_cut(reason), also=tuple(also))


_Said = tuple[str | None, str]
"""The check that a rule rests on, and what happened."""


def _of(result: CheckResult | None) -> _Said | None:
    return None if result is None else (result.key, result.reason or f"{result.key} failed")


def _agent_error(run: _Failed) -> _Said | None:
    if run.status != "agent_error":
        return None
    return None, run.trace.error or run.trace.outcome.replace("_", " ")


def _policy_violation(run: _Failed) -> _Said | None:
    refusal = run.broken.get("refusal")
    if refusal is not None and any(part.get("expected") is True for part in run.parts("refusal")):
        return _of(refusal)
    return _of(run.first(_VIOLATIONS))


def _gave_up(run: _Failed) -> _Said | None:
    refusal = run.broken.get("refusal")
    if refusal is not None and any(part.get("expected") is False for part in run.parts("refusal")):
        return _of(refusal)
    why = _idle(run) if _expects_work(run) and not run.deeds else None
    return None if why is None else (None, why)


def _idle(run: _Failed) -> str | None:
    """How a run that had done nothing would have ended without doing it."""
    if not run.trace.calls and run.trace.final_response is None:
        return "it neither called a tool nor answered"
    if run.extra:
        handed = next((call for call in reversed(run.trace.calls) if _hands_over(call.name)), None)
        if handed is not None and handed.name in run.extra:
            return f"it handed over with {handed.name}, and had done nothing"
    phrase = declines(run.trace.final_response or "", DECLINING)
    if phrase is not None:
        return f"it declined ({phrase!r}), and had done nothing"
    return None


def _expects_work(run: _Failed) -> bool:
    """Whether something that had to be done was not."""
    return bool(run.missing or run.first(_UNDONE) is not None)


def _wrong_tool(run: _Failed) -> _Said | None:
    if (found := run.first(_WRONG_CALLS)) is not None:
        return _of(found)
    trajectory = run.broken.get("trajectory")
    if trajectory is not None:
        if run.strayed and run.missing:
            return "trajectory", f"{_names(run.strayed)} instead of {_names(run.missing)}"
        if run.strayed:
            return "trajectory", trajectory.reason or f"called besides: {_names(run.strayed)}"
        if not (run.missing or run.extra or run.near):
            return "trajectory", trajectory.reason or "the right calls in the wrong order"
    if unasked := [name for name in run.surplus if name not in run.wanted]:
        return "recorded_score", f"made a change that nothing expected: {_names(unasked)}"
    nodes = run.broken.get("node_trajectory")
    if nodes is not None and not run.listed("node_trajectory", "missing"):
        return _of(nodes)
    return _of(run.first(_WRONG_TOOLS, required=True))


def _wrong_target(run: _Failed) -> _Said | None:
    if run.near:
        args = dict.fromkeys(f"{item.get('tool')}({item.get('arg')})" for item in run.near)
        return "trajectory", f"other arguments than expected: {_names(list(args))}"
    written = run.listed("final_state", "unexpected")
    if run.deeds:
        written += [miss for miss in run.listed("final_state", "missed") if "actual" in miss]
    if written:
        return _of(run.broken["final_state"])
    if again := [name for name in run.surplus if name in run.wanted]:
        return "recorded_score", f"made more changes than expected: {_names(again)}"
    return _of(run.broken.get("route") or run.first(_ARGUMENTS, required=True))


def _incomplete(run: _Failed) -> _Said | None:
    if run.missing:
        return "trajectory", f"not called: {_names(run.missing)}"
    if run.listed("final_state", "missed") or run.listed("node_trajectory", "missing"):
        return _of(run.first(("final_state", "node_trajectory")))
    goals = run.first(_GOALS)
    return _of(goals or run.first(("recovered",), required=True))


def _wrong_answer(run: _Failed) -> _Said | None:
    keys = tuple(key for key in run.broken if key.startswith("response_") or key == "rouge1")
    return _of(run.first(keys))


def _unclassified(run: _Failed) -> _Said:
    required = next((r for r in run.results if r.required and r.status == "failed"), None)
    return _of(required) or (None, "nothing says how")


_RULES: dict[str, tuple[frozenset[str] | None, Callable[[_Failed], _Said | None]]] = {
    "agent_error": (None, _agent_error),
    "policy_violation": (frozenset({"refusal", *_VIOLATIONS}), _policy_violation),
    "made_up_argument": (frozenset(_MADE_UP), lambda run: _of(run.first(_MADE_UP))),
    "claimed_action": (frozenset(_CLAIMS), lambda run: _of(run.first(_CLAIMS))),
    "looped": (frozenset({"loops"}), lambda run: _of(run.first(("loops",)))),
    "gave_up": (frozenset({"refusal", "trajectory", *_UNDONE}), _gave_up),
    "wrong_tool": (
        frozenset(
            {"trajectory", "node_trajectory", "recorded_score", *_WRONG_CALLS, *_WRONG_TOOLS}
        ),
        _wrong_tool,
    ),
    "wrong_target": (
        frozenset({"trajectory", "final_state", "recorded_score", "route", *_ARGUMENTS}),
        _wrong_target,
    ),
    "incomplete": (
        frozenset({"trajectory", "final_state", "node_trajectory", "recovered", *_GOALS}),
        _incomplete,
    ),
    "wrong_answer": (None, _wrong_answer),
    "over_budget": (
        frozenset({"budget", *_TOO_MUCH}),
        lambda run: _of(run.first(("budget",)) or run.first(_TOO_MUCH, required=True)),
    ),
}
"""The rule of each class, with the checks of which one has to have failed for it to hold."""


def _acts(name: str, case: Case) -> bool:
    """Whether a tool is known to change something, by `writes` or a verb; handing over apart."""
    if case.writes is None and tool_verb(name) is None:
        return False
    return is_writing(name, case) and not _hands_over(name)


@lru_cache(maxsize=1024)
def _hands_over(name: str) -> bool:
    """Whether a tool hands the user over to somebody else: `transfer_to_human_agents`.

    >>> _hands_over("transfer_to_human_agents"), _hands_over("transfer_money")
    (True, False)
    """
    parts = set(name_parts(name))
    return bool(parts & _HANDING and parts & _HANDED_TO) or "escalate" in parts


def _names(names: list[str]) -> str:
    told = list(dict.fromkeys(names))
    more = len(told) - 3
    return ", ".join(told[:3]) + (f" and {more} more" if more > 0 else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
