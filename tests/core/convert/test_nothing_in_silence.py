"""Nothing is lost in silence: a field that nobody knows is in the report, whatever became of it."""

import copy
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passhat.convert import convert_file
from passhat.errors import PasshatError

ASKED = {"role": "user", "parts": [{"text": "Refund A1"}]}
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "refund", "arguments": '{"order": "A1"}'},
}
CHAT = [
    {"role": "user", "content": "Refund A1"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "done"},
    {"role": "assistant", "content": "Refunded."},
]
SUITES = {
    "adk": {
        "eval_set_id": "shop",
        "name": "shop",
        "eval_cases": [
            {
                "eval_id": "A1",
                "conversation": [
                    {
                        "invocation_id": "i1",
                        "user_content": ASKED,
                        "final_response": {"role": "model", "parts": [{"text": "Done."}]},
                        "intermediate_data": {
                            "tool_uses": [{"name": "refund", "args": {"order": "A1"}, "id": "c1"}],
                            "tool_responses": [{"name": "refund", "response": {"ok": True}}],
                            "intermediate_responses": [["agent", [{"text": "One moment."}]]],
                        },
                        "creation_timestamp": 1.5,
                    }
                ],
                "session_input": {
                    "app_name": "shop",
                    "user_id": "u",
                    "state": {"orders": {"A1": 3}},
                },
                "creation_timestamp": 2.5,
            }
        ],
        "creation_timestamp": 3.5,
    },
    "adk rows": [
        {
            "name": "A1",
            "data": [
                {
                    "query": "Refund A1",
                    "expected_tool_use": [{"tool_name": "refund", "tool_input": {"order": "A1"}}],
                    "expected_intermediate_agent_responses": [{"author": "a", "text": "Well."}],
                    "reference": "Done.",
                }
            ],
            "initial_session": {"state": {"n": 1}, "app_name": "shop", "user_id": "u"},
        }
    ],
    "langsmith": [
        {
            "id": "e1",
            "dataset_id": "d",
            "inputs": {"question": "Refund A1"},
            "outputs": {
                "answer": "Done.",
                "expected_tool_calls": [{"name": "refund", "args": {"order": "A1"}}],
            },
            "metadata": {"dataset_split": ["base"], "level": 2},
            "created_at": "2026-01-01T00:00:00",
        }
    ],
    "openevals": [
        {
            "id": "r1",
            "inputs": "Refund A1",
            "outputs": CHAT,
            "reference_outputs": CHAT,
            "evaluator": {"trajectory_match_mode": "unordered"},
            "metadata": {"level": 2},
        }
    ],
    "passhat": {
        "schema": "passhat.suite/1",
        "name": "shop",
        "cases": [
            {
                "id": "A1",
                "input": {"question": "Refund A1"},
                "expected_calls": [{"name": "refund", "args": {"order": "A1"}}],
                "metadata": {"level": 2},
                "reference": {"answer": "Done."},
                "initial_state": {"orders": []},
                "extensions": {"x": {"y": 1}},
            }
        ],
        "metadata": {"owner": "ann"},
        "extensions": {"x": {"y": 1}},
    },
}
TRACES = {
    "openai": {"id": "t1", "messages": CHAT, "reward": 1.0},
    "openevals": {"id": "t1", "outputs": CHAT, "label": "x"},
    "adk": {
        "id": "s1",
        "app_name": "shop",
        "user_id": "u",
        "state": {"n": 1},
        "events": [
            {
                "author": "user",
                "id": "e1",
                "invocation_id": "i",
                "content": ASKED,
                "timestamp": 1.0,
            },
            {
                "author": "a",
                "id": "e2",
                "invocation_id": "i",
                "timestamp": 2.0,
                "content": {"role": "model", "parts": [{"text": "Done."}]},
            },
        ],
    },
    "langsmith": [
        {
            "id": "r0",
            "trace_id": "r0",
            "dotted_order": "0",
            "name": "agent",
            "run_type": "chain",
            "start_time": "2026-01-01T00:00:00",
            "end_time": "2026-01-01T00:00:09",
            "inputs": {"messages": [{"type": "human", "content": "Refund A1"}]},
            "outputs": {
                "messages": [
                    {"type": "human", "content": "Refund A1"},
                    {"type": "ai", "content": "Done."},
                ]
            },
            "extra": {"metadata": {"level": 2}},
        }
    ],
}
VALUES = st.sampled_from(
    ["text", 7, 0.25, True, False, 0, "", None, [], {}, ["a", 1], {"deep": {"er": "q"}}]
)
NAMES = st.integers(0, 99_999).map("zq_{}".format)


def places(value, path=()):
    """The ways to all mappings in a document."""
    if isinstance(value, dict):
        yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        yield from places(item, (*path, key))


def dropped(document, draw):
    """The document with unknown fields in it, and their names."""
    document = copy.deepcopy(document)
    names = []
    for path in draw(st.lists(st.sampled_from(list(places(document))), min_size=1, max_size=3)):
        where = document
        for step in path:
            where = where[step]
        name = draw(NAMES)
        if name not in names:
            names.append(name)
            where[name] = draw(VALUES)
    return document, names


def saved(folder, document, lines=False):
    path = Path(folder) / ("source.jsonl" if lines else "source.json")
    path.write_text(json.dumps(document) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("to", ["passhat", "adk", "langsmith", "openevals"])
@pytest.mark.parametrize("form", SUITES)
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_each_unknown_field_of_a_suite_is_in_the_report(form, to, data):
    document, names = dropped(SUITES[form], data.draw)
    with TemporaryDirectory() as folder:
        source = saved(folder, document)
        try:
            report = convert_file(
                source, Path(folder) / "target", to=to, from_format=form.split()[0], way="suite"
            )
            told = json.dumps(report.to_dict())
        except PasshatError as error:
            told = (
                str(error)
                if [path.name for path in Path(folder).iterdir()] == ["source.json"]
                else ""
            )
            names = names[:0] if any(name in told for name in names) else names
    assert [name for name in names if name not in told] == []


@pytest.mark.parametrize("where", ["initial_session", "data"])
def test_an_unknown_field_is_told_though_another_that_is_kept_holds_the_same(tmp_path, where):
    document = copy.deepcopy(SUITES["adk rows"])
    said = document[0]["data"][0]["expected_intermediate_agent_responses"][0]
    said["zq_1"] = {"deep": {"er": "q"}}
    (document[0] if where == "initial_session" else document[0]["data"][0])["zq_2"] = said["zq_1"]
    source = saved(tmp_path, document)
    report = convert_file(source, tmp_path / "target", to="openevals", from_format="adk")
    told = json.dumps(report.to_dict())
    assert "zq_1" in told
    assert "zq_2" in told


@pytest.mark.parametrize("to", ["passhat", "adk", "langsmith", "openevals", "openai", "langgraph"])
@pytest.mark.parametrize("form", TRACES)
@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_each_unknown_field_of_a_trace_is_in_the_report(form, to, data):
    document, names = dropped(TRACES[form], data.draw)
    with TemporaryDirectory() as folder:
        source = saved(folder, document, lines=True)
        try:
            report = convert_file(
                source, Path(folder) / "target", to=to, from_format=form, way="traces"
            )
        except PasshatError:
            return
    told = json.dumps(report.to_dict())
    assert [name for name in names if name not in told] == []


RECORDED = [
    *("passhat", "adk", "langsmith", "openevals", "langgraph", "openai"),
    *("anthropic", "gemini", "langchain", "openai-responses"),
]


@cache
def recorded(form):
    """The chat as each form records it."""
    with TemporaryDirectory() as folder:
        source = saved(folder, {"id": "t1", "messages": CHAT})
        target = Path(folder) / "target.jsonl"
        convert_file(source, target, to=form, from_format="openai")
        return [json.loads(line) for line in target.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("form", RECORDED)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_each_unknown_field_of_a_run_in_any_form_is_told_or_there(form, data):
    rows, names = dropped(recorded(form), data.draw)
    to = data.draw(st.sampled_from(RECORDED))
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        target = Path(folder) / "target.jsonl"
        try:
            report = convert_file(source, target, to=to, from_format=form, way="traces")
            told, notes = json.dumps(report.to_dict()), report.notes
            written = target.read_text("utf-8")
        except PasshatError as error:
            told, notes, written = str(error), (), ""
            names = [] if any(name in told for name in names) else names
    whole = any(note.field == "final_state" and note.kind == "lost" for note in notes)
    silent = [name for name in names if name not in told and name not in written]
    assert silent == [] or (form == "langgraph" and whole), (to, silent)


def read_notes(folder, document, form, to="passhat", lines=True):
    """What a conversion says became of the parts of a source as it was read."""
    source = saved(folder, document, lines=lines)
    report = convert_file(source, folder / "target", to=to, from_format=form)
    return {
        (note.field, note.kind): note.parts for note in report.notes if note.side == "read"
    }, report


def test_a_loss_is_told_with_its_place_though_the_same_key_is_read_elsewhere(tmp_path):
    run = copy.deepcopy(TRACES["langsmith"][0])
    run["serialized"] = {"name": "secret", "end_time": "later"}
    told, report = read_notes(tmp_path, [run], "langsmith")
    assert told["name", "lost"] == ("$[0].serialized.name",)
    assert told["end_time", "lost"] == ("$[0].serialized.end_time",)
    assert ("start_time", "lost") not in told
    assert not report.lossless


def test_each_place_of_a_loss_is_told_until_there_are_many(tmp_path):
    runs = []
    for number in range(30):
        run = copy.deepcopy(TRACES["langsmith"][0])
        runs.append(
            run | {"id": f"r{number}", "trace_id": f"r{number}", "serialized": {"name": number}}
        )
    told, _ = read_notes(tmp_path, runs, "langsmith", lines=False)
    places = told["name", "lost"]
    assert places[0] == "$[0].serialized.name"
    assert len(places) == 21
    assert places[-1] == "and 10 more places"


def test_what_is_read_under_another_path_is_not_lost(tmp_path):
    spaced = copy.deepcopy(CHAT)
    spaced[1]["tool_calls"][0]["function"]["arguments"] = '{ "order" : "A1" }'
    told, report = read_notes(tmp_path, spaced, "openai", to="openai")
    assert told == {}
    assert report.lossless


def test_a_mapping_whose_id_is_no_text_is_no_id_of_a_case(tmp_path):
    document = copy.deepcopy(SUITES["langsmith"])
    document[0]["metadata"]["schema"] = {"name": {"type": "string"}, "id": ["x"]}
    source = saved(tmp_path, document)
    report = convert_file(source, tmp_path / "s.yaml", to="passhat", from_format="langsmith")
    assert report.lossless
