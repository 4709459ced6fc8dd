"""Eval sets of ADK's and the criteria beside them, in a few words."""

from typing import Any


def evalset(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"eval_set_id": "s", "eval_cases": list(cases), **more}


def asked(text: str, *uses: tuple[str, Any], answer: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "user_content": {"parts": [{"text": text}], "role": "user"},
        "intermediate_data": {"tool_uses": [{"name": n, "args": a} for n, a in uses]},
    }
    if answer is not None:
        made["final_response"] = {"parts": [{"text": answer}], "role": "model"}
    return made


def case(name: str = "c", *turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"eval_id": name, "conversation": list(turns or (asked("hi"),)), **more}


def config(**criteria: Any) -> dict[str, Any]:
    return {"criteria": criteria}
