"""Tools of a sandbox as ADK's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passhat.trials.answers import plain, told
from passhat.trials.sandbox import Errors, Sandbox, current_tools, tools_offered
from passhat.trials.tooling import Tool
from passhat.trials.toolset import TrialTools
from passhat_adk.needs import need_adk

if TYPE_CHECKING:
    from google.adk.tools.base_tool import BaseTool


def as_tools(source: Sandbox | TrialTools, *, errors: Errors = "tell") -> list[BaseTool]:
    """The tools of a sandbox, or of one trial, as ADK's.

    Those of a sandbox are made once, for an agent that is made once: each call goes to the trial
    that it is made in.

    Args:
        source: The sandbox, or the tools that an agent got for its trial.
        errors: `tell` gives the model what a tool raises, as `{"error": ...}`; `raise` leaves it to
            ADK, whose run it ends unless a plugin answers for it.

    Raises:
        UsageError: It is no source of tools, its tools are known in a trial only, or `errors` is
            neither.
        MissingExtraError: ADK is not installed.
    """
    need_adk()
    return [_as_tool(tools, tool, errors) for tools, tool in tools_offered(source, errors)]


def _as_tool(tools: TrialTools | None, tool: Tool, errors: Errors) -> BaseTool:
    from google.adk.tools.base_tool import BaseTool
    from google.genai import types

    class SandboxTool(BaseTool):
        """A tool of a sandbox."""

        def _get_declaration(self) -> types.FunctionDeclaration:
            return types.FunctionDeclaration(
                name=tool.name,
                description=self.description,
                parameters_json_schema={"type": "object", "properties": {}, **tool.schema},
            )

        async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:
            try:
                return plain(await (tools or current_tools()).acall(tool.name, args))
            except Exception as error:  # Whatever a tool raises is what the model is told.
                if errors == "raise":
                    raise
                return {"error": told(error)}

    said = tool.description or str(tool.schema.get("description") or tool.name)
    return SandboxTool(name=tool.name, description=said)
