"""The diff: tables, documents and any JSON; ignored places, tolerances, lists; against brute force."""

import copy
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import InputError, UsageError
from passhat.state import Record, diff
from passhat.values import ABSENT, canonical, json_equal

scalars = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a", "b", 1.0, 0.5])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner),
    max_leaves=12,
)
states = st.dictionaries(st.sampled_from("tuvw"), values, max_size=3)


def lines(found):
    return [str(change) for change in found.changes]


def patched(before, changes):
    """The state after, made of the state before and the changes alone."""
    state = {"": copy.deepcopy(before)}
    grouped = {}
    for change in changes:
        grouped.setdefault(("", *change.steps)[:-1], []).append(change)
    for way in sorted(grouped, key=len, reverse=True):
        holder, key = state, way[0]
        for step in way[1:]:
            holder, key = holder[key], step.key[0] if isinstance(step, Record) else step
        group = grouped[way]
        names = [
            step.key[0] if isinstance(step := change.steps[-1], Record) else step
            for change in group
        ]
        if isinstance(holder[key], dict) or not isinstance(holder[key], list):
            for name, change in zip(names, group, strict=True):
                if change.kind == "removed":
                    del holder[key][name]
                else:
                    holder[key][name] = change.after
            continue
        items = list(holder[key])
        for name, change in zip(names, group, strict=True):
            if change.kind == "changed":
                items[name] = change.after
        gone = {n for n, change in zip(names, group, strict=True) if change.kind == "removed"}
        items = [item for at, item in enumerate(items) if at not in gone]
        for name, change in sorted(
            (pair for pair in zip(names, group, strict=True) if pair[1].kind == "added"),
            key=lambda pair: pair[0],
        ):
            items.insert(name, change.after)
        holder[key] = items
    return state[""]


def no_tables(state):
    """The state one level down, where nothing is a table: lists have an order there."""
    return {"s": {"all": state, "": 0}}


@given(states, states, st.sampled_from(["align", "position"]))
def test_the_changes_lead_from_before_to_after(before, after, mode):
    before, after = no_tables(before), no_tables(after)
    found = diff(before, after, lists=mode)
    assert found.equal == json_equal(before, after)
    assert json_equal(patched(before, found.changes), after)


@given(states)
def test_a_state_is_equal_to_itself(state):
    assert diff(state, copy.deepcopy(state)).equal
    assert diff(state, copy.deepcopy(state), lists="set").equal


@given(states, states, st.sampled_from(["align", "position", "set"]))
def test_both_directions_count_alike(before, after, mode):
    there, back = diff(before, after, lists=mode), diff(after, before, lists=mode)
    assert there.equal == back.equal
    if mode != "align":
        kinds = Counter(change.kind for change in there.changes)
        turned = {"added": "removed", "removed": "added", "changed": "changed"}
        assert kinds == Counter(turned[change.kind] for change in back.changes)


def naive_leaves(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return sum(
            naive_leaves(a[k], b[k]) if k in a and k in b else 1 for k in a.keys() | b.keys()
        )
    if isinstance(a, list) and isinstance(b, list):
        return sum(map(naive_leaves, a, b)) + abs(len(a) - len(b))
    return int(not json_equal(a, b))


documents = st.dictionaries(
    st.sampled_from("pqrs"), st.dictionaries(st.sampled_from("abc"), values, min_size=1), max_size=4
)


@given(st.dictionaries(st.sampled_from("tu"), documents), st.data())
def test_counts_of_documents_by_position(before, data):
    after = {table: data.draw(documents) for table in before}
    expected = {}
    for table, old in before.items():
        new = after[table]
        changed = [k for k in old if k in new and not json_equal(old[k], new[k])]
        counts = {
            "added": len(new.keys() - old.keys()),
            "removed": len(old.keys() - new.keys()),
            "changed": len(changed),
            "leaves": sum(naive_leaves(old[k], new[k]) for k in changed),
        }
        if any(counts.values()):
            expected[table] = counts
    assert diff(before, after, lists="position").counts() == expected


def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_the_edit_of_a_list_is_the_shortest(old, new):
    found = diff({"t": old}, {"t": new})
    assert len(found.changes) == levenshtein(old, new)


def test_long_lists_stay_exact_while_they_are_alike():
    old = list(range(5000))
    new = [-1, *old[:2000], *old[2003:], 7]
    assert len(diff({"t": old}, {"t": new}).changes) == 5


def test_long_lists_that_are_unlike_say_that_a_shorter_way_may_exist():
    old = [f"a{n}" for n in range(3000)]
    new = [f"b{n}" if n % 3 else f"a{n}" for n in range(3000)]
    found = diff({"t": old}, {"t": new[1:]})
    assert "not" not in found.gaps
    assert found.gaps == (
        "t: the lists are too long and too unlike to find the shortest edit; a short one is given",
    )
    assert len(found.changes) < 3000


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
    ("before", "after", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        (None, ABSENT, False),
        (float("nan"), float("nan"), True),
        (10**22, 1e22, True),
        ([], {}, False),
        ((1, 2), [1, 2], True),
        ("2024-05-20", __import__("datetime").date(2024, 5, 20), False),
    ],
)
@pytest.mark.parametrize("shape", ["document", "rows", "list"])
def test_values_compare_as_json(before, after, equal, shape):
    def state(value):
        held = {} if value is ABSENT else {"v": value}
        made = {
            "document": {"t": {"A": {"id": 1, **held}}},
            "rows": {"t": [{"id": 1, **held}, {"id": 2}]},
            "list": {"t": {"l": [0, [*held.values()]], "k": 0}},
        }
        return made[shape]

    assert diff(state(before), state(after)).equal is equal


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ({}, {"t": [{"id": 1}, {"id": 2}]}, (2, 0, 0, 0)),
        ({"t": {"A": {}, "B": {"x": 1}}}, {}, (0, 2, 0, 0)),
        ({}, {"t": []}, (1, 0, 0, 0)),
        ({"t": None}, {}, (0, 1, 0, 0)),
        ({"t": 5}, {"t": 6}, (0, 0, 1, 1)),
        ({"t": [1, 2]}, {"t": [1, 3, 4]}, (1, 0, 1, 1)),
        ({"t": [{"id": 1}]}, {"t": {"id": 1}}, (0, 0, 1, 1)),
        ({"t": [{"id": 1}, 5]}, {"t": [{"id": 2}, 5]}, (0, 0, 1, 1)),
        ({"t": {"a": {"x": 1}, "b": 2}}, {"t": {"a": {"x": 2}, "b": 2}}, (0, 0, 1, 1)),
    ],
)
def test_counts_of_odd_tables(before, after, counts):
    names = ("added", "removed", "changed", "leaves")
    assert diff(before, after).counts() == {"t": dict(zip(names, counts, strict=True))}


KEYS = [1, 0, 1.0, 0.0, 2, True, False, None, "1", "True", "", 1.5]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda s: s,
        lambda s: {"t": s},
        lambda s: {"t": {"d": s}},
        lambda s: {"t": [s]},
        lambda s: {"t": {"a": {"b": [s, 1]}}},
    ],
)
@pytest.mark.parametrize("value", ["a", {"x": 1}])
def test_keys_that_are_no_text_compare_as_json_values_do(wrap, value):
    for one in KEYS:
        for other in KEYS:
            same = json_equal(one, other)
            before, after = wrap({one: value}), wrap({other: value})
            for options in ({}, {"lists": "set"}, {"tolerance": 0.1}, {"ignore": ["zz"]}):
                assert diff(before, after, **options).equal is same, (one, other, options)
            assert json_equal(before, after) is same
            assert (canonical(before) == canonical(after)) is same


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


def test_a_state_that_is_a_table_or_a_scalar():
    assert lines(diff([{"id": 1, "n": 1}], [{"id": 1, "n": 2}])) == ["$[1].n: 1 -> 2"]
    assert diff([1], [1, 2]).counts() == {
        "$": {"added": 1, "removed": 0, "changed": 0, "leaves": 0}
    }
    assert diff(1, 2).counts() == {"$": {"added": 0, "removed": 0, "changed": 1, "leaves": 1}}


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        (["*.updated_at"], ["orders[1].n", "orders[1].meta.by", "users[u].tags[0]"]),
        (
            ["orders.updated_at"],
            [
                "orders[1].n",
                "orders[1].meta.updated_at",
                "orders[1].meta.by",
                "users[u].updated_at",
                "users[u].tags[0]",
            ],
        ),
        (["orders"], ["users[u].updated_at", "users[u].tags[0]"]),
        (["orders[1]", "users.*.tags"], ["users[u].updated_at"]),
        (
            ["orders.*.meta", "**.tags[0]", "*_at"],
            ["orders[1].updated_at", "orders[1].n", "users[u].updated_at"],
        ),
        (["*.*_at", "*.by"], ["orders[1].n", "users[u].tags[0]"]),
        (["*"], []),
        (["$"], []),
    ],
)
def test_ignored_places(ignore, left):
    def state(n):
        order = {"id": 1, "updated_at": n, "n": n, "meta": {"updated_at": n, "by": n}}
        return {"orders": [order], "users": {"u": {"updated_at": n, "tags": [n]}}}

    assert [change.path for change in diff(state(1), state(2), ignore=ignore).changes] == left
    assert [c.path for c in diff(state(1), state(2)).without(ignore).changes] == left


@pytest.mark.parametrize("pattern", ["", "a..b", "a[", "a]b", ".", 'a["x', "a.[b]", 5])
def test_patterns_that_are_none(pattern):
    with pytest.raises(UsageError):
        diff({}, {}, ignore=[pattern])


def test_a_row_that_is_called_like_an_ignored_column_is_not_passed_over():
    before = [{"key": "updated_at", "n": 1}, {"key": "x", "n": 1, "updated_at": 1}]
    after = [{"key": "updated_at", "n": 2}, {"key": "x", "n": 1, "updated_at": 2}]
    told = ["t[updated_at].n: 1 -> 2"]
    for ignore in ("*.updated_at", "**.updated_at", "t.*.updated_at"):
        assert lines(diff({"t": before}, {"t": after}, ignore=[ignore])) == told
        documents = [{"t": {row["key"]: row for row in side}} for side in (before, after)]
        assert lines(diff(*documents, ignore=[ignore])) == told
    both = ["*.updated_at", "*[updated_at]"]
    assert diff({"t": before}, {"t": after}, ignore=both).equal
    # A path that leaves the key out leads to the row of that key too.
    assert diff({"t": before}, {"t": after}, ignore=["t.updated_at"]).equal


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


@pytest.mark.parametrize(
    ("tolerance", "equal"),
    [
        (None, False),
        (0.1, True),
        (0.01, False),
        ({"rel": 0.01}, True),
        ({"abs": 0, "rel": 1e-6}, False),
    ],
)
@pytest.mark.parametrize("mode", ["align", "position", "set"])
def test_numbers_take_a_tolerance(tolerance, equal, mode):
    before = {"t": [{"id": 1, "n": 10, "l": [1, 20.0], "k": True}]}
    after = {"t": [{"id": 1, "n": 10.05, "l": [1, 20.05], "k": True}]}
    assert diff(before, after, tolerance=tolerance, lists=mode).equal is equal
    after["t"][0]["k"] = 1
    assert not diff(before, after, tolerance=10, lists=mode).equal


def test_as_sets_items_with_parts_take_the_tolerance_too():
    before = {"t": {"d": {"l": [{"a": 1.0}, {"a": 5.0}, 2]}}}
    after = {"t": {"d": {"l": [2, {"a": 5.001}, {"a": 1.001}]}}}
    assert diff(before, after, lists="set", tolerance=0.01).equal
    assert not diff(before, after, lists="set", tolerance=0.0001).equal
    doubled = {"t": {"d": {"l": [2, {"a": 1.001}, {"a": 1.001}]}}}
    assert not diff(before, doubled, lists="set", tolerance=0.01).equal


def test_rows_without_a_key_take_the_tolerance_too():
    before = {"t": [{"a": 1.0, "b": 2.0}, {"a": 7.5, "b": 8.5}, {"a": 7.5, "b": 8.5}]}
    after = {"t": [{"a": 7.51, "b": 8.51}, {"a": 7.5, "b": 8.5}, {"a": 1.01, "b": 2.01}]}
    assert diff(before, after, tolerance=0.1).equal
    assert lines(diff(before, after, tolerance={"rel": 0.005})) == ["t[#0].a: 1.0 -> 1.01"]


@pytest.mark.parametrize(
    "row",
    [
        lambda n: {"a": {"x": n}},
        lambda n: {"a": {"x": n, "y": [n, {"z": n}]}},
        lambda n: {"a": [n, [n]]},
        lambda n: {"a": n},
        lambda n: {"a": {"x": n}, "b": "same", "at": n * 9},
    ],
)
@pytest.mark.parametrize("mode", ["align", "position", "set"])
def test_rows_without_a_key_take_the_tolerance_however_deep_their_numbers_lie(row, mode):
    options = {"tolerance": 0.1, "ignore": ["t.*.at"], "lists": mode}
    before = [row(n) for n in (1.0, 1.0, 2.0, 3.0)]
    after = [row(n) for n in (3.05, 1.05, 2.05, 0.95)]
    assert diff({"t": before}, {"t": after}, **options).equal
    assert not diff({"t": before}, {"t": [*after[:3], row(0.5)]}, **options).equal
    # Each row has one that is near enough, though the nearest of some is that of another.
    assert diff({"t": [row(1.0), row(1.1)]}, {"t": [row(1.08), row(1.19)]}, **options).equal


def test_many_rows_without_a_key_take_the_tolerance():
    before = [{"n": {"x": n}, "k": n % 7} for n in range(3000)]
    after = [{"n": {"x": n + 0.01}, "k": n % 7} for n in reversed(range(3000))]
    found = diff({"t": before}, {"t": after}, tolerance=0.1)
    assert found.equal
    assert not found.gaps


@pytest.mark.parametrize("tolerance", [-1, "1", True, {"percent": 1}, float("nan")])
def test_tolerances_that_are_none(tolerance):
    with pytest.raises(UsageError):
        diff({}, {}, tolerance=tolerance)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("align", ['- t.l[0]: "a"', "t.l[2].n: 1 -> 2"]),
        (
            "position",
            [
                't.l[0]: "a" -> "b"',
                't.l[1]: "b" -> {"id":1,"n":2,"m":0}',
                '- t.l[2]: {"id":1,"n":1,"m":0}',
            ],
        ),
        (
            "set",
            ['- t.l[0]: "a"', '- t.l[2]: {"id":1,"n":1,"m":0}', '+ t.l[1]: {"id":1,"n":2,"m":0}'],
        ),
    ],
)
def test_lists_compare_in_three_ways(mode, expected):
    before = {"t": {"l": ["a", "b", {"id": 1, "n": 1, "m": 0}], "k": 1}}
    after = {"t": {"l": ["b", {"id": 1, "n": 2, "m": 0}], "k": 1}}
    assert lines(diff(before, after, lists=mode)) == expected


@pytest.mark.parametrize("mode", ["align", "position"])
def test_a_list_in_a_list_is_not_the_same_in_another_order(mode):
    before, after = ({"t": {"l": [inner, 0]}} for inner in (["a", "b", True], ["b", True, "a"]))
    assert not diff(before, after, lists=mode).equal
    assert not diff(before["t"]["l"], after["t"]["l"], lists=mode).equal


def test_as_sets_nested_lists_have_no_order_either():
    before = {"t": {"l": [[1, 2, 2], [3]], "k": 1}}
    assert diff(before, {"t": {"l": [[3], [2, 1, 2]], "k": 1}}, lists="set").equal
    assert not diff(before, {"t": {"l": [[3], [2, 1, 1]], "k": 1}}, lists="set").equal


def test_options_that_are_none():
    with pytest.raises(UsageError, match="align, position, set"):
        diff({}, {}, lists="sorted")
    with pytest.raises(UsageError, match="the key of t"):
        diff({}, {}, keys={"t": [1]})


def test_nothing_is_changed_in_what_is_given():
    before = {"t": [{"id": 1, "l": [1, {"a": 2}]}], "u": {"A": {"x": 1}}}
    after = {"t": [{"id": 2, "l": [1]}], "v": []}
    kept = copy.deepcopy((before, after))
    diff(before, after, ignore=["*.l"], tolerance=1, keys={"t": "id"})
    assert (before, after) == kept


@pytest.mark.parametrize("kind", ["mappings", "lists", "both"])
def test_nesting_without_end_needs_no_stack(kind):
    def chain(leaf):
        value = leaf
        for n in range(5_000):
            value = {"a": value} if kind == "mappings" or (kind == "both" and n % 2) else [value]
        return {"s": value}

    assert len(diff(chain(1), chain(2)).changes) == 1
    assert diff(chain(1), chain(1)).equal


@pytest.mark.parametrize(
    "hold",
    [
        lambda x: {"t": x},
        lambda x: {"t": [x]},
        lambda x: {"t": [{"id": 1, "x": x}]},
        lambda x: {"t": {"l": [1, [x]], "k": 1}},
        lambda x: {"t": [{"n": x}, {"n": 1}]},
    ],
)
def test_a_cycle_is_an_error(hold):
    def cycle():
        value = {}
        value["me"] = [value]
        return value

    with pytest.raises(InputError, match="lies in itself"):
        diff(hold(cycle()), hold(cycle()))


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
