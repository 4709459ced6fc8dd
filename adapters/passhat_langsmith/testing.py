"""Results as feedback of LangSmith's own pytest marker; nothing where no such test runs."""

from __future__ import annotations

import sys

from passhat.reliability import Results
from passhat.result import Trial

_OUTSIDE = "log_feedback should only be called within"


def log_results(what: Trial | Results) -> int:
    """How many results were logged as feedback on the running `@pytest.mark.langsmith` test.

    Outside such a test, and where tracking or tracing is off, nothing is logged and nothing is
    wrong. `passhat.grade` and `passhat.assert_passes` inside such a test log by themselves.

    Args:
        what: A trial, or the results of several. The keys are those of `as_evaluator`.

    >>> log_results(Trial("c", 0, "t", "passed"))
    0
    """
    theirs = sys.modules.get("langsmith.testing")
    if theirs is None:  # Without it no test of LangSmith's can be running.
        return 0
    from langsmith.utils import test_tracking_is_disabled

    from passhat_langsmith.row import FEEDBACK_CONFIG, feedback_on

    if test_tracking_is_disabled():
        return 0
    logged = 0
    for trial in (what,) if isinstance(what, Trial) else what:
        for one in feedback_on(trial):
            try:
                theirs.log_feedback(
                    key=one.key,
                    score=one.score,
                    value=one.value,
                    comment=one.comment,
                    extra=one.extra,
                    source_info=one.evaluator_info,
                    feedback_config=FEEDBACK_CONFIG,
                )
            except ValueError as error:
                if not str(error).startswith(_OUTSIDE):
                    raise
                return logged
            logged += 1
    return logged
