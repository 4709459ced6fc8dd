"""Our metrics in `adk optimize`, whose sampler plays an agent without its app and shows no reasons."""

import asyncio
import logging
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")
ASKED = {
    "eval_set_id": "s",
    "eval_cases": [
        {
            "eval_id": "A1",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "Refund A1"}], "role": "user"},
                    "intermediate_data": {
                        "tool_uses": [
                            {"name": "lookup_order", "args": {"order_id": "A1"}},
                            {"name": "issue_refund", "args": {"order_id": "A1", "amount": 40.0}},
                        ]
                    },
                }
            ],
            "session_input": {"app_name": "shop", "user_id": "u"},
            "final_session_state": {"looked_up": "A1"},
        }
    ],
}


def sampled(agent: Any, *metrics: str) -> Any:
    from google.adk.evaluation.eval_set import EvalSet
    from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
    from google.adk.optimization.local_eval_sampler import LocalEvalSampler, LocalEvalSamplerConfig

    manager = InMemoryEvalSetsManager()
    manager.create_eval_set("shop", "s")
    for case in EvalSet.model_validate(ASKED).eval_cases:
        manager.add_eval_case("shop", "s", case)
    config = {
        "criteria": dict.fromkeys(metrics, 1.0),
        "custom_metrics": {
            name: {"code_config": {"name": f"passhat_adk.metrics.{name}"}} for name in metrics
        },
    }
    settings = {"eval_config": config, "app_name": "shop", "train_eval_set": "s"}
    sampler = LocalEvalSampler(LocalEvalSamplerConfig.model_validate(settings), manager)
    return asyncio.run(sampler.sample_and_score(agent, capture_full_eval_data=True))


def test_calls_are_judged(scripted: ModuleType) -> None:
    found = sampled(scripted.shop(), "passhat_trajectory", "passhat_no_calls")
    assert found.scores == {"A1": 0.0}
    assert sampled(scripted.shop(), "passhat_trajectory").scores == {"A1": 1.0}
    (turn,) = found.data["A1"]["invocations"]
    statuses = {one["metric_name"]: one["eval_status"] for one in turn["eval_metric_results"]}
    assert statuses["passhat_trajectory"] == "PASSED"
    assert statuses["passhat_no_calls"] == "FAILED"


@pytest.mark.parametrize("metric", ["passhat_case", "passhat_final_state"])
def test_state_that_no_plugin_saw_fails_and_the_log_says_why(
    scripted: ModuleType, metric: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "passhat_adk"):
        assert sampled(scripted.shop(), "passhat_trajectory", metric).scores == {"A1": 0.0}
    (told,) = [row.getMessage() for row in caplog.records if row.name.startswith("passhat_adk")]
    assert told.startswith(f"{metric} of A1: not evaluated: ")
    assert "ADK gives metrics no state" in told
