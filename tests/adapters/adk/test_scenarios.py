"""Scenarios played by ADK's own simulated user, whose model is on a script."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import passhat_adk
from passhat import Case, Suite

pytestmark = pytest.mark.filterwarnings("ignore")
PLAN = "Ask where A1 is. Then ask for the money back."


@pytest.fixture
def user_model(scripted: ModuleType) -> Iterator[type]:
    """A model that ADK's registry knows as `played-user`; `script` is what it says in turn."""
    from google.adk.models.llm_response import LlmResponse
    from google.adk.models.registry import LLMRegistry
    from google.genai import types

    class PlayedUser(scripted.Scripted):  # type: ignore[name-defined, misc]
        @classmethod
        def supported_models(cls) -> list[str]:
            return ["played-user"]

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            said = PlayedUser.script[min(PlayedUser.count, len(PlayedUser.script) - 1)]
            PlayedUser.count += 1
            if isinstance(said, Exception):
                raise said
            content = types.Content(role="model", parts=[types.Part(text=said)])
            yield LlmResponse(content=content)

    PlayedUser.script = []
    PlayedUser.count = 0
    LLMRegistry.register(PlayedUser)
    LLMRegistry.resolve.cache_clear()
    yield PlayedUser
    from google.adk.models import registry

    registry._llm_registry_dict.pop("played-user", None)
    LLMRegistry.resolve.cache_clear()


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """An eval set of one scenario, whose user is played by the model on a script."""
    case = Case(
        "back",
        "Where is A1?",
        scenario={"goal": PLAN, "persona": "EXPERT"},
        expected_calls=["lookup_order", "issue_refund"],
        mode="in_order",
    )
    evalset = tmp_path / "shop.evalset.json"
    passhat_adk.from_suite(Suite("shop", [case]), evalset)
    config = tmp_path / "test_config.json"
    criteria = json.loads(config.read_text())
    config.write_text(json.dumps({**criteria, "user_simulator_config": {"model": "played-user"}}))
    return evalset


def helper(scripted: ModuleType) -> Any:
    """Looks up first; refunds when it is asked to."""

    def rule(contents: Any) -> Any:
        words = [p.text for c in contents if c.role == "user" for p in c.parts or [] if p.text]
        seen = scripted.answers_since_user(contents)
        if seen:
            return [scripted.says("Done." if "back" in words[-1] else "On its way.")]
        if "back" in words[-1]:
            return [scripted.asks("issue_refund", order_id="A1", amount=40.0)]
        return [scripted.asks("lookup_order", order_id="A1")]

    return scripted.shop(rule)


def test_the_whole_conversation_is_judged(
    scripted: ModuleType, user_model: Any, scenario: Path
) -> None:
    user_model.script = ["I want my money back.", "Thanks. </finished>"] * 2
    results = passhat_adk.evaluate_sync(helper(scripted), scenario, trials=2)
    assert [trial.status for trial in results] == ["passed", "passed"]
    assert [trial.measures["turns"] for trial in results] == [2.0, 2.0]
    assert [trial.measures["tool_calls"] for trial in results] == [2.0, 2.0]
    assert results.summary([2]).pass_hat_k[2] == 1.0


def test_an_agent_that_does_not_do_what_the_user_asks_fails(
    scripted: ModuleType, user_model: Any, scenario: Path
) -> None:
    user_model.script = ["Never mind. </finished>"]
    (trial,) = passhat_adk.evaluate_sync(helper(scripted), scenario, trials=1)
    assert (trial.status, trial.measures["turns"]) == ("failed", 1.0)
    assert "issue_refund(...) was not called" in trial.reason


def test_a_user_who_breaks_is_not_held_against_the_agent(
    scripted: ModuleType, user_model: Any, scenario: Path
) -> None:
    user_model.script = [RuntimeError("429 RESOURCE_EXHAUSTED")]
    (trial,) = passhat_adk.evaluate_sync(helper(scripted), scenario, trials=1)
    assert trial.status == "infrastructure_error"
    assert "429" in trial.reason
