"""Whatever stands in a trace, the origins come without an exception and by bounded work."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from passhat.provenance import trace_arguments
from passhat.provenance.arithmetic import MOST_IN_PAIRS, Reckoner
from passhat.testing import call, trace_of, user

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(st.text(), VALUES, VALUES, st.dictionaries(st.text(max_size=8), VALUES, max_size=3))
def test_any_json_value_has_its_origins(text, result, later, args):
    trace = trace_of(user(text), call("a").returns(result), call("b", v=later, m=args))
    for origin in trace_arguments(trace):
        assert str(origin)


@given(VALUES)
@example({"Code": -1000})
def test_what_a_result_holds_is_never_from_nowhere(value):
    trace = trace_of(user("hi"), call("a").returns(value), call("b", x=value))
    found = trace_arguments(trace)
    lost = [o for o in found if o.kind == "nowhere" and _has_words(o.value)]
    assert lost == []


def _has_words(value):
    if isinstance(value, str):
        return any(char.isascii() and char.isalnum() for char in value)
    return abs(value) < 1e15


def test_long_deep_and_odd_values():
    deep = "A9"
    for _ in range(20_000):
        deep = [deep]
    trace = trace_of(
        user("x " * 200_000),
        call("a").returns(deep),
        call("a").returns('{"a": [1, }' + "w9 " * 100_000),
        call("b", id="z9" * 500_000, n=10**5000, user_id=10**5000, d="9-" * 1000, x=deep),
        call("b", lone="\ud800", nan=float("nan"), inf=float("inf")),
    )
    assert len(trace_arguments(trace)) == 8


@pytest.mark.parametrize(
    "said",
    [
        "orders 1001 to 1900 " * 20_000,
        "o0O0" * 50_000,
        "double u two oh ay are " * 4_000,
        "1-" * 9_000,
    ],
    ids=["rows", "alike", "dictated", "hyphens"],
)
def test_much_that_may_be_meant_otherwise(said):
    made_up = [call("b", order_id=f"w20ar0O1-{number}0") for number in range(100)]
    assert all(o.made_up for o in trace_arguments(trace_of(user(said), *made_up)))


def test_ten_thousand_numbers_bound_the_search_and_say_so():
    numbers = [i * 1.37 for i in range(10_000)]
    trace = trace_of(user("hi"), call("a").returns(numbers), call("b", x=0.123456))
    (found,) = trace_arguments(trace)
    assert (found.kind, found.bounded) == ("nowhere", True)


SHAPES = {
    "a chain of ids": lambda i: call("g", order_id=f"Z{i}9").returns({"order_id": f"Z{i + 1}9"}),
    "the same values": lambda i: call("g", user_id="u_77", city="New York", n=5).returns(
        {"user_id": "u_77", "city": "New York", "n": 5, "d": "2024-05-20"}
    ),
    "words apart": lambda i: call("g", city="New York City", d="May 20, 2024").returns(
        {"a": "City of New and York", "d": "2024-05-20"}
    ),
    "one id made up again and again": lambda i: call("g", card_id="card_99").returns(
        {"card_id": "card_99", "x": f"q{i}7"}
    ),
    "ids made up": lambda i: call("g", card_id=f"card_{i}x9").returns({"card": f"card_{i}"}),
    "amounts from nowhere": lambda i: call("g", a=7.77 + i * 131).returns({"t": i * 1.37}),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_work_is_linear_in_the_trace(shape, calls_made):
    def steps(n: int) -> int:
        trace = trace_of(user("Z09"), *map(SHAPES[shape], range(n)))
        return calls_made(lambda: trace_arguments(trace))

    assert steps(1200) < 5 * steps(300)  # Fewer fill no window of numbers.


@given(st.lists(st.integers(1, 500), min_size=3, max_size=MOST_IN_PAIRS), st.data())
def test_true_sums_and_products_are_found_and_add_up(numbers, data):
    a, b, c = (data.draw(st.sampled_from(numbers)) for _ in range(3))
    counted = a * b + c if min(a, b) <= 12 else 0
    for value in (a + b, a - b, a * b, a + b + c, counted, a + b - c):
        if value:
            way = Reckoner(numbers).reckoned(float(value))
            assert way is not None or value < 0
            assert way is None or set(way.terms) <= set(map(float, numbers))


@pytest.mark.parametrize(
    ("numbers", "value", "written"),
    [
        ([50, 12, 255], 855, "50 × 12 + 255"),
        ([99.5, 3, 20], 278.5, "99.5 × 3 − 20"),
        ([80, 0.15, 255], 267, "80 × 0.15 + 255"),
        ([50, 40, 255], 2255, None),
        ([79, 45, 310], 3865, None),
    ],
)
def test_of_three_terms_only_a_small_count_or_a_rate_is_a_factor(numbers, value, written):
    way = Reckoner(numbers).reckoned(value)
    assert (way and way.written) == written


@pytest.mark.parametrize("number", [5e-324, 2.2e-309, 1e-7, 1e308, 10**400])
def test_numbers_that_are_next_to_nothing_or_huge_break_nothing(number):
    trace = trace_of(user("hi"), call("a").returns([number, 12.5]), call("b", v=37.25, w=number))
    first, *_ = trace_arguments(trace)
    assert str(first) == "nowhere"


def test_account_numbers_are_found_in_the_groups_they_are_written_in():
    page = call("a").returns("Account de44 5001 0517 5407 3249 31")
    trace = trace_of(user("hi"), page, call("b", iban="DE44500105175407324931"))
    assert str(trace_arguments(trace)[0]) == "derived (spacing): a (call 0)"


@given(st.text(alphabet="ab1", min_size=20, max_size=40))
def test_a_text_of_many_short_words_is_split_in_bounded_work(text):
    words = [text[:size] for size in range(1, 8)]
    trace = trace_of(user(" ".join(words)), call("b", order_id=text + "2"))
    assert len(trace_arguments(trace)) == 1


def test_results_as_json_text_are_read_as_json():
    trace = trace_of(user("hi"), call("a").returns(json.dumps({"u": ["q7"]})), call("b", id="q7"))
    assert trace_arguments(trace)[0].sources[0].path == "$.u[0]"
