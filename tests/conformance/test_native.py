"""Our own form against the canonical traces, all of which it can express."""

import json

from passhat.recordings.native import adapter
from passhat.testing import CANONICAL, AdapterConformance
from passhat.trace import encode_trace

SAMPLES = {
    name: json.loads(encode_trace(one.trace)) | {"source": "test"}
    for name, one in CANONICAL.items()
}
BROKEN = {"schema": "passhat.trace/1", "id": "t", "steps": [{"kind": "message", "role": "wizard"}]}


class TestNative(AdapterConformance):
    no_suites = "suites have a file of their own"
    adapter = adapter
    samples = SAMPLES
    broken = BROKEN

    def test_is_read_back_exactly(self, tmp_path):
        traces = [one.trace for one in CANONICAL.values()]
        report = adapter.write_traces(traces, tmp_path / "t.jsonl")
        assert list(adapter.read_traces(tmp_path / "t.jsonl")) == traces
        assert report.lossless
