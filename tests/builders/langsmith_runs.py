"""Runs of LangSmith's, in a few words."""

import json
from typing import Any

Json = dict[str, Any]
USER = {"role": "user", "content": "Where is A1?"}


def run(kind: str, name: str = "r", parent: str | None = None, **more: Any) -> Json:
    held = {"id": name, "name": name, "run_type": kind, "parent_run_id": parent}
    return {**held, "inputs": {}, "outputs": {}, **more}


def llm(name: str, parent: str, heard: list[Any], said: Any, **more: Any) -> Json:
    outputs = {"choices": [{"message": {"role": "assistant", **said}}]}
    return run("llm", name, parent, inputs={"messages": heard}, outputs=outputs, **more)


def asks(*calls: tuple[str, str, Json], content: str | None = None) -> Json:
    listed = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for id, name, args in calls
    ]
    return {"content": content, "tool_calls": listed}
