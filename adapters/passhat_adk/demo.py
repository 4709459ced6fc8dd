"""The refund desk of `passhat demo` as an ADK agent; loaded only when it is shown."""

from __future__ import annotations

import logging
import warnings
from collections.abc import AsyncGenerator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from google.adk.agents import Agent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from passhat.case import Suite
from passhat.demo import Demo, Script, played
from passhat_adk.agents import as_agent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.adk.models.llm_request import LlmRequest


class Scripted(BaseLlm):
    """A model that follows the script."""

    script: Any

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next move, by what the user asked and the answers that tools gave."""
        parts = [part for content in llm_request.contents for part in content.parts or []]
        asked = next(part.text for part in parts if part.text)
        move = self.script.next(asked, sum(part.function_response is not None for part in parts))
        part = types.Part(text=move.text)
        if move.name:
            part = types.Part(
                function_call=types.FunctionCall(name=move.name, args=dict(move.args))
            )
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def demo(suite: Suite, trials: int) -> Demo:
    """Every case n times, by an ADK agent in sessions of its own."""
    model = Scripted(model="script", script=Script())

    def agent(tools: Any) -> Agent:
        return Agent(name="refund_desk", model=model, instruction="Refund.", tools=tools)

    with _quiet():
        return played("Google ADK", as_agent(agent), suite, trials)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what ADK says of its own features."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[EXPERIMENTAL\]")
            yield
    finally:
        logging.disable(level)
