"""Every example six times, without a connection, and how often all of k runs pass."""

import json
from pathlib import Path

from agent import agent

import passhat_langsmith

lines = (Path(__file__).parent / "dataset.jsonl").read_text(encoding="utf-8").splitlines()
results = passhat_langsmith.evaluate(
    agent, [json.loads(line) for line in lines], trials=6, local=True
)
for case in results.summary().cases:
    print(f"{case.case_id[-2:]}: {case.c} of {case.n}")
print(f"pass^3 {results.summary().pass_hat_k[3]:.2f}")
