"""Every case n times over LocalEvalService; recorded traces without an agent; agents as callables."""

import asyncio
import sys
from types import ModuleType
from typing import Any

import pytest

import passhat_adk
from passhat import Case, ExpectedCall, Suite, SuiteError, Turn, UsageError
from passhat_adk.recorder import RECORDER, Recorded, Recorder

pytestmark = pytest.mark.filterwarnings("ignore")
SUITE = Suite(
    "refunds",
    (
        Case(
            "A1",
            "Refund A1",
            expected_calls=["lookup_order", ExpectedCall("issue_refund", {"amount": 40})],
            mode="in_order",
            initial_state={"tier": "gold"},
        ),
    ),
)


def in_turn(scripted: ModuleType, *rules: Any) -> Any:
    """A rule for each run, one after the other."""
    runs = [-1]

    def rule(contents: Any) -> Any:
        if scripted.answers_since_user(contents) == 0:
            runs[0] += 1
        return rules[runs[0] % len(rules)](contents)

    return rule


def test_the_ledger_tells_the_agent_from_its_surroundings(scripted: ModuleType) -> None:
    agent = scripted.shop(
        in_turn(
            scripted,
            scripted.REFUND,
            scripted.script([scripted.asks("boom")]),
            lambda _: KeyError("prompt"),
            lambda _: RuntimeError("429 RESOURCE_EXHAUSTED"),
            scripted.script([scripted.says("No.")]),
        )
    )
    results = passhat_adk.evaluate_sync(agent, SUITE, trials=5)
    assert [(trial.trial, trial.status, trial.failure_class) for trial in results] == [
        (0, "passed", None),
        (1, "agent_error", "agent_error"),
        (2, "agent_error", "agent_error"),
        (3, "infrastructure_error", None),
        (4, "failed", "incomplete"),
    ]
    told = [trial.reason.partition(" exception: ")[0] for trial in results.trials[1:3]]
    assert told == ["tool", "model"]
    summary = results.summary([1, 2])
    assert [(case.n, case.c) for case in summary.cases] == [(4, 1)]
    assert [row.final_eval_status.name for row in results.native] == [
        "PASSED", "FAILED", "FAILED", "FAILED", "FAILED",
    ]  # fmt: skip


def test_an_exception_that_the_run_got_over_ends_nothing(scripted: ModuleType) -> None:
    """A tool that is not there, and whatever a callback answers for, is no end of the run."""
    from google.adk.models.llm_response import LlmResponse
    from google.genai import types

    case = Case("c", "Refund A1", response={"includes": ["done"]})
    done = [scripted.says("done")]
    content = types.Content(role="model", parts=done)
    agents = {
        "no such tool": scripted.shop(scripted.script([scripted.asks("nope")], done)),
        "tool": scripted.shop(
            scripted.script([scripted.asks("boom")], done),
            on_tool_error_callback=lambda **_: {"status": "later"},
        ),
        "model": scripted.shop(
            lambda _: ValueError("bad prompt"),
            on_model_error_callback=lambda **_: LlmResponse(content=content),
        ),
    }
    for name, agent in agents.items():
        results = passhat_adk.evaluate_sync(agent, Suite("s", [case]), trials=1)
        assert [(t.status, t.reason) for t in results] == [("passed", "")], name
        assert [row.final_eval_status.name for row in results.native] == ["PASSED"], name
    retried = scripted.shop(
        in_turn(scripted, scripted.script([scripted.asks("nope")], ValueError("bad prompt")))
    )
    (trial,) = passhat_adk.evaluate_sync(retried, Suite("s", [case]), trials=1)
    assert trial.failure_class == "agent_error"
    assert trial.failure.reason.startswith("model exception: ")


def test_ids_that_a_model_gives_again_have_times_of_their_own() -> None:
    def call(invocation_id: str) -> dict[str, Any]:
        held = {"id": "c1", "name": "f", "args": {}}
        return {
            "author": "shop", "invocation_id": invocation_id,
            "content": {"role": "model", "parts": [{"function_call": held}]},
        }  # fmt: skip

    first = Recorded("e-1")
    first.spans["c1"] = [(1.0, 2.0), (3.0, 4.0)]
    second = Recorded("e-2")
    second.spans["c1"] = [(5.0, 6.0)]
    later = Recorded("e-3")
    later.spans["c1"] = [(7.0, 8.0)]
    recorder = Recorder()
    for row in (first, second, later):
        recorder.put(row)
    for row in (first, first, second):
        recorder.add(row, call(row.invocation_id))

    def spans(*ids: str) -> list[Any]:
        trace = recorder.trace(ids)
        assert trace is not None
        return [(made.started, made.ended) for made in trace.calls]

    assert spans("e-1", "e-2") == [(1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]
    assert spans("e-1", "e-2", "e-3") == [(1.0, 2.0), (3.0, 4.0), (7.0, 8.0)]


def test_every_run_has_a_session_of_its_own_even_where_one_is_pinned(scripted: ModuleType) -> None:
    evalset = {
        "eval_set_id": "s",
        "eval_cases": [
            {
                "eval_id": "A1",
                "conversation": [
                    {
                        "user_content": {"parts": [{"text": "Refund A1"}], "role": "user"},
                        "intermediate_data": {
                            "tool_uses": [
                                {"name": "lookup_order", "args": {"order_id": "A1"}},
                                {"name": "issue_refund", "args": {"order_id": "A1", "amount": 40}},
                            ]
                        },
                    }
                ],
                "session_input": {
                    "app_name": "", "user_id": "", "session_id": "pinned", "state": {"n": 1},
                },
            }
        ],
    }  # fmt: skip
    calls = []
    results = passhat_adk.evaluate_sync(
        scripted.shop(), evalset, trials=3, reset=lambda: calls.append(1)
    )
    assert [trial.status for trial in results] == ["passed"] * 3
    assert len({trial.trace_id for trial in results}) == 3
    assert len(calls) == 3
    assert all(len(row.session_details.events) == 6 for row in results.native)


def test_recorded_traces_are_judged_without_an_agent(scripted: ModuleType) -> None:
    good = asyncio.run(passhat_adk.as_agent(scripted.shop())(SUITE.cases[0]))
    lazy = scripted.shop(scripted.script([scripted.says("No.")]))
    bad = asyncio.run(passhat_adk.as_agent(lazy)(SUITE.cases[0]))
    results = passhat_adk.evaluate_sync(None, SUITE, traces=[good, bad, good])
    assert [(t.trial, t.status) for t in results] == [(0, "passed"), (1, "failed"), (2, "passed")]
    assert [row.final_eval_status.name for row in results.native] == ["PASSED", "FAILED", "PASSED"]
    ours = results.trials[1].result("trajectory")
    assert ours is not None
    (theirs,) = (
        score.rationale
        for score in results.native[1].overall_eval_metric_results[0].details.rubric_scores
        if score.rubric_id == "passhat_trajectory"
    )
    assert ours.reason in theirs


def asked(*uses: Any, **keys: Any) -> dict[str, Any]:
    """An eval set of one case."""
    turn = {
        "user_content": {"parts": [{"text": "Refund A1"}], "role": "user"},
        "intermediate_data": {"tool_uses": [{"name": n, "args": args} for n, args in uses]},
    }
    return {
        "eval_set_id": "s",
        "eval_cases": [{"eval_id": "A1", "conversation": [{**turn, **keys}]}],
    }


LOOKUP = ("lookup_order", {"order_id": "A1"})


@pytest.mark.parametrize("criteria", [{}, {"response_match_score": 0.1}, {"safety_v1": 1.0}])
def test_our_metric_and_the_trial_say_the_same(scripted: ModuleType, criteria: Any) -> None:
    """Whatever the criteria are: ours is among them, and a suite judges as it says itself."""
    answer = {"parts": [{"text": "Refunded 40 for A1."}], "role": "model"}
    evalset = asked(LOOKUP, final_response=answer)
    config = {"criteria": criteria}
    suite = passhat_adk.to_suite(evalset, config=config)
    for given, options in ((evalset, {"config": config}), (suite, {})):
        results = passhat_adk.evaluate_sync(scripted.shop(), given, trials=1, **options)
        (theirs,) = [
            row.eval_status.name
            for row in results.native[0].overall_eval_metric_results
            if row.metric_name == "passhat_case"
        ]
        assert (theirs == "PASSED") == (results.trials[0].status == "passed")
    (by_file,) = passhat_adk.evaluate_sync(scripted.shop(), evalset, trials=1, config=config)
    assert by_file.status == "failed"


def of_another(*_: Any) -> float:
    """A metric that gives what ADK does not take."""
    return 1.0


def test_a_metric_that_ends_adks_evaluation_takes_no_trials_with_it(
    scripted: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "of_another", sys.modules[__name__])
    config = {
        "criteria": {"m": 1.0},
        "custom_metrics": {"m": {"code_config": {"name": "of_another.of_another"}}},
    }
    with pytest.warns(UserWarning, match="ADK's own evaluation ended in AttributeError"):
        results = passhat_adk.evaluate_sync(scripted.shop(), asked(LOOKUP), trials=2, config=config)
    assert [trial.status for trial in results] == ["failed", "failed"]
    assert results.native is None


def test_runs_that_go_on_at_once_come_in_the_order_in_which_they_began(
    scripted: ModuleType,
) -> None:
    waits = iter([0.2, 0.0, 0.1, 0.0])
    sessions = []

    async def wait(callback_context: Any) -> None:
        sessions.append(callback_context.session.id)
        await asyncio.sleep(next(waits))

    agent = scripted.shop(before_agent_callback=wait)
    results = passhat_adk.evaluate_sync(agent, SUITE, trials=4, parallelism=4)
    assert [trial.trial for trial in results] == [0, 1, 2, 3]
    assert [trial.trace_id for trial in results] == sessions
    assert [row.session_id for row in results.native] == sessions


def test_no_state_goes_from_one_run_to_the_next(scripted: ModuleType) -> None:
    """ADK's sessions share what is kept for a user and for an app; each run has its own."""
    from google.adk.agents import Agent
    from google.adk.tools.tool_context import ToolContext

    def count(tool_context: ToolContext) -> dict[str, Any]:
        for key in ("n", "user:n", "app:n"):
            tool_context.state[key] = tool_context.state.get(key, 0) + 1
        return {}

    rule = scripted.script([scripted.asks("count")], [scripted.says("Counted.")])
    agent = Agent(name="shop", model=scripted.Scripted(rule=rule), tools=[count])
    turn = {
        "user_content": {"role": "user", "parts": [{"text": "Count"}]},
        "intermediate_data": {"tool_uses": [{"name": "count", "args": {}}]},
    }
    state = {"n": 1, "user:n": 11, "app:n": 1}
    session = {"app_name": "passhat", "user_id": "u", "state": {"user:n": 10}}
    evalset = {
        "eval_set_id": "counts",
        "eval_cases": [
            {
                "eval_id": name,
                "conversation": [turn],
                "session_input": session,
                "final_session_state": state,
            }
            for name in ("a", "b")
        ],
    }
    results = passhat_adk.evaluate_sync(agent, evalset, trials=3, parallelism=2)
    assert [(trial.status, trial.reason) for trial in results] == [("passed", "")] * 6
    for row in results.native:  # ADK's own results have the session of their run all the same
        assert row.session_details is not None
        assert row.session_details.id == row.session_id
        assert state.items() <= row.session_details.state.items()


def test_adks_own_registry_stays_as_it_was(scripted: ModuleType) -> None:
    from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY

    def known() -> set[str]:
        registered = DEFAULT_METRIC_EVALUATOR_REGISTRY.get_registered_metrics()
        return {info.metric_name for info in registered}

    before = known()
    config = {
        "criteria": {"mine": 1.0},
        "custom_metrics": {
            "mine": {"code_config": {"name": "passhat_adk.metrics.passhat_no_calls"}}
        },
    }
    (trial,) = passhat_adk.evaluate_sync(scripted.shop(), asked(LOOKUP), trials=1, config=config)
    assert trial.status == "failed"
    assert known() == before


def test_what_adk_would_end_at_is_said_before_the_runs(scripted: ModuleType) -> None:
    rubric = {"rubric_id": "r", "rubric_content": {"text_property": "kind"}}
    twice = asked(LOOKUP, rubrics=[rubric, rubric])
    with pytest.raises(SuiteError, match="the rubric id 'r' comes twice"):
        passhat_adk.evaluate_sync(scripted.shop(), twice)
    aside = {**asked(LOOKUP), "eval_set_id": "../s"}
    with pytest.raises(UsageError, match="stores no results of a set called"):
        passhat_adk.evaluate_sync(scripted.shop(), aside, results_manager=object())
    bad = {"criteria": {"tool_trajectory_avg_score": {"match_type": "EXACT"}}}
    with pytest.raises(UsageError, match="ADK does not take the criteria"):
        passhat_adk.evaluate_sync(scripted.shop(), asked(LOOKUP), config=bad)


@pytest.mark.filterwarnings("error::UserWarning")
def test_where_warnings_are_errors_nothing_fails(scripted: ModuleType) -> None:
    results = passhat_adk.evaluate_sync(scripted.shop(), SUITE, trials=1)
    assert [trial.status for trial in results] == ["passed"]


def test_an_agent_as_a_callable_gives_the_trace(scripted: ModuleType) -> None:
    trace = asyncio.run(passhat_adk.as_agent(scripted.shop())(SUITE.cases[0]))
    assert trace.case_id == "A1"
    assert [call.name for call in trace.calls] == ["lookup_order", "issue_refund"]
    assert trace.initial_state == {"tier": "gold"}
    assert trace.final_state == {
        "tier": "gold", "looked_up": "A1", "refunds": {"A1": 40.0},
    }  # fmt: skip
    assert all(call.started and call.ended for call in trace.calls)
    assert trace.total_usage is not None
    assert trace.total_usage.tokens == 45
    assert RECORDER.of_session(trace.id) == []


def test_recorded_traces_are_let_go_once_they_are_judged(scripted: ModuleType) -> None:
    trace = asyncio.run(passhat_adk.as_agent(scripted.shop())(SUITE.cases[0]))
    results = passhat_adk.evaluate_sync(None, SUITE, traces=[trace, trace])
    assert [trial.status for trial in results] == ["passed", "passed"]
    ids = [
        [turn.actual_invocation.invocation_id for turn in one.eval_metric_result_per_invocation]
        for one in results.native
    ]
    assert len(ids) == 2
    assert [RECORDER.trace(some) for some in ids] == [None, None]


def test_an_agent_plays_all_turns(scripted: ModuleType) -> None:
    case = Case("c", turns=[Turn("Refund A1"), Turn("Again")])
    trace = asyncio.run(passhat_adk.as_agent(scripted.shop())(case))
    assert len(trace.turns) == 2
    assert len(trace.calls) == 4


def test_an_agent_that_raises_gives_what_was_done(scripted: ModuleType) -> None:
    agent = scripted.shop(
        scripted.script([scripted.asks("lookup_order", order_id="A1")], [scripted.asks("boom")])
    )
    trace = asyncio.run(passhat_adk.as_agent(agent)(SUITE.cases[0]))
    assert trace.outcome == "agent_error"
    assert trace.error == "tool exception: ValueError: the till is stuck"
    assert [call.failed for call in trace.calls] == [False, True]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((None, SUITE, {}), "give an agent to run, or `traces`"),
        (("no_such_module", SUITE, {}), "cannot be imported"),
        ((5, SUITE, {}), "an agent, an app, a module"),
        (("passhat", SUITE, {}), "no app, no root_agent"),
        (("x", SUITE, {"trials": 0}), "1 or more"),
        (("x", SUITE, {"config": {}}), "a suite says itself how it judges"),
    ],
)
def test_what_cannot_be_run_is_said(
    scripted: ModuleType, arguments: tuple[Any, Any, dict[str, Any]], told: str
) -> None:
    agent, suite, options = arguments
    with pytest.raises(UsageError, match=told):
        passhat_adk.evaluate_sync(agent, suite, **options)


def test_a_scenario_is_no_callables_to_play(scripted: ModuleType) -> None:
    with pytest.raises(UsageError, match="a user has to play"):
        asyncio.run(passhat_adk.as_agent(scripted.shop())(Case("c", scenario={"goal": "x"})))


def test_inside_a_running_loop_the_other_name_is_given(scripted: ModuleType) -> None:
    async def inside() -> None:
        passhat_adk.evaluate_sync(scripted.shop(), SUITE)

    with pytest.raises(UsageError, match=r"await passhat_adk\.evaluate"):
        asyncio.run(inside())


def test_the_recorder_is_bounded_and_knows_only_what_it_saw() -> None:
    kept = Recorder(keep=2)
    for name in ("e-1", "e-2", "e-3"):
        kept.put(Recorded(name, "s"))
    assert kept.dropped == 1
    assert kept.trace(["e-1", "e-2"]) is None
    assert kept.trace([]) is None
    assert kept.trace(["e-2", "e-3"]) is not None


def test_the_recorder_is_bounded_in_bytes_too() -> None:
    kept = Recorder(room=1000)
    rows = [Recorded(f"e-{number}", "s") for number in range(3)]
    said = {"author": "shop", "content": {"parts": [{"text": "x" * 300}], "role": "model"}}
    for row in rows:
        kept.put(row)
        kept.begun(row, {"tier": "gold"})
        kept.add(row, said)
    assert kept.size < 1000
    assert [kept.get(row.invocation_id) is row for row in rows] == [False, True, True]
    kept.add(rows[0], said)  # one that was let go of goes on without a trace
    assert kept.size < 1000
    before = kept.size
    for _ in range(5):
        kept.add(rows[2], said)
    assert kept.get("e-1") is None
    assert kept.trace(["e-2"]) is not None  # the last one stays, whatever room it takes
    kept.forget(["e-2", "e-2"])
    assert (kept.size, kept.dropped) == (0, 2)
    assert before > 0


def test_traces_of_one_recording_share_nothing() -> None:
    kept = Recorder()
    row = Recorded("e-1", "s")
    kept.put(row)
    kept.ended(row, {"a": [1]})
    part = {"function_call": {"name": "f", "args": {"n": 10**30, "text": "\ud800"}}}
    kept.add(row, {"author": "shop", "content": {"parts": [part], "role": "model"}})
    one, other = kept.trace(["e-1"]), kept.trace(["e-1"])
    assert one is not None
    assert other is not None
    assert one.calls[0].args == {"n": 10**30, "text": "\ud800"}
    assert one.calls[0].args is not other.calls[0].args
    assert one.final_state is not other.final_state


@pytest.mark.parametrize("held", ["app", "root_agent", "get_agent_async"])
def test_a_module_is_read_as_adk_reads_it(scripted: ModuleType, held: str) -> None:
    from google.adk.apps.app import App

    agent = scripted.shop()
    inner = ModuleType("shop.agent")
    module = ModuleType("shop")
    module.agent = inner  # type: ignore[attr-defined]

    async def get_agent_async() -> tuple[Any, None]:
        return agent, None

    given = {
        "app": App(name="shop", root_agent=agent),
        "root_agent": agent,
        "get_agent_async": get_agent_async,
    }
    setattr(inner, held, given[held])
    trace = asyncio.run(passhat_adk.as_agent(module)(SUITE.cases[0]))
    assert [call.name for call in trace.calls] == ["lookup_order", "issue_refund"]
    if held == "app":
        assert given["app"].plugins == []
