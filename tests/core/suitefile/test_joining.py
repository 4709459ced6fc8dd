"""Joining traces to cases, and numbering the attempts."""

import pytest

from passhat.case import Case, Suite, Turn
from passhat.errors import UsageError
from passhat.suitefile import Joiner, join
from passhat.trace import Message, ToolCall, Trace

SUITE = Suite(
    "s",
    [
        Case("refund", "Refund A1, please."),
        Case("status", {"question": "Where is A1?"}),
        Case("greet", turns=[Turn("Hello"), Turn("Bye")]),
        Case(
            "history",
            [
                {"role": "system", "content": "Be brief."},
                {"role": "human", "content": [{"type": "text", "text": "Hello"}]},
                {"role": "assistant", "content": "Hi, how can I help?"},
                {"role": "user", "content": "Cancel it"},
            ],
        ),
        Case("twin_1", "Same words"),
        Case("twin_2", "Same words"),
        Case("mapping", {"order": {"id": "A1"}, "lang": "en"}),
        Case("silent"),
    ],
)


def said(*texts, case_id=None, trial=None, **metadata):
    steps = [Message("system", "You are a shop.")]
    for index, text in enumerate(texts):
        steps.append(Message("assistant" if index % 2 else "user", text))
    return Trace("t", case_id=case_id, trial=trial, steps=tuple(steps), metadata=metadata)


@pytest.mark.parametrize(
    ("trace", "options", "case", "how"),
    [
        (said("Hello", case_id="refund"), {}, "refund", "case_id"),
        (said("Hello", case_id="refund"), {"case": "status"}, "refund", "case_id"),
        (said("Hello", thread="refund"), {"case_key": "thread"}, "refund", "case_key"),
        (Trace("refund"), {"case_key": "id"}, "refund", "case_key"),
        (said("Hello", case_id="status", thread="refund"), {"case_key": "thread"}, "refund", "case_key"),
        (said("Hello", case_id="status"), {"case_key": "thread"}, "status", "case_id"),
        (said("anything"), {"case": "status"}, "status", "case"),
        (said("anything", case_id="elsewhere"), {"case": "status"}, "status", "case"),
        (said("  Refund A1, please.\n"), {}, "refund", "input"),
        (said("Refund A1, please.", case_id="run-17"), {}, "refund", "input"),
        (said("Where is A1?"), {}, "status", "input"),
        (said("Hello", "Hi!"), {}, "greet", "input"),
        (said("Hello", "Hi, how can I help?", "Cancel it", "Done"), {}, "history", "input"),
        (said("Hello", "Hi, how can I help?"), {}, "greet", "input"),
    ],
)  # fmt: skip
def test_a_trace_joins_its_case(trace, options, case, how):
    joined = join(trace, SUITE, **options)
    assert (joined.case.id, joined.how, joined.reason) == (case, how, "")


@pytest.mark.parametrize(
    ("trace", "options", "reason"),
    [
        (said("What?"), {}, "no case_id, and no case has its first input"),
        (said(), {}, "no case_id, and it has no user message to join it by"),
        (said("What?", case_id="refnd"), {}, "the suite has no case 'refnd' (nearest: refund), and no case has its first input"),
        (said("Same words"), {}, "no case_id, and several cases have its first input: twin_1, twin_2"),
        (said("What?"), {"case_key": "thread"}, "no thread in its metadata and no case_id, and no case has its first input"),
        (said("What?", thread=["x"]), {"case_key": "thread"}, "no thread in its metadata and no case_id, and no case has its first input"),
    ],
)  # fmt: skip
def test_an_unmatched_trace_says_why(trace, options, reason):
    joined = join(trace, SUITE, **options)
    assert (joined.case, joined.how, joined.reason) == (None, "unmatched", reason)


def test_numbers_as_ids_are_their_text():
    assert join(said(thread=7), Suite("s", [Case("7")]), case_key="thread").case.id == "7"


def test_without_a_suite_nothing_joins():
    joined = join(said("Hello", case_id="a"), None)
    assert (joined.case, joined.reason) == (None, "there is no suite to join it to")


def test_a_case_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="the suite has no case 'refnd', did you mean 'refund'"):
        Joiner(SUITE, case="refnd")
    with pytest.raises(UsageError, match="the suite has no case 'refund'"):
        Joiner(None, case="refund")


def test_attempts_are_numbered_case_by_case_in_order():
    joiner = Joiner(SUITE)
    names = ["refund", "status", "refund", "nowhere", "refund", "nowhere", None, None]
    numbers = [joiner.join(said("?", case_id=name)).trial for name in names]
    assert numbers == [0, 0, 1, 0, 2, 1, 0, 1]


def test_attempts_that_say_which_they_are_keep_their_number():
    joiner = Joiner(SUITE)
    stated = [3, None, 0, None, None, 1]
    numbers = [joiner.join(said(case_id="refund", trial=number)).trial for number in stated]
    assert numbers == [3, 0, 0, 1, 2, 1]


def test_attempts_joined_by_different_means_are_of_one_case():
    joiner = Joiner(SUITE)
    traces = [said("Refund A1, please."), said(case_id="refund"), said("Refund A1, please.")]
    assert [joiner.join(trace).trial for trace in traces] == [0, 1, 2]


def test_a_trace_of_calls_alone_joins_by_its_id():
    trace = Trace("t", case_id="silent", steps=(ToolCall("lookup"),))
    assert join(trace, SUITE).case.id == "silent"


def test_cases_of_one_id_are_refused_instead_of_one_being_lost():
    with pytest.raises(UsageError, match="two cases are called 'a'"):
        Joiner(Suite("s", [Case("b"), Case("a", "Hi"), Case("a", "Bye")]))
