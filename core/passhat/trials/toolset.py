"""The tools of one trial: functions over a world of its own, each call checked, struck and logged."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from passhat.case import Case
from passhat.errors import UsageError
from passhat.state import Snapshot
from passhat.surroundings import Fault
from passhat.trials.answers import text_of, told
from passhat.trials.calling import Calling, unknown_tool
from passhat.trials.cassettes import Cassette
from passhat.trials.heldworld import PATIENCE, HeldWorld
from passhat.trials.logbook import Logbook
from passhat.trials.raised import UnknownToolError
from passhat.trials.tooling import Tool
from passhat.trials.worlds import World


class TrialTools(Mapping[str, "ToolHandle"]):
    """The tools of one trial by name; each is called with its arguments by name.

    A call raises what its tool raises. It is logged with what it changed, its arguments are held to
    the tool's schema first, and the case's approvals and faults strike it. Calls of a trial change
    the world one after the other, also where an agent makes them side by side; a tool may call
    others.

    Attributes:
        case: The case that is played.
        log: What was called, in order.
    """

    def __init__(
        self,
        tools: Mapping[str, Tool],
        world: World,
        case: Case,
        *,
        seed: int = 0,
        log: Logbook | None = None,
        cassette: Cassette | None = None,
        strict: bool = False,
        validate: bool = True,
        track: bool = True,
        sleep: Callable[[float], None] = time.sleep,
        patience: float = PATIENCE,
    ) -> None:
        self.case = case
        self.log = log if log is not None else Logbook()
        self._tools = dict(tools)
        self._world = HeldWorld(world, self.log, track=track, sleep=sleep, patience=patience)
        self._calls = Calling(
            self._tools,
            self._world,
            case,
            self.log,
            seed=seed,
            cassette=cassette,
            strict=strict,
            validate=validate,
        )

    def __getitem__(self, name: str) -> ToolHandle:
        if name not in self._tools:
            raise UnknownToolError(unknown_tool(name, self._tools))
        return ToolHandle(self, self._tools[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that may strike."""
        return self._calls.faults

    @property
    def schemas(self) -> dict[str, dict[str, Any]]:
        """The JSON Schema of each tool's arguments, with what the tool is for."""
        return {name: _described(tool) for name, tool in self._tools.items()}

    @property
    def initial(self) -> Snapshot | None:
        """The state at the beginning; None where the world has none to tell of."""
        return self._world.initial

    @property
    def state(self) -> Any:
        """The world's state, as tools are given it."""
        return self._world.state

    def final(self) -> Snapshot | None:
        """The state as it is now; None where the world has none to tell of, or a call still runs."""
        return self._world.final()

    def close(self) -> None:
        """Lets go of the world."""
        self._world.close()

    def call(self, name: str, args: Mapping[str, Any] | str | None = None) -> Any:
        """What a tool answers.

        Args:
            name: The tool.
            args: The arguments, as a mapping or as the JSON text a model wrote.

        Raises:
            UnknownToolError: There is no such tool.
            ValidationError: The arguments do not fit its schema.
            DeclinedError: The case's approvals do not allow the call.
            Exception: What the tool raises, or a fault.
        """
        play = self._calls.play(name, args)
        try:
            need = next(play)
            while True:
                try:
                    got = self._world.met(need)
                except Exception as error:  # What a tool raises is its answer.
                    need = play.throw(error)
                else:
                    need = play.send(got)
        except StopIteration as end:
            return end.value

    async def acall(self, name: str, args: Mapping[str, Any] | str | None = None) -> Any:
        """What a tool answers, awaited; see `call`."""
        play = self._calls.play(name, args)
        try:
            need = next(play)
            while True:
                try:
                    got = await self._world.amet(need)
                except Exception as error:  # What a tool raises is its answer.
                    need = play.throw(error)
                else:
                    need = play.send(got)
        except StopIteration as end:
            return end.value

    def answer(self, name: str, args: Mapping[str, Any] | str | None = None) -> str:
        """What a model is told that made the call: the answer as text, or `Error: ...`.

        It never raises: it is what loops around a chat model put in a tool's message.

        >>> from passhat.trials.worlds import NoWorld
        >>> tools = TrialTools({}, NoWorld(), Case("c"))
        >>> tools.answer("look_up", "{}")
        "Error: there is no tool 'look_up'; there are none"
        """
        try:
            return text_of(self.call(name, args))
        except Exception as error:  # Whatever a tool raises is what the model is told.
            return f"Error: {told(error)}"

    async def aanswer(self, name: str, args: Mapping[str, Any] | str | None = None) -> str:
        """What a model is told that made the call, awaited; see `answer`."""
        try:
            return text_of(await self.acall(name, args))
        except Exception as error:  # Whatever a tool raises is what the model is told.
            return f"Error: {told(error)}"

    def as_openai(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's chat completions take them."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema or {"type": "object", "properties": {}},
                },
            }
            for tool in self._tools.values()
        ]

    def as_langchain(self, *, errors: str = "tell") -> list[Any]:
        """The tools as LangChain's; see `passhat_langgraph.as_tools`."""
        return native_tools("langgraph", self, errors)

    def as_adk(self, *, errors: str = "tell") -> list[Any]:
        """The tools as ADK's; see `passhat_adk.as_tools`."""
        return native_tools("adk", self, errors)

    def tool(self, name: str) -> Tool:
        """What is known of a tool."""
        return self._tools[name]


class ToolHandle:
    """A tool of one trial, called with its arguments by name.

    Attributes:
        name: Its name.
        description: What it is for.
        schema: The JSON Schema of its arguments.
    """

    def __init__(self, tools: TrialTools, tool: Tool) -> None:
        self._tools = tools
        self._tool = tool
        self.__name__ = self.name = tool.name
        self.__doc__ = self.description = tool.description
        self.schema = tool.schema

    def __call__(self, *values: Any, **args: Any) -> Any:
        """What the tool answers; to be awaited where its function is asynchronous."""
        given = self._named(values, args)
        if inspect.iscoroutinefunction(self._tool.function):
            return self._tools.acall(self.name, given)
        return self._tools.call(self.name, given)

    async def acall(self, **args: Any) -> Any:
        """What the tool answers, awaited."""
        return await self._tools.acall(self.name, args)

    def _named(self, values: tuple[Any, ...], args: dict[str, Any]) -> dict[str, Any]:
        names = list(self.schema.get("properties", {}))
        if len(values) > len(names):
            raise TypeError(f"{self.name} takes {len(names)} arguments, and got {len(values)}")
        return {**dict(zip(names, values, strict=False)), **args}

    def __repr__(self) -> str:
        return f"<tool {self.name} of case {self._tools.case.id}>"


def native_tools(framework: str, source: Any, errors: str) -> list[Any]:
    """The tools of a trial, or of a sandbox, as an adapter makes them its framework's.

    Raises:
        UsageError: The adapter makes no tools, or there is none of that name.
    """
    from passhat.adapter import adapter_named

    make = getattr(adapter_named(framework), "as_tools", None)
    if make is None:
        raise UsageError(f"the adapter {framework} makes no tools")
    made: list[Any] = make(source, errors=errors)
    return made


def _described(tool: Tool) -> dict[str, Any]:
    if tool.description and "description" not in tool.schema:
        return {"description": tool.description, **tool.schema}
    return tool.schema
