"""Which files are whose: on real recordings, ours and others'."""

import pytest

from passhat.adapter import adapters
from passhat.jsontext import head_of
from passhat.recordings import RecordingReader
from passhat.recordings.native import Native

OURS = {
    name: adapter
    for name, adapter in adapters().items()
    if isinstance(adapter, RecordingReader | Native)
}


def sure(path):
    head = head_of(path, 65_536)
    found = {name: adapter.sniff(path, head) for name, adapter in OURS.items()}
    return {name: number for name, number in found.items() if number >= 0.3}


def test_the_recorded_runs_are_tau_benchs(shared):
    assert list(sure(shared / "real/tau_airline/runs.json")) == ["tau-bench"]


def test_what_others_recorded_is_not_ours(shared):
    others = [
        *(shared / "real/adk").glob("*.json"),
        *(shared / "real/langsmith").glob("*.json"),
        *(shared / "real/tau_airline/state_before").glob("*.json"),
        shared / "real/tau_airline/replay.jsonl",
        *(shared / "vectors").rglob("*.json*"),
    ]
    assert len(others) > 20
    assert {path.name: found for path in others if (found := sure(path))} == {}


@pytest.mark.parametrize("size", [200, 1_000, 4_000, 20_000])
def test_a_file_is_told_by_its_beginning_wherever_that_ends(size, shared):
    head = head_of(shared / "real/tau_airline/runs.json", 65_536)
    found = {name: adapter.sniff(shared, head[: size * 3]) for name, adapter in OURS.items()}
    best = max(found, key=found.__getitem__)
    assert (best, found[best] > 0.3) == ("tau-bench", True) or max(found.values()) == 0.0
