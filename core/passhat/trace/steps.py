"""The entries of a trace: messages, tool calls, state updates, node visits and interrupts.

Times are seconds since the Unix epoch. What a source did not record is None (or `UNSET` where
None is itself a value); it is never guessed.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, field

Role: TypeAlias = Literal["system", "user", "assistant"]
Ordinal: TypeAlias = Annotated[int, Meta(ge=0)]
"""A number counted from 0, which is held to where a trace is read."""


class Usage(
    Struct,
    frozen=True,
    gc=False,
    omit_defaults=True,
    repr_omit_defaults=True,
    forbid_unknown_fields=True,
):
    """What a model request, or a whole trace, consumed. None is unknown, which is never 0.

    Attributes:
        input_tokens: Tokens read by the model, cached ones included.
        output_tokens: Tokens written by the model, reasoning included.
        cached_input_tokens: The part of `input_tokens` that came from a cache.
        reasoning_tokens: The part of `output_tokens` spent on reasoning.
        cost: Money spent, in `currency`.
        currency: ISO 4217 code of `cost`.

    >>> Usage(10, 5) + Usage(1, 2, cost=0.5)
    Usage(input_tokens=11, output_tokens=7, cost=0.5)
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    currency: str = "USD"

    def __add__(self, other: Usage) -> Usage:
        """The two together: unknown only where both are unknown.

        Costs in two currencies have no sum, so that cost is unknown.
        """
        same = other.currency == self.currency or other.cost is None or self.cost is None
        currency = self.currency if self.cost is not None else other.currency
        return Usage(
            _plus(self.input_tokens, other.input_tokens),
            _plus(self.output_tokens, other.output_tokens),
            _plus(self.cached_input_tokens, other.cached_input_tokens),
            _plus(self.reasoning_tokens, other.reasoning_tokens),
            _plus(self.cost, other.cost) if same else None,
            currency,
        )

    @property
    def tokens(self) -> int | None:
        """Input and output tokens together, None where neither is known."""
        return _plus(self.input_tokens, self.output_tokens)


_Number = TypeVar("_Number", int, float)


def _plus(a: _Number | None, b: _Number | None) -> _Number | None:
    if a is None:
        return b
    return a if b is None else a + b


class _Entry(
    Struct,
    frozen=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="kind",
):
    """How every entry is written: its kind beside its fields, and none that it does not have."""


class Message(_Entry, frozen=True, gc=False, tag="message"):
    """Something said: by the system, the user or the assistant.

    Every request of a model is one assistant message (its text may be empty), followed by the
    calls it asked for.

    Attributes:
        role: Who said it.
        text: All its text, parts joined.
        content: The parts as recorded, where text is not all there is; else None.
        reasoning: The model's thoughts, which are no part of the answer.
        agent: The agent that spoke.
        turn: The turn it belongs to, counted from 0.
        request: For an assistant message, the number of the request it answers, counted from 0.
        id: The message's id in the source.
        model: The model that wrote it.
        usage: What that request consumed.
        started: When the request began.
        first_token: When the first token came.
        ended: When the message was complete.
        extensions: What the source recorded that has no place here.
    """

    role: Role
    text: str = ""
    content: Any = None
    reasoning: str | None = None
    agent: str | None = None
    turn: Ordinal = 0
    request: Ordinal | None = None
    id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    started: float | None = None
    first_token: float | None = None
    ended: float | None = None
    extensions: dict[str, Any] = field(default_factory=dict)


class ToolCall(_Entry, frozen=True, gc=False, tag="tool_call"):
    """A call a model asked for, with what came of it.

    Attributes:
        name: The tool's name as the model wrote it.
        args: The arguments, a JSON object; empty where they did not parse.
        args_error: The raw text of the arguments, where they were no JSON object.
        id: The call's id in the source.
        turn: The turn it belongs to, counted from 0.
        request: The request that asked for it; calls of one request have no order among them. None
            where it is unknown; then the call is a request of its own.
        agent: The agent that asked.
        node: The graph node it ran in.
        path: The namespaces it ran in, outermost first.
        parent: The id of the call inside which it was made.
        executed: True if it ran, False if it was asked for and never run, None if unknown.
        attempts: How often it really ran, where the source says.
        result: What it returned; `UNSET` where no result was recorded, None where it returned null.
        error: Why it failed, where it did.
        answered: The first request that could see its result; None while it had none.
        started: When it began.
        ended: When it ended.
        extensions: What the source recorded that has no place here.
    """

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    args_error: str | None = None
    id: str | None = None
    turn: Ordinal = 0
    request: Ordinal | None = None
    agent: str | None = None
    node: str | None = None
    path: tuple[str, ...] = ()
    parent: str | None = None
    executed: bool | None = None
    attempts: int | None = None
    result: Any | UnsetType = UNSET
    error: str | None = None
    answered: int | None = None
    started: float | None = None
    ended: float | None = None
    extensions: dict[str, Any] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the source says that the call failed."""
        return self.error is not None

    @property
    def succeeded(self) -> bool:
        """Whether the call has a result and did not fail."""
        return self.error is None and self.result is not UNSET


class StateUpdate(_Entry, frozen=True, tag="state_update"):
    """A change to the state that the source recorded.

    Attributes:
        delta: The changed keys with their new values.
        by: The id of the call, or the name of the node, that made it.
        at: When.
        turn: The turn it belongs to, counted from 0.
        extensions: What the source recorded that has no place here.
    """

    delta: dict[str, Any]
    by: str | None = None
    at: float | None = None
    turn: Ordinal = 0
    extensions: dict[str, Any] = field(default_factory=dict)


class NodeVisit(_Entry, frozen=True, tag="node_visit"):
    """One run of a graph's node.

    Attributes:
        node: Its name.
        path: The namespaces it ran in, outermost first.
        step: The superstep; nodes of one superstep ran side by side.
        update: What it wrote to the state.
        error: Why it failed, where it did.
        turn: The turn it belongs to, counted from 0.
        started: When it began.
        ended: When it ended.
        extensions: What the source recorded that has no place here.
    """

    node: str
    path: tuple[str, ...] = ()
    step: int | None = None
    update: Any | UnsetType = UNSET
    error: str | None = None
    turn: Ordinal = 0
    started: float | None = None
    ended: float | None = None
    extensions: dict[str, Any] = field(default_factory=dict)


class Interrupt(_Entry, frozen=True, tag="interrupt"):
    """A pause for somebody outside: a confirmation, a question, an approval.

    Attributes:
        id: Its id in the source.
        value: What was asked.
        pending: The ids of the calls that wait for the answer.
        answer: What was answered; `UNSET` while nothing was.
        resolved: Whether it was answered.
        turn: The turn it belongs to, counted from 0.
        extensions: What the source recorded that has no place here.
    """

    id: str | None = None
    value: Any = None
    pending: tuple[str, ...] = ()
    answer: Any | UnsetType = UNSET
    resolved: bool = False
    turn: Ordinal = 0
    extensions: dict[str, Any] = field(default_factory=dict)


Step: TypeAlias = Message | ToolCall | StateUpdate | NodeVisit | Interrupt
