"""What a suite is told it lacks, and what in it tests nothing."""

import pytest
from msgspec.structs import replace

from passhat.case import Case, ExpectedCall, Suite, Turn
from passhat.suitefile import advise

FULL = [
    Case("happy", "a", expected_calls=["lookup", "refund"]),
    Case("read", "b", expected_calls=["lookup"]),
    Case("turned down", "c", refuse=True),
    Case("broken", "d", tags=["Bad-Input"], refuse=True),
    Case("vague", "e", clarify=True),
    Case("talk", "f", expected_calls=[]),
]
KINDS = {
    "happy path": "happy",
    "multi-step": "happy",
    "read-only": "read",
    "should refuse": "turned down",
    "bad input": "broken",
    "ambiguous": "vague",
    "no-tool": "talk",
}


def suite(cases, **more):
    return Suite("s", cases, writes=["refund"], **more)


def told(cases, kind, **more):
    return [advice.message for advice in advise(suite(cases, **more)) if advice.kind == kind]


def test_a_suite_of_every_kind_lacks_only_cases():
    assert [str(advice) for advice in advise(suite(FULL))] == [
        "few cases: 6 cases: a pass rate of 80 % would be known to 28 points either way "
        "(95 % interval); 30 cases give 14"
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_that_is_not_there_is_missed(kind):
    alone = {"refuse": True} if kind != "should refuse" else {"expected_calls": []}
    lacking = [Case("x", "x", **alone)]
    assert told(lacking, kind)
    tagged = [Case("x", "x", tags=[kind.replace(" ", "_").upper()], **alone)]
    assert not told(tagged, kind)


def test_read_only_needs_to_know_what_writes():
    (message,) = [
        advice.message
        for advice in advise(Suite("s", [Case("a", "x", expected_calls=["lookup"])]))
        if advice.kind == "read-only"
    ]
    assert message.endswith("name the tools that change the world in `writes`")


def test_kinds_are_recognised_in_turns():
    turns = [
        Turn("x", expected_calls=["lookup"]),
        Turn("y", refuse=True, expected_calls=[]),
        Turn("z", clarify=True),
    ]
    kinds = {advice.kind for advice in advise(suite([Case("a", turns=turns)]))}
    assert kinds == {"happy path", "bad input", "few cases"}


@pytest.mark.parametrize(
    ("case", "tested"),
    [
        (Case("a", "x"), False),
        (Case("a", "x", reference="y", optimal_steps=2), False),
        (Case("a", "x", forbidden_calls=[], clarify=False), False),
        (Case("a", "x", expected_calls=["x"], checks={"trajectory": {"required": False}}), False),
        (Case("a", "x", checks={"loops": {"required": False}}), False),
        (Case("a", "x", checks={"loops": {}}), True),
        (Case("a", "x", response={"includes": ["y"]}), True),
        (Case("a", turns=[Turn("x", refuse=False)]), True),
        (Case("a", turns=[Turn("x", checks={"loops": {}})]), True),
    ],
)
def test_a_case_without_a_required_check_tests_nothing(case, tested):
    assert bool(told([case], "no required check")) is not tested


def test_thirty_cases_are_enough_to_say_nothing_of_it():
    cases = [Case(str(index), str(index), refuse=True) for index in range(30)]
    assert told(cases, "few cases") == []
    assert told(cases[:29], "few cases")


TOOLS = {"refund": {"type": "object", "properties": {"order_id": {}, "amount": {}}}}


@pytest.mark.parametrize(
    ("case", "kind", "message"),
    [
        (
            Case("a", "x", expected_calls=[ExpectedCall("refund", {})]),
            "empty args",
            "a: refund is expected with empty args, which any arguments match; state them, or leave `args` out",
        ),
        (
            Case("a", "x", expected_calls=[[ExpectedCall("refund", match={"reason": "semantic"})]]),
            "matcher",
            "a: refund: reason is matched by semantic, which needs an expected value, and args has none; it never applies",
        ),
        (
            Case("a", turns=[Turn("x", expected_calls=[ExpectedCall("refund", {"amount": 1}, {"id": {"number": {}}})])]),
            "matcher",
            "a: refund: id is matched by number, which needs an expected value, and args has none; it never applies",
        ),
        (
            Case("a", "x", expected_calls=[ExpectedCall("refund", {"order_di": "A1"})], tools=TOOLS),
            "argument",
            "a: refund has no argument 'order_di', did you mean order_id?",
        ),
        (
            Case("a", "x", expected_calls=["lookup", "refund"], forbidden_calls=["refund"]),
            "contradiction",
            "a: refund is both expected and forbidden; no run can pass",
        ),
        (
            Case("a", "x", requires_approval=True, writes=[]),
            "approval",
            "a: requires_approval: true means all of `writes`, and there are none",
        ),
    ],
)  # fmt: skip
def test_what_can_never_apply_is_told(case, kind, message):
    (advice,) = [advice for advice in advise(suite([case])) if advice.kind == kind]
    assert (advice.message, advice.cases) == (message, ("a",))


BEFORE = [["lookup", "refund"], ["lookup", {"name": "cancel", "same": "order_id"}]]


@pytest.mark.parametrize(
    ("case", "calls"),
    [
        (Case("a", "x", expected_calls=["lookup"], before=BEFORE), "refund or cancel"),
        (Case("a", "x", before=BEFORE[:1]), "refund"),
        (
            Case("a", expected_calls=[ExpectedCall("refund", optional=True)], before=BEFORE[:1]),
            "refund",
        ),
        (
            Case("a", turns=[Turn("x", before=BEFORE), Turn("y", expected_calls=["refund"])]),
            "refund or cancel",
        ),
        (Case("a", "x", expected_calls=["lookup", "cancel"], before=BEFORE), None),
        (Case("a", turns=[Turn("x", expected_calls=["refund"])], before=BEFORE), None),
        (Case("a", "x", before=BEFORE, checks={"precedence": {"required": False}}), None),
    ],
)
def test_an_order_of_calls_that_nobody_expects_may_have_nothing_to_judge(case, calls):
    found = told([case], "before")
    assert [message.split(" is not evaluated")[0] for message in found] == (
        [f"a: a run without {calls}"] if calls else []
    )


@pytest.mark.parametrize(
    "call",
    [
        ExpectedCall("refund", {"order_id": "A1"}, {"order_id": "text"}),
        ExpectedCall("refund", match={"order_id": {"regex": "A[0-9]"}}),
        ExpectedCall("refund", match={"order_id": "any"}),
        ExpectedCall("refund", match="auto"),
        ExpectedCall("refund", {"anything": 1}),
    ],
)
def test_what_applies_is_left_alone(call):
    open_tools = {"refund": {"properties": {"order_id": {}}, "additionalProperties": True}}
    case = Case("a", "x", expected_calls=[call], forbidden_calls=[ExpectedCall("refund", {"n": 9})])
    for kind in ("empty args", "matcher", "argument", "contradiction"):
        assert told([case], kind, tools=open_tools) == []


def test_cases_with_one_input_are_told_apart_by_id_alone():
    cases = [Case("a", "Hi "), Case("b", "Hi"), Case("c", ""), Case("d", ""), Case("e", {"x": 1})]
    (advice,) = [advice for advice in advise(suite(cases)) if advice.kind == "same input"]
    assert advice.cases == ("a", "b")


def test_expectations_that_cannot_fail_are_told():
    suite = Suite(
        "s",
        [
            Case("a", expected_calls=[], mode="superset"),
            Case("b", expected_calls=[{"name": "x", "optional": True}]),
            Case("c", expected_calls=[]),
        ],
    )
    found = [advice for advice in advise(suite) if advice.kind == "cannot fail"]
    assert [advice.cases for advice in found] == [("a",), ("b",)]


def test_success_in_words_is_said_to_be_judged_by_nothing():
    told = suite([Case("a", "hi", scenario={"goal": "g", "success": "It is refunded."})])
    (advice,) = [one for one in advise(told) if one.kind == "success in words"]
    assert advice.cases == ("a",)
    assert "no check judges by it" in advice.message
    judged = replace(told.cases[0], checks={"scenario_success": {"ask": print}})
    assert not [one for one in advise(suite([judged])) if one.kind == "success in words"]
