"""Our checks as ADK's metrics: the same verdict by both routes, and none that ADK passes over."""

import asyncio
from types import ModuleType
from typing import Any

import pytest
from adk_metrics import BOTH, Json, app_of, config, evalset, said, turn

import passhat
from passhat import Case, Suite
from passhat.grading import catalogue
from passhat_adk import metrics, register, to_suite, to_trace
from passhat_adk.evalsets import as_evalset
from passhat_adk.metrics import passhat_case, passhat_trajectory

pytestmark = pytest.mark.filterwarnings("ignore")


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
            "not evaluated: passhat_final_state, a criterion beside this one: ADK gives",
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
    assert reason.startswith("not evaluated: ADK gives metrics no state; ")
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
