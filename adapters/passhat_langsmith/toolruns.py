"""The runs of tools: which call each belongs to, and what it gave."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from passhat.recordings.arguments import arguments
from passhat.recordings.conversation import outcome
from passhat.recordings.shapes import word
from passhat_langsmith.messages import entries
from passhat_langsmith.plain import plain
from passhat_langsmith.runs import Run


@dataclass(slots=True)
class Asked:
    """A call that was asked for: where it stands, and whether a run was joined to it.

    Args:
        at: Its place among the steps.
        id: Its id.
        name: The tool's name.
        args: The arguments.
        runs: How many runs of the tool were joined to it.
        settled: Whether it has its result, or its error.
        run: The last run that was joined to it.
        told: Whether a model was given it, with or without its result, as a message.
    """

    at: int
    id: str
    name: str
    args: dict[str, Any]
    runs: int = 0
    settled: bool = False
    run: Run | None = None
    told: bool = False


class AskedCalls:
    """The calls that one agent asked for, in order."""

    def __init__(self) -> None:
        self._all: list[Asked] = []
        self._by_id: defaultdict[str, list[Asked]] = defaultdict(list)
        self._free: defaultdict[str, list[Asked]] = defaultdict(list)

    def __iter__(self) -> Iterator[Asked]:
        return iter(self._all)

    def add(self, call: Asked) -> None:
        """Takes up a call that was asked for."""
        self._all.append(call)
        self._by_id[call.id].append(call)
        self._free[call.name].append(call)

    def with_id(self, id: Any) -> list[Asked]:
        """The calls that have an id; none for what is no text."""
        return self._by_id.get(id, []) if isinstance(id, str) else []

    def for_run(self, id: str | None, name: str, args: dict[str, Any]) -> Asked | None:
        """The call that a tool's run belongs to: by its id, else by its arguments, else by order."""
        if id is not None:
            same = self.with_id(id)
            return next((one for one in same if not one.settled), same[-1] if same else None)
        free = self._free[name] = [
            one for one in self._free.get(name, ()) if not one.runs and not one.settled
        ]
        for one in free:
            if all(key in args and args[key] == value for key, value in one.args.items()):
                return one
        return free[0] if free else None


def call_id_of(run: Run) -> str | None:
    """The id of the call that a tool's run answers, where the tracer or the tool's message says it."""
    outputs = run.outputs if isinstance(run.outputs, dict) else {}
    output = outputs.get("output")
    message = output if isinstance(output, dict) else {}
    if "lc" in message and isinstance(message.get("kwargs"), dict):
        message = message["kwargs"]  # As LangChain for JavaScript writes it.
    found = (
        run.extra.get("tool_call_id")
        or run.metadata.get("tool_call_id")
        or message.get("tool_call_id")
        or getattr(output, "tool_call_id", None)
    )
    return str(found) if found else None


def args_of(run: Run) -> dict[str, Any]:
    """The arguments that a tool was called with; LangChain for JavaScript writes them as a text.

    >>> args_of(Run("r", inputs={"input": '{"city": "Paris"}'})), args_of(Run("r", inputs={"a": 1}))
    ({'city': 'Paris'}, {'a': 1})
    """
    args = plain(run.inputs) or {}
    assert isinstance(args, dict)
    if args.keys() == {"input"} and word(args, "input").startswith("{"):
        parsed, error = arguments(args["input"])
        return args if error else parsed
    return args


def gave(outputs: Any, call_id: str) -> tuple[tuple[Any, str | None], dict[str, Any]]:
    """What a tool's run gave, and its error; and what stood beside it.

    It gave a message, a value, or a command that holds a message.
    """
    value = outputs
    if isinstance(outputs, dict) and outputs.keys() == {"output"}:
        value = outputs["output"]
    more: dict[str, Any] = {}
    update = value.get("update") if isinstance(value, dict) else None
    if isinstance(update, dict) and isinstance(update.get("messages"), list):
        for message in entries(update["messages"])[0]:
            if message["type"] == "tool" and message.get("tool_call_id") in (None, call_id):
                rest = {key: held for key, held in update.items() if key != "messages"}
                command = {**value, "update": rest}
                more = {"command": {key: held for key, held in command.items() if held}}
                value = message
    if not isinstance(value, dict):
        return outcome(value, False), more
    if value.get("type") in ("tool", "constructor") and "content" not in value:
        found, _ = entries([value])  # It is serialised, in either of LangChain's ways.
        value = found[0] if found and found[0]["type"] == "tool" else value
    if value.get("type") == "tool" and "content" in value:
        return outcome(value["content"], value.get("status") == "error"), {**more, **beside(value)}
    return outcome(value, False), more


_MESSAGE = frozenset({"type", "role", "content", "tool_call_id", "name", "status", "id"})


def beside(message: dict[str, Any]) -> dict[str, Any]:
    """What a tool's message says beside the result: what is meant for the code, and not the model.

    >>> beside({"type": "tool", "content": "2 found", "artifact": [1, 2], "response_metadata": {}})
    {'artifact': [1, 2]}
    """
    keys = message.keys() - _MESSAGE
    more = {key: plain(message[key]) for key in sorted(keys) if message[key]} if keys else {}
    if not more:
        return {}
    artifact = more.pop("artifact", None)
    found = {"result": more} if more else {}
    return found if artifact is None else {**found, "artifact": artifact}
