"""ADK's own user simulators as the user of a scenario."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from passhat.case import Case
from passhat.errors import PasshatError, UsageError
from passhat.surroundings import Scenario
from passhat.trials.users import Messages, Player
from passhat_adk.needs import need_adk
from passhat_adk.writingcases import scenario_value


class SimulatorFailed(PasshatError):
    """A simulator that could not say anything: that is no failure of the agent."""


@dataclass(frozen=True)
class SimulatedUser:
    """A user whom a simulator of ADK plays; `begin` gives them for one conversation.

    Attributes:
        source: A configuration of a simulator, or a callable of the scenario that makes one.
    """

    source: Any

    def begin(self, case: Case, seed: int) -> Player:
        """The user in one conversation."""
        from google.adk.evaluation.conversation_scenarios import ConversationScenario
        from google.adk.evaluation.simulation.user_simulator import Status
        from google.adk.events.event import Event
        from google.genai import types

        scenario = Scenario.of(case.scenario)
        value = scenario_value(case, {})
        value["conversation_plan"] = scenario.prompt()
        simulator = self._simulator(ConversationScenario.model_validate(value))

        async def play(messages: Messages) -> str | None:
            events = [
                Event(
                    author="user" if said["role"] == "user" else "agent",
                    content=types.Content(
                        role="user" if said["role"] == "user" else "model",
                        parts=[types.Part(text=said["content"])],
                    ),
                )
                for said in messages
            ]
            found = await simulator.get_next_user_message(events)
            if found.status == Status.SUCCESS:
                parts = (found.user_message.parts if found.user_message else None) or []
                return "".join(part.text or "" for part in parts)
            if found.status == Status.NO_MESSAGE_GENERATED:
                raise SimulatorFailed("ADK's user simulator gave no message")
            return None

        return play

    def _simulator(self, scenario: Any) -> Any:
        from google.adk.evaluation.eval_case import EvalCase
        from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider

        if callable(self.source) and not hasattr(self.source, "model_dump"):
            return self.source(scenario)
        config: Any = self.source
        provider = UserSimulatorProvider(user_simulator_config=config)
        return provider.provide(EvalCase(eval_id="scenario", conversation_scenario=scenario))


def as_user(source: Any) -> SimulatedUser:
    """A user simulator of ADK as the user of scenarios, for `passhat.run(..., user=...)`.

    Args:
        source: The configuration of a simulator that ADK knows (`LlmBackedUserSimulatorConfig`, which
            names the model to call), or a callable that makes one of a `ConversationScenario`. The
            case's `max_turns` ends the conversation as a failure of the agent; the limit of the
            simulator itself ends it without one, so let it be higher.

    Raises:
        UsageError: It is neither.
        MissingExtraError: ADK is not installed.
    """
    need_adk()
    from google.adk.evaluation.simulation.user_simulator import BaseUserSimulatorConfig

    if isinstance(source, BaseUserSimulatorConfig):
        return SimulatedUser(source)
    if callable(source) and _takes_one(source):
        return SimulatedUser(source)
    raise UsageError(
        "a configuration of a user simulator was expected, or a callable that makes one of a "
        f"scenario, not {source!r:.100}"
    )


def _takes_one(source: Callable[..., Any]) -> bool:
    try:
        inspect.signature(source).bind(None)
    except (TypeError, ValueError):
        return False
    return True
