"""Matchings against independently computed ones."""

import json

import pytest

from passhat.match import match_trajectory
from passhat.values.reading import normal_text

EXCHANGED = {
    "exact": "seq_equal",
    "unordered": "multiset_equal",
    "superset": "multiset_subset",
    "subset": "multiset_superset",
}

MODES = {
    "exact": "seq_equal",
    "in_order": "in_order",
    "unordered": "multiset_equal",
    "superset": "multiset_superset",
    "subset": "multiset_subset",
}


@pytest.fixture(scope="module")
def pairs(shared):
    with (shared / "vectors" / "dialects.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


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


def test_the_reverse_relation_is_ours_with_the_sides_exchanged(pairs):
    """`predargs`: every argument that was given is expected, and equal."""
    judged = 0
    for row in pairs:
        if holds_bool(row["pred"]) or holds_bool(row["exp"]):
            continue
        truth = row["truth"]["predargs"]
        found = {m: match_trajectory(row["exp"], row["pred"], m) for m in EXCHANGED}
        assert len(found["superset"].pairs) == truth["matching"], row["id"]
        for mode, relation in EXCHANGED.items():
            assert found[mode].ok == truth[relation], row["id"]
        judged += 1
    assert judged > 150


def folds(row):
    """Whether texts differ in case or in Unicode form alone, which our `contains` passes over."""
    texts = [v for c in (*row["pred"], *row["exp"]) for v in c["args"].values() if type(v) is str]
    return len({normal_text(text) for text in texts}) < len(set(texts))


def test_expected_text_inside_the_text_that_was_given(pairs):
    judged = 0
    for row in pairs:
        if holds_bool(row["pred"]) or holds_bool(row["exp"]) or folds(row):
            continue
        truth = row["truth"]["contains"]
        found = {m: match_trajectory(row["pred"], row["exp"], m, match="contains") for m in MODES}
        assert len(found["superset"].pairs) == truth["matching"], row["id"]
        for mode, relation in MODES.items():
            assert found[mode].ok == truth[relation], (row["id"], mode)
        judged += 1
    assert judged > 150
