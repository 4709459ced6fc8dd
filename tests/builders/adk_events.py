"""Events, invocations and stored results of ADK's, in a few words."""

from typing import Any

Json = dict[str, Any]


def event(author: str, *parts: Json, **more: Any) -> Json:
    role = "user" if author == "user" or any("function_response" in p for p in parts) else "model"
    made: Json = {"author": author, "invocation_id": "e-1", **more}
    if parts:
        made["content"] = {"role": role, "parts": list(parts)}
    return made


def text(words: str, **more: Any) -> Json:
    return {"text": words, **more}


def asks(id: str, name: str, /, **args: Any) -> Json:
    return {"function_call": {"id": id, "name": name, "args": args}}


def gives(id: str, name: str, response: Any) -> Json:
    return {"function_response": {"id": id, "name": name, "response": response}}


ASKED = event("user", text("Refund A1"))


def invocation(**more: Any) -> Json:
    return {"invocation_id": "e-1", "user_content": {"parts": [text("hi")]}, **more}


def stored(*rows: Json) -> Json:
    return {"eval_set_result_id": "r", "eval_set_id": "s", "eval_case_results": list(rows)}


def row(name: str, status: int, *metrics: tuple[str, int, float | None]) -> Json:
    return {
        "eval_set_id": "s",
        "eval_id": name,
        "final_eval_status": status,
        "overall_eval_metric_results": [
            {"metric_name": n, "eval_status": e, "score": s} for n, e, s in metrics
        ],
        "eval_metric_result_per_invocation": [
            {
                "actual_invocation": invocation(final_response={"parts": [text("ok")]}),
                "expected_invocation": invocation(final_response={"parts": [text("ok")]}),
                "eval_metric_results": [],
            }
        ],
        "session_id": f"{name}-{status}",
    }
