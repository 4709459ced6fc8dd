"""A check as a comparator of two experiments, the repetitions of each side taken together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from passhat.case import Suite
from passhat.grading.protocol import Check
from passhat.reliability.wording import counted
from passhat.result import Trial
from passhat_langsmith.cases import field_of
from passhat_langsmith.judging import PREFIX, Judge
from passhat_langsmith.runs import field_in

Comparator = Callable[[Sequence[Any], Any], dict[str, Any]]
_UNLOADED = (
    "calls: no run has runs inside; compare with evaluate(..., load_nested=True), and say "
    "as_comparator(load_nested=True) where that is so"
)


def as_comparator(
    what: str | Check | Suite | None = None, *, load_nested: bool = False, **options: Any
) -> Comparator:
    """A comparator for `evaluate((a, b), evaluators=[...], load_nested=True)`: which side is better.

    LangSmith gives all runs of an example in one list, repetitions included; here a side is the
    runs of one experiment, and its score the mean over them.

    Args:
        what: A check, by its key or as an object; a suite, whose cases the examples stand for; or
            nothing, for all that each example expects, as in `as_evaluator`.
        load_nested: That `load_nested=True` was given to LangSmith's `evaluate`. Runs do not tell; so
            where no run of an example has runs inside, calls count as not recorded without this.
        **options: The check's options, where it is named by its key.

    Returns:
        A function of runs and their example. Its feedback is `passhat_<check>_preferred`
        (`passhat_case_preferred`): for each run the share of other sides that its side beats, a
        tie as a half; the comment has the means. Where a side has no run that could be judged, no
        side has a score, and the comment says why.

    Raises:
        UsageError: There is no such check, or it has no such option.
    """
    judge = Judge(what, options)
    key = f"{PREFIX}{judge.key or 'case'}_preferred"

    def compare(runs: Sequence[Any], example: Any) -> dict[str, Any]:
        gap = "" if load_nested or any(field_in(run, "child_runs") for run in runs) else _UNLOADED
        sides: dict[str, list[Any]] = {}
        for run in runs:
            sides.setdefault(str(field_of(run, "session_id")), []).append(run)
        means: dict[str, float | None] = {}
        told: dict[str, str] = {}
        for side, own in sides.items():
            trials = [judge.trial(run, example, gap=gap, loaded=not gap) for run in own]
            means[side], told[side] = _mean(trials, judge.key)
        scores: dict[str, float | None] = {}
        comments: dict[str, str] = {}
        for side, own in sides.items():
            others = [other for other in sides if other != side]
            against = "; ".join(f"against {told[other]}" for other in others)
            for run in own:
                id = str(field_of(run, "id"))
                scores[id] = _beaten(means, side, others)
                comments[id] = f"{told[side]}; {against}"
        return {"key": key, "scores": scores, "comment": comments}

    compare.__name__ = compare.__qualname__ = key
    return compare


def _beaten(means: dict[str, float | None], side: str, others: list[str]) -> float | None:
    mine = means[side]
    if mine is None or not others or any(means[other] is None for other in others):
        return None
    # A None among them returned above.
    wins = [(mine > (means[other] or 0.0)) + 0.5 * (mine == means[other]) for other in others]
    return sum(wins) / len(wins)


def _mean(trials: list[Trial], key: str | None) -> tuple[float | None, str]:
    """The mean score of a side, and how it is told."""
    scores: list[float] = []
    left_out: Counter[str] = Counter()
    reasons: defaultdict[str, str] = defaultdict(str)
    for trial in trials:
        score, status, reason = _score(trial, key)
        if score is None:
            left_out[status] += 1
            reasons[status] = reason
        else:
            scores.append(score)
    more = ", ".join(f"{n} {status} ({reasons[status]})" for status, n in left_out.items())
    if not scores:
        return None, f"nothing judged: {more}"
    mean = sum(scores) / len(scores)
    told = f"{mean:.3g} over {counted(len(scores), 'run')}"
    return mean, f"{told} (left out: {more})" if more else told


def _score(trial: Trial, key: str | None) -> tuple[float | None, str, str]:
    if key is None or trial.status in ("agent_error", "infrastructure_error"):
        return trial.score, trial.status, trial.reason
    result = trial.result(key)
    if result is None:
        return None, trial.status, trial.reason
    judged = result.status in ("passed", "failed")
    return result.score if judged else None, result.status, result.reason
