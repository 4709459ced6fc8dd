"""The report as Markdown: tables that hold, whatever a name holds."""

from passhat.reliability import Summariser
from passhat.report import markdown_report
from passhat.result import CheckResult, Trial


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


def failed(case_id, number=0, **fields):
    table = CheckResult.of("trajectory", False, "no", alignment="  expected  actual\n- `x`  ```")
    return Trial(case_id, number, "t", "failed", (table,), "no", **fields)


def test_failed_runs_are_folded_with_their_calls_and_escape_what_they_hold():
    trials = [
        failed("a </summary><script>", failure_class="gave_up"),
        failed("b", failure_class="policy_violation"),
        Trial("c", 0, "t", "passed"),
    ]
    adding = Summariser()
    for trial in trials:
        adding.add(trial)
    text = markdown_report(adding.summary(), failed=trials)
    assert "### How runs fail" in text
    assert "| policy\\_violation | critical | 1 | did what it may not do" in text
    folded = text.partition("### Failed runs")[2]
    assert folded.index("critical: b, trial 0: policy violation") < folded.index("warning: a ")
    assert "a &lt;/summary&gt;&lt;script&gt;, trial 0: gave up</summary>" in folded
    assert "\n````text\n" in folded
    assert "\n- `x`  ```\n" in folded
    assert folded.count("<details>") == folded.count("</details>") == 2


def test_a_failed_run_that_says_nothing_more_is_a_line():
    adding = Summariser()
    lost = Trial("a*b", 0, "t", "failed")
    adding.add(lost)
    report = markdown_report(adding.summary(), failed=[lost])
    assert report.endswith("### Failed runs\n\n- ⚠️ warning: a\\*b, trial 0: unclassified\n")


def test_it_stays_shorter_than_a_job_summary_may_be():
    trials = [failed(f"case {n // 4}" + "é" * 300, n % 4) for n in range(4_000)]
    adding = Summariser()
    for trial in trials:
        adding.add(trial)
    text = markdown_report(adding.summary(), everything=True, failed=trials)
    assert len(text.encode()) <= 1_000_000
    assert "more are left out for length" in text
    short = markdown_report(adding.summary(), everything=True, most_bytes=20_000)
    assert len(short.encode()) <= 20_000
    assert "parts are left out" in short
