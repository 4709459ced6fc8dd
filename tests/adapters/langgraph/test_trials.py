"""create_agent in a sandbox, with faults, approvals, users; chat models as users."""

import asyncio

import pytest

from passhat.case import Case
from passhat.errors import UsageError
from passhat.grading import grade
from passhat.surroundings import Fault
from passhat.trace import Interrupt, Trace
from passhat.trials.attempt import attempt
from passhat.trials.sandbox import Sandbox
from passhat_langgraph import as_agent, as_tools, as_user


def refund(state: dict, order: str, amount: float):
    """Refund an order."""
    state["refunds"].append({"id": order, "amount": amount})
    return {"refunded": amount}


REFUND = ("refund", {"order": "A1", "amount": 30.0}, "c1")
AGAIN = ("refund", {"order": "A1", "amount": 30.0}, "c2")


@pytest.fixture
def sandbox():
    return Sandbox([refund], {"refunds": []})


def played(agent, case, sandbox=None, trial=0, **more) -> Trace:
    return asyncio.run(attempt(agent, case, trial=trial, seed=trial, sandbox=sandbox, **more))


def made(scripted, *answers):
    """An agent made of each trial's tools."""
    from langchain.agents import create_agent

    return as_agent(lambda tools: create_agent(scripted.model(*answers), tools))


def compiled(scripted, sandbox, *answers, **options):
    """An agent compiled once, on tools of the sandbox."""
    from langchain.agents import create_agent

    return as_agent(create_agent(scripted.model(*answers), as_tools(sandbox), **options))


@pytest.mark.parametrize("once", [True, False])
def test_a_retry_gets_over_a_fault(scripted, sandbox, once):
    answers = (scripted.ai("", REFUND), scripted.ai("", AGAIN), scripted.ai("I refunded A1."))
    agent = compiled(scripted, sandbox, *answers) if once else made(scripted, *answers)
    case = Case(
        "c",
        "Refund A1",
        faults=[Fault("refund", "timeout", expect="retry")],
        expected_final_state={"refunds": [{"id": "A1", "amount": 30}]},
        state={"exact": True},
        initial_state={"refunds": []},
    )
    for trial in range(2):
        trace = played(agent, case, sandbox, trial)
        assert [(c.id, c.error, c.succeeded) for c in trace.calls] == [
            ("c1", "Error: TimeoutError: the request timed out", False),
            ("c2", None, True),
        ]
        assert trace.initial_state == {"refunds": []}
        verdict = grade(trace, case)
        assert verdict.status == "passed"
        assert verdict.result("fault_handling").evidence["hits"] == 1
        assert "refunds" not in str(trace.extensions["sandbox"].get("of_the_agent", ""))


def test_a_fault_that_ends_the_graph_is_the_agents_failure(scripted, sandbox):
    from langchain.agents import create_agent

    for kind in ("connection_reset", 429, 500, "timeout"):
        graph = create_agent(
            scripted.model(scripted.ai("", REFUND), scripted.ai("Done.")),
            as_tools(sandbox, errors="raise"),
        )
        trace = played(as_agent(graph), Case("c", "Hi", faults=[Fault("refund", kind)]), sandbox)
        assert trace.outcome == "agent_error", kind
        assert grade(trace, Case("c", "Hi")).status == "agent_error"


def test_arguments_are_held_to_the_schema(scripted, sandbox):
    wrong = ("refund", {"order": "A1", "amount": "much"}, "c1")
    agent = compiled(scripted, sandbox, scripted.ai("", wrong), scripted.ai("Sorry."))
    (call,) = played(agent, Case("c", "Hi"), sandbox).calls
    assert "invalid arguments of refund: $.amount" in call.error
    assert call.executed is False


def test_trials_side_by_side_do_not_share_a_world(scripted, sandbox):
    agent = compiled(scripted, sandbox, scripted.ai("", REFUND), scripted.ai("Done."))

    async def several():
        case = Case("c", "Hi")
        return await asyncio.gather(
            *(attempt(agent, case, trial=n, seed=n, sandbox=sandbox) for n in range(6))
        )

    for trace in asyncio.run(several()):
        assert len(trace.final_state["refunds"]) == 1


def test_approvals_answer_the_human_in_the_loop(scripted, sandbox):
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    def agent():
        return compiled(
            scripted,
            sandbox,
            scripted.ai("", REFUND),
            scripted.ai("That is settled."),
            middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund": True})],
        )

    def run(approvals):
        case = Case("c", "Hi", approvals=approvals, requires_approval=["refund"])
        # The interrupt alone asks here: the sandbox's own tools know no approvals.
        from msgspec.structs import replace

        def bare(given, tools):
            return agent()(replace(given, approvals=approvals), tools)

        trace = played(bare, replace(case, approvals=None), sandbox)
        return trace, grade(trace, case)

    trace, verdict = run("approve")
    assert trace.final_state["refunds"] == [{"id": "A1", "amount": 30}]
    assert verdict.result("approval").status == "passed"
    trace, verdict = run({"refund": {"decision": "decline", "message": "too much"}})
    assert trace.final_state["refunds"] == []
    assert verdict.result("approval").status == "passed"
    trace, _ = run({"refund": {"decision": "edit", "args": {"amount": 5.0}}})
    assert trace.final_state["refunds"] == [{"id": "A1", "amount": 5}]
    assert any(isinstance(step, Interrupt) and step.resolved for step in trace.steps)
    trace, _ = run(None)
    assert trace.outcome == "interrupted"


SCENE = Case(
    "s",
    "I want a refund.",
    scenario={"goal": "A refund", "hidden_facts": {"order_id": "A1"}, "max_turns": 4},
)


def test_a_scenario_is_one_thread_and_one_trace(scripted, sandbox):
    agent = compiled(
        scripted,
        sandbox,
        scripted.ai("What is your order id?"),
        scripted.ai("", REFUND),
        scripted.ai("I refunded A1."),
    )
    trace = played(agent, SCENE, sandbox)
    assert [m.text for m in trace.messages if m.role == "user"] == [
        "I want a refund.",
        "My order id is A1.",
    ]
    assert [call.turn for call in trace.calls] == [1]
    assert trace.final_response == "I refunded A1."
    assert grade(trace, SCENE).result("user_on_script").status == "passed"


def test_a_scenario_without_an_end_is_a_failure(scripted, sandbox):
    agent = compiled(scripted, sandbox, scripted.ai("Which colour?"))
    from passhat.trials.users import ScriptedUser

    trace = played(agent, SCENE, sandbox, user=ScriptedUser(patience=9))
    assert trace.outcome == "limit"
    assert sum(m.role == "user" for m in trace.messages) == 4


def test_a_chat_model_plays_the_user(scripted, sandbox):
    agent = compiled(scripted, sandbox, scripted.ai("Which order?"), scripted.ai("Done."))
    player = scripted.model(scripted.ai("not said"), scripted.ai("It is A1."), scripted.ai("<end>"))
    trace = played(agent, SCENE, sandbox, user=as_user(player))
    assert [m.text for m in trace.messages] == [
        "I want a refund.",
        "Which order?",
        "It is A1.",
        "Done.",
    ]
    told = []
    user = as_user(player, prompt=lambda scenario: told.append(scenario.goal) or "Play.")
    user.begin(SCENE, 0)
    assert told == ["A refund"]
    with pytest.raises(UsageError, match="chat model"):
        as_user("gpt")


def test_an_agent_of_tools_needs_a_sandbox(scripted):
    with pytest.raises(UsageError, match="which a sandbox gives"):
        made(scripted, scripted.ai("Hi"))(Case("c", "Hi"))
    with pytest.raises(UsageError, match="a user has to play"):
        made(scripted, scripted.ai("Hi"))(SCENE)
    with pytest.raises(UsageError, match="made of a sandbox"):
        as_tools({})
    with pytest.raises(UsageError, match="tell or raise"):
        as_tools(Sandbox({"a": None}), errors="hide")


def test_a_trials_own_tools_are_made_by_the_core_too(sandbox):
    tools = sandbox.begin(Case("c"))
    (tool,) = tools.as_langchain()
    assert tool.invoke({"order": "A1", "amount": 1}) == '{"refunded":1}'
    assert asyncio.run(tool.ainvoke({"order": "A1", "amount": 1})) == '{"refunded":1}'
    assert tool.description == "Refund an order."
    assert len(tools.log.calls) == 2
    assert [one.name for one in sandbox.as_langchain()] == ["refund"]


def test_a_retry_by_middleware_is_one_call_with_its_attempts(scripted, sandbox):
    from langchain.agents import create_agent
    from langchain.agents.middleware import ToolRetryMiddleware

    graph = create_agent(
        scripted.model(scripted.ai("", REFUND), scripted.ai("I refunded A1.")),
        as_tools(sandbox, errors="raise"),
        middleware=[ToolRetryMiddleware(max_retries=2, initial_delay=0.001, jitter=False)],
    )
    case = Case("c", "Hi", faults=[Fault("refund", 429, when={"first": 2}, expect="retry")])
    trace = played(as_agent(graph), case, sandbox)
    assert [(call.id, call.attempts) for call in trace.calls] == [("c1", 3)]
    assert [call.failed for call in trace.all_calls] == [True, True, False]
    assert grade(trace, case).status == "passed"
    assert len(trace.final_state["refunds"]) == 1
