"""The report as Markdown: tables that hold, whatever a name holds."""

from passhat.reliability import Summariser
from passhat.report import markdown_report
from passhat.result import Trial


def report(*names, **options):
    adding = Summariser()
    for name in names:
        adding.add(Trial(name, 0, "t0", "passed", tags=("x",)))
        adding.add(Trial(name, 1, "t1", "failed", tags=("x",)))
    return markdown_report(adding.summary(), **options)


def test_the_heading_says_the_verdict():
    lines = report("a").splitlines()
    assert lines[0] == "## Passes 50 % of the time, but never 2 times in a row."


def test_every_row_of_a_table_has_its_cells():
    text = report("a|b", "<script>", "c\nd", "_e_", everything=True)
    widths = {}
    for block in text.split("\n\n"):
        rows = [line.replace("\\|", "") for line in block.splitlines() if line.startswith("|")]
        widths.setdefault(tuple(row.count("|") for row in rows), block)
        assert len({row.count("|") for row in rows}) <= 1, block
    assert "\\<script\\>" in text
    assert "c d" in text
    assert "\\_e\\_" in text


def test_rows_are_limited_unless_everything_is_wanted():
    names = [f"case{n}" for n in range(20)]
    assert "and 12 more" in report(*names)
    assert "and 12 more" not in report(*names, everything=True)
