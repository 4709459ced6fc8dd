"""The diff: what it finds of any JSON, what it passes over, and that it leads from before to after."""

import copy
import json
from collections import Counter

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


def test_options_that_are_none():
    with pytest.raises(UsageError, match="align, position, set"):
        diff({}, {}, lists="sorted")
    for key in ([1], [], 1):
        with pytest.raises(UsageError, match="the key of t"):
            diff({}, {}, keys={"t": key})


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


def test_only_entries_of_the_outermost_mapping_are_tables():
    rows = [{"n": 1}, {"n": 2}]
    assert diff(rows, rows[::-1]).equal
    assert diff({"t": rows}, {"t": rows[::-1]}).equal
    for held in ([rows, 1], [rows], {"t": [rows, 1]}, {"t": {"r": {"l": rows}}}):
        turned = json.loads(json.dumps(held).replace(*map(json.dumps, (rows, rows[::-1]))))
        assert not diff(held, turned).equal
