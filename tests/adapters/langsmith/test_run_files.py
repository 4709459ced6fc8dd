"""Files of runs: one trace, several, cut ones, and what `langsmith-fetch` writes."""

import json
from pathlib import Path

import pytest
from langsmith_runs import USER, asks, llm, run

from passhat.errors import InputError, TraceError, UsageError
from passhat.trace import Trace
from passhat_langsmith import adapter, to_trace


def test_a_file_of_one_trace_is_that_trace(tmp_path: Path) -> None:
    runs = [run("chain", "root", inputs={"messages": [USER]}), llm("m", "root", [USER], asks())]
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(runs))
    assert to_trace(path) == to_trace(str(path)) == to_trace(runs)
    other = {"id": "other", "run_type": "chain", "inputs": {}, "outputs": {}}
    path.write_text(json.dumps([*runs, other]))
    with pytest.raises(UsageError, match=r"runs\.json: there is more than one trace"):
        to_trace(path)
    path.write_text("[]")
    with pytest.raises(TraceError, match="nothing is recorded there"):
        to_trace(path)
    with pytest.raises(InputError, match="No such file"):
        to_trace(tmp_path / "gone.json")


@pytest.mark.parametrize("form", ['"{}"', '["{}"]', '[["{}"]]'])
def test_a_text_in_a_file_is_no_path_to_another(tmp_path: Path, form: str) -> None:
    """Nor to itself."""
    other, path = tmp_path / "other.json", tmp_path / "runs.json"
    other.write_text(json.dumps(run("chain", "root")))
    for target in (other, path):
        path.write_text(form.format(target))
        (error,) = adapter.read_traces(path)
        assert isinstance(error, TraceError)
        assert error.place.file == str(path)


def test_a_cut_file_costs_only_what_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    whole = json.dumps(run("chain", "a", child_runs=[run("tool", "f")]))
    path.write_text(f"{whole}\n{whole[:40]}\n", "utf-8")
    found = list(adapter.read_traces(path))
    assert [type(one) for one in found] == [Trace, TraceError]


@pytest.mark.parametrize("lines", [True, False])
def test_what_a_cut_file_may_have_had_of_a_trace_is_a_gap_of_it(
    tmp_path: Path, lines: bool
) -> None:
    path = tmp_path / "runs.json"
    runs = [
        {**run(kind, name), "inputs": {"q": "x"}, "trace_id": name[0]}
        for kind, name in (("chain", "a"), ("chain", "b"), ("tool", "b1"))
    ]
    runs[2] |= {"parent_run_id": "b"}
    text = "\n".join(map(json.dumps, runs)) if lines else json.dumps(runs)
    path.write_text(text[:-20], "utf-8")
    error, *traces = adapter.read_traces(path)
    assert isinstance(error, TraceError)
    first, second = (one.gaps for one in traces if isinstance(one, Trace))
    assert first == ()
    assert second[0].startswith("calls: what stands in the file behind a run of this trace")


def test_runs_of_a_file_that_name_their_parents_alone_are_gathered(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    runs = [
        llm("m", "node", [USER], asks(("c1", "lookup", {}))),
        run("chain", "root"),
        run("tool", "lookup", "tools", id="t"),
        run("chain", "node", "root"),
        run("chain", "tools", "node"),
        run("chain", "other"),
    ]
    path.write_text(json.dumps(runs), "utf-8")
    found = [one for one in adapter.read_traces(path) if isinstance(one, Trace)]
    assert [(one.id, len(one.calls), one.gaps) for one in found] == [
        ("root", 1, ()),
        ("other", 0, ("calls: run other: nothing that it was given or did was recorded",)),
    ]
    path.write_text(json.dumps([run("chain", "a", "b"), run("chain", "b", "a")]), "utf-8")
    (ring,) = adapter.read_traces(path)
    assert isinstance(ring, Trace)
    assert ring.gaps == ("run a: its parents go round in a ring",)
    root = "20260101T000000000000Z00000000-0000-4000-8000-000000000001"
    told = [
        run("chain", "r", id=root[-36:], dotted_order=root),
        run("tool", "t", "lost", dotted_order=f"{root}.20260101T000001000000Z{'0' * 36}"),
    ]
    path.write_text(json.dumps(told), "utf-8")
    (trace,) = adapter.read_traces(path)
    assert isinstance(trace, Trace)
    assert len(trace.calls) == 1


def test_what_langsmith_fetch_writes() -> None:
    told = {"trace_id": "t", "messages": [USER, {"role": "assistant", "content": "Shipped."}]}
    trace = to_trace(told)
    assert (trace.id, trace.final_response) == ("t", "Shipped.")
