"""Our own form: exact, fast, and as patient as the others."""

import json

import pytest

from passhat.errors import TraceError
from passhat.recordings.native import adapter
from passhat.testing import call, trace_of, user
from passhat.trace import Trace, encode_trace


def read(tmp_path, *lines):
    path = tmp_path / "t.jsonl"
    path.write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    )
    return list(adapter.read_traces(path))


def line(**fields):
    return {"schema": "passhat.trace/1", "id": "t", **fields}


MESSAGE = {"kind": "message", "role": "user"}


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        (line(steps=[MESSAGE, {"kind": "message", "role": "wizard"}]), ":2: $.steps[1].role: "),
        (line(steps=[{"kind": "poem"}]), ":2: $.steps[0].kind: "),
        (line(colour="red"), ":2: not a trace: Object contains unknown field `colour`"),
        ({"schema": "passhat.trace/1"}, ":2: not a trace: Object missing required field `id`"),
        (line(schema="passhat.trace/9"), ":2: schema is 'passhat.trace/9'"),
        (
            line(steps=[{**MESSAGE, "turn": 10**12}]),
            ":2: $.steps[0]: turn 1000000000000 of a trace of 1 steps: turns are counted from 0",
        ),
        (line(steps=[{**MESSAGE, "turn": -1}]), ":2: $.steps[0].turn: not a trace: Expected"),
        (line(steps=[{**MESSAGE, "request": -1}]), ":2: $.steps[0].request: not a trace: Expected"),
        (
            '{"schema": "passhat.trace/1", "id": "t", "metadata": {"a": "\\ud800"}}',
            ":2: $.metadata.a: half",
        ),
        ('{"schema": "passhat.trace/1", "id": "t', ":2: not JSON: it ends too early"),
        ('{"id": "t", "metadata": ' + '{"a":' * 9_999 + "1" + "}" * 10_000, ":2: nested deeper"),
        ("[1, 2]", ":2: not a trace: Expected `object`, got `array`"),
    ],
)
def test_what_is_broken_costs_itself_and_is_named(broken, place, tmp_path):
    good, error, more = read(tmp_path, line(), broken, line())
    assert isinstance(good, Trace)
    assert isinstance(more, Trace)
    assert isinstance(error, TraceError)
    assert place in str(error)


def test_nan_is_kept(tmp_path):
    (trace,) = read(tmp_path, '{"id": "t", "metadata": {"loss": NaN}}')
    assert trace.metadata == {"loss": {"$float": "NaN"}}


def test_a_deep_result_comes_back(tmp_path):
    deep = 1
    for _ in range(200):
        deep = [deep]
    trace = trace_of(user("x"), call("f").returns(deep))
    assert read(tmp_path, encode_trace(trace).decode()) == [trace]


def test_a_list_of_traces_and_traces_in_memory(tmp_path):
    path = tmp_path / "t.json"
    path.write_text(json.dumps([line(), line(id="u")], indent=1))
    assert [trace.id for trace in adapter.read_traces(path)] == ["t", "u"]
    assert [trace.id for trace in adapter.read_traces([line(), line(id="u")])] == ["t", "u"]
    (error,) = adapter.read_traces(line(id=object()))
    assert "$.id: a object is no JSON value" in str(error)
