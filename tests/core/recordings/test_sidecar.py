"""What stands beside a conversation in its row."""

import pytest

from passhat.recordings.openai_chat import adapter
from passhat.recordings.tools import catalogue
from passhat.trace import Usage


def read(**row):
    return adapter.to_trace({"messages": [], **row}, id="own")


def test_the_keys_of_a_trace_are_read():
    trace = read(
        id=7,
        case_id=3,
        trial=2,
        scores={"helpful": 0.5, "safe": True, "note": "fine"},
        reward=1,
        tags=["a"],
        metadata={"thread": "t1"},
        model="gpt",
        pins={"seed": 1},
        final_state={"orders": []},
        started=1.5,
        usage={"prompt_tokens": 3},
        thread_id="t2",
    )
    assert (trace.id, trace.case_id, trace.trial) == ("7", "3", 2)
    assert trace.scores == {"helpful": 0.5, "safe": 1.0, "reward": 1.0}
    assert trace.metadata == {"scores": {"note": "fine"}, "thread_id": "t2", "thread": "t1"}
    assert (trace.tags, trace.pins) == (("a",), {"model": "gpt", "seed": 1})
    assert (trace.final_state, trace.started, trace.usage) == ({"orders": []}, 1.5, Usage(3))
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", ["x"]),
        ("case_id", {}),
        ("trial", "two"),
        ("trial", True),
        ("tags", "a"),
        ("scores", [1]),
        ("reward", "high"),
        ("reward", 10**400),
        ("started", "yesterday"),
        ("outcome", "great"),
        ("usage", {"tokens": 1}),
        ("tools", "all"),
        ("pins", 5),
        ("metadata", "free text"),
        ("error", {}),
    ],
)
def test_a_value_that_does_not_fit_is_kept_in_the_metadata(key, value):
    trace = read(**{key: value})
    assert trace.metadata == {key: value}
    assert (trace.id, trace.outcome) == ("own", "completed")


def test_an_error_ends_the_run():
    trace = read(error="RecursionError: too deep")
    assert (trace.error, trace.outcome) == ("RecursionError: too deep", "limit")
    assert read(error="503", outcome="infrastructure_error").outcome == "infrastructure_error"
    assert read(error=None).outcome == "completed"


@pytest.mark.parametrize(
    ("error", "text", "outcome"),
    [
        ({"message": "no such order"}, "no such order", "agent_error"),
        (
            {"name": "RateLimitError", "message": "slow"},
            "RateLimitError: slow",
            "infrastructure_error",
        ),
        ({"code": 503, "message": "down"}, "down", "infrastructure_error"),
        ({"code": 1}, '{"code":1}', "agent_error"),
    ],
)
def test_an_error_that_is_an_object_ends_the_run_too(error, text, outcome):
    trace = read(error=error)
    assert (trace.error, trace.outcome, trace.metadata) == (text, outcome, {"error": error})
    assert read(error=error, outcome="limit").outcome == "limit"
    assert read(outcome="limit", error=error).outcome == "limit"


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ({"f": {"type": "object"}}, {"f": {"type": "object"}}),
        (
            [{"type": "function", "function": {"name": "f", "description": "F."}}],
            {"f": {"description": "F."}},
        ),
        (
            [{"type": "function", "name": "f", "parameters": {"type": "object"}}],
            {"f": {"type": "object"}},
        ),
        ([{"name": "f", "input_schema": {"type": "object"}}], {"f": {"type": "object"}}),
        ([{"type": "web_search_20250305", "name": "web_search"}], {"web_search": {}}),
        ([{"type": "custom", "custom": {"name": "sql"}}], {"sql": {}}),
        ([], {}),
        ([5], None),
        ({"f": 5}, None),
        ([{"googleSearch": {}}], {"googleSearch": {}}),
        ([{"tool_call_id": "c", "tool_name": "f", "tool_args": {}}], None),
    ],
)
def test_tool_catalogues_of_all_vendors(tools, expected):
    assert catalogue(tools) == expected
