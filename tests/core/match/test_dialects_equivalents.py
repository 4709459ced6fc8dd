"""Which of our modes means the same as a framework's, proved run by run on small runs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat.case import MODES
from passhat.match.dialects import (
    LIMITS,
    Ours,
    dialect_modes,
    differences,
    equivalents,
    ours_holds,
    translation,
)
from passhat.match.dialects.differing import parted, theirs_on
from passhat.match.dialects.search import runs

ALL = [(d, m, args, translation(d, m.name, args)) for d, m, args in dialect_modes()]
SAME = [entry for entry in ALL if entry[3].same]
OTHER = [entry for entry in ALL if not entry[3].same]
OUR_MODES = [
    Ours(mode, args, counts)
    for counts in (True, False)
    for mode in MODES
    for args in ("equal", "contains", "ignore")
]


def ids(entries):
    return [f"{d.name}:{m.name}:{args}" for d, m, args, _ in entries]


def outside(entry, actual, expected):
    """Whether a translation speaks of a run: it is within no limit, and can be asked."""
    dialect, mode, _, found = entry
    if mode.name in dialect.single_expected and len(expected) != 1:
        return False
    return not any(LIMITS[name].covers(actual, expected) for name in found.but)


def agree(entry, ours, actual, expected):
    dialect, mode, args, _ = entry
    theirs = theirs_on(dialect, mode, args, actual, expected)
    return not parted(theirs, ours_holds(ours, actual, expected))


def test_the_table_is_whole():
    assert len(equivalents) == len(ALL) == 56
    for dialect, mode, args, found in ALL:
        ours = equivalents[dialect.id, mode.name, args]
        assert ours == (found.nearest if found.same else None)


@pytest.mark.parametrize("entry", SAME, ids=ids(SAME))
def test_the_same_on_all_small_runs(entry):
    asked = 0
    for actual, expected in runs(({}, {"x": 1}, {"x": 1.0}), most=3):
        if outside(entry, actual, expected):
            asked += 1
            assert agree(entry, entry[3].nearest, actual, expected), (actual, expected)
    assert asked > 100


VALUES = st.sampled_from([1, 1.0, 2, "1", "", None, [1, 2], [2, 1], {"p": 1}, {"p": 1, "q": [1.0]}])
CALLS = st.builds(
    lambda name, args: {"name": name, "args": args},
    st.sampled_from("ab"),
    st.dictionaries(st.sampled_from("xy"), VALUES, max_size=2),
)


@settings(max_examples=40, deadline=None)
@given(pool=st.lists(CALLS, min_size=1, max_size=3), data=st.data())
@pytest.mark.parametrize("entry", SAME, ids=ids(SAME))
def test_the_same_on_larger_runs(entry, pool, data):
    calls = st.lists(st.sampled_from(pool), max_size=5)
    actual, expected = data.draw(calls), data.draw(calls)
    if outside(entry, actual, expected):
        assert agree(entry, entry[3].nearest, actual, expected)


@pytest.mark.parametrize("entry", OTHER, ids=ids(OTHER))
def test_none_of_ours_is_the_same(entry):
    left = set(OUR_MODES)
    for actual, expected in runs(({}, {"x": 1}, {"x": 1.0}, {"x": "1"}, {"x": 1, "y": 2}), most=4):
        if outside(entry, actual, expected):
            left = {ours for ours in left if agree(entry, ours, actual, expected)}
            if not left:
                return
    pytest.fail(f"the same as {', '.join(map(str, left))}")


@pytest.mark.parametrize("entry", ALL, ids=ids(ALL))
def test_every_difference_is_shown(entry):
    dialect, mode, args, found = entry
    shown = differences(dialect.id, mode.name, args)
    assert [one.limit for one in shown] == [*([] if found.same else [""]), *found.but]
    for one in shown:
        assert parted(one.theirs, one.ours)
        assert theirs_on(dialect, mode, args, one.actual, one.expected) == one.theirs
        assert ours_holds(found.nearest, one.actual, one.expected) is one.ours


LEFT_OUT = "actual [a()], expected [a(x=1)]: theirs True, ours False"
UNLUCKY = "actual [a(x=1), a()], expected [a(), a(x=1)]: theirs False, ours True"
UNLUCKY_BACK = "actual [a(), a(x=1)], expected [a(x=1), a()]: theirs False, ours True"
AS_TEXT = "actual [a(x=1)], expected [a()]: theirs 0.0, ours True"
TAKEN = "actual [a(), a()], expected [a(), a()]: theirs 0.5, ours True"
ONE_POINT_NOUGHT = "actual [a(x=1)], expected [a(x=1.0)]: theirs 0.0, ours True"
NO_INTEGER = "actual [a(x=1.0)], expected [a(x=1)]: theirs False, ours True"

SMALLEST = {
    "agentevals:strict:subset": LEFT_OUT,
    "agentevals:unordered:subset": UNLUCKY_BACK,
    "agentevals:unordered:superset": UNLUCKY_BACK,
    "agentevals:subset:subset": UNLUCKY,
    "agentevals:subset:superset": LEFT_OUT,
    "agentevals:superset:subset": LEFT_OUT,
    "agentevals:superset:superset": UNLUCKY,
    "openevals:strict:subset": LEFT_OUT,
    "openevals:unordered:subset": LEFT_OUT,
    "openevals:unordered:superset": UNLUCKY,
    "openevals:subset:subset": LEFT_OUT,
    "openevals:subset:superset": UNLUCKY,
    "openevals:superset:subset": LEFT_OUT,
    "openevals:superset:superset": UNLUCKY,
    "ragas:accuracy_strict:exact": AS_TEXT,
    "ragas:accuracy_flex:exact": AS_TEXT,
    "deepeval:default:exact": TAKEN,
    "deepeval:default:ignore": TAKEN,
    **{
        f"vertex:{mode}:exact": ONE_POINT_NOUGHT
        for mode in ("exact_match", "in_order_match", "any_order_match", "precision", "recall")
    },
    **{f"bfcl:{mode}:exact": NO_INTEGER for mode in ("simple", "multiple", "parallel")},
}


def test_the_smallest_counterexamples():
    found = {
        name: str(differences(d.id, m.name, args)[0])
        for name, (d, m, args, _) in zip(ids(OTHER), OTHER, strict=True)
    }
    assert found == SMALLEST


def test_runs_come_in_order_of_size_and_once():
    seen = list(runs(({}, {"x": 1}, {"x": 1, "y": 2}), most=3))
    sizes = [(len(a) + len(e), sum(len(call["args"]) for call in a + e), len(a)) for a, e in seen]
    assert [size[:2] for size in sizes] == sorted(size[:2] for size in sizes)
    assert len({repr(run) for run in seen}) == len(seen)
    assert all((a + e)[0]["name"] == "a" for a, e in seen if a + e)
