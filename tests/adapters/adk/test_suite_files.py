"""Suites as files of eval sets, each with its configuration beside it: any suite comes back whole."""

import json
from pathlib import Path

import pytest
from adk_evalsets import asked, case, config, evalset
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat import Case, ExpectedCall, Suite, SuiteError, Turn, UsageError
from passhat_adk import from_suite, to_suite
from passhat_adk.evalsets import as_evalset, write_suite
from passhat_adk.suites import read_suite


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
