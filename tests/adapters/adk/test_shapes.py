"""What ADK would not load is said without ADK, held beside ADK's own models."""

import copy
from types import ModuleType
from typing import Any

import pytest

from passhat_adk import shapes
from passhat_adk.fields import own_state
from passhat_adk.shapes import misshapen

pytestmark = pytest.mark.filterwarnings("ignore")

RUBRIC = {"rubric_id": "r", "rubric_content": {"text_property": "kind"}, "type": "TONE"}
PERSONA = {
    "id": "shy", "description": "Says little.",
    "behaviors": [{
        "name": "short", "description": "d", "behavior_instructions": ["x"],
        "violation_rubrics": ["y"],
    }],
}  # fmt: skip
EVALSET: dict[str, Any] = {
    "eval_set_id": "s", "name": "n", "description": "d", "creation_timestamp": 1.0,
    "eval_cases": [
        {
            "eval_id": "a", "creation_timestamp": 1.0,
            "conversation": [
                {
                    "invocation_id": "i",
                    "user_content": {"parts": [{"text": "hi"}], "role": "user"},
                    "final_response": {"parts": [{"text": "hello"}], "role": "model"},
                    "intermediate_data": {
                        "tool_uses": [{"name": "f", "args": {"x": 1}, "id": None}],
                        "tool_responses": [{"name": "f", "response": {"a": 1}}],
                        "intermediate_responses": [["shop", [{"text": "x"}]]],
                    },
                    "creation_timestamp": 1.0,
                    "rubrics": [{**RUBRIC, "rubric_id": "of the turn"}],
                },
                {
                    "userContent": {"parts": [{"text": "hi"}]},
                    "intermediateData": {"invocationEvents": [
                        {"author": "x", "content": {"parts": [{"functionCall": {"name": "f"}}]}}
                    ]},
                },
            ],
            "session_input": {"app_name": "x", "user_id": "u", "state": {"a": 1}},
            "rubrics": [RUBRIC],
            "final_session_state": {"a": 1},
        },
        {
            "eval_id": "b",
            "conversation_scenario": {
                "starting_prompt": "a", "conversation_plan": "b", "user_persona": PERSONA,
            },
        },
    ],
}  # fmt: skip


def test_adk_refuses_what_we_say_it_refuses(scripted: ModuleType, spoiled: Any) -> None:
    from google.adk.errors.not_found_error import NotFoundError
    from google.adk.evaluation.eval_set import EvalSet
    from pydantic import ValidationError

    assert misshapen(EVALSET) == []
    missed: list[Any] = []
    for path, value, made in spoiled(EVALSET):
        told = misshapen(made)
        try:
            EvalSet.model_validate(made)
        except ValidationError:
            # `to_suite` says of a case that it has both a conversation and a scenario, or
            # neither.
            if len(path) > 3 and not told:
                missed.append((path, value))
        except NotFoundError:  # no persona has such an id; `passhat validate` says so
            assert path[-1] == "user_persona"
        else:
            assert not told, (path, value)
    assert missed == []


def test_the_keys_of_geminis_parts_are_those_of_the_installed_version(scripted: ModuleType) -> None:
    from google.genai import types

    models = {"part": types.Part, "function call": types.FunctionCall}
    models["function response"] = types.FunctionResponse
    for shape in (shapes._PART, shapes._CALL, shapes._RESPONSE):
        assert set(shape.fields) == set(models[shape.name].model_fields)


def test_a_key_that_parts_no_longer_have_is_named() -> None:
    made = copy.deepcopy(EVALSET)
    content = made["eval_cases"][0]["conversation"][0]["user_content"]
    content["parts"][0]["audio_metadata"] = None
    (told,) = misshapen(made)
    assert told == (
        "$.eval_cases[0].conversation[0].user_content.parts[0].audio_metadata",
        "part has no such key",
    )


def test_it_says_what_and_where() -> None:
    made = copy.deepcopy(EVALSET)
    case = made["eval_cases"][0]
    case["eval_id"] = 7
    case["conversation"][0]["finalresponse"] = {}
    del case["session_input"]["app_name"]
    case["rubrics"][0] = "kind"
    at = "$.eval_cases[0]"
    assert misshapen(made) == [
        (f"{at}.conversation[0].finalresponse", "invocation has no such key"),
        (f"{at}.eval_id", "text was expected, not a number"),
        (f"{at}.rubrics[0]", "an object was expected, not text"),
        (f"{at}.session_input.app_name", "session_input without app_name"),
    ]


def test_an_eval_set_itself_is_in_snake_case() -> None:
    value = {"evalSetId": "s", "eval_cases": EVALSET["eval_cases"]}
    assert misshapen(value) == [
        ("$.eval_set_id", "eval set without eval_set_id, which ADK reads as eval_set_id only")
    ]


def test_adks_own_keys_of_a_state_are_those_of_the_installed_version(
    scripted: ModuleType,
) -> None:
    from google.adk.code_executors import code_executor_context
    from google.adk.evaluation import request_intercepter_plugin

    named = [
        key
        for module in (code_executor_context, request_intercepter_plugin)
        for name, key in vars(module).items()
        if name.endswith("_KEY") and key.startswith("_")
    ]
    assert len(named) > 3
    assert own_state({"tier": "gold", **dict.fromkeys(named, 1)}) == {"tier": "gold"}
