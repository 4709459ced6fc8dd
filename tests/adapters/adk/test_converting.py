"""What `passhat convert --to adk` writes is what ADK itself reads, and judges as the suite does."""

import json

import pytest

from passhat import Case, ExpectedCall, Suite, grade
from passhat.convert import convert_file
from passhat.suitefile import write_suite
from passhat.testing import call, calls, says, trace_of, user
from passhat_adk.evalsets import as_evalset

pytest.importorskip("google.adk")

CALLS = {"refund": {"order": "A1"}, "mail": {"to": "ann"}}


def expected(*names):
    return tuple(ExpectedCall(name, CALLS[name], extra_args="forbid") for name in names)


@pytest.mark.parametrize("mode", ["exact", "in_order", "superset"])
def test_a_native_criterion_gives_the_verdict_of_the_suite(mode, tmp_path):
    from google.adk.evaluation.eval_case import IntermediateData, Invocation
    from google.adk.evaluation.eval_config import EvalConfig
    from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus
    from google.adk.evaluation.eval_set import EvalSet
    from google.adk.evaluation.trajectory_evaluator import TrajectoryEvaluator
    from google.genai import types

    # Of several calls ADK sees an order even in those that were asked for together.
    wants = expected("refund", "mail") if mode == "superset" else expected("refund")
    case = Case("a", "Refund A1", expected_calls=wants, mode=mode, retries="count")
    source = write_suite(Suite("s", (case,)), tmp_path / "s.yaml")
    convert_file(source, tmp_path / "s.evalset.json", to="adk")
    evalset = EvalSet.model_validate_json((tmp_path / "s.evalset.json").read_bytes())
    held = json.loads((tmp_path / "test_config.json").read_text())
    config = EvalConfig.model_validate(held)
    (name, criterion), *others = config.criteria.items()
    assert not others
    metric = EvalMetric(metric_name=name, threshold=1.0, criterion=criterion)
    wanted = evalset.eval_cases[0].conversation
    for made in (
        (),
        ("refund",),
        ("refund", "mail"),
        ("mail", "refund"),
        ("refund", "mail", "mail"),
    ):
        uses = [types.FunctionCall(name=one, args=CALLS[one]) for one in made]
        turn = Invocation(
            user_content=wanted[0].user_content, intermediate_data=IntermediateData(tool_uses=uses)
        )
        theirs = TrajectoryEvaluator(eval_metric=metric).evaluate_invocations([turn], wanted)
        steps = [calls(call(one, **CALLS[one]).returns("ok")) for one in made]
        ours = grade(trace_of(user("Refund A1"), *steps, says("Done.")), case)
        assert (theirs.overall_eval_status is EvalStatus.PASSED) == ours.passed, (mode, made)


def test_what_no_criterion_says_is_judged_by_our_metric(tmp_path):
    from google.adk.evaluation.eval_config import EvalConfig

    case = Case("a", "hi", expected_calls=["refund"], forbidden_calls=["mail"])
    source = write_suite(Suite("s", (case,)), tmp_path / "s.yaml")
    convert_file(source, tmp_path / "s.evalset.json", to="adk")
    config = EvalConfig.model_validate_json((tmp_path / "test_config.json").read_bytes())
    assert list(config.custom_metrics) == ["passhat_case"]


def test_what_adk_has_no_key_for_is_told_as_carried_and_not_as_kept():
    case = Case("a", "hi", reference={"steps": [["a"]]}, initial_state=[{"n": 1}])
    notes = {note.what: note for note in as_evalset(Suite("s", (case,)))[2]}
    assert (notes["a: reference"].kind, notes["a: reference"].note) == ("carried", "in a rubric")
    assert "in a rubric" in notes["a: initial_state"].note
    plain = Case("a", "hi", reference="Done.", initial_state={"n": 1}, tags=["x"])
    notes = {note.what: note for note in as_evalset(Suite("s", (plain,)))[2]}
    assert notes["a: reference"].note == "final_response"
    assert notes["a: initial_state"].note.startswith("session_input.state")
