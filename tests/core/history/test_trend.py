"""Runs over time."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from passhat.errors import InputError, UsageError
from passhat.history import read_history, run_path, trend_of
from passhat.reliability import Results
from passhat.result import CheckResult, Trial


def run(counts, *, check=True, **pins):
    return Results(
        tuple(
            Trial(
                case,
                number,
                f"{case}/{number}",
                "passed" if number < c else "failed",
                (CheckResult.of("state", number < c),) if check else (),
                pins=pins,
            )
            for case, (n, c) in counts.items()
            for number in range(n)
        )
    )


def test_each_run_has_its_numbers_and_what_changed():
    trend = trend_of(
        [
            ("1", run({"a": (4, 4), "b": (4, 2)}, model="m1")),
            ("2", run({"a": (4, 3), "b": (4, 4)}, model="m2")),
            ("3", run({"a": (4, 0), "b": (4, 0), "c": (2, 1)}, model="m2")),
        ]
    )
    one, two, three = trend.runs
    assert one.pass_hat_k[1] == 0.75
    assert one.checks == {"state": 0.75}
    assert (one.change, one.pins) == (None, ())
    assert two.change == pytest.approx(0.125)
    assert two.change_interval[0] < 0.125 < two.change_interval[1]
    assert [str(change) for change in two.pins] == ["model: m1 -> m2"]
    assert [(case.case_id, case.before, case.now) for case in two.new_flaky] == [
        ("a", (4, 4), (4, 3))
    ]
    assert three.new_flaky == ()
    assert (three.cases, three.trials, three.shared) == (3, 10, 2)
    assert set(three.pass_hat_k) == {1, 2}


def test_a_case_that_no_longer_ever_passes_is_told_apart():
    trend = trend_of([("1", run({"a": (3, 3)})), ("2", run({"a": (3, 0)}))])
    assert [case.case_id for case in trend.runs[1].new_failing] == ["a"]
    assert trend.runs[1].new_flaky == ()


def test_a_case_that_was_rewritten_has_no_past():
    old, new = run({"a": (3, 3)}, case="h1"), run({"a": (3, 1)}, case="h2")
    assert trend_of([("1", old), ("2", new)]).runs[1].new_flaky == ()
    assert trend_of([("1", old), ("2", new)]).runs[1].change is None


def test_a_run_in_which_nothing_was_judged_has_no_numbers():
    lost = Results((Trial("a", 0, "t", "infrastructure_error"),))
    point = trend_of([("1", run({"a": (3, 3)})), ("2", lost)]).runs[1]
    assert (point.trials, point.left_out, point.pass_hat_k, point.change) == (0, 1, {}, None)


def test_a_night_without_a_verdict_hides_no_drop():
    outage = Results((Trial("a", 0, "t", "infrastructure_error"),))
    trend = trend_of([("1", run({"a": (4, 4)})), ("2", outage), ("3", run({"a": (4, 1)}))])
    assert (trend.runs[1].change, trend.runs[2].change) == (None, -0.75)
    assert [case.case_id for case in trend.runs[2].new_flaky] == ["a"]


def test_files_are_read_in_the_order_of_their_names(tmp_path):
    for name in ("2026-2.jsonl", "2026-10.jsonl", "2026-1.jsonl"):
        run({"a": (1, 1)}).save(tmp_path / name)
    (tmp_path / "table.csv").write_text("case,passed\na,0\n")
    (tmp_path / "broken.jsonl").write_text("{}\n")
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / ".hidden.jsonl").write_text("{}")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere.jsonl")
    (tmp_path / "no.jsonl").touch()
    trend = read_history(tmp_path)
    assert [point.name for point in trend.runs] == [
        "2026-1.jsonl",
        "2026-2.jsonl",
        "2026-10.jsonl",
        "table.csv",
    ]
    broken, gone, nothing = trend.unread
    assert "broken.jsonl: not a result" in broken
    assert gone == "gone.jsonl: cannot be read: No such file or directory"
    assert nothing == "no.jsonl: no trial is there; nothing can be decided on nothing"
    assert [point.name for point in read_history(tmp_path, last=1).runs] == ["table.csv"]
    assert trend.to_dict()["schema"] == "passhat.history/1"


def test_a_folder_without_results(tmp_path):
    with pytest.raises(InputError, match="score --save"):
        read_history(tmp_path)
    with pytest.raises(InputError, match="no folder of runs"):
        read_history(tmp_path / "none")
    (tmp_path / "a.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match="none of its files holds results"):
        read_history(tmp_path)


def test_runs_are_kept_under_their_time_and_never_over_each_other(tmp_path):
    when = datetime(2026, 3, 1, 10, 30, 5, tzinfo=timezone(timedelta(hours=2)))
    first = run_path(tmp_path / "deep" / "runs", when)
    assert first.name == "2026-03-01T08-30-05Z.jsonl"
    run({"a": (1, 1)}).save(first)
    second = run_path(first.parent, when.astimezone(UTC))
    assert second.name == "2026-03-01T08-30-05Z-2.jsonl"
    run({"a": (1, 0)}).save(second)
    assert [point.name for point in read_history(first.parent).runs] == [first.name, second.name]
    with pytest.raises(UsageError, match="no folder for runs"):
        run_path(first, when)
