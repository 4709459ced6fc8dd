"""Messages alone, as `langsmith-fetch` writes them for a trace or a thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from passhat.errors import Place, TraceError
from passhat.recordings.conversation import Conversation
from passhat.recordings.langchain import adapter as langchain
from passhat.trace import Trace
from passhat_langsmith.errors import UNTOLD, outcome_of
from passhat_langsmith.measures import means_of, total_usage
from passhat_langsmith.plain import plain
from passhat_langsmith.runs import Run, seconds_of


def is_message(value: Any) -> bool:
    """Whether a value is a message, and not a row that holds some.

    >>> is_message({"type": "human", "content": "hi"}), is_message({"messages": []})
    (True, False)
    """
    return isinstance(value, Mapping) and "run_type" not in value and langchain.is_entry(value)


def trace_of_messages(given: Mapping[str, Any]) -> Trace:
    """The trace of messages, with what their row says of times, tokens and scores.

    Raises:
        TraceError: It is no row of messages, or holds one that is not known; it names the row.
    """
    row: dict[str, Any] = plain(given)
    if not isinstance(row.get("messages"), list):
        id = row.get("id") or row.get("run_id")
        named = f"run {id}: " if id else ""
        said = f"{named}neither a run, which has an id and a run_type, nor messages"
        if row.keys() >= {"inputs", "outputs"}:
            said += (
                "; inputs and outputs alone are an example of a dataset (--suite takes those), or of "
                "a run that was exported without what it is: export id, run_type and trace_id too"
            )
        raise TraceError(said)
    id = row.get("trace_id") or row.get("thread_id") or row.get("id") or "trace"
    chat = Conversation(str(id), source="langsmith")
    try:
        langchain.fill(chat, [(path, langchain.normal(one)) for path, one in _messages(row)], {})
    except TraceError as error:
        raise TraceError(f"run {id}: {error.message}", error.place) from error
    held = row.get("metadata")
    metadata: dict[str, Any] = held if isinstance(held, dict) else {}
    tokens, costs = metadata.get("token_usage"), metadata.get("costs")
    told = Run(
        str(id),
        totals=tokens if isinstance(tokens, dict) else {},
        cost=costs.get("total_cost") if isinstance(costs, dict) else None,
    )
    ending: dict[str, Any] = {}
    if metadata.get("status") == "error":
        ending = {"error": UNTOLD, "outcome": outcome_of(UNTOLD)}
    return chat.trace(
        usage=total_usage(told),
        started=seconds_of(metadata.get("start_time")),
        ended=seconds_of(metadata.get("end_time")),
        scores=means_of(metadata.get("feedback_stats")),
        metadata=metadata,
        **ending,
    )


def _messages(row: dict[str, Any]) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for at, one in enumerate(row["messages"]):
        if isinstance(one, dict) and "role" in one and "content" not in one:
            one = {**one, "content": ""}
        if not langchain.is_entry(one):
            raise TraceError("no message that is known", Place(path=f"$.messages[{at}]"))
        found.append((f"$.messages[{at}]", one))
    return found
