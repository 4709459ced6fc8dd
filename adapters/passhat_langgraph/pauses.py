"""The interrupts of a stored task: which calls wait for them, and what was answered."""

from __future__ import annotations

from passhat_langgraph.messages import Entry, messages_in
from passhat_langgraph.tasks import Task
from passhat_langgraph.telling import Telling
from passhat_langgraph.where import Where


def calls_of(telling: Telling, task: Task, where: Where) -> list[str]:
    """The ids of the calls that a task runs."""
    given = [row.get("id") for row in task.given]
    if not given:
        given = [
            entry.get("tool_call_id")
            for channel, value in task.update
            for entry in messages_in(channel, value) or ()
            if entry.get("type") == "tool"
        ]
        given = [id for id in given if isinstance(id, str) and telling.calls.waiting(id)]
    if not given and not task.done and not any(map(asks_for_review, task.pauses)):
        given = [call.id for call in telling.calls.open(where.parent)]
    return [id for id in given if isinstance(id, str)]


def tell_pauses(telling: Telling, task: Task, where: Where, *, over: bool) -> None:
    """Tells the interrupts of a task, and what was answered, where the run went on: if it did."""
    if not task.pauses:
        return
    answers = list(task.answers)
    if task.unsure:
        telling.chat.gap(
            "interrupts: several waited side by side, and which of them took the last answer is "
            "not stored"
        )
        answers = []
    lost = len(answers) - len(task.pauses) + (0 if task.done else 1)
    for number in range(max(0, lost) if len(task.pauses) == 1 else 0):
        telling.chat.gap("an interrupt was answered, and its question overwritten by the next")
        telling.pause(None, f"{task.id}#{number}", ())
        telling.chat.resume(answers[number], id=f"{task.id}#{number}")
    left = answers[max(0, lost) :]
    for at, pause in enumerate(task.pauses):
        id = pause_id(task, pause, at)
        telling.pause(pause.get("value"), id, _waiting_for(telling, task, pause, where))
        if over or task.done or left[at : at + 1]:
            answer = left[at] if at < len(left) else None
            telling.resume(answer, id)


def _waiting_for(telling: Telling, task: Task, pause: Entry, where: Where) -> tuple[str, ...]:
    """The ids of the calls that wait for the answer to an interrupt."""
    value = _value(pause)
    if isinstance(value.get("tool_call_id"), str):
        return (value["tool_call_id"],)
    calls = telling.calls.open(where.parent)
    asked = value.get("action_requests")
    if isinstance(asked, list):
        names = [row.get("name", row.get("action")) for row in asked if isinstance(row, dict)]
        calls = [call for call in calls if call.name in names]
        return tuple(call.id for call in calls if call.id is not None)
    return tuple(calls_of(telling, task, where))


def pause_id(task: Task, pause: Entry, at: int) -> str:
    """The id of an interrupt; one without has its place in its task."""
    id = pause.get("id")
    return id if isinstance(id, str) else f"{task.id}:{at}"


def before_tool(pause: Entry) -> bool:
    """Whether an interrupt waits for a decision on calls, before any of them runs."""
    return asks_for_review(pause) or _value(pause).get("type") == "tool_approval"


def asks_for_review(pause: Entry) -> bool:
    """Whether an interrupt is of LangChain's human-in-the-loop middleware."""
    return "action_requests" in _value(pause)


def _value(pause: Entry) -> Entry:
    value = pause.get("value")
    return value if isinstance(value, dict) else {}
