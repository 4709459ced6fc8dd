"""Lists in the diff: the shortest edit, and lists by position, by content and as sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passhat.state import diff


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
    found = diff(before, after, lists=mode)
    assert [str(change) for change in found.changes] == expected


@pytest.mark.parametrize("mode", ["align", "position"])
def test_a_list_in_a_list_is_not_the_same_in_another_order(mode):
    before, after = ({"t": {"l": [inner, 0]}} for inner in (["a", "b", True], ["b", True, "a"]))
    assert not diff(before, after, lists=mode).equal
    assert not diff(before["t"]["l"], after["t"]["l"], lists=mode).equal


def test_as_sets_nested_lists_have_no_order_either():
    before = {"t": {"l": [[1, 2, 2], [3]], "k": 1}}
    assert diff(before, {"t": {"l": [[3], [2, 1, 2]], "k": 1}}, lists="set").equal
    assert not diff(before, {"t": {"l": [[3], [2, 1, 1]], "k": 1}}, lists="set").equal
