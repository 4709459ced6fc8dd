"""An ADK agent in a sandbox, with faults, confirmations and users; ADK's simulator as the user."""

import asyncio
import warnings

import pytest

from passhat.case import Case
from passhat.errors import UsageError
from passhat.grading import grade
from passhat.surroundings import Fault
from passhat.trace import Interrupt, Trace
from passhat.trials.attempt import attempt
from passhat.trials.sandbox import Sandbox
from passhat.trials.users import ScriptedUser
from passhat_adk import as_agent, as_tools, as_user

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def refund(state: dict, order: str, amount: float):
    """Refund an order."""
    state["refunds"].append({"id": order, "amount": amount})
    return {"refunded": amount}


@pytest.fixture
def sandbox():
    return Sandbox([refund], {"refunds": []})


def played(agent, case, sandbox=None, trial=0, **more) -> Trace:
    return asyncio.run(attempt(agent, case, trial=trial, seed=trial, sandbox=sandbox, **more))


def asks_refund(scripted, amount=30.0):
    return [scripted.asks("refund", order="A1", amount=amount)]


def agent_of(scripted, tools, *steps):
    return scripted.Agent(
        name="shop", model=scripted.Scripted(rule=scripted.script(*steps)), tools=tools
    )


@pytest.mark.parametrize("once", [True, False])
def test_a_retry_gets_over_a_fault(scripted, sandbox, once):
    steps = (asks_refund(scripted), asks_refund(scripted), [scripted.says("I refunded A1.")])
    if once:
        agent = as_agent(agent_of(scripted, as_tools(sandbox), *steps))
    else:
        agent = as_agent(lambda tools: agent_of(scripted, tools, *steps))
    case = Case(
        "c",
        "Refund A1",
        initial_state={"refunds": []},
        faults=[Fault("refund", 500, expect="retry")],
        expected_final_state={"refunds": [{"id": "A1", "amount": 30}]},
    )
    for trial in range(2):
        trace = played(agent, case, sandbox, trial)
        assert [(call.error, call.succeeded) for call in trace.calls] == [
            ("500 Internal Server Error", False),
            (None, True),
        ]
        assert trace.final_state == {"refunds": [{"id": "A1", "amount": 30}]}
        verdict = grade(trace, case)
        assert verdict.status == "passed"
        assert verdict.result("fault_handling").evidence["hits"] == 1


def test_a_fault_that_ends_the_run_is_the_agents_failure(scripted, sandbox):
    for kind in ("connection_reset", 429, 500):
        tools = as_tools(sandbox, errors="raise")
        agent = agent_of(scripted, tools, asks_refund(scripted), [scripted.says("Done.")])
        trace = played(as_agent(agent), Case("c", "Hi", faults=[Fault("refund", kind)]), sandbox)
        assert trace.error is not None
        assert trace.outcome == "agent_error", kind


def test_the_sandboxs_approvals_decline_and_edit(scripted, sandbox):
    steps = (asks_refund(scripted), [scripted.says("That is settled.")])
    agent = as_agent(agent_of(scripted, as_tools(sandbox), *steps))
    case = Case("c", "Refund A1", approvals={"refund": {"decision": "edit", "args": {"amount": 5}}})
    assert played(agent, case, sandbox).final_state["refunds"] == [{"id": "A1", "amount": 5}]
    case = Case("c", "Refund A1", approvals="decline", requires_approval=["refund"])
    trace = played(agent, case, sandbox)
    assert trace.final_state["refunds"] == []
    assert grade(trace, case).result("approval").status == "passed"


@pytest.mark.parametrize(("decision", "ran"), [("approve", True), ("decline", False)])
def test_approvals_answer_adks_own_confirmations(scripted, decision, ran):
    from google.adk.tools.function_tool import FunctionTool

    done = []

    def pay(amount: float) -> dict:
        """Pays."""
        done.append(amount)
        return {"paid": amount}

    def agent():
        return agent_of(
            scripted,
            [FunctionTool(pay, require_confirmation=True)],
            [scripted.asks("pay", amount=5.0)],
            [scripted.says("That is settled.")],
        )

    case = Case("c", "Pay 5", approvals=decision, requires_approval=["pay"])
    trace = played(as_agent(agent()), case)
    assert done == ([5.0] if ran else [])
    assert any(isinstance(step, Interrupt) and step.resolved for step in trace.steps)
    assert grade(trace, case).result("approval").status == "passed"
    assert trace.calls[0].executed is ran
    waiting = played(as_agent(agent()), Case("c", "Pay 5"))
    assert waiting.outcome == "interrupted"


SCENE = Case(
    "s",
    "I want a refund.",
    scenario={"goal": "A refund", "hidden_facts": {"order_id": "A1"}, "max_turns": 4},
)


def asking_first(scripted):
    """An agent that asks for the order, then refunds it."""

    def rule(contents):
        said = " ".join(part.text or "" for c in contents for part in c.parts or [])
        if "A1" not in said:
            return [scripted.says("What is your order id?")]
        if any(part.function_response for c in contents for part in c.parts or []):
            return [scripted.says("I refunded A1.")]
        return asks_refund(scripted)

    return rule


def test_a_scenario_is_one_session_and_one_trace(scripted, sandbox):
    shop = scripted.Agent(
        name="shop",
        model=scripted.Scripted(rule=asking_first(scripted)),
        tools=as_tools(sandbox),
    )
    trace = played(as_agent(shop), SCENE, sandbox)
    assert [m.text for m in trace.messages if m.role == "user"] == [
        "I want a refund.",
        "My order id is A1.",
    ]
    assert [call.turn for call in trace.calls] == [1]
    assert grade(trace, SCENE).result("user_on_script").status == "passed"
    shop = agent_of(scripted, [], [scripted.says("Which colour?")])
    trace = played(as_agent(shop), SCENE, user=ScriptedUser(patience=9))
    assert trace.outcome == "limit"


def test_adks_own_simulator_plays_the_user(scripted, sandbox):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from google.adk.evaluation.simulation.llm_backed_user_simulator import (
            LlmBackedUserSimulatorConfig,
        )
        from google.adk.models.registry import LLMRegistry

    told = []

    class Player(scripted.BaseLlm):
        @classmethod
        def supported_models(cls):
            return ["passhat-player-.*"]

        async def generate_content_async(self, llm_request, stream=False):
            told.append(llm_request.contents[0].parts[0].text)
            text = "It is A1." if len(told) == 1 else "</finished>"
            yield scripted.LlmResponse(
                content=scripted.types.Content(role="model", parts=[scripted.says(text)])
            )

    LLMRegistry.register(Player)
    shop = scripted.Agent(
        name="shop",
        model=scripted.Scripted(rule=asking_first(scripted)),
        tools=as_tools(sandbox),
    )
    user = as_user(LlmBackedUserSimulatorConfig(model="passhat-player-1"))
    trace = played(as_agent(shop), SCENE, sandbox, user=user)
    assert [m.text for m in trace.messages if m.text] == [
        "I want a refund.",
        "What is your order id?",
        "It is A1.",
        "I refunded A1.",
    ]
    assert "Tell these only when you are asked for them:\n- order id: A1" in told[0]
    assert "What is your order id?" in told[0]
    assert trace.final_state["refunds"]
    with pytest.raises(UsageError, match="a configuration"):
        as_user("gemini")


def test_an_agent_of_tools_needs_a_sandbox(scripted):
    with pytest.raises(UsageError, match="which a sandbox gives"):
        asyncio.run(as_agent(lambda tools: None)(Case("c", "Hi")))
    with pytest.raises(UsageError, match="a user has to play"):
        asyncio.run(as_agent(scripted.shop())(SCENE))
    with pytest.raises(UsageError, match="made of a sandbox"):
        as_tools([])


def test_a_trials_own_tools_are_made_by_the_core_too(scripted, sandbox):
    (tool,) = sandbox.begin(Case("c")).as_adk()
    assert tool.name == "refund"
    assert tool._get_declaration().parameters_json_schema["required"] == ["order", "amount"]
    found = asyncio.run(tool.run_async(args={"order": "A1"}, tool_context=None))
    assert "'amount' is a required property" in found["error"]
