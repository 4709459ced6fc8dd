"""What a model's run says of its request: the model, when it began and ended, tokens and cost."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from msgspec.structs import replace

from passhat.recordings.langchain import adapter as langchain
from passhat.recordings.shapes import number
from passhat.trace import Message, Usage
from passhat_langsmith.plain import plain
from passhat_langsmith.responses import usage_in
from passhat_langsmith.runs import Run, field_in, seconds_of

_AGENT = ("lc_agent_name", "gen_ai.agent.name", "langgraph_node")
"""What says whose answer it is: an agent's own name, or else the node of the graph."""
_PARTS = ("input_cost", "output_cost")


def timed(step: Message, run: Run) -> Message:
    """An answer of a model with what its run says of it.

    >>> run = Run("r", metadata={"usage_metadata": {"input_tokens": 5, "total_cost": 0}})
    >>> timed(Message("assistant"), run).usage
    Usage(input_tokens=5, cost=0.0)
    """
    model = step.model or run.metadata.get("ls_model_name")
    names = step.agent, *(run.metadata.get(key) for key in _AGENT)
    return replace(
        step,
        usage=_usage(step.usage, run),
        model=model if isinstance(model, str) else None,
        agent=next((one for one in names if isinstance(one, str) and one), None),
        started=run.started,
        ended=run.ended,
        first_token=_first_token(run.events),
    )


def total_usage(root: Run) -> Usage | None:
    """What the server says that a whole trace consumed; None where it says nothing.

    >>> total_usage(Run("r", cost="0.5", totals={"prompt_tokens": 3, "completion_tokens": 2}))
    Usage(input_tokens=3, output_tokens=2, cost=0.5)
    """
    usage, cost = _counted(root), _number(root.cost)
    return usage if cost is None else replace(usage or Usage(), cost=cost)


def _counted(run: Run) -> Usage | None:
    """The tokens that the server counted."""
    held: dict[str, Any] = plain(run.totals)
    return langchain.usage({
        "input_tokens": held.get("prompt_tokens"),
        "output_tokens": held.get("completion_tokens"),
        "input_token_details": held.get("prompt_token_details"),
        "output_token_details": held.get("completion_token_details"),
    })  # fmt: skip


def means_of(stats: Any) -> dict[str, float]:
    """The means of the feedback that the server already holds, as `feedback_stats` says them.

    >>> means_of({"thumbs": {"n": 2, "avg": 0.5}, "note": {"n": 1, "avg": None}})
    {'thumbs': 0.5}
    """
    told = plain(stats) if stats else None
    held = told if isinstance(told, dict) else {}
    means = {key: one.get("avg") for key, one in held.items() if isinstance(one, Mapping)}
    known = {key: number(value) for key, value in means.items()}
    return {key: value for key, value in known.items() if value is not None}


def _usage(known: Usage | None, run: Run) -> Usage | None:
    outputs = run.outputs if isinstance(run.outputs, dict) else {}
    stated = plain(outputs.get("usage_metadata") or run.metadata.get("usage_metadata"))
    raw = stated if isinstance(stated, dict) else {}
    usage = known or langchain.usage(raw) or usage_in(outputs)
    if usage is None and run.totals:
        usage = _counted(run)
    if not raw and run.cost is None:
        return usage
    parts = [one for key in _PARTS if (one := _number(raw.get(key))) is not None]
    cost = _number(raw.get("total_cost"), run.cost, sum(parts) if parts else None)
    return usage if cost is None else replace(usage or Usage(), cost=cost)


def _first_token(events: Any) -> float | None:
    """When the first token came; of the others, which may be thousands, nothing is read."""
    for one in events if isinstance(events, list | tuple) else ():
        if field_in(one, "name") == "new_token":
            return seconds_of(field_in(one, "time"))
    return None


def _number(*values: Any) -> float | None:
    for value in values:
        if value is None:
            continue
        try:
            found = float(value)
        except (TypeError, ValueError, OverflowError):
            continue
        if isfinite(found):
            return found
    return None
