"""Every case five times in sessions of its own, and how often all of k runs pass."""

import sys
from pathlib import Path

import passhat_adk

AGENTS = Path(__file__).parent / "agents"
sys.path.insert(0, str(AGENTS))

results = passhat_adk.evaluate_sync(
    "refund_agent", AGENTS / "refund_agent" / "refunds.evalset.json", trials=5
)
for case in results.summary().cases:
    print(f"{case.case_id}: {case.c} of {case.n}")
print(f"pass^5 {results.summary().pass_hat_k[5]:.2f}")
