"""Examples to cases and back."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from passhat.case import Case, ExpectedCall, Suite
from passhat.errors import InputError, SuiteError, UsageError
from passhat_langsmith import adapter, case_of, from_suite, to_suite

Json = dict[str, Any]
CALL = ExpectedCall("lookup", {"id": "A1"})


def example(outputs: Any = None, **more: Any) -> Json:
    return {"id": "e1", "inputs": {"question": "Where is A1?"}, "outputs": outputs, **more}


@pytest.mark.parametrize(
    "outputs",
    [
        {"expected_calls": [{"name": "lookup", "args": {"id": "A1"}}], "tool_calls": ["other"]},
        {"expected_tool_calls": [{"name": "lookup", "args": {"id": "A1"}}], "tool_calls": ["no"]},
        {"tool_calls": [{"function": {"name": "lookup", "arguments": '{"id": "A1"}'}}]},
        {"tool_calls": [{"tool": "lookup", "tool_input": {"id": "A1"}}], "trajectory": ["no"]},
        {"trajectory": [{"name": "lookup", "args": {"id": "A1"}}], "messages": []},
        {
            "messages": [
                {"role": "user", "content": "Where is A1?"},
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "1", "name": "lookup", "args": {"id": "A1"}}],
                },
            ]
        },
    ],
)
def test_the_shapes_people_write_in_their_order(outputs: Json) -> None:
    case = case_of(example(outputs))
    assert case.expected_calls == (CALL,)
    assert (case.id, case.input, case.reference) == ("e1", "Where is A1?", outputs)


def test_a_trajectory_of_names() -> None:
    names = case_of(example({"trajectory": ["a", "b"]})).expected_calls
    assert names == (ExpectedCall("a"), ExpectedCall("b"))


def test_case_keys_may_stand_in_the_metadata() -> None:
    case = case_of(example({"answer": "x"}, metadata={"forbidden_calls": ["refund"], "team": 1}))
    assert case.forbidden_calls == (ExpectedCall("refund"),)


@pytest.mark.parametrize(
    "outputs",
    [
        None,
        {"answer": "Shipped."},
        {"response": "a dataset's own answer, and no expectation of ours"},
        {"mode": "fast"},
        {"messages": [{"role": "assistant", "content": "An answer without calls."}]},
    ],
)
def test_an_example_without_expectations_expects_nothing(outputs: Any) -> None:
    case = case_of(example(outputs))
    assert (case.expected_calls, case.response, case.mode) == (None, None, None)


def test_keys_of_a_case_that_name_no_calls_stand_beside_the_calls() -> None:
    both = case_of(example({"expected_tool_calls": ["lookup"], "forbidden_calls": ["refund"]}))
    assert both.expected_calls == (ExpectedCall("lookup"),)
    assert both.forbidden_calls == (ExpectedCall("refund"),)
    how = case_of(example({"trajectory": ["lookup"]}, metadata={"mode": "exact"}))
    assert (how.mode, how.expected_calls) == ("exact", (ExpectedCall("lookup"),))
    said = [{"role": "assistant", "tool_calls": [{"name": "a", "args": {}, "id": "1"}]}]
    ours = case_of(example({"messages": said, "forbidden_calls": ["refund"]}))
    assert ours.expected_calls is None


@pytest.mark.parametrize("stated", ["lookup", {"name": "lookup"}, 3])
def test_expected_calls_that_are_no_list_are_a_fault_and_not_passed_over(stated: Any) -> None:
    with pytest.raises(SuiteError, match="example e1: expected_calls"):
        case_of(example({"expected_tool_calls": stated}))


def test_no_calls_expected_is_an_expectation() -> None:
    assert case_of(example({"expected_tool_calls": []})).expected_calls == ()


def test_faults_name_the_example() -> None:
    with pytest.raises(SuiteError, match="example e1: expected_calls"):
        case_of(example({"expected_tool_calls": [{"no": "name"}]}))


@pytest.mark.parametrize("name", ["inputs", "outputs", "metadata"])
def test_what_is_no_object_names_the_example(name: str) -> None:
    with pytest.raises(SuiteError, match=f"example e1: {name} are an object, not a list"):
        case_of({**example(), name: [1]})


@pytest.mark.parametrize("exact", ["", "{", "[" * 100_000, "5", "[]"])
def test_an_exact_example_that_is_broken_names_the_example(exact: str) -> None:
    with pytest.raises(SuiteError, match=r"example e1: metadata\.passhat\.exact is no JSON object"):
        case_of(example(metadata={"passhat": {"exact": exact}}))


SUITE = Suite(
    "refunds",
    [
        Case("text", "Where is A1?", expected_calls=[CALL], mode="exact", tags=("a",)),
        Case("mapping", {"question": "x"}, response={"includes": ["y"]}, metadata={"team": 1}),
        Case("messages", [{"role": "user", "content": "hi"}], reference={"any": [1]}),
        Case("turns", turns=("hi", "bye"), trials=3, initial_state={"orders": []}),
        Case("none", expected_calls=[]),
    ],
    tools={"lookup": {"type": "object"}, "refund": {}},
    writes=("refund",),
    defaults={"retries": "count"},
    checks={"budget": {"required": False}},
    metadata={"owner": "me"},
)


def test_a_suite_comes_back_whole() -> None:
    examples = from_suite(SUITE)
    assert to_suite(examples) == SUITE
    assert to_suite(json.loads(json.dumps(examples))) == SUITE
    assert examples[0]["outputs"]["mode"] == "exact"


def test_ids_are_stable_and_their_own() -> None:
    ids = [one["id"] for one in from_suite(SUITE)]
    assert ids == [one["id"] for one in from_suite(SUITE)]
    assert len({UUID(id) for id in ids}) == len(SUITE.cases)


def test_what_is_edited_in_langsmith_counts() -> None:
    examples = from_suite(SUITE)
    examples[0]["outputs"]["expected_calls"] = ["refund"]
    examples[0]["inputs"]["input"] = "Refund A1."
    case = to_suite(examples).by_id["text"]
    assert (case.input, case.expected_calls) == ("Refund A1.", (ExpectedCall("refund"),))


def test_langsmiths_own_additions_do_not_break_it() -> None:
    examples = from_suite(SUITE)
    for one in examples:
        one["metadata"]["dataset_split"] = ["base"]
    assert to_suite(examples) == SUITE
    examples[0]["metadata"]["dataset_split"] = ["base", "hard"]
    assert to_suite(examples).cases[0].metadata == {"dataset_split": ["hard"]}


def test_files_of_examples(tmp_path: Path) -> None:
    path = tmp_path / "dataset.jsonl"
    fidelity = adapter.write_suite(SUITE, path)
    assert fidelity.lossless
    assert adapter.read_suite(path)[0] == SUITE
    assert adapter.sniff(path, path.read_bytes()) > 0.3


def test_files_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "dataset.jsonl"
    path.write_text('{"id": "r", "run_type": "chain", "inputs": {}}\n', "utf-8")
    with pytest.raises(UsageError, match="holds runs"):
        adapter.read_suite(path)
    path.write_text('{"id": "e", "inputs": 5}\n', "utf-8")
    with pytest.raises(InputError, match=r"dataset.jsonl:1"):
        adapter.read_suite(path)


def test_messages_of_langchain_stay_a_mapping_as_the_target_is_given_it() -> None:
    messages = [{"type": "human", "content": "hi", "additional_kwargs": {}}]
    example = {"id": "e", "inputs": {"messages": messages}, "outputs": {"answer": "Hello."}}
    (case,) = to_suite([example]).cases
    assert case.input == {"messages": messages}
