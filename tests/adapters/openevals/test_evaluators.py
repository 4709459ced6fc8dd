"""Their evaluators as our checks, and ours called like theirs, with the real libraries."""

import asyncio
import copy
import math

import pytest
from msgspec.structs import replace

from passhat import Case, ExpectedCall, grade
from passhat.errors import UsageError
from passhat.recordings import to_trace as openai_trace
from passhat_openevals import as_check, as_evaluator, from_trace, to_trace

openevals = pytest.importorskip("openevals")
agentevals = pytest.importorskip("agentevals")

from agentevals.trajectory.match import (  # noqa: E402
    create_async_trajectory_match_evaluator,
    create_trajectory_match_evaluator,
)
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage  # noqa: E402


def calling(name, id="c1", **args):
    import json

    function = {"name": name, "arguments": json.dumps(args)}
    return {"id": id, "type": "function", "function": function}


def chat(*calls):
    asked = {"role": "assistant", "content": "", "tool_calls": list(calls)}
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in calls]
    return [
        {"role": "user", "content": "Refund A1"},
        asked,
        *results,
        {"role": "assistant", "content": "Done."},
    ]


REFUND = chat(calling("refund", order="A1"))
TRACE = openai_trace(REFUND)
CASE = Case("c", "Refund A1", reference=REFUND)


def judged(evaluator, trace=TRACE, case=CASE, **options):
    trial = grade(trace, case, checks=[as_check(evaluator, "e", **options)])
    return trial.results[0]


@pytest.mark.parametrize("mode", ["strict", "unordered", "subset", "superset"])
def test_a_trajectory_matcher_is_a_check(mode):
    evaluator = create_trajectory_match_evaluator(trajectory_match_mode=mode)
    assert judged(evaluator).status == "passed"
    other = openai_trace(chat(calling("refund", order="A2")))
    assert judged(evaluator, other).status == "failed"


def test_expected_calls_are_its_reference_where_the_case_has_none():
    evaluator = create_trajectory_match_evaluator(trajectory_match_mode="superset")
    case = Case("c", "Refund A1", expected_calls=[ExpectedCall("refund", {"order": "A1"})])
    assert judged(evaluator, case=case).status == "passed"
    case = Case("c", "Refund A1", expected_calls=[ExpectedCall("refund", {"order": "A2"})])
    assert judged(evaluator, case=case).status == "failed"


def test_without_a_reference_it_is_not_evaluated():
    evaluator = create_trajectory_match_evaluator()
    result = judged(evaluator, case=Case("c", "hi"))
    assert (result.status, result.reason) == (
        "not_evaluated",
        "the case has no reference to compare with",
    )


def test_an_async_evaluator_is_awaited_with_and_without_a_loop():
    evaluator = create_async_trajectory_match_evaluator(trajectory_match_mode="superset")
    assert judged(evaluator).status == "passed"

    async def inside():
        return judged(evaluator).status

    assert asyncio.run(inside()) == "passed"


def test_a_string_evaluator_sees_the_response():
    assert (
        judged(openevals.exact_match, case=Case("c", reference="Done."), outputs="response").status
        == "passed"
    )
    failed = judged(openevals.exact_match, case=Case("c", reference="Gone."), outputs="response")
    assert failed.status == "failed"
    by_response = Case("c", response={"equals": "Done."})
    assert judged(openevals.exact_match, case=by_response, outputs="response").status == "passed"


@pytest.mark.parametrize(("verdict", "status"), [("true", "passed"), ("false", "failed")])
def test_an_llm_judge_is_a_check(verdict, status):
    class Judge(GenericFakeChatModel):
        def with_structured_output(self, schema, **kwargs):
            return self | (
                lambda message: {"reasoning": "it says so", "score": message.content == "true"}
            )

    judge = Judge(messages=iter([AIMessage(verdict)]))
    evaluator = openevals.create_llm_as_judge(
        prompt="Is {outputs} right for {inputs}? {reference_outputs}", judge=judge
    )
    result = judged(evaluator)
    assert (result.status, result.score) == (status, float(verdict == "true"))
    assert "it says so" in result.reason


def test_it_is_given_copies():
    seen = []

    def spoils(*, inputs, outputs, reference_outputs):
        seen.append(copy.deepcopy((inputs, outputs, reference_outputs)))
        outputs[0]["content"] = reference_outputs[0]["content"] = "spoilt"
        inputs.append("spoilt")
        return True

    case = Case("c", [{"role": "user", "content": "hi"}], reference=REFUND)
    check = as_check(spoils)
    assert check.key == "spoils"
    for _ in range(2):
        assert check.judge(TRACE, case).status == "passed"
    assert seen[0] == seen[1]
    assert REFUND[0]["content"] == "Refund A1"


@pytest.mark.parametrize(
    ("said", "status", "score"),
    [
        (True, "passed", 1.0),
        (False, "failed", 0.0),
        (1, "passed", 1.0),
        (0.5, "failed", 0.5),
        ({"score": 1.0, "comment": "fine"}, "passed", 1.0),
        ({"key": "k", "score": 0, "comment": "no"}, "failed", 0.0),
        ({"score": None}, "not_evaluated", None),
        (None, "not_evaluated", None),
        ([], "not_evaluated", None),
        ([{"key": "a", "score": 1}, {"key": "b", "score": 0.5}], "failed", 0.75),
        ({"results": [{"key": "a", "score": True}]}, "passed", 1.0),
        ([{"score": 1}, {"score": 7}], "error", None),
        (1.5, "error", None),
        (-0.1, "error", None),
        (math.nan, "error", None),
        (math.inf, "error", None),
        ("good", "error", None),
        ({"verdict": "good"}, "error", None),
        ({"score": "1"}, "error", None),
    ],
)
def test_whatever_it_gives_is_a_result(said, status, score):
    result = judged(lambda *, outputs: said)
    assert (result.status, result.score) == (status, score)
    assert result.reason or status == "passed"


def test_what_it_raises_is_an_error():
    def broken(*, outputs):
        raise KeyError("messages")

    result = judged(broken)
    assert (result.status, result.reason) == ("error", "the evaluator raised KeyError: 'messages'")


def test_a_threshold_says_when_a_score_passes():
    assert judged(lambda *, outputs: 0.8, at_least=0.8).status == "passed"
    assert judged(lambda *, outputs: 0.7, at_least=0.8).status == "failed"
    with pytest.raises(UsageError):
        as_check(lambda *, outputs: 1, "e", at_least=2)


def test_what_is_no_evaluator_is_refused():
    with pytest.raises(UsageError, match="called"):
        as_check("trajectory")
    with pytest.raises(UsageError, match="no name"):
        as_check(lambda *, outputs: 1)
    with pytest.raises(UsageError, match="outputs"):
        as_check(openevals.exact_match, outputs="answer")
    assert as_check(create_trajectory_match_evaluator()).key == "trajectory_match_evaluator"


def test_all_forms_of_messages_become_one_trace():
    langchain = [
        HumanMessage("Refund A1"),
        AIMessage("", tool_calls=[{"name": "refund", "args": {"order": "A1"}, "id": "c1"}]),
        ToolMessage("ok", tool_call_id="c1"),
        AIMessage("Done."),
    ]
    before = copy.deepcopy(langchain)
    mixed = [REFUND[0], *langchain[1:]]
    for given in (langchain, mixed, {"messages": langchain}, {"messages": REFUND}, REFUND):
        trace = to_trace(given)
        assert [(call.name, call.args, call.result) for call in trace.calls] == [
            ("refund", {"order": "A1"}, "ok")
        ]
        assert trace.final_response == "Done."
    assert langchain == before
    assert to_trace(REFUND[-1]).final_response == "Done."
    assert to_trace(None).steps == ()


def test_ours_is_called_like_theirs():
    ours = as_evaluator("trajectory", mode="exact")
    theirs = create_trajectory_match_evaluator()
    for outputs in (REFUND, chat(calling("refund", order="A2")), chat()):
        given = copy.deepcopy(outputs)
        mine = ours(outputs=given, reference_outputs=REFUND)
        assert given == outputs
        assert set(mine) == {"key", "score", "comment", "metadata"}
        assert mine["key"] == "passhat_trajectory"
        assert (
            bool(mine["score"])
            == theirs(outputs=given, reference_outputs=copy.deepcopy(REFUND))["score"]
        )


def test_it_gives_the_verdict_that_grade_gives():
    case = Case("c", "Refund A1", expected_calls=["refund", "mail"], forbidden_calls=["refund"])
    trial = grade(TRACE, case)
    given = as_evaluator(case)(outputs=from_trace(TRACE))
    assert given[0]["key"] == "passhat_case"
    assert given[0]["score"] == 0.0
    assert given[0]["comment"] == trial.reason
    required = [one for one in trial.results if one.required]
    assert [(one["key"], one["score"], one["metadata"]["status"]) for one in given[1:]] == [
        (f"passhat_{one.key}", one.score, one.status) for one in required
    ]
    assert all(one.reason in said["comment"] for one, said in zip(required, given[1:], strict=True))


def test_a_run_that_its_surroundings_lost_has_no_score():
    lost = replace(openai_trace(REFUND[:1]), error="429", outcome="infrastructure_error")
    case = Case("c", expected_calls=["refund"])
    told = "the run was lost to its surroundings: 429"
    single = as_evaluator("trajectory")(outputs=lost, reference_outputs=case)
    assert (single["score"], single["comment"]) == (None, told)
    whole, check = as_evaluator(case)(outputs=lost)
    assert (whole["score"], whole["metadata"]) == (None, {"status": "infrastructure_error"})
    assert (check["score"], check["metadata"]) == (None, {"status": "not_evaluated"})


def test_keys_of_a_case_count_beside_an_answer_as_in_a_dataset_of_langsmith():
    judge = as_evaluator()
    for reference in ({"forbidden_calls": ["refund"]}, {"expected_calls": ["g"], "mode": "exact"}):
        for beside in ({}, {"answer": 4}, {"answer": 4, "response": "Paris"}):
            whole, *_ = judge(outputs=REFUND, reference_outputs={**reference, **beside})
            assert (whole["score"], whole["metadata"]["status"]) == (0.0, "failed")
    plain = judge(outputs=REFUND, reference_outputs={"response": "Paris", "points": 3})
    assert plain[0]["metadata"]["status"] == "not_evaluated"


def test_reference_outputs_may_be_keys_of_a_case_or_nothing():
    judge = as_evaluator()
    assert (
        judge(outputs=REFUND, reference_outputs={"expected_calls": ["refund"]})[0]["score"] == 1.0
    )
    assert judge(outputs=REFUND, reference_outputs=CASE)[0]["metadata"]["status"] == "not_evaluated"
    nothing = judge(outputs=REFUND, inputs="hi")[0]
    assert (nothing["score"], nothing["metadata"]["status"]) == (None, "not_evaluated")


class Broken:
    def model_dump(self, **options):
        raise ValueError("kaput")


def test_what_it_cannot_read_is_an_error_and_never_raises():
    judge = as_evaluator("trajectory")
    for outputs, reference in (
        ([{"role": "wizard"}], REFUND),
        (REFUND, {"expected_calls": 5}),
        (7, REFUND),
        ([Broken()], REFUND),
        (REFUND, Broken()),
    ):
        said = judge(outputs=outputs, reference_outputs=reference)
        assert (said["score"], said["metadata"]["status"]) == (None, "error")
        assert said["comment"]


def test_wrong_options_are_told_at_once():
    with pytest.raises(UsageError):
        as_evaluator("trajektory")
    with pytest.raises(UsageError):
        as_evaluator("trajectory", moode="exact")
    with pytest.raises(UsageError):
        as_evaluator(CASE, mode="exact")


def test_theirs_as_ours_as_theirs():
    check = as_check(create_trajectory_match_evaluator(trajectory_match_mode="superset"), "t")
    assert as_evaluator(check)(outputs=REFUND, reference_outputs=REFUND)["score"] == 1.0
