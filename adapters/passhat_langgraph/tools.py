"""Tools of a sandbox as LangChain's, for graphs and agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from passhat.errors import UsageError
from passhat.trials.answers import text_of, told
from passhat.trials.sandbox import Sandbox, current_tools
from passhat.trials.tooling import Tool
from passhat.trials.toolset import TrialTools
from passhat_langgraph.needs import need_langgraph

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

Errors = Literal["tell", "raise"]


def as_tools(source: Sandbox | TrialTools, *, errors: Errors = "tell") -> list[BaseTool]:
    """The tools of a sandbox, or of one trial, as LangChain's.

    Those of a sandbox are made once, for a graph that is compiled once: each call goes to the trial
    that it is made in.

    Args:
        source: The sandbox, or the tools that an agent got for its trial.
        errors: `tell` gives the model what a tool raises, as a tool message with the status of an
            error; `raise` leaves it to the graph.

    Raises:
        UsageError: It is no source of tools, or its tools are known in a trial only.
        MissingExtraError: LangGraph is not installed.
    """
    need_langgraph()
    if isinstance(source, Sandbox):
        return [_as_tool(None, tool, errors) for tool in source.described().values()]
    if isinstance(source, TrialTools):
        return [_as_tool(source, source.tool(name), errors) for name in source]
    raise UsageError(f"tools are made of a sandbox or of a trial's tools, not {source!r:.100}")


def _as_tool(tools: TrialTools | None, tool: Tool, errors: Errors) -> BaseTool:
    from langchain_core.tools import StructuredTool, ToolException

    if errors not in ("tell", "raise"):
        raise UsageError(f"errors is tell or raise, not {errors!r}")

    def call(**args: Any) -> str:
        try:
            return text_of((tools or current_tools()).call(tool.name, args))
        except Exception as error:  # Whatever a tool raises is what the model is told.
            if errors == "raise":
                raise
            raise ToolException(f"Error: {told(error)}") from error

    async def acall(**args: Any) -> str:
        try:
            return text_of(await (tools or current_tools()).acall(tool.name, args))
        except Exception as error:  # Whatever a tool raises is what the model is told.
            if errors == "raise":
                raise
            raise ToolException(f"Error: {told(error)}") from error

    schema = {"type": "object", "properties": {}, **tool.schema}
    return StructuredTool(
        name=tool.name,
        description=tool.description or str(tool.schema.get("description") or tool.name),
        args_schema={"title": tool.name, **schema},
        func=call,
        coroutine=acall,
        handle_tool_error=True,
    )
