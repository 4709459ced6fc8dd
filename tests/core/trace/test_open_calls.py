"""Which call a result answers, against the rule said slowly."""

from hypothesis import given, settings
from hypothesis import strategies as st

from passhat.trace import ToolCall
from passhat.trace.open_calls import OpenCalls

IDS = st.sampled_from([None, "a", "b"])
NAMES = st.sampled_from(["f", "g"])
EVENTS = st.lists(
    st.tuples(st.just("add"), IDS, NAMES, st.integers(0, 1))
    | st.tuples(st.just("take"), IDS, NAMES | st.none(), st.just(0)),
    max_size=30,
)


def slowly(waiting, call_id, name):
    """The position of the call that a result answers, by looking at all that wait."""
    fitting = [
        (at, call) for at, call in waiting.items() if call_id is not None and call.id == call_id
    ]
    if not fitting:
        fitting = [
            (at, call)
            for at, call in waiting.items()
            if (call_id is None or call.id is None) and name in (None, call.name)
        ]
    if not fitting:
        return None
    latest = max(call.request for _, call in fitting)
    fitting = [(at, call) for at, call in fitting if call.request == latest]
    named = [at for at, call in fitting if call.name == name]
    return min(named or [at for at, _ in fitting])


@settings(max_examples=300)
@given(EVENTS)
def test_a_result_goes_to_the_best_fitting_call_of_the_latest_request(events):
    calls, waiting, request = OpenCalls(), {}, 0
    for at, (kind, call_id, name, step) in enumerate(events):
        if kind == "add":
            request += step
            call = ToolCall(name, id=call_id, request=request)
            calls.add(at, call)
            waiting[at] = call
        else:
            expected = slowly(waiting, call_id, name)
            assert calls.take(call_id, name) == expected
            waiting.pop(expected, None)


def test_many_calls_that_nobody_answers_are_no_burden():
    calls = OpenCalls()
    for at in range(50_000):
        calls.add(at, ToolCall("f", id=str(at), request=at))
    taken = [calls.take(str(at), None) for at in range(50_000)]
    assert taken == list(range(50_000))
