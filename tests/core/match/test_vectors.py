"""Matchings against independently computed ones, and tables that compare names as sets."""

import json

import pytest

from passhat.match import match_trajectory

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
