"""A refund agent whose model answers by a script."""

import re
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import Agent
from google.adk.apps.app import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools.tool_context import ToolContext
from google.genai import types

import passhat_adk

ORDERS: dict[str, dict[str, Any]] = {
    "A1": {"status": "delivered", "total": 40.0},
    "B2": {"status": "on its way", "total": 15.0},
}


def lookup_order(order_id: str) -> dict[str, Any]:
    """Looks up an order by its id."""
    return ORDERS.get(order_id, {"error": f"there is no order {order_id}"})


def issue_refund(order_id: str, amount: float, tool_context: ToolContext) -> dict[str, Any]:
    """Pays back an amount for an order."""
    refunds = {**tool_context.state.get("refunds", {}), order_id: amount}
    tool_context.state["refunds"] = refunds
    return {"refunded": amount}


class Script(BaseLlm):
    """Looks the order up, refunds it if it was delivered, and says what came of it."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        said, results = _since_the_user_spoke(llm_request.contents)
        yield LlmResponse(content=types.Content(role="model", parts=[_next(said, results)]))


def _since_the_user_spoke(contents: list[types.Content]) -> tuple[str, list[dict[str, Any]]]:
    results: list[dict[str, Any]] = []
    for content in reversed(contents):
        for part in content.parts or []:
            if part.function_response is not None:
                results.insert(0, part.function_response.response or {})
            elif part.text and content.role == "user":
                return part.text, results
    return "", results


def _next(said: str, results: list[dict[str, Any]]) -> types.Part:
    order = re.search(r"\b[A-Z]\d\b", said)
    if order is None:
        return types.Part(text="Which order is it about?")
    order_id = order.group()
    if not results:
        return _call("lookup_order", order_id=order_id)
    if results[0].get("status") != "delivered":
        return types.Part(text=f"I cannot refund {order_id}: it has not been delivered.")
    if len(results) == 1:
        return _call("issue_refund", order_id=order_id, amount=results[0]["total"])
    return types.Part(text=f"Refunded {results[1]['refunded']} for {order_id}.")


def _call(name: str, **args: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=name, args=args))


root_agent = Agent(
    name="refund_agent",
    model=Script(model="script"),
    instruction="Refund orders that were delivered.",
    tools=[lookup_order, issue_refund],
)
app = App(name="refund_agent", root_agent=root_agent, plugins=[passhat_adk.TracePlugin()])
