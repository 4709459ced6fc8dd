"""Eval sets to suites and back."""

import json
from pathlib import Path
from typing import Any

import pytest
from adk_evalsets import asked, case, config, evalset

from passhat import Case, ExpectedCall, Suite
from passhat_adk import from_suite, to_suite, to_trace
from passhat_adk.suites import read_suite

REAL = (
    "RAG__conversation.test.json",
    "academic-research__seminal.test.json",
    "brand-search-optimization__eval_data1.evalset.json",
    "customer-service__full_conversation.test.json",
    "travel-concierge__inspire.test.json",
    "travel-concierge__pretrip.test.json",
    "web_saved.evalset.json",
)


@pytest.mark.parametrize("name", REAL)
def test_published_files_come_back_as_they_were(shared: Path, name: str) -> None:
    path = shared / "real" / "adk" / name
    suite = to_suite(path)
    again = from_suite(suite)
    assert to_suite(again) == suite
    original = json.loads(path.read_bytes())
    if isinstance(original, list):
        return
    for before, after in zip(original["eval_cases"], again["eval_cases"], strict=True):
        assert _said(before) == _said(after)


def _said(value: Any) -> Any:
    """What ADK compares: nulls, zeros and what is empty say nothing."""
    if isinstance(value, dict):
        return {k: s for k, v in value.items() if (s := _said(v)) not in (None, 0, "", [], {})}
    return [_said(item) for item in value] if isinstance(value, list) else value


def test_a_time_of_zero_comes_back() -> None:
    turn = asked("hi") | {"duration": 0.0, "tool_duration": 0, "model_duration": None}
    (again,) = from_suite(to_suite(evalset(case("a", turn))))["eval_cases"][0]["conversation"]
    assert (again["duration"], again["tool_duration"]) == (0.0, 0)
    assert "model_duration" not in again


def test_calls_are_judged_as_adk_does_without_criteria() -> None:
    found = to_suite(evalset(case("c", asked("Refund A1", ("refund", {"order": "A1"})))))
    assert found.cases[0].mode == "exact"
    assert found.cases[0].expected_calls == (
        ExpectedCall("refund", {"order": "A1"}, extra_args="forbid"),
    )
    assert found.cases[0].checks is None


@pytest.mark.parametrize(
    ("criterion", "mode", "args"),
    [
        (1.0, "exact", {"x": 1}),
        ({"threshold": 1, "match_type": "IN_ORDER"}, "in_order", {"x": 1}),
        ({"threshold": 1, "matchType": "any-order"}, "superset", {"x": 1}),
        ({"threshold": 1, "match_type": 2, "ignoreArgs": True}, "superset", None),
    ],
)
def test_match_types_become_the_mode_that_means_the_same(
    criterion: Any, mode: str, args: Any
) -> None:
    found = to_suite(
        evalset(case("c", asked("hi", ("f", {"x": 1})))),
        config=config(tool_trajectory_avg_score=criterion),
    ).cases[0]
    assert found.mode == mode
    assert found.expected_calls is not None
    assert found.expected_calls[0].args == args


def test_no_tools_expected_is_only_asked_for_by_exact() -> None:
    exact = to_suite(evalset(case())).cases[0]
    assert exact.expected_calls == ()
    loose = {"threshold": 1.0, "match_type": "IN_ORDER"}
    any_ = to_suite(evalset(case()), config=config(tool_trajectory_avg_score=loose)).cases[0]
    assert any_.expected_calls is None


def test_a_final_response_is_a_reference_unless_the_criteria_ask_for_it() -> None:
    source = evalset(case("c", asked("hi", answer="Hello!")))
    assert to_suite(source).cases[0].reference == "Hello!"
    assert to_suite(source).cases[0].checks is None
    judged = to_suite(source, config=config(response_match_score=0.7)).cases[0]
    assert judged.checks == {
        "rouge1": {"at_least": 0.7}, "trajectory": {"required": False},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([{"text": "Done.", "thoughtSignature": "c2ln"}], "Done."),
        ([{"text": "Done."}, {"thought_signature": "c2ln"}], "Done."),
        ([{"text": "Done.", "thought": False, "thought_signature": None}], "Done."),
        ([{"text": None, "function_call": None}], None),
        ([{"thought_signature": "c2ln"}], None),
        ([{}], None),
        ([], None),
    ],
)
def test_signatures_and_parts_that_hold_nothing_say_nothing(
    parts: list[dict[str, Any]], said: str | None
) -> None:
    content = {"parts": parts, "role": "model"}
    value = evalset(case("a", {**asked("hi"), "final_response": content}))
    suite = to_suite(value, config={"criteria": {"response_match_score": 0.5}})
    assert suite.cases[0].reference == said
    assert ("rouge1" in (suite.cases[0].checks or {})) == (said is not None)
    assert to_trace({**asked("hi"), "final_response": content}).final_response == said
    written = from_suite(suite)
    assert written["eval_cases"][0]["conversation"][0]["final_response"] == content
    assert to_suite(written) == suite


def test_a_question_with_a_signature_is_its_text() -> None:
    content = {"parts": [{"text": "hi", "thought_signature": "c2ln"}], "role": "user"}
    suite = to_suite(evalset(case("a", {"user_content": content})))
    assert suite.cases[0].input == "hi"
    assert from_suite(suite)["eval_cases"][0]["conversation"][0]["user_content"] == content


def test_an_answer_that_is_more_than_text_is_kept_whole() -> None:
    parts = [{"text": "Hm.", "thought": True}, {"text": "Done."}]
    content = {"parts": parts, "role": "model"}
    suite = to_suite(evalset(case("a", {**asked("hi"), "final_response": content})))
    assert suite.cases[0].reference == content


def test_a_switched_off_threshold_informs() -> None:
    _, fidelity = read_suite(evalset(case()), config=config(tool_trajectory_avg_score=0.0))
    assert "informs" in fidelity.notes[0].note
    found = to_suite(evalset(case()), config=config(tool_trajectory_avg_score=0)).cases[0]
    assert found.checks == {"trajectory": {"required": False}}


def test_criteria_of_ours_become_checks_and_keys_of_a_case() -> None:
    criteria = config(
        passhat_trajectory={
            "threshold": 1.0,
            "mode": "in_order",
            "match": {"refund": {"amount": {"number": {"abs": 0.01}}}},
        },
        passhat_tool_call_f1={"threshold": 0.8},
        passhat_unknown_tools=1.0,
    )
    found = to_suite(evalset(case("c", asked("hi", ("refund", {"amount": 1})))), config=criteria)
    assert found.cases[0].mode == "in_order"
    assert found.cases[0].match == {"refund": {"amount": {"number": {"abs": 0.01}}}}
    assert found.checks == {"tool_call_f1": {"at_least": 0.8}, "unknown_tools": {}}


def test_unknown_keys_survive() -> None:
    source = evalset(
        case("c", session_input={"app_name": "a", "user_id": "u", "tenant": 7}, myKey={"a": [1]}),
        owner="me",
    )
    again = from_suite(to_suite(source))
    assert again["owner"] == "me"
    assert again["eval_cases"][0]["myKey"] == {"a": [1]}
    assert again["eval_cases"][0]["session_input"]["tenant"] == 7


@pytest.mark.parametrize("answers", [[""], ["", "ok"], ["ok", ""]])
def test_an_empty_answer_survives(answers: list[str]) -> None:
    source = evalset(case("c", *(asked("hi", answer="x") for _ in answers)))
    for turn, answer in zip(source["eval_cases"][0]["conversation"], answers, strict=True):
        turn["final_response"]["parts"][0]["text"] = answer
    again = from_suite(to_suite(source))
    told = [turn["final_response"] for turn in again["eval_cases"][0]["conversation"]]
    assert [content["parts"][0]["text"] for content in told] == answers


@pytest.mark.parametrize("empty", [None, False, 0, "", [], {}], ids=repr)
def test_an_unknown_key_survives_that_says_nothing(empty: Any) -> None:
    source = evalset(
        case(
            "c",
            {**asked("hi", ("f", {"x": 1})), "zz": empty},
            session_input={"app_name": "a", "user_id": "u", "zz": empty},
            zz=empty,
        ),
        zz=empty,
    )
    again = from_suite(to_suite(source))
    (one,) = again["eval_cases"]
    assert again["zz"] == one["zz"] == one["session_input"]["zz"] == empty
    assert one["passhat_unknown"] == [{"zz": empty}]
    assert from_suite(to_suite(again)) == again


def test_what_stands_beside_a_rubric_of_ours_comes_back_again_and_again() -> None:
    """A case that rides whole in a rubric still has ADK's own data around it."""
    judge = {"rubric_id": "kind", "rubric_content": {"text_property": "Kind."}, "type": "TONE"}
    ours = {
        "rubric_id": "passhat:1", "type": "PASSHAT_CHECK",
        "rubric_content": {"text_property": '{"forbidden_calls": ["x"]}'},
    }  # fmt: skip
    call = {"function_call": {"id": "adk-1", "name": "f", "args": {"x": 1}}}
    saved = {
        "invocation_id": "e-1",
        "user_content": {"parts": [{"text": "hi"}, {"inline_data": {"data": "aGk="}}]},
        "final_response": {"parts": [{"text": "yes"}]},
        "intermediate_data": {"invocation_events": [
            {"author": "shop", "content": {"parts": [call], "role": "model"}},
            {"author": "shop", "content": None, "usage_metadata": {"prompt_token_count": 3}},
        ]},
        "rubrics": [judge], "creation_timestamp": 5.0,
    }  # fmt: skip
    source = evalset(case("c", saved, rubrics=[ours]))
    suite = to_suite(source)
    once = from_suite(suite)
    assert to_suite(once) == suite
    assert from_suite(to_suite(once)) == once
    assert once["eval_cases"][0]["conversation"] == [saved]


def test_camel_case_reads_the_same() -> None:
    snake = evalset(
        case("c", asked("hi", ("f", {"x": 1}), answer="ok"), final_session_state={"a": 1})
    )
    camel = {
        "evalSetId": "s",
        "evalCases": [
            {
                "evalId": "c",
                "conversation": [
                    {
                        "userContent": {"parts": [{"text": "hi"}], "role": "user"},
                        "finalResponse": {"parts": [{"text": "ok"}], "role": "model"},
                        "intermediateData": {"toolUses": [{"name": "f", "args": {"x": 1}}]},
                    }
                ],
                "finalSessionState": {"a": 1},
            }
        ],
    }
    assert to_suite(camel) == to_suite(snake)


def test_states_and_scenarios_have_their_places() -> None:
    source = evalset(
        case(
            "c",
            session_input={"app_name": "shop", "user_id": "u", "state": {"tier": "gold"}},
            final_session_state={"refunds": {"A1": 40}},
        ),
        {
            "eval_id": "played",
            "conversation_scenario": {
                "starting_prompt": "Hi", "conversation_plan": "Get a refund.",
                "user_persona": "NOVICE",
            },
        },
    )  # fmt: skip
    first, played = to_suite(source).cases
    assert first.initial_state == {"tier": "gold"}
    assert first.expected_final_state == {"refunds": {"A1": 40}}
    assert played.scenario == {"goal": "Get a refund.", "persona": "NOVICE"}
    again = from_suite(to_suite(source))
    assert again["eval_cases"][1]["conversation_scenario"]["user_persona"] == "NOVICE"
    assert again["eval_cases"][0]["session_input"]["state"] == {"tier": "gold"}


@pytest.mark.parametrize("mode", ["EXACT", "IN_ORDER"])
@pytest.mark.parametrize(
    "data",
    [{}, {"intermediate_data": None}, {"intermediate_data": {}},
     {"intermediate_data": {"tool_uses": [], "intermediate_responses": []}}],
)  # fmt: skip
def test_intermediate_data_without_calls_comes_back_as_it_was(data: Any, mode: str) -> None:
    invocation = {"user_content": {"parts": [{"text": "hi"}], "role": "user"}, **data}
    value = {"eval_set_id": "s", "eval_cases": [{"eval_id": "a", "conversation": [invocation]}]}
    config = {"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": mode}}}
    written = from_suite(to_suite(value, config=config))
    (again,) = written["eval_cases"][0]["conversation"]
    assert again.get("intermediate_data") == invocation.get("intermediate_data")
    assert "rubrics" not in written["eval_cases"][0]


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (["order A1", {"name": "Ann"}], "order A1; name: Ann"),
        ({"name": "Ann", "order": {"value": "A1", "ask": "order"}}, "name: Ann; order: A1"),
        ("my name", "my name"),
    ],
)
def test_adks_simulator_is_told_in_words_what_a_user_knows(facts: Any, told: str) -> None:
    case = Case("a", "hi", scenario={"goal": "Get it.", "known_facts": facts})
    (made,) = from_suite(Suite("s", [case]))["eval_cases"]
    assert made["conversation_scenario"]["conversation_plan"] == f"Get it.\nYou know: {told}"


def test_what_stands_beside_a_tool_use_of_the_older_shape_is_kept() -> None:
    use = {"tool_name": "f", "tool_input": {"x": 1}, "mock_tool_output": "ok"}
    case = to_suite([{"query": "hi", "expected_tool_use": [use]}]).cases[0]
    assert case.expected_calls == (ExpectedCall("f", {"x": 1}, extra_args="forbid"),)
    kept = case.extensions["adk"]["conversation"][0]["intermediate_data"]["tool_uses"][0]
    assert kept == {"name": "f", "args": {"x": 1}, "mock_tool_output": "ok"}


def test_a_run_that_parts_is_told_on_the_cases_own_call() -> None:
    values = [1, True, 1.0, 0]
    cases = [case(f"c{at}", asked("hi", ("pay", {"now": one}))) for at, one in enumerate(values)]
    notes = read_suite(
        evalset(*cases, *[{**one, "eval_id": f"again {at}"} for at, one in enumerate(cases)])
    )[1].notes
    runs = [note.run for note in notes if note.what.endswith(": mode")]
    told = [("True", "1"), ("1", "True"), ("True", "1.0"), ("False", "0")]
    assert runs == 2 * [
        f"actual [pay(now={other})], expected [pay(now={own})]: theirs 1.0, ours False"
        for other, own in told
    ]
