"""Row and summary evaluators, called as LangSmith calls them."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from passhat.case import Case, ExpectedCall, Suite
from passhat.errors import UsageError
from passhat.grading.protocol import FunctionCheck
from passhat.trace import Trace
from passhat_langsmith import (
    as_evaluator,
    from_suite,
    pass_at_k,
    pass_hat_k,
    routing,
    success_rate,
    tool_f1,
)

pytest.importorskip("langsmith")

Json = dict[str, Any]


def run(*tools: str, error: str | None = None, **more: Any) -> Json:
    children = [
        {"id": f"t{at}", "name": name, "run_type": "tool", "inputs": {}, "outputs": {"output": at}}
        for at, name in enumerate(tools)
    ]
    root = {"id": str(uuid4()), "name": "Target", "run_type": "chain", "child_runs": children}
    return {**root, "inputs": {}, "outputs": {"output": "done"}, "error": error, **more}


def example(*tools: str, **outputs: Any) -> Json:
    held: Json = {"trajectory": list(tools)} if tools else {}
    return {"id": str(uuid4()), "inputs": {"q": "x"}, "outputs": held | outputs}


def feedback(evaluator: Any, *pair: Any) -> dict[str, Any]:
    results = evaluator.evaluate_run(*pair)["results"]
    return {one.key: one for one in results}


# Rows.


def test_all_that_an_example_expects() -> None:
    evaluator = as_evaluator()
    assert evaluator.feedback_keys == ["passhat_case"]
    found = feedback(evaluator, run("lookup"), example("lookup"))
    assert list(found) == ["passhat_case", "passhat_trajectory"]
    verdict = found["passhat_case"]
    assert (verdict.score, verdict.value) == (1.0, "passed")
    assert verdict.evaluator_info["lib"] == "passhat"
    assert verdict.metadata is None  # It would be dropped on its way; `extra` is not.


def test_a_failure_says_why_with_the_alignment() -> None:
    verdict = feedback(as_evaluator(), run("refund"), example("lookup"))["passhat_case"]
    assert (verdict.score, verdict.value) == (0.0, "failed")
    assert "lookup" in verdict.comment.splitlines()[0]
    assert len(verdict.comment.splitlines()) > 1


def test_an_example_without_expectations_is_not_evaluated_and_never_passed() -> None:
    verdict = feedback(as_evaluator(), run("lookup"), example())["passhat_case"]
    assert (verdict.score, verdict.value) == (None, "not_evaluated")
    assert verdict.comment == (
        "the example expects nothing: it has no keys of a case, and its reference outputs list no "
        "calls in expected_tool_calls, tool_calls, trajectory, expected_trajectory or messages"
    )
    alone = feedback(as_evaluator(), run("lookup"))["passhat_case"]
    assert alone.score is None
    assert "joins no case" in alone.comment


def test_one_check_with_options() -> None:
    evaluator = as_evaluator("trajectory", mode="exact")
    assert evaluator.feedback_keys == ["passhat_trajectory"]
    found = feedback(evaluator, run("lookup", "refund"), example("lookup"))
    assert list(found) == ["passhat_trajectory"]
    assert found["passhat_trajectory"].score == 0.0
    nothing = feedback(evaluator, run("lookup"), example())["passhat_trajectory"]
    assert (nothing.score, nothing.value) == (None, "not_evaluated")


def test_a_check_that_breaks_is_an_error_and_no_fail() -> None:
    def broken(trace: Trace, case: Case) -> bool:
        raise ValueError("kaput")

    found = feedback(as_evaluator(FunctionCheck("mine", broken)), run(), example("lookup"))
    mine = found["passhat_mine"]
    assert (mine.score, mine.value, mine.extra["error"]) == (None, "error", True)
    assert "kaput" in mine.comment


def test_a_run_or_an_example_that_cannot_be_read_is_an_error_under_the_stated_key() -> None:
    for pair in (
        ({"id": "r", "run_type": "chain", "inputs": 5}, example("lookup")),
        (run(), {"id": "e", "inputs": {}, "outputs": {"expected_calls": [5]}}),
    ):
        for evaluator in (as_evaluator(), as_evaluator("trajectory")):
            found = feedback(evaluator, *pair)
            assert list(found) == evaluator.feedback_keys
            one = found[evaluator.feedback_keys[0]]
            assert one.extra["error"] is True
            assert one.comment


def test_a_target_that_raised_failed_though_its_outputs_look_like_some() -> None:
    raised = run(error="ValueError('x')\n\nTraceback (most recent call last):\n ...")
    raised["outputs"] = {"output": None}
    verdict = feedback(as_evaluator(), raised, example("lookup"))["passhat_case"]
    assert (verdict.score, verdict.value, verdict.comment) == (
        0.0,
        "agent_error",
        "ValueError('x')",
    )
    quota = run(error="RateLimitError('Error code: 429')")
    verdict = feedback(as_evaluator(), quota, example("lookup"))["passhat_case"]
    assert (verdict.score, verdict.value) == (None, "infrastructure_error")
    for evaluator in (as_evaluator(), as_evaluator("trajectory"), as_evaluator("error_rate")):
        key = evaluator.judge.key or "trajectory"
        single = feedback(evaluator, quota, example("lookup"))[f"passhat_{key}"]
        assert (single.score, single.value) == (None, "not_evaluated")
        assert single.comment == "the run was lost to its surroundings: " + verdict.comment


def test_a_suite_whose_cases_the_examples_stand_for() -> None:
    suite = Suite("s", [Case("a", "x", expected_calls=["lookup"])])
    evaluator = as_evaluator(suite)
    made = from_suite(suite)[0]
    named = {"id": made["id"], "inputs": {}}
    odd = {**named, "metadata": {"passhat": {"id": []}}}
    for stands in ({"id": "a", "inputs": {}}, made, {**made, "id": UUID(made["id"])}, named, odd):
        assert feedback(evaluator, run("lookup"), stands)["passhat_case"].score == 1.0
    stranger = feedback(evaluator, run("lookup"), example("lookup"))["passhat_case"]
    assert (stranger.score, stranger.comment) == (None, "the trace joins no case")


def test_unknown_checks_and_options_are_told_at_once() -> None:
    with pytest.raises(UsageError, match="trajectori"):
        as_evaluator("trajectori")
    with pytest.raises(UsageError, match="colour"):
        as_evaluator("trajectory", colour=1)
    with pytest.raises(UsageError, match="colour"):
        as_evaluator(colour=1)
    with pytest.raises(UsageError, match="int"):
        as_evaluator(5)  # type: ignore[arg-type]


# Summaries.

GOOD, BAD = example("lookup"), example("refund")


def attempts(*pairs: tuple[Json, str]) -> tuple[list[Any], list[Any]]:
    """Runs that call the tool named, and their examples, as LangSmith hands them."""
    return [run(tool) for _, tool in pairs], [held for held, _ in pairs]


PAIRS = attempts(
    (GOOD, "lookup"),
    (BAD, "refund"),
    (GOOD, "lookup"),
    (BAD, "lookup"),
    (GOOD, "lookup"),
    (BAD, "lookup"),
    (BAD, "refund"),
)


@pytest.mark.parametrize(
    ("evaluator", "key", "score"),
    [
        (pass_hat_k(1), "pass^1", (1 + 1 / 2) / 2),
        (pass_hat_k(2), "pass^2", (1 + 1 / 6) / 2),
        (pass_hat_k(2, "trajectory"), "pass^2_trajectory", (1 + 1 / 6) / 2),
        (pass_at_k(2), "pass@2", (1 + 5 / 6) / 2),
        (success_rate(), "success_rate", 5 / 7),
        (tool_f1(), "tool_f1", 10 / 14),
    ],
)
def test_over_repetitions_grouped_by_example_with_unequal_counts(
    evaluator: Any, key: str, score: float
) -> None:
    found = evaluator(*PAIRS)
    assert found["key"] == key == evaluator.__name__
    assert found["score"] == pytest.approx(score)
    assert found["comment"]


def test_the_interval_stands_in_the_comment() -> None:
    assert "2 examples, 5 of 7 runs passed (95% interval" in pass_hat_k(2)(*PAIRS)["comment"]


def test_what_cannot_be_computed_says_why_instead_of_vanishing() -> None:
    found = pass_hat_k(4)(*PAIRS)
    assert (found["score"], found["value"]) == (None, "not_evaluated")
    assert "3" in found["comment"]
    nothing = success_rate()(*attempts((example(), "lookup")))
    assert nothing["score"] is None
    assert "1 not_evaluated" in nothing["comment"]


def test_failures_of_the_surroundings_are_left_out_and_told() -> None:
    runs = [run("lookup"), run(error="RateLimitError('Error code: 429')"), run(error="KeyError()")]
    found = success_rate()(runs, [GOOD] * 3)
    assert found["score"] == 0.5
    assert "left out: 1 infrastructure_error" in found["comment"]


def test_verdicts_of_the_row_evaluator_are_not_made_again() -> None:
    evaluator = as_evaluator()
    runs, examples = attempts((GOOD, "lookup"))
    evaluator.evaluate_run(runs[0], examples[0])
    runs[0]["child_runs"] = []
    assert pass_hat_k(1, by=evaluator)(runs, examples)["score"] == 1.0
    assert pass_hat_k(1)(runs, examples)["score"] == 0.0
    assert pass_hat_k(1, "trajectory", by=evaluator)(runs, examples)["score"] == 0.0


def test_routing_with_floors() -> None:
    billing, orders = example(route="billing"), example(route="orders")
    pairs = attempts((billing, "billing"), (billing, "orders"), (orders, "orders"))
    found = routing(["billing", "orders"], floors={"billing": 0.9})(*pairs)
    assert found["score"] == pytest.approx(2 / 3)
    assert found["value"] == "below_floor"
    assert "billing 0.500 of 2" in found["comment"]
    assert routing()(*PAIRS)["score"] is None


JUDGES = Suite(
    "s",
    [Case(name, "x", expected_calls=[name], route=name) for name in ("lookup", "refund")],
)


@pytest.mark.parametrize(
    ("evaluator", "key", "score"),
    [
        (pass_hat_k(1, by=JUDGES), "pass^1", 0.5),
        (pass_at_k(1, by=JUDGES), "pass@1", 0.5),
        (success_rate("trajectory", by=JUDGES), "success_rate_trajectory", 0.5),
        (tool_f1(by=JUDGES), "tool_f1", 0.5),
        (routing(["lookup", "refund"], by=JUDGES), "routing", 1 / 3),
    ],
)
def test_a_suite_may_judge(evaluator: Any, key: str, score: float) -> None:
    """The examples say nothing but which cases they are."""
    stands = [{"id": case.id, "inputs": {"q": "x"}} for case in JUDGES.cases]
    found = evaluator([run("lookup"), run("lookup")], stands)
    assert (found["key"], found["score"]) == (key, pytest.approx(score))


def test_k_and_by_are_checked_at_once() -> None:
    with pytest.raises(UsageError, match="whole number"):
        pass_hat_k(0)
    with pytest.raises(UsageError, match="`by`"):
        success_rate(by=5)


def test_an_example_is_read_once_for_all_its_repetitions_and_again_when_it_changed() -> None:
    judge = as_evaluator().judge
    example = {"id": "e", "inputs": {"n": 1}, "outputs": {"trajectory": ["lookup"]}}
    first = judge.case(example)
    assert judge.case({**example}) is first
    example["inputs"] = {"n": True}  # Equal to 1, and not the same.
    assert judge.case(example).input == {"n": True}  # type: ignore[union-attr]
    example["outputs"] = {"trajectory": ["refund"]}
    assert judge.case(example).expected_calls == (ExpectedCall("refund"),)  # type: ignore[union-attr]
    assert judge.cases["e"] is judge.case(example)
    live = {**example, "inputs": {"lock": object()}}
    assert judge.case(live) == judge.case(live)
