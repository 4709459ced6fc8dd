"""Yesterday's traces: a tenth of them, and all that are flagged, scored where they are recorded.

    python production.py PROJECT

Needs LANGSMITH_API_KEY. The journal lets a run that was stopped go on.
"""

import sys
from datetime import timedelta

from langsmith import Client
from langsmith.anonymizer import create_anonymizer

import passhat
from passhat_langsmith import score_project

project = sys.argv[1]
expected = passhat.Case(
    "every trace", forbidden_calls=["delete_account"], budget={"tool_calls": 20}
)
scores = score_project(
    Client(),
    project,
    expected,
    sample=0.1,
    since=timedelta(days=1),
    journal=f"{project}.scoring.jsonl",
)
print(f"{scores.seen} traces, {len(scores.results)} scored, {scores.written} feedbacks written")
sampled = scores.sample
print(f"of the sample, {sum(one.passed for one in sampled)} of {len(sampled)} passed")

hide = create_anonymizer([{"pattern": r"[\w.]+@[\w.]+", "replace": "<email>"}])
if scores.failures:
    added = scores.add_failures_to(f"{project} to correct", redact=hide)
    print(f"{len(added.created)} cases to correct in {added.dataset!r}")
