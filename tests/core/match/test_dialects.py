"""Asking dialects: the forms calls come in, what frameworks do at the edges, and explanations."""

from copy import deepcopy

import pytest

from passhat.case import ExpectedCall
from passhat.errors import UsageError
from passhat.match.dialects import (
    DIALECTS,
    PlainCall,
    Raises,
    Trajectory,
    disagreements,
    explain,
    find_dialect,
    gallery,
    gallery_markdown,
    table,
    table_markdown,
    verdict,
)
from passhat.trace import ToolCall

A = {"name": "a", "args": {"x": 1}}
B = {"name": "b", "args": {}}


@pytest.mark.parametrize(
    "call",
    [
        A,
        {**A, "id": "call-1"},
        ToolCall("a", {"x": 1}),
        ExpectedCall("a", {"x": 1}),
        PlainCall("a", {"x": 1}),
    ],
)
def test_forms_of_a_call(call):
    for dialect in ("agentevals", "openevals", "adk", "ragas", "deepeval", "vertex"):
        mode = next(iter(find_dialect(dialect).modes))
        assert verdict(dialect, mode, [call], [A]) == 1
        assert verdict(dialect, mode, [A], [call]) == 1


def test_nothing_given_is_changed():
    actual, expected = [[deepcopy(A)], []], [[deepcopy(A)], [deepcopy(B)]]
    before = deepcopy((actual, expected))
    for dialect in DIALECTS:
        for mode in dialect.modes.values():
            if dialect.name != "bfcl" and mode.name not in dialect.single_expected:
                verdict(dialect, mode.name, actual, expected)
    assert (actual, expected) == before


def test_groups_are_messages_to_langchain_and_turns_to_adk():
    one, two = [[A, B]], [[A], [B]]
    assert verdict("agentevals", "strict", one, two) is False
    assert verdict("agentevals", "strict", one, [[B, A]]) is True
    assert verdict("agentevals", "unordered", one, two) is True
    assert verdict("adk", "exact", one, [[B, A]]) == 0.0
    assert verdict("adk", "exact", [[A], [A]], two) == 0.5
    assert verdict("adk", "exact", [A, B], [A, B]) == 1.0
    assert verdict("adk", "any_order", [[A], None], [[A], []]) == 1.0
    for flat in ("ragas", "deepeval", "vertex"):
        mode = next(iter(find_dialect(flat).modes))
        assert verdict(flat, mode, one, two) == 1.0


def test_an_empty_list_is_grouped_as_the_other_side_is():
    mismatch = "actual_invocations and expected_invocations must have the same length; got 1 and 0."
    assert verdict("adk", "in_order", [], []) == 1.0
    assert verdict("adk", "in_order", [A], []) == 1.0
    assert verdict("adk", "in_order", [[A]], []) == Raises("ValueError", mismatch)
    none = Trajectory((), grouped=True)
    assert verdict("adk", "in_order", none, none) is None


@pytest.mark.parametrize(
    ("dialect", "mode", "answer"),
    [
        ("agentevals", "strict", False),
        ("agentevals", "superset", True),
        ("openevals", "superset", True),
        ("adk", "exact", "ValueError"),
        ("ragas", "f1", "ValueError"),
        ("deepeval", "default", "MissingTestCaseParamsError"),
        ("vertex", "recall", None),
    ],
)
def test_no_expectation_at_all(dialect, mode, answer):
    got = verdict(dialect, mode, [A], None)
    assert (got.type if isinstance(got, Raises) else got) == answer


@pytest.mark.parametrize(
    ("dialect", "mode", "args", "answer"),
    [
        ("agentevals", "superset", '{"x": 1}', True),
        ("agentevals", "superset", "{", "JSONDecodeError"),
        ("agentevals", "superset", "", "JSONDecodeError"),
        ("agentevals", "superset", "[1]", "ValidationError"),
        ("agentevals", "superset", None, "ValidationError"),
        ("agentevals", "superset", {"x": {1}}, "TypeError"),
        ("adk", "exact", "{}", "ValidationError"),
        ("adk", "exact", None, 0.0),
        ("ragas", "accuracy_strict", None, "ValidationError"),
        ("deepeval", "exact", None, 0.0),
        ("deepeval", "default", None, "AttributeError"),
        ("deepeval", "ordering", None, "AttributeError"),
        ("vertex", "exact_match", '{"x": 1}', 1.0),
    ],
)
def test_arguments_that_are_no_object(dialect, mode, args, answer):
    got = verdict(dialect, mode, [{"name": "a", "args": args}], [A])
    assert (got.type if isinstance(got, Raises) else got) == answer
    if isinstance(args, str):
        unread = ToolCall("a", args_error=args)
        assert verdict(dialect, mode, [unread], [A]) == got


def test_a_name_alone_is_a_call_without_arguments():
    for dialect, mode in (("adk", "exact"), ("deepeval", "exact")):
        assert verdict(dialect, mode, ["a"], ["a"]) == 1.0
        assert verdict(dialect, mode, ["a"], [{"name": "a", "args": {}}]) == 0.0
    for dialect, mode in (("agentevals", "strict"), ("ragas", "f1"), ("vertex", "exact_match")):
        assert verdict(dialect, mode, ["a"], [{"name": "a", "args": {}}]) == 1


def test_arguments_nested_deeper_than_python_likes():
    deep = {}
    for _ in range(100_000):
        deep = {"x": deep}
    call = [{"name": "a", "args": deep}]
    for dialect, mode in (("agentevals", "strict"), ("ragas", "f1"), ("vertex", "recall")):
        got = verdict(dialect, mode, call, [A])
        assert isinstance(got, Raises)
        assert got.type == "RecursionError"


def test_single_tool_use():
    assert verdict("vertex", "single_tool_use", ["a", "a"], ["a"]) == 1.0
    assert verdict("vertex", "single_tool_use", ["b"], ["a"]) == 0.0
    with pytest.raises(UsageError, match="one tool, not for 2"):
        verdict("vertex", "single_tool_use", ["a"], ["a", "b"])


CITY = {"name": "map.weather", "args": {"city": ["New York", "NYC"], "days": [3, ""]}}
WEATHER = {
    "map.weather": {
        "properties": {"city": {"type": "string"}, "days": {"type": "float"}},
        "required": ["city"],
    }
}


@pytest.mark.parametrize(
    ("name", "args", "answer"),
    [
        ("map.weather", {"city": "new-york."}, True),
        ("map_weather", {"city": "NYC", "days": 3}, True),
        ("map.weather", {"city": "NYC", "days": 3.0}, True),
        ("map.weather", {"city": "NYC", "days": True}, False),
        ("map.weather", {"city": "NYC", "unit": "C"}, False),
        ("map.weather", {"days": 3}, False),
        ("map.weather", '{"city": "NYC"}', True),
        ("map.weather", '{"city', False),
        ("weather", {"city": "NYC"}, False),
    ],
)
def test_bfcl(name, args, answer):
    actual = [{"name": name, "args": args}]
    assert verdict("bfcl", "simple", actual, [CITY], tools=WEATHER) is answer
    assert verdict("bfcl", "parallel", actual, [CITY], tools=WEATHER) is answer


def test_bfcl_reads_a_schema_off_the_allowed_values():
    assert (
        verdict("bfcl", "simple", [{"name": "map.weather", "args": {"city": "NYC"}}], [CITY])
        is True
    )
    assert verdict("bfcl", "simple", ["map.weather"], [CITY]) is False


def test_bfcl_asks_for_lists_of_allowed_values():
    with pytest.raises(UsageError, match="list of its allowed values"):
        verdict("bfcl", "simple", [A], [A])


@pytest.mark.parametrize(
    ("mode", "actual", "expected", "tools", "error"),
    [
        ("multiple", [], [], None, "IndexError"),
        ("parallel", [A], [{"name": "a", "args": {"x": [1]}}], WEATHER, "TypeError"),
        (
            "simple",
            [A],
            [{"name": "a", "args": {"x": [1]}}],
            {"a": {"properties": {"x": {"type": "money"}}}},
            "KeyError",
        ),
        (
            "simple",
            [{"name": "a", "args": {"x": {"y": 1}}}],
            [{"name": "a", "args": {"x": [{"y": 1}]}}],
            None,
            "TypeError",
        ),
    ],
)
def test_bfcl_raises_where_bfcl_does(mode, actual, expected, tools, error):
    got = verdict("bfcl", mode, actual, expected, tools=tools)
    assert isinstance(got, Raises)
    assert got.type == error


@pytest.mark.parametrize(
    ("dialect", "mode", "args", "message"),
    [
        ("agenteval", "strict", "exact", "did you mean agentevals?"),
        ("agentevals@9", "strict", "exact", "known is 0.0.9"),
        ("vertex@1", "recall", "exact", "none in particular"),
        ("adk", "inorder", "exact", "did you mean in_order?"),
        ("adk", "exact", "ignored", "did you mean ignore?"),
        ("ragas", "f1", "ignore", "(known: exact)"),
    ],
)
def test_unknown_words_name_the_nearest(dialect, mode, args, message):
    with pytest.raises(UsageError) as raised:
        verdict(dialect, mode, [], [], args)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "actual", ["a", A, 7, [7], [None, A], [[A], B], [{"args": {}}], [{"name": 3}]]
)
def test_what_is_no_list_of_calls(actual):
    with pytest.raises(UsageError):
        verdict("adk", "exact", actual, [A])


def test_explain_a_mode_in_all_dialects():
    explanation = explain("superset")
    assert [one.dialect for one in explanation.readings] == [
        "passhat",
        "agentevals@0.0.9",
        "openevals@0.2.2",
    ]
    text = str(explanation)
    assert "passhat superset: All expected calls, in any order; other calls are free." in text
    assert "args exact (equal): use mode superset, extra_args forbid, which means the same" in text
    assert "actual [a(x=1), a()], expected [a(), a(x=1)]: theirs False, ours True" in text
    assert text.count("booleans: it compares as Python does") == 1


def test_explain_one_mode():
    (reading,) = explain("adk:any_order").readings
    exact, ignore = reading.by_args
    assert exact.same
    assert str(exact.nearest) == "mode superset, extra_args forbid"
    assert exact.counterexample is not None
    assert str(exact.counterexample) == ("actual [a], expected [a()]: theirs 0.0, ours True")
    assert [one.limit for one in ignore.differences] == ["unreadable arguments"]
    assert explain("any_order").readings == (reading,)
    assert explain("adk@2.13:any_order:ignore").readings[0].by_args == (ignore,)
    assert reading in explain("adk").readings


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("any_ordr", "did you mean any_order?"),
        ("agentvals:superset", "did you mean agentevals?"),
        ("agentevals:supersett", "did you mean superset?"),
        ("agentevals:superset:exakt", "did you mean exact?"),
    ],
)
def test_explain_nothing_known(word, message):
    with pytest.raises(UsageError) as raised:
        explain(word)
    assert message in str(raised.value)


def test_every_run_of_the_gallery_divides_the_frameworks():
    assert len(gallery) == len({run.title for run in gallery})
    for run in gallery:
        exact = {mode: answer for mode, answer in run.verdicts.items() if mode.count(":") == 1}
        assert len({str(answer) for answer in exact.values()}) > 2, run.title
        assert len(run.verdicts) >= 55
        assert set(run.ours) == {"exact", "in_order", "unordered", "superset", "subset"}
    text = gallery_markdown()
    assert text.count("### ") == len(gallery)
    assert "| 0.5 | deepeval: default |" in text


def test_disagreements_take_lists_as_messages_or_turns():
    run = [["a", "b"], []], [["a"], ["b"]]
    messages, turns = disagreements(*run), disagreements(*run, lists="turn")
    assert (messages["agentevals:strict"], messages["adk:exact"]) == (False, 1.0)
    assert (turns["agentevals:strict"], turns["adk:exact"]) == (True, 0.0)


def test_the_table_for_the_documentation():
    rows = table()
    assert len(rows) == 56
    assert len({tuple(row) for row in rows}) == 1
    assert {row["dialect"] for row in rows if not row["verified"]} == {"vertex"}
    markdown = table_markdown()
    assert len(markdown.splitlines()) == len(rows) + 2
    assert len({line.count(" | ") for line in markdown.splitlines()[2:]}) == 1
    assert len(table_markdown("adk").splitlines()) == 8


@pytest.mark.parametrize("mode", ["in_order", "IN_ORDER", "In Order", "in-order", " in_order "])
def test_a_mode_may_be_spelt_as_its_framework_does(mode):
    assert verdict("adk@2.13", mode, ["a", "b"], ["b"]) == 1.0
