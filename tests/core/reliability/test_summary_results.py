"""Results: iterated, summarised, written whole or not at all, and read back."""

import pytest

from passhat.case import Case, Suite
from passhat.errors import InputError, Place, TraceError, UsageError
from passhat.reliability import Results, read_results, read_trials, results_writer
from passhat.result import CheckResult, Trial
from passhat.trace import Usage

TRIALS = (
    Trial("a", 0, "t0", "passed", (CheckResult.of("budget", True),), usage=Usage(1, 2)),
    Trial("a", 1, "t1", "failed", pins={"model": "m", "seed": 1}),
    Trial("b", 0, "t2", "passed", pins={"model": "m", "seed": 2}),
)


def test_results_read_back_as_they_were(tmp_path):
    path = tmp_path / "results.jsonl"
    Results(TRIALS).save(path)
    assert tuple(read_results(path)) == TRIALS
    assert list(read_trials(path)) == list(TRIALS)
    assert [item.name for item in tmp_path.iterdir()] == ["results.jsonl"]


def test_pins_are_those_that_all_share():
    assert Results(TRIALS[1:]).pins == {"model": "m"}
    assert Results(TRIALS).pins == {}
    assert Results(()).pins == {}


def test_the_summary_knows_the_unread_and_the_suite():
    results = Results(
        TRIALS,
        suite=Suite("s", (Case("a", optimal_steps=1),)),
        unread=(TraceError("broken"),),
    )
    summary = results.summary()
    assert summary.unread.count == 1
    assert summary.sensitivity.left_out == 1
    assert summary.pass_hat_k == {1: 0.75}


def test_a_file_keeps_what_could_not_be_read(tmp_path):
    path = tmp_path / "results.jsonl"
    unread = (TraceError("not JSON", Place("runs.jsonl", 3)), TraceError("empty"))
    held = Results(TRIALS, unread=unread)
    held.save(path)
    back = read_results(path)
    assert back.trials == TRIALS
    assert [str(error) for error in back.unread] == ["runs.jsonl:3: not JSON", "empty"]
    assert back.summary().to_dict() | {"about": {}} == held.summary().to_dict() | {"about": {}}
    assert [trial.reason for trial in read_trials(path)][3:] == [
        "cannot be read: runs.jsonl:3: not JSON",
        "cannot be read: empty",
    ]
    # A trial without a case whose trace is known was read.
    Results((Trial(None, 0, "t", "not_evaluated", reason="cannot be read: x"),)).save(path)
    assert not read_results(path).unread


def test_a_file_is_whole_or_untouched(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text("before")

    def stopped_midway():
        with results_writer(path) as writer:
            writer.write(TRIALS[0])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        stopped_midway()
    assert path.read_text() == "before"
    assert [item.name for item in tmp_path.iterdir()] == ["results.jsonl"]


def test_a_device_is_written_to_and_stays_one():
    with results_writer("/dev/null") as writer:
        writer.write(TRIALS[0])
    with open("/dev/null", "rb") as device:
        assert device.read() == b""


def test_what_cannot_be_written_says_so(tmp_path):
    with (
        pytest.raises(UsageError, match="cannot be written"),
        results_writer(tmp_path / "no" / "f"),
    ):
        pass


def test_a_broken_line_names_its_place(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text('{"case_id": "a", "trial": 0, "trace_id": "t", "status": "passed"}\n{"x"\n')
    with pytest.raises(InputError, match=r"results\.jsonl:2"):
        read_results(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_results(tmp_path / "absent.jsonl")
