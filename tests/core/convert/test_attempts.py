"""Which recorded runs are attempts at one task, though they share no case by name."""

import pytest

from passhat.convert.attempts import Attempts
from passhat.suitefile import case_from_trace
from passhat.trace import Message, Trace


def same(*runs):
    attempts = Attempts()
    for id, case_id, *said in runs:
        steps = [
            step
            for turn, text in enumerate(said)
            for step in (Message("user", text, turn=turn), Message("assistant", "Yes.", turn=turn))
        ]
        trace = Trace(id, steps=tuple(steps), case_id=case_id)
        attempts.take(trace, case_from_trace(trace, case_id or id))
    return attempts.same()


@pytest.mark.parametrize(
    ("runs", "found"),
    [
        ([("t", None, "Hi"), ("u", None, "Hi")], {"u": "t"}),
        ([("t", None, "Hi"), ("u", None, "Bye")], {}),
        ([("t", "t", "Hi"), ("u", "u", "Hi")], {"u": "t"}),
        (
            [("t", None, "Hi"), ("u", "named", "Hi"), ("v", None, "Hi")],
            {"t": "named", "v": "named"},
        ),
        ([("t", "a", "Hi"), ("u", "b", "Hi"), ("v", None, "Hi")], {}),
        ([("t", None, "Hi", "More"), ("u", None, "Hi", "More")], {"u": "t"}),
        ([("t", None, "Hi", "More"), ("u", None, "Hi", "Less")], {}),
        ([("t", None, "Hi"), ("u", None, "Hi"), ("v", None, "Hi", "More")], {}),
        ([("t", None, ""), ("u", None, "")], {}),
    ],
    ids=[
        "the same words",
        "other words",
        "each names itself",
        "one names its case",
        "two name their cases",
        "the same turns",
        "another second turn",
        "one goes on",
        "nothing is said",
    ],
)
def test_runs_are_of_one_task_where_all_that_was_asked_is_the_same(runs, found):
    assert same(*runs) == found
