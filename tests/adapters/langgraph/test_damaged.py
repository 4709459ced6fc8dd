"""Whatever stands in a thread, it gives a trace or one error, and comes to an end."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from passhat.errors import TraceError
from passhat.trace import Trace
from passhat_langgraph.points import Point, Thread, Write
from passhat_langgraph.threads import traces_of

CHANNELS = (
    *("messages", "orders", "__interrupt__", "__resume__", "__error__", "__pregel_tasks"),
    *("branch:to:a", "__return__", "__end__", "hitl_edited_tool_calls"),
)
KEYS = ("type", "content", "id", "tool_calls", "tool_call_id", "name", "args", "value")
KEYS += ("action_requests", "node", "arg", "__type__", "additional_kwargs", "usage_metadata")
LEAVES: Any = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from(["ai", "human", "tool", "remove", "c1", "langgraph.types.Send", "tool_call"]),
)
VALUES: Any = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=12,
)
TASKS = ("t1", "t2", "00000000-0000-0000-0000-000000000000")
PATHS = ("~__pregel_pull, a", "~__pregel_pull, __start__", "~__pregel_push, 0000000000", "", "?")
WRITES: Any = st.builds(
    Write,
    st.sampled_from(TASKS),
    st.sampled_from(PATHS),
    st.integers(-4, 3),
    st.sampled_from(CHANNELS),
    VALUES,
)
IDS = ("1", "2", "3")


@st.composite
def points(draw: Any) -> Point:
    values = draw(st.dictionaries(st.sampled_from(CHANNELS), VALUES, max_size=3))
    parents = draw(st.none() | st.dictionaries(st.sampled_from(("", "a:t1")), st.sampled_from(IDS)))
    return Point(
        draw(st.sampled_from(("", "", "a:t1", "a:t1|a:t2", "a"))),
        draw(st.sampled_from(IDS)),
        draw(st.none() | st.sampled_from(IDS)),
        draw(st.sampled_from(("input", "loop", "update", "fork"))),
        draw(st.integers(-1, 4)),
        {"parents": parents, "counters_since_delta_snapshot": draw(LEAVES)},
        tuple(draw(st.lists(WRITES, max_size=4))),
        lambda: {"channel_values": values, "updated_channels": None},
    )


@given(st.lists(points(), min_size=1, max_size=6))
def test_any_thread_gives_traces_or_errors(rows: list[Point]) -> None:
    thread = Thread("t", tuple(rows))
    found = list(traces_of(thread, states=True))
    assert found
    assert all(isinstance(item, Trace | TraceError) for item in found)
