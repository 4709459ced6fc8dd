"""An assertion on a trace whose failure says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passhat.errors import PasshatError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passhat.case import Case
    from passhat.result import Trial
    from passhat.trace import Trace


class TrialNotCounted(PasshatError):
    """An attempt that ended for a reason outside the agent: it says nothing of it, good or bad."""


def assert_passes(
    trace: Trace | Sequence[Any] | Any,
    case: Case | Mapping[str, Any],
    checks: Sequence[Any] | None = None,
) -> Trial:
    """The trial, if the trace passes all that its case expects.

    Args:
        trace: A trace, chat messages, or a step that an agent wants to take next.
        case: What is expected.
        checks: As of `passhat.grade`.

    Raises:
        AssertionError: A required check failed, or nothing could be judged; it shows each one's
            reason, the alignment of expected and actual calls, and what differs in the state.
        TrialNotCounted: The attempt itself ended in an error of the surroundings.

    >>> from passhat import Case, Trace, ToolCall
    >>> case = Case("refund", expected_calls=["lookup_order"])
    >>> assert_passes(Trace("t", steps=[ToolCall("lookup_order")]), case).status
    'passed'
    >>> assert_passes(Trace("t", steps=[ToolCall("pay")]), case)
    Traceback (most recent call last):
        ...
    AssertionError: ...
    """
    __tracebackhide__ = True
    from passhat.scoring import grade

    trial = grade(trace, case, checks)
    if trial.status in ("infrastructure_error", "not_run"):
        raise TrialNotCounted(f"{trial.status}: {trial.reason}")
    if not trial.passed:
        _, *told = str(trial).splitlines()
        said = f"{trial.case_id}: {trial.status}{f', {trial.reason}' if trial.reason else ''}"
        raise AssertionError("\n".join([said, *told]))
    return trial
