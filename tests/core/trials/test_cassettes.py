"""Cassettes: recorded answers by tool and arguments, strict or not, made of traces."""

import pytest

from passhat.case import Case
from passhat.errors import InputError
from passhat.trace import ToolCall, Trace
from passhat.trials.cassettes import Cassette, Take
from passhat.trials.raised import NotRecordedError, ToolError
from passhat.trials.sandbox import Sandbox

TRACE = Trace(
    "t",
    steps=(
        ToolCall("get", {"id": 1}, result="open"),
        ToolCall("get", {"id": 1}, result="shipped"),
        ToolCall("get", {"id": 2}, error="no such order"),
        ToolCall("get", {"id": 3}, executed=False, error="declined"),
        ToolCall("get", {"id": 4}),
        ToolCall("get", args_error="{"),
        ToolCall("all", {}, result=None),
    ),
)


@pytest.fixture
def cassette():
    return Cassette.from_traces([TRACE])


def test_answers_come_in_the_order_of_the_recording_and_the_last_one_stays(cassette):
    tools = Sandbox({"get": None, "all": None}, cassette=cassette).begin(Case("c"))
    assert [tools["get"](id=1) for _ in range(3)] == ["open", "shipped", "shipped"]
    assert tools["get"](id=1.0) == "shipped"
    assert tools["all"]() is None
    with pytest.raises(ToolError, match="no such order"):
        tools["get"](id=2)
    assert {record.source for record in tools.log.calls} == {"cassette"}


def test_what_was_not_recorded_fails_where_it_is_strict_or_nothing_else_answers(cassette):
    def get(id: int):
        return "live"

    loose = Sandbox([get], cassette=cassette).begin(Case("c"))
    assert (loose["get"](id=9), loose["get"](id=1)) == ("live", "open")
    for sandbox in (
        Sandbox([get], cassette=cassette, strict=True),
        Sandbox({"get": None}, cassette=cassette),
    ):
        tools = sandbox.begin(Case("c"))
        with pytest.raises(NotRecordedError, match=r"no answer of get .*'id': 9.*nearest was"):
            tools["get"](id=9)
        assert tools.log.gaps


def test_each_trial_plays_from_the_beginning(cassette):
    sandbox = Sandbox({"get": None}, cassette=cassette)
    assert [sandbox.begin(Case("c"))["get"](id=1) for _ in range(2)] == ["open", "open"]


def test_a_file_of_it_is_the_same(cassette, tmp_path):
    path = tmp_path / "shop.jsonl"
    cassette.save(path)
    assert Cassette.read(path).takes == cassette.takes
    assert len(cassette) == 4
    assert cassette.tools() == ("get", "all")
    assert Sandbox({"get": None}, cassette=path).begin(Case("c"))["get"](id=1) == "open"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not a recorded answer"),
        ('{"schema": "passhat.cassette/2", "tool": "a", "args": {}, "result": 1}', "cassette/2"),
        ('{"schema": "passhat.cassette/1", "tool": "a", "args": {}}', "neither"),
        (
            '{"schema": "passhat.cassette/1", "tool": "a", "args": [], "result": 1}',
            "not a recorded",
        ),
    ],
)
def test_a_broken_line_is_named(tmp_path, line, said):
    path = tmp_path / "shop.jsonl"
    path.write_text(f"\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=said) as raised:
        Cassette.read(path)
    assert raised.value.place.line == 2


def test_an_error_may_be_recorded_without_a_result():
    assert Cassette([Take("a", {}, error="x")]).player().answer("a", {}).error == "x"


def test_a_cassette_alone_names_its_tools(cassette):
    assert set(Sandbox(cassette=cassette).begin(Case("c"))) == {"get", "all"}


@pytest.mark.parametrize("odd", ["\ud800", float("nan"), {"a": [(1, 2)]}, b"x", object()])
def test_whatever_a_model_wrote_is_a_call(odd, cassette):
    from passhat.surroundings import Fault

    case = Case("c", faults=[Fault("get", "stale", when={"rate": 0.5}), Fault("get", "malformed")])
    tools = Sandbox({"get": lambda id: id}, cassette=cassette, validate=False).begin(case)
    for _ in range(4):
        tools.answer("get", {"id": odd})
    assert not any(record.error for record in tools.log.calls)


def test_a_number_that_json_has_none_of_is_not_written_as_null(tmp_path):
    Cassette([Take("get", {"x": float("inf")}, float("nan"))]).save(tmp_path / "c.jsonl")
    tools = Sandbox(cassette=tmp_path / "c.jsonl", strict=True).begin(Case("c"))
    assert tools["get"](x=float("inf")) == {"$float": "NaN"}
