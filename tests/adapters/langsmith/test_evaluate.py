"""`evaluate` over LangSmith's own."""

import asyncio
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from langsmith_stand_in import runs

from passhat.case import Case, Suite
from passhat.errors import PasshatError, UsageError
from passhat_langsmith import (
    ExperimentError,
    aevaluate,
    as_examples,
    evaluate,
    from_suite,
    offline_client,
    pass_hat_k,
)

langsmith = pytest.importorskip("langsmith")
run_trees = pytest.importorskip("langsmith.run_trees")

SUITE = Suite(
    "orders",
    [
        Case("lookup", {"order": "A1"}, expected_calls=[{"name": "lookup", "args": {"id": "A1"}}]),
        Case("none", {"order": "none"}, expected_calls=[]),
    ],
)


@langsmith.traceable(run_type="tool")
def lookup(id: str) -> str:
    return "shipped"


def agent(inputs: dict[str, Any]) -> dict[str, Any]:
    order = inputs.pop("order")  # What a target does to its inputs must reach no other trial.
    return {"output": lookup(id=order) if order != "none" else "Which order?"}


def test_a_suite_tried_n_times() -> None:
    results = evaluate(agent, SUITE, trials=3, local=True)
    assert [(one.case_id, one.trial, one.status) for one in results] == [
        (id, trial, "passed") for id in ("lookup", "none") for trial in range(3)
    ]
    assert results.summary().pass_hat_k[3] == 1.0
    assert results.suite == SUITE
    assert len(results.native) == 6


def test_examples_say_themselves_what_they_expect() -> None:
    examples = [
        {"id": "a", "inputs": {"order": "A1"}, "outputs": {"expected_tool_calls": ["lookup"]}},
        {"id": "b", "inputs": {"order": "none"}, "outputs": {"answer": "Which?"}},
    ]
    results = evaluate(agent, examples, trials=1, local=True)
    assert [one.status for one in results] == ["passed", "not_evaluated"]
    assert results.native._summary_results["results"] == []


def test_summary_evaluators_and_evaluators_of_ones_own() -> None:
    def mine(outputs: dict[str, Any]) -> bool:
        return outputs["output"] == "shipped"

    results = evaluate(
        agent,
        SUITE,
        trials=2,
        local=True,
        evaluators=[mine],
        summary_evaluators=[pass_hat_k(2, by=SUITE), pass_hat_k(3, by=SUITE)],
    )
    found = {one.key: one for one in results.native._summary_results["results"]}
    assert found["pass^2"].score == 1.0
    assert found["pass^3"].score is None
    assert found["pass^3"].comment
    keys = {one.key for row in results.native for one in row["evaluation_results"]["results"]}
    assert keys == {"passhat_case", "passhat_trajectory", "mine"}


def test_trials_stand_in_the_order_of_their_cases_whichever_ended_first() -> None:
    def waiting(inputs: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.2 if inputs["order"] == "A1" else 0)
        return agent(inputs)

    results = evaluate(waiting, SUITE, trials=2, local=True, max_concurrency=4)
    assert [(one.case_id, one.trial, one.status) for one in results] == [
        (id, trial, "passed") for id in ("lookup", "none") for trial in range(2)
    ]


def test_a_target_that_raises_fails_and_the_others_go_on() -> None:
    def raising(inputs: dict[str, Any]) -> dict[str, Any]:
        if inputs["order"] == "none":
            raise ValueError("kaput")
        return agent(inputs)

    for handling in ("log", "ignore"):  # Which leaves the example's id out of the run.
        results = evaluate(raising, SUITE, trials=2, local=True, error_handling=handling)
        assert [one.status for one in results] == ["passed"] * 2 + ["agent_error"] * 2
        assert [one.case_id for one in results] == ["lookup"] * 2 + ["none"] * 2
        assert results.trials[2].reason == "ValueError('kaput')"


def test_a_run_that_cannot_be_told_costs_itself_alone() -> None:
    class Untold:
        def model_dump(self) -> None:
            raise ValueError("kaput")

    def untold(inputs: dict[str, Any]) -> dict[str, Any]:
        more = {"more": Untold()} if inputs["order"] == "none" else {}
        return {**agent(inputs), **more}

    results = evaluate(untold, SUITE, trials=1, local=True)
    assert [one.status for one in results] == ["passed", "check_error"]
    assert "ValueError('kaput')" in results.trials[1].reason


def test_what_langsmith_keeps_to_itself_is_raised() -> None:
    def interrupting(inputs: dict[str, Any]) -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(interrupting, SUITE, trials=1, local=True)

    def breaking() -> Iterator[Any]:
        yield from as_examples(SUITE)[:1]
        raise RuntimeError("no more examples")

    with pytest.raises(RuntimeError, match="no more examples"):
        evaluate(agent, breaking(), trials=1, local=True)


def _raising_summary(runs: Any, examples: Any) -> Any:
    raise ValueError("no summary")


async def _async_summary(runs: Any, examples: Any) -> Any:
    return {"key": "late", "score": 1}


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        (_raising_summary, r"_raising_summary raised ValueError\('no summary'\)"),
        (lambda runs, examples: None, "which is no result"),
        (lambda runs, examples: {}, "which is no result"),
        (_async_summary, "_async_summary is async"),
    ],
)
def test_a_summary_evaluator_that_theirs_would_drop_is_heard_of(summary: Any, said: str) -> None:
    with pytest.raises(PasshatError, match=said) as raised:
        evaluate(
            agent,
            SUITE,
            trials=1,
            local=True,
            summary_evaluators=[summary, pass_hat_k(1, by=SUITE)],
        )
    if isinstance(raised.value, ExperimentError):  # The others, and all that ran, came.
        assert [one.status for one in raised.value.results] == ["passed"] * 2
        summaries = raised.value.results.native._summary_results["results"]
        assert [(one.key, one.score) for one in summaries] == [("pass^1", 1.0)]
        assert raised.value.__cause__ is not None


def test_what_a_summary_evaluator_gives_is_kept_whatever_its_form() -> None:
    def share(runs: Any, examples: Any) -> Any:
        return 0.5

    def right(runs: Any, examples: Any) -> Any:
        return True

    def several(runs: Any, examples: Any) -> Any:
        return [{"key": "a", "score": 1}, {"key": "b", "value": "x"}]

    def by_name(outputs: list[Any], reference_outputs: list[Any]) -> Any:
        return [{"key": "c", "score": len(outputs)}]

    summaries = [share, right, several, by_name]
    results = evaluate(agent, SUITE, trials=1, local=True, summary_evaluators=summaries)
    found = {one.key: one.score for one in results.native._summary_results["results"]}
    assert found == {"share": 0.5, "right": True, "a": 1, "b": None, "c": 2}


class Judging:
    def __call__(self, run: Any, example: Any) -> bool:
        raise KeyError("judge")


def _judging(run: Any, example: Any) -> bool:
    raise KeyError("judge")


def _strictly(run: Any, example: Any, strict: bool = False) -> bool:
    raise KeyError("judge")


@pytest.mark.parametrize(
    ("evaluator", "key"),
    [
        (lambda run, example: 1 / 0, "<lambda>"),
        (partial(_strictly, strict=True), "_strictly"),
        (Judging(), "Judging"),
        (_judging, "_judging"),
    ],
)
def test_an_evaluator_that_raises_has_a_row_whatever_made_it(evaluator: Any, key: str) -> None:
    results = evaluate(agent, SUITE, trials=1, local=True, evaluators=[evaluator])
    for row in results.native:
        (one,) = (one for one in row["evaluation_results"]["results"] if one.key == key)
        assert (one.score, one.extra) == (None, {"error": True})
        assert "Error" in (one.comment or "")


def test_an_async_evaluator_that_is_an_object_of_partial_has_a_row_too() -> None:
    async def late(run: Any, example: Any, strict: bool = False) -> bool:
        raise KeyError("judge")

    async def target(inputs: dict[str, Any]) -> dict[str, Any]:
        return agent(inputs)

    ran = aevaluate(target, SUITE, trials=1, local=True, evaluators=[partial(late, strict=True)])
    rows = list(asyncio.run(ran).native._results)
    keys = {one.key for row in rows for one in row["evaluation_results"]["results"]}
    assert "late" in keys


def test_feedback_that_never_came_is_an_error() -> None:
    evaluation = pytest.importorskip("langsmith.evaluation")

    class Silent(evaluation.RunEvaluator):  # type: ignore[name-defined,misc]
        feedback_keys = ("silent",)

        def evaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None) -> Any:
            return {"results": []}

    with pytest.raises(ExperimentError, match="has no feedback silent") as raised:
        evaluate(agent, SUITE, trials=1, local=True, evaluators=[Silent()])
    assert [one.status for one in raised.value.results] == ["passed"] * 2


def test_async_targets() -> None:
    async def target(inputs: dict[str, Any]) -> dict[str, Any]:
        return agent(inputs)

    results = asyncio.run(aevaluate(target, SUITE, trials=2, local=True, max_concurrency=2))
    assert [one.status for one in results] == ["passed"] * 4
    with pytest.raises(UsageError, match="aevaluate"):
        evaluate(target, SUITE, local=True)
    stands = [{"id": case.id, "inputs": case.input} for case in SUITE.cases]
    judged = asyncio.run(aevaluate(target, stands, suite=SUITE, trials=1, local=True))
    assert [(one.case_id, one.status) for one in judged] == [
        ("lookup", "passed"),
        ("none", "passed"),
    ]


class Target:
    async def __call__(self, inputs: dict[str, Any]) -> dict[str, Any]:
        return agent(inputs)


def test_async_targets_that_do_not_look_like_it() -> None:
    """Their coroutine would be the output, and the run would fail for it."""
    for target in (Target(), lambda inputs: Target()(inputs)):
        with pytest.raises(UsageError, match="aevaluate"):
            evaluate(target, SUITE, local=True, trials=1)
        results = asyncio.run(aevaluate(target, SUITE, trials=1, local=True))
        assert [one.status for one in results] == ["passed"] * 2
    results = asyncio.run(aevaluate(agent, SUITE, trials=1, local=True))
    assert [one.status for one in results] == ["passed"] * 2


def test_inputs_that_cannot_be_copied_reach_the_target_as_they_are() -> None:
    lock = threading.Lock()
    data = [{"inputs": {"lock": lock}, "outputs": {"expected_tool_calls": ["lookup"]}}]

    def target(inputs: dict[str, Any]) -> dict[str, Any]:
        assert inputs["lock"] is lock
        return {"output": lookup(id="A1")}

    assert [one.status for one in evaluate(target, data, trials=1, local=True)] == ["passed"]


def test_files_of_a_case_reach_a_target_that_takes_them() -> None:
    held = {"files": {"a": {"mime_type": "text/plain", "text": "hello"}}}
    case = Case("a", {"q": "?"}, expected_calls=["lookup"], extensions={"langsmith": held})
    seen = []

    def target(inputs: dict[str, Any], attachments: dict[str, Any]) -> dict[str, Any]:
        seen.append(attachments["a"]["reader"].read())
        return {"output": lookup(id="A1")}

    results = evaluate(target, Suite("filed", [case]), trials=2, local=True)
    assert [one.status for one in results] == ["passed"] * 2
    assert seen == [b"hello"] * 2


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        ("my-dataset", {}, "makes no connection"),
        ([], {}, "no examples"),
        ([{"id": "e"}], {}, r"examples\[0\]"),
        ([{"inputs": {}, "outputs": [1]}], {}, r"examples\[0\]: outputs are an object, not a list"),
        ([{"inputs": {}, "metadata": "x"}], {}, r"examples\[0\]: metadata are an object, not text"),
        ([{"id": "e", "inputs": {}}, {"id": "e", "inputs": {}}], {}, "the same id"),
        (SUITE, {"trials": 0}, "1 or more"),
        (SUITE, {"upload_results": True}, "'upload_results' is set"),
        (SUITE, {"client": object()}, "sends nothing"),
    ],
)
def test_what_cannot_mean_anything(data: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        evaluate(agent, data, local=True, **options)


def test_two_experiments_are_no_target() -> None:
    with pytest.raises(UsageError, match="as_comparator"):
        evaluate(("a", "b"), SUITE, local=True)


def test_an_offline_client_refuses_feedback_instead_of_dropping_it() -> None:
    with pytest.raises(UsageError, match="sends no feedback"):
        offline_client().create_feedback(run_id=None, key="x", score=1)


# With a connection: the real client against a stand-in for the API.


def test_a_dataset_on_the_server_gets_its_runs_and_their_feedback(server: Any) -> None:
    server.add("orders", from_suite(SUITE))
    client = langsmith.Client(api_url=server.url, api_key="x")
    results = evaluate(
        agent,
        "orders",
        trials=2,
        client=client,
        experiment_prefix="mine",
        summary_evaluators=[pass_hat_k(2)],
    )
    client.flush()
    client.cleanup()
    assert [(one.case_id, one.status) for one in results] == [
        ("lookup", "passed"),
        ("lookup", "passed"),
        ("none", "passed"),
        ("none", "passed"),
    ]
    assert results.about["source"].startswith("mine")
    verdicts = [one for one in server.sent("feedback") if one["key"] == "passhat_case"]
    assert [(one["score"], one["value"]) for one in verdicts] == [(1.0, "passed")] * 4
    assert {one["run_id"] for one in verdicts} == {str(row["run"].id) for row in results.native}
    assert all(one["extra"]["status"] == "passed" for one in verdicts)
    assert all(one["feedback_source"]["metadata"]["lib"] == "passhat" for one in verdicts)
    assert [(one["key"], one["score"]) for one in server.feedback] == [("pass^2", 1.0)]
    (experiment,) = (one for one in server.sessions.values() if one["reference_dataset_id"])
    assert experiment["reference_dataset_id"] == server.id_of("orders")


@pytest.fixture
def sending(server: Any) -> Iterator[Any]:
    """A client that sends in the background, as it does by itself."""
    server.add("orders", from_suite(SUITE))
    made = langsmith.Client(api_url=server.url, api_key="x")
    yield made
    made.cleanup()


def test_feedback_that_got_lost_on_its_way_is_an_error(server: Any, sending: Any) -> None:
    """The client writes a line into the log, and goes on."""
    server.fail("POST /runs/multipart", status=403, times=99)
    with pytest.raises(ExperimentError, match="does not hold 4 of 4 runs") as raised:
        evaluate(agent, "orders", trials=2, client=sending, within=0.5)
    assert "feedback passhat_case of 4 runs" in str(raised.value)
    assert [one.status for one in raised.value.results] == ["passed"] * 4
    assert len(raised.value.results.native) == 4


def test_feedback_of_which_a_part_got_lost_is_an_error(
    server: Any, sending: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[str] = []
    take = runs.take

    def forgetful(held: Any, parts: list[tuple[str, Any]]) -> None:
        """Takes all but the first verdict, as if it had answered before it wrote that down."""
        for name, value in parts:
            if not lost and name.startswith("feedback.") and value["key"] == "passhat_case":
                lost.append(value["run_id"])
            else:
                take(held, [(name, value)])

    monkeypatch.setattr(runs, "take", forgetful)
    with pytest.raises(ExperimentError) as raised:
        evaluate(agent, "orders", trials=2, client=sending, within=0.5)
    assert str(raised.value) == "the server does not hold feedback passhat_case of 1 run"
    server.fail("POST /feedback", status=403, times=99)
    lost[:] = ["none"]
    with pytest.raises(ExperimentError, match=r"does not hold the summary pass\^1"):
        evaluate(
            agent,
            "orders",
            trials=1,
            client=sending,
            within=0.5,
            summary_evaluators=[pass_hat_k(1)],
        )


def test_a_server_that_takes_its_time_is_waited_for(server: Any, sending: Any) -> None:
    asked: list[str] = []
    answer = server.answer

    def late(method: str, path: str, *more: Any) -> Any:
        if method == "GET" and path == "/feedback":
            asked.append(path)
            if len(asked) <= 2:
                return 200, []
        return answer(method, path, *more)

    server.answer = late
    results = asyncio.run(aevaluate(agent, "orders", trials=1, client=sending, within=20))
    assert [one.status for one in results] == ["passed"] * 2
    assert len(asked) > 2


def test_a_server_that_cannot_be_asked_is_told_in_the_log(
    server: Any, sending: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server.fail("GET /feedback", status=403, times=99)
    results = evaluate(agent, "orders", trials=1, client=sending)
    assert [one.status for one in results] == ["passed"] * 2
    assert "whether the server holds all of" in caplog.text


def test_a_client_that_samples_drops_feedback_and_is_refused(server: Any) -> None:
    client = langsmith.Client(api_url=server.url, api_key="x", tracing_sampling_rate=0.5)
    with pytest.raises(UsageError, match=r"traces a share of 0\.5"):
        evaluate(agent, SUITE, client=client)


def test_the_client_of_the_process_is_put_back_when_the_last_of_several_is_done() -> None:
    mine = langsmith.Client(api_url="http://127.0.0.1:9", api_key="x", info={})
    seen: list[str] = []

    async def target(inputs: dict[str, Any]) -> dict[str, Any]:
        seen.append(type(run_trees.get_cached_client()).__name__)
        await asyncio.sleep(0.1 if inputs["order"] == "A1" else 0)
        return {"output": "done"}

    async def both() -> None:
        one = Suite("one", SUITE.cases[:1])
        await asyncio.gather(
            *(aevaluate(target, each, trials=1, local=True) for each in (one, SUITE))
        )

    before = run_trees._CLIENT
    langsmith.configure(client=mine)
    try:
        asyncio.run(both())
        assert run_trees.get_cached_client() is mine
        assert seen == ["OfflineClient"] * 3
    finally:
        langsmith.configure(client=before)
        mine.cleanup()
