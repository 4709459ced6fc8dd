"""Identifiers as people write and tell them, and as tools return them: what is made up, and what is not."""

import pytest

from passhat.provenance import trace_arguments
from passhat.testing import call, trace_of, user

SEEN = [
    ("order W 123 456", None, {"order_id": "W123456"}),
    ("its W123456, sorry, the last digit is a 7", None, {"order_id": "W123457"}),
    ("reservation ABC123. no wait, ABC132", None, {"reservation_id": "ABC132"}),
    ("account 55804471. no, it ends in 17, not 71", None, {"account_id": "55804417"}),
    ("It's ticket TK-8841 but with a 2 instead of the 1", None, {"ticket_id": "TK-8842"}),
    ("order 10442... I mean 10424", None, {"order_id": "10424"}),
    ("where is it", {"u": "https://x.com/orders/98121?ref=z"}, {"order_id": "98121"}),
    ("where is it", "Order #98121 (2 items)", {"order_id": "98121"}),
    ("x", {"id": "ORD_98121"}, {"order_id": "ord-98121"}),
    ("+1 (415) 555 1212", None, {"phone": "+14155551212"}),
    ("DE 8937 0400 4405 3201 3000", None, {"iban": "DE89370400440532013000"}),
    ("ISBN 978-0-13-468599-1", None, {"isbn": "9780134685991"}),
    ("Ann.Lee+news@Example.com", None, {"email": "ann.lee+news@example.com"}),
    ("x", "confirmation: <b>QX7-4410</b>", {"booking_ref": "QX7-4410"}),
    ("x", {"A100": {"n": 1}}, {"order_id": "A100"}),
    (
        "x",
        {"id": "0B6FD2A8-77C1-4B53-9A0E-51A4BB3D5D10"},
        {"id": "0b6fd2a877c14b539a0e51a4bb3d5d10"},
    ),
    ("the PAY board, ticket 311", None, {"issue_key": "PAY-311"}),
    ("look at PR 42", None, {"pull_number": 42}),
    ("x", {"sha": "3fa91c2d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a49"}, {"commit_id": "3fa91c2"}),
    ("x", {"ts": "1712345678.000100"}, {"thread_ts": "1712345678.000100"}),
    ("account 123456789012", None, {"arn": "arn:aws:iam::123456789012:role/Admin"}),
    ("account 123456789012", None, {"role_id": "arn:aws:iam::123456789012:role/Admin"}),
    ("https://docs.google.com/document/d/1AbC_dEf-123/edit", None, {"document_id": "1AbC_dEf-123"}),
    ("x", {"id": 12345.0}, {"order_id": 12345}),
    ("employee number 7", None, {"employee_id": "EMP-0007"}),
    ("employee number 7", None, {"employee_id": "0007"}),
    (
        "fix the bug",
        None,
        {
            "todos": [
                {"id": "1", "content": "read"},
                {"id": "2", "content": "fix"},
                {"id": "3", "content": "test"},
            ]
        },
    ),
    ("fix the bug", None, {"todos": [{"id": 1, "content": "read"}, {"id": 2, "content": "fix"}]}),
    (
        "plan it",
        None,
        {"steps": [{"step_id": "step_1", "do": "a"}, {"step_id": "step_2", "do": "b"}]},
    ),
    (
        "plan it",
        None,
        {
            "tasks": [
                {"task_id": "t1", "do": "a"},
                {"task_id": "t2", "do": "b", "depends_on": ["t1"]},
            ]
        },
    ),
    ("remember my trip", None, {"key": "trip_2026_05", "value": "Rome"}),
    ("Lufthansa 400 please", None, {"flight_number": "LH400"}),
    ("United flight 231", None, {"flight_number": "UA231"}),
    ("british airways 117", None, {"flight_number": "BA117"}),
    ("purchase order 55120", None, {"po_number": "PO-55120"}),
    ("service request 88120", None, {"ticket_id": "SR-88120"}),
    ("room 204", None, {"room_id": "R-204"}),
    ("room 204", None, {"room_id": "room_204"}),
    ("dataset analytics, table events", None, {"table_id": "analytics.events"}),
    ("acme's website repo", None, {"repo_id": "acme/website"}),
    ("4111 1111 1111 1111", None, {"card_number": "4111111111111111"}),
    ("4111 1111 1111 1111", None, {"card_number": 4111111111111111}),
    ("x", {"card": "**** **** **** 4471"}, {"card_id": "4471"}),
    ("CPF 123.456.789-09", None, {"cpf_number": "12345678909"}),
    ("x", "Ref: 88-1020/B", {"ref": "88-1020/B"}),
    ("W100200 and W100201", None, {"order_ids": "W100200,W100201"}),
    ("orders W100200, -201 and -202", None, {"order_id": "W100202"}),
    ("orders W100200/201/202", None, {"order_id": "W100201"}),
    ("invoices 2026-0101 and 0107", None, {"invoice_id": "2026-0107"}),
    ("Rechnung Nr. 2026/118", None, {"invoice_id": "2026-118"}),
    ("my iPhone's IMEI: 35 209900 176148 1", None, {"imei": "352099001761481"}),
    ("plate B MV 2214", None, {"plate": "B-MV2214"}),
    ("x", [{"name": "A", "id": 7}, {"name": "B", "id": 8}], {"item_id": "8"}),
    ("x", "id: 00042", {"item_id": 42}),
    ("user mia li 3668", None, {"user_id": "mia_li_3668"}),
    ("x", {"user": {"login": "octocat"}}, {"user_id": "octocat"}),
    ("ssn last four is 6789", None, {"ssn_last4": "6789"}),
    ("my zip is 02139", None, {"zip_code": "02139"}),
    ("x", {"slots": ["2026-05-12T10:00"]}, {"slot_id": "2026-05-12T10:00:00Z"}),
    ("exit 9, km 120.5", None, {"km_id": "120.5"}),
    ("locker three forty two", None, {"locker_id": "342"}),
    ("gate code is star 4471 hash", None, {"gate_code": "*4471#"}),
    ("serial A1:B2:C3:D4:E5:F6", None, {"serial": "a1b2c3d4e5f6"}),
    ("MAC 00-1B-44-11-3A-B7", None, {"mac_id": "00:1b:44:11:3a:b7"}),
    ("use gpt-4o mini", None, {"model_id": "gpt-4o-mini"}),
    ("deploy to us east 1", None, {"region_id": "us-east-1"}),
    ("Hi", {"next": "/v2/items?cursor=eyJpZCI6MTIzfQ=="}, {"cursor": "eyJpZCI6MTIzfQ=="}),
    ("Hi", {"link": "<https://a.b/c/77812>; rel=next"}, {"page_id": "77812"}),
    ("Hi", '{"a":"{\\"order\\":\\"Z-991\\"}"}', {"order_id": "Z-991"}),
    ("Hi", ["SKU 4471-B / blue"], {"sku": "4471-B"}),
    ("Hi", ["SKU 4471-B / blue"], {"sku": "4471B"}),
    ("Hi", {"lines": "1;A-77;Tea\n2;A-78;Cup"}, {"sku": "A-78"}),
    ("it's the second one, id five", [{"id": 5}], {"id": 5}),
    ("order one-oh-four-four-two", None, {"order_id": "10442"}),
    ("order ten forty-four two", None, {"order_id": "10442"}),
    ("order W1O442", None, {"order_id": "W10442"}),
    ("Bestellung Nr. 10442", None, {"order_id": "ORD-10442"}),
    ("commande n° 10442", None, {"order_id": "ORD-10442"}),
    ("订单号 10442", None, {"order_id": "10442"}),
    ("رقم الطلب ١٠٤٤٢", None, {"order_id": "10442"}),
    ("order №10442", None, {"order_id": "10442"}),
]
"""What the user says, what a call returned, and the arguments of the next call, which follow from these."""

MADE_UP = [
    ("order W 123 456", None, {"order_id": "W123465"}),
    ("my card ending in 7334", {"c": "credit_card_7434"}, {"payment_id": "credit_card_7334"}),
    ("where's my order", None, {"order_id": "10442"}),
    ("it costs 10442, buy", {"orders": ["W55120"]}, {"order_id": "W10442"}),
    ("its W123456, sorry, I'm late, I have 7 kids", None, {"order_id": "W123457"}),
    ("Ann Lee of example.com", None, {"email": "ann.lee@example.com"}),
    ("send 400 to Lufthansa", None, {"flight_number": "LH400"}),
    ("fix bug", None, {"todo_id": "17"}),
    ("fix bug", None, {"todos": [{"id": "4711", "content": "x"}, {"id": "4712", "content": "y"}]}),
    ("x", {"sha": "3fa91c2d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a49"}, {"commit_id": "3fa91c3"}),
    ("orders W100200 and the -202", None, {"order_id": "W100204"}),
    ("account 55804471. no, thanks", None, {"account_id": "55804417"}),
    ("user mia li", None, {"user_id": "mia_li_3668"}),
    ("employee 7", None, {"employee_id": "EMP-1007"}),
    ("room 204", None, {"room_id": "R-205"}),
    (
        "x",
        {"uuid": "0b6fd2a8-77c1-4b53-9a0e-51a4bb3d5d10"},
        {"id": "0b6fd2a8-77c1-4b53-9a0e-51a4bb3d5d11"},
    ),
    ("pay 5 people 1200 each", None, {"invoice_id": "INV-1200"}),
    ("+1 415 555 1212", None, {"phone": "+14155551221"}),
    ("plate B MV 2214", None, {"plate": "B-MV2241"}),
]


def made_up(said, result, args):
    before = [call("look").returns(result)] if result is not None else []
    trace = trace_of(user(said), *before, call("use", **args))
    return [str(o.value) for o in trace_arguments(trace) if o.made_up]


@pytest.mark.parametrize(("said", "result", "args"), SEEN)
def test_what_follows_from_what_was_told_is_not_made_up(said, result, args):
    assert made_up(said, result, args) == []


@pytest.mark.parametrize(("said", "result", "args"), MADE_UP)
def test_what_does_not_is_made_up(said, result, args):
    assert made_up(said, result, args)


def test_the_numbers_of_a_plan_hold_in_later_calls():
    plan = call("plan", todos=[{"id": "1", "do": "a"}, {"id": "2", "do": "b"}]).returns("ok")
    trace = trace_of(user("Fix it."), plan, call("done", todo_id="2"), call("done", order_id="2"))
    assert [o.arg for o in trace_arguments(trace) if o.made_up] == ["order_id"]
