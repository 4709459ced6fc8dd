"""Our checks as ADK's metrics: the same verdict by both routes, and none that ADK passes over."""

import asyncio
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

import passhat
from passhat import Case, Suite
from passhat.grading import catalogue
from passhat.testing import essence
from passhat_adk import from_suite, from_trace, metrics, register, to_suite, to_trace
from passhat_adk.evalsets import as_evalset
from passhat_adk.metrics import passhat_case, passhat_trajectory
from passhat_adk.writing import invocations_of

pytestmark = pytest.mark.filterwarnings("ignore")
Json = dict[str, Any]


def turn(text: str, *uses: tuple[str, Json], **more: Any) -> Json:
    return {
        "user_content": {"parts": [{"text": text}], "role": "user"},
        "intermediate_data": {"tool_uses": [{"name": n, "args": a} for n, a in uses]},
        **more,
    }


BOTH = (("lookup_order", {"order_id": "A1"}), ("issue_refund", {"order_id": "A1", "amount": 40.0}))


def evalset(*turns: Json, **more: Any) -> Json:
    return {
        "eval_set_id": "refunds",
        "eval_cases": [
            {
                "eval_id": "A1",
                "conversation": list(turns or (turn("Refund A1", *BOTH),)),
                "session_input": {"app_name": "shop", "user_id": "u", "state": {"tier": "gold"}},
                **more,
            }
        ],
    }


def config(**criteria: Any) -> Json:
    return {
        "criteria": criteria,
        "custom_metrics": {
            name: {"code_config": {"name": f"passhat_adk.metrics.{name}"}}
            for name in criteria
            if name.startswith("passhat_")
        },
    }


def said(result: Any, name: str) -> tuple[str, float | None, str]:
    found = next(m for m in result.overall_eval_metric_results if m.metric_name == name)
    reasons = "\n".join(score.rationale or "" for score in found.details.rubric_scores or ())
    return found.eval_status.name, found.score, reasons


def app_of(agent: Any) -> Any:
    from google.adk.apps.app import App

    from passhat_adk import TracePlugin

    return App(name="shop", root_agent=agent, plugins=[TracePlugin()])


@pytest.fixture
def booked() -> Iterator[str]:
    """A check of one's own that looks at the state."""

    @passhat.check("refund_booked", needs=("final_state", "initial_state"))
    def refund_booked(trace: passhat.Trace, case: Case) -> bool:
        assert trace.initial_state == {"tier": "gold"}
        return bool(trace.final_state["refunds"] == {"A1": 40.0})

    yield "passhat_refund_booked"
    del catalogue._OWN["refund_booked"]


def test_there_is_a_function_for_every_check() -> None:
    for key in catalogue.CATALOGUE:
        assert getattr(metrics, f"passhat_{key}").__name__ == f"passhat_{key}"
    with pytest.raises(AttributeError):
        _ = metrics.passhat_no_such_check  # type: ignore[attr-defined]


def test_both_routes_say_the_same(scripted: ModuleType, service: Any) -> None:
    from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY

    criteria: Json = {
        "passhat_case": {"threshold": 1.0},
        "passhat_trajectory": {"threshold": 1.0, "mode": "in_order", "match": {
            "issue_refund": {"amount": {"number": {"abs": 0.01}}}}},
        "passhat_budget": {"threshold": 1.0, "budget": {"tool_calls": 1}},
        "passhat_forbidden_calls": {"threshold": 1.0, "forbidden_calls": ["issue_refund"]},
    }  # fmt: skip
    registry = DEFAULT_METRIC_EVALUATOR_REGISTRY.fork()
    assert "passhat_case" in register(registry)
    cases = evalset(
        turn("Refund A1", BOTH[0], ("issue_refund", {"order_id": "A1", "amount": 40.001}))
    )
    by_path = asyncio.run(service(scripted.shop(), cases, config(**criteria)))[0]
    by_name = asyncio.run(
        service(scripted.shop(), cases, {"criteria": criteria}, registry=registry)
    )[0]
    for name in criteria:
        assert said(by_path, name) == said(by_name, name)
    assert said(by_path, "passhat_trajectory")[:2] == ("PASSED", 1.0)
    assert said(by_path, "passhat_case")[:2] == ("PASSED", 1.0)
    assert "tool_calls 2 is over 1" in said(by_path, "passhat_budget")[2]
    assert said(by_path, "passhat_forbidden_calls")[0] == "FAILED"


def test_the_case_is_judged_as_the_criteria_beside_it_say(
    scripted: ModuleType, service: Any
) -> None:
    cases = evalset(turn("Refund A1", BOTH[1]))
    loose = {"threshold": 1.0, "match_type": "IN_ORDER"}
    asked = config(tool_trajectory_avg_score=loose, passhat_case=1.0, passhat_trajectory=1.0)
    (result,) = asyncio.run(service(scripted.shop(), cases, asked))
    assert result.final_eval_status.name == "PASSED"
    exact = config(tool_trajectory_avg_score=1.0, passhat_case=1.0)
    (result,) = asyncio.run(service(scripted.shop(), cases, exact))
    assert said(result, "passhat_case")[0] == "FAILED"
    assert "lookup_order" in said(result, "passhat_case")[2]


def test_every_turn_has_the_verdict_of_the_case(scripted: ModuleType, service: Any) -> None:
    cases = evalset(
        turn("Refund A1", *BOTH), turn("Refund B2", ("lookup_order", {"order_id": "B2"}))
    )
    (result,) = asyncio.run(service(scripted.shop(), cases, config(passhat_case=1.0)))
    turns = [row.eval_metric_results[0] for row in result.eval_metric_result_per_invocation]
    assert [(row.eval_status.name, row.score) for row in turns] == [("FAILED", 0.0)] * 2


@pytest.mark.parametrize("threshold", [1.0, 0.5])
def test_agent_evaluator_cannot_average_a_failure_away(
    scripted: ModuleType, threshold: float
) -> None:
    from google.adk.evaluation.agent_evaluator import AgentEvaluator
    from google.adk.evaluation.eval_config import EvalConfig, get_eval_metrics_from_config
    from google.adk.evaluation.eval_set import EvalSet
    from google.adk.evaluation.metric_evaluator_registry import (
        DEFAULT_METRIC_EVALUATOR_REGISTRY,
        register_custom_metrics_from_config,
    )
    from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider

    runs = [0]

    def flaky(contents: Any) -> Any:
        if scripted.answers_since_user(contents) == 0:
            runs[0] += 1
        return scripted.REFUND(contents) if runs[0] % 4 else [scripted.says("No.")]

    chosen = EvalConfig.model_validate(config(passhat_case={"threshold": threshold}))
    grouped = asyncio.run(
        AgentEvaluator._get_eval_results_by_eval_id(
            agent_for_eval=scripted.shop(flaky),
            eval_set=EvalSet.model_validate(evalset()),
            eval_metrics=get_eval_metrics_from_config(chosen),
            num_runs=4,
            user_simulator_provider=UserSimulatorProvider(),
            app_name="shop",
            metric_evaluator_registry=register_custom_metrics_from_config(
                chosen, DEFAULT_METRIC_EVALUATOR_REGISTRY.fork()
            ),
        )
    )
    results = grouped["A1"]
    assert sorted(row.final_eval_status.name for row in results) == ["FAILED", *["PASSED"] * 3]
    failures = AgentEvaluator._process_metrics_and_get_failures(
        AgentEvaluator._get_eval_metric_results_with_invocation(results), False, "shop"
    )
    assert failures
    passing = [row for row in results if row.final_eval_status.name == "PASSED"]
    assert not AgentEvaluator._process_metrics_and_get_failures(
        AgentEvaluator._get_eval_metric_results_with_invocation(passing), False, "shop"
    )


def test_an_internal_error_fails_the_case_beside_a_metric_that_passes(
    scripted: ModuleType, service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(metrics, "judged", broken)
    configured = config(tool_trajectory_avg_score=1.0, passhat_case=1.0)
    (result,) = asyncio.run(service(scripted.shop(), evalset(), configured))
    assert said(result, "passhat_case")[0] == "FAILED"
    assert "ZeroDivisionError: division by zero" in said(result, "passhat_case")[2]
    assert result.final_eval_status.name == "FAILED"


@pytest.mark.parametrize(
    ("criterion", "told"),
    [
        ({"threshold": 1.0, "mod": "in_order"}, "unknown key 'mod', did you mean mode?"),
        ({"threshold": 1.0, "mode": "any_order"}, "any_order"),
        (
            {"threshold": 1.0, "match": {"issue_refund": {"amount": {"nummber": {}}}}},
            "is no matcher",
        ),
    ],
)
def test_a_criterion_that_means_nothing_fails_and_says_so(
    scripted: ModuleType, service: Any, criterion: Json, told: str
) -> None:
    (result,) = asyncio.run(
        service(scripted.shop(), evalset(), config(passhat_trajectory=criterion))
    )
    assert said(result, "passhat_trajectory")[0] == "FAILED"
    assert told in said(result, "passhat_trajectory")[2]


def test_a_tool_may_return_what_is_no_json(scripted: ModuleType, service: Any) -> None:
    def look() -> Json:
        """Looks."""
        return {"at": object()}

    rule = scripted.script([scripted.asks("look")], [scripted.says("Seen.")])
    agent = scripted.shop(rule, tools=[look])
    for app in (None, app_of(agent)):
        (result,) = asyncio.run(
            service(agent, evalset(turn("hi", ("look", {}))), config(passhat_case=1.0), app=app)
        )
        assert said(result, "passhat_case")[0] == "PASSED"


def test_expectations_reach_the_metric_by_rubrics(scripted: ModuleType, service: Any) -> None:
    suite = Suite(
        "refunds",
        (
            Case("ok", "Refund A1", before=[["lookup_order", "issue_refund"]]),
            Case("no", "Refund A1", forbidden_calls=["issue_refund"]),
        ),
    )
    value, asked, _ = as_evalset(suite, app_name="shop")
    results = asyncio.run(service(scripted.shop(), value, asked))
    assert {row.eval_id: row.final_eval_status.name for row in results} == {
        "ok": "PASSED", "no": "FAILED",
    }  # fmt: skip
    failed = next(row for row in results if row.eval_id == "no")
    assert "issue_refund" in said(failed, "passhat_case")[2]


def test_a_rubric_of_ours_that_is_not_understood_fails(scripted: ModuleType, service: Any) -> None:
    rubric = {
        "rubric_id": "passhat:1", "type": "PASSHAT_CHECK",
        "rubric_content": {"text_property": '{"forbid": ["x"]}'},
    }  # fmt: skip
    (result,) = asyncio.run(
        service(scripted.shop(), evalset(rubrics=[rubric]), config(passhat_case=1.0))
    )
    assert said(result, "passhat_case")[0] == "FAILED"
    assert "not understood" in said(result, "passhat_case")[2]


def test_rubrics_of_a_turn_are_of_that_turn(scripted: ModuleType, service: Any) -> None:
    def rubric(text: str) -> Json:
        return {
            "rubric_id": f"passhat:{text}", "type": "PASSHAT_CHECK",
            "rubric_content": {"text_property": text},
        }  # fmt: skip

    cases = evalset(
        turn("Refund A1", *BOTH, rubrics=[rubric('{"response": {"includes": ["Refunded"]}}')]),
        turn("And again", *BOTH, rubrics=[rubric('{"response": {"includes": ["never"]}}')]),
    )
    (result,) = asyncio.run(service(scripted.shop(), cases, config(passhat_case=1.0)))
    assert "turn 1" in said(result, "passhat_case")[2]
    assert "turn 0" not in said(result, "passhat_case")[2]


def test_state_reaches_checks_through_the_plugin(
    scripted: ModuleType, service: Any, booked: str
) -> None:
    agent = scripted.shop()
    configured = config(**{booked: 1.0, "tool_trajectory_avg_score": 1.0})
    (with_it,) = asyncio.run(service(agent, evalset(), configured, app=app_of(agent)))
    assert said(with_it, booked) == ("PASSED", 1.0, "passed")
    (without,) = asyncio.run(service(agent, evalset(), configured))
    status, score, reason = said(without, booked)
    assert (status, score) == ("FAILED", 0.0)
    assert reason.startswith("not evaluated: ")
    assert "final_state: ADK gives metrics no state; passhat_adk.TracePlugin()" in reason


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(
    ("state", "status"),
    [
        ({"order": "ORD-77123"}, "PASSED"),
        ({"user:orders": {"open": ["ORD-77123"]}}, "PASSED"),
        ({"order": "ORD-99999"}, "FAILED"),
        ({"temp:order": "ORD-77123"}, "FAILED"),  # ADK drops it before the run
    ],
)
def test_an_id_that_the_session_began_with_is_given(
    scripted: ModuleType, service: Any, state: Json, status: str, recorded: bool
) -> None:
    agent = scripted.shop(
        scripted.script(
            [scripted.asks("lookup_order", order_id="ORD-77123")], [scripted.says("Done.")]
        )
    )
    session = {"app_name": "shop", "user_id": "u", "state": state}
    cases = evalset(turn("Look up my order."), session_input=session)
    app = app_of(agent) if recorded else None
    (result,) = asyncio.run(service(agent, cases, config(passhat_provenance=1.0), app=app))
    assert said(result, "passhat_provenance")[0] == status


@pytest.mark.parametrize(("paid", "status"), [(40.0, "PASSED"), (999.0, "FAILED")])
def test_final_session_state_is_judged(
    scripted: ModuleType, service: Any, paid: float, status: str
) -> None:
    """ADK reads it nowhere, and gives metrics no eval case; both ways to it must work."""
    agent = scripted.shop(tools=[scripted.lookup_order, scripted.issue_refund])
    cases = evalset(final_session_state={"refunds": {"A1": paid}, "looked_up": "A1"})
    asked = config(passhat_case=1.0, passhat_final_state=1.0, passhat_state_unchanged=1.0)
    (result,) = asyncio.run(service(agent, cases, asked, app=app_of(agent)))
    assert said(result, "passhat_final_state")[0] == status
    assert said(result, "passhat_case")[0] == status
    assert said(result, "passhat_state_unchanged")[0] == "FAILED"
    if status == "FAILED":
        assert "999" in said(result, "passhat_case")[2]


def test_a_case_whose_state_nobody_saw_never_passes(scripted: ModuleType, service: Any) -> None:
    cases = evalset(final_session_state={"refunds": {"A1": 40.0}})
    configured = config(passhat_case=1.0, tool_trajectory_avg_score=1.0)
    (result,) = asyncio.run(service(scripted.shop(), cases, configured))
    assert result.final_eval_status.name == "FAILED"
    assert said(result, "passhat_case")[2].startswith("not evaluated: final_state")


@pytest.mark.parametrize(
    ("criteria", "final", "status", "told"),
    [
        # ADK would pass over what was not evaluated, beside a metric that passes.
        ({"passhat_final_state": {"threshold": 1.0}}, "FAILED", "FAILED", ""),
        (
            {"passhat_final_state": {"threshold": 1.0, "required": False}},
            "PASSED",
            "NOT_EVALUATED",
            "",
        ),
        (
            {"passhat_final_state": 1.0, "passhat_case": 1.0},
            "FAILED",
            "FAILED",
            "not evaluated: passhat_final_state, a criterion beside this one: final_state: ADK gives",
        ),
        (
            {"passhat_final_state": {"threshold": 1.0, "required": False}, "passhat_case": 1.0},
            "PASSED",
            "NOT_EVALUATED",
            "passed",
        ),
    ],
)
def test_what_could_not_be_judged_is_no_pass(
    scripted: ModuleType, service: Any, criteria: Json, final: str, status: str, told: str
) -> None:
    asked = config(tool_trajectory_avg_score=1.0, **criteria)
    (result,) = asyncio.run(service(scripted.shop(), evalset(), asked))
    assert said(result, "tool_trajectory_avg_score")[0] == "PASSED"
    assert said(result, "passhat_final_state")[0] == status
    reason = said(result, "passhat_final_state")[2]
    assert reason.startswith("not evaluated: final_state: ADK gives metrics no state; ")
    assert ('the criterion says "required": false' in reason) == (status == "FAILED")
    assert result.final_eval_status.name == final
    if "passhat_case" in criteria:
        assert said(result, "passhat_case")[2].startswith(told)
    suite = to_suite(evalset(), config=asked)
    trace = to_trace(
        [row.actual_invocation for row in result.eval_metric_result_per_invocation],
    )
    closed = final == "FAILED"
    assert passhat.grade(trace, suite.cases[0]).status == ("not_evaluated" if closed else "passed")


@pytest.mark.parametrize("threshold", [1.0, 0.5, 0.0])
def test_agent_evaluator_leaves_out_no_run_that_was_not_judged(
    scripted: ModuleType, service: Any, threshold: float
) -> None:
    """It takes the mean of the scores that there are: a run without one would not count."""
    from google.adk.evaluation.agent_evaluator import AgentEvaluator

    before = {"before": [["lookup_order", "issue_refund"]], "threshold": threshold}
    asked, rows = config(passhat_precedence=before), []
    for rule in (scripted.REFUND, scripted.script([scripted.says("No.")])):
        rows += asyncio.run(service(scripted.shop(rule), evalset(), asked))
    assert [said(row, "passhat_precedence")[:2] for row in rows] == [
        ("PASSED", 1.0), ("FAILED", 0.0),
    ]  # fmt: skip

    def failures(some: list[Any]) -> list[str]:
        found: list[str] = AgentEvaluator._process_metrics_and_get_failures(
            AgentEvaluator._get_eval_metric_results_with_invocation(some), False, "shop"
        )
        return found

    assert not failures(rows[:1])
    assert failures(rows[1:])
    assert failures(rows)


def test_the_plugin_records_state_times_and_nested_calls(
    scripted: ModuleType, service: Any
) -> None:
    from google.adk.runners import Runner
    from google.adk.sessions.in_memory_session_service import InMemorySessionService
    from google.adk.tools.agent_tool import AgentTool
    from google.genai import types

    one = scripted.shop(scripted.REFUND, "one", description="First.")
    two = scripted.shop(scripted.REFUND, "two", description="Second.")
    root = scripted.shop(
        scripted.script(
            [scripted.asks("one", request="A1"), scripted.asks("two", request="A1")],
            [scripted.says("never")],
            [scripted.says("Both done.")],
        ),
        tools=[AgentTool(one), AgentTool(two)],
    )
    app = app_of(root)

    async def play() -> Any:
        sessions = InMemorySessionService()
        session = await sessions.create_session(
            app_name="shop", user_id="u", state={"tier": "gold"}
        )
        async with Runner(app=app, session_service=sessions) as runner:
            message = types.Content(role="user", parts=[types.Part(text="Refund A1 twice")])
            async for _ in runner.run_async(
                user_id="u", session_id=session.id, new_message=message
            ):
                pass
        return app.plugins[0].trace(session.id)

    trace = asyncio.run(play())
    outer = {call.name: call for call in trace.calls}
    assert set(outer) == {"one", "two"}
    for name, call in outer.items():
        inner = [step for step in trace.all_calls if step.parent == call.id]
        assert [step.name for step in inner] == ["lookup_order", "issue_refund"]
        assert {step.agent for step in inner} == {name}
        assert all(step.succeeded for step in inner)
        assert call.started <= inner[0].started <= inner[-1].ended <= call.ended
    assert trace.initial_state == {"tier": "gold"}
    assert trace.final_state is not UNSET
    assert not any(key.startswith(("temp:", "__")) for key in trace.final_state)
    assert trace.final_response == "Both done."
    assert trace.seconds is not None


def test_a_metric_can_be_called_by_hand(scripted: ModuleType) -> None:
    from google.adk.evaluation.eval_case import ConversationScenario, Invocation
    from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric

    asked = EvalMetric(metric_name="m", criterion=BaseCriterion(threshold=1.0))
    actual = [Invocation.model_validate({**turn("hi", BOTH[0]), "invocation_id": "x"})]
    same = passhat_trajectory(asked, actual, actual, None)
    assert same.overall_eval_status.name == "PASSED"
    other = [Invocation.model_validate(turn("hi"))]
    assert passhat_trajectory(asked, actual, other, None).overall_eval_status.name == "FAILED"
    played = ConversationScenario(starting_prompt="hi", conversation_plan="ask")
    nothing = passhat_trajectory(asked, actual, None, played)
    assert nothing.overall_eval_status.name == "FAILED"
    free = EvalMetric(metric_name="m", criterion=BaseCriterion(threshold=1.0, required=False))
    nothing = passhat_trajectory(free, actual, None, played)
    assert nothing.overall_eval_status.name == "NOT_EVALUATED"
    assert passhat_case(asked, [], None, None).overall_eval_status.name == "NOT_EVALUATED"
    nothing_asked = passhat_case(asked, actual, None, played)
    assert nothing_asked.overall_eval_status.name == "FAILED"


def test_sessions_and_invocations_that_we_write_are_adks(scripted: ModuleType) -> None:
    from google.adk.evaluation.eval_case import Invocation
    from google.adk.sessions.session import Session

    from passhat.testing import CANONICAL

    for name, canonical in CANONICAL.items():
        if name == "structured_content" or name == "unparsable_arguments":
            continue  # the first has parts of no world in particular, the second ADK cannot hold
        session = Session.model_validate(from_trace(canonical.trace))
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
