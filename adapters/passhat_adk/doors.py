"""ADK's doors: recorded runs through `LocalEvalService`, by our metrics and by ADK's own."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from passhat.case import Suite
from passhat.parity import Attempt, Door, Told, Verdict
from passhat.parity.reasons import parting
from passhat.state import snapshot
from passhat_adk.criteria import (
    CASE_METRIC,
    DIALECT,
    PREFIX,
    RESPONSE,
    TRAJECTORY,
    criteria_of,
    match_type,
)
from passhat_adk.evalsets import as_evalset
from passhat_adk.judging import told_alone
from passhat_adk.needs import need_adk
from passhat_adk.writing import invocations_of

if TYPE_CHECKING:
    from google.adk.evaluation.eval_metrics import EvalMetricResult

_APP = "passhat"
_BATCH = 200
_OURS_FOR = {TRAJECTORY: "trajectory", RESPONSE: "rouge1"}
"""ADK's own metrics that make no connection, and the check of ours that stands for each."""


def doors(suite: Suite) -> list[Door]:
    """ADK's doors for a suite: our metric with the plugin and without; ADK's own that it names."""
    kept = suite.extensions.get("adk")
    config = kept.get("config") if isinstance(kept, dict) else None
    own = [name for name in criteria_of(config) if name in _OURS_FOR]
    return [AdkDoor(recorded=True), AdkDoor(recorded=False), *map(AdkOwnDoor, own)]


class AdkDoor:
    """Judges attempts by the metric `passhat_case`, which ADK's `LocalEvalService` calls.

    Args:
        recorded: Whether the metric finds what `TracePlugin` records, or ADK's invocations alone.
    """

    requires: tuple[str, ...] = ("google-adk[eval]",)
    kind: Literal["ours", "theirs"] = "ours"

    def __init__(self, *, recorded: bool) -> None:
        self.recorded = recorded
        self.name = "adk" if recorded else "adk-no-plugin"
        with_plugin = "with TracePlugin" if recorded else "without TracePlugin"
        self.about = f"passhat_case in LocalEvalService, {with_plugin}"
        self.not_carried: tuple[str, ...] = (
            "a case that could not be judged is FAILED with score 0, since ADK passes over what is "
            "not evaluated; its reason says so",
            "runs with another number of turns than their case, which ADK refuses, and calls whose "
            "arguments are no object",
        )
        if not recorded:
            self.not_carried += (
                "ADK's invocations have no state, no times of calls, no errors of the run, no "
                "pauses and no calls made inside calls",
            )

    def verdicts(self, suite: Suite, attempts: Sequence[Attempt]) -> Sequence[Verdict]:
        """What ADK says of each attempt.

        Raises:
            MissingExtraError: ADK is not installed.
        """
        judged = _judged(suite, attempts, {CASE_METRIC}, recorded=self.recorded)
        return [
            Verdict(why_not=found) if isinstance(found, str) else self._verdict(one, found)
            for one, found in zip(attempts, judged, strict=True)
        ]

    def _verdict(self, attempt: Attempt, found: Mapping[str, EvalMetricResult]) -> Verdict:
        metric = found.get(CASE_METRIC)
        rubrics = (metric.details.rubric_scores if metric and metric.details else None) or []
        told = tuple(_told(one.rubric_id, one.rationale or "", one.score) for one in rubrics)
        told = tuple(one for one in told if "(informs)" not in one.status)
        if told and told[0].status == "error":  # The metric itself broke, and says why.
            return Verdict(why_not=told[0].reason)
        if (
            metric is not None
            and told
            and (metric.eval_status.name == "PASSED") != (told[0].status == "passed")
        ):
            told = (replaced_status(told[0], f"ADK says {metric.eval_status.name}"), *told[1:])
        if self.recorded:
            return Verdict(told)
        ids = [f"turn {at}" for at in range(len(attempt.trace.turns))]
        seen = told_alone(invocations_of(attempt.trace, ids), attempt.case.id)
        if attempt.case.initial_state is not None:  # The metric takes it from the case.
            seen = replace(seen, initial_state=attempt.trace.initial_state)
        return Verdict(told, seen=seen)

    def carries(self, told: Told) -> Told:
        """A status and a reason in one text; 1 or 0 for the case."""
        word = told.status.replace("_", " ")
        text = f"{word}: {told.reason}" if told.reason else word
        if told.key == "case":
            return Told("case", told.status, float(told.status == "passed"), text)
        return Told(told.key, told.status, told.score, "\n".join((text, *told.tables)))


def replaced_status(told: Told, status: str) -> Told:
    """The same with another status."""
    return Told(told.key, status, told.score, told.reason)


def _told(rubric: str | None, text: str, score: float | None) -> Told:
    """What a rubric score of ours says: its rationale is `status: reason`."""
    first = text.partition("\n")[0].partition(": ")[0]
    return Told((rubric or "").removeprefix(PREFIX), first.replace(" ", "_"), score, text)


class AdkOwnDoor:
    """Judges attempts by a metric of ADK's own that the suite's criteria name.

    Args:
        metric: `tool_trajectory_avg_score` or `response_match_score`.
    """

    requires: tuple[str, ...] = ("google-adk[eval]",)
    kind: Literal["ours", "theirs"] = "theirs"
    not_carried: tuple[str, ...] = ()

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.name = f"adk:{metric}"
        self.about = "ADK's own metric, as the suite's criteria have it"

    def carries(self, told: Told) -> Told:
        """The status alone."""
        return told

    def verdicts(self, suite: Suite, attempts: Sequence[Attempt]) -> Sequence[Verdict]:
        """What ADK's metric says of each attempt.

        Raises:
            MissingExtraError: ADK is not installed.
        """
        judged = _judged(suite, attempts, {self.metric}, recorded=False)
        return [
            self._verdict(suite, one, found) for one, found in zip(attempts, judged, strict=True)
        ]

    def _verdict(
        self, suite: Suite, attempt: Attempt, found: str | Mapping[str, EvalMetricResult]
    ) -> Verdict:
        if isinstance(found, str):
            return Verdict(why_not=found)
        metric = found.get(self.metric)
        if metric is None:
            return Verdict(why_not=f"ADK gave no {self.metric}")
        status = metric.eval_status.name.lower()
        score = "no score" if metric.score is None else f"{metric.score:.4g}"
        reason = f"ADK: {score} of {metric.threshold:g}"
        if self.metric == TRAJECTORY:
            criterion = criteria_of(suite.extensions["adk"]["config"])[TRAJECTORY]
            mode = match_type(criterion)
            ignored = bool(criterion.get("ignore_args") or criterion.get("ignoreArgs"))
            why = parting(DIALECT, mode, "ignore" if ignored else "exact", attempt)
            reason += f" ({mode.upper()})" + (f"; it {why}" if why else "")
        return Verdict((Told(_OURS_FOR[self.metric], status, metric.score, reason),))


def _judged(
    suite: Suite, attempts: Sequence[Attempt], metrics: set[str], *, recorded: bool
) -> list[str | dict[str, EvalMetricResult]]:
    """For each attempt ADK's results by metric, or why there are none."""
    need_adk()

    def work() -> list[str | dict[str, EvalMetricResult]]:
        with warnings.catch_warnings(), _unlogged():
            warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")
            return asyncio.run(_evaluated(suite, attempts, metrics, recorded=recorded))

    # In a thread of its own: the caller may be in an event loop.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@contextmanager
def _unlogged() -> Iterator[None]:
    """Within it our metrics write nothing into the log: a report tells all that they say."""
    log = logging.getLogger("passhat_adk.metrics")
    disabled, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = disabled


async def _evaluated(
    suite: Suite, attempts: Sequence[Attempt], metrics: set[str], *, recorded: bool
) -> list[str | dict[str, EvalMetricResult]]:
    from google.adk.evaluation.base_eval_service import EvaluateConfig, EvaluateRequest
    from google.adk.evaluation.eval_config import get_eval_metrics_from_config

    from passhat_adk.service import (
        config_from,
        fresh_set,
        inference,
        release,
        services_for,
        unplayable,
    )

    value, config, _ = as_evalset(_with_states(suite), app_name=_APP, judged=True)
    evalset = fresh_set(value, _APP)
    settings = config_from(_only(config or {}, metrics))
    service = services_for(evalset, settings, None, _APP, None, None)(None)
    wanted = get_eval_metrics_from_config(settings)
    found: list[str | dict[str, EvalMetricResult]] = [
        unplayable(one.trace, one.case) for one in attempts
    ]
    playable = [at for at, why in enumerate(found) if not why]
    for start in range(0, len(playable), _BATCH):
        played = {}
        for at in playable[start : start + _BATCH]:
            one = attempts[at]
            try:
                made = inference(
                    one.trace, one.case.id, _APP, evalset.eval_set_id, recorded=recorded
                )
            except ValueError as error:  # Of pydantic's: the run holds what no model of ADK's does.
                found[at] = f"ADK refuses the run: {error}"
                continue
            played[(made.inferences or [])[0].invocation_id] = (at, made)
        request = EvaluateRequest(
            inference_results=[made for _, made in played.values()],
            evaluate_config=EvaluateConfig(eval_metrics=wanted, parallelism=1),
        )
        try:
            async for result in service.evaluate(request):
                turns = result.eval_metric_result_per_invocation
                if turns:
                    at, _ = played[turns[0].actual_invocation.invocation_id]
                    told = result.overall_eval_metric_results
                    found[at] = {one.metric_name: one for one in told}
        finally:
            release(request.inference_results)
    return [item if item != "" else "ADK gave no result" for item in found]


def _with_states(suite: Suite) -> Suite:
    """The suite with the states themselves where it names files: an eval set holds none."""
    cases = tuple(
        replace(case, initial_state=snapshot(case.initial_state).value)
        if isinstance(case.initial_state, str)
        else case
        for case in suite.cases
    )
    defaults = {key: held for key, held in suite.defaults.items() if key != "initial_state"}
    return replace(suite, cases=cases, defaults=defaults)


def _only(config: Mapping[str, Any], metrics: set[str]) -> dict[str, Any]:
    """The configuration with some of its criteria: others may ask a model, or run others' code.

    Our metrics read an eval case as the criteria say that speak of calls and responses.
    """
    ours = {*metrics, *_OURS_FOR} if CASE_METRIC in metrics else metrics
    criteria = {name: item for name, item in criteria_of(config).items() if name in ours}
    custom = config.get("custom_metrics") or config.get("customMetrics") or {}
    kept = {name: item for name, item in custom.items() if name == CASE_METRIC}
    return {"criteria": criteria, "custom_metrics": kept} if kept else {"criteria": criteria}
