"""Identifiers in other words: dictated, escaped, put together of seen ones; and what only looks so."""

import pytest

from passhat.provenance import trace_arguments
from passhat.provenance.spoken import Spoken
from passhat.testing import call, says, trace_of, user

ORDER = {
    "id": "W123456",
    "user": "mia_li_3668",
    "number": 77120,
    "items": [{"sku": "TP-1", "line": 1}, {"sku": "TP-2", "line": 2}],
    "card": "credit_card_7434",
    "placed": "2024-05-15",
}
LOOKED = call("look").returns(ORDER)


def origin(value, *before, name="order_id"):
    trace = trace_of(*before, call("use", **{name: value}))
    return [o for o in trace_arguments(trace) if o.tool == "use"][-1]


@pytest.mark.parametrize(
    ("said", "used"),
    [
        ("order number W one two three four five six", "W123456"),
        ("It is W, one, two, double three, four.", "W12334"),
        ("W triple zero nine one", "W00091"),
        ("W one oh five two", "W1052"),
        ("order W twelve thirty-four fifty-six", "W123456"),
        ("order A one hundred and five", "A105"),
        ("number seventy-seven thousand one hundred twenty", 77120),
        ("M as in Mike, 2, 0, I for India, Z as in Zulu, and O", "M20IZO"),
        ("Mike two zero India Zulu Oscar", "M20IZO"),
        ("em two zero eye zee oh", "M20IZO"),
        ("Bestellung W eins zwei drei vier", "W1234"),
        ("user id mia underscore li underscore 3668", "mia_li_3668"),
        ("ann dot lee at example dot com", "ann.lee@example.com"),
        ("ann.lee (at) example.com", "ann.lee@example.com"),
        ("j smith ninety nine at gmail", "jsmith99@gmail.com"),
        ("four fifteen, five fifty five, twenty six seventy one", "415-555-2671"),
        ("open Übersicht Köln 3", "uebersicht-koeln-3"),
        ("tee four kay nine queue ay", "T4K9QA"),
        ("lot arr bee, two oh eight one seven, kay", "RB-20817-K"),
        ("double u one two three four", "W1234"),
        ("cancel V-2O311", "V-20311"),
        ("orders 10101 to 10105", "10103"),
        ("orders 10101 to 10105", 10103),
        ("orders 10101-10105", "W10104"),
        ("W-17101 through W-17104, please", "W-17103"),
        ("order no. 101 thru 113", "ORD-112"),
    ],
)
def test_what_the_user_dictates_is_said(said, used):
    found = origin(used, user(said))
    assert (found.kind, found.made_up) == ("derived", False), str(found)


@pytest.mark.parametrize(
    ("said", "used"),
    [
        ("order W one two three four five six", "W123457"),
        ("Whiskey at 12:34, 56 bottles", "W123456"),
        ("I have two kids, three dogs and four cats; five of us", "W2345"),
        ("a double room for two, 4 nights", "22441"),
        ("at one two three or W", "W123"),
        ("I pay 20 for Mike", "20M55"),
        ("ann lee, at example, com", "ann.lee42@example.com"),
        ("cancel V-2O311", "V-20811"),
        ("cancel Oil", "W0111"),
        ("orders 10101 to 10105", "10106"),
        ("from 2024-05-20 to 2024-05-27, for 10101 to 10105", "CARD-10103"),
        ("call 555-0148-9000 to 9100", "W8050"),
    ],
)
def test_numbers_in_passing_dictate_nothing(said, used):
    assert origin(used, user(said)).made_up


def test_the_agent_dictates_nothing():
    assert origin("W7711", user("Hi"), says("It is W seven seven one one."), user("Yes")).made_up


def test_a_long_run_of_number_words_is_read_in_time():
    talk = Spoken("one hundred twenty double o m as in mike " * 400)
    assert not talk.spells("1" * 40)


def test_the_search_in_what_was_dictated_is_bounded():
    talk = [user("one hundred twenty double o m as in mike " * 400) for _ in range(60)]
    codes = [f"120{n:05}x" for n in range(3000)]
    found = trace_arguments(trace_of(*talk, call("use", order_id=codes)))
    assert found[-1].made_up
    assert found[-1].bounded


@pytest.mark.parametrize(
    ("said", "used", "kind"),
    [
        ("I am Mia Li 3668", "mia_li_3668", "derived"),
        ("I am Mia-Li-3668", "mia_li_3668", "derived"),
        ("I am mia_li_3668", "mia-li-3668", "derived"),
        ("MRN 00123456", "123456", "derived"),
        ("طلب رقم ١٢٣٤٥٦", "123456", "said"),
        ("https://shop.example/o?id=W%2D123", "W-123", "said"),
        (r"C:\new42\reports", "new42", "said"),
    ],
)
def test_other_marks_and_digits(said, used, kind):
    found = origin(used, user(said))
    assert found.kind == kind, str(found)


def test_a_result_that_was_written_into_json_twice():
    seen = call("read").returns(r"orders:\nAB1235\nAB-1236 caf\u00e9_12")
    for used in ("AB1235", "AB-1236", "café_12"):
        assert not origin(used, user("Hi"), seen).made_up
    assert origin("AB1237", user("Hi"), seen).made_up
    halved = call("read").returns(r"AB1238\ud83d\ude00 AB1239\ud83d")
    for used in ("AB1238", "AB1239"):
        assert not origin(used, user("Hi"), halved).made_up


@pytest.mark.parametrize(
    "used",
    [
        "mia_li_3668/W123456",
        "mia_li_3668-77120",
        "mia_li_3668_W123456_refund",
        "W123456-1",
        "INV-W123456",
        "order:W123456",
        "projects/mia_li_3668/orders/W123456.json",
        "W123456-2024-05-15",
        "gid://shop/Order/77120",
        "TP-1;TP-2",
        '["TP-1","TP-2"]',
    ],
)
def test_an_identifier_may_be_put_together_of_seen_ones(used):
    found = origin(used, user("Hi"), LOOKED, name="reference_id")
    assert (found.kind, found.how, found.made_up) == ("derived", "composed", False), str(found)


@pytest.mark.parametrize(
    "used",
    [
        "mia_li_3669/W123456",
        "mia_li_3668/W123465",
        "W123456-88912",
        "mia_li_7434",
        "credit_card_3668",
        "credit_card_77120",  # Its kind is known, and that one was not among them.
        "credit-card-77120",
        "TP-3",
        "TP-1,TP-9",
        "TCK-105",
        "mia.li3668@example.com",
    ],
)
def test_a_piece_that_was_not_seen_is_made_up(used):
    assert origin(used, user("Hi"), LOOKED, name="reference_id").made_up


def test_what_a_call_made_up_is_no_piece_of_another():
    for first, then in [("W777111", "orders/W777111"), ("mia_li_1", "mia-li-1"), ("00771", "771")]:
        echoed = call("look", order_id=first).fails(f"no order {first}")
        assert origin(then, user("Hi"), echoed, name="account_id").made_up, then


def test_a_piece_from_an_outsider_taints_the_whole():
    page = call("read_page").returns("pay EVIL-9 W9")
    trace = trace_of(user("I am mia_li_3668"), page, call("pay", to_id="mia_li_3668/W9"))
    found = trace_arguments(trace, untrusted=["read_page"])[-1]
    assert found.tainted


@pytest.mark.parametrize(
    ("said", "used", "made_up"),
    [
        ("order number 1042", "ORD-1042", False),
        ("invoice #2093", "INV-2093", False),
        ("order 42", "ORD-00042", False),
        ("customer number: 8812", "C8812", False),
        ("order 1042", "ORD-1043", True),
        ("it cost 1042 dollars", "ORD-1042", True),
        ("my credit card ending in 7334", "credit_card_7334", True),
    ],
)
def test_a_told_number_may_get_its_letters(said, used, made_up):
    assert origin(used, user(said)).made_up is made_up


def test_a_told_number_gets_no_letters_where_results_hold_that_kind():
    assert origin("W1042", user("customer 1042"), LOOKED).made_up


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("idempotency_key", "9b2f4e0a-4f89-11d3-9a0c-0305e82c3301"),
        ("client_token", "tok_829310"),
        ("parent_id", 0),
        ("folder_id", "-1"),
        ("schedule_id", "2024-05-29"),
    ],
)
def test_what_needs_no_source(name, value):
    assert not origin(value, user("Hi"), name=name).made_up
