"""Bulk exports in Parquet."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import passhat
from passhat.errors import InputError, TraceError, UsageError
from passhat_langsmith import from_trace, to_trace
from passhat_langsmith.convert import read_traces
from passhat_langsmith.reader import adapter

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
TEXTS = ("inputs", "outputs", "extra", "tags")


def runs(number: int) -> list[dict[str, Any]]:
    steps = (
        passhat.Message("user", f"question {number}"),
        passhat.Message("assistant", "", request=0),
        passhat.ToolCall("lookup", {"n": number}, id="c1", request=0, result="shipped"),
        passhat.Message("assistant", "It has shipped.", request=1),
    )
    return from_trace(passhat.Trace(f"t{number}", steps=steps, started=float(number)))


def rows(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made = []
    for run in found:
        row = {key: json.dumps(held) if key in TEXTS else held for key, held in run.items()}
        for key in ("start_time", "end_time"):
            row[key] = datetime.fromisoformat(row[key]) if row[key] else None
        made.append(row)
    return made


def write(path: Path, *traces: list[dict[str, Any]], mixed: bool = False) -> None:
    found = [row for runs in traces for row in rows(runs)]
    if mixed:
        found = found[::2] + found[1::2]
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(found), path, row_group_size=3)


def test_traces_are_those_of_the_runs_wherever_their_rows_stand(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    write(path, runs(1), runs(2), runs(3), mixed=True)
    found = {one.id: one for one in read_traces(path) if not isinstance(one, TraceError)}
    assert found == {f"t{at}": to_trace(runs(at)) for at in (1, 2, 3)}
    assert adapter.sniff(path, path.read_bytes()[:100]) > 0.5
    assert len(passhat.score(path, checks=["schema_valid"], case="any")) == 3


def test_an_export_lies_in_many_folders_and_a_trace_in_two_of_its_files(tmp_path: Path) -> None:
    one, two = runs(1), runs(2)
    write(tmp_path / "runs/year=2026/month=1/day=1/a.parquet", one[:2], two)
    write(tmp_path / "runs/year=2026/month=1/day=2/b.parquet", one[2:])
    results = passhat.score(f"langsmith:export/{tmp_path}", checks=["schema_valid"], case="any")
    assert sorted(trial.trace_id for trial in results) == ["t1", "t2"]
    (trace,) = (
        one for one in adapter.read_traces(f"langsmith:export/{tmp_path}") if one.id == "t1"
    )  # type: ignore[union-attr]
    assert trace == to_trace(one)


@pytest.mark.parametrize("broken", ['{"cut', "[" * 100_000, '"\\ud800"'])
@pytest.mark.parametrize("at", [0, -1])
def test_a_broken_row_costs_its_trace_and_is_told(tmp_path: Path, at: int, broken: str) -> None:
    """What the run did is not known: a trace without it could pass for what it did."""
    path = tmp_path / "runs.parquet"
    first = rows(runs(1))
    first[at] |= {"inputs": broken, "outputs": broken}
    parquet.write_table(pyarrow.Table.from_pylist(first + rows(runs(2))), path)
    error, trace = read_traces(path)
    assert isinstance(error, TraceError)
    assert f"run {first[at]['id']}: a column is no JSON" in str(error)
    assert trace == to_trace(runs(2))


def test_what_is_no_export(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([{"a": 1}]), path)
    with pytest.raises(InputError, match="no column 'id'"):
        list(read_traces(path))
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(read_traces(cut))
    with pytest.raises(UsageError, match="a bulk export of runs"):
        adapter.read_suite(cut)
    with pytest.raises(InputError, match="no Parquet file"):
        list(adapter.read_traces(f"langsmith:export/{tmp_path / 'none'}"))
