"""Tolerances in the diff: numbers that are near enough are no change, wherever they lie."""

import pytest

from passhat.errors import UsageError
from passhat.state import diff


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
    found = diff(before, after, tolerance={"rel": 0.005})
    assert [str(change) for change in found.changes] == ["t[#0].a: 1.0 -> 1.01"]


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
