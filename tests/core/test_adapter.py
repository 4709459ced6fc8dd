"""Finding the reader of a file, and readers that are broken."""

from importlib.metadata import EntryPoint

import pytest

import passhat
from passhat import adapter
from passhat.errors import InputError, TraceError, UsageError
from passhat.trace import Trace, encode_trace


@pytest.fixture
def with_entry_points(monkeypatch):
    def add(**points):
        found = [EntryPoint(name, value, adapter.GROUP) for name, value in points.items()]
        known = list(adapter.entry_points(group=adapter.GROUP))
        monkeypatch.setattr(adapter, "entry_points", lambda group: [*known, *found])
        adapter.adapters.cache_clear()
        adapter._loaded.cache_clear()

    yield add
    monkeypatch.undo()
    adapter.adapters.cache_clear()
    adapter._loaded.cache_clear()


def test_a_broken_adapter_costs_itself_alone(with_entry_points):
    with_entry_points(gone="no_such_module:adapter", odd="passhat.errors:nothing_there")
    assert {"openai", "passhat"} <= adapter.adapters().keys()
    assert adapter.broken_adapters().keys() == {"gone", "odd"}
    with pytest.raises(UsageError, match="cannot be loaded: ModuleNotFoundError"):
        adapter.adapter_named("gone")


def test_a_file_that_nobody_knows_may_be_one_of_a_broken_adapter(with_entry_points, tmp_path):
    with_entry_points(gone="no_such_module:adapter", odd="passhat.errors:nothing_there")
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(InputError, match=r"gone, odd could not be asked"):
        passhat.read_traces(path)


def test_an_unknown_reader_is_told_with_those_there_are():
    with pytest.raises(UsageError, match=r"no reader 'opnai', did you mean openai\?"):
        adapter.adapter_named("opnai")


def test_a_file_that_does_not_tell_what_it_is(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(InputError, match=r"notes\.txt: the file does not tell .* --from"):
        passhat.read_traces(path)
    path.write_text("  \n")
    with pytest.raises(InputError, match="the file is empty"):
        passhat.read_traces(path)
    with pytest.raises(InputError, match="No such file"):
        passhat.read_traces(tmp_path / "gone.jsonl")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_file_of_another_encoding_is_told_from_one_that_is_no_json(tmp_path, encoding):
    path = tmp_path / "runs.jsonl"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path.write_text(mark + '{"messages": []}\n', encoding)
    with pytest.raises(InputError, match=r"runs\.jsonl:1: UTF-16 by its byte order mark.*iconv"):
        passhat.read_traces(path)


def test_a_trace_that_cannot_be_read_costs_itself_alone(tmp_path):
    path = tmp_path / "traces.jsonl"
    good = [encode_trace(Trace(name)) for name in ("a", "b")]
    path.write_bytes(b"\n".join([good[0], b'{"schema": "passhat.trace/1", "id": 3}', good[1]]))
    first, broken, last = passhat.read_traces(path)
    assert (first.id, last.id) == ("a", "b")
    assert isinstance(broken, TraceError)
    assert broken.place.line == 2
