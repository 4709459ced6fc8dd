"""The refund desk of `passhat demo` as a traced function under LangSmith's `evaluate`."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from langsmith import traceable

from passhat.case import Suite
from passhat.demo import TOOLS, Demo, Script, answered
from passhat_langsmith.doors import silent
from passhat_langsmith.evaluating import evaluate


def demo(suite: Suite, trials: int) -> Demo:
    """Every case n times, by a plain function whose calls are traced; nothing is sent."""
    script = Script()
    begins = {str(case.input): case.initial_state for case in suite.cases}

    def target(inputs: dict[str, Any]) -> dict[str, Any]:
        asked = inputs["input"]
        state = deepcopy(begins[asked])
        tools = {tool.__name__: _traced(tool, state) for tool in TOOLS}
        return {"output": answered(script, asked, tools)[-1]["content"]}

    with silent():
        return Demo("LangSmith", evaluate(target, suite, trials=trials, local=True))


def _traced(tool: Any, state: Any) -> Any:
    """A tool over a state, whose calls LangSmith traces."""

    @traceable(run_type="tool", name=tool.__name__)
    def call(**args: Any) -> Any:
        return tool(state, **args)

    return call
