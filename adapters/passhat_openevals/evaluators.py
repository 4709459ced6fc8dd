"""Our checks called like their evaluators: `(outputs=, reference_outputs=)`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import PasshatError, UsageError
from passhat.grading import Check, Grader
from passhat.jsontext import jsonable
from passhat.result import CheckResult, Trial, results_of
from passhat.suitefile import suite_from
from passhat.trace import Trace
from passhat_openevals.convert import are_messages, to_trace
from passhat_openevals.references import calls_of, expected_from

PREFIX = "passhat_"
_KEYS = frozenset(Case.__struct_fields__) - {"id", "input", "metadata", "tags", "user"}
_ASKING = frozenset({
    "expected_calls", "optional_calls", "forbidden_calls", "before", "expected_final_state",
    "success_check", "policies", "requires_approval",
})  # fmt: skip
"""Keys that are meant so beside others too, which are the reference; `response` may be an answer."""
_HOW = frozenset({"mode", "match", "retries", "counts", "parallel", "nested"})

Result = dict[str, Any]


def as_evaluator(
    what: str | Check | Case | None = None, **options: Any
) -> Callable[..., Result | list[Result]]:
    """A check, or all that a case expects, as an evaluator like those of agentevals and openevals.

    Args:
        what: A check, by its key (`"trajectory"`) or as an object; a case, whose expectations
            judge every run; or nothing, for all that the reference outputs of each run expect.
        **options: The check's options, where it is named by its key.

    Returns:
        A function, to be called with keywords: `outputs` (messages as they take them, or a
        `Trace`), and `reference_outputs` (messages, whose calls are expected; keys of a case; or a
        `Case`). It gives `{key, score, comment, metadata}`: the key is `passhat_<check>`, the score
        in 0..1 and None where nothing was judged, the comment says why, and `metadata["status"]` is
        `passed`, `failed`, `not_evaluated` or `error`. For a case it gives a list: `passhat_case`
        first, whose status may also be `agent_error` or `infrastructure_error`, then each check
        that the case requires. In a test of LangSmith's pytest plugin the
        results are logged, as theirs are. It never raises for what it is given.

    Raises:
        UsageError: There is no such check, or it has no such option.

    >>> judge = as_evaluator("trajectory", mode="exact")
    >>> call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> messages = [{"role": "assistant", "content": "", "tool_calls": [call]}]
    >>> judge(outputs=messages, reference_outputs=messages)["score"]
    1.0
    """
    if options and not isinstance(what, str):
        raise UsageError(f"the option {next(iter(options))!r} is for a check named by its key")
    checks: Any = {what: options} if isinstance(what, str) else None
    if isinstance(what, str):
        key: str | None = what
    elif what is None or isinstance(what, Case):
        key = None
    elif isinstance(what, Check):
        key, checks = what.key, [what]
    else:
        raise UsageError(f"a check, its key or a case, not {type(what).__name__}")
    grader = Grader(checks, inform=False)
    # Says now what is wrong with the options.
    grader.grade(Trace(""), what if isinstance(what, Case) else Case(""))
    name = PREFIX + (key or "case")

    def evaluator(
        *, outputs: Any, reference_outputs: Any = None, inputs: Any = None, **kwargs: Any
    ) -> Result | list[Result]:
        with _feedback(name) as log:
            try:
                case = what if isinstance(what, Case) else case_for(reference_outputs, inputs)
                trace = outputs if isinstance(outputs, Trace) else to_trace(outputs)
                trial = grader.grade(trace, case)
            except Exception as error:  # What it is given is anybody's.
                why = str(error) if isinstance(error, PasshatError) else repr(error)
                trial = _broken(key, why)
            given = _results(trial, key)
            log(given if isinstance(given, list) else [given])
        return given

    evaluator.__name__ = evaluator.__qualname__ = name
    return evaluator


def case_for(reference: Any, inputs: Any = None) -> Case:
    """The case that reference outputs stand for.

    Raises:
        PasshatError: They cannot be read.

    >>> case_for({"expected_calls": ["f"]}).expected_calls
    (ExpectedCall(name='f'),)
    >>> case_for({"expected_calls": ["f"], "answer": 4}).reference["answer"]
    4
    """
    if isinstance(reference, Case):
        return reference
    plain, given = jsonable(reference), jsonable(inputs)
    own = plain.keys() & _KEYS if isinstance(plain, dict) else set()
    beside = own and plain.keys() - _KEYS - {"id"}
    if own and (not beside or own & _ASKING):
        kept = {key: plain[key] for key in own & (_ASKING | _HOW)} if beside else plain
        stated = {"id": "case", **kept} | ({} if given is None else {"input": given})
        case = suite_from({"name": "openevals", "cases": [stated]}).cases[0]
        return replace(case, reference=plain) if beside else case
    if are_messages(plain):
        return Case("case", given, reference=plain, expected_calls=expected_from(calls_of(plain)))
    return Case("case", given, reference=plain)


def _broken(key: str | None, why: str) -> Trial:
    result = CheckResult(key or "case", "error", None, why)
    return Trial("case", 0, "", "check_error", (result,), why)


def _results(trial: Trial, key: str | None) -> Result | list[Result]:
    results = results_of(trial)
    if key is not None:
        return _result(results[0])
    status = "error" if trial.status == "check_error" else trial.status
    whole: Result = {
        "key": f"{PREFIX}case",
        "score": trial.score,
        "comment": trial.reason or trial.status,
        "metadata": {"status": status},
    }
    return [whole, *(_result(one) for one in results if one.required and one.key != "case")]


def _result(result: CheckResult) -> Result:
    judged = result.status in ("passed", "failed")
    table = result.evidence.get("alignment") if result.status == "failed" else None
    evidence = {name: item for name, item in result.evidence.items() if name != "alignment"}
    metadata: dict[str, Any] = {"status": result.status}
    if evidence:
        metadata["evidence"] = jsonable(evidence)
    return {
        "key": PREFIX + result.key,
        "score": float(result.score) if judged and result.score is not None else None,
        "comment": "\n".join(filter(None, (result.reason or result.status, str(table or "")))),
        "metadata": metadata,
    }


class _Feedback:
    """Logs results as feedback on the test that LangSmith's pytest plugin is running."""

    def __init__(self, testing: Any, name: str) -> None:
        self.testing = testing
        self.span = testing.trace_feedback(name=name)

    def __enter__(self) -> Callable[[list[Result]], None]:
        self.span.__enter__()
        return self._log

    def __exit__(self, *raised: Any) -> None:
        self.span.__exit__(*raised)

    def _log(self, results: list[Result]) -> None:
        for result in results:
            self.testing.log_feedback(
                key=result["key"],
                score=result["score"],
                value=result["metadata"]["status"],
                comment=result["comment"],
            )


def _feedback(name: str) -> AbstractContextManager[Callable[[list[Result]], None]]:
    """Where to log; nowhere outside of a test that LangSmith tracks."""
    internal = sys.modules.get("langsmith.testing._internal")
    tracked = getattr(internal, "_TEST_CASE", None)
    if tracked is None or tracked.get() is None:
        return nullcontext(lambda results: None)
    from langsmith import testing
    from langsmith.utils import test_tracking_is_disabled

    if test_tracking_is_disabled():
        return nullcontext(lambda results: None)

    return _Feedback(testing, name)
