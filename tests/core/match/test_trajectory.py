"""The five modes, against their definition by exhaustive search."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat import errors
from passhat.case import Case, ExpectedCall, expected_calls
from passhat.match import match_case, match_trajectory
from passhat.match.calls import slots_of
from passhat.match.expectations import expectations
from passhat.trace import ToolCall, Trace

MODES = ("exact", "in_order", "unordered", "superset", "subset")


def holds(calls, entries, mode, optional=(), fold=True):
    """The definition: some one-to-one matching witnesses the mode."""
    ready = expectations(tuple(entries))
    slots, slot = [], -1
    for index, call in enumerate(calls):
        if not index or call.request is None or call.request != calls[index - 1].request:
            slot += 1
        slots.append(slot)
    choices = [
        [i for i, call in enumerate(calls) if call.name == r.call.name and r.accepts(call)]
        for r in ready
    ]

    def witness(taken):
        matched = {a for a in taken if a is not None}
        if mode != "subset" and any(
            a is None and not r.call.optional for a, r in zip(taken, ready, strict=True)
        ):
            return False
        if mode in ("exact", "unordered", "subset"):
            for index, call in enumerate(calls):
                if index in matched or call.name in optional:
                    continue
                followed = any(
                    later in matched
                    and calls[later].name == call.name
                    and calls[later].turn == call.turn
                    for later in range(index + 1, len(calls))
                )
                if not (fold and call.failed and followed):
                    return False
        if mode in ("exact", "in_order"):
            pairs = [
                (r.group, slots[a]) for a, r in zip(taken, ready, strict=True) if a is not None
            ]
            return not any(g < h and s > t for g, s in pairs for h, t in pairs)
        return True

    def search(at, taken):
        if at == len(ready):
            return witness(taken)
        options = [a for a in choices[at] if a not in taken]
        return any(search(at + 1, [*taken, a]) for a in [*options, None])

    return search(0, [])


args = st.fixed_dictionaries({}, optional={"x": st.sampled_from([1, 2]), "y": st.just(1)})
names = st.sampled_from("ab")


@st.composite
def trajectories(draw, most=6):
    calls, turn, request = [], 0, 0
    for _ in range(draw(st.integers(0, most))):
        turn += draw(st.integers(0, 6)) == 0
        request += draw(st.booleans())
        failed = draw(st.integers(0, 3)) == 0
        calls.append(
            ToolCall(
                draw(names),
                draw(args),
                turn=turn,
                request=request,
                error="no" if failed else None,
            )
        )
    return calls


@st.composite
def expected_entries(draw, most=5):
    def call():
        return ExpectedCall(
            draw(names),
            draw(st.none() | args),
            optional=draw(st.integers(0, 3)) == 0,
            extra_args=draw(st.sampled_from(["allow", "allow", "forbid"])),
        )

    entries, left = [], draw(st.integers(0, most))
    while left:
        size = draw(st.integers(1, min(3, left)))
        entries.append(tuple(call() for _ in range(size)) if size > 1 else call())
        left -= size
    return entries


@settings(max_examples=400)
@given(trajectories(), expected_entries(), st.sampled_from(MODES), st.sets(names), st.booleans())
def test_a_mode_holds_exactly_when_a_matching_witnesses_it(calls, entries, mode, optional, fold):
    found = match_trajectory(
        calls, entries, mode, optional=optional, retries="fold" if fold else "count"
    )
    assert found.ok == holds(calls, entries, mode, optional, fold)
    used = [pair.actual for pair in found.pairs]
    assert len(set(used)) == len(used)
    if found.ok:
        assert found.reason == ""
        if mode != "subset":
            assert not found.missing
        if mode in ("exact", "unordered", "subset"):
            assert not found.extra
        if mode in ("exact", "in_order"):
            assert found.ordered
    else:
        assert found.reason
    assert len(found.alignment()) >= max(len(calls), len(found.expected) - len(found.pairs))
    assert str(found).split("\n", 1)[1] == str(found.alignment())


def matchings(rows):
    def search(at, taken):
        if at == len(rows):
            yield tuple(taken)
            return
        for a in [*rows[at], None]:
            if a is None or a not in taken:
                yield from search(at + 1, [*taken, a])

    return search(0, [])


@settings(max_examples=300)
@given(trajectories(5), expected_entries(4))
def test_the_pairing_is_the_best_by_every_preference(calls, entries):
    found = match_trajectory(calls, entries, "superset")
    ready = expectations(tuple(entries))
    slots = slots_of(tuple(calls))
    rows = [
        [i for i, c in enumerate(calls) if c.name == r.call.name and r.accepts(c)] for r in ready
    ]

    def worth(taken):
        pairs = [(r, a) for r, a in zip(ready, taken, strict=True) if a is not None]
        return (
            sum(not r.call.optional for r, _ in pairs),
            sum(r.call.optional for r, _ in pairs),
        )

    best = max(worth(taken) for taken in matchings(rows))
    taken = [None] * len(ready)
    for pair in found.pairs:
        taken[pair.expected] = pair.actual
    assert worth(taken) == best

    def crossings(choice):
        pairs = [(r.group, slots[a]) for r, a in zip(ready, choice, strict=True) if a is not None]
        return sum(g < h and s > t for g, s in pairs for h, t in pairs)

    same_calls = [
        choice
        for choice in matchings(rows)
        if worth(choice) == best
        and {i for i, a in enumerate(choice) if a is not None}
        == {i for i, a in enumerate(taken) if a is not None}
        and sorted(calls[a].failed for a in choice if a is not None)
        == sorted(calls[a].failed for a in taken if a is not None)
        and sorted(a in _due(calls) for a in choice if a is not None)
        == sorted(a in _due(calls) for a in taken if a is not None)
    ]
    assert crossings(taken) == min(map(crossings, same_calls))


def _due(calls):
    from passhat.match.asked import Asked
    from passhat.match.witness import _due as due

    return due(tuple(calls), Asked(()))


@pytest.mark.parametrize(
    ("actual", "expected", "holding"),
    [
        (["a", "b"], ["a", "b"], "exact in_order unordered superset subset"),
        (["b", "a"], ["a", "b"], "unordered superset subset"),
        (["a", "b", "c"], ["a", "b"], "in_order superset"),
        (["a"], ["a", "b"], "subset"),
        (["a", "a"], ["a"], "in_order superset"),
        ([], [], "exact in_order unordered superset subset"),
        (["delete_db"], [], "in_order superset"),
        ([], ["a"], "subset"),
    ],
)
def test_which_modes_hold(actual, expected, holding):
    found = [mode for mode in MODES if match_trajectory(actual, expected, mode).ok]
    assert found == holding.split()


def test_calls_of_one_request_have_no_order():
    calls = [ToolCall("b", request=0), ToolCall("a", request=0)]
    assert match_trajectory(calls, ["a", "b"], "exact").ok
    assert not match_trajectory(["b", "a"], ["a", "b"], "exact").ok


def test_a_group_has_no_order():
    assert match_trajectory(["c", "b", "d"], [["b", "c"], "d"], "exact").ok
    assert not match_trajectory(["d", "b", "c"], [["b", "c"], "d"], "exact").ok


def test_a_greedy_pairing_would_fail_here():
    calls = [{"name": "f", "args": {"x": 1}}, {"name": "f", "args": {"x": 2}}]
    assert match_trajectory(calls, ["f", {"name": "f", "args": {"x": 1}}]).ok
    assert match_trajectory(calls, [{"name": "f", "args": {"x": 1}}, "f"]).ok


def test_a_failed_attempt_followed_up_is_a_retry():
    calls = [ToolCall("a", error="timeout"), ToolCall("a")]
    found = match_trajectory(calls, ["a"], "exact")
    assert found.ok
    assert found.retries == (0,)
    assert found.pairs == ((1, 0),)
    assert not match_trajectory(calls, ["a"], "exact", retries="count").ok
    other_turn = [ToolCall("a", error="timeout"), ToolCall("a", turn=1)]
    assert not match_trajectory(other_turn, ["a"], "exact").ok


def test_optional_calls_never_count_against_a_run():
    calls = ["search", "search", "create"]
    found = match_trajectory(calls, ["create"], "exact", optional=["search"])
    assert found.ok
    assert (found.precision, found.recall) == (1, 1)
    once = [{"name": "search", "optional": True}, "create"]
    assert match_trajectory(["create"], once, "exact").ok
    assert match_trajectory(["search", "create"], once, "exact").ok
    assert not match_trajectory(calls, once, "exact").ok


def test_counts_false_compares_as_sets():
    assert match_trajectory(["a", "b", "a"], ["a", "b"], "unordered", counts=False).ok
    assert match_trajectory(["a"], ["a", "a"], "unordered", counts=False).ok
    assert match_trajectory(["a", "b", "b"], ["a", "b"], "exact", counts=False).ok
    assert not match_trajectory(["a", "c"], ["a", "b"], "unordered", counts=False).ok


@pytest.mark.parametrize(
    ("actual", "expected", "same"),
    [(1, 1.0, True), (True, 1, False), ("1", 1, False), (None, None, True)],
)
def test_arguments_compare_as_json(actual, expected, same):
    calls = [{"name": "a", "args": {"x": actual}}]
    assert match_trajectory(calls, [{"name": "a", "args": {"x": expected}}]).ok is same


def test_null_is_not_absent():
    assert not match_trajectory(["a"], [{"name": "a", "args": {"x": None}}]).ok


def test_unparsed_arguments_match_only_a_bare_name():
    call = ToolCall("a", args_error="{x:")
    assert match_trajectory([call], ["a"]).ok
    assert not match_trajectory([call], [{"name": "a", "args": {}}]).ok


def test_extra_arguments_may_be_forbidden():
    calls = [{"name": "a", "args": {"x": 1, "evil": 2}}]
    assert match_trajectory(calls, [{"name": "a", "args": {"x": 1}}]).ok
    strict = {"name": "a", "args": {"x": 1}, "extra_args": "forbid"}
    found = match_trajectory(calls, [strict])
    assert not found.ok
    assert found.reason == "a was called with other arguments (evil: not allowed, got 2)"


def test_matchers_by_tool_by_argument_and_by_schema():
    calls = [{"name": "pay", "args": {"amount": 10.004, "note": " Rent"}}]
    wanted = [{"name": "pay", "args": {"amount": 10, "note": "rent"}}]
    by_tool = {"pay": {"amount": {"number": {"abs": 0.01}}, "note": "text"}}
    assert not match_trajectory(calls, wanted).ok
    assert match_trajectory(calls, wanted, match=by_tool).ok
    assert match_trajectory(calls, wanted, match=by_tool["pay"]).ok
    assert match_trajectory(calls, [{**wanted[0], "match": by_tool["pay"]}]).ok
    schema = {"properties": {"amount": {"type": "number"}, "note": {"type": "string"}}}
    found = match_trajectory(calls, wanted, match="auto", tools={"pay": schema})
    assert [item.arg for item in found.near[0].differences] == ["amount"]


@pytest.mark.parametrize("mode", ["exakt", "any_order", "", None])
def test_an_unknown_mode_is_an_error(mode):
    with pytest.raises(errors.UsageError, match="no mode"):
        match_trajectory(["a"], ["a"], mode)


@given(st.data(), expected_entries(), st.sampled_from(MODES), st.sets(names))
def test_a_run_that_is_nearly_as_expected_reads_as_its_rows_do(data, entries, mode, optional):
    wanted = [
        call for entry in entries for call in (entry if isinstance(entry, tuple) else (entry,))
    ]
    kept = [call for call in wanted if data.draw(st.integers(0, 3))]
    calls = [ToolCall(call.name, dict(call.args or {}), request=at) for at, call in enumerate(kept)]
    for at in range(data.draw(st.integers(0, 2))):
        calls.insert(data.draw(st.integers(0, len(calls))), ToolCall("more", {"at": at}))
    found = match_trajectory(calls, entries, mode, optional=optional)
    assert str(found).split("\n", 1)[1] == str(found.alignment())


def test_expected_calls_are_matched_by_what_is_said_of_them_each_time():
    expected = expected_calls([{"name": "f", "args": {"x": "A"}, "match": "auto"}, "g"])
    calls = [ToolCall("f", {"x": " a"}), ToolCall("g"), ToolCall("h")]
    tools = {"f": {"properties": {"x": {"type": "string"}}}}
    for _ in range(2):
        assert not match_trajectory(calls, expected).ok
        assert match_trajectory(calls, expected, tools=tools).ok
        assert not match_trajectory(calls, expected, "exact", tools=tools).ok
        assert match_trajectory(calls, expected, "exact", tools=tools, optional=["h"]).ok
    (first, second) = expected
    assert not match_trajectory([ToolCall("f", {"x": "A"})], (first, second)).ok
    assert match_trajectory([ToolCall("f", {"x": "A"})], (first,)).ok


def test_the_alignment_reads_side_by_side():
    calls = [
        {"name": "lookup", "args": {"id": "A1"}},
        {"name": "refund", "args": {"id": "A1", "amount": 50}},
        {"name": "delete", "args": {}},
    ]
    wanted = [
        {"name": "lookup", "args": {"id": "A1"}},
        {"name": "refund", "args": {"id": "A1", "amount": 49.9}},
        "email",
    ]
    found = match_trajectory(calls, wanted, "exact")
    assert [row.kind for row in found.alignment()] == ["matched", "near", "extra", "missing"]
    assert str(found.alignment()).splitlines() == [
        "  expected                      actual",
        '= lookup(id="A1")               lookup(id="A1")',
        '≠ refund(id="A1", amount=49.9)  refund(id="A1", amount=50)',
        "    amount: expected 49.9, got 50",
        "+                               delete()",
        "- email(...)",
    ]
    assert found.alignment().to_list()[1]["differences"] == [
        {"arg": "amount", "expected": 49.9, "actual": 50}
    ]
    assert found.near[0].right == 1


@pytest.mark.parametrize("size", [50, 300])
def test_many_alike_calls_pair_in_order(size):
    found = match_trajectory(["a", "b"] * size, ["a", "b"] * size, "exact")
    assert found.ok
    shuffled = match_trajectory(["b", "a"] * size, ["a", "b"] * size, "unordered")
    assert shuffled.ok
    for letter in (0, 1):
        taken = [pair.actual for pair in shuffled.pairs if pair.expected % 2 == letter]
        assert all(a < b for a, b in pairwise(taken))
    assert shuffled.promised is (size * 4 <= 200)


def test_a_forbidden_call_is_never_folded():
    case = Case(
        "c",
        expected_calls=[{"name": "pay", "args": {"x": 1}}],
        mode="exact",
        forbidden_calls=[{"name": "pay", "args": {"x": 9}}],
    )
    steps = (ToolCall("pay", {"x": 9}, error="no"), ToolCall("pay", {"x": 1}))
    found = match_case(Trace("t", steps=steps), case)
    assert not found.ok
    assert [call.args for call in found.extra] == [{"x": 9}]


def test_the_earliest_call_is_taken_within_a_request_too():
    calls = [ToolCall("b", request=0), ToolCall("a", request=0), ToolCall("b", request=1)]
    assert match_trajectory(calls, ["a", "b"]).pairs == ((1, 0), (0, 1))


@pytest.mark.parametrize("mode", ["exact", "in_order"])
def test_calls_asked_for_together_may_have_an_order(mode):
    swapped = [ToolCall("b", request=0), ToolCall("a", request=0)]
    assert match_trajectory(swapped, ["a", "b"], mode).ok
    ordered = match_trajectory(swapped, ["a", "b"], mode, parallel="ordered")
    assert not ordered.ok
    assert "order" in ordered.reason
    assert match_trajectory(swapped, [["a", "b"]], mode, parallel="ordered").ok
    assert match_trajectory(swapped, ["b", "a"], mode, parallel="ordered").ok
    assert match_trajectory(swapped, ["a", "b"], "unordered", parallel="ordered").ok


def test_an_order_of_parallel_calls_that_is_none():
    with pytest.raises(errors.UsageError, match="parallel is free or ordered"):
        match_trajectory([], [], parallel="sorted")
