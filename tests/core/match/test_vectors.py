"""Matchings against independently computed ones, and tables that compare names as sets."""

import json

import pytest

from passhat.match import match_trajectory
from passhat.match.dialects import verdict
from passhat.recordings import to_trace

SETS = {"exact": "exact", "any_order": "unordered", "subset": "superset"}


@pytest.fixture(scope="module")
def pairs(shared):
    with (shared / "vectors" / "dialects.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def examples(shared):
    return json.loads((shared / "vectors" / "worked_examples.json").read_text(encoding="utf-8"))


def holds_bool(value):
    if isinstance(value, dict):
        return any(map(holds_bool, value.values()))
    return any(map(holds_bool, value)) if isinstance(value, list) else isinstance(value, bool)


@pytest.mark.parametrize("relation", ["name", "expargs", "exact"])
def test_relations_and_sizes_are_those_of_exhaustive_search(pairs, relation):
    judged = 0
    for row in pairs:
        if relation != "name" and (holds_bool(row["pred"]) or holds_bool(row["exp"])):
            continue  # their relation takes True for 1, ours does not
        wanted = row["exp"]
        if relation == "name":
            wanted = [call["name"] for call in wanted]
        elif relation == "exact":
            wanted = [{**call, "extra_args": "forbid"} for call in wanted]
        truth = row["truth"][relation]
        found = {
            m: match_trajectory(row["pred"], wanted, m)
            for m in ("exact", "in_order", "unordered", "superset", "subset")
        }
        assert len(found["superset"].pairs) == truth["matching"], row["id"]
        assert found["exact"].ok == truth["seq_equal"], row["id"]
        assert found["in_order"].ok == truth["in_order"], row["id"]
        assert found["unordered"].ok == truth["multiset_equal"], row["id"]
        assert found["superset"].ok == truth["multiset_superset"], row["id"]
        assert found["subset"].ok == truth["multiset_subset"], row["id"]
        if relation == "name":
            sets = match_trajectory(row["pred"], wanted, "unordered", counts=False)
            assert sets.ok == truth["set_equal"], row["id"]
        judged += 1
    assert judged > 150


def test_tables_that_compare_names_as_sets_are_ours_without_counts(examples):
    rows = [e for e in examples if e["topic"] == "trajectory_modes_set" and e["verdict"] == "ok"]
    assert len(rows) == 10
    for row in rows:
        given = row["input"]
        if given["mode"] == "exact":
            continue
        found = match_trajectory(
            given["actual"], given["expected"], SETS[given["mode"]], counts=False
        )
        assert found.ok == row["computed"], row


def test_six_runs_in_four_modes(examples):
    rows = [
        e
        for e in examples
        if e["topic"] == "six_run_table" and isinstance(e["input"], dict) and "mode" in e["input"]
    ]
    for row in rows:
        given, want = row["input"], row["computed"]
        mode = given["mode"]
        if mode in ("precision", "recall"):
            found = match_trajectory(given["actual"], given["reference"])
            assert getattr(found, mode) == pytest.approx(want["value"], abs=1e-12)
            continue
        # Their any-order allows extras; their subset compares sets of names.
        ours = {"any_order": "superset"}.get(mode, mode)
        found = match_trajectory(given["actual"], given["reference"], ours, counts=mode != "subset")
        assert found.ok == bool(want), row
    assert len(rows) == 34 - 2


def by_id(examples, number):
    return next(example for example in examples if example["id"] == number)


@pytest.mark.parametrize("number", [4, 5, 6])
def test_a_trajectory_holds_in_a_mode_with_text_matched(examples, number):
    row = by_id(examples, number)
    given = row["input"]
    found = match_trajectory(
        given["pred"],
        given["exp"],
        given["mode"],
        match={"create_ticket": dict.fromkeys(given["matchers"], "text")},
    )
    # Theirs leaves optional calls in; ours never counts them against a run.
    assert found.ok is row["computed"]


def test_a_maximum_matching_finds_what_a_greedy_one_misses(examples):
    row = by_id(examples, 8)
    given = row["input"]
    found = match_trajectory(given["pred"], given["exp"], match="contains")
    assert found.recall == pytest.approx(row["computed"]["value"], abs=1e-12)


def test_the_means_of_six_runs(examples):
    per_run = by_id(examples, 212)
    runs = per_run["input"]["per_run"]
    assert sum(runs) / len(runs) == pytest.approx(per_run["computed"]["value"], abs=1e-12)
    reference = ["lookup_order", "check_policy", "issue_refund", "send_confirmation"]
    fifth = [*reference, "delete_account"]
    found = match_trajectory(fifth, reference)
    modes = [
        match_trajectory(fifth, reference, mode).ok for mode in ("exact", "in_order", "subset")
    ]
    assert [*modes, [found.precision, found.recall]] == by_id(examples, 213)["computed"]


def test_the_real_verdicts_of_agentevals_on_six_runs(examples):
    reference = ["lookup_order", "check_policy", "issue_refund", "send_confirmation"]
    lookup, policy, refund, confirm = reference
    runs = {
        "A1": reference,
        "A2": [lookup, *reference],
        "A3": [policy, lookup, refund, confirm],
        "A4": [lookup, policy, refund],
        "A5": [*reference, "delete_account"],
        "A6": [lookup, refund, policy, confirm],
    }
    ours = {"strict": "exact"}
    for name, verdicts in by_id(examples, 214)["input"]["real agentevals 0.0.9"].items():
        for mode, holds in verdicts.items():
            assert verdict("agentevals@0.0.9", mode, runs[name], reference) is holds
            assert match_trajectory(runs[name], reference, ours.get(mode, mode)).ok is holds


def test_a_recorded_chat_matches_as_agentevals_found(examples):
    row = by_id(examples, 277)
    calls = to_trace(row["input"]).calls
    expected = [
        {"name": "lookup_order", "args": {"order_id": "A123"}},
        {"name": "issue_refund", "args": {"order_id": "A123", "amount": 49.90}},
    ]
    assert match_trajectory(calls, expected, "superset").ok is row["computed"]["score"]
