"""Eval sets to suites and back."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat import Case, ExpectedCall, Suite, SuiteError, Turn, UsageError
from passhat_adk import from_suite, to_suite
from passhat_adk.evalsets import as_evalset, write_suite
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


def evalset(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"eval_set_id": "s", "eval_cases": list(cases), **more}


def asked(text: str, *uses: tuple[str, Any], answer: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "user_content": {"parts": [{"text": text}], "role": "user"},
        "intermediate_data": {"tool_uses": [{"name": n, "args": a} for n, a in uses]},
    }
    if answer is not None:
        made["final_response"] = {"parts": [{"text": answer}], "role": "model"}
    return made


def case(name: str = "c", *turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"eval_id": name, "conversation": list(turns or (asked("hi"),)), **more}


def config(**criteria: Any) -> dict[str, Any]:
    return {"criteria": criteria}


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


def test_the_configuration_beside_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.evalset.json"
    path.write_text(json.dumps(evalset(case("c", asked("hi", ("f", {}))))))
    loose = {"threshold": 1.0, "match_type": "ANY_ORDER"}
    (tmp_path / "test_config.json").write_text(
        json.dumps(config(tool_trajectory_avg_score=loose, safety_v1=0.5))
    )
    suite, fidelity = read_suite(path)
    assert suite.cases[0].mode == "superset"
    assert any(note.what == "criteria.safety_v1" for note in fidelity.notes)
    target = tmp_path / "out" / "b.evalset.json"
    target.parent.mkdir()
    assert write_suite(suite, target).lossless
    assert to_suite(target) == suite
    assert (
        json.loads((target.parent / "test_config.json").read_bytes())
        == suite.extensions["adk"]["config"]
    )


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


def test_a_case_named_like_a_path_writes_nowhere_else(tmp_path: Path) -> None:
    target = tmp_path / "in" / "s.evalset.json"
    target.parent.mkdir()
    from_suite(Suite("../evil", (Case("../../etc/passwd", "hi", expected_calls=["f"]),)), target)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [
        "in", "s.evalset.json", "test_config.json",
    ]  # fmt: skip
    assert to_suite(target).cases[0].id == "../../etc/passwd"


def test_a_configuration_that_says_otherwise_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "test_config.json").write_text('{"criteria": {"safety_v1": 0.5}}')
    suite = Suite("s", (Case("a", "hi", expected_calls=["f"]),))
    with pytest.raises(UsageError, match="says otherwise"):
        from_suite(suite, tmp_path / "s.evalset.json")
    assert not (tmp_path / "s.evalset.json").exists()


TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
CALLS = st.builds(
    ExpectedCall,
    st.sampled_from(["lookup", "refund", "cancel"]),
    st.none() | st.dictionaries(TEXT, JSON, max_size=2),
    extra_args=st.sampled_from(["allow", "forbid"]),
    optional=st.booleans(),
)
EXPECTED = st.none() | st.lists(
    CALLS | st.lists(CALLS, min_size=1, max_size=2).map(tuple), max_size=3
)
MODES = st.none() | st.sampled_from(["exact", "in_order", "unordered", "superset", "subset"])
TURNS = st.builds(Turn, TEXT, expected_calls=EXPECTED, mode=MODES)
CASES = st.builds(
    Case,
    TEXT,
    input=st.none() | TEXT,
    turns=st.none() | st.lists(TURNS, min_size=1, max_size=3),
    tags=st.lists(TEXT, max_size=2).map(tuple),
    reference=JSON,
    initial_state=st.none() | st.dictionaries(TEXT, JSON, max_size=2),
    expected_calls=EXPECTED,
    mode=MODES,
    forbidden_calls=st.none() | st.lists(CALLS, max_size=1),
    expected_final_state=st.none() | st.dictionaries(TEXT, JSON, max_size=2),
    optional_calls=st.none() | st.lists(st.sampled_from(["lookup", "cancel"]), max_size=2),
    budget=st.none() | st.just({"tool_calls": 3}),
    refuse=st.none() | st.booleans(),
)
SUITES = st.builds(
    Suite,
    TEXT,
    st.lists(CASES, min_size=1, max_size=3, unique_by=lambda case: case.id),
    tools=st.none() | st.just({"lookup": {"type": "object"}, "refund": {}, "cancel": {}}),
    defaults=st.sampled_from([{}, {"mode": "in_order"}]),
    checks=st.sampled_from([{}, {"tool_call_f1": {"at_least": 0.5}}]),
    metadata=st.dictionaries(TEXT, JSON, max_size=1),
)


@settings(max_examples=60)
@given(SUITES)
def test_any_suite_comes_back_whole(suite: Suite) -> None:
    value, settings_, _ = as_evalset(suite)
    assert to_suite(value) == suite
    assert to_suite(value, config=settings_) == suite
    json.dumps(value)


def test_a_configuration_that_was_changed_beside_the_file_counts(tmp_path: Path) -> None:
    suite = Suite("s", (Case("a", "hi", expected_calls=("f",), tags=("x",)),))
    target = tmp_path / "s.evalset.json"
    from_suite(suite, target)
    assert to_suite(target) == suite
    beside = tmp_path / "test_config.json"
    config = json.loads(beside.read_text(encoding="utf-8"))
    config["user_simulator_config"] = {"model": "m"}
    beside.write_text(json.dumps(config), encoding="utf-8")
    changed = to_suite(target)
    assert changed.extensions["adk"]["config"] == config
    assert changed.cases == suite.cases
    (tmp_path / "again").mkdir()
    from_suite(changed, tmp_path / "again" / "s.evalset.json")
    again = json.loads((tmp_path / "again" / "test_config.json").read_text(encoding="utf-8"))
    assert again["user_simulator_config"] == {"model": "m"}


def test_several_eval_sets_in_one_file_are_told_apart(tmp_path):
    case = {"eval_id": "c", "conversation": [{"user_content": {"parts": [{"text": "hi"}]}}]}
    sets = [{"eval_set_id": name, "eval_cases": [case]} for name in ("one", "two")]
    path = tmp_path / "all.json"
    path.write_text(json.dumps(sets))
    with pytest.raises(SuiteError, match=r"2 eval sets \(one, two\).*a file of its own"):
        to_suite(path)
    path.write_text(json.dumps(sets[:1]))
    assert to_suite(path).name == "one"


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


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"query": "hi", "expected_tool_uses": [{"tool_name": "f"}]}],
         "$[0].expected_tool_uses: unknown key, did you mean expected_tool_use?"),
        ([{"query": "hi", "expected_tool_use": [{"tool_name": "f", "tool_inputs": {"x": 1}}]}],
         "$[0].expected_tool_use[0].tool_inputs: unknown key, did you mean tool_input?"),
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


def test_what_stands_beside_a_tool_use_of_the_older_shape_is_kept() -> None:
    use = {"tool_name": "f", "tool_input": {"x": 1}, "mock_tool_output": "ok"}
    case = to_suite([{"query": "hi", "expected_tool_use": [use]}]).cases[0]
    assert case.expected_calls == (ExpectedCall("f", {"x": 1}, extra_args="forbid"),)
    kept = case.extensions["adk"]["conversation"][0]["intermediate_data"]["tool_uses"][0]
    assert kept == {"name": "f", "args": {"x": 1}, "mock_tool_output": "ok"}


def test_a_lone_row_of_the_older_shape_says_what_it_lacks() -> None:
    with pytest.raises(SuiteError, match="stands in a list: put brackets around it"):
        to_suite({"query": "hi", "expected_tool_use": [], "reference": "hello"})


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ({"tool_uses": [{"name": "f"}, "g"]}, ".tool_uses[1]: case 'c': a tool use needs a name"),
        ({"tool_uses": [{"args": {}}]}, ".tool_uses[0]: case 'c': a tool use needs a name"),
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


def test_keys_that_are_nearly_known_are_told_in_the_order_of_the_file() -> None:
    misspelt = ("conversations", "eval_ids", "rubric", "session_inputs", "eval_idx")
    with pytest.raises(SuiteError) as raised:
        to_suite(evalset({**case(), **dict.fromkeys(misspelt)}))
    paths = [fault.place.path for fault in raised.value.faults]
    assert paths == [f"$.eval_cases[0].{key}" for key in misspelt]
