"""What is written is read back as the suite it was."""

import math
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat.case import MODES, Case, ExpectedCall, Suite, Turn
from passhat.errors import UsageError
from passhat.suitefile import read_suite, suite_from, suite_value, write_suite

TEXT = st.text(max_size=8) | st.sampled_from(
    ["no", "1e3", ".5", "12:30", "007", "0o17", "null", "~", "=", "<<", "- a", "a: b", "# x", "two\nlines\n", " x ", "\x85", "a\r\nb", "é\u2028", "\ufeff", "'\""]
)  # fmt: skip
NAME = TEXT.filter(bool)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
WORDS = TEXT.filter(lambda text: bool(text.strip()))
MAPPING = st.dictionaries(NAME, JSON, max_size=2)
MATCH = st.sampled_from(
    ["auto", "text", {"a": "text"}, {"a": {"number": {"abs": 0.5}}}, {"b": "auto"}]
)
CALL = st.builds(
    ExpectedCall,
    NAME,
    st.none() | MAPPING,
    st.none() | MATCH,
    st.sampled_from(["allow", "forbid"]),
    st.booleans(),
)
CALLS = st.lists(CALL | st.lists(CALL, max_size=2).map(tuple), max_size=3).map(tuple)
NAMES = st.lists(NAME, max_size=2).map(tuple)
CHECKS = st.dictionaries(
    st.sampled_from(["loops", "trajectory", "budget"]),
    st.fixed_dictionaries({}, optional={"at_least": st.floats(0, 1), "required": st.booleans()}),
    max_size=2,
)
STATED = {
    "input": st.none() | TEXT | MAPPING | st.just([{"role": "user", "content": "x"}]),
    "expected_calls": st.none() | CALLS,
    "mode": st.sampled_from([None, *MODES]),
    "before": st.none() | st.just((("a", {"name": "b", "same": "id"}), ("a", "b", {"where": "a.turn == b.turn"}))),
    "optional_calls": st.none() | NAMES,
    "forbidden_calls": st.none() | st.lists(CALL, max_size=2).map(tuple),
    "response": st.none() | st.fixed_dictionaries({}, optional={"includes": st.lists(WORDS | st.integers(), min_size=1, max_size=2), "equals": JSON}),
    "budget": st.none() | st.dictionaries(st.sampled_from(["turns", "cost"]), st.floats(0, 9), max_size=2),
    "requires_approval": st.none() | st.booleans() | NAMES,
    "route": st.none() | NAME | st.lists(NAME, min_size=1, max_size=2).map(tuple),
    "refuse": st.none() | st.booleans(),
    "clarify": st.none() | st.booleans(),
}  # fmt: skip
TURN = st.builds(Turn, **STATED)
OF_CASE = {
    **STATED,
    "tags": NAMES,
    "metadata": MAPPING,
    "trials": st.none() | st.integers(1, 9),
    "reference": JSON,
    "initial_state": st.none() | MAPPING,
    "counts": st.none() | st.booleans(),
    "retries": st.sampled_from([None, "fold", "count"]),
    "match": st.none() | MATCH,
    "success_check": st.none() | st.just("size(refunds) == 1"),
    "policies": st.none() | st.just(({"name": "p", "deny": "call.name == 'x'"},)),
    "extensions": MAPPING,
    "checks": st.none() | CHECKS,
    "writes": st.none() | NAMES,
}
CASE = st.builds(
    Case, NAME, turns=st.none() | st.lists(TURN, min_size=1, max_size=2).map(tuple), **OF_CASE
)
DEFAULTS = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(MODES),
        "tags": st.lists(NAME, max_size=2),
        "response_must_include": st.lists(WORDS, min_size=1, max_size=2),
        "expected_calls": st.just(["a", {"name": "b", "args": {"x": 1}}]),
        "turns": st.just(["hi", {"input": "x", "refuse": True}]),
        "checks": CHECKS,
        "metadata": MAPPING,
    },
)
SUITE = st.builds(
    Suite,
    NAME,
    st.lists(CASE, min_size=1, max_size=3, unique_by=lambda case: case.id).map(tuple),
    writes=st.none() | NAMES,
    defaults=DEFAULTS,
    checks=CHECKS,
    metadata=MAPPING,
    extensions=MAPPING,
)


@settings(max_examples=150)
@given(SUITE, st.sampled_from(["s.yaml", "s.json", "s.jsonl"]))
def test_what_is_written_is_read_back(suite, name):
    with tempfile.TemporaryDirectory() as folder:
        assert read_suite(write_suite(suite, Path(folder) / name)) == suite


@given(JSON)
def test_other_readers_of_yaml_see_the_same_values(value):
    from passhat.suitefile.yamlwriter import yaml_text

    assert yaml.safe_load(yaml_text({"key": value})) == {"key": value}


def test_the_whole_suite_survives_every_form(whole, suite_file, tmp_path):
    suite = read_suite(suite_file(whole))
    for name in ("a.yaml", "b.yml", "c.json", "d.jsonl", "e.suite"):
        assert read_suite(write_suite(suite, tmp_path / name)) == suite


def test_what_the_suite_says_of_all_is_not_said_again():
    suite = Suite(
        "shop",
        [
            Case("a", "Hi", expected_calls=["lookup", ["x", ExpectedCall("y", {"n": 1})]]),
            Case("b", mode="exact", checks={"loops": {"at_least": 0.5}}),
        ],
        tools={"lookup": {}, "x": {}, "y": {}},
        writes=["y"],
        defaults={"mode": "in_order", "tags": ["t"]},
        checks={"loops": {"required": True}},
    )
    assert suite_value(suite)["cases"] == [
        {
            "id": "a",
            "input": "Hi",
            "expected_calls": ["lookup", ["x", {"name": "y", "args": {"n": 1}}]],
        },
        {"id": "b", "mode": "exact", "checks": {"loops": {"required": True, "at_least": 0.5}}},
    ]
    assert suite_from(suite_value(suite)) == suite


def test_yaml_is_pleasant_to_read(tmp_path):
    suite = Suite("s", [Case("a", "Line one\nline two", expected_calls=["x", "y"], refuse=False)])
    assert write_suite(suite, tmp_path / "s.yaml").read_text() == (
        "schema: passhat.suite/1\nname: s\ncases:\n  - id: a\n    input: |-\n      Line one\n"
        "      line two\n    expected_calls:\n      - x\n      - y\n    refuse: false\n"
    )


def test_a_state_that_is_a_file_is_written_relative_to_the_suite(tmp_path):
    (tmp_path / "states").mkdir()
    (tmp_path / "states/a.json").write_text("{}")
    (tmp_path / "s.yaml").write_text("cases: [{id: a, initial_state: states/a.json}]")
    suite = read_suite(tmp_path / "s.yaml")
    copy = write_suite(suite, tmp_path / "copy.yaml")
    assert "initial_state: states/a.json" in copy.read_text()
    assert read_suite(copy).cases == suite.cases
    with pytest.raises(UsageError, match="lies outside of the folder"):
        write_suite(suite, tmp_path / "elsewhere/s.yaml")


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        (Suite("s"), "a suite without cases tests nothing, and is not written"),
        (Suite("s", [Case("a"), Case("a")]), "$.cases[1]: 'a' is the id of cases[0] too"),
        (Suite("s", [Case("")]), "$.cases[0]: a case without an id is not written"),
        (
            Suite("s", [Case("a", reference=math.nan)]),
            "$.cases[0].reference: a suite file cannot hold it: JSON has no nan",
        ),
        (
            Suite("s", [Case("a", metadata={"x": {1: 2}})]),
            "$.cases[0].metadata.x: a key is text, not 1",
        ),
        (
            Suite("s", [Case("a", expected_calls=[ExpectedCall("t", match={"x": max})])]),
            "$.cases[0].expected_calls[0].match.x: a suite file cannot hold it: "
            "builtin_function_or_method <built-in function max> is no JSON value",
        ),
    ],
)
def test_what_a_file_cannot_hold_is_refused(suite, said, tmp_path):
    with pytest.raises(UsageError) as caught:
        write_suite(suite, tmp_path / "s.yaml")
    assert str(caught.value) == said
    assert list(tmp_path.iterdir()) == []
