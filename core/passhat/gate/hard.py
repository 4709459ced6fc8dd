"""Hard rules: a failure that was seen needs no statistics; that none was seen does."""

from __future__ import annotations

from collections import Counter
from typing import get_args

from passhat.compare import Tallies
from passhat.errors import UsageError
from passhat.gate.decision import Outcome, Settling, Verdict
from passhat.gate.policy import HardRule
from passhat.reliability import zero_failures_bound, zero_failures_needed
from passhat.reliability.wording import asked_percent, bound_text, counted
from passhat.result import CheckStatus, Trial

MOST_RUNS = 5


def hard_outcome(rule: HardRule, tallies: Tallies, confidence: float) -> Outcome:
    """What becomes of a hard rule.

    Args:
        rule: The rule.
        tallies: The trials; those count in which the agent ran, judged or not.
        confidence: Of the bound, where the rule does not say.

    Raises:
        UsageError: No trial was asked for the check.
    """
    told: dict[CheckStatus, list[tuple[Trial, str]]] = {
        status: [] for status in get_args(CheckStatus)
    }
    for tally in tallies.cases.values():
        for trial in tally.trials:
            result = trial.result(rule.check)
            if result is not None:
                told[result.status].append((trial, result.reason))
    if not any(told.values()):
        raise UsageError(absent_check(rule.check, tallies))
    held, failed, broken = told["passed"], told["failed"], told["error"]
    cases = {trial.case_id for trial, _ in (*held, *failed)}
    level = rule.confidence or confidence
    judged = len(held) + len(failed)
    bound = None if failed or not cases else zero_failures_bound(len(cases), level)
    verdict, reason, settle = _judged(rule, len(failed), judged, len(cases), bound, level)
    if broken and not failed:
        verdict = "inconclusive"
        reason = f"the check itself broke in {counted(len(broken), 'trial')}; {reason}"
        settle = Settling("nothing but mending the check: it broke where it should have judged")
    if silent := told["not_evaluated"]:
        reason += f"; nothing to judge in {counted(len(silent), 'trial')}{_mostly(silent)}"
    return Outcome(
        rule=rule.name,
        kind="hard",
        subject=rule.check,
        severity=rule.severity,
        verdict=verdict,
        reason=reason,
        value=len(failed) / judged if judged else None,
        confidence=level,
        limit=rule.below,
        cases=len(cases),
        trials=judged,
        failures=len(failed),
        bound=bound,
        runs=tuple(run_name(trial, why) for trial, why in (failed or broken)[:MOST_RUNS]),
        settling=settle,
    )


def _judged(
    rule: HardRule, failed: int, judged: int, cases: int, bound: float | None, level: float
) -> tuple[Verdict, str, Settling | None]:
    if failed:
        return "reject", f"failed in {failed:,} of {counted(judged, 'trial')}", None
    if bound is None:
        return (
            "inconclusive",
            "no trial could be judged by it",
            Settling("runs in which the check has something to judge"),
        )
    reason = (
        f"no failure in {counted(judged, 'trial')} of {counted(cases, 'case')}: at "
        f"{asked_percent(level)}, fewer than {bound_text(bound)} of such cases have one"
    )
    if rule.below is None or bound <= rule.below:
        return "accept", reason, None
    needed = zero_failures_needed(rule.below, level)
    return (
        "inconclusive",
        f"{reason}, which does not rule out {asked_percent(rule.below)}",
        Settling(
            f"{counted(needed, 'case')} without a failure; more trials of these would not do",
            needed,
        ),
    )


def _mostly(silent: list[tuple[Trial, str]]) -> str:
    """What most of the trials that could not be judged have for a reason."""
    why, _ = Counter(reason for _, reason in silent).most_common(1)[0]
    return f" ({why})" if why else ""


def absent_check(key: str, tallies: Tallies) -> str:
    """What to say of a check that the results do not have.

    >>> absent_check("polices", Tallies.of_counts([("a", 1, 1)]))
    "the results have no check 'polices': they have none; a rule that nothing answers is no pass"
    """
    from difflib import get_close_matches

    known = list(tallies.check_keys)
    near = get_close_matches(key, known, 1)
    told = f"did you mean {near[0]}?" if near else f"they have {', '.join(known) or 'none'}"
    return f"the results have no check {key!r}: {told}; a rule that nothing answers is no pass"


def run_name(trial: Trial, why: str = "") -> str:
    """A run as it is named beside a rule that it broke.

    >>> run_name(Trial("refund", 2, "t9", "failed"), "called delete_user")
    'refund #2 (t9): called delete_user'
    """
    known = f"{trial.case_id}/{trial.trial}"
    trace = f" ({trial.trace_id})" if trial.trace_id and trial.trace_id != known else ""
    return f"{trial.case_id} #{trial.trial}{trace}" + (f": {why}" if why else "")
