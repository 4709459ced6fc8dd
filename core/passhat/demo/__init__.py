"""What `passhat demo` scores: 48 recorded runs of a shop's support agent, and its suite."""

from pathlib import Path

TRACES = Path(__file__).parent / "traces.jsonl"
"""The runs: 12 tasks, 4 attempts each, as OpenAI chat messages."""

SUITE = Path(__file__).parent / "suite.yaml"
"""What is expected of them."""

__all__ = ["SUITE", "TRACES"]
