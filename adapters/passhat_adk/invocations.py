"""Invocations, as ADK's evaluation hands them around, as the steps of a trace.

`InvocationEvents` keep what each request asked for. `IntermediateData` is a flat list of calls: which
of them were asked for together is not recorded, so each is a request of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from passhat.errors import Place, TraceError
from passhat.recordings.parts import LISTED
from passhat.recordings.shapes import kind_of
from passhat.recordings.tools import catalogue
from passhat.trace import ToolCall
from passhat_adk.answering import REQUESTS
from passhat_adk.contents import Answer, Request, parts_of, plain_answer, plain_call, requests_of
from passhat_adk.events import Run
from passhat_adk.fields import USER, moment, number
from passhat_adk.native import DURATIONS, INTERMEDIATE, INVOCATION, a_list, an_object, snaked
from passhat_adk.ordinary import ordinary_invocation

_ALONE = "calls stand in a plain list; which were asked for together is not recorded"


def add_invocations(run: Run, invocations: list[Any], path: str = "$") -> dict[str, Any]:
    """Adds invocations, each a turn, and gives the fields of the trace that they tell besides.

    Raises:
        TraceError: One of them is no invocation; the error names its path.
    """
    fields: dict[str, Any] = {}
    tools: dict[str, dict[str, Any]] = {}
    instructions: dict[str, str] = {}
    durations: dict[int, dict[str, float]] = {}
    started: float | None = None
    for at, item in enumerate(invocations):
        turn = ordinary_invocation(item)
        if turn is not None and _calls_alone(turn):
            _add_ordinary(run, turn, at)
            started = moment(turn.creation_timestamp or None) if started is None else started
            continue
        try:
            invocation = snaked(an_object(item, "$", "an invocation"), INVOCATION)
            _add(run, invocation, at)
        except TraceError as error:
            raise error.under(f"{path}[{at}]") from None
        if started is None:
            started = moment(invocation.get("creation_timestamp")) or None
        if invocation.keys() & DURATIONS:
            durations[at] = _seconds_of(invocation)
        if "app_details" in invocation:
            _take_details(invocation["app_details"], tools, instructions)
    if started is not None:
        fields["started"] = started
    spans = [spent["duration"] for spent in durations.values() if "duration" in spent]
    if spans and len(spans) == len(invocations):
        fields.setdefault("started", 0.0)
        fields["ended"] = fields["started"] + sum(spans)
        run.extensions["durations"] = list(durations.values())
    if tools:
        fields["tools"] = tools
    if instructions:
        run.extensions["instructions"] = instructions
    return fields


def _calls_alone(turn: Any) -> bool:
    """Whether all that an ordinary invocation has between question and answer are calls."""
    data = turn.intermediate_data
    if not data:
        return True
    others = data.tool_responses or data.intermediate_responses
    return not others and data.invocation_events is UNSET


def _add_ordinary(run: Run, turn: Any, at: int) -> None:
    """Adds an invocation of the ordinary shape: the same as `_add` does, with fewer steps."""
    asked, answer = turn.user_content.parts[0].text, turn.final_response
    message = {
        "invocation_id": turn.invocation_id or f"turn {at}",
        "timestamp": turn.creation_timestamp or None,
    }
    run.takes(message, [Request(asked, spoken=True)])
    uses = (turn.intermediate_data.tool_uses or ()) if turn.intermediate_data else ()
    for use in uses:
        if use.name not in REQUESTS:
            run.request += 1
            run.call(ToolCall(use.name, use.args or {}, id=use.id or None))
    if len(uses) > 1:
        run.gap(_ALONE)
    if answer:
        run.add({"author": None, "content": {"parts": [{"text": answer.parts[0].text}]}})


def _add(run: Run, invocation: Mapping[str, Any], at: int) -> None:
    given = invocation.get("invocation_id")
    asked = an_object(invocation.get("user_content"), "$.user_content", "a user_content")
    message = {
        "author": USER,
        "invocation_id": given if isinstance(given, str) and given else f"turn {at}",
        "content": asked,
    }
    if begun := invocation.get("creation_timestamp"):
        message["timestamp"] = begun
    try:
        requests = requests_of(parts_of(asked), LISTED)
    except TraceError as error:
        raise error.under("$.user_content") from None
    run.takes(message, requests)
    between = invocation.get("intermediate_data")
    final = _final(invocation.get("final_response"))
    if between is None:
        between = {}
    where = "$.intermediate_data"
    between = snaked(an_object(between, where, "an intermediate_data"), INTERMEDIATE)
    try:
        if "invocation_events" in between:
            final = _add_events(run, between["invocation_events"], final)
        else:
            _add_flat(run, between)
            final = _unlisted(final, between)
    except TraceError as error:
        raise error.under(where) from None
    if final is None:
        return
    try:
        run.add(final)
    except TraceError as error:
        path = (error.place.path or "$").removeprefix("$.content")
        raise TraceError(error.message, Place(path=f"$.final_response{path}")) from None


def _final(content: Any) -> dict[str, Any] | None:
    """The final response as an event; None where there is none, or nothing in it."""
    try:
        if content is None or not parts_of(content):
            return None
    except TraceError as error:
        raise error.under("$.final_response") from None
    return {"content": {**content, "role": "model"}, "author": None}


def _add_events(run: Run, events: Any, final: dict[str, Any] | None) -> dict[str, Any] | None:
    """Adds what happened in between; the final answer stands where its emptied event stands.

    Returns:
        The final answer, where it is yet to be added.
    """
    path = "$.invocation_events"
    rows = a_list(events, path, "invocation_events")
    emptied = [at for at, event in enumerate(rows) if _is_emptied(event)]
    if emptied and final is not None:
        rows = [*rows]
        rows[emptied[-1]] = {**rows[emptied[-1]], "content": final["content"]}
        final = None
    run.add_all(rows, path)
    if final is None or _said_already(rows, final):
        return None
    return {**final, "author": rows[-1].get("author") if rows else None}


def _is_emptied(event: Any) -> bool:
    return isinstance(event, dict) and event.get("content") is None


def _said_already(rows: list[Any], final: dict[str, Any]) -> bool:
    """Whether an event is the final answer itself: text beside a call stays in the last one.

    A call of a long-running tool is a final answer to ADK, which leaves it among the events too.
    """
    parts = parts_of(final["content"])
    if any(part.get("function_call") for part in parts):
        return any(isinstance(row, dict) and parts_of(row.get("content")) == parts for row in rows)
    last = rows[-1].get("content") if rows else None
    if not isinstance(last, dict):
        return False
    words = [
        [text for part in parts_of(content) if isinstance(text := part.get("text"), str)]
        for content in (last, final["content"])
    ]
    return bool(words[0]) and words[0] == words[1]


def _add_flat(run: Run, between: Mapping[str, Any]) -> None:
    path = "$.intermediate_responses"
    spoken = a_list(between.get("intermediate_responses"), path, "intermediate_responses")
    for at, pair in enumerate(spoken):
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], list):
            raise TraceError(
                f"an intermediate response is a pair [author, parts], not {kind_of(pair)}",
                Place(path=f"{path}[{at}]"),
            )
        try:
            run.add({"author": pair[0], "content": {"role": "model", "parts": pair[1]}})
        except TraceError as error:
            raise error.under(f"{path}[{at}]") from None
    waiting = _Answers(between.get("tool_responses"))
    calls = a_list(between.get("tool_uses"), "$.tool_uses", "tool_uses")
    for at, held in enumerate(calls):
        try:
            call = plain_call(held)
        except TraceError as error:
            raise error.under(f"$.tool_uses[{at}]") from None
        if call.name in REQUESTS:
            continue
        run.request += 1
        run.call(call)
        answer = waiting.take(call)
        if answer is not None:
            run.join(answer)
    if len(calls) > 1:
        run.gap(_ALONE)
    if spoken and calls:
        run.gap("whether intermediate responses came before or after the calls is not recorded")
    for answer in waiting.rest():
        run.join(answer)


def _unlisted(final: dict[str, Any] | None, between: Mapping[str, Any]) -> dict[str, Any] | None:
    """The final answer without the calls that stand in the flat list too."""
    listed = {_id(call) for call in between.get("tool_uses") or ()} - {None}
    if not listed or final is None:
        return final
    content = final["content"]
    asked = [_id(part.get("function_call")) for part in parts_of(content)]
    rest = [part for part, id in zip(content["parts"], asked, strict=True) if id not in listed]
    return {**final, "content": {**content, "parts": rest}}


def _id(call: Any) -> str | None:
    """The id of a call; None for one that has none, or whose id is refused where it is read."""
    id = call.get("id") if isinstance(call, dict) else None
    return str(id) or None if type(id) in (str, int) else None


class _Answers:
    """The responses of a flat list, each taken by the call it answers: by id, else by name."""

    def __init__(self, rows: Any) -> None:
        self._left: dict[tuple[str, str | None], deque[Answer]] = {}
        for at, held in enumerate(a_list(rows, "$.tool_responses", "tool_responses")):
            try:
                answer = plain_answer(held)
            except TraceError as error:
                raise error.under(f"$.tool_responses[{at}]") from None
            key = ("id", answer.call_id) if answer.call_id else ("name", answer.name)
            self._left.setdefault(key, deque()).append(answer)

    def take(self, call: ToolCall) -> Answer | None:
        """The response that a call gets."""
        if not self._left:
            return None
        for key in (("id", call.id), ("name", call.name)):
            if key[1] is not None and self._left.get(key):
                return self._left[key].popleft()
        return None

    def rest(self) -> list[Answer]:
        """The responses that no call took."""
        return [answer for answers in self._left.values() for answer in answers]


def _take_details(
    details: Any, tools: dict[str, dict[str, Any]], instructions: dict[str, str]
) -> None:
    """Takes the tools that were offered and what the agents were told, as far as recorded."""
    if not isinstance(details, dict):
        return
    agents = details.get("agent_details") or details.get("agentDetails")
    for name, agent in agents.items() if isinstance(agents, dict) else ():
        if not isinstance(agent, dict):
            continue
        told = agent.get("instructions")
        if isinstance(told, str) and told:
            instructions[name] = told
        declared = agent.get("tool_declarations") or agent.get("toolDeclarations")
        if declared and (found := catalogue(declared)):
            tools.update(found)


def _seconds_of(invocation: Mapping[str, Any]) -> dict[str, float]:
    """How long an invocation took, where it says so."""
    found = {name: number(invocation.get(name)) for name in DURATIONS}
    return {name: value for name, value in found.items() if value}
