"""The checks of arguments."""

import pytest

from passhat.case import Case
from passhat.errors import UsageError
from passhat.trace import ToolCall

REFUND = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "amount": {"type": "number", "minimum": 0},
        "currency": {"type": "string", "enum": ["EUR", "USD"]},
        "note": {"type": "string"},
        "days": {"type": "integer", "default": 14},
    },
    "required": ["order_id"],
}
TOOLS = {"refund": REFUND}


def test_schema_valid_judges_calls_of_known_tools(run, call, judge):
    trace = run(
        call("refund", {"order_id": "A1", "amount": 1.0}),
        call("refund", {"amount": -1}),
        call("refund", args_error="{oops"),
        "nowhere",
    )
    result = judge("schema_valid", trace, Case("c", tools=TOOLS))
    assert (result.status, result.score) == ("failed", 1 / 3)
    assert (result.evidence["hits"], result.evidence["of"]) == (1, 3)
    assert result.evidence["calls"][0]["faults"][1] == "$: 'order_id' is a required property"
    assert '"{oops" is no JSON object' in result.reason
    assert len(result.evidence["calls"][0]["faults"]) == 2


def test_schema_valid_is_not_evaluated_without_such_a_call(run, judge):
    assert judge("schema_valid", run("other"), Case("c", tools=TOOLS)).status == "not_evaluated"


def test_a_schema_that_is_none_is_the_suites_fault(run, judge):
    with pytest.raises(UsageError, match="the tool 'a': not a JSON Schema"):
        judge("schema_valid", run("a"), Case("c", tools={"a": {"type": "nonsense"}}))


def test_argument_accuracy_is_the_mean_share_over_right_tools(run, call, judge):
    case = Case(
        "c",
        expected_calls=[
            {"name": "refund", "args": {"order_id": "A1", "amount": 49.9}},
            {"name": "email", "args": {"to": "ann"}},
            "log",
        ],
    )
    trace = run(
        call("refund", {"order_id": "A1", "amount": 50}),
        call("email", {"to": "ann", "cc": "bob"}),
        call("log", {"any": 1}),
        call("other", {"x": 1}),
    )
    result = judge("argument_accuracy", trace, case)
    assert (result.status, result.score) == ("failed", 0.75)
    assert (result.evidence["hits"], result.evidence["of"]) == (1.5, 2)
    assert result.reason == "refund (call 0): amount is 50, expected 49.9"
    assert result.evidence["calls"] == [
        {
            "index": 0,
            "name": "refund",
            "right": 1,
            "of": 2,
            "differences": [{"arg": "amount", "expected": 49.9, "actual": 50}],
        }
    ]


@pytest.mark.parametrize(
    ("expected", "made", "score"),
    [
        ({"args": {"x": 1}}, {"x": 1}, 1.0),
        ({"args": {"x": 1, "y": 2}}, {"x": 1}, 0.5),
        ({"args": {"x": 1}, "extra_args": "forbid"}, {"x": 1, "y": 2}, 0.5),
        ({"args": {"x": "Ann"}, "match": {"x": "text"}}, {"x": " ANN"}, 1.0),
        ({"args": {}}, {"x": 1}, None),
        ({}, {"x": 1}, None),
    ],
)
def test_argument_accuracy_of_one_call(run, call, judge, expected, made, score):
    case = Case("c", expected_calls=[{"name": "f", **expected}])
    assert judge("argument_accuracy", run(call("f", made)), case).score == score


def test_each_call_is_judged_beside_the_expected_call_that_is_left_for_it(run, call, judge):
    case = Case("c", expected_calls=[{"name": "f", "args": {"x": n}} for n in (1, 2)])
    trace = run(call("f", {"x": 1}), call("f", {"x": 1}))
    assert judge("argument_accuracy", trace, case).score == 0.5
    repeat = run(call("f", {"x": 1}), call("f", {"x": 2}), call("f", {"x": 2}))
    assert judge("argument_accuracy", repeat, case).score == 1.0


def test_arguments_that_did_not_parse_have_no_share(run, call, judge):
    case = Case("c", expected_calls=[{"name": "f", "args": {"x": 1}}])
    result = judge("argument_accuracy", run(call("f", args_error="{x")), case)
    assert (result.score, result.reason) == (0.0, 'f("{x"): the arguments are no JSON object')
    assert judge("call_exact", run(call("f", args_error="{x")), case).score == 0.0
    assert judge(
        "call_exact", run(call("f", args_error="{x")), Case("c", expected_calls=["f"])
    ).score


def test_call_exact_is_a_share_of_calls_made(run, call, judge):
    case = Case(
        "c",
        expected_calls=[{"name": "f", "args": {"x": 1}}, "g"],
        optional_calls=["log"],
        tools={key: {} for key in ["f", "g", "h", "log"]},
    )
    trace = run(call("f", {"x": 1}), call("f", {"x": 2}), "g", "h", "log", "typo")
    result = judge("call_exact", trace, case)
    assert (result.evidence["hits"], result.evidence["of"]) == (2, 4)
    assert result.reason == "not as expected: f(x=2), h()"
    assert judge("call_exact", run(), case).reason == "nothing was called; expected f, g"
    assert judge("call_exact", run(), case).status == "failed"
    assert judge("call_exact", run(), Case("c", expected_calls=[])).status == "not_evaluated"


@pytest.mark.parametrize(
    ("args", "nowhere"),
    [
        ({"order_id": "zzz"}, None),
        ({"amount": 49.9}, []),
        ({"amount": 49}, [49]),
        ({"note": "ann@x.test"}, []),
        ({"note": "ANN@x.test"}, []),
        ({"note": "bob@x.test"}, ["bob@x.test"]),
        ({"note": "the parcel came broken today"}, None),
        ({"days": 14}, None),
        ({"days": 30}, [30]),
        ({"days": 1234}, []),
        ({"currency": "EUR"}, None),
        ({"note": "later"}, None),
        ({"currency": "later"}, ["later"]),
        ({"currency": "said by me"}, ["said by me"]),
        ({"amount": True, "note": ""}, None),
    ],
)
def test_guessed_arguments_come_from_nowhere(run, call, judge, args, nowhere):
    trace = run(
        "agent: said by me",
        call("lookup", result={"email": "ann@x.test", "paid": "49.90"}),
        "user: 1,234 it was",
        [call("refund", {"order_id": "A1", **args}), call("lookup", result="later")],
    )
    result = judge("guessed_arguments", trace, Case("c", tools=TOOLS))
    if nowhere is None:
        assert result.status == "not_evaluated"
    else:
        assert [entry["value"] for entry in result.evidence["arguments"]] == nowhere
        assert result.score == (1.0 if nowhere else 0.0)


def test_what_the_case_expects_or_gives_is_no_guess(run, call, judge):
    trace = run(call("refund", {"order_id": "A1", "amount": 7}))
    case = Case("c", tools=TOOLS, expected_calls=[{"name": "refund", "args": {"amount": 7}}])
    assert judge("guessed_arguments", trace, case).status == "not_evaluated"
    given = Case("c", {"due": 7}, tools=TOOLS)
    assert judge("guessed_arguments", trace, given).score == 0.0
    assert judge("guessed_arguments", trace, Case("c", "x", tools=TOOLS)).score == 1.0


@pytest.mark.parametrize(
    ("answer", "status"), [(True, "failed"), (False, "passed"), (None, "not_evaluated")]
)
def test_a_judge_decides_on_free_text_in_an_optional_argument(run, call, judge, answer, status):
    trace = run(call("refund", {"order_id": "A1", "note": "the parcel came broken today"}))
    result = judge(
        "guessed_arguments", trace, Case("c", tools=TOOLS), ask=lambda question, about: answer
    )
    assert result.status == status
    if answer:
        assert result.evidence["arguments"][0]["decided"] == "judge"


def test_a_huge_number_is_judged_and_breaks_nothing(run, judge):
    trace = run(ToolCall("refund", {"amount": 10**5000, "days": float("inf")}))
    assert judge("guessed_arguments", trace, Case("c", tools=TOOLS)).evidence["hits"] == 2
