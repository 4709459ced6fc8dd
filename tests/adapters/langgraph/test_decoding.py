"""What is stored, as JSON with tagged types."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum

import msgspec
import numpy
import pytest
from pydantic import BaseModel

from passhat_langgraph.decoding import decoded
from passhat_langgraph.messages import messages_in
from passhat_langgraph.savers import plain


@dataclass
class Order:
    id: str


class Kind(Enum):
    OPEN = "open"


class Refund(BaseModel):
    amount: float


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Order("A1"), {"__type__": f"{__name__}.Order", "id": "A1"}),
        (Refund(amount=1.5), {"__type__": f"{__name__}.Refund", "amount": 1.5}),
        ([Kind.OPEN], ["open"]),
        ([Decimal("1.50")], ["1.50"]),
        ([date(2026, 5, 1)], [[2026, 5, 1]]),
        ([timedelta(days=1)], [[1, 0, 0]]),
        ([numpy.zeros(2)], [{"__type__": "numpy.ndarray", "dtype": "<f8", "shape": [2]}]),
        ([float("-inf"), 1.5], [{"$float": "-Infinity"}, 1.5]),
        ({(1, 2): "pair"}, {"[1,2]": "pair"}),
    ],
)
def test_objects_become_their_fields_beside_the_name_of_their_class(value, expected):
    assert plain(value) == expected


def test_extensions_that_are_not_known_are_kept_as_they_are():
    ext = msgspec.msgpack.encode(msgspec.msgpack.Ext(99, b"ab"))
    assert decoded("msgpack", ext) == {"__type__": "extension 99", "base64": "YWI="}
    odd = msgspec.msgpack.encode(msgspec.msgpack.Ext(2, msgspec.msgpack.encode("x")))
    assert decoded("msgpack", odd) == {"__type__": "extension 2", "value": "x"}


def test_messages_of_older_files_are_known():
    stored = {
        "lc": 2,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "HumanMessage"],
        "kwargs": {"content": "hi", "type": "human"},
    }
    blob = msgspec.json.encode([stored])
    assert messages_in("messages", decoded("json", blob)) == [{"type": "human", "content": "hi"}]


@pytest.mark.parametrize(
    ("channel", "value", "count"),
    [
        ("messages", "hi", 1),
        ("messages", ["hi", ["ai", "Hello."]], 2),
        ("messages", {"role": "user", "content": "hi"}, 1),
        ("messages", {"__type__": "langgraph.types.Overwrite", "value": [["user", "hi"]]}, 1),
        ("messages", ["user", [{"type": "text", "text": "hi"}]], 1),
        ("answer", {"type": "ai", "content": "Hello."}, 1),
        ("answer", "hi", None),
        ("documents", [{"type": "Document", "content": "x"}], None),
        ("topics", ["user", "hi"], None),
        ("messages", [{"no": "message"}], None),
    ],
)
def test_messages_are_told_from_other_values(channel, value, count):
    found = messages_in(channel, value)
    assert (None if found is None else len(found)) == count
