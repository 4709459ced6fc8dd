"""tau2-bench results: `{info, tasks, simulations}`, put into the shape of tau-bench's.

Here the user may call tools too. Those calls are no part of the agent's trajectory: they stay with
the user's message, and their results in the trace's extensions.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from passhat.case import Case, ExpectedCall
from passhat.errors import Place
from passhat.recordings.attempts import Attempt
from passhat.recordings.shapes import listing, mapping, objects

_OUTCOMES = {
    "user_stop": "completed",
    "agent_stop": "completed",
    "max_steps": "limit",
    "timeout": "limit",
    "too_many_errors": "limit",
    "context_window_exceeded": "limit",
    "agent_error": "agent_error",
    "user_error": "infrastructure_error",
    "infrastructure_error": "infrastructure_error",
    "unexpected_error": "infrastructure_error",
}
_FEW = 8
_READ = ("messages", "task_id", "reward_info", "start_time", "end_time", "id", "trial", "ticks")


def is_results(value: Any) -> bool:
    """Whether a value is a whole file of tau2-bench, judged by what may be its beginning."""
    if not isinstance(value, dict):
        return False
    if "environment_info" in mapping(value, "info"):
        return bool(value.keys() & {"tasks", "simulations"})
    return any(map(is_simulation, listing(value, "simulations")[:_FEW]))


def is_simulation(value: Any) -> bool:
    """Whether a value is one attempt of tau2-bench."""
    if not isinstance(value, dict) or "task_id" not in value:
        return False
    rewarded = "messages" in value and "reward" in mapping(value, "reward_info")
    return rewarded or "termination_reason" in value


def simulations(attempt: Attempt) -> Iterator[Attempt]:
    """The attempts of a file, each with what the file says of all of them."""
    info = mapping(attempt.value, "info")
    agent = mapping(info, "agent_info")
    pins = {"model": agent.get("llm"), "seed": info.get("seed"), "commit": info.get("git_commit")}
    found = attempt.value.get("simulations")
    for at, simulation in enumerate(found if isinstance(found, list) else []):
        if isinstance(simulation, dict):
            told = {key: item for key, item in pins.items() if item is not None}
            simulation = {"pins": told, **simulation}
        place = Place(attempt.place.file, attempt.place.line, f"$.simulations[{at}]")
        yield Attempt(f"{attempt.id}.simulations[{at}]", simulation, place)


def row_of(simulation: dict[str, Any]) -> dict[str, Any]:
    """A simulation as a row with OpenAI messages under `traj`.

    Raises:
        TraceError: Its messages are no list of objects.
    """
    messages, asked_by_user = _messages(simulation)
    reward = simulation.get("reward_info")
    scores = {"reward": reward.get("reward")} if isinstance(reward, dict) else {}
    row: dict[str, Any] = {
        "id": simulation.get("id"),
        "case_id": str(simulation["task_id"]),
        "trial": simulation.get("trial"),
        **_how_it_ended(simulation),
        "scores": scores,
        "started": _seconds(simulation.get("start_time")),
        "ended": _seconds(simulation.get("end_time")),
        "pins": simulation.get("pins") or {},
        "metadata": {
            **{key: item for key, item in simulation.items() if key not in (*_READ, "pins")},
            **({"reward_info": reward} if reward else {}),
        },
        "traj": messages,
    }
    if asked_by_user:
        row["extensions"] = {"user_tool_results": asked_by_user}
    if simulation.get("messages") is None or (simulation.get("ticks") and not messages):
        row["gaps"] = ["calls: the messages of a full-duplex simulation were not recorded"]
    return row


def _how_it_ended(simulation: dict[str, Any]) -> dict[str, Any]:
    reason = simulation.get("termination_reason")
    return {} if reason is None else {"outcome": _OUTCOMES.get(str(reason), "agent_error")}


def _messages(simulation: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The messages in OpenAI's form, and the results of the calls that the user made."""
    messages: list[Any] = []
    users: list[Any] = []
    for _, entry in objects(simulation.get("messages"), "$.messages", "messages"):
        several = entry.get("tool_messages")
        for item in several if isinstance(several, list) else [entry]:
            if not isinstance(item, dict) or item.get("role") != "tool":
                messages.append(_priced(item))
            elif item.get("requestor") == "user":
                users.append(item)
            else:
                rest = {key: value for key, value in item.items() if key not in ("id", "requestor")}
                messages.append({"tool_call_id": item.get("id"), **rest})
    return messages, users


def _priced(entry: Any) -> Any:
    """A message whose cost stands with its usage."""
    if not isinstance(entry, dict) or entry.get("cost") is None:
        return entry
    usage = mapping(entry, "usage")
    rest = {key: value for key, value in entry.items() if key != "cost"}
    return {**rest, "usage": {**usage, "cost": entry["cost"]}}


def _seconds(when: Any) -> float | None:
    """A time as seconds since the epoch; tau2-bench writes none of its zones."""
    if not isinstance(when, str):
        return None
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def cases(attempt: Attempt) -> list[Case]:
    """The tasks of a file as cases.

    Raises:
        TraceError: A task's actions are no list of objects.
    """
    tasks = attempt.value.get("tasks")
    return [
        _case(task, f"$.tasks[{at}]")
        for at, task in enumerate(tasks if isinstance(tasks, list) else [])
        if isinstance(task, dict) and task.get("id") is not None
    ]


def _case(task: dict[str, Any], path: str) -> Case:
    scenario = mapping(task, "user_scenario")
    criteria = mapping(task, "evaluation_criteria")
    told = scenario.get("instructions")
    story = told if isinstance(told, dict) else {"task_instructions": told}
    actions = objects(criteria.get("actions"), f"{path}.evaluation_criteria.actions", "actions")
    stated = {
        "persona": scenario.get("persona"),
        "goal": story.get("reason_for_call") or story.get("task_instructions"),
        "known_facts": story.get("known_info"),
        "rules": story.get("task_instructions") if story.get("reason_for_call") else None,
    }
    return Case(
        str(task["id"]),
        stated["goal"],
        scenario={key: item for key, item in stated.items() if item is not None},
        expected_calls=tuple(
            _expected(action) for _, action in actions if action.get("requestor") != "user"
        )
        or None,
        reference=criteria,
        metadata={
            key: item
            for key, item in task.items()
            if key not in ("id", "evaluation_criteria") and item is not None
        },
    )


def _expected(action: dict[str, Any]) -> ExpectedCall:
    """An action as an expected call, with those arguments that tau2-bench compares."""
    args, compared = mapping(action, "arguments"), action.get("compare_args")
    if isinstance(compared, list):
        args = {name: value for name, value in args.items() if name in compared}
    return ExpectedCall(str(action.get("name")), args)
