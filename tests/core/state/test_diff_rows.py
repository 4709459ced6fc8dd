"""Rows in the diff: paired by a key, declared or found, or else by content."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import InputError
from passhat.state import Snapshot, diff

scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a", "b", 1.0, 0.5])


def lines(found):
    return [str(change) for change in found.changes]


rows = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 20), "n": scalars, "m": scalars}),
    unique_by=lambda row: row["id"],
    max_size=8,
)


@given(rows, rows, st.randoms())
def test_rows_pair_by_key_whatever_their_order(before, after, random):
    counts = diff({"t": before}, {"t": after}).counts()
    for side in (before, after):
        random.shuffle(side)
    assert diff({"t": before}, {"t": after}).counts() == counts
    as_documents = [{"t": {f"{row['id']}": row for row in side}} for side in (before, after)]
    assert diff(*as_documents).counts() == counts


keyless = st.lists(
    st.fixed_dictionaries({name: st.sampled_from([True, 0.5, None]) for name in "abcd"}),
    max_size=5,
)


@given(keyless, keyless)
def test_rows_without_a_key_pair_by_content_then_by_least_difference(before, after):
    found = diff({"t": before}, {"t": after})
    if len(before) == len(after) == 1:
        return
    rest, others = list(before), list(after)
    for row in before:
        if row in others:
            others.remove(row)
            rest.remove(row)

    def shared(row, other):
        count = sum(row[name] == other[name] for name in row)
        return count if count >= 2 else 0  # Half of four.

    if len(rest) > len(others):
        rest, others = others, rest
    best = max((sum(map(shared, rest, way)) for way in permutations(others, len(rest))), default=0)
    changed = [record for record in found.records if record.kind == "changed"]
    assert sum(4 - len(record.changes) for record in changed) == best
    assert len({change.kind for change in found.changes} - {"changed"}) <= 2


def test_a_changed_row_is_one_change_with_its_fields():
    before = {"t": [{"id": "A1", "n": 1, "m": 1, "k": [1]}, {"id": "A2", "n": 1}]}
    after = {"t": [{"id": "A2", "n": 1}, {"id": "A1", "n": 2, "m": 1, "k": [1, 2], "x": None}]}
    found = diff(before, after)
    assert lines(found) == ["t[A1].n: 1 -> 2", "+ t[A1].k[1]: 2", "+ t[A1].x: null"]
    (record,) = found.records
    assert (record.path, record.kind, len(record.changes)) == ("t[A1]", "changed", 3)
    assert found.counts() == {"t": {"added": 0, "removed": 0, "changed": 1, "leaves": 3}}


@pytest.mark.parametrize(
    ("key", "ids"),
    [
        ("a", [{"a": 1}, {"a": "1"}]),
        ("a", [{"a": 1}, {"a": True}]),
        (["a", "b"], [{"a": "x,y", "b": "z"}, {"a": "x", "b": "y,z"}]),
    ],
)
def test_records_count_each_though_their_keys_read_the_same(key, ids):
    before, after = ({"t": [{**row, "v": v} for row in ids]} for v in (1, 2))
    assert diff(before, after, keys={"t": key}).counts() == {
        "t": {"added": 0, "removed": 0, "changed": 2, "leaves": 2}
    }


def test_a_key_for_a_table_that_is_nowhere_is_told():
    before, after = {"orders": [{"id": 1}], "lines": []}, {"orders": [{"id": 1}]}
    found = diff(before, after, keys={"ordres": "id", "lines": "id", "*.items": "id", "$": "id"})
    assert lines(found) == ["- lines: []"]
    assert found.gaps == ("keys: neither state has ordres, did you mean orders?",)
    assert "note: keys: neither state has ordres" in str(found)


def test_an_ignored_id_joins_while_it_can_and_else_is_passed_over():
    before = {"t": [{"id": 1, "sku": "A", "n": 1, "k": 1}, {"id": 2, "sku": "A", "n": 2, "k": 1}]}
    stable = {"t": [{"id": 2, "sku": "A", "n": 2, "k": 1}, {"id": 1, "sku": "A", "n": 3, "k": 1}]}
    assert lines(diff(before, stable, ignore=["t.id"])) == ["t[1].n: 1 -> 3"]
    anew = {"t": [{"id": 8, "sku": "A", "n": 2, "k": 1}, {"id": 9, "sku": "A", "n": 1, "k": 1}]}
    assert diff(before, anew, ignore=["t.id"]).equal
    assert diff(before, anew).counts()["t"] == {"added": 2, "removed": 2, "changed": 0, "leaves": 0}


@pytest.mark.parametrize("known", [{}, {"t": ("id",)}])
def test_rows_that_an_ignored_id_does_not_join_may_be_the_same(known):
    stay = [{"id": 1, "sku": "A", "n": 1, "k": 1}, {"id": 2, "sku": "A", "n": 1, "k": 2}]
    before = {"t": [*stay, {"id": "x9", "sku": "A", "n": 2, "k": 1}]}
    after = {"t": [{"id": "q7", "sku": "A", "n": 2, "k": 1}, *stay]}
    old, new = (Snapshot(state, primary_keys=known) for state in (before, after))
    assert diff(old, new, ignore=["t.id"]).equal
    assert diff(old, new).counts()["t"]["added"] == 1
    other = {"t": [*stay, {"id": "q7", "sku": "A", "n": 3, "k": 1}]}
    found = diff(old, Snapshot(other, primary_keys=known), ignore=["t.id"])
    assert lines(found) == ["t[x9].n: 2 -> 3"]


@pytest.mark.parametrize("known", [{}, {"t": ("id",)}])
def test_an_ignored_id_may_be_that_of_another_row(known):
    """Ids that a database counts up stand for the order in which an agent went about it."""
    first, second = {"sku": "A", "n": 1, "k": 1}, {"sku": "A", "n": 2, "k": 1}
    before = {"t": [{"id": 4, **first}, {"id": 5, **second}, {"id": 6, **second}]}
    after = {"t": [{"id": 4, **second}, {"id": 5, **second}, {"id": 6, **first}]}
    old, new = (Snapshot(state, primary_keys=known) for state in (before, after))
    assert diff(old, new, ignore=["t.id"]).equal
    after["t"][2]["n"] = 7
    assert lines(diff(old, new, ignore=["t.id"])) == ["t[4].n: 1 -> 7"]


def test_a_found_key_is_no_matter_of_chance():
    before = {"t": [{"sku": "A", "n": 1}, {"sku": "B", "n": 2}, {"sku": "C", "n": 3}]}
    after = {"t": [{"sku": "A", "n": 2}, {"sku": "B", "n": 3}, {"sku": "C", "n": 9}]}
    assert [change.path for change in diff(before, after).changes] == ["t[A].n", "t[B].n", "t[C].n"]


def test_declared_keys():
    before = {"lines": [{"o": 1, "l": 1, "n": 1}, {"o": 1, "l": 2, "n": 1}]}
    after = {"lines": [{"o": 1, "l": 2, "n": 2}, {"o": 1, "l": 1, "n": 1}]}
    assert lines(diff(before, after, keys={"lines": ["o", "l"]})) == ["lines[1,2].n: 1 -> 2"]
    assert lines(diff(before["lines"], after["lines"], keys=["o", "l"])) == ["$[1,2].n: 1 -> 2"]
    nested = [
        {"r": {"R1": {"legs": [{"no": "b", "p": n}, {"no": "a", "p": 1}][::way]}}}
        for n, way in ((1, 1), (2, -1))
    ]
    assert lines(diff(*nested, keys={"r.*.legs": "no"})) == ["r[R1].legs[b].p: 1 -> 2"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"id": 1}, {"id": 1}], "t: rows 0 and 1 after have the same id: 1"),
        ([{"id": 1}, {"n": 1}], "t: row 1 after has no id, which is its key"),
        ([{"id": 1}, 5], "t: its key is declared, and not all of its rows are mappings"),
    ],
)
def test_declared_keys_must_hold(rows, said):
    with pytest.raises(InputError, match=said):
        diff({"t": [{"id": 1}]}, {"t": rows}, keys={"t": "id"})


def test_a_column_with_duplicates_or_odd_values_is_no_key():
    before = {
        "t": [{"id": 1, "n": 1}, {"id": 1, "n": 2}, {"id": True, "n": 3}, {"id": None, "n": 4}]
    }
    after = {"t": [{"id": 1, "n": 2}, {"id": 1, "n": 1}, {"id": 1, "n": 3}, {"id": None, "n": 4}]}
    assert lines(diff(before, after, ignore=["t.n"])) != []
    assert not diff(before, after).equal


def test_rows_too_many_to_pair_say_so(monkeypatch):
    monkeypatch.setattr("passhat.state.twins.MOST_PAIRS", 10)
    before = {"t": [{"a": 1.5, "b": [n], "c": 0} for n in range(8)]}
    after = {
        "t": [{"a": 1.5, "b": [n], "c": 1, "d": n // 4} for n in range(7)]
        + [{"a": 1.5, "b": [7], "c": 1}]
    }
    found = diff(before, after)
    assert "declare a key" in found.gaps[0]
    assert found.counts()["t"] == {"added": 7, "removed": 7, "changed": 1, "leaves": 1}
