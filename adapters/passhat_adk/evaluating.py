"""`evaluate`: every case n times over ADK's own `LocalEvalService`, judged and counted."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from passhat.case import Suite
from passhat.errors import Place, SuiteError, UsageError
from passhat.grading import Grader
from passhat.reliability import Results
from passhat.result import Trial
from passhat.suitefile.joining import Joiner
from passhat.trace import Trace
from passhat_adk.apps import app_for
from passhat_adk.cautious import in_words, model_as_json
from passhat_adk.config import with_case_metric
from passhat_adk.evalsets import as_evalset
from passhat_adk.events import Run
from passhat_adk.failing import error_text, outcome_of
from passhat_adk.judging import trace_of as told_by
from passhat_adk.linting import is_storable
from passhat_adk.needs import need_adk
from passhat_adk.recorder import RECORDER, trace_of
from passhat_adk.rubriclint import repeated_rubrics
from passhat_adk.service import (
    config_from,
    fresh_set,
    inference,
    release,
    services_for,
    sessions_of,
    unplayable,
)
from passhat_adk.suites import to_suite

if TYPE_CHECKING:
    from google.adk.apps.app import App
    from google.adk.evaluation.base_eval_service import InferenceResult
    from google.adk.evaluation.eval_result import EvalCaseResult
    from google.adk.evaluation.eval_set_results_manager import EvalSetResultsManager
    from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider
    from google.adk.sessions.base_session_service import BaseSessionService


async def evaluate(
    agent: Any,
    evalset: Any,
    *,
    trials: int = 5,
    config: Any = None,
    traces: Iterable[Trace] | None = None,
    parallelism: int = 1,
    reset: Callable[[], object] | None = None,
    user_simulator: UserSimulatorProvider | None = None,
    results_manager: EvalSetResultsManager | None = None,
) -> Results:
    """The results of every case, tried n times in sessions of their own, over `LocalEvalService`.

    Args:
        agent: An agent, an app, a module or a module's dotted name; None with `traces`.
        evalset: An eval set (a file, JSON, or ADK's own object), or a suite.
        trials: How often each case is tried.
        config: The criteria, instead of the `test_config.json` beside the file. Ours is always
            among them.
        traces: Recorded traces to judge instead of running an agent; each joins its case as
            `passhat score` joins them.
        parallelism: How many runs go on at once. With one, no two share what a tool keeps in its
            module.
        reset: Called before every run, to undo what the last one did outside its session.
        user_simulator: Who plays the cases that are scenarios, instead of ADK's own.
        results_manager: Where ADK stores its results.

    Returns:
        A trial for each run, case by case. `native` is the list of ADK's `EvalCaseResult`s; None,
        with a warning, where a metric that is not ours ended ADK's evaluation.

    Raises:
        UsageError: Neither an agent nor traces were given, no trial is to be made, or ADK does not
            take the criteria.
        SuiteError: The eval set has faults, or rubric ids that ADK ends the run at.
        MissingExtraError: ADK is not installed.
    """
    need_adk()
    if (agent is None) == (traces is None):
        raise UsageError("give an agent to run, or `traces` to judge, and not both")
    if trials < 1 or parallelism < 1:
        raise UsageError(f"trials and parallelism are 1 or more, not {trials} and {parallelism}")
    if isinstance(evalset, Suite):
        if config is not None:
            raise UsageError("a suite says itself how it judges; `config` is for eval sets")
        suite = evalset
    else:
        suite = _with_ours(to_suite(evalset, config=config), evalset)
    with warnings.catch_warnings():
        # Most of ADK's evaluation says of itself that it is experimental, at each use: where
        # warnings are errors, that would fail every run.
        warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")
        app = None if agent is None else await app_for(agent)
        run = _Evaluation(suite, app, user_simulator, results_manager)
        if traces is not None:
            await run.judge(traces)
        else:
            await run.play(trials, parallelism, reset)
        native: list[EvalCaseResult] | None = None
        broke = ""
        try:
            native = await run.native()
        except Exception as error:  # A metric of somebody else's ended it; the trials are made.
            broke = f"{type(error).__name__}: {error}"
    if broke:
        warnings.warn(
            f"ADK's own evaluation ended in {broke}; the trials are judged, and `native` is None",
            stacklevel=2,
        )
    about = {"source": suite.name, "format": "adk", "judged_by": suite.name}
    return Results(tuple(run.trials), suite, about=about, native=native)


def evaluate_sync(agent: Any, evalset: Any, **options: Any) -> Results:
    """The same as `evaluate`, for code that is not async.

    Raises:
        UsageError: An event loop is running already; await `evaluate` there.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        running = False
    else:
        running = True
    if running:
        raise UsageError("an event loop is running: use `await passhat_adk.evaluate(...)`")
    return asyncio.run(evaluate(agent, evalset, **options))


@dataclass
class _Played:
    """One run: what ADK says of it, and the trace."""

    result: InferenceResult
    trace: Trace


class _Evaluation:
    """One suite on its way through ADK's evaluation."""

    def __init__(
        self,
        suite: Suite,
        app: App | None,
        user_simulator: UserSimulatorProvider | None,
        results_manager: EvalSetResultsManager | None,
    ) -> None:
        self.suite = suite
        self.trials: list[Trial] = []
        self._app = app
        self._name = app.name if app is not None else "passhat"
        value, config, _ = as_evalset(suite, app_name=self._name, judged=True)
        self._config = config_from(config or {})
        _check(value, results_manager)
        self._set = fresh_set(value, self._name)
        self._service = services_for(
            self._set, self._config, app, self._name, user_simulator, results_manager
        )
        self._sessions: dict[str, BaseSessionService] = {}
        self._played: list[InferenceResult] = []
        self._grader = Grader()

    async def play(self, trials: int, parallelism: int, reset: Callable[[], object] | None) -> None:
        """Runs every case n times."""
        gate = asyncio.Semaphore(parallelism)

        async def once(case_id: str, trial: int) -> tuple[str, int, _Played]:
            async with gate:
                if reset is not None:
                    reset()
                return case_id, trial, await self._once(case_id)

        jobs = [once(case.id, trial) for case in self.suite.cases for trial in range(trials)]
        for case_id, trial, played in await asyncio.gather(*jobs):
            self._take(played, case_id, trial)

    async def _once(self, case_id: str) -> _Played:
        from google.adk.evaluation.base_eval_service import InferenceConfig, InferenceRequest
        from google.adk.sessions.in_memory_session_service import InMemorySessionService

        request = InferenceRequest(
            app_name=self._name,
            eval_set_id=self._set.eval_set_id,
            eval_case_ids=[case_id],
            inference_config=InferenceConfig(parallelism=1),
        )
        sessions = InMemorySessionService()
        (found,) = [one async for one in self._service(sessions).perform_inference(request)]
        if found.session_id is not None:
            self._sessions[found.session_id] = sessions
        return _Played(found, _trace(found, case_id))

    def _take(self, played: _Played, case_id: str, trial: int) -> None:
        trace = replace(played.trace, case_id=case_id, trial=trial)
        judged = self._grader.grade(trace, self.suite.by_id[case_id])
        self.trials.append(judged)
        self._played.append(played.result)

    async def judge(self, traces: Iterable[Trace]) -> None:
        """Judges recorded traces; no agent runs."""
        joiner = Joiner(self.suite)
        for trace in traces:
            joined = joiner.join(trace)
            case = joined.case
            judged = self._grader.grade(trace, case, trial=joined.trial)
            self.trials.append(judged)
            if case is not None and not unplayable(trace, case):
                self._played.append(inference(trace, case.id, self._name, self._set.eval_set_id))

    async def native(self) -> list[EvalCaseResult]:
        """What ADK makes of the runs, by its own criteria and ours."""
        from google.adk.evaluation.base_eval_service import EvaluateConfig, EvaluateRequest
        from google.adk.evaluation.eval_config import get_eval_metrics_from_config

        if not self._played:
            return []
        request = EvaluateRequest(
            inference_results=self._played,
            evaluate_config=EvaluateConfig(
                eval_metrics=get_eval_metrics_from_config(self._config), parallelism=1
            ),
        )
        try:
            service = self._service(sessions_of(self._sessions))
            found = [result async for result in service.evaluate(request)]
        finally:
            release(self._played)
        order: dict[str | None, int] = {}
        for at, played in enumerate(self._played):
            for one in played.inferences or ():
                order[one.invocation_id] = at
            order[played.session_id] = at
        return sorted(found, key=lambda result: order[_name_of(result)])


def _name_of(result: EvalCaseResult) -> str | None:
    """The session of a result or, where it has none, its first invocation."""
    turns = result.eval_metric_result_per_invocation
    return result.session_id or (turns[0].actual_invocation.invocation_id if turns else None)


def _with_ours(suite: Suite, evalset: Any) -> Suite:
    """The suite of an eval set as its criteria judge it with ours among them."""
    kept = suite.extensions.get("adk")
    config = kept.get("config") if isinstance(kept, dict) else None
    return suite if config is None else to_suite(evalset, config=with_case_metric(config))


def _check(evalset: Mapping[str, Any], results_manager: EvalSetResultsManager | None) -> None:
    """Says before the runs what ADK would end at after them."""
    place = Place(None, None, "$.eval_cases")
    faults = [
        fault
        for case in evalset["eval_cases"]
        for fault in repeated_rubrics(case, place, case["eval_id"])
    ]
    if faults:
        raise SuiteError(faults)
    name = evalset["eval_set_id"]
    if results_manager is not None and not is_storable(name):
        raise UsageError(f"ADK stores no results of a set called {name!r}: rename it")


def _trace(result: InferenceResult, case_id: str) -> Trace:
    """The trace of a run: as the plugin recorded it, also where it ended in an exception."""
    session_id = result.session_id or case_id
    if result.inferences:
        actual = [model_as_json(one, in_words([])) for one in result.inferences]
        return told_by(actual, case_id)
    rows = RECORDER.of_session(session_id)
    trace = trace_of(rows) if rows else Run(session_id).finished()
    if trace.error is not None:
        return trace
    words = result.error_message or "the run gave nothing, and ADK says no reason"
    if rows:  # The agent did not fail: what failed is what played the user, or ADK itself.
        text = error_text("outside of the agent", words)
        return replace(trace, error=text, outcome="infrastructure_error")
    return replace(trace, error=words, outcome=outcome_of(None, words))
