"""How a failed run failed: one class by rule, told from what its checks said and what it did."""

from __future__ import annotations

from collections.abc import Callable

from passhat.case import Case
from passhat.checks.declining import DECLINING, declines
from passhat.checks.failed_run import FailedRun, hands_over
from passhat.result import CheckResult, Failure, TrialStatus
from passhat.trace import Trace

_LONGEST = 400

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

    >>> from passhat.trace import ToolCall
    >>> trace = Trace("t", steps=(ToolCall("lookup", result="ok"),))
    >>> result = CheckResult.of("forbidden_calls", False, "forbidden: lookup()")
    >>> classify(trace, Case("c"), "failed", (result,))
    ('policy_violation', Failure(check='forbidden_calls', reason='forbidden: lookup()'))
    """
    failed = FailedRun(trace, case, status, results)
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


def _agent_error(run: FailedRun) -> _Said | None:
    if run.status != "agent_error":
        return None
    return None, run.trace.error or run.trace.outcome.replace("_", " ")


def _policy_violation(run: FailedRun) -> _Said | None:
    refusal = run.broken.get("refusal")
    if refusal is not None and any(part.get("expected") is True for part in run.parts("refusal")):
        return _of(refusal)
    return _of(run.first(_VIOLATIONS))


def _gave_up(run: FailedRun) -> _Said | None:
    refusal = run.broken.get("refusal")
    if refusal is not None and any(part.get("expected") is False for part in run.parts("refusal")):
        return _of(refusal)
    why = _idle(run) if _expects_work(run) and not run.deeds else None
    return None if why is None else (None, why)


def _idle(run: FailedRun) -> str | None:
    """How a run that had done nothing would have ended without doing it."""
    if not run.trace.calls and run.trace.final_response is None:
        return "it neither called a tool nor answered"
    if run.extra:
        handed = next((call for call in reversed(run.trace.calls) if hands_over(call.name)), None)
        if handed is not None and handed.name in run.extra:
            return f"it handed over with {handed.name}, and had done nothing"
    phrase = declines(run.trace.final_response or "", DECLINING)
    if phrase is not None:
        return f"it declined ({phrase!r}), and had done nothing"
    return None


def _expects_work(run: FailedRun) -> bool:
    """Whether something that had to be done was not."""
    return bool(run.missing or run.first(_UNDONE) is not None)


def _wrong_tool(run: FailedRun) -> _Said | None:
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


def _wrong_target(run: FailedRun) -> _Said | None:
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


def _incomplete(run: FailedRun) -> _Said | None:
    if run.missing:
        return "trajectory", f"not called: {_names(run.missing)}"
    if run.listed("final_state", "missed") or run.listed("node_trajectory", "missing"):
        return _of(run.first(("final_state", "node_trajectory")))
    goals = run.first(_GOALS)
    return _of(goals or run.first(("recovered",), required=True))


def _wrong_answer(run: FailedRun) -> _Said | None:
    keys = tuple(key for key in run.broken if key.startswith("response_") or key == "rouge1")
    return _of(run.first(keys))


def _unclassified(run: FailedRun) -> _Said:
    required = next((r for r in run.results if r.required and r.status == "failed"), None)
    return _of(required) or (None, "nothing says how")


_RULES: dict[str, tuple[frozenset[str] | None, Callable[[FailedRun], _Said | None]]] = {
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


def _names(names: list[str]) -> str:
    told = list(dict.fromkeys(names))
    more = len(told) - 3
    return ", ".join(told[:3]) + (f" and {more} more" if more > 0 else "")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
