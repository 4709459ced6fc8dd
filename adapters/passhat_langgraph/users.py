"""A LangChain chat model that plays the user of a scenario."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from passhat.case import Case
from passhat.errors import UsageError
from passhat.surroundings import Scenario
from passhat.trials.users import Messages, Player
from passhat_langgraph.needs import need_langgraph


@dataclass(frozen=True)
class ModelUser:
    """A user who is played by a chat model; `begin` gives them for one conversation.

    Attributes:
        model: The chat model.
        prompt: What it is told: a text, or a callable of the scenario.
    """

    model: Any
    prompt: str | Callable[[Scenario], str] | None = None

    def begin(self, case: Case, seed: int) -> Player:
        """The user in one conversation. They open with the case's input, where it has one."""
        scenario = Scenario.of(case.scenario)
        told = self.prompt(scenario) if callable(self.prompt) else self.prompt or scenario.prompt()
        opening = case.first_input if isinstance(case.first_input, str) else None

        async def play(messages: Messages) -> Any:
            if not messages and opening:
                return opening
            found = await self.model.ainvoke(
                [{"role": "system", "content": told}, *_turned(messages)]
            )
            return found.content

        return play


def as_user(model: Any, *, prompt: str | Callable[[Scenario], str] | None = None) -> ModelUser:
    """A LangChain chat model as the user of scenarios, for `passhat.run(..., user=...)`.

    It is told who it plays, what it wants, what it knows and what it tells only when asked, by the
    case's `scenario`; it ends the conversation with `<end>`. `user_on_script` checks that it hid
    what it should have.

    Args:
        model: The chat model, made by you: nothing is called that was not handed in.
        prompt: What the model is told instead: a text, or a callable of the scenario.

    Raises:
        UsageError: It is no chat model.
        MissingExtraError: LangChain is not installed.
    """
    need_langgraph()
    from langchain_core.language_models import BaseChatModel
    from langchain_core.runnables import Runnable

    if not isinstance(model, BaseChatModel | Runnable):
        raise UsageError(f"a chat model of LangChain was expected, not {type(model).__name__}")
    return ModelUser(model, prompt)


_OTHER = {"user": "assistant", "assistant": "user"}


def _turned(messages: Messages) -> list[dict[str, str]]:
    """The messages as the user has them: what the agent says is said to them."""
    turned = [{"role": _OTHER[m["role"]], "content": m["content"]} for m in messages]
    if not turned or turned[0]["role"] == "assistant":
        turned.insert(0, {"role": "user", "content": "(The conversation begins.)"})
    return turned
