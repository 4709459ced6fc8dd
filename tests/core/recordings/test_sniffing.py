"""Which files are whose: on real recordings, ours and others'."""

import json
from pathlib import Path

import pytest

from passhat.adapter import adapters, sniffed
from passhat.jsontext import head_of
from passhat.recordings import RecordingReader
from passhat.recordings.native import Native
from passhat.testing import CANONICAL

OURS = {
    name: adapter
    for name, adapter in adapters().items()
    if isinstance(adapter, RecordingReader | Native)
}
SOMEWHERE = Path("somewhere")


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


@pytest.mark.parametrize(
    "name", [name for name, one in OURS.items() if isinstance(one, RecordingReader)]
)
def test_a_recording_is_told_by_its_beginning_wherever_that_ends(name):
    reader = OURS[name]
    rows = [reader.from_trace(one.trace) for one in CANONICAL.values() if one.trace.calls]
    whole = json.dumps(rows).encode()
    least = len(json.dumps(rows[0])) + 1
    for end in range(least, min(len(whole), least + 1_500), 7):
        sure = {other: one.sniff(SOMEWHERE, whole[:end]) for other, one in OURS.items()}
        assert sure[name] == max(sure.values()) > 0.3, (end, sure)


@pytest.mark.parametrize("tail", ["", "\\", "\\u", "\\ud83d", "\\ud83d\\u", "é"])
def test_a_prompt_longer_than_the_beginning_hides_nothing(tail, tmp_path):
    path = tmp_path / "runs.jsonl"
    text = "x" * 300_000
    chat = [{"role": "system", "content": text}, {"role": "user", "content": "hi"}]
    path.write_text(json.dumps({"messages": chat}) + "\n")
    assert sniffed(path).name == "openai"
    head = b'{"messages": [{"role": "system", "content": "' + b"x" * 500 + tail.encode()
    assert OURS["openai"].sniff(path, head) == 0.5
    assert OURS["openai"].sniff(path, head[:-1]) == 0.5
