"""The report as text: aligned, in the width, short, and with the verdict first."""

import re
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from passhat.errors import TraceError
from passhat.match.sidebyside import MARKS
from passhat.reliability import Summariser
from passhat.report import text_report
from passhat.report.harmless import harmless
from passhat.report.layout import table_lines
from passhat.report.marks import PLAIN
from passhat.report.tables import Cell, Column, Table
from passhat.report.text import drawn
from passhat.report.trend import trend_marks
from passhat.result import CheckResult, Trial
from passhat.trace import Usage

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def trial(case_id, number, passed, *, tool="issue_refund", arg="amount"):
    near = [{"tool": tool, "arg": arg, "expected": 1, "actual": 2}]
    evidence = {"matched": ["lookup"], "missing": [tool], "extra": [tool], "near": near}
    ok = {"matched": ["lookup", tool], "missing": [], "extra": []}
    results = (
        CheckResult.of(
            "trajectory", passed, "" if passed else "other", **(ok if passed else evidence)
        ),
        CheckResult("argument_accuracy", "passed", 1.0, "", {"hits": 2, "of": 2}, required=False),
    )
    return Trial(
        case_id,
        number,
        f"{case_id}/{number}",
        "passed" if passed else "failed",
        results,
        usage=Usage(100, 50, cost=0.01),
        seconds=2.5,
        measures={"turns": 1, "requests": 3, "tool_calls": 2, "tool_errors": 1},
        failure_class=None if passed else "incomplete",
        tags=("refunds",),
    )


def summary(cases=12, trials=4, broken=0):
    adding = Summariser()
    for case in range(cases):
        for number in range(trials):
            adding.add(trial(f"case-{case}", number, number >= case % (trials + 1)))
    for number in range(broken):
        adding.add_unread(TraceError(f"runs.jsonl:{number}: not JSON"))
        adding.add(Trial(None, 0, f"stray-{number}", "not_evaluated", reason="joins no case"))
    about = {"source": "some/runs.jsonl", "format": "openai", "judged_by": "suite.yaml"}
    return adding.summary(about=about)


def plain(text):
    return ANSI.sub("", text)


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize("everything", [False, True])
def test_no_line_is_wider_than_the_screen(width, color, everything):
    text = text_report(summary(broken=2), width=width, color=color, everything=everything)
    assert all(cell_len(line) <= min(width, 120) for line in plain(text).splitlines())
    assert ("\x1b[" in text) is color
    assert not any(line.endswith(" ") for line in plain(text).splitlines())


@pytest.mark.parametrize("width", [80, 120])
def test_it_is_about_one_screen_however_much_there_is(width):
    text = text_report(summary(cases=100), width=width)
    assert len(text.splitlines()) <= 55
    assert len(text_report(summary(), width=width, brief=True).splitlines()) <= 32


def test_the_first_line_says_the_verdict():
    told = summary()
    assert text_report(told).splitlines()[0] == told.verdict
    assert text_report(told).splitlines()[1] == (
        "48 runs of 12 cases · runs.jsonl (openai) · judged by suite.yaml"
    )


def test_colour_adds_nothing_but_colour():
    told = summary(broken=1)
    assert plain(text_report(told, color=True)) == text_report(told)


def test_ascii_terminals_get_ascii():
    assert text_report(summary(broken=1), ascii_only=True).isascii()
    columns = trend_marks([None, *(level / 8 for level in range(9))])
    marks = "".join((columns, *MARKS.values(), "≤", harmless("\x1b")))
    assert drawn([Text(marks)], ascii_only=True).isascii()
    assert len(set(columns.translate(PLAIN))) == len(set(columns))


def test_everything_tells_of_every_case():
    told = summary(cases=30)
    few, every = text_report(told), text_report(told, everything=True)
    assert "more with --all" in few
    assert all(f"case-{n} " in every for n in range(30))
    assert "more with --all" not in every


def test_what_was_left_out_stands_above_what_was_found():
    lines = text_report(summary(broken=1)).splitlines()
    at = lines.index("2 runs left out")
    assert at < next(i for i, line in enumerate(lines) if line.startswith("Flaky cases (7)"))
    assert any("runs.jsonl:0: not JSON" in line for line in lines)
    assert any("had they all failed: pass^1" in line for line in lines)


def test_nothing_judged_is_said_and_nothing_else_claimed():
    adding = Summariser()
    adding.add(Trial("a", 0, "t", "not_evaluated", reason="the case requires no check"))
    text = text_report(adding.summary())
    assert text.startswith("Nothing could be judged: of 1 run, none has a verdict.\n")
    assert "Reliability" not in text
    assert "the case requires no check" in text
    assert "had they all" not in text


def test_a_column_without_a_word_is_left_out():
    adding = Summariser()
    adding.add(Trial("a", 0, "t0", "passed"))
    adding.add(Trial("a", 1, "t1", "failed", failure_class="unclassified"))
    lines = text_report(adding.summary()).splitlines()
    heading = lines[lines.index("Flaky cases (1)") + 1]
    # How many calls were made is not known, which is not 0.
    assert heading.split() == ["case", "passes"]
    adding.add(Trial("a", 2, "t2", "passed", measures={"tool_calls": 3.0}))
    lines = text_report(adding.summary()).splitlines()
    at = lines.index("Flaky cases (1)")
    assert lines[at + 1].split() == ["case", "passes", "calls"]
    assert lines[at + 2].split() == ["a", "●●○", "3"]


def test_a_note_without_room_beside_its_title_stands_below_it():
    table = Table(
        "Cases", (Column("case"),), ((Cell("a"),),), "3 broke; Fisher, Benjamini-Hochberg"
    )
    assert next(line.plain for line in table_lines(table, 60)) == f"Cases   {table.note}"
    assert [line.plain for line in table_lines(table, 24)][:3] == [
        "Cases",
        "  3 broke; Fisher,",
        "  Benjamini-Hochberg",
    ]


def test_one_passed_run_has_no_spread():
    adding = Summariser()
    adding.add(trial("a", 0, True))
    lines = text_report(adding.summary()).splitlines()
    at = lines.index("What the passed run took")
    assert lines[at + 1].split()[:2] == ["calls", "requests"]
    assert lines[at + 3] == ""


def test_an_empty_summary_is_no_crash():
    assert text_report(Summariser().summary()).startswith("Nothing could be judged")


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=4, unique=True))
@settings(deadline=None, max_examples=40)
def test_names_of_any_kind_neither_break_lines_nor_steer_the_terminal(names):
    adding = Summariser()
    for name in names:
        for number in range(2):
            adding.add(trial(name, number, number == 0, tool=name, arg=name))
    text = text_report(adding.summary(), everything=True)
    assert not any(category(sign) in ("Cc", "Zl", "Zp") for sign in text.replace("\n", ""))
    assert all(cell_len(line) <= 80 for line in text.split("\n"))


def test_a_table_without_room_cuts_its_longest_names_too():
    columns = Column("tool"), Column("made", "right"), Column("wrong argument", give="cut")
    row = Cell("update_reservation_flights"), Cell("208/232"), Cell("payment_methods 15")
    lines = [line.plain for line in table_lines(Table("Calls", columns, (row,)), 40)]
    assert max(map(len, lines)) == 40
    assert lines[-1] == "  update_reserva…  208/232  payment_met…"


def columns_of(rows, width):
    table = Table(
        "Cases",
        (
            Column("case"),
            Column("passes"),
            Column("calls", "right", give="drop"),
            Column("what sets them apart", give="cut"),
        ),
        tuple(tuple(map(Cell, row)) for row in rows),
    )
    return [line.plain for line in table_lines(table, width)]


def test_a_long_name_leaves_room_for_what_is_said_of_it():
    long = columns_of([("a" * 90, "4/8", "2.1", "w" * 50), ("b", "1/8", "2", "call missing")], 110)
    assert all(len(line) <= 110 for line in long)
    assert "calls" in long[1]
    assert f"{'a' * 39}" in long[2]
    assert "w" * 39 in long[2]
    assert "call missing" in long[3]


def test_names_of_usual_length_are_whole_before_columns_that_may_go():
    rows = [("2026-11-30T19-09-57Z.jsonl", "8 of 8", "2.1", "w" * 30)]
    assert "2026-11-30T19-09-57Z.jsonl" in columns_of(rows, 60)[2]
    assert "calls" not in columns_of(rows, 55)[1]
