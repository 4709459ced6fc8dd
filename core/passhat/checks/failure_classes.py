"""How a failed run failed: one class by rule, told from what its checks said and what it did."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from passhat.case import Case
from passhat.checks.declining import DECLINING, declines
from passhat.checks.failed_run import FailedRun, hands_over
from passhat.result import CheckResult, Failure, TrialStatus
from passhat.trace import Trace
from passhat.wording import joined

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
    found: dict[str, _Said] = {}
    for name, rule in _rules_of(frozenset(failed.broken)):
        if name not in found:
            said = rule(failed)
            if said is not None:
                found[name] = said
    if "looped" in found and trace.outcome == "limit":
        found = {"looped": found["looped"], **found}
    if not found:
        found["unclassified"] = _unclassified(failed)
    first, *also = found
    check, reason = found[first]
    return first, Failure(check=check, reason=_cut(reason), also=tuple(also))


_Said: TypeAlias = tuple[str | None, str]
"""The check that a rule rests on, and what happened."""
_Rule: TypeAlias = Callable[[FailedRun], _Said | None]


def _of(result: CheckResult | None) -> _Said | None:
    return None if result is None else (result.key, result.reason or f"{result.key} failed")


def _agent_error(run: FailedRun) -> _Said | None:
    if run.status != "agent_error":
        return None
    return None, run.trace.error or run.trace.outcome.replace("_", " ")


def _first_of(checks: tuple[str, ...], *, required: bool = False) -> _Rule:
    """The rule that holds where one of some checks failed, with what the first of them said."""
    return lambda run: _of(run.first(checks, required=required))


def _did_not_refuse(run: FailedRun) -> _Said | None:
    wanted = any(part.get("expected") is True for part in run.parts("refusal"))
    return _of(run.broken["refusal"]) if wanted else None


def _refused(run: FailedRun) -> _Said | None:
    unwanted = any(part.get("expected") is False for part in run.parts("refusal"))
    return _of(run.broken["refusal"]) if unwanted else None


def _did_nothing(run: FailedRun) -> _Said | None:
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


def _strayed(run: FailedRun) -> _Said | None:
    trajectory = run.broken["trajectory"]
    if run.strayed and run.missing:
        return "trajectory", f"{_names(run.strayed)} instead of {_names(run.missing)}"
    if run.strayed:
        return "trajectory", trajectory.reason or f"called besides: {_names(run.strayed)}"
    if not (run.missing or run.extra or run.near):
        return "trajectory", trajectory.reason or "the right calls in the wrong order"
    return None


def _unasked_changes(run: FailedRun) -> _Said | None:
    unasked = [name for name in run.surplus if name not in run.wanted]
    if not unasked:
        return None
    return "recorded_score", f"made a change that nothing expected: {_names(unasked)}"


def _wrong_nodes(run: FailedRun) -> _Said | None:
    missing = run.listed("node_trajectory", "missing")
    return None if missing else _of(run.broken["node_trajectory"])


def _other_arguments(run: FailedRun) -> _Said | None:
    if not run.near:
        return None
    args = dict.fromkeys(f"{item.get('tool')}({item.get('arg')})" for item in run.near)
    return "trajectory", f"other arguments than expected: {_names(list(args))}"


def _wrong_records(run: FailedRun) -> _Said | None:
    written = run.listed("final_state", "unexpected")
    if run.deeds:
        written += [miss for miss in run.listed("final_state", "missed") if "actual" in miss]
    return _of(run.broken["final_state"]) if written else None


def _more_changes(run: FailedRun) -> _Said | None:
    again = [name for name in run.surplus if name in run.wanted]
    return (
        ("recorded_score", f"made more changes than expected: {_names(again)}") if again else None
    )


def _not_called(run: FailedRun) -> _Said | None:
    return ("trajectory", f"not called: {_names(run.missing)}") if run.missing else None


def _not_done(run: FailedRun) -> _Said | None:
    if run.listed("final_state", "missed") or run.listed("node_trajectory", "missing"):
        return _of(run.first(("final_state", "node_trajectory")))
    return None


def _wrong_answer(run: FailedRun) -> _Said | None:
    return _of(run.first(tuple(key for key in run.broken if _is_of_answers(key))))


def _is_of_answers(key: str) -> bool:
    return key.startswith("response_") or key == "rouge1"


def _unclassified(run: FailedRun) -> _Said:
    required = next((r for r in run.results if r.required and r.status == "failed"), None)
    return _of(required) or (None, "nothing says how")


_RULES: tuple[tuple[str, tuple[str, ...] | Callable[[str], bool] | None, _Rule], ...] = (
    ("agent_error", None, _agent_error),
    ("policy_violation", ("refusal",), _did_not_refuse),
    ("policy_violation", _VIOLATIONS, _first_of(_VIOLATIONS)),
    ("made_up_argument", _MADE_UP, _first_of(_MADE_UP)),
    ("claimed_action", _CLAIMS, _first_of(_CLAIMS)),
    ("looped", ("loops",), _first_of(("loops",))),
    ("gave_up", ("refusal",), _refused),
    ("gave_up", ("trajectory", *_UNDONE), _did_nothing),
    ("wrong_tool", _WRONG_CALLS, _first_of(_WRONG_CALLS)),
    ("wrong_tool", ("trajectory",), _strayed),
    ("wrong_tool", ("recorded_score",), _unasked_changes),
    ("wrong_tool", ("node_trajectory",), _wrong_nodes),
    ("wrong_tool", _WRONG_TOOLS, _first_of(_WRONG_TOOLS, required=True)),
    ("wrong_target", ("trajectory",), _other_arguments),
    ("wrong_target", ("final_state",), _wrong_records),
    ("wrong_target", ("recorded_score",), _more_changes),
    ("wrong_target", ("route",), _first_of(("route",))),
    ("wrong_target", _ARGUMENTS, _first_of(_ARGUMENTS, required=True)),
    ("incomplete", ("trajectory",), _not_called),
    ("incomplete", ("final_state", "node_trajectory"), _not_done),
    ("incomplete", _GOALS, _first_of(_GOALS)),
    ("incomplete", ("recovered",), _first_of(("recovered",), required=True)),
    ("wrong_answer", _is_of_answers, _wrong_answer),
    ("over_budget", ("budget",), _first_of(("budget",))),
    ("over_budget", _TOO_MUCH, _first_of(_TOO_MUCH, required=True)),
)
"""The rules of each class, of which the first that holds tells why.

Each has the checks of which one has to have failed for it to hold, or what tells these by their keys;
None where it goes by no check.
"""


@lru_cache(maxsize=1024)
def _rules_of(broken: frozenset[str]) -> tuple[tuple[str, _Rule], ...]:
    """The rules that may hold where some checks failed, with their classes."""
    return tuple(
        [
            (name, rule)
            for name, rests_on, rule in _RULES
            if rests_on is None
            or (any(map(rests_on, broken)) if callable(rests_on) else broken.intersection(rests_on))
        ]
    )


def _names(names: list[str]) -> str:
    return joined(list(dict.fromkeys(names)))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
