"""What was expected of a state: whatever changed can be expected, and nothing less will do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import UsageError
from passhat.state import StateRules, diff, goals, outcome, wanted_tree
from passhat.state.placing import placed_rows

fields = st.fixed_dictionaries(
    {"n": st.integers(0, 3), "s": st.sampled_from("abc")},
    optional={"x": st.none() | st.lists(st.integers(0, 2), max_size=2)},
)
documents = st.dictionaries(st.sampled_from(["A1", "A2", "A3", "7"]), fields, max_size=4)
as_rows = st.sampled_from(["documents", "rows"])


def shaped(table, shape):
    if shape == "documents":
        return {"t": table}
    return {"t": [{"id": key, **fields} for key, fields in table.items()]}


ABSENT = {"$match": "absent"}


def all_that_changed(before, after):
    """The records that came or changed, whole; and that what went is absent, be it a field."""
    expected = {key: dict(fields) for key, fields in after.items() if before.get(key) != fields}
    for key, record in before.items():
        if key not in after:
            expected[key] = ABSENT
        elif key in expected:
            expected[key] |= {name: ABSENT for name in record if name not in after[key]}
    return {"t": expected} if expected else {}


@given(documents, documents, as_rows)
def test_all_that_changed_is_enough(before, after, shape):
    expected = all_that_changed(before, after)
    became = outcome(expected, shaped(before, shape), shaped(after, shape), StateRules())
    assert became.misses == ()
    assert became.unexpected == ()


@given(documents, documents, as_rows, st.data())
def test_nothing_less_is(before, after, shape, data):
    expected = all_that_changed(before, after)
    if not expected:
        return
    left_out = data.draw(st.sampled_from(sorted(expected["t"])))
    del expected["t"][left_out]
    old, new = shaped(before, shape), shaped(after, shape)
    became = outcome(expected, old, new, StateRules())
    assert became.misses == ()
    assert {change.path.partition(".")[0] for change in became.unexpected} == {
        record.path for record in diff(old, new).records if left_out in record.path
    }
    allowed = StateRules(allow=(f't["{left_out}"]',))
    assert outcome(expected, old, new, allowed).unexpected == ()


@given(documents, documents, as_rows)
def test_a_whole_state_is_expected_or_it_differs(before, after, shape):
    old, new = shaped(before, shape), shaped(after, shape)
    misses = outcome(new, old, old, StateRules(exact=True)).misses
    assert bool(misses) is not diff(old, new).equal
    assert outcome(new, old, new, StateRules(exact=True)).misses == ()
    found = goals(new, old, old, StateRules(exact=True))
    assert len(found) == len(diff(old, new).records)
    assert not any(goal.reached or goal.held for goal in found)


def fits(expected, actual):
    return expected.items() <= actual.items()


@given(
    st.lists(st.dictionaries(st.sampled_from("ab"), st.integers(0, 1)), max_size=4),
    st.lists(st.fixed_dictionaries({"a": st.integers(0, 1), "b": st.integers(0, 1)}), max_size=4),
)
def test_as_many_rows_as_can_be_have_one_that_fits(expected, actual):
    """Against every way to give each expected row another one."""
    documents = {f"#{at}": row for at, row in enumerate(actual)}
    found = placed_rows(expected, documents, None, fits)
    placed = [place for place in found if place is not None]
    assert len(placed) == len(set(placed))
    count = sum(
        place is not None and fits(row, documents[place])
        for row, place in zip(expected, found, strict=True)
    )

    def most(at, free):
        if at == len(expected):
            return 0
        best = most(at + 1, free)
        for name in free:
            if fits(expected[at], documents[name]):
                best = max(best, 1 + most(at + 1, free - {name}))
        return best

    assert count == most(0, frozenset(documents))


def came_to(expected, before, after, **rules):
    became = outcome({"t": expected}, {"t": before}, {"t": after}, StateRules(**rules))
    return [*map(str, became.misses), *map(str, became.unexpected)]


STAY = [{"id": 1, "sku": "A", "n": 1}, {"id": 2, "sku": "A", "n": 1}]


def test_a_table_may_be_expected_to_be_empty():
    assert came_to([], STAY, []) == []
    assert came_to([], STAY, STAY[:1]) == ['t is [{"id":1,"sku":"A","n":1}], not []']
    assert [goal.held for goal in goals({"t": []}, {"t": []}, {"t": STAY}, StateRules())] == [True]


def test_a_matcher_may_judge_a_table_as_a_whole():
    two = {"$match": {"schema": {"type": "array", "minItems": 2}}}
    assert came_to(two, [], STAY) == []
    assert came_to(two, [], STAY[:1])[0].startswith("t is [")


def test_ignored_fields_do_not_tell_which_row_is_meant():
    expected = [{"at": "noon", "by": "me", "n": n} for n in (2, 3)]
    came = [{"at": f"{n}", "by": f"{n}", "n": n} for n in (3, 2)]
    assert came_to(expected, [], came, ignore=("t.at", "t.by")) == []


def test_numbers_tell_which_row_is_meant_only_where_they_must_be_the_same():
    assert came_to([{"n": 2, "m": 5}], [], [{"n": 2.001, "m": 5.001}], tolerance=0.01) == []
    assert came_to([{"n": 2.0, "ok": True}], [], [{"n": 1, "ok": True}, {"n": 2, "ok": True}]) == [
        '+ t["#0"]: {"n":1,"ok":true}'
    ]


@pytest.mark.parametrize("way", [1, -1])
def test_a_row_of_an_ignored_id_is_the_one_of_its_content(way):
    reference, run = ([*STAY, {"id": name, "sku": "A", "n": 2}][::way] for name in ("x9", "q7"))
    assert came_to(reference, STAY, run, ignore=("t.id",), exact=True) == []
    assert came_to([{"sku": "A", "n": 2}], reference, run, ignore=("t.id",)) == []
    assert came_to([], STAY, STAY[::way], ignore=("t.id",), allow=("t",)) != []
    assert came_to([{"id": "x9", "sku": "A", "n": 2}], STAY, run, ignore=("t.id",)) == []
    assert (
        came_to([{"id": 2, "n": 5}], STAY, [STAY[0], {**STAY[1], "n": 5}], ignore=("t.id",)) == []
    )
    swapped = [*STAY, {"id": 4, "sku": "B", "n": 1}, {"id": 5, "sku": "C", "n": 1}]
    other = [*STAY, {"id": 4, "sku": "C", "n": 1}, {"id": 5, "sku": "B", "n": 1}][::way]
    assert came_to(swapped, STAY, other, ignore=("t.id",), exact=True) == []
    assert came_to(swapped[2:], STAY, other, ignore=("t.id",)) == []
    assert came_to([], swapped, swapped[2:], ignore=("t.id",)) != []
    assert came_to([{"sku": "B"}], swapped, other[:3][::way], ignore=("t.id",)) != []
    changed = [*STAY[:1], {"id": 7, "sku": "A", "n": 5}]
    assert came_to([{"n": 5}], STAY, changed[::way], ignore=("t.id",)) == []
    assert came_to([{"n": 5}], STAY, changed[1:], ignore=("t.id",)) != []


def test_a_tree_without_matchers_is_the_state_itself():
    state = {"t": {"A": {"x": [1, {"y": None}]}}}
    assert wanted_tree(state) is state
    assert wanted_tree({"t": [{"n": 1}]}, {"t.n": "any"})["t"][0]["n"].accepts("whatever")


@pytest.mark.parametrize(
    "match", [{"t.n": "nearly"}, {"t..n": "any"}, {"t.n": {"number": {"abz": 1}}}]
)
def test_matchers_that_are_none(match):
    with pytest.raises(UsageError):
        StateRules.of({"match": match})
