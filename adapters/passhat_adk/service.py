"""ADK's own evaluation over one eval set: its service, and recorded traces as its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from passhat.case import Case
from passhat.errors import UsageError
from passhat.trace import Trace
from passhat_adk.config import read_config
from passhat_adk.recorder import RECORDER
from passhat_adk.writing import invocations_of

if TYPE_CHECKING:
    from google.adk.apps.app import App
    from google.adk.evaluation.base_eval_service import InferenceResult
    from google.adk.evaluation.eval_config import EvalConfig
    from google.adk.evaluation.eval_set import EvalSet
    from google.adk.evaluation.eval_set_results_manager import EvalSetResultsManager
    from google.adk.evaluation.local_eval_service import LocalEvalService
    from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider
    from google.adk.sessions.base_session_service import BaseSessionService
    from google.adk.sessions.session import Session


def config_from(value: Mapping[str, Any]) -> EvalConfig:
    """A configuration as ADK's own object.

    Raises:
        UsageError: ADK does not take it.
    """
    from google.adk.evaluation.eval_config import EvalConfig
    from pydantic import ValidationError

    try:
        return EvalConfig.model_validate(read_config(value))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"ADK does not take the criteria: {where}: {first['msg']}") from error


def fresh_set(value: dict[str, Any], app_name: str) -> EvalSet:
    """The eval set with sessions of this app, none of them pinned to an id."""
    from google.adk.evaluation.eval_set import EvalSet

    for case in value["eval_cases"]:
        session = case.get("session_input")
        if session is not None:
            session.pop("session_id", None)
            session["app_name"] = app_name
            session["user_id"] = session.get("user_id") or "user"
    return EvalSet.model_validate(value)


def services_for(
    evalset: EvalSet,
    config: EvalConfig,
    app: App | None,
    app_name: str,
    user_simulator: UserSimulatorProvider | None,
    results_manager: EvalSetResultsManager | None,
) -> Callable[[BaseSessionService | None], LocalEvalService]:
    """Gives ADK's service over one eval set, with the metrics of a configuration, for some sessions.

    Services of sessions apart share nothing that a run could leave behind: ADK keeps state under
    `user:` and `app:` for all sessions together.
    """
    from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
    from google.adk.evaluation.local_eval_service import LocalEvalService
    from google.adk.evaluation.metric_evaluator_registry import (
        DEFAULT_METRIC_EVALUATOR_REGISTRY,
        register_custom_metrics_from_config,
    )
    from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider

    manager = InMemoryEvalSetsManager()
    manager.create_eval_set(app_name, evalset.eval_set_id)
    for case in evalset.eval_cases:
        manager.add_eval_case(app_name, evalset.eval_set_id, case)
    registry = register_custom_metrics_from_config(config, DEFAULT_METRIC_EVALUATOR_REGISTRY.fork())
    root: Any = app.root_agent if app is not None else None
    simulator = user_simulator or UserSimulatorProvider(
        user_simulator_config=config.user_simulator_config
    )

    def made(sessions: BaseSessionService | None) -> LocalEvalService:
        return LocalEvalService(
            root_agent=root,
            eval_sets_manager=manager,
            metric_evaluator_registry=registry,
            session_service=sessions,
            eval_set_results_manager=results_manager,
            user_simulator_provider=simulator,
            app=app,
        )

    return made


def sessions_of(services: Mapping[str, BaseSessionService]) -> BaseSessionService:
    """The sessions of several services as one, each by its id."""
    from google.adk.sessions.in_memory_session_service import InMemorySessionService

    class Together(InMemorySessionService):
        """Looks a session up where it was kept."""

        async def get_session(self, *, session_id: str, **whose: Any) -> Session | None:
            held = services.get(session_id)
            return None if held is None else await held.get_session(session_id=session_id, **whose)

    return Together()


def unplayable(trace: Trace, case: Case) -> str:
    """Why ADK cannot judge a recorded trace; empty where it can.

    >>> unplayable(Trace("t"), Case("a"))
    'the trace has no turns, and ADK judges turns'
    """
    if not trace.turns:
        return "the trace has no turns, and ADK judges turns"
    if any(call.args_error is not None for call in trace.all_calls):
        return "a call has arguments that are no object, which ADK has no place for"
    turns = len(case.turns or (None,))
    if case.scenario is None and len(trace.turns) != turns:
        return f"the case has {turns} and the run {len(trace.turns)} turns, which ADK refuses"
    return ""


def release(played: Iterable[InferenceResult]) -> None:
    """Lets go of the recorded traces that metrics were to find, once they have judged them."""
    for one in played:
        RECORDER.release(turn.invocation_id for turn in one.inferences or ())


def inference(
    trace: Trace, case_id: str, app_name: str, set_id: str, *, recorded: bool = True
) -> InferenceResult:
    """A recorded trace as if ADK had just run it.

    Args:
        trace: The trace.
        case_id: Its case.
        app_name: The app.
        set_id: The eval set.
        recorded: Whether metrics find the trace itself, as if `TracePlugin` had recorded it, until
            `release`; or only what ADK's invocations tell of it.
    """
    from google.adk.evaluation.base_eval_service import InferenceResult, InferenceStatus
    from google.adk.evaluation.eval_case import Invocation

    ids = [f"passhat-{uuid4()}" for _ in trace.turns]
    if recorded:
        RECORDER.put_trace(ids, trace)
    made: Sequence[dict[str, Any]] = invocations_of(trace, ids)
    return InferenceResult(
        app_name=app_name,
        eval_set_id=set_id,
        eval_case_id=case_id,
        inferences=[Invocation.model_validate(one) for one in made],
        session_id=None,
        status=InferenceStatus.SUCCESS,
    )
