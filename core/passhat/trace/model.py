"""The trace: all that happened in one attempt, in order."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from passhat.trace.derived import derived
from passhat.trace.steps import Message, NodeVisit, Step, ToolCall, Usage

Outcome: TypeAlias = Literal[
    "completed", "interrupted", "agent_error", "infrastructure_error", "limit"
]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_SIGNALS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
"""What the simulated users of tau-bench and tau2-bench end a conversation with."""


class Trace(
    Struct,
    frozen=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    forbid_unknown_fields=True,
    dict=True,
):
    """All that happened in one attempt at a task, in order.

    Attributes:
        id: The trace's own id.
        case_id: The case it is an attempt at, where the source knows.
        trial: Which attempt at that case, counted from 0, where the source knows.
        source: Where it was recorded: `"openai"`, `"langsmith"`.
        steps: What happened, in time order.
        initial_state: The state before; `UNSET` where the source has none (an absent state is not
            an empty one).
        final_state: The state after; `UNSET` where the source has none.
        error: What ended the run, where something did; then it failed, whatever the outcome says.
        outcome: How the run ended.
        usage: What all its requests consumed together, where the source says so for the whole.
        started: When it began, seconds since the Unix epoch.
        ended: When it ended.
        tools: The catalogue that was offered: name to JSON Schema of the arguments; None if unknown.
        turn_ids: The source's own ids of the turns.
        scores: What the source already recorded: feedback, rewards.
        pins: What the run was pinned to: model ids, temperature, seed, versions.
        tags: Labels.
        metadata: The source's own metadata.
        extensions: What was observed and has no place here.
        gaps: What could not be recovered, a sentence each.

    >>> trace = Trace("t", steps=(Message("user", "hi"), Message("assistant", "hello", request=0)))
    >>> trace.final_response
    'hello'
    """

    id: str
    case_id: str | None = None
    trial: int | None = None
    source: str = ""
    steps: tuple[Step, ...] = ()
    initial_state: Any | UnsetType = UNSET
    final_state: Any | UnsetType = UNSET
    error: str | None = None
    outcome: Outcome = "completed"
    usage: Usage | None = None
    started: float | None = None
    ended: float | None = None
    tools: dict[str, dict[str, Any]] | None = None
    turn_ids: tuple[str, ...] = ()
    scores: dict[str, float] = field(default_factory=dict)
    pins: dict[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)
    extensions: dict[str, Any] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise ValueError(f"{self.outcome!r} is no outcome: there are {', '.join(OUTCOMES)}")

    @derived
    def all_calls(self) -> tuple[ToolCall, ...]:
        """Every call, those made inside other calls included, in the order they were asked for."""
        return tuple([step for step in self.steps if type(step) is ToolCall])

    @derived
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls that the agent itself asked for: the trajectory.

        Calls made inside another call (nested agents) are left out; `all_calls` has them.
        """
        return tuple([call for call in self.all_calls if call.parent is None])

    @derived
    def messages(self) -> tuple[Message, ...]:
        """Every message, in order."""
        return tuple([step for step in self.steps if type(step) is Message])

    @derived
    def nodes(self) -> tuple[NodeVisit, ...]:
        """Every visit of a graph's node, in order."""
        return tuple(step for step in self.steps if type(step) is NodeVisit)

    @derived
    def turn_count(self) -> int:
        """How many turns there are."""
        return 1 + max([step.turn for step in self.steps], default=-1)

    @derived
    def turns(self) -> tuple[Trace, ...]:
        """The turns, each a trace of its own steps; what one user message set off.

        A turn's states are known only where they are those of the whole: the first turn begins in
        the initial state, the last one ends in the final state.
        """
        count = self.turn_count
        if count <= 1:
            return (self,) if self.steps else ()
        parts: list[list[Step]] = [[] for _ in range(count)]
        for step in self.steps:
            parts[step.turn].append(step)
        last = count - 1
        return tuple(
            replace(
                self,
                id=f"{self.id}#{index}",
                steps=tuple(part),
                initial_state=self.initial_state if index == 0 else UNSET,
                final_state=self.final_state if index == last else UNSET,
                error=self.error if index == last else None,
                outcome=self.outcome if index == last else "completed",
                usage=None,
                started=None,
                ended=None,
            )
            for index, part in enumerate(parts)
        )

    @derived
    def final_response(self) -> str | None:
        """The answer of the last turn: its last assistant message that asked for no call.

        None where the last turn ended without one: a run that stopped at a call has not answered. The
        signal by which a simulated user ends a conversation (`###STOP###` of tau-bench) asks for no
        answer, so the one before it is the last.
        """
        asking = {call.request for call in self.calls} - {None}
        for step in reversed(self.steps):
            if type(step) is not Message:
                continue
            if step.role == "user" and not any(signal in step.text for signal in _SIGNALS):
                return None
            if step.role == "assistant" and step.request not in asking and step.text:
                return step.text
        return None

    @derived
    def requests(self) -> int:
        """How many answers the models gave."""
        seen = {step.request for step in self.messages if step.role == "assistant"}
        seen.update([call.request for call in self.all_calls])
        return len(seen) - (None in seen)

    @derived
    def total_usage(self) -> Usage | None:
        """What the whole run consumed: as recorded for the whole, else the sum of its messages."""
        if self.usage is not None:
            return self.usage
        total: Usage | None = None
        for step in self.messages:
            if step.usage is not None:
                total = step.usage if total is None else total + step.usage
        return total

    @property
    def seconds(self) -> float | None:
        """How long the run took, where both ends are known and in order."""
        if self.started is None or self.ended is None or not self.ended >= self.started:
            return None
        return self.ended - self.started
