"""Our checks as LangSmith's own row evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passhat.case import Suite
from passhat.grading.protocol import Check
from passhat_langsmith.judging import Judge
from passhat_langsmith.needs import need_langsmith

if TYPE_CHECKING:
    from passhat_langsmith.row import PasshatEvaluator


def as_evaluator(
    what: str | Check | Suite | None = None, *, load_nested: bool = False, **options: Any
) -> PasshatEvaluator:
    """A row evaluator for `evaluate(evaluators=[...])` and `aevaluate`.

    Args:
        what: A check, by its key (`"trajectory"`) or as an object, which then judges every run; a
            suite, whose cases the examples stand for; or nothing, for all that each example
            expects: the keys of a case in its reference outputs or metadata, else the calls in
            `expected_tool_calls`, `tool_calls`, `trajectory` (`expected_trajectory`) or `messages`.
        load_nested: That `load_nested=True` was given to LangSmith's `evaluate_existing`. Runs do not
            tell; so calls of a run without runs inside count as not recorded there without this.
        **options: The check's options, where it is named by its key.

    Returns:
        A `RunEvaluator`. Its feedback is `passhat_<check>`, for a whole case `passhat_case` and
        one for each check that the case requires. The score is in 0..1; it is None where there was
        nothing to judge (`value` is `not_evaluated`) and where the check itself broke (`error`,
        and `extra["error"]`). The comment says why.

    Raises:
        UsageError: There is no such check, or it has no such option.
        MissingExtraError: LangSmith is not installed.
    """
    need_langsmith()
    judge = Judge(what, options, loaded=load_nested)
    from passhat_langsmith.row import PasshatEvaluator

    return PasshatEvaluator(judge)
