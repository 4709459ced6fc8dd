"""Whether a call ran that only a message answers: what the runs of other tools say of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from passhat.recordings.langchain_calls import is_no_tool
from passhat_langsmith.runs import Run
from passhat_langsmith.trees import all_below


@dataclass(slots=True)
class Traced:
    """What the runs tell of tools.

    Args:
        names: The tools that have runs.
        in_graph: Whether LangGraph ran them, whose tools leave runs where they are LangChain's.
        offered: The tools that the models were offered so far, as the walk fills it in.
        waited: The ids of calls that waited for somebody's approval.
        handed: Whether one of OpenAI's agents handed over to another, which is asked for like a tool.
    """

    names: set[str] = field(default_factory=set)
    in_graph: bool = False
    offered: dict[str, Any] = field(default_factory=dict)
    waited: set[str] = field(default_factory=set)
    handed: bool = False

    @classmethod
    def of(cls, roots: Iterable[Run]) -> Traced:
        """What the runs below some roots tell."""
        found = cls()
        for root in roots:
            for run in all_below(root):
                if run.kind == "tool":
                    found.names.add(run.name)
                elif run.name == "Handoff" and "from_agent" in (run.inputs or ()):
                    found.handed = True
                elif not found.in_graph:
                    found.in_graph = "langgraph_node" in run.metadata
        return found

    def ran(self, id: str, name: str, message: Mapping[str, Any]) -> bool | None:
        """Whether a call ran that has this message and no run; None where that is unknown.

        Where its tool has runs, does not exist, or was refused, it did not. Where no tool has any,
        the message is all there is to go by, as in a chat, but not in a graph. Where others have,
        it did not run, unless the tool was offered and answers as if it had: then it may be a
        function that is not traced.
        """
        failed = message.get("status") == "error"
        is_unknown = bool(self.offered) and name not in self.offered
        if name in self.names or (failed and (is_unknown or id in self.waited)):
            return False
        if is_no_tool(message.get("content")):
            return False
        if not self.names:
            return None if self.in_graph else True
        known = bool(self.offered) or self.handed
        answers = message.get("status") == "success" or (known and not failed)
        return None if answers and not is_unknown else False
