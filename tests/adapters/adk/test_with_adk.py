"""What ADK itself loads and judges: the values that we write, and its own objects."""

from types import ModuleType
from typing import Any

import pytest
from adk_metrics import Json, config, evalset, turn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import passhat
from passhat import Case, Suite
from passhat.testing import essence
from passhat_adk import from_suite, from_trace, to_suite, to_trace
from passhat_adk.writing import invocations_of

pytestmark = pytest.mark.filterwarnings("ignore")


def test_sessions_and_invocations_that_we_write_are_adks(scripted: ModuleType) -> None:
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.sessions.session import Session

    from passhat.testing import CANONICAL

    for name, canonical in CANONICAL.items():
        if name == "unparsable_arguments":
            continue  # ADK cannot hold it
        session = Session.model_validate(from_trace(canonical.trace))
        if name == "structured_content":
            continue  # of parts of no world in particular the text alone is there
        assert essence(to_trace(session)) == essence(canonical.trace), name
        for one in invocations_of(canonical.trace):
            Invocation.model_validate(one)


def test_adks_own_objects_read_as_their_files_do(scripted: ModuleType) -> None:
    from google.adk.evaluation.base_eval_service import InferenceResult, InferenceStatus
    from google.adk.evaluation.eval_config import EvalConfig
    from google.adk.evaluation.eval_set import EvalSet

    written = evalset(turn("hi", ("f", {"x": None})), final_session_state={"a": 1})
    modelled = EvalSet.model_validate(written)
    asked = config(tool_trajectory_avg_score=1.0)
    suite = to_suite(written, config=asked)
    assert to_suite(modelled, config=EvalConfig.model_validate(asked)).cases == suite.cases
    assert EvalSet.model_validate(from_suite(suite)) == modelled
    conversation = modelled.eval_cases[0].conversation
    assert to_trace(conversation).calls[0].args == {"x": None}
    known: Json = {"app_name": "a", "eval_set_id": "s", "eval_case_id": "c", "session_id": None}
    done = InferenceResult(**known, inferences=conversation, status=InferenceStatus.SUCCESS)
    assert to_trace(done).case_id == "c"
    failed = InferenceResult(**known, status=InferenceStatus.FAILURE, error_message="503")
    assert to_trace(failed).outcome == "infrastructure_error"


def test_from_suite_writes_what_adk_loads(scripted: ModuleType) -> None:
    from google.adk.evaluation.eval_set import EvalSet

    value = from_suite(
        Suite(
            "s",
            (
                Case("a", "hi", expected_calls=["f"], initial_state={"k": 1}),
                Case("b", scenario={"goal": "Get it.", "persona": "shy"}, refuse=True),
                Case("c", turns=["one", {"input": "two", "expected_calls": [["f", "g"]]}]),
            ),
        )
    )
    loaded = EvalSet.model_validate(value)
    assert [case.eval_id for case in loaded.eval_cases] == ["a", "b", "c"]
    persona = loaded.eval_cases[1].conversation_scenario.user_persona  # type: ignore[union-attr]
    assert persona is not None
    assert persona.id == "shy"
    assert len(loaded.eval_cases[2].conversation or ()) == 2


USES = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["a", "b"]),
            "args": st.dictionaries(st.just("x"), st.sampled_from([1, 2, "1", [1, 2], None])),
        }
    ),
    max_size=4,
)
TURNS = st.lists(st.tuples(USES, USES), min_size=1, max_size=3)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TURNS, st.sampled_from(["EXACT", "IN_ORDER", "ANY_ORDER"]), st.booleans())
def test_a_suite_from_adk_gives_adks_verdicts(
    scripted: ModuleType, turns: list[Any], match_type: str, ignore_args: bool
) -> None:
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.evaluation.eval_metrics import EvalMetric, ToolTrajectoryCriterion
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator

    def said_by(side: int) -> list[Json]:
        return [
            {
                **turn("hi"),
                "invocation_id": f"e-{at}",
                "intermediate_data": {"tool_uses": uses[side]},
                "final_response": {"parts": [{"text": "ok"}]},
            }
            for at, uses in enumerate(turns)
        ]

    actual, expected = said_by(0), said_by(1)
    stated = {"threshold": 1.0, "match_type": match_type, "ignore_args": ignore_args}
    criterion = ToolTrajectoryCriterion.model_validate(stated)
    theirs = TrajectoryEvaluator(
        eval_metric=EvalMetric(metric_name="tool_trajectory_avg_score", criterion=criterion)
    ).evaluate_invocations(
        [Invocation.model_validate(one) for one in actual],
        [Invocation.model_validate(one) for one in expected],
    )
    suite = to_suite(evalset(*expected), config=config(tool_trajectory_avg_score=stated))
    ours = passhat.grade(to_trace(actual), suite.cases[0]).result("trajectory")
    assert ours is not None
    nothing_asked = match_type != "EXACT" and not any(uses[1] for uses in turns)
    if nothing_asked:  # there ADK passes whatever was called, and we say that nothing was asked
        assert (theirs.overall_eval_status.name, ours.status) == ("PASSED", "not_evaluated")
    else:
        assert ours.status == theirs.overall_eval_status.name.lower()
