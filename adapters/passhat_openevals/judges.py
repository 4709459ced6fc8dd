"""Their evaluators as checks: trajectory matchers, string comparisons, LLM judges, or any of yours."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from passhat.case import Case
from passhat.errors import UsageError
from passhat.jsontext import jsonable
from passhat.result import CheckResult, CheckStatus
from passhat.trace import Trace
from passhat_openevals.convert import from_trace
from passhat_openevals.references import reference_of

Shown = Literal["messages", "response"] | Callable[[Trace], Any]

_WORST: tuple[CheckStatus, ...] = ("failed", "error", "not_evaluated", "passed")
_SLACK = 1e-9


def as_check(
    evaluator: Callable[..., Any],
    key: str | None = None,
    *,
    at_least: float | None = None,
    outputs: Shown = "messages",
    reference_outputs: Callable[[Case], Any] | None = None,
    inputs: Callable[[Trace, Case], Any] | None = None,
) -> EvaluatorCheck:
    """An evaluator as a check, to be given to `passhat.grade(trace, case, checks=[...])`.

    The evaluator is called with keywords alone, `inputs`, `outputs` and `reference_outputs` as far
    as it takes them, each a copy of its own: theirs change what they are given.

    Args:
        evaluator: An evaluator of agentevals or openevals, or any callable of that kind, also an
            async one.
        key: The check's key; by default the evaluator's own name.
        at_least: The least score that passes; by default only 1 (or True) does.
        outputs: What it is given of the run: all `messages`, the final `response` as text, or what
            a function makes of the trace.
        reference_outputs: What it is given of the case; by default the case's `reference`, or its
            expected calls as messages where `outputs` are messages.
        inputs: What it is given as inputs; by default the case's input, or what the user said first.

    Returns:
        A check. A bool, a number, a mapping with `score`, and a list of these are results; of a
        list the worst counts, and the score is the mean. What is out of 0..1, has no score at all,
        or raises, is an `error`; a score of None is `not_evaluated`, as is a case without the
        reference that the evaluator cannot do without.

    Raises:
        UsageError: It cannot be called, has no name to be known by, or the threshold is none.

    >>> from passhat import Case, Trace, grade
    >>> polite = as_check(lambda *, outputs: {"score": 0.5, "comment": "curt"}, "polite")
    >>> print(grade(Trace("t"), Case("c"), checks=[polite]))
    c trial 0: failed
      ✗ polite: score 0.5: curt
    """
    if not callable(evaluator):
        raise UsageError(f"an evaluator is called, and {type(evaluator).__name__} cannot be")
    name = key or _name(evaluator)
    if not name:
        raise UsageError("the evaluator has no name; say which key its results are to have")
    if at_least is not None and not (0 <= at_least <= 1):
        raise UsageError(f"at_least is a score in 0..1, not {at_least!r}")
    if isinstance(outputs, str) and outputs not in ("messages", "response"):
        raise UsageError(f"outputs are messages, response or a function, not {outputs!r}")
    return EvaluatorCheck(name, evaluator, at_least, outputs, reference_outputs, inputs)


def _name(evaluator: Any) -> str:
    """What an evaluator is called; a wrapped one by the factory that made it."""
    name = getattr(evaluator, "__name__", "")
    if name not in ("_wrapped_evaluator", "<lambda>"):
        return name
    made_by = getattr(evaluator, "__qualname__", "").partition(".<locals>")[0]
    return "" if name == "<lambda>" else made_by.removeprefix("create_")


@dataclass(frozen=True, slots=True)
class EvaluatorCheck:
    """An evaluator of theirs as a check; see `as_check`."""

    key: str
    evaluator: Callable[..., Any]
    at_least: float | None = None
    outputs: Shown = "messages"
    reference_outputs: Callable[[Case], Any] | None = None
    inputs: Callable[[Trace, Case], Any] | None = None

    @property
    def needs(self) -> tuple[str, ...]:
        """Nothing of the trace that every trace has not; a missing reference is told by `judge`."""
        return ()

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """What the evaluator says of the trace."""
        takes, needed = _parameters(self.evaluator)
        reference = self._reference(case)
        if reference is None and "reference_outputs" in needed:
            return CheckResult.not_evaluated(self.key, "the case has no reference to compare with")
        given: dict[str, Any] = {
            "inputs": self._inputs(trace, case),
            "outputs": self._outputs(trace),
            "reference_outputs": reference,
        }
        given = {name: deepcopy(item) for name, item in given.items() if takes(name)}
        try:
            said = self.evaluator(**given)
            if inspect.isawaitable(said):
                said = _awaited(said)
        except Exception as error:  # An evaluator is anybody's code: what it raises is its result.
            return self._error(f"the evaluator raised {type(error).__name__}: {error}")
        return self._result(said)

    def _outputs(self, trace: Trace) -> Any:
        if callable(self.outputs):
            return self.outputs(trace)
        return trace.final_response if self.outputs == "response" else from_trace(trace)

    def _reference(self, case: Case) -> Any:
        if self.reference_outputs is not None:
            return self.reference_outputs(case)
        if self.outputs == "response":
            equals = (case.response or {}).get("equals")
            return equals if case.reference is None else case.reference
        return reference_of(case)

    def _inputs(self, trace: Trace, case: Case) -> Any:
        if self.inputs is not None:
            return self.inputs(trace, case)
        if case.first_input is not None:
            return case.first_input
        return next((said.text for said in trace.messages if said.role == "user"), None)

    def _result(self, said: Any) -> CheckResult:
        found = [self._one(item) for item in _flat(said)]
        if not found:
            return CheckResult.not_evaluated(self.key, "the evaluator gave no result")
        if len(found) == 1:
            return found[0]
        worst: CheckStatus = next(
            one for one in _WORST if any(result.status == one for result in found)
        )
        scores = [result.score for result in found if result.score is not None]
        judged = worst in ("passed", "failed") and bool(scores)
        told = "; ".join(
            f"{result.evidence.get('key', self.key)}: {result.reason or result.status}"
            for result in found
            if result.status == worst and worst != "passed"
        )
        results = [
            {"status": one.status, "score": one.score, "reason": one.reason, **one.evidence}
            for one in found
        ]
        mean = sum(scores) / len(scores) if judged else None
        return CheckResult(self.key, worst, mean, told, {"results": results})

    def _one(self, said: Any) -> CheckResult:
        comment, evidence = "", {}
        if isinstance(said, Mapping):
            if "score" not in said:
                return self._error(f"a result without a score: {said!r:.80}")
            comment = str(said.get("comment") or said.get("reasoning") or "")
            more = {
                name: said[name] for name in ("key", "metadata", "source_run_id") if said.get(name)
            }
            evidence = _plain(more)
            said = said["score"]
        if said is None:
            why = comment or "the evaluator gave no score"
            return CheckResult(self.key, "not_evaluated", None, why, evidence)
        if isinstance(said, bool):
            return CheckResult(
                self.key,
                "passed" if said else "failed",
                float(said),
                comment or _said(said),
                evidence,
            )
        if not isinstance(said, int | float):
            return self._error(f"a score is a bool or a number in 0..1, not {said!r:.80}")
        if not math.isfinite(said) or not 0 <= said <= 1:
            return self._error(f"the score {said!r} is not in 0..1")
        score = float(said)
        bound = 1.0 if self.at_least is None else self.at_least
        ok = score >= bound - _SLACK if self.at_least is not None else score == 1
        reason = comment if ok else ": ".join(filter(None, (f"score {score:.4g}", comment)))
        return CheckResult(self.key, "passed" if ok else "failed", score, reason, evidence)

    def _error(self, why: str) -> CheckResult:
        return CheckResult(self.key, "error", None, why)


def _said(holds: bool) -> str:
    """What to say of a yes or no that came without a word."""
    return "" if holds else "the evaluator says no"


def _flat(said: Any) -> Iterator[Any]:
    """The single results in what an evaluator gives: itself, a list, or LangSmith's `results`."""
    if isinstance(said, Mapping) and isinstance(said.get("results"), list):
        yield from said["results"]
    elif isinstance(said, list | tuple):
        yield from said
    else:
        yield said


def _plain(value: Any) -> dict[str, Any]:
    """Evidence as JSON, so that a result can be written; what is none stands as its text."""
    try:
        return dict(jsonable(value))
    except Exception:  # An evaluator's metadata may be anything at all.
        return {name: str(item) for name, item in value.items()}


def _parameters(evaluator: Callable[..., Any]) -> tuple[Callable[[str], bool], frozenset[str]]:
    """Which keywords an evaluator takes, and which it cannot do without."""
    try:
        found = inspect.signature(evaluator).parameters.values()
    except (TypeError, ValueError):
        return lambda name: True, frozenset()
    named = {p.name for p in found if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    free = any(p.kind is p.VAR_KEYWORD for p in found)
    needed = frozenset(p.name for p in found if p.name in named and p.default is p.empty)
    return lambda name: free or name in named, needed


def _awaited(said: Any) -> Any:
    """What an awaitable gives, whether or not a loop is running here."""

    async def wait() -> Any:
        return await said

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, wait()).result()
