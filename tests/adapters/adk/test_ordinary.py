"""What has the ordinary shape is read at once, and says what the careful reader says of it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from passhat import PasshatError
from passhat_adk import events, invocations, suites, to_suite, to_traces
from passhat_adk.criteria import meaning_of
from passhat_adk.events import Run
from passhat_adk.findings import Findings
from passhat_adk.native import EVENT, camel, snaked
from passhat_adk.ordinary import ordinary_invocation
from passhat_adk.ordinarycases import read_ordinary
from passhat_adk.ordinaryrows import ordinary_rows, suite_of_rows
from passhat_adk.plainevents import take_plain
from passhat_adk.suites import read_suite

Json = dict[str, Any]
NULLS = dict.fromkeys(("thought", "function_call", "function_response", "inline_data"))
ASKS = {"name": "adk_request_confirmation", "args": {}}


def content(text: str, role: str | None, **more: Any) -> Json:
    return {"parts": [{**more, "text": text}], "role": role}


TURN: Json = {
    "invocation_id": "e-1",
    "user_content": content("Refund A1", "user"),
    "final_response": content("Done.", "model"),
    "intermediate_data": {
        "tool_uses": [{"id": None, "name": "refund", "args": {"order_id": "A1"}}],
        "intermediate_responses": [],
    },
    "creation_timestamp": 1.5,
}
OLDER = {**TURN, "user_content": content("Refund A1", "user", **NULLS), "rubrics": None}
BY_HAND: Json = {
    "user_content": {"parts": [{"text": "hi"}]},
    "intermediate_data": {"tool_uses": [{"name": "look", "args": {}}, {"name": "f", "args": {}}]},
}
CASE: Json = {"eval_id": "a", "conversation": [TURN], "creation_timestamp": 2.5}
SESSION = {"app_name": "shop", "user_id": "u", "state": {"tier": "gold"}}
SILENT = {**OLDER, "user_content": content("", "user", **NULLS)}
TURNS: Json = {"eval_id": "b", "conversation": [OLDER, BY_HAND, SILENT], "session_input": SESSION}
FOREIGN: Json = {
    "rubric_id": "polite", "rubric_content": {"text_property": "Is it polite?"}, "type": "TONE"
}  # fmt: skip
SAVED_TURN: Json = {
    **TURN,
    "intermediate_data": {
        "invocation_events": [
            {"author": "shop", "content": {"role": "model", "parts": [
                {"text": "One moment.", "thought": True},
                {"function_call": {"id": "c1", "name": "refund", "args": {}}, "thought_signature": "x"},
            ]}},
            {"author": "shop", "content": {"parts": [
                {"function_response": {"id": "c1", "name": "refund", "response": {"ok": True}}}
            ]}, "usage_metadata": {"total_token_count": 3}},
            {"author": "shop", "content": None},
        ]
    },
    "rubrics": [FOREIGN],
}  # fmt: skip
SAVED: Json = {
    "eval_id": "s", "conversation": [SAVED_TURN], "rubrics": [FOREIGN],
    "final_session_state": {"tier": "gold"}, "session_input": SESSION,
}  # fmt: skip
ACTIONS: Json = {"state_delta": {}, "artifact_delta": {}}


BARE_USES: Json = {
    "user_content": {"parts": [{"text": "hi"}]},
    "intermediate_data": {"tool_uses": [{"name": "look"}, {"name": "f", "args": None}]},
}
CASES = [CASE, TURNS, SAVED, {"eval_id": "u", "conversation": [BARE_USES]}]


def event(author: str, *parts: Json) -> Json:
    at = {"id": "v1", "timestamp": 1.5, "invocation_id": "e-1", "author": author}
    content = {"parts": list(parts), "role": "any"}
    return {**at, "content": content, "actions": ACTIONS, "long_running_tool_ids": []}


CALL: Json = {"function_call": {"id": "c1", "name": "refund", "args": {"order_id": "A1"}}}
UNNAMED: Json = {"function_call": {"name": "refund", "args": {}}}
RESULT: Json = {"function_response": {"id": "c1", "name": "refund", "response": {"error": "late"}}}
EVENTS: list[Json] = [
    event("user", {"text": "Refund A1"}), event("shop", {"text": "One moment."}, CALL),
    event("shop", RESULT), event("shop", UNNAMED),
    event("shop", {"function_response": {"name": "refund", "response": {"result": 1}}}),
    event("shop", {"text": "Done"}, {"text": "."}),
]  # fmt: skip
TODAY: Json = {
    "model_version": "gemini-2.5-flash", "finish_reason": "STOP", "partial": False,
    "usage_metadata": {"prompt_token_count": 7, "candidates_token_count": 5},
    "avg_logprobs": -0.5, "node_info": {"path": ""}, "branch": "root.shop",
}  # fmt: skip
CHANGE: Json = {"actions": {**ACTIONS, "state_delta": {"tier": "gold", "temp:x": 1}}}
EVENTS_TODAY: list[Json] = [
    {**event("user", {"text": "Refund A1"}), "node_info": {"path": ""}},
    {**event("shop", {**CALL, "thought_signature": "x"}), **TODAY},
    {**event("shop", RESULT), **CHANGE, "branch": "root.shop"},
    {**{key: item for key, item in event("shop").items() if key != "content"}, **CHANGE},
    {**event("shop", {**NULLS, "text": "Done."}), **TODAY, **CHANGE},
    {**event("shop", {**CALL, **dict.fromkeys(("text", "thought"))}), **TODAY},
    {**event("shop", {**CALL, "thought_signature": "y"}), "timestamp": 1743712220500},
    {key: item for key, item in event("shop", RESULT).items() if key != "timestamp"},
    {**event("shop", RESULT), "actions": {"transfer_to_agent": "billing", "state_delta": {"a": 1}}},
]
ROW: Json = {
    "query": "Refund A1",
    "expected_tool_use": [{"tool_name": "refund", "tool_input": {"order_id": "A1"}}],
    "expected_intermediate_agent_responses": [{"author": "shop", "text": "One moment."}],
    "reference": "Done.",
}
NAMED: list[Json] = [{"name": "a", "data": [ROW]}, {"name": "b", "data": [{"query": "hi"}, ROW]}]
CONFIGS: list[Json | None] = [
    None,
    {"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"}}},
    {"criteria": {"tool_trajectory_avg_score": {"threshold": 0.5, "ignore_args": True}}},
    {"criteria": {"response_match_score": 0.8, "passhat_tool_call_f1": 0.5}},
    {"criteria": {"passhat_case": {"threshold": 1.0, "budget": {"tool_calls": 3}}}},
]


def evalset(*cases: Any) -> Json:
    return {"eval_set_id": "s", "name": "s", "eval_cases": list(cases)}


def cameled(value: Any) -> Any:
    if isinstance(value, list):
        return [cameled(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        camel(key): item if key in ("args", "state", "response") else cameled(item)
        for key, item in value.items()
    }


@contextmanager
def carefully() -> Iterator[None]:
    """Within it nothing is read at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suites, "read_ordinary", lambda *_: None)
        patch.setattr(suites, "ordinary_rows", lambda *_: None)
        patch.setattr(invocations, "ordinary_invocation", lambda *_: None)
        patch.setattr(events, "take_plain", lambda *_: False)
        yield


def in_order(value: Any) -> Any:
    """A value with the keys of its objects in one order, to be compared in full."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return type(value), [in_order(item) for item in value]
    if isinstance(value, Struct):
        return type(value), [in_order(getattr(value, key)) for key in value.__struct_fields__]
    return value


def told(read: Callable[[], object]) -> str:
    """All that comes of reading, or the error."""
    try:
        return repr(in_order(read()))
    except PasshatError as error:
        return f"{type(error).__name__}: {error} {getattr(error, 'faults', None)}"


def assert_same(read: Callable[[], object], whose: object) -> None:
    at_once = told(read)
    with carefully():
        assert told(read) == at_once, whose


@pytest.mark.parametrize("value", [*CASES, *map(cameled, CASES)])
def test_an_ordinary_case_is_read_at_once(value: Json) -> None:
    case = read_ordinary(value, meaning_of(None), Findings())
    assert case is not None
    with carefully():
        assert to_suite(evalset(value)).cases == (case,)


@pytest.mark.parametrize("value", [[ROW, ROW], NAMED])
def test_an_ordinary_list_in_an_older_shape_is_read_at_once(value: list[Json]) -> None:
    for source in (value, json.dumps(value).encode()):
        rows = ordinary_rows(source)
        assert rows is not None
        suite = suite_of_rows(rows, "evalset", None)
        with carefully():
            assert to_suite(value) == suite


@pytest.mark.parametrize("value", [TURN, OLDER, BY_HAND, cameled(TURN), cameled(BY_HAND)])
def test_an_ordinary_invocation_is_read_at_once(value: Json) -> None:
    assert ordinary_invocation(value) is not None


@pytest.mark.parametrize(
    ("value", "config"),
    [
        *[(evalset(*CASES), config) for config in CONFIGS],
        (evalset(*map(cameled, CASES)), None),
        (NAMED, None), (NAMED, CONFIGS[1]), (NAMED, CONFIGS[2]), ([ROW, ROW], None),
    ],
)  # fmt: skip
def test_what_is_spoiled_anywhere_reads_the_same(spoiled: Any, value: Any, config: Any) -> None:
    for path, instead, made in spoiled(value):
        assert_same(lambda made=made: read_suite(made, config=config), (path, instead))
        assert_same(lambda made=made: to_suite(made, config=config), (path, instead))


@pytest.mark.parametrize("value", [*EVENTS, *EVENTS_TODAY, *cameled([*EVENTS, *EVENTS_TODAY])])
def test_a_plain_event_is_taken_at_once(value: Json) -> None:
    assert take_plain(Run("s"), snaked(value, EVENT))


@pytest.mark.parametrize(
    "value",
    [
        [TURN], [OLDER, BY_HAND], [SAVED_TURN], [BARE_USES], [cameled(TURN), cameled(BY_HAND)],
        EVENTS, cameled(EVENTS), [*EVENTS[2:], *EVENTS], [EVENTS[0], *EVENTS],
        EVENTS_TODAY, cameled(EVENTS_TODAY),
    ],
)  # fmt: skip
def test_runs_that_are_spoiled_anywhere_read_the_same(spoiled: Any, value: Any) -> None:
    for path, instead, made in spoiled(value):
        assert_same(lambda made=made: list(to_traces(made)), (path, instead))


@pytest.mark.parametrize("reader", [to_suite, read_suite])
def test_a_file_whose_cases_are_read_from_their_text_says_what_a_value_says(
    spoiled: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: Callable[[Any], object]
) -> None:
    path = tmp_path / "s.evalset.json"
    value = evalset(CASE, cameled(CASE), {"eval_id": "c"})
    for where, instead, made in [*spoiled({**value, "my_own": 1}), *spoiled(cameled(value))]:
        path.write_text(json.dumps(made))
        at_once = told(lambda: reader(path))
        with monkeypatch.context() as patch:
            patch.setattr(suites, "with_raw_cases", lambda *_: None)
            assert told(lambda: reader(path)) == at_once, (where, instead)


@pytest.mark.parametrize("deep", [194, 195, 196, 250])
def test_a_case_may_be_as_deep_however_a_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deep: int
) -> None:
    text = json.dumps(evalset({**CASE, "session_input": {**SESSION, "state": {"x": 0}}}))
    path = tmp_path / "s.evalset.json"
    path.write_text(text.replace('"x": 0', '"x": ' + "[" * deep + "]" * deep))
    at_once = told(lambda: to_suite(path))
    monkeypatch.setattr(suites, "with_raw_cases", lambda *_: None)
    assert told(lambda: to_suite(path)) == at_once
    assert ("nested deeper" in at_once) == (deep > 195)


TEXTS = st.sampled_from(["hi", "", "Refund A1", '<tool_call>{"name": "f"}</tool_call>'])
ARGS = st.dictionaries(st.sampled_from("abc"), st.sampled_from([1, "x", None, [1]]), max_size=2)
USES = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"name": st.sampled_from(["f", "g"])},
            optional={"args": ARGS, "id": st.sampled_from([None, "", "c1"])},
        ),
        st.just(ASKS),
    ),
    max_size=3,
)


def contents(role: str) -> st.SearchStrategy[Json]:
    parts = st.lists(st.builds(lambda text: {"text": text}, TEXTS), min_size=1, max_size=2)
    roles = st.sampled_from([role, role, None, "other"])
    return st.fixed_dictionaries({"parts": parts}, optional={"role": roles})


INVOCATIONS = st.fixed_dictionaries(
    {"user_content": contents("user")},
    optional={
        "invocation_id": st.sampled_from(["e-1", "e-2", "", None]),
        "final_response": st.one_of(st.none(), contents("model")),
        "intermediate_data": st.fixed_dictionaries(
            {},
            optional={
                "tool_uses": USES,
                "tool_responses": st.sampled_from([[], [{"name": "f", "response": {}}], None]),
                "intermediate_responses": st.sampled_from([[], [["a", [{"text": "x"}]]]]),
                "invocation_events": st.sampled_from(
                    [[], SAVED_TURN["intermediate_data"]["invocation_events"]]
                ),
            },
        ),
        "creation_timestamp": st.sampled_from([0, 0.0, 7, 1.5, None]),
        "rubrics": st.sampled_from([None, [], [FOREIGN]]),
    },
)


@given(st.lists(INVOCATIONS, min_size=1, max_size=3), st.sampled_from(CONFIGS), st.booleans())
def test_any_conversation_reads_the_same(turns: list[Json], config: Any, spelt: bool) -> None:
    held = cameled(turns) if spelt else turns
    case = {"eval_id": "a", "conversation": held}
    assert_same(lambda: read_suite(evalset(case), config=config), case)
    assert_same(lambda: to_suite(evalset(case), config=config), case)
    assert_same(lambda: list(to_traces(held)), held)
