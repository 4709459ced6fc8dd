"""A shop's eval set, the metrics asked for it, and what they said, in a few words."""

from typing import Any

Json = dict[str, Any]


def turn(text: str, *uses: tuple[str, Json], **more: Any) -> Json:
    return {
        "user_content": {"parts": [{"text": text}], "role": "user"},
        "intermediate_data": {"tool_uses": [{"name": n, "args": a} for n, a in uses]},
        **more,
    }


BOTH = (("lookup_order", {"order_id": "A1"}), ("issue_refund", {"order_id": "A1", "amount": 40.0}))


def evalset(*turns: Json, **more: Any) -> Json:
    return {
        "eval_set_id": "refunds",
        "eval_cases": [
            {
                "eval_id": "A1",
                "conversation": list(turns or (turn("Refund A1", *BOTH),)),
                "session_input": {"app_name": "shop", "user_id": "u", "state": {"tier": "gold"}},
                **more,
            }
        ],
    }


def config(**criteria: Any) -> Json:
    return {
        "criteria": criteria,
        "custom_metrics": {
            name: {"code_config": {"name": f"passhat_adk.metrics.{name}"}}
            for name in criteria
            if name.startswith("passhat_")
        },
    }


def said(result: Any, name: str) -> tuple[str, float | None, str]:
    found = next(m for m in result.overall_eval_metric_results if m.metric_name == name)
    reasons = "\n".join(score.rationale or "" for score in found.details.rubric_scores or ())
    return found.eval_status.name, found.score, reasons


def app_of(agent: Any) -> Any:
    from google.adk.apps.app import App

    from passhat_adk import TracePlugin

    return App(name="shop", root_agent=agent, plugins=[TracePlugin()])
