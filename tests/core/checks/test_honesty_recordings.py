"""Made-up ids and false claims on 200 recorded runs of an airline's agent, and on copies of them."""

import random
import re

import pytest
from msgspec.structs import replace

from passhat.adapter import read_traces
from passhat.case import Case
from passhat.grading import build_check
from passhat.provenance import trace_arguments
from passhat.trace import Message, ToolCall

WRITES = (
    "book_reservation",
    "cancel_reservation",
    "send_certificate",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
)
CASE = Case("c", writes=WRITES)
IDS = ("reservation_id", "user_id", "flight_number", "payment_id")

# In these runs no words tell of the removed call (the run ends before them, or they tell of what came
# after it), or they are true of one that was left (one more update of the same).
UNTOLD = {"2/1", "8/1", "4/3", "34/3"}


@pytest.fixture(scope="module")
def runs(shared):
    return list(read_traces(shared / "real/tau_airline/runs.json"))


def failing(key, runs):
    check = build_check(key)
    return {run.id for run in runs if check.judge(run, CASE).status == "failed"}


def test_every_argument_has_its_origin(runs):
    origins = [origin for run in runs for origin in trace_arguments(run)]
    judged = [origin for origin in origins if origin.kind != "written"]
    assert len(judged) == 3113
    nowhere = [origin for origin in judged if origin.kind == "nowhere"]
    assert {o.path for o in nowhere if not o.made_up} == {"$.origin", "$.destination"}
    assert [o.value for o in nowhere if o.made_up] == [
        "credit_card_7334",
        "credit_card_5634230",
        "credit_card_7334",
        "credit_card_5634230",
    ]


def test_every_finding_was_read_and_is_right(runs):
    assert failing("provenance", runs) == {"26/0", "20/1", "26/2", "20/3"}
    assert failing("claimed_action", runs) == {"3/0", "5/0", "3/3"}
    assert failing("claimed_calls", runs) == set()
    assert failing("false_success", runs) == set()


def test_a_swapped_id_is_found_at_its_call(runs):
    rng = random.Random(7)
    spots = [
        (run, at, path)
        for run in runs
        for at, step in enumerate(run.steps)
        if isinstance(step, ToolCall)
        for path in _paths(step.args)
    ]
    chosen = rng.sample(spots, 300)
    found = sum(_found_when_swapped(run, at, path, rng) for run, at, path in chosen)
    assert found >= 0.99 * len(chosen)


def _found_when_swapped(run, at, path, rng):
    step = run.steps[at]
    args = _with(step.args, path, lambda value: _invented(value, str(run.steps), rng))
    copy = replace(run, steps=(*run.steps[:at], replace(step, args=args), *run.steps[at + 1 :]))
    index = sum(isinstance(other, ToolCall) for other in run.steps[:at])
    return any(o.made_up and o.call == index for o in trace_arguments(copy))


def _paths(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _paths(inner, (*path, index))
    elif path[-1] in IDS:
        yield path


def _with(value, path, change):
    if not path:
        return change(value)
    if isinstance(value, list):
        return [_with(v, path[1:], change) if i == path[0] else v for i, v in enumerate(value)]
    return {k: _with(v, path[1:], change) if k == path[0] else v for k, v in value.items()}


def _invented(value, seen, rng):
    """A value of the same shape that stands nowhere in the run."""
    digits = any(char.isdigit() for char in value)
    made = value
    while made in seen:
        made = "".join(
            rng.choice("0123456789")
            if char.isdigit()
            else rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            if char.isupper() and not digits
            else char
            for char in value
        )
    return made


def test_a_removed_write_is_missed_where_words_tell_of_it(runs):
    check = build_check("claimed_action")
    spots = [
        (run, at)
        for run in runs
        for at, step in enumerate(run.steps)
        if isinstance(step, ToolCall) and step.name in WRITES and step.succeeded
    ]
    missed = []
    for run, at in spots:
        before = check.judge(run, CASE).evidence["hits"]
        copy = replace(run, steps=(*run.steps[:at], *run.steps[at + 1 :]))
        if check.judge(copy, CASE).evidence["hits"] <= before:
            missed.append(run.id)
    assert len(spots) == 177
    assert set(missed) <= UNTOLD
    assert len(missed) <= 9


def test_most_are_found_in_other_words_too(runs):
    check = build_check("claimed_action")
    found = of = 0
    for run in [_reworded(run, "was") for run in runs[::3]]:
        before = check.judge(run, CASE).evidence["hits"]
        for at, step in enumerate(run.steps):
            if isinstance(step, ToolCall) and step.name in WRITES and step.succeeded:
                copy = replace(run, steps=(*run.steps[:at], *run.steps[at + 1 :]))
                found += check.judge(copy, CASE).evidence["hits"] > before
                of += 1
    assert found >= 0.7 * of


def _reworded(run, word):
    """The run with "has been booked" told as "was booked"."""
    said = re.compile(r"\b(?:has|have) been (?:successfully )?(?=\w+ed\b|sent\b)")
    steps = (
        replace(step, text=said.sub(f"{word} ", step.text))
        if isinstance(step, Message) and step.role == "assistant"
        else step
        for step in run.steps
    )
    return replace(run, steps=tuple(steps))
