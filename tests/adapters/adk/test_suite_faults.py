"""What is wrong in an eval set is told once, and where it stands."""

import json
from pathlib import Path
from typing import Any

import pytest
from adk_evalsets import asked, case, evalset

from passhat import SuiteError, UsageError
from passhat_adk import to_suite


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            evalset({**case(), "conversation_scenario": {"starting_prompt": "a"}}),
            "both conversation",
        ),
        (evalset({"eval_id": "c"}), "neither of conversation"),
        (evalset({"eval_id": "c", "conversation": []}), "conversation is empty"),
        (evalset({"conversation": [asked("hi")]}), "needs an eval_id"),
        (evalset(case("a"), case("a")), "'a' is the eval_id of eval_cases[0] too"),
        (evalset({**case(), "conversatoin": 1}), "did you mean conversation?"),
        (evalset(case("c", {"final_response": None})), "needs a user_content"),
        (evalset(case("c", {**asked("hi"), "finalRespons": None})), "did you mean final_response"),
        (evalset(case("c", {"user_content": {"parts": "hi"}})), "parts are a list, not text"),
        ({"eval_cases": [case()]}, "needs an eval_set_id"),
        ({"eval_set_id": "s", "eval_cases": {}}, "eval_cases are a list"),
        ([{"query": 5}], "a row needs a query"),
        (5, "an eval set is an object"),
    ],
)
def test_faults_say_what_is_wrong_and_where(source: Any, told: str) -> None:
    with pytest.raises(SuiteError) as raised:
        to_suite(source)
    assert told in str(raised.value)
    assert "$" in str(raised.value)


def test_a_cut_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.evalset.json"
    path.write_text('{"eval_set_id": "s", "eval_cases": [{"eval_id": ')
    with pytest.raises(Exception, match=r"cut\.evalset\.json.*ends too early"):
        to_suite(path)


def test_a_broken_case_is_named_and_the_suite_is_read_whole_or_not_at_all():
    sound = {"eval_id": "sound", "conversation": [{"user_content": {"parts": [{"text": "hi"}]}}]}
    with pytest.raises(SuiteError) as caught:
        to_suite(
            evalset(
                sound,
                {"eval_id": "hollow", "conversation": []},
                {"eval_id": "bare", "conversation": [{}]},
            )
        )
    assert [fault.message.partition(": ")[0] for fault in caught.value.faults] == [
        "case 'hollow'",
        "case 'bare'",
    ]
    assert "take the case out" in caught.value.faults[0].message


def test_a_key_of_the_older_shape_in_an_invocation_is_a_fault_where_it_says_something():
    old: dict[str, Any] = {"tool_name": "scan", "tool_input": {"port": 7}}
    turn: dict[str, Any] = {"user_content": {"parts": [{"text": "hi"}]}, "expected_tool_use": []}
    assert to_suite(evalset({"eval_id": "c", "conversation": [turn]})).cases[0].mode == "exact"
    turn["expected_tool_use"] = [old]
    with pytest.raises(SuiteError, match=r"it is intermediate_data\.tool_uses"):
        to_suite(evalset({"eval_id": "c", "conversation": [turn]}))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"query": "hi", "expected_tool_uses": [{"tool_name": "f"}]}],
         "$[0].expected_tool_uses: unknown key, did you mean expected_tool_use?"),
        ([{"query": "hi", "expected_tool_use": [{"tool_name": "f", "tool_inputs": {"x": 1}}]}],
         "$[0].expected_tool_use[0].tool_inputs: unknown key, did you mean tool_input?"),
        ([{"query": "hi", "expected_tool_use": [{"tool_name": "f", "tool_input": "x"}]}],
         "$[0].expected_tool_use[0].tool_input: an object was expected, not text"),
        ([{"query": "hi", "expected_tool_use": {"tool_name": "f"}}],
         "$[0].expected_tool_use: a list was expected, not an object"),
        ([{"query": "hi", "reference": ["ho"]}], "$[0].reference: text was expected, not a list"),
        ([{"query": "hi", "expected_intermediate_agent_responses": ["ho"]}],
         "responses[0]: an intermediate response has an author and a text"),
        ([{"query": "hi", "expected_intermediate_agent_responses": "ho"}],
         "responses: a list was expected, not text"),
        ([{"name": "a", "data": [{"query": "hi"}], "initial_session": "s"}],
         "$[0].initial_session: an object was expected, not text"),
        ([{"name": "a", "data": [{"query": "hi"}], "initial_session": {"state": [1]}}],
         "$[0].initial_session.state: an object, not a list"),
        ([{"data": [{"query": "hi"}]}], "$[0].name: an eval case needs a name, which is text"),
        ([{"name": "a", "data": [{"query": "hi"}]}] * 2,
         "$[1].name: 'a' is the name of the case $[0] too"),
        ([{"name": "a", "data": [{"query": 5}]}], "$[0].data[0]: a row needs a query, which is text"),
        ([{"name": "a", "data": []}], "$[0]: an eval case of this shape has a name and data"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_an_older_shape_is_told_once_and_where_it_stands(
    rows: Any, told: str
) -> None:
    with pytest.raises(SuiteError) as caught:
        to_suite(rows)
    assert told in str(caught.value)
    assert len(caught.value.faults) == 1


def test_a_lone_row_of_the_older_shape_says_what_it_lacks() -> None:
    with pytest.raises(SuiteError, match="stands in a list: put brackets around it"):
        to_suite({"query": "hi", "expected_tool_use": [], "reference": "hello"})


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"tool_uses": [{"name": "f"}, "g"]}, ".tool_uses[1]: case 'c': a tool use needs a name"),
        ({"tool_uses": [{"args": {}}]}, ".tool_uses[0]: case 'c': a tool use needs a name"),
        (
            {"tool_uses": [{"name": "f", "args": '{"x": 1}'}]},
            ".tool_uses[0].args: case 'c': args are an object, not text",
        ),
        (
            {
                "invocation_events": [
                    {"content": {"parts": [{"function_call": {"name": "f", "args": [1]}}]}}
                ]
            },
            ".invocation_events[0].content.parts[0].function_call.args: case 'c': "
            "args are an object, not a list",
        ),
        (
            {"invocation_events": [{"author": "shop"}, "f"]},
            ".invocation_events[1]: case 'c': an event is an object, not text",
        ),
        (
            {"invocationEvents": [{"content": {"parts": [{"text": "x"}, {"functionCall": "f"}]}}]},
            ".invocation_events[0].content.parts[1].function_call: case 'c': "
            "a tool use needs a name",
        ),
    ],
)
def test_what_is_no_call_or_no_event_is_a_fault_where_it_stands(
    data: dict[str, Any], path: str
) -> None:
    with pytest.raises(SuiteError) as caught:
        to_suite(evalset(case("c", {**asked("hi"), "intermediate_data": data})))
    where = "$.eval_cases[0].conversation[0].intermediate_data"
    assert str(caught.value) == where + path


def test_a_fault_in_a_rubric_of_ours_is_told_where_it_stands() -> None:
    text = json.dumps({"mode": "exactt", "response": {"include": ["a"]}})
    rubric = {
        "rubric_id": "passhat:1",
        "type": "PASSHAT_CHECK",
        "rubric_content": {"text_property": text},
    }
    with pytest.raises(SuiteError) as caught:
        to_suite(evalset(case("c", asked("hi"), rubrics=[rubric])))
    where = "$.eval_cases[0].rubrics[0]"
    assert str(caught.value).splitlines() == [
        f"{where}.mode: case 'c': cannot be 'exactt', did you mean exact?",
        f"{where}.response.include: case 'c': unknown key, did you mean includes?",
    ]


def test_a_content_that_holds_its_text_elsewhere_is_not_read_as_an_empty_one() -> None:
    turn = {"user_content": {"role": "user", "content": "Refund A1"}}
    with pytest.raises(SuiteError, match=r"in parts, not under 'content'"):
        to_suite(evalset(case("c", turn)))


def test_one_stored_case_result_is_no_suite() -> None:
    with pytest.raises(UsageError, match="hold no suite"):
        to_suite({"eval_id": "a", "final_eval_status": 1, "eval_metric_result_per_invocation": []})


@pytest.mark.parametrize("said", [{"forbidden_tools": 3}, {"trajectory_mode": "sideways"}])
def test_a_faulty_rubric_in_short_row_shapes_is_not_passed_over(said: dict[str, Any]) -> None:
    rubric = {"rubric_id": "r", "type": "PASSHAT_CHECK"}
    rubric |= {"rubric_content": {"text_property": json.dumps(said)}}
    with pytest.raises(SuiteError, match=r"\.rubrics\[0\]"):
        to_suite(evalset(case("c", asked("hi"), rubrics=[rubric])))


def test_keys_that_are_nearly_known_are_told_in_the_order_of_the_file() -> None:
    misspelt = ("conversations", "eval_ids", "rubric", "session_inputs", "eval_idx")
    with pytest.raises(SuiteError) as raised:
        to_suite(evalset({**case(), **dict.fromkeys(misspelt)}))
    paths = [fault.place.path for fault in raised.value.faults]
    assert paths == [f"$.eval_cases[0].{key}" for key in misspelt]
