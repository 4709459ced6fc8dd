"""The summary of trials against brute force, and its file form."""

import json
from collections import Counter, defaultdict
from itertools import combinations

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passhat.errors import EstimationError, UsageError
from passhat.reliability import Summariser, Summary
from passhat.reliability.wording import natural_key
from passhat.result import COUNTED, CheckResult, Trial
from passhat.suitefile.schemas import json_schema

STATUSES = [
    "passed",
    "failed",
    "agent_error",
    "not_evaluated",
    "check_error",
    "infrastructure_error",
    "not_run",
]


def trial(case_id, status, number=0, **fields):
    return Trial(case_id, number, f"{case_id}/{number}", status, **fields)


def summarise(trials, ks=None, **options):
    adding = Summariser()
    for item in trials:
        adding.add(item)
    return adding.summary(ks, **options)


trials_of = st.lists(
    st.builds(
        trial,
        st.one_of(st.none(), st.sampled_from(["a", "b", "c"])),
        st.sampled_from(STATUSES),
        st.integers(0, 9),
    ),
    max_size=25,
)


@given(trials_of)
@settings(deadline=None, max_examples=60)
def test_the_numbers_are_those_of_enumeration(trials):
    found = summarise(trials)
    verdicts = defaultdict(list)
    for item in trials:
        if item.case_id is not None and item.status in COUNTED:
            verdicts[item.case_id].append(item.passed)
    least = min(map(len, verdicts.values()), default=0)
    assert list(found.pass_hat_k) == list(range(1, min(least, 5) + 1))
    for k in found.pass_hat_k:
        draws = {case: list(combinations(seen, k)) for case, seen in verdicts.items()}
        all_pass = [sum(map(all, drawn)) / len(drawn) for drawn in draws.values()]
        any_pass = [sum(map(any, drawn)) / len(drawn) for drawn in draws.values()]
        assert found.pass_hat_k[k] == pytest.approx(sum(all_pass) / len(verdicts))
        assert found.pass_at_k[k] == pytest.approx(sum(any_pass) / len(verdicts))
        low, high = found.intervals.pass_hat_k[k]
        assert low <= found.pass_hat_k[k] + 1e-12
        assert found.pass_hat_k[k] <= high + 1e-12
    assert found.n == sum(map(len, verdicts.values()))
    assert found.c == sum(map(sum, verdicts.values()))


@given(trials_of)
@settings(deadline=None, max_examples=60)
def test_the_ledger_holds_every_trial(trials):
    found = summarise(trials)
    assert sum(found.ledger.values()) == found.trials == len(trials)
    assert found.n + found.sensitivity.left_out == len(trials)
    told = Counter(
        "not_evaluated" if item.case_id is None and item.status in COUNTED else item.status
        for item in trials
    )
    assert {status: times for status, times in found.ledger.items() if times} == told


@given(
    trials_of, st.sampled_from(["not_evaluated", "check_error", "infrastructure_error", "not_run"])
)
@settings(deadline=None, max_examples=40)
def test_a_trial_that_was_not_judged_never_changes_pass_hat_k(trials, status):
    before = summarise(trials)
    for extra in (trial("a", status), trial(None, status), trial(None, "passed")):
        after = summarise([*trials, extra])
        assert after.pass_hat_k == before.pass_hat_k
        assert after.judged is False
        assert all(
            after.sensitivity.if_failed[k] <= before.pass_hat_k[k] + 1e-12
            for k in before.pass_hat_k
        )


def test_a_pass_without_a_case_is_no_pass():
    found = summarise([trial(None, "passed")])
    assert found.pass_hat_k == {}
    assert found.ledger["passed"] == 0
    assert found.ledger["not_evaluated"] == 1
    assert found.left_out[0].reason == "the trace joins no case"
    assert found.verdict == "Nothing could be judged: of 1 run, none has a verdict."


def test_too_large_a_k_names_the_case():
    trials = [trial("steady", "passed", i) for i in range(4)] + [trial("short", "passed")]
    with pytest.raises(EstimationError, match="case 'short': k=4 draws from n=1"):
        summarise(trials, [4])


def test_k_is_of_no_matter_where_nothing_was_judged():
    assert summarise([trial("a", "not_evaluated")], [4]).pass_hat_k == {}


def test_an_unknown_method_is_refused():
    with pytest.raises(UsageError, match="wald"):
        summarise([trial("a", "passed")], method="wald")


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ({"a": (4, 4), "b": (4, 4)}, "All 8 runs of 2 cases passed."),
        ({"a": (2, 2)}, "Both runs of 1 case passed."),
        ({"a": (2, 0)}, "No run passed: 0 of 2, over 1 case."),
        ({"a": (3, 1)}, "Passes 33 % of the time, but never 3 times in a row."),
        ({"a": (2, 2), "b": (2, 0)}, "Passes 1 of 2 cases, and each of them every time."),
        ({"a": (1, 1), "b": (1, 0)}, "Passes 50 % of the time: 1 of 2 runs, over 2 cases."),
        (
            {"a": (4, 4), "b": (4, 2)},
            "Passes 75 % of the time, but 4 times in a row only 50 % of the time.",
        ),
    ],
)
def test_the_verdict_in_words(counts, verdict):
    trials = [
        trial(case, "passed" if number < c else "failed", number)
        for case, (n, c) in counts.items()
        for number in range(n)
    ]
    assert summarise(trials).verdict == verdict


@pytest.mark.parametrize(
    ("statuses", "runs", "said"),
    [
        ({"a": ["passed"]}, 1, "The only run passed."),
        ({"a": ["passed"], "b": ["not_run"]}, 1, "The only run passed. 1 case has no run."),
        (
            {"a": ["passed", "check_error"], "b": ["not_run"], "c": ["not_run"]},
            2,
            "The only run passed. 1 of 2 runs could not be judged, 2 cases have no run.",
        ),
        (
            {"a": ["passed", "not_run", "not_run"]},
            1,
            "The only run passed. 2 trials never ran.",
        ),
        ({"a": ["not_run"], "b": ["not_run"]}, 0, "Nothing could be judged: 2 cases have no run."),
        (
            {"a": ["not_evaluated"], "b": ["not_run"]},
            1,
            "Nothing could be judged: of 1 run, none has a verdict.",
        ),
    ],
)
def test_a_case_without_a_run_is_no_run(statuses, runs, said):
    found = summarise(
        [trial(case, status, i) for case, them in statuses.items() for i, status in enumerate(them)]
    )
    assert (found.runs, found.verdict) == (runs, said)
    assert found.judged is (said == "The only run passed.")


def test_cases_are_ranked_flaky_first():
    counts = {"always": (4, 4), "never": (4, 0), "c10": (4, 2), "c9": (4, 2), "c3": (4, 3)}
    trials = [
        trial(case, "passed" if number < c else "failed", number)
        for case, (n, c) in counts.items()
        for number in range(n)
    ]
    trials.append(trial("unjudged", "not_evaluated"))
    ranked = [case.case_id for case in summarise(trials).cases]
    assert ranked == ["c9", "c10", "c3", "never", "always", "unjudged"]


def test_checks_and_rates_are_pooled():
    def judged(status, hits, of, **fields):
        return CheckResult("argument_accuracy", status, hits / of, "", {"hits": hits, "of": of})

    trials = [
        trial("a", "passed", 0, results=(judged("passed", 3, 3),)),
        trial("a", "failed", 1, results=(judged("failed", 0, 1),)),
        trial("a", "failed", 2, results=(CheckResult("argument_accuracy", "error", None, "x"),)),
        trial("a", "infrastructure_error", 3, results=(judged("failed", 0, 9),)),
    ]
    found = summarise(trials)
    rate = found.rates["argument_accuracy"]
    assert (rate.value, rate.hits, rate.of) == (0.75, 3, 4)
    check = found.checks["argument_accuracy"]
    assert (check.passed, check.failed, check.error, check.mean) == (1, 1, 1, 0.5)
    assert (check.when_passed.value, check.when_failed.value) == (1.0, 0.0)


def test_runs_with_a_forbidden_call():
    held = CheckResult.of("forbidden_calls", True)
    broken = CheckResult.of("forbidden_calls", False, "refund may not be called")
    unknown = CheckResult.not_evaluated("forbidden_calls", "the run did nothing")
    trials = [trial("a", "failed", i, results=(r,)) for i, r in enumerate([held, broken, unknown])]
    rate = summarise(trials).rates["runs_with_forbidden_call"]
    assert (rate.hits, rate.of) == (1, 2)


def test_tags_tell_their_own_numbers():
    trials = [
        trial("a", "passed", 0, tags=("billing",)),
        trial("a", "failed", 1, tags=("billing",)),
        trial("b", "passed", 0, tags=("orders", "billing")),
        trial("b", "passed", 1, tags=("orders", "billing")),
    ]
    tags = summarise(trials).tags
    assert tags["billing"].pass_hat_k == {1: 0.75, 2: 0.5}
    assert (tags["orders"].cases, tags["orders"].n, tags["orders"].c) == (1, 2, 2)


def test_few_cases_are_said_to_be_few():
    found = summarise([trial("a", "passed", i) for i in range(3)])
    assert any(note.startswith("1 case:") for note in found.notes)
    assert found.intervals.pass_hat_k[1] != (1.0, 1.0)


def test_a_perfect_suite_is_told_what_it_cannot_show():
    found = summarise([trial(f"c{i}", "passed") for i in range(60)])
    assert any("up to 5 % may still fail" in note for note in found.notes)


def test_evidence_of_any_shape_is_no_crash():
    junk = {"near": [5, {"tool": 1}], "matched": "ab", "missing": [None], "turns": 3}
    keys = ("trajectory", "forbidden_calls", "route", "refusal", "x")
    for evidence in (junk, {"turns": [1, junk]}, {"hits": "a", "of": None, "calls": {}}):
        results = tuple(CheckResult(key, "failed", 0.0, "", evidence) for key in keys)
        assert summarise([trial("a", "failed", results=results)]).n == 1


def test_unequal_trials_are_said_to_be_unequal():
    found = summarise([trial("a", "passed"), trial("b", "passed", 0), trial("b", "passed", 1)])
    assert any("from 1 (case a) to 2" in note for note in found.notes)


@given(trials_of)
@settings(deadline=None, max_examples=30)
def test_the_file_form_keeps_to_its_schema_and_reads_back(trials):
    found = summarise(trials)
    told = found.to_dict()
    text = json.dumps(told)
    assert told["schema"] == "passhat.summary/1"
    assert set(told["pass_hat_k"]) == {str(k) for k in found.pass_hat_k}
    jsonschema.Draft202012Validator(json_schema("summary")).validate(json.loads(text))
    assert msgspec.json.decode(text, type=Summary, strict=True).to_dict() == told


def test_the_text_form_begins_with_the_verdict():
    found = summarise([trial("a", "passed", 0), trial("a", "failed", 1)])
    lines = str(found).splitlines()
    assert lines[0] == found.verdict
    assert lines[1].startswith("pass^1 0.500 (")


def test_cases_are_sorted_by_their_numbers_however_long():
    ids = ["c" + "1" * 5_000, "c10", "c9"]
    assert sorted(ids, key=natural_key) == ["c9", "c10", "c" + "1" * 5_000]
    assert len(summarise([trial(name, "passed", 0) for name in ids]).cases) == 3
