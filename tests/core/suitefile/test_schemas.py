"""The schemas accept what is written, and refuse what is not ours."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from passhat.case import SUITE_SCHEMA, Case, Suite, Turn
from passhat.errors import UsageError
from passhat.reliability import SUMMARY_SCHEMA, Summariser
from passhat.result import (
    RESULT_SCHEMA,
    CheckResult,
    Failure,
    TimelineStep,
    Trial,
    encode_trial,
)
from passhat.suitefile import json_schema, read_suite, suite_value
from passhat.trace import (
    TRACE_SCHEMA,
    Interrupt,
    Message,
    NodeVisit,
    StateUpdate,
    ToolCall,
    Trace,
    Usage,
    encode_trace,
)

KINDS = {
    "trace": TRACE_SCHEMA,
    "suite": SUITE_SCHEMA,
    "result": RESULT_SCHEMA,
    "summary": SUMMARY_SCHEMA,
}


def faults(kind, value):
    validator = Draft202012Validator(json_schema(kind))
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@pytest.mark.parametrize("kind", KINDS)
def test_is_a_schema_of_its_name_that_describes_itself(kind):
    schema = json_schema(kind)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == KINDS[kind]
    assert json.loads(json.dumps(schema)) == schema
    assert ">>>" not in json.dumps(schema)
    assert "Attributes:" not in json.dumps(schema)
    if kind in ("trace", "result"):
        parts = (schema, *schema["$defs"].values())
        described = [shape for part in parts for shape in part["properties"].values()]
        assert all(
            "description" in shape or "const" in shape or "enum" in shape for shape in described
        )


def test_an_unknown_kind_is_refused():
    with pytest.raises(UsageError, match="there are trace, suite, result, summary"):
        json_schema("trail")


TRACE = Trace(
    "t",
    case_id="c",
    trial=1,
    steps=(
        Message("user", "Hi", content=[{"type": "image"}], turn=0),
        Message("assistant", "", request=0, usage=Usage(3, 4, cost=0.1), started=1.0, ended=2.5),
        ToolCall("lookup", {"id": "A1"}, id="1", executed=True, result=None, answered=1),
        ToolCall("lookup", args_error="{", error="bad", path=("a",)),
        StateUpdate({"x": [1]}, by="1"),
        NodeVisit("n", step=2, update={"y": None}),
        Interrupt("i", value="sure?", pending=("1",), answer=True, resolved=True),
    ),
    initial_state={"x": []},
    outcome="interrupted",
    usage=Usage(3, 4),
    tools={"lookup": {"type": "object"}},
    scores={"reward": 1.0},
    pins={"model": "m"},
    gaps=("calls: lost",),
)
TRIALS = [
    Trial("c", 0, "t", "passed", (CheckResult("loops", "passed", 1.0, evidence={"hits": 1, "of": 1}),)),
    Trial("c", 1, "u", "failed", reason="no", usage=Usage(1, 2), seconds=1.5, measures={"turns": 1.0}),
    Trial(None, 0, "v", "not_evaluated"),
    Trial("c", 2, "w", "failed", failure_class="gave_up", failure=Failure(reason="no answer"),
          timeline=(TimelineStep("call", 0, "lookup", "{}", index=0),)),
]  # fmt: skip


def test_accepts_traces_as_written():
    assert faults("trace", json.loads(encode_trace(TRACE))) == []
    assert faults("trace", json.loads(encode_trace(Trace("bare")))) == []
    assert faults("trace", {"schema": "passhat.trace/2", "id": "t"})
    assert faults("trace", {"id": "t", "stpes": []})


def test_accepts_results_as_written():
    for trial in TRIALS:
        assert faults("result", json.loads(encode_trial(trial))) == []
    assert faults("result", {"schema": RESULT_SCHEMA, "case_id": "c"})


def test_accepts_summaries_as_written():
    summariser = Summariser()
    assert faults("summary", json.loads(json.dumps(summariser.summary().to_dict()))) == []
    for trial in TRIALS:
        summariser.add(trial)
    written = json.loads(json.dumps(summariser.summary(ks=[1, 2]).to_dict()))
    assert faults("summary", written) == []
    assert faults("summary", {**written, "schema": "passhat.summary/2"})


def test_accepts_suites_as_written(whole, suite_file):
    assert faults("suite", suite_value(read_suite(suite_file(whole)))) == []
    suite = Suite("s", [Case("a", turns=["hi", Turn({"x": 1}, refuse=True)])], tools={"t": {}})
    assert faults("suite", suite_value(suite)) == []
    assert faults("suite", {"cases": [{"id": "a", "forbiden_calls": []}]})


@settings(max_examples=50)
@given(st.lists(st.sampled_from([trial.status for trial in TRIALS]), max_size=6), st.data())
def test_accepts_summaries_of_any_trials(statuses, data):
    summariser = Summariser()
    for index, status in enumerate(statuses):
        name = data.draw(st.sampled_from(["a", "b", None]))
        summariser.add(Trial(name, index, f"t{index}", status))
    assert faults("summary", json.loads(json.dumps(summariser.summary().to_dict()))) == []
