"""Fails where one of passhat's own doors says something else: for CI, after an upgrade."""

import sys

import passhat
from passhat.parity import compare_doors
from passhat_adk import to_suite

OURS = ["pytest", "adk", "langsmith", "openevals"]

found = compare_doors(
    to_suite("payments.evalset.json"), passhat.read_traces("runs.jsonl"), doors=OURS
)
for door in found.doors:
    print(f"{door.name}: {door.count('equal')} of {door.verdicts} equal")
sys.exit(found.exit_code)
