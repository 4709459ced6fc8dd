"""An alignment's text, read back, has the rows that were written."""

from hypothesis import example, given
from hypothesis import strategies as st

from passhat.case import Case
from passhat.grading import grade
from passhat.match import match_trajectory
from passhat.match.sidebyside import MARKS
from passhat.match.writing import on_one_line
from passhat.report.alignment_rows import aligned_rows
from passhat.trace import ToolCall, Trace

names = st.sampled_from(
    [
        "look",
        "refund",
        "a_tool_with_a_name_of_more_than_forty_eight_characters",
        "pay\n- refund()\n    x: expected 1, got 2",
        "\u2028\r+ look()\u202e",
    ]
)
args = st.dictionaries(
    st.sampled_from(["x", "y", "z\n= look()  look()"]),
    st.integers(0, 2) | st.text("ab =+-", max_size=70),
)
calls = st.lists(st.tuples(names, args), max_size=5)


WIDE = {"x": 0, "z\n= look()  look()": 0}
"""Arguments that are written with two spaces where the second column begins."""


@given(calls, calls, st.sampled_from(["exact", "in_order", "unordered", "superset"]))
@example(
    [("refund", {})],
    [("\u2028\r+ look()\u202e", WIDE), ("refund", {**WIDE, "y": 0})],
    "exact",
)
def test_every_row_comes_back(actual, expected, mode):
    match = match_trajectory(
        [ToolCall(name, given_) for name, given_ in actual],
        [{"name": name, "args": given_} for name, given_ in expected],
        mode=mode,
    )
    written = match.alignment()
    if not len(written):
        return
    rows = aligned_rows(str(written))
    assert [MARKS[row.kind] for row in rows] == [MARKS[row.kind] for row in written]
    for row, of in zip(rows, written, strict=True):
        assert bool(row.expected) == (of.expected is not None)
        assert bool(row.actual) == (of.actual is not None)
        assert row.expected.startswith(on_one_line(of.expected.name) if of.expected else "")
        assert row.actual.startswith(on_one_line(of.actual.name) if of.actual else "")
        assert len(row.notes) == len(of.differences)


def test_tables_of_turns_stand_under_their_headings():
    case = Case("c", turns=[{"input": "a", "expected_calls": ["x"]}])
    trial = grade(Trace("t", steps=(ToolCall("y"),)), case)
    rows = aligned_rows(trial.results[0].evidence.get("alignment", ""))
    two = aligned_rows(
        "turn 0:\n  expected  actual\n- x()\nturn 1:\n  expected  actual\n+           y()"
    )
    assert [(row.kind, row.expected, row.actual) for row in two] == [
        ("heading", "turn 0:", ""),
        ("missing", "x()", ""),
        ("heading", "turn 1:", ""),
        ("extra", "", "y()"),
    ]
    assert {row.kind for row in rows} >= {"missing", "extra"}


@given(st.text())
def test_any_text_gives_rows(text):
    assert all(row.kind for row in aligned_rows(text))
