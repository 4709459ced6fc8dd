"""The checks of what came after an error."""

import pytest
from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import UsageError


@pytest.fixture
def made(run, call):
    """A function that makes a run of calls: `a` succeeds, `A` fails, `?` is `a` without an answer."""

    def make(outcomes, **fields):
        return run(
            *(
                call("a", error=None)
                if outcome == "?"
                else call(outcome.lower(), error="no")
                if outcome.isupper()
                else call(outcome)
                for outcome in outcomes
            ),
            **fields,
        )

    return make


@pytest.mark.parametrize(
    ("outcomes", "recovered"),
    [
        ("Aa", [1]),
        ("AAa", [2]),
        ("A", [None]),
        ("AbBa", [3, None]),
        ("AaAa", [1, 3]),
        ("ABab", [2, 3]),
        ("Ab", [None]),
    ],
)
def test_an_error_ends_with_a_success_of_the_same_tool(made, judge, outcomes, recovered):
    result = judge("recovered", made(outcomes))
    assert [episode["recovered"] for episode in result.evidence["episodes"]] == recovered
    assert result.evidence["hits"] == sum(at is not None for at in recovered)
    assert result.evidence["of"] == len(recovered)


def test_what_was_asked_for_together_is_no_reaction(run, call, judge):
    failed = call("a", error="no")
    together = run([failed, "a", "b"])
    assert judge("recovered", together, stand_ins={"a": ["b"]}).status == "failed"
    assert judge("retry_budget", run([failed] * 6)).status == "passed"
    assert judge("retry_budget", run([failed] * 2, *[failed] * 4)).status == "failed"
    later = judge("recovered", run([failed, "a"], "b", "a"))
    assert [(e["retries"], e["recovered"]) for e in later.evidence["episodes"]] == [(1, 3)]


def test_a_tool_that_tries_again_has_seen_what_failed(run, call, judge):
    inner = [replace(one, parent="outer") for one in (call("a", error="no"), call("a"))]
    trace = run([replace(call("b"), id="outer"), *inner])
    assert judge("recovered", trace, Case("c", nested="include")).status == "passed"


def test_no_error_is_nothing_to_get_over(made, judge):
    assert judge("recovered", made("ab")).status == "not_evaluated"


def test_another_tool_may_stand_in(made, run, call, judge):
    assert judge("recovered", made("Ab"), stand_ins={"a": ["b"]}).status == "passed"
    wrong_name = run(call("issue_refnd", error="unknown tool"), "lookup", "issue_refund")
    case = Case("c", tools={"issue_refund": {}, "lookup": {}})
    assert judge("recovered", wrong_name, case).evidence["episodes"][0]["recovered"] == 2
    stuck = judge("recovered", made("A"))
    assert stuck.reason == 'a (call 0) failed for good: "no"'


@pytest.mark.parametrize(
    ("outcomes", "most", "status"),
    [("AAAa", 3, "passed"), ("AAAa", 2, "failed"), ("AAAAA", 3, "failed"), ("Aa", 1, "passed"),
     ("A", 0, "passed"), ("aaaa", 0, "passed"), ("AbbbbA", 1, "passed"), ("AaAa", 1, "passed")],
)  # fmt: skip
def test_retries_are_counted_for_each_error(made, judge, outcomes, most, status):
    assert judge("retry_budget", made(outcomes), most=most).status == status


def test_a_retry_budget_is_a_number(made, judge):
    assert judge("retry_budget", made("AAAAA")).reason == "a was retried 4 times, over 3"
    with pytest.raises(UsageError, match="0 or more"):
        judge("retry_budget", made("a"), most=-1)


def test_error_rate_counts_known_outcomes_of_calls_that_ran(made, run, call, judge):
    result = judge("error_rate", made("aAa?"))
    assert (result.evidence["hits"], result.evidence["of"]) == (1, 3)
    assert result.reason == 'a (call 1) failed: "no"'
    declined = run("a", call("b", error="declined", executed=False))
    assert judge("error_rate", declined).score == 0
    assert judge("error_rate", made("??")).status == "not_evaluated"
