"""A model that answers by a script, and the shop that the tests run with it."""

import asyncio
import warnings
from collections.abc import AsyncGenerator
from typing import Any

warnings.filterwarnings("ignore", module="google")
warnings.filterwarnings("ignore", message=r".*EXPERIMENTAL.*")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from google.adk.agents import Agent
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types


def asks(name: str, /, **args: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=args))


def says(text: str) -> types.Part:
    return types.Part(text=text)


class Scripted(BaseLlm):
    """Answers by what the conversation holds so far: a rule gives the parts of the answer."""

    model: str = "scripted"
    rule: Any = None

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        await asyncio.sleep(0)
        answer = self.rule(llm_request.contents)
        if isinstance(answer, Exception):
            raise answer
        yield LlmResponse(
            content=types.Content(role="model", parts=answer),
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=10, candidates_token_count=5, total_token_count=15
            ),
            model_version="scripted-1",
        )


def answers_since_user(contents: list[types.Content]) -> int:
    """How many results came back since the user spoke."""
    count = 0
    for content in reversed(contents):
        for part in content.parts or []:
            if part.function_response is not None:
                count += 1
            elif part.text is not None and content.role == "user":
                return count
    return count


def script(*steps: Any) -> Any:
    """A rule that gives one step after the other, by how many results came back."""

    def rule(contents: list[types.Content]) -> Any:
        return steps[min(answers_since_user(contents), len(steps) - 1)]

    return rule


def lookup_order(order_id: str, tool_context: ToolContext) -> dict[str, Any]:
    """Looks up an order."""
    tool_context.state["looked_up"] = order_id
    return {"status": "delivered", "total": 40.0}


def issue_refund(order_id: str, amount: float, tool_context: ToolContext) -> dict[str, Any]:
    """Refunds an order."""
    refunds = dict(tool_context.state.get("refunds", {}))
    refunds[order_id] = amount
    tool_context.state["refunds"] = refunds
    tool_context.state["temp:last"] = order_id
    return {"refunded": amount}


def boom() -> dict[str, Any]:
    """Breaks."""
    raise ValueError("the till is stuck")


REFUND = script(
    [asks("lookup_order", order_id="A1")],
    [asks("issue_refund", order_id="A1", amount=40.0)],
    [says("Refunded 40 for A1.")],
)


def shop(rule: Any = REFUND, name: str = "shop", **more: Any) -> Agent:
    """The agent of the shop."""
    more.setdefault("tools", [lookup_order, issue_refund, boom])
    return Agent(name=name, model=Scripted(rule=rule), **more)
