"""The eval set in pytest, as ADK runs it: `pytest test_refunds.py`."""

import asyncio
import sys
from pathlib import Path

from google.adk.evaluation.agent_evaluator import AgentEvaluator

AGENTS = Path(__file__).parent / "agents"
sys.path.insert(0, str(AGENTS))


def test_refunds() -> None:
    asyncio.run(
        AgentEvaluator.evaluate(
            agent_module="refund_agent",
            eval_dataset_file_path_or_dir=str(AGENTS / "refund_agent" / "refunds.evalset.json"),
            num_runs=2,
            print_detailed_results=False,
        )
    )
