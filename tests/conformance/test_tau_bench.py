"""tau-bench and tau2-bench results against the canonical traces."""

import json

import pytest

from passhat.errors import UsageError
from passhat.recordings.tau_bench import adapter
from passhat.testing import AdapterConformance, chat_samples


class Form:
    def user(self, text, picture):
        return [{"role": "user", "content": text}]

    def says(self, text):
        return [{"role": "assistant", "content": text}]

    def asks(self, calls):
        return [
            {"role": "assistant", "content": None, "tool_calls": [asked(call) for call in calls]}
        ]

    def gives(self, calls):
        return [
            {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": said(call)}
            for call in calls
        ]


def asked(call):
    arguments = call.args_error or json.dumps(call.args)
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }


def said(call):
    if call.error is not None:
        return json.dumps({"error": call.error})
    return call.result if isinstance(call.result, str) else json.dumps(call.result)


ROWS = {
    name: {"task_id": 0, "trial": 0, "reward": 1.0, "info": {"source": "user"}, "traj": messages}
    for name, messages in chat_samples(Form()).items()
    if name != "structured_content"
}
CANNOT = {
    "pending_call": "a trajectory has no interrupts",
    "approved_call": "a trajectory has no interrupts",
    "nested_agent": "a trajectory has no calls inside calls",
    "structured_content": "the simulated user writes text only",
}
BROKEN = {"task_id": 1, "trial": 0, "traj": [{"role": "wizard", "content": "abracadabra"}]}


class TestTauBench(AdapterConformance):
    no_suites = "results are read as suites, and written by tau-bench alone"
    adapter = adapter
    samples = ROWS
    cannot_express = CANNOT
    broken = BROKEN
    holds_suites = True

    def test_a_suite_cannot_be_written(self, tmp_path):
        suite, _ = adapter.read_suite(
            [{"task_id": 1, "info": {"task": {"actions": []}}, "traj": []}]
        )
        with pytest.raises(UsageError, match="suite file"):
            adapter.write_suite(suite, tmp_path / "suite.json")
