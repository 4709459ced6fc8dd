"""The tools of one trial: functions over a world of its own, each call checked, struck and logged."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import msgspec
from msgspec import UNSET

from passhat.case import Case
from passhat.errors import InputError, PasshatError, UsageError
from passhat.jsontext import jsonable
from passhat.state import Snapshot, StateDiff, diff
from passhat.state.equality import surely_equal
from passhat.surroundings import Fault, approvals_of, faults_of
from passhat.surroundings.faults import RAISING
from passhat.trace.builder import copied
from passhat.trials.callkeys import call_key
from passhat.trials.cassettes import Cassette
from passhat.trials.injecting import SLOW, Injector, spoilt
from passhat.trials.logbook import CallRecord, Logbook
from passhat.trials.mocks import MockError
from passhat.trials.raised import (
    DeclinedError,
    HeldUpError,
    NotRecordedError,
    ToolError,
    UnknownToolError,
    ValidationError,
    raised_by,
)
from passhat.trials.threads import in_thread
from passhat.trials.tooling import Tool
from passhat.trials.worlds import ValueWorld, World

PATIENCE = 60.0
"""For how many seconds a call waits for the calls before it, where nobody says."""
_SHOWN = 300


_WITHIN: ContextVar[tuple[int, str] | None] = ContextVar("passhat_within_call", default=None)
"""The tools and the call inside which code runs: a tool may call others of the trial."""


@dataclass(frozen=True, slots=True)
class _Wait:
    seconds: float


@dataclass(frozen=True, slots=True)
class _Run:
    """A function to run while nothing else changes the world."""

    function: Callable[..., Any]
    record: CallRecord | None


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
        self._world = world
        self._player = cassette.player() if cassette is not None else None
        self._strict = strict
        self._validate = validate
        self._track = track
        self._sleep = sleep
        self._patience = patience
        self._injector = Injector(faults_of(case.faults), seed)
        self._approvals = approvals_of(case.approvals)
        self._waited: Counter[str] = Counter()
        self._lock = threading.RLock()
        self._turnstile: asyncio.Lock | None = None
        self._answers: dict[bytes, Any] = {}
        self._before = self._taken()
        self.initial: Snapshot | None = self._before

    def __getitem__(self, name: str) -> ToolHandle:
        if name not in self._tools:
            raise UnknownToolError(self._unknown(name))
        return ToolHandle(self, self._tools[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults that may strike."""
        return self._injector.faults

    @property
    def schemas(self) -> dict[str, dict[str, Any]]:
        """The JSON Schema of each tool's arguments, with what the tool is for."""
        return {name: _described(tool) for name, tool in self._tools.items()}

    @property
    def state(self) -> Any:
        """The world's state, as tools are given it."""
        return self._world.state

    def final(self) -> Snapshot | None:
        """The state as it is now; None where the world has none to tell of, or a call still runs."""
        if not self._lock.acquire(blocking=False):
            self.log.gap("final_state: a call was still under way when the trial ended")
            return None
        try:
            return self._taken()
        finally:
            self._lock.release()

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
        play = self._play(name, args)
        try:
            need = next(play)
            while True:
                try:
                    got = self._met(need)
                except Exception as error:  # What a tool raises is its answer.
                    need = play.throw(error)
                else:
                    need = play.send(got)
        except StopIteration as end:
            return end.value

    async def acall(self, name: str, args: Mapping[str, Any] | str | None = None) -> Any:
        """What a tool answers, awaited; see `call`."""
        play = self._play(name, args)
        try:
            need = next(play)
            while True:
                try:
                    got = await self._amet(need)
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
        return _native("langgraph", self, errors)

    def as_adk(self, *, errors: str = "tell") -> list[Any]:
        """The tools as ADK's; see `passhat_adk.as_tools`."""
        return _native("adk", self, errors)

    def tool(self, name: str) -> Tool:
        """What is known of a tool."""
        return self._tools[name]

    # How a call goes, for callers that wait and for those that await.

    def _play(
        self, name: str, given: Mapping[str, Any] | str | None
    ) -> Generator[_Wait | _Run, Any, Any]:
        args, unread = _read(given)
        record = self.log.begin(name, plain(args), self._outer())
        try:
            if unread is not None:
                raise ValidationError(f"the arguments are no JSON object: {unread!r:.300}")
            tool = self._tools.get(name)
            if tool is None:
                raise UnknownToolError(self._unknown(name))
            if self._validate and (faults := tool.faults(record.args)):
                raise ValidationError(f"invalid arguments of {name}: {'; '.join(faults[:5])}")
            allowed = self._allowed(name, args, record)
            result = yield from self._answered(tool, allowed, record)
            record.result = plain(result)
            return result
        except Exception as error:
            record.error = told(error)
            raise
        finally:
            self.log.end(record)

    def _allowed(self, name: str, args: dict[str, Any], record: CallRecord) -> dict[str, Any]:
        """The arguments that a call may run with, by the case's approvals."""
        if not self._approvals:
            return args
        with self._lock:
            self._waited[name] += 1
            number = self._waited[name]
        approval = next((a for a in self._approvals if a.answers(name, args, number)), None)
        if approval is None:
            return args
        record.approval = approval
        if approval.decision == "decline":
            why = f": {approval.message}" if approval.message else ""
            raise DeclinedError(f"the user declined the call of {name}{why}")
        if approval.decision == "edit":
            record.ran_with = {**args, **copied(approval.args or {})}
            return dict(record.ran_with)
        return args

    def _answered(
        self, tool: Tool, args: dict[str, Any], record: CallRecord
    ) -> Generator[_Wait | _Run, Any, Any]:
        strike = self._injector.strike(tool.name, record.args)
        if strike is None:
            return (yield from self._right(tool, args, record))
        record.strike = strike
        fault = strike.fault
        if fault.kind in RAISING:
            if fault.applied:
                yield from self._right(tool, args, record)
            if fault.seconds:
                yield _Wait(fault.seconds)
            record.executed = True
            raise raised_by(fault)
        if fault.kind == "slow":
            yield _Wait(SLOW if fault.seconds is None else fault.seconds)
            return (yield from self._right(tool, args, record))
        right = yield from self._right(tool, args, record)
        if fault.kind == "stale" and fault.answer is UNSET:
            return (yield from self._stale(tool, args, right))
        answer, record.planted = spoilt(plain(right), fault)
        return answer

    def _right(
        self, tool: Tool, args: dict[str, Any], record: CallRecord
    ) -> Generator[_Wait | _Run, Any, Any]:
        """What the tool answers as it should: from the cassette, else by its function."""
        if self._player is not None:
            take = self._player.answer(tool.name, plain(args))
            if take is not None:
                record.source, record.executed = "cassette", True
                if take.error is not None:
                    raise MockError(take.error)
                return copied(take.result)
            if self._strict or tool.function is None:
                near = self._player.nearest(tool.name, plain(args))
                hint = "" if near is None else f"; the nearest was {near!r:.{_SHOWN}}"
                said = f"no answer of {tool.name} was recorded for {args!r:.{_SHOWN}}{hint}"
                self.log.gap(f"results: {said}")
                raise NotRecordedError(said)
        if tool.function is None:
            raise ToolError(f"{tool.name} has no answer here: give it a function or mock_tools")
        record.source, record.executed = "function", True
        return (yield _Run(self._bound(tool, args, self._world.state), record))

    def _stale(
        self, tool: Tool, args: dict[str, Any], right: Any
    ) -> Generator[_Wait | _Run, Any, Any]:
        """What the tool would have answered at the beginning, else at its first such call."""
        if tool.takes_state and isinstance(self._world, ValueWorld) and self.initial is not None:
            world = ValueWorld(self.initial.value)
            try:
                return (yield _Run(self._bound(tool, args, world.state), None))
            except Exception:  # Then there was nothing yet of what it tells of now.
                return None
        key = call_key(tool.name, plain(args))
        return copied(self._answers.setdefault(key, plain(right)))

    def _bound(self, tool: Tool, args: dict[str, Any], state: Any) -> Callable[[], Any]:
        function = tool.function
        assert function is not None
        own = copied(args)  # A tool may keep them, and change what it kept.
        return (lambda: function(state, **own)) if tool.takes_state else (lambda: function(**own))

    def _met(self, need: _Wait | _Run) -> Any:
        if isinstance(need, _Wait):
            self._sleep(need.seconds)
            return None
        if self._outer() is not None:
            # The call that made this one holds the world already.
            with self._inside(need.record):
                found = need.function()
                return _waited_for(found) if inspect.isawaitable(found) else found
        with self._world_alone(), self._inside(need.record):
            found = need.function()
            return _waited_for(found) if inspect.isawaitable(found) else found

    async def _amet(self, need: _Wait | _Run) -> Any:
        if isinstance(need, _Wait):
            if self._sleep is time.sleep:
                await asyncio.sleep(need.seconds)
            else:
                self._sleep(need.seconds)
            return None
        if self._outer() is not None:
            with self._inside(need.record):
                found = await in_thread(need.function)
                return await found if inspect.isawaitable(found) else found
        if self._turnstile is None:
            self._turnstile = asyncio.Lock()
        async with self._turnstile:
            with self._inside(need.record):
                found = await in_thread(self._held, need.function)
                return await found if inspect.isawaitable(found) else found

    def _held(self, function: Callable[[], Any]) -> Any:
        with self._world_alone():
            return function()

    @contextmanager
    def _world_alone(self) -> Iterator[None]:
        """While no other call changes the world.

        A tool that waits for a thread of its own which calls another tool would wait for ever: such a
        thread does not know inside which call it runs.
        """
        if not self._lock.acquire(timeout=self._patience):
            raise HeldUpError(
                f"the call waited {self._patience:g} s for another call of the trial to end; where a "
                "tool calls others from a thread of its own, start that with "
                "contextvars.copy_context().run"
            )
        try:
            yield
        finally:
            self._lock.release()

    def _outer(self) -> str | None:
        """The call inside which this code runs, where it is one of these tools."""
        within = _WITHIN.get()
        return within[1] if within is not None and within[0] == id(self) else None

    @contextmanager
    def _inside(self, record: CallRecord | None) -> Iterator[None]:
        """While a call runs; what it changed is noted at its end."""
        token = _WITHIN.set((id(self), record.id if record is not None else ""))
        try:
            yield
        finally:
            _WITHIN.reset(token)
            # Where another call holds the world, or this one was left behind in it, that one tells.
            if self._lock.acquire(blocking=False):
                try:
                    self._look(record)
                finally:
                    self._lock.release()

    def _look(self, record: CallRecord | None) -> None:
        """Notes what a call changed."""
        if record is None or not self._track or self._before is None:
            return
        world = self._world
        if isinstance(world, ValueWorld) and surely_equal(self._before.value, world.state):
            return  # Most calls only look: comparing costs far less than a copy.
        now = self._taken()
        if now is None:
            return
        found = diff(self._before, now)
        if not found.equal or found.schema:
            record.changes = found
            record.delta = _changed(self._before.value, now.value, found)
        self._before = now

    def _taken(self) -> Snapshot | None:
        try:
            return self._world.taken()
        except PasshatError as error:
            self.log.gap(f"final_state: {error}")
            return None

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name, self._tools, 1)
        known = ", ".join(self._tools) or "none"
        hint = f"did you mean {near[0]}? There are {known}" if near else f"there are {known}"
        return f"there is no tool {name!r}; {hint}"


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


def _native(framework: str, tools: TrialTools, errors: str) -> list[Any]:
    from passhat.adapter import adapter_named

    make = getattr(adapter_named(framework), "as_tools", None)
    if make is None:
        raise UsageError(f"the adapter {framework} makes no tools")
    made: list[Any] = make(tools, errors=errors)
    return made


def _described(tool: Tool) -> dict[str, Any]:
    if tool.description and "description" not in tool.schema:
        return {"description": tool.description, **tool.schema}
    return tool.schema


def _waited_for(found: Awaitable[Any]) -> Any:
    async def wait() -> Any:
        return await found

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(wait())
    raise UsageError("the tool is asynchronous: await `acall`, or the tool itself")


def _read(given: Mapping[str, Any] | str | None) -> tuple[dict[str, Any], str | None]:
    """The arguments, and the text that was none."""
    if given is None or given == "":
        return {}, None
    if isinstance(given, str):
        try:
            value = json.loads(given)
        except (ValueError, RecursionError):
            return {}, given
        return (value, None) if isinstance(value, dict) else ({}, given)
    return dict(given), None


def plain(value: Any) -> Any:
    """A value as JSON, sharing nothing with it; what is no JSON is its text.

    >>> plain({"when": {1}, "to": ("a", "b")}), plain([None, float("nan")])
    ({'when': [1], 'to': ['a', 'b']}, [None, {'$float': 'NaN'}])
    """
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        value = dump(mode="json")
    try:
        data = msgspec.json.encode(value, enc_hook=_worded)
        if b"null" in data:  # As which NaN and the infinities are written, too.
            return jsonable(msgspec.to_builtins(value, enc_hook=_worded, str_keys=True))
        return msgspec.json.decode(data)
    except (TypeError, ValueError, RecursionError, InputError):
        return repr(value)


def _worded(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else repr(value)


def text_of(value: Any) -> str:
    """An answer as a model is told it: text as it is, anything else as JSON.

    >>> text_of("sent"), text_of({"id": 1})
    ('sent', '{"id":1}')
    """
    return value if isinstance(value, str) else msgspec.json.encode(plain(value)).decode()


_QUIET = (
    ToolError,
    MockError,
    DeclinedError,
    HeldUpError,
    NotRecordedError,
    UnknownToolError,
)
"""Errors whose class says no more than their words."""


def told(error: BaseException) -> str:
    """An error as a model is told it: its kind, but where that says no more than its words.

    >>> told(ValueError("no order A1")), told(DeclinedError("the user declined"))
    ('ValueError: no order A1', 'the user declined')
    """
    words = str(error)
    if type(error) in _QUIET or (isinstance(error, ToolError) and words[:3].isdigit()):
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def _changed(before: Any, after: Any, found: StateDiff) -> dict[str, Any]:
    """The top-level parts of a state that changed, with their new values."""
    if not isinstance(after, Mapping) or not isinstance(before, Mapping):
        return {}
    tables = {change.table for change in found.changes}
    named = {str(name): value for name, value in after.items()}
    return {table: copied(named.get(table)) for table in sorted(tables)}
