"""What a project of LangSmith's holds: the runs of an agent that made calls."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

NOW = datetime.now(UTC).replace(microsecond=0)


def trace(number: int, *calls: str, seconds: float = 1.0, **root: Any) -> list[dict[str, Any]]:
    """The runs of an agent that made calls, the root first."""
    began = NOW - timedelta(hours=1) + timedelta(seconds=10 * number)
    id = str(UUID(int=number << 64))

    def run(at: int, kind: str, **more: Any) -> dict[str, Any]:
        started = began + timedelta(milliseconds=at)
        own = id if at == 0 else str(UUID(int=(number << 64) + at))
        stamp = started.strftime("%Y%m%dT%H%M%S%fZ")
        order = f"{began.strftime('%Y%m%dT%H%M%S%fZ')}{id}"
        return {
            "id": own,
            "trace_id": id,
            "parent_run_id": None if at == 0 else id,
            "dotted_order": order if at == 0 else f"{order}.{stamp}{own}",
            "name": kind,
            "run_type": kind,
            "start_time": started.isoformat(),
            "end_time": (started + timedelta(milliseconds=1)).isoformat(),
            "extra": {},
            **more,
        }

    asked = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": "{}"}}
        for at, name in enumerate(calls)
    ]
    question = [{"role": "user", "content": f"question {number}"}]
    message = {"role": "assistant", "content": "done", "tool_calls": asked}
    runs = [
        run(
            0,
            "chain",
            inputs={"messages": question},
            outputs={"output": "done"},
            **{"end_time": (began + timedelta(seconds=seconds)).isoformat(), **root},
        ),
        run(
            1,
            "llm",
            inputs={"messages": question},
            outputs={"choices": [{"message": message}]},
        ),
    ]
    return runs + [
        run(2 + at, "tool", name=name, inputs={}, outputs={"output": 1})
        for at, name in enumerate(calls)
    ]
