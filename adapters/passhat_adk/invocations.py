"""Invocations, as ADK's evaluation hands them around, as the steps of a trace.

`InvocationEvents` keep what each request asked for. `IntermediateData` is a flat list of calls: which
of them were asked for together is not recorded, so each is a request of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from passhat.errors import Place, TraceError
from passhat.recordings.parts import SPOKEN
from passhat.recordings.shapes import kind_of
from passhat.recordings.tools import catalogue
from passhat.trace import ToolCall
from passhat_adk.contents import Answer, parts_of, plain_answer, plain_call, requests_of
from passhat_adk.events import REQUESTS, USER, Run
from passhat_adk.native import INTERMEDIATE, INVOCATION, a_list, an_object, snaked

_ALONE = "calls stand in a plain list; which were asked for together is not recorded"
_DURATIONS = ("duration", "model_duration", "tool_duration")


def add_invocations(run: Run, invocations: list[Any], path: str = "$") -> dict[str, Any]:
    """Adds invocations, each a turn, and gives the fields of the trace that they tell besides.

    Raises:
        TraceError: One of them is no invocation; the error names its path.
    """
    fields: dict[str, Any] = {}
    tools: dict[str, dict[str, Any]] = {}
    instructions: dict[str, str] = {}
    durations: list[dict[str, float]] = []
    started: float | None = None
    for at, item in enumerate(invocations):
        where = f"{path}[{at}]"
        invocation = snaked(an_object(item, where, "an invocation"), INVOCATION)
        _add(run, invocation, where, at)
        begun = invocation.get("creation_timestamp")
        if started is None and isinstance(begun, int | float) and begun:
            started = float(begun)
        durations.append(
            {name: value for name in _DURATIONS if (value := _seconds(invocation.get(name)))}
        )
        _take_details(invocation.get("app_details"), tools, instructions)
    if started is not None:
        fields["started"] = started
    if durations and all("duration" in spent for spent in durations):
        fields.setdefault("started", 0.0)
        fields["ended"] = fields["started"] + sum(spent["duration"] for spent in durations)
        run.extensions["durations"] = durations
    if tools:
        fields["tools"] = tools
    if instructions:
        run.extensions["instructions"] = instructions
    return fields


def _add(run: Run, invocation: Mapping[str, Any], path: str, at: int) -> None:
    given = invocation.get("invocation_id")
    run.add(
        {
            "author": USER,
            "invocation_id": given if isinstance(given, str) and given else f"turn {at}",
            "content": an_object(invocation.get("user_content"), f"{path}.user_content",
                                 "a user_content"),
            "timestamp": invocation.get("creation_timestamp") or None,
        },
        f"{path}.user_content",
    )  # fmt: skip
    between = invocation.get("intermediate_data")
    final = _final(invocation.get("final_response"), f"{path}.final_response")
    where = f"{path}.intermediate_data"
    if between is None:
        between = {}
    between = snaked(an_object(between, where, "an intermediate_data"), INTERMEDIATE)
    if "invocation_events" in between:
        _add_events(run, between["invocation_events"], f"{where}.invocation_events", final)
    else:
        _add_flat(run, between, where, final)


def _final(content: Any, path: str) -> dict[str, Any] | None:
    """The final response as an event; None where there is none, or nothing in it."""
    if not parts_of(content, path):
        return None
    return {"content": {**content, "role": "model"}, "author": None}


def _add_events(run: Run, events: Any, path: str, final: dict[str, Any] | None) -> None:
    """Adds what happened in between; the final answer stands where its emptied event stands."""
    rows = a_list(events, path, "invocation_events")
    emptied = [at for at, event in enumerate(rows) if _is_emptied(event)]
    place = emptied[-1] if emptied and final is not None else None
    for at, event in enumerate(rows):
        where = f"{path}[{at}]"
        held = an_object(event, where, "an invocation event")
        if at == place and final is not None:
            held = {**held, "content": final["content"]}
            final = None
        run.add(held, where)
    if final is not None and not _said_already(rows, final):
        run.add({**final, "author": rows[-1].get("author") if rows else None}, path)


def _is_emptied(event: Any) -> bool:
    return isinstance(event, dict) and event.get("content") is None


def _said_already(rows: list[Any], final: dict[str, Any]) -> bool:
    """Whether the last event is the final answer itself: text beside a call stays there."""
    last = rows[-1].get("content") if rows else None
    if not isinstance(last, dict):
        return False
    words = [
        [text for part in parts_of(content, "$") if isinstance(text := part.get("text"), str)]
        for content in (last, final["content"])
    ]
    return bool(words[0]) and words[0] == words[1]


def _add_flat(
    run: Run, between: Mapping[str, Any], path: str, final: dict[str, Any] | None
) -> None:
    spoken = a_list(between.get("intermediate_responses"), f"{path}.intermediate_responses",
                    "intermediate_responses")  # fmt: skip
    for at, pair in enumerate(spoken):
        where = f"{path}.intermediate_responses[{at}]"
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], list):
            raise TraceError(
                f"an intermediate response is a pair [author, parts], not {kind_of(pair)}",
                Place(path=where),
            )
        run.add({"author": pair[0], "content": {"role": "model", "parts": pair[1]}}, where)
    waiting = _Answers(between.get("tool_responses"), f"{path}.tool_responses")
    calls = a_list(between.get("tool_uses"), f"{path}.tool_uses", "tool_uses")
    for at, held in enumerate(calls):
        where = f"{path}.tool_uses[{at}]"
        call = plain_call(an_object(held, where, "a tool use"), where)
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
    if final is not None:
        request = requests_of(parts_of(final["content"], path), path, SPOKEN)[0]
        run.assistant(request.text, content=request.content, reasoning=request.reasoning or None)


class _Answers:
    """The responses of a flat list, each taken by the call it answers: by id, else by name."""

    def __init__(self, rows: Any, path: str) -> None:
        self._left: dict[tuple[str, str | None], deque[Answer]] = {}
        for at, held in enumerate(a_list(rows, path, "tool_responses")):
            where = f"{path}[{at}]"
            answer = plain_answer(an_object(held, where, "a tool response"), where, held)
            key = ("id", answer.call_id) if answer.call_id else ("name", answer.name)
            self._left.setdefault(key, deque()).append(answer)

    def take(self, call: ToolCall) -> Answer | None:
        """The response that a call gets."""
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


def _seconds(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and value is not True else None
