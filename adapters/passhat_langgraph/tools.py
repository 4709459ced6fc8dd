"""Tools of a sandbox as LangChain's, for graphs and agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passhat.trials.answers import text_of, told
from passhat.trials.sandbox import Errors, Sandbox, current_tools, tools_offered
from passhat.trials.tooling import Tool
from passhat.trials.toolset import TrialTools
from passhat_langgraph.needs import need_langgraph

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def as_tools(source: Sandbox | TrialTools, *, errors: Errors = "tell") -> list[BaseTool]:
    """The tools of a sandbox, or of one trial, as LangChain's.

    Those of a sandbox are made once, for a graph that is compiled once: each call goes to the trial
    that it is made in.

    Args:
        source: The sandbox, or the tools that an agent got for its trial.
        errors: `tell` gives the model what a tool raises, as a tool message with the status of an
            error; `raise` leaves it to the graph.

    Raises:
        UsageError: It is no source of tools, its tools are known in a trial only, or `errors` is
            neither.
        MissingExtraError: LangGraph is not installed.
    """
    need_langgraph()
    return [_as_tool(tools, tool, errors) for tools, tool in tools_offered(source, errors)]


def _as_tool(tools: TrialTools | None, tool: Tool, errors: Errors) -> BaseTool:
    from langchain_core.tools import StructuredTool, ToolException

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
