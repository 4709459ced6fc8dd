"""`passhat report`: from results to each form, with labels and timelines."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree

import pytest

from passhat.demo import SUITE, TRACES


@pytest.fixture
def results(passhat, tmp_path):
    path = tmp_path / "results.jsonl"
    assert passhat("score", TRACES, "--suite", SUITE, "-o", path).code == 0
    return path


def test_score_and_report_show_timelines_and_alignments(passhat, results, tmp_path):
    page = tmp_path / "page.html"
    ran = passhat("report", results, "--format", "html", "-o", page, "--title", "Shop")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    text = page.read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert text.count('<ol class="timeline">') == 12
    assert "Cancel A1038 please, I found it cheaper elsewhere." in text
    assert "Expected against actual calls" in text
    assert "Shop · 48 runs of 12 cases · results.jsonl" in text


def test_the_names_end_says_the_form(passhat, results, tmp_path):
    begins = {
        "p.html": "<!doctype html>",
        "p.xml": "<?xml",
        "p.md": "## Passes",
        "p.json": "{",
        "p.csv": "case,trial,",
        "p.txt": "Passes 75 %",
    }
    for name, begin in begins.items():
        assert passhat("report", results, "-o", tmp_path / name).code == 0
        assert (tmp_path / name).read_text("utf-8").startswith(begin), name


def test_a_name_that_says_no_form_is_refused(passhat, results, tmp_path):
    ran = passhat("report", results, "-o", tmp_path / "p.pdf")
    assert (ran.code, (tmp_path / "p.pdf").exists()) == (2, False)
    assert ".pdf says no format: take .html, .htm, .md, .xml" in ran.err
    assert passhat("report", results, "--format", "md", "-o", tmp_path / "p.pdf").code == 0
    assert passhat("report", results, "-o", tmp_path / "summary").code == 0


def test_text_goes_to_standard_output(passhat, results):
    ran = passhat("report", results)
    assert ran.code == 0
    assert ran.out.startswith("Passes 75 % of the time")
    assert "Failed runs (12)" in ran.out
    assert "  ‼ cancel-shipped-order #1  policy violation" in ran.out
    assert "and 2 more with --all" in ran.out
    everything = passhat("report", results, "--all").out
    assert "     ≠ issue_refund(order_id=" in everything
    assert max(map(len, everything.splitlines())) <= 80


def test_a_table_is_gated_as_what_it_was_made_of(passhat, results, tmp_path):
    table = tmp_path / "table.csv"
    assert passhat("report", results, "-o", table).err == ""
    of_table, of_lines = (
        passhat("gate", source, "--baseline", results, "--format", "json")
        for source in (table, results)
    )
    assert of_table.err == ""
    without = [
        {**rule, "runs": [run.split(":")[0] for run in rule["runs"]]}
        for rule in of_lines.json["rules"]
    ]
    assert of_table.json["rules"] == without


def test_a_table_that_cannot_be_read_back_is_told(passhat, results, tmp_path):
    twice = tmp_path / "twice.jsonl"
    twice.write_bytes(results.read_bytes() * 2)
    table = tmp_path / "table.csv"
    ran = passhat("report", twice, "-o", table)
    assert ran.code == 0
    assert "trial 0 is there twice, so passhat will not read this table back" in ran.err
    assert "is on line" in passhat("gate", table).err


def test_other_forms_to_standard_output(passhat, results):
    found = passhat("report", results, "--format", "json")
    assert found.json["schema"] == "passhat.summary/1"
    assert found.json["failure_classes"]["policy_violation"] == 9
    root = ElementTree.fromstring(passhat("report", results, "--format", "junit").out.encode())
    assert root[0].attrib["name"] == "results"
    assert root.attrib["failures"] == "7"
    rows = list(csv.DictReader(io.StringIO(passhat("report", results, "--format", "csv").out)))
    assert len(rows) == 48
    assert "<details>" in passhat("report", results, "--format", "md").out


def test_labels_go_before_the_rules(passhat, results, tmp_path):
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "case,trial,failure_class,by\ncharged-twice,1,refunded_twice,Ann\n"
        "charged-twice,0,gave_up,Ann\nno-such-case,0,gave_up,Ann\n"
    )
    ran = passhat("report", results, "--labels", labels, "--format", "json")
    assert ran.json["failure_classes"]["refunded_twice"] == 1
    assert "classes of your own, told as they are: refunded_twice" in ran.err
    assert "labels of no failed trial: charged-twice/0, no-such-case/0" in ran.err


def test_traces_bring_timelines_to_results_without_them(passhat, results, tmp_path):
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    bare = tmp_path / "bare.jsonl"
    bare.write_text("".join(json.dumps({**line, "timeline": []}) + "\n" for line in lines))
    without = passhat("report", bare, "--format", "html").out
    assert '<ol class="timeline">' not in without
    assert "The steps of this run were not kept." in without
    ran = passhat("report", bare, "--traces", TRACES, "--from", "openai", "--format", "html")
    assert ran.out.count('<ol class="timeline">') == 12
    assert ran.err == ""
    short = tmp_path / "short.jsonl"
    short.write_text("".join(TRACES.read_text("utf-8").splitlines(keepends=True)[:8]))
    ran = passhat("report", bare, "--traces", short, "--format", "html")
    assert "failed runs are not among the recorded ones" in ran.err


def test_a_csv_of_anybodys_can_be_reported(passhat, tmp_path):
    path = tmp_path / "theirs.csv"
    path.write_text("case,trial,passed\na,0,true\na,1,false\nb,0,true\nb,1,true\n")
    for form in ("text", "md", "junit", "json", "csv", "html"):
        ran = passhat("report", path, "--format", form)
        assert ran.code == 0, form
        assert "unclassified" in ran.out or form == "text"


def test_nothing_is_no_report_and_nothing_judged_is_said(passhat, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    ran = passhat("report", empty, "-o", tmp_path / "page.html")
    assert ran.code == 2
    assert "there is no result in it" in ran.err
    assert not (tmp_path / "page.html").exists()
    unjudged = tmp_path / "unjudged.jsonl"
    line = {"schema": "passhat.result/1", "case_id": "a", "trial": 0, "trace_id": "t",
            "status": "not_evaluated", "reason": "no state"}  # fmt: skip
    unjudged.write_text(json.dumps(line))
    ran = passhat("report", unjudged, "--format", "html")
    assert ran.code == 3
    assert "Critical: nothing was judged" in ran.out
    assert "nothing could be judged" in ran.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--from", "openai"], "--from says what recorded the runs of --traces"),
        (["-k", "0"], "give whole numbers from 1 on"),
        (["-k", "9"], "k"),
        (["--labels", "nope.csv"], "nope.csv: cannot be read"),
        (["--traces", "nope.jsonl"], "nope.jsonl"),
        (["--format", "pdf"], "pdf"),
    ],
)
def test_wrong_usage_is_told(passhat, results, options, message):
    ran = passhat("report", results, *options)
    assert ran.code == 2
    assert message in ran.err


def test_the_results_are_not_written_over(passhat, results):
    before = results.read_bytes()
    ran = passhat("report", results, "--format", "text", "-o", results)
    assert ran.code == 2
    assert "name another file" in ran.err
    assert results.read_bytes() == before


def test_airline_runs(passhat, shared, tmp_path):
    runs, path = shared / "real" / "tau_airline" / "runs.json", tmp_path / "r.jsonl"
    passhat("score", runs, "--from", "tau-bench", "--expected", "-o", path)
    ran = passhat("report", path, "--format", "html")
    assert ran.code == 0
    assert len(ran.out.encode()) < 2_000_000
    assert ran.out.count('<details class="trial') == 124
    assert "left out to keep" not in ran.out


def test_a_gates_decision_comes_first(passhat, results, tmp_path):
    page, policy = tmp_path / "page.html", tmp_path / "gate.yaml"
    policy.write_text("soft:\n- {metric: success_rate, min: 0.1}\n", encoding="utf-8")
    assert passhat("report", results, "--policy", policy, "-o", page).code == 0
    text = page.read_text("utf-8")
    assert "<h1>Accept: its one rule holds, by 48 trials of 12 cases.</h1>" in text
    assert '<span class="badge ok">Accepted</span>' in text
    assert '<p class="also">Passes 75' in text
    assert 'holds: </span> <b class="text">success_rate at least 0.1</b>' in text
    assert 'id="comparison"' not in text
    decided = ("--profile", "production", "--baseline", results)
    assert passhat("report", results, *decided, "-o", page).code == 0
    text = page.read_text("utf-8")
    assert "<h1>Reject: " in text
    assert '<span class="badge critical">Rejected</span>' in text
    assert 'id="comparison"' in text
    assert "No difference is shown" in text
    for format, first in (("md", "## Reject"), ("text", "Reject: ")):
        told = passhat("report", results, *decided, "--format", format).out
        assert told.startswith(first)
        assert told.index("No difference is shown") < told.index("Passes 75 % of the time")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--profile", "internal", "--format", "csv"), "no place for a decision"),
        (("--profile", "internal", "--policy", "x"), "give one"),
        (("--vary", "model"), "there is no --baseline"),
        (("--policy", "-", "--labels", "-"), "only one of"),
    ],
)
def test_a_decision_that_cannot_be_meant_is_refused(passhat, results, options, said):
    ran = passhat("report", results, *options)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
