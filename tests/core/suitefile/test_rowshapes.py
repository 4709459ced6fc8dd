"""The short row shapes that people already write, and what is said of what became of them."""

import json

import pytest

from passhat.adapter import FidelityNote
from passhat.case import ExpectedCall
from passhat.match import match_trajectory
from passhat.suitefile import read_suite_with_notes, suite_from


def read(suite_file, text):
    suite, fidelity = read_suite_with_notes(suite_file(text))
    return suite.cases, fidelity


def test_required_and_forbidden_tools_with_a_setup(suite_file):
    (case,), fidelity = read(
        suite_file,
        "- id: a\n  input: Refund A1\n  required_tools: [lookup, {name: refund, args: {id: A1}}]\n"
        "  forbidden_tools: [delete]\n  setup: {orders: [{id: A1}]}\n",
    )
    assert case.expected_calls == (ExpectedCall("lookup"), ExpectedCall("refund", {"id": "A1"}))
    assert case.forbidden_calls == (ExpectedCall("delete"),)
    assert case.initial_state == {"orders": [{"id": "A1"}]}
    assert case.effective_mode == "superset"
    assert fidelity.notes == (
        FidelityNote("case a: required_tools", "translated", "read as expected_calls"),
        FidelityNote("case a: forbidden_tools", "translated", "read as forbidden_calls"),
        FidelityNote("case a: setup", "translated", "read as initial_state"),
    )
    assert fidelity.lossless


@pytest.mark.parametrize(
    ("word", "mode", "counts"),
    [
        ("exact", "exact", None),
        ("in_order", "in_order", None),
        ("any_order", "unordered", False),
        ("subset", "superset", False),
    ],
)
def test_a_trajectory_mode_keeps_its_meaning(suite_file, word, mode, counts):
    (case,), fidelity = read(
        suite_file, f"- {{id: a, expected_tools: [x], trajectory_mode: {word}}}"
    )
    assert (case.mode, case.counts) == (mode, counts)
    (note,) = (note for note in fidelity.notes if note.what == "case a: trajectory_mode")
    assert note.kind == "translated"
    assert note.note.startswith(f"{word} read as mode: {mode}")


def test_trajectory_modes_give_the_verdicts_of_the_shape(shared):
    rows = json.loads((shared / "vectors/worked_examples.json").read_text())
    told = [
        row
        for row in rows
        if row["topic"] == "trajectory_modes_set" and isinstance(row["input"], dict)
    ]
    assert told
    for row in told:
        given = row["input"]
        (case,) = suite_from(
            [{"id": "a", "expected_tools": given["expected"], "trajectory_mode": given["mode"]}]
        ).cases
        match = match_trajectory(
            given["actual"], case.expected_calls, case.mode, counts=case.counts is not False
        )
        assert match.ok is row["computed"], row


def test_what_nothing_reads_is_carried_and_said(suite_file):
    (case,), fidelity = read(
        suite_file,
        "- id: a\n  mock_tools: {lookup: {status: open}}\n  pass_criteria: [is polite]\n"
        "  setup: seed.sh\n  extensions: {mine: 1}\n",
    )
    assert case.extensions == {
        "mine": 1,
        "setup": "seed.sh",
        "mock_tools": {"lookup": {"status": "open"}},
        "pass_criteria": ["is polite"],
    }
    assert [(note.what, note.kind) for note in fidelity.notes] == [
        ("case a: setup", "carried"),
        ("case a: mock_tools", "carried"),
        ("case a: pass_criteria", "carried"),
    ]


def test_faults_are_told_where_they_were_written(faults_of):
    assert faults_of(
        "- id: a\n  required_tools:\n    - {nme: x}\n  expected_tools: [y]\n"
        "- id: b\n  trajectory_mode: superset\n"
        "- id: c\n  expected_calls: [x]\n  required_tools: [y]\n"
        "- id: d\n  mock_tools: 1\n  extensions: {mock_tools: 2}\n"
    ) == [
        "support.yaml:3: $[0].required_tools[0].nme: unknown key, did you mean name?",
        "support.yaml:3: $[0].required_tools[0]: needs a name",
        "support.yaml:4: $[0].expected_tools: says the same as required_tools; keep one",
        "support.yaml:6: $[1].trajectory_mode: cannot be 'superset', did you mean subset?",
        "support.yaml:9: $[2].required_tools: says the same as expected_calls; keep one",
        "support.yaml:11: $[3].mock_tools: stands in extensions too; keep one",
    ]


def test_a_dataset_row_is_a_case_without_its_id(shared):
    rows = json.loads((shared / "vectors/worked_examples.json").read_text())
    (row,) = (row["input"] for row in rows if row["topic"] == "dataset_row")
    (case,) = suite_from([{"id": "ticket", "input": "My laptop broke", **row}]).cases
    assert case.expected_calls[0].match == {"title": "semantic", "description": "semantic"}
    assert case.forbidden_calls == (ExpectedCall("update_ticket"),)


SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}}


@pytest.mark.parametrize(
    ("written", "tools"),
    [
        ({"a": SCHEMA, "b": None}, {"a": SCHEMA, "b": {}}),
        (["a", "b"], {"a": {}, "b": {}}),
        ([{"type": "function", "function": {"name": "a", "parameters": SCHEMA}}], {"a": SCHEMA}),
        ([{"name": "a", "parameters": SCHEMA}], {"a": SCHEMA}),
        ([{"type": "function", "name": "a", "parameters": SCHEMA}], {"a": SCHEMA}),
        ([{"name": "a", "input_schema": SCHEMA}], {"a": SCHEMA}),
        ([{"name": "a", "inputSchema": SCHEMA}], {"a": SCHEMA}),
        ([{"name": "a"}], {"a": {}}),
        ([{"name": "a", "description": "Finds."}], {"a": {"description": "Finds."}}),
        ({"a": {"description": "Finds.", "parameters": SCHEMA}}, {"a": {"description": "Finds.", **SCHEMA}}),
    ],
)  # fmt: skip
def test_tools_are_read_in_every_form(written, tools):
    suite = suite_from({"tools": written, "cases": [{"id": "x"}, {"id": "y", "tools": written}]})
    assert suite.tools == tools
    assert [case.tools for case in suite.cases] == [tools, tools]


def test_what_a_tool_object_loses_is_said(suite_file):
    _, fidelity = read_suite_with_notes(
        suite_file("tools: [{name: a, strict: true}]\ncases: [{id: x}]")
    )
    assert fidelity.notes == (FidelityNote("tool a", "lost", "has no place here: strict"),)
    assert not fidelity.lossless
