"""Summary evaluators that LangSmith lacks: reliability over repetitions, pooled F1, routing.

Each is a function of runs and examples, for `evaluate(summary_evaluators=[...])`. Runs of one
example are trials of one case. LangSmith drops a summary evaluator that raises without a trace in
the results; so what cannot be computed is a result without a score that says why.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from passhat.case import Suite
from passhat.errors import EstimationError, PasshatError, UsageError
from passhat.reliability import (
    Results,
    interval_pass_at_k,
    interval_pass_hat_k,
    mean_pass_at_k,
    mean_pass_hat_k,
    wilson,
)
from passhat.reliability.wording import counted
from passhat.result import COUNTED, Trial
from passhat_langsmith.cases import field_of
from passhat_langsmith.judging import Judge

Feedback = dict[str, Any]
SummaryEvaluator = Callable[[Sequence[Any], Sequence[Any]], Feedback]


def pass_hat_k(k: int, key: str | None = None, *, by: Any = None) -> SummaryEvaluator:
    """pass^k over the repetitions of each example: the chance that all of k attempts pass.

    Args:
        k: Draws; every example needs that many trials that count.
        key: The check whose verdict counts; None for that of the whole case.
        by: What judges: a row evaluator of `as_evaluator`, whose verdicts are then not made
            again, or a suite; by default what each example expects.

    Returns:
        A summary evaluator whose key is `pass^k`, or `pass^k_<check>`. Runs that failed for reasons
        of their surroundings, or could not be judged, are left out, and told in the comment.

    Raises:
        UsageError: k is not a whole number of 1 or more, or there is no such check.
    """
    return _reliability("pass^", k, key, by, mean_pass_hat_k, interval_pass_hat_k)


def pass_at_k(k: int, key: str | None = None, *, by: Any = None) -> SummaryEvaluator:
    """pass@k over the repetitions of each example: the chance that any of k attempts passes.

    The arguments are those of `pass_hat_k`; the key is `pass@k`.

    Raises:
        UsageError: k is not a whole number of 1 or more, or there is no such check.
    """
    return _reliability("pass@", k, key, by, mean_pass_at_k, interval_pass_at_k)


def success_rate(key: str | None = None, *, by: Any = None) -> SummaryEvaluator:
    """The share of all trials that passed, with Wilson's interval.

    The interval takes the runs as independent, which repetitions of one example are not quite;
    that of `pass_hat_k(1)` does not.

    Args:
        key: The check whose verdict counts; None for that of the whole case.
        by: What judges, as in `pass_hat_k`.

    Raises:
        UsageError: There is no such check.
    """

    def rate(trials: list[Trial]) -> Feedback:
        counts, left_out = _counts(trials, key)
        n, c = sum(one[0] for one in counts), sum(one[1] for one in counts)
        if not n:
            raise EstimationError(_told("nothing was judged", left_out))
        low, high = wilson(n, c)
        comment = f"{c} of {counted(n, 'run')} passed (95% interval {low:.3f} to {high:.3f})"
        return {"score": c / n, "comment": _told(comment, left_out)}

    return _summary(_named("success_rate", key), key, by, rate)


def tool_f1(*, by: Any = None, **options: Any) -> SummaryEvaluator:
    """F1 of the tool calls, pooled over all runs: 2 tp / (2 tp + fp + fn).

    Args:
        by: A suite whose cases the examples stand for; by default what each example expects.
        **options: Those of the check `tool_call_f1`.

    Raises:
        UsageError: The check has no such option.
    """

    def pooled(trials: list[Trial]) -> Feedback:
        sums: Counter[str] = Counter()
        left_out: Counter[str] = Counter()
        for trial in trials:
            result = trial.result("tool_call_f1")
            if result is None or result.status not in ("passed", "failed"):
                left_out[result.reason if result else trial.status] += 1
            elif trial.status == "infrastructure_error":
                left_out[trial.status] += 1
            else:
                sums.update({name: result.evidence[name] for name in ("tp", "fp", "fn")})
        tp, fp, fn = sums["tp"], sums["fp"], sums["fn"]
        judged = len(trials) - left_out.total()
        if not judged:
            raise EstimationError(_told("nothing was judged", left_out))
        # With no call expected and none made in any run, all is as it should be.
        score = 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 1.0
        comment = f"{tp} calls as expected, {fp} extra, {fn} missing, in {counted(judged, 'run')}"
        return {"score": score, "comment": _told(comment, left_out)}

    return _summary("tool_f1", "tool_call_f1", by, pooled, options)


def routing(
    labels: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
    *,
    floors: Mapping[str, float] | None = None,
    by: Any = None,
) -> SummaryEvaluator:
    """Macro-F1 of the routes taken, with each label's recall in the comment.

    Args:
        labels: The labels there are; as a mapping, each with the names of agents, nodes and tools
            that stand for it. Without them, where a wrong run went is not told.
        floors: Per label, the least recall.
        by: A suite whose cases the examples stand for; by default the `route` of each example.

    Returns:
        A summary evaluator of the key `routing`; its value is `below_floor` where a label's recall
        is under its floor.

    Raises:
        UsageError: The labels are no names.
    """

    def scored(trials: list[Trial]) -> Feedback:
        table = Results(tuple(trials)).summary().routing
        if table is None:
            raise EstimationError("no example names the route that is expected")
        known = {name: row for name, row in table.labels.items() if row.recall is not None}
        told = [f"{name} {row.recall:.3f} of {row.support}" for name, row in known.items()]
        comment = f"recall: {', '.join(told)}; {counted(table.total, 'run')}"
        held = table.check_floors(floors) if floors else ()
        below = [one.label for one in held if one.status == "failed"]
        if below:
            comment = f"recall under its floor: {', '.join(below)}; {comment}"
        value = ("below_floor" if below else "passed") if floors else None
        return {"score": table.macro_f1, "value": value, "comment": comment}

    options = {} if labels is None else {"labels": labels}
    return _summary("routing", "route", by, scored, options)


def _reliability(
    sign: str, k: int, key: str | None, by: Any, mean: Any, interval: Any
) -> SummaryEvaluator:
    if type(k) is not int or k < 1:
        raise UsageError(f"k is a whole number of 1 or more, not {k!r}")

    def estimate(trials: list[Trial]) -> Feedback:
        counts, left_out = _counts(trials, key)
        if not counts:
            raise EstimationError(_told("nothing was judged", left_out))
        score = mean(counts, k)
        low, high = interval(counts, k)
        n, c = sum(one[0] for one in counts), sum(one[1] for one in counts)
        comment = (
            f"{counted(len(counts), 'example')}, {c} of {counted(n, 'run')} passed "
            f"(95% interval {low:.3f} to {high:.3f})"
        )
        return {"score": float(score), "comment": _told(comment, left_out)}

    return _summary(_named(f"{sign}{k}", key), key, by, estimate)


def _named(name: str, key: str | None) -> str:
    return name if key is None else f"{name}_{key}"


def _counts(
    trials: list[Trial], key: str | None
) -> tuple[list[tuple[int, int, str]], Counter[str]]:
    """Per case the trials that count and those that passed, and what was left out by status."""
    n: Counter[str] = Counter()
    c: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for trial in trials:
        status: str = trial.status
        if key is not None and status not in ("infrastructure_error", "agent_error"):
            result = trial.result(key)
            status = "not_evaluated" if result is None else result.status
        if status in COUNTED:
            n[trial.case_id or ""] += 1
            c[trial.case_id or ""] += status == "passed"
        else:
            left_out[status] += 1
    return [(n[id], c[id], id) for id in n], left_out


def _told(comment: str, left_out: Counter[str]) -> str:
    if not left_out:
        return comment
    told = ", ".join(f"{count} {status}" for status, count in left_out.most_common())
    return f"{comment}; left out: {told}"


def _summary(
    name: str,
    key: str | None,
    by: Any,
    score: Callable[[list[Trial]], Feedback],
    options: Mapping[str, Any] | None = None,
) -> SummaryEvaluator:
    judge = _judge_of(by, key, options or {})

    def summarised(runs: Sequence[Any], examples: Sequence[Any]) -> Feedback:
        attempts: defaultdict[str, int] = defaultdict(int)
        trials: list[Trial] = []
        for run, example in zip(runs, examples, strict=True):
            id = str(field_of(example, "id"))
            trials.append(_of_example(judge.remembered(run, example, attempts[id]), id))
            attempts[id] += 1
        try:
            told = score(trials)
        except PasshatError as error:
            told = {"score": None, "comment": str(error), "value": "not_evaluated"}
        return {"key": name, **told}

    summarised.__name__ = summarised.__qualname__ = name
    return summarised


def _of_example(trial: Trial, id: str) -> Trial:
    return trial if trial.case_id is not None else replace(trial, case_id=id)


def _judge_of(by: Any, key: str | None, options: Mapping[str, Any]) -> Judge:
    """What judges: the judge of a row evaluator, where it says what is asked for; else a new one."""
    made = getattr(by, "judge", None)
    if isinstance(made, Judge):
        if key is None or (made.key == key and not options):
            return made
        return Judge(key, options, made.suite)
    if by is not None and not isinstance(by, Suite):
        raise UsageError("`by` is a row evaluator of `as_evaluator`, or a suite")
    return Judge(by, {}) if key is None else Judge(key, options, by)
