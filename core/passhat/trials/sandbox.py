"""The sandbox: tools over a world that every trial gets a copy of its own of."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.trials.cassettes import Cassette
from passhat.trials.heldworld import PATIENCE
from passhat.trials.logbook import Logbook
from passhat.trials.mocks import mocked
from passhat.trials.owning import Turn
from passhat.trials.tooling import Tool, tools_of
from passhat.trials.toolset import TrialTools, native_tools
from passhat.trials.worlds import HookWorld, World, world_of

CURRENT: ContextVar[TrialTools | None] = ContextVar("passhat_trial_tools", default=None)
"""The tools of the trial that runs here: what tools made once for all trials look up."""

MOCKS = "mock_tools"

Errors = Literal["tell", "raise"]
"""What becomes of what a tool raises, in an adapter's tools: the model is told it, or it goes on."""


@dataclass(frozen=True, eq=False)
class Sandbox:
    """A world for agents to act in: tools, and the state they share.

    Each trial gets tools of its own over its own copy of the state, so that trials neither see each
    other nor leave anything behind. An agent gets them as its second argument,
    `agent(case, tools)`; `tools["refund"](order="A1")` calls one.

    Every call is held to the tool's schema, answered by the case's approvals where it waits for one,
    struck by the case's faults, and logged with what it changed. The trace of a trial gets its
    `initial_state` and `final_state` from here.

    Args:
        tools: Functions, by name or in a list; JSON Schemas or tool objects, for tools whose answers
            come from mocks or a cassette. A function whose first parameter is called `state` is
            given the world's state and may change it. Or a function of a state that makes the tools
            for it.
        initial_state: The state before, where a case states none: a mapping, a SQLite file (tools
            get a connection to a copy of it), a folder of JSON and CSV files, a SQL script.
        mock_tools: What tools answer that have no function: `{tool: answer}`, or by arguments; see
            `passhat.trials.mocked`. Those of a case, in its `extensions`, go before.
        cassette: Recorded answers, which go before the functions. Where no tools are given, its own
            are the tools.
        strict: Whether a call that the cassette has no answer to fails, though there is a function.
        reset: Puts a world outside back to how it begins, before each trial: a callable of the case,
            or of nothing, that gives the state to hand to tools. Such trials run one after the
            other.
        look: Takes what `reset` gave and gives what a snapshot is taken of.
        validate: Whether arguments are held to the schemas.
        track: Whether each call is logged with what it changed; it takes a copy of the state a call.
        sleep: What slow calls wait with.
        patience: For how many seconds a call waits for others of the trial to end: they change the
            world one after the other.

    Raises:
        UsageError: The tools are none, or `look` has no `reset`.

    >>> def cancel(state: dict, order: str) -> str:
    ...     state["orders"][order] = "cancelled"
    ...     return "done"
    >>> sandbox = Sandbox([cancel], {"orders": {"A1": "open"}})
    >>> trial = sandbox.begin(Case("c"))
    >>> trial["cancel"](order="A1"), trial.state, sandbox.initial_state
    ('done', {'orders': {'A1': 'cancelled'}}, {'orders': {'A1': 'open'}})
    >>> print(trial.log.calls[0].changes)
    orders: 1 changed (1 place)
      orders.A1: "open" -> "cancelled"
    """

    tools: Any = ()
    initial_state: Any = None
    mock_tools: Any = None
    cassette: Cassette | str | Path | None = None
    strict: bool = False
    reset: Callable[..., Any] | None = None
    look: Callable[[Any], Any] | None = None
    validate: bool = True
    track: bool = True
    sleep: Callable[[float], None] = time.sleep
    patience: float = PATIENCE
    _turn: Turn = field(default_factory=Turn, repr=False)

    def __post_init__(self) -> None:
        if self.look is not None and self.reset is None:
            raise UsageError("`look` looks at what `reset` gave: give it a reset")
        if self.reset is not None and self.initial_state is not None:
            raise UsageError("a world begins by `reset` or in `initial_state`; give one of them")
        if isinstance(self.cassette, str | Path):
            object.__setattr__(self, "cassette", Cassette.read(self.cassette))
        if not self._bound:
            self._named(self.tools, self.mock_tools)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_turn"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _turn=Turn())

    @classmethod
    def from_suite(cls, suite: Suite, **options: Any) -> Sandbox:
        """A sandbox of the tools that a suite names, by their schemas; its cases mock their answers.

        >>> suite = Suite("s", [Case("a", extensions={"mock_tools": {"look": {"n": 1}}})],
        ...               tools={"look": {}})
        >>> Sandbox.from_suite(suite).begin(suite.cases[0])["look"]()
        {'n': 1}
        """
        return cls(dict(suite.tools or {}), **options)

    @property
    def _bound(self) -> bool:
        """Whether the tools are made for a state."""
        return callable(self.tools) and not isinstance(self.tools, Mapping)

    @property
    def alone(self) -> bool:
        """Whether its trials share a world, and so run one after the other."""
        return self.reset is not None

    @property
    def turn(self) -> Turn:
        """What a trial holds while it runs, where trials run one after the other."""
        return self._turn

    def begin(self, case: Case, *, seed: int = 0, log: Logbook | None = None) -> TrialTools:
        """The tools of one trial of a case; `close()` lets go of its world.

        Args:
            case: The case: its `initial_state`, `faults`, `approvals` and `mock_tools`.
            seed: What faults by chance are drawn from.
            log: Where its calls are logged.

        Raises:
            InputError: The state cannot be read.
            UsageError: The state is none, or the case mocks what cannot be mocked.
        """
        world = self._world(case)
        try:
            stated = self.tools(world.state) if self._bound else self.tools
            mocks = case.extensions.get(MOCKS)
            tools = self._named(stated, self.mock_tools, mocks, case.tools)
            cassette = self.cassette
            assert cassette is None or isinstance(cassette, Cassette)
            return TrialTools(
                tools,
                world,
                case,
                seed=seed,
                log=log,
                cassette=cassette,
                strict=self.strict,
                validate=self.validate,
                track=self.track,
                sleep=self.sleep,
                patience=self.patience,
            )
        except BaseException:
            world.close()
            raise

    def names(self) -> tuple[str, ...]:
        """The names of its tools; those that only a case mocks are not among them.

        Raises:
            UsageError: The tools are made for a state, which is not there yet.
        """
        return tuple(self.described())

    def described(self) -> dict[str, Tool]:
        """The tools as far as they are known before a trial begins.

        Raises:
            UsageError: The tools are made for a state, which is not there yet.
        """
        if self._bound:
            raise UsageError(
                "the tools are made for each state: their names are known in a trial only"
            )
        return self._named(self.tools, self.mock_tools)

    def as_langchain(self, *, errors: str = "tell") -> list[Any]:
        """LangChain tools for all trials: each call goes to the trial that it is made in."""
        return native_tools("langgraph", self, errors)

    def as_adk(self, *, errors: str = "tell") -> list[Any]:
        """ADK tools for all trials: each call goes to the trial that it is made in."""
        return native_tools("adk", self, errors)

    def _world(self, case: Case) -> World:
        if self.reset is not None:
            return HookWorld(self.reset, self.look, case)
        stated = case.initial_state if case.initial_state is not None else self.initial_state
        return world_of(stated)

    def _named(
        self,
        stated: Any,
        mock_tools: Any,
        of_case: Any = None,
        schemas: Mapping[str, Any] | None = None,
    ) -> dict[str, Tool]:
        """The tools by name: as stated, with the schemas and the mocks that there are for them."""
        schemas = schemas or {}
        tools = tools_of(stated) or (tools_of(schemas) if schemas else {})
        if not tools and isinstance(self.cassette, Cassette):
            tools = tools_of(dict.fromkeys(self.cassette.tools()))
        _describe(tools, schemas)
        _mock(tools, mock_tools, schemas, over=False)
        _mock(tools, of_case, schemas, over=True)
        return tools


def _describe(tools: dict[str, Tool], schemas: Mapping[str, Any]) -> None:
    """Gives tools without a schema the one that there is for them."""
    for name, schema in schemas.items():
        known = tools.get(name)
        if known is not None and schema and not known.schema:
            described = str(schema.get("description") or "")
            tools[name] = Tool(name, known.function, dict(schema), described)


def _mock(tools: dict[str, Tool], mocks: Any, schemas: Mapping[str, Any], *, over: bool) -> None:
    """Lets mocks answer for tools; for those that have a function only where they go `over` it."""
    for name, function in mocked(mocks or {}).items():
        known = tools.get(name)
        if known is None:
            tools[name] = Tool(name, function, dict(schemas.get(name) or {}))
        elif over or known.function is None:
            tools[name] = Tool(name, function, known.schema, known.description)


def tools_offered(source: Any, errors: str) -> list[tuple[TrialTools | None, Tool]]:
    """The tools that an adapter makes its own of, each with the trial that it is of.

    Args:
        source: A sandbox, whose tools are of whatever trial they are called in (None), or the tools
            of one trial.
        errors: What becomes of what a tool raises: `tell` or `raise`.

    Raises:
        UsageError: It is no source of tools, its tools are known in a trial only, or `errors` is
            neither.

    >>> [(trial, tool.name) for trial, tool in tools_offered(Sandbox({"ping": lambda: "pong"}), "tell")]
    [(None, 'ping')]
    """
    if errors not in get_args(Errors):
        raise UsageError(f"errors is {' or '.join(get_args(Errors))}, not {errors!r}")
    if isinstance(source, Sandbox):
        return [(None, tool) for tool in source.described().values()]
    if isinstance(source, TrialTools):
        return [(source, source.tool(name)) for name in source]
    raise UsageError(f"tools are made of a sandbox or of a trial's tools, not {source!r:.100}")


def current_tools() -> TrialTools:
    """The tools of the trial that runs here.

    Raises:
        UsageError: No trial with a sandbox runs here.
    """
    tools = CURRENT.get()
    if tools is None:
        raise UsageError(
            "no trial runs here: tools of a sandbox are called in `passhat.run(..., sandbox=...)`, or "
            "made of one trial's tools"
        )
    return tools
