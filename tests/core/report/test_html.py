"""The page as a text: its size, what is left out of it and said to be, and what it needs."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passhat.demo import SUITE, TRACES
from passhat.errors import MissingExtraError
from passhat.reliability import Results
from passhat.report import csv_report, html_report, junit_report, markdown_report
from passhat.report.failed import level_of
from passhat.report.html.charts import class_chart, cost_chart
from passhat.report.html.trials import card
from passhat.result import CheckResult, Failure, TimelineStep, Trial
from passhat.scoring import score


def many(cases, trials, words=400):
    steps = tuple(
        TimelineStep("call", 0, "lookup", "x" * words, result="y" * words, index=at)
        for at in range(20)
    )
    table = CheckResult.of(
        "trajectory", False, "no", alignment="  expected  actual\n- x()", mode="exact"
    )
    found = []
    for case in range(cases):
        for at in range(trials):
            lost = (case + at) % 2 == 0
            critical = lost and case % 7 == 0
            found.append(
                Trial(
                    f"case {case}", at, f"{case}/{at}", "failed" if lost else "passed",
                    (table,) if lost else (), "no" if lost else "", seconds=at + 1.0,
                    failure_class=("policy_violation" if critical else "incomplete") if lost else None,
                    failure=Failure(reason="why") if lost else None,
                    timeline=steps if lost else (),
                )
            )  # fmt: skip
    return Results(tuple(found))


@pytest.fixture(scope="module")
def large():
    return html_report(many(300, 10))


def test_it_is_less_than_two_megabytes_and_says_what_is_left_out(large):
    assert len(large.encode()) < 2_000_000
    shown = large.count('<details class="trial')
    (said,) = re.findall(r"([\d,]+) of 1,500 failed runs are left out", large)
    assert int(said.replace(",", "")) == 1500 - shown
    assert shown > 50
    assert large.count("<tr id=") == 300


def test_critical_runs_and_one_of_each_case_are_kept_longest(large):
    cases = set(re.findall(r'data-row="(c\d+)"', large))
    assert len(cases) > 45
    critical = large.count('trial is-critical"')
    assert critical >= 43
    assert large.index("is-critical") < large.index("is-warning")


def test_a_chart_of_many_cases_leaves_room_for_failed_runs():
    trials = [
        Trial(
            f"case {case}", at, f"{case}/{at}", "passed" if (case * 7 + at) % 5 else "failed",
            seconds=1 + (case * 7919 + at * 104_729) % 9973 / 1000,
        )
        for case in range(4_000)
        for at in range(3)
    ]  # fmt: skip
    page = html_report(Results(tuple(trials)))
    chart = page[page.index('<section id="cost"') : page.index('<section id="failed"')]
    assert len(chart) < 150_000
    assert page.count('<details class="trial') > 500
    assert page.count("<tr id=") > 500


@pytest.mark.parametrize("rate", [0.0, 0.004, 0.996, 1.0])
def test_dots_that_lie_close_are_one_of_their_own_colour(rate):
    points = [(1 + at / 1000, rate) for at in range(900)]
    svg = cost_chart(points, "seconds", 0.5).svg
    colour = {0.0: "bad", 1.0: "good"}.get(rate, "mixed")
    dots = re.findall(r'<use [^>]*fill="var\(--(\w+)-fill\)"', svg)
    assert set(dots) == {colour}
    assert 20 < len(dots) < 120


def test_links_lead_to_what_is_there(large):
    ids = set(re.findall(r' id="([^"]+)"', large))
    assert len(ids) == len(re.findall(r' id="([^"]+)"', large))
    assert set(re.findall(r'href="#([^"]+)"', large)) <= ids


def test_a_small_page_leaves_out_rather_than_grows():
    page = html_report(many(60, 10), most_bytes=150_000)
    assert len(page.encode()) <= 150_000
    assert "left out to keep the page small" in page


def test_the_verdict_comes_first_and_levels_are_told_apart():
    page = html_report(score(TRACES, SUITE, timelines=True))
    body = page.partition("<body>")[2]
    assert body.index("Critical: 9 runs did or said what it may not") < body.index("<h1>")
    assert body.index("<h1>Passes 75\N{NO-BREAK SPACE}%") < body.index("What to act on")
    for part in ("Reliability", "Flaky cases", "How runs fail", "Tool confusion", "Cost against success",
                 "Failed runs", "Timeline", "Expected against actual calls"):  # fmt: skip
        assert part in body, part
    assert "forbidden_calls</span>" in body
    passed = html_report(Results((Trial("a", 0, "t", "passed"), Trial("b", 0, "u", "passed"))))
    assert "All runs passed" in passed
    assert "Failed runs" not in passed
    nothing = html_report(Results((Trial("a", 0, "t", "not_evaluated", reason="no state"),)))
    assert "Critical: nothing was judged" in nothing


def failing(case, number, name, *, unexpected=False, failure=None):
    change = {"path": "b[1].x", "kind": "changed", "before": 1, "after": 2}
    state = CheckResult.of("final_state", False, "no", unexpected=[change] if unexpected else [])
    return Trial(
        case, number, f"{case}/{number}", "failed", (state,), "no",
        failure_class=name, failure=failure or Failure(reason="why"),
    )  # fmt: skip


def test_other_failures_are_those_that_are_not_critical():
    results = Results(
        (
            failing("a", 0, "wrong_target", unexpected=True),
            failing("a", 1, "wrong_target"),
            failing("b", 0, "incomplete", unexpected=True),
            failing("b", 1, "gave_up"),
        )
    )
    page = html_report(results)
    (others,) = re.findall(r"<b>Other failures:</b> (.*?) <a", page)
    assert others == "wrong target 1, gave up 1."
    rows = re.findall(
        r'<tr><th scope="row"><span class="text">([^<]+)</span></th><td>(.*?)</td>', page
    )
    told = {name: re.findall(r">([^<>]+)</span>", badges) for name, badges in rows if badges}
    assert told["wrong target"] == ["warning", "1 critical"]
    assert told["incomplete"] == ["critical"]
    assert told["gave up"] == ["warning"]
    told = markdown_report(results.summary(), failed=results)
    assert "| wrong\\_target | warning, 1 critical | 2 |" in told
    assert "| incomplete | critical | 1 |" in told


def test_nothing_is_green_where_nothing_was_judged():
    page = html_report(Results((Trial("a", 0, "", "not_evaluated", reason="no calls"),)))
    tiles = page[page.index('<dl class="tiles">') : page.index("</dl>")]
    assert "critical failures" in tiles
    assert 'class="good"' not in tiles


def test_classes_beyond_the_first_are_counted():
    names = [
        "incomplete",
        "gave_up",
        "looped",
        "wrong_tool",
        "wrong_target",
        "wrong_answer",
        "mine",
    ]
    page = html_report(Results(tuple(failing("a", at, name) for at, name in enumerate(names))))
    assert "and 2 of other classes." in page


def test_what_a_row_or_a_run_has_no_room_for_is_counted_in_sight():
    checks = tuple(CheckResult.of(f"check_{at}", False, "no") for at in range(23))
    runs = [Trial("a", at, f"t{at}", "failed", checks, "no") for at in range(64)]
    page = html_report(Results(tuple(runs)))
    assert '<span class="more">and 4 more</span>' in page
    assert "and 3 more checks" in page
    told = markdown_report(Results(tuple(runs)).summary(), failed=Results(tuple(runs)))
    assert "and 13 more checks" in told


def test_as_many_places_of_a_state_are_shown_as_are_kept():
    changes = [
        {"path": f"b[{at}].x", "kind": "changed", "before": 1, "after": 2} for at in range(50)
    ]
    state = CheckResult.of("final_state", False, "and 9 more", unexpected=changes)
    run = Results((Trial("a", 0, "t", "failed", (state,), "no"),))
    page = html_report(run)
    assert all(f"b[{at}].x" in page for at in range(50))
    assert "No more places than these are kept" in page
    assert "and 30 more places" in markdown_report(run.summary(), failed=run)


def test_steps_that_checks_find_fault_with_are_marked():
    folder = Path(__file__).parents[3] / "examples" / "honesty"
    results = score(folder / "runs.jsonl", folder / "suite.yaml", timelines=True)
    marks = {
        trial.trace_id: [(step["who"], step["marks"]) for step in card(trial, "t", "c")["timeline"]]
        for trial in results
        if trial.lost
    }
    assert [said for said in marks["t2"] if said[1]] == [("call 1", "provenance")]
    assert [said for said in marks["t3"] if said[1]] == [("agent", "claimed_action")]
    assert [said for said in marks["m2"] if said[1]] == [("call 1", "injection")]
    assert "provenance</span>" in html_report(results)


def test_what_labels_say_goes_first_and_the_rule_beside_it():
    results = score(TRACES, SUITE, timelines=True).relabelled(
        {("charged-twice", 1): "refunded <twice>"}
    )
    page = html_report(results)
    assert "Labelled refunded &lt;twice&gt; by person; the rules say wrong tool" in page
    assert '<option value="refunded &lt;twice&gt;">' in page


def test_a_states_difference_is_shown():
    evidence = {
        "missed": [{"path": "orders[A1].status", "expected": "closed", "actual": "open"}],
        "unexpected": [{"path": "orders[A2]", "kind": "removed", "before": {"id": "A2"}}],
    }
    state = CheckResult("final_state", "failed", 0.0, "no", evidence)
    page = html_report(Results((Trial("a", 0, "t", "failed", (state,), "no"),)))
    assert "orders[A1].status" in page
    assert "removed, not asked for" in page
    assert "&#34;closed&#34;" in page


def test_charts_are_drawings_without_styles_scripts_or_addresses():
    for chart in (
        class_chart([("a $x$ <b>&", 3, "critical"), ("b", 0, "warning")]),
        cost_chart([(1, 0.5), (1, 0.5), (0, 1.0)], "calls", 0.5),
    ):
        root = ElementTree.fromstring(chart.svg)
        for element in root.iter():
            assert element.tag.rpartition("}")[2] not in ("style", "script", "metadata", "image")
            assert "style" not in element.attrib
            assert all(v.startswith("#") for k, v in element.attrib.items() if k.endswith("href"))
        assert "var(--" in chart.svg
    assert "a $x$ &lt;b&gt;&amp;" in class_chart([("a $x$ <b>&", 3, "critical")]).svg


@pytest.mark.parametrize("cases", [1, 9_000])
def test_dots_lie_within_the_chart_however_many_fall_together(cases):
    svg = cost_chart([(0.0, 1.0)] * cases + [(2.0, 0.0)], "calls", 0.7).svg
    (room,) = re.findall(r'<rect x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"', svg)
    left, top, width, height = map(float, room)
    radii = {
        name: max(float(number) for number in re.findall(r"[\d.]+", drawn))
        for name, drawn in re.findall(r'<path id="(cost-m\w+)" d="(M 0 [^"]*)"', svg)
    }
    dots = re.findall(r'<use x="(.*?)" y="(.*?)" fill="[^"]*" fill-opacity[^>]*href="#(.*?)"', svg)
    assert len(dots) == 2
    for x, y, name in dots:
        assert left <= float(x) - radii[name] < float(x) + radii[name] <= left + width
        assert top <= float(y) - radii[name] < float(y) + radii[name] <= top + height


def test_without_matplotlib_it_says_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'passhat\[html\]'"):
        html_report(Results((Trial("a", 0, "t", "passed"),)))


def test_it_is_the_same_each_time():
    results = Results((Trial("a", 0, "t", "passed"), Trial("a", 1, "u", "failed", reason="no")))
    assert html_report(results) == html_report(results)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)
evidence = st.dictionaries(
    st.sampled_from(
        ["alignment", "missed", "unexpected", "calls", "violations", "made_up", "tainted", "near", "mode",
         "missing", "extra", "matched", "turns", "expected", "actual", "hits", "of"]
    ),
    json_values | st.lists(st.fixed_dictionaries({}, optional={
        "path": json_values, "index": json_values, "kind": json_values, "tool": json_values,
        "arg": json_values, "name": json_values, "status": json_values, "confirmed": json_values}),
        max_size=2),
)  # fmt: skip
KEYS = ["trajectory", "final_state", "state_unchanged", "forbidden_calls", "policies", "approval",
        "provenance", "injection", "route", "refusal"]  # fmt: skip


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(KEYS), evidence), max_size=4))
def test_evidence_of_any_shape_is_told_or_passed_over(said):
    results = tuple(CheckResult(key, "failed", 0.0, "no", held) for key, held in said)
    trial = Trial("a", 0, "t", "failed", results, "no")
    card(trial, "t0", "c0")
    junit_report([trial])
    csv_report([trial])
    level_of(trial)


def test_texts_without_end_make_no_page_without_end():
    long = "<&\"'é" * 60_000
    steps = tuple(
        TimelineStep("call", 0, long, long, result=long, error=None, index=n) for n in range(80)
    )
    table = {"alignment": f"  expected  actual\n- {long}\n" * 3, "missing": [long], "near": []}
    trial = Trial(
        long, 0, long, "failed", (CheckResult("trajectory", "failed", 0.0, long, table),), long,
        tags=tuple(long[:n] for n in range(1_000, 1_200)), pins={long: long}, failure_class=long,
        failure=Failure(long, long, long, (long,), long), timeline=steps,
    )  # fmt: skip
    results = Results((trial,), about=dict.fromkeys(("source", "format", "judged_by"), long))
    page = html_report(results, title=long)
    assert len(page.encode()) < 2_000_000
    assert page.count('<details class="trial') == 1
    assert len(junit_report(results).encode()) < 200_000
    assert len(markdown_report(results.summary(), failed=results).encode()) <= 1_000_000
