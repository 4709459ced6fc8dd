"""openevals' own simulated user plays a scenario, on a scripted model."""

import asyncio

import pytest

from passhat.case import Case
from passhat.trials.attempt import attempt

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.mark.parametrize("opened", [True, False])
def test_a_simulated_user_of_openevals_plays_a_scenario(opened):
    pytest.importorskip("openevals")
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from openevals.simulators import create_llm_simulated_user

    words = ["It is A1.", "<end>"] if opened else ["I want a refund.", "It is A1.", "<end>"]
    user = create_llm_simulated_user(
        system="You want a refund for A1.",
        client=GenericFakeChatModel(messages=iter([AIMessage(text) for text in words])),
    )
    case = Case("c", "I want a refund." if opened else None, scenario={"goal": "A refund."})

    def agent(case, messages):
        return "Which order?" if len(messages) < 3 else "Done."

    trace = asyncio.run(attempt(agent, case, trial=0, seed=0, user=user))
    assert [message.text for message in trace.messages] == [
        "I want a refund.",
        "Which order?",
        "It is A1.",
        "Done.",
    ]
    assert trace.outcome == "completed"
