"""Two runs compared: what is paired, what is refused, what is called noise."""

import pytest

from passhat.compare import compare_results
from passhat.errors import InputError, UsageError
from passhat.gate import Policy, SoftRule, decide
from passhat.reliability import Results, mcnemar, newcombe, sign_flip_p
from passhat.reliability.tables import fisher_p, stratified_p
from passhat.result import CheckResult, Trial
from passhat.trace import Usage


def run(counts, *, pins=None, tags=None, cost=None, checks=None, left_out=0):
    """Results with `{case: (n, c)}`."""
    trials = []
    for case, (n, c) in counts.items():
        own = {
            name: value[case] if isinstance(value, dict) and case in value else value
            for name, value in (pins or {}).items()
        }
        for number in range(n):
            passed = number < c
            results = tuple(
                CheckResult.of(key, passed or not hard) for key, hard in (checks or {}).items()
            )
            trials.append(
                Trial(
                    case,
                    number,
                    f"{case}/{number}",
                    "passed" if passed else "failed",
                    results,
                    pins=own,
                    tags=(tags or {}).get(case, ()),
                    usage=None if cost is None else Usage(100, 10, cost=cost),
                )
            )
    trials += [Trial("x", n, f"x/{n}", "infrastructure_error") for n in range(left_out)]
    return Results(tuple(trials))


def many(cases, n, c):
    return {f"c{at}": (n, c) for at in range(cases)}


def test_a_drop_is_told_with_its_interval_and_tests():
    base = run({**many(30, 5, 5), "odd": (5, 2)})
    new = run({**many(30, 5, 5), **{f"c{at}": (5, 0) for at in range(12)}, "odd": (5, 3)})
    found = compare_results(base, new)
    assert found.success.difference == pytest.approx(-(12 - 0.2) / 31)
    low, high = found.success.interval
    assert low < found.success.difference < high < 0
    assert found.success.verdict == "worse"
    points = [-1.0] * 12 + [0.2] + [0.0] * 18
    assert found.success.p == pytest.approx(sign_flip_p(points))
    assert (found.mcnemar.broke, found.mcnemar.healed) == (12, 1)
    assert found.mcnemar.p == mcnemar(12, 1).p_value
    assert {case.case_id for case in found.of_kind("broke")} == {f"c{at}" for at in range(12)}
    assert [case.case_id for case in found.of_kind("noise")] == ["odd"]
    assert found.unchanged == 18
    assert found.sentence.startswith("Worse: success ")


def test_the_same_run_twice_differs_in_nothing():
    counts = {"a": (4, 4), "b": (4, 2), "c": (4, 0)}
    found = compare_results(run(counts), run(counts))
    assert found.success.difference == 0
    assert found.success.p == 1
    assert found.success.verdict == "unclear"
    assert found.cases == ()
    assert found.unchanged == 3
    assert {change.verdict for change in found.pass_hat_k} == {"unclear"}


def test_turned_around_everything_is_turned_around():
    one, other = run({**many(20, 5, 4), "z": (5, 0)}), run({**many(20, 5, 2), "z": (5, 5)})
    there, back = compare_results(one, other), compare_results(other, one)
    assert there.success.difference == pytest.approx(-back.success.difference)
    assert there.success.interval == pytest.approx(
        [-end for end in reversed(back.success.interval)]
    )
    assert there.success.p == pytest.approx(back.success.p)
    assert there.mcnemar.broke == back.mcnemar.healed


def test_these_cases_deal_trials_out_and_know_more():
    base, new = run(many(20, 5, 4)), run(many(20, 5, 2))
    kind = compare_results(base, new)
    these = compare_results(base, new, estimate="these-cases")
    assert these.success.p == pytest.approx(stratified_p([(5, 4, 5, 2)] * 20))
    width = [found.success.interval[1] - found.success.interval[0] for found in (these, kind)]
    assert width[0] < width[1]


def test_unpaired_with_one_trial_a_case_is_newcombes():
    base = run({f"a{at}": (1, at < 40) for at in range(50)})
    new = run({f"b{at}": (1, at < 24) for at in range(40)})
    found = compare_results(base, new, pairing="unpaired")
    assert found.success.interval == pytest.approx(newcombe(40, 24, 50, 40), abs=0.005)
    assert found.mcnemar is None
    assert found.success.p is None
    with pytest.raises(InputError, match=r"share no case to compare.*--unpaired"):
        compare_results(base, new)


def test_suites_that_changed_are_compared_on_what_they_share():
    base = run(
        {"a": (2, 2), "b": (2, 2), "gone": (2, 0)},
        pins={"suite": "s1", "case": {"a": "1", "b": "2", "gone": "3"}},
    )
    new = run(
        {"a": (2, 2), "b": (2, 0), "fresh": (2, 0)},
        pins={"suite": "s2", "case": {"a": "1", "b": "other", "fresh": "4"}},
    )
    found = compare_results(base, new)
    assert found.sharing.shared == ("a",)
    assert found.sharing.changed == ("b",)
    assert found.sharing.only_base == ("gone",)
    assert found.sharing.only_new == ("fresh",)
    assert found.success.difference == 0
    told = "\n".join(found.notes)
    for word in ("changed between the two", "only in the baseline", "fresh", "suites differ"):
        assert word in told


def test_runs_pinned_differently_are_refused_unless_it_is_named():
    counts = many(3, 1, 1)
    base = run(counts, pins={"model": "m1", "versions": {"adk": "1", "x": "1"}})
    new = run(counts, pins={"model": "m2", "versions": {"adk": "2", "x": "1"}})
    with pytest.raises(
        UsageError, match=r"model: m1 -> m2; versions.adk: 1 -> 2.*--vary model --vary"
    ):
        compare_results(base, new)
    with pytest.raises(UsageError, match=r"versions\.adk"):
        compare_results(base, new, vary=["model"])
    found = compare_results(base, new, vary=["model", "versions"])
    assert [change.name for change in found.pins] == ["model", "versions.adk"]
    with pytest.raises(
        UsageError, match="--vary modle: the runs have no such pin, did you mean model"
    ):
        compare_results(base, new, vary=["modle", "versions"])


def test_a_pin_that_one_run_lacks_is_told():
    found = compare_results(run(many(3, 1, 1)), run(many(3, 1, 1), pins={"model": "m"}))
    assert "the new run alone pins model" in found.notes[0]


def test_a_case_that_cannot_show_a_change_is_never_broken():
    found = compare_results(run({"a": (1, 1), "b": (1, 1)}), run({"a": (1, 0), "b": (1, 1)}))
    (case,) = found.cases
    assert (case.kind, case.p) == ("noise", 1.0)


def test_cases_that_cannot_change_do_not_count_in_the_correction():
    steady = many(200, 5, 5)
    found = compare_results(run({**steady, "a": (5, 5)}), run({**steady, "a": (5, 0)}))
    (case,) = found.cases
    assert case.kind == "broke"
    assert case.p_adjusted == pytest.approx(fisher_p(5, 5, 5, 0))


def test_tags_are_corrected_for_their_number():
    tags = {f"c{at}": ("even" if at % 2 == 0 else "odd", "all") for at in range(30)}
    new = {name: (4, 1 if tags[name][0] == "even" else 4) for name in tags}
    found = compare_results(run(many(30, 4, 4), tags=tags), run(new, tags=tags))
    assert found.tags["even"].verdict == "worse"
    assert found.tags["odd"].verdict == "unclear"
    assert found.tags["even"].p_adjusted == pytest.approx(min(1, 3 * found.tags["even"].p))
    looser = compare_results(run(many(30, 4, 4), tags=tags), run(new, tags=tags), correction="bh")
    assert looser.tags["even"].p_adjusted <= found.tags["even"].p_adjusted


def test_checks_and_costs_are_compared_too():
    checks = {"state": True, "loops": False}
    base = run(many(30, 4, 4), checks=checks, cost=0.1)
    new = run(many(30, 4, 2), checks=checks, cost=0.2)
    found = compare_results(base, new)
    state, loops = found.checks
    assert (state.base, state.new, state.verdict) == (1.0, 0.5, "worse")
    assert (loops.difference, loops.verdict) == (0.0, "unclear")
    spent = {change.metric: change for change in found.efficiency}
    assert spent["efficiency.cost_per_success"].new == pytest.approx(0.4)
    assert spent["efficiency.cost"].difference == pytest.approx(0.1)
    assert "efficiency.seconds" not in spent


def test_what_was_left_out_is_told():
    found = compare_results(run(many(3, 1, 1)), run({**many(3, 1, 1), "x": (1, 1)}, left_out=0))
    assert found.left_out == (0, 0)
    found = compare_results(run(many(3, 1, 1)), run(many(3, 1, 1), left_out=2))
    assert found.left_out == (0, 2)
    assert found.sharing.only_new == ("x",)


def test_a_check_that_broke_is_told():
    held = CheckResult.of("rubric", True, required=False)
    broke = CheckResult("rubric", "error", reason="timed out", required=False)

    def run(broken):
        return Results(
            tuple(
                Trial(f"c{at}", 0, f"t{at}", "passed", (broke if at < broken else held,))
                for at in range(60)
            )
        )

    assert not any("rubric" in note for note in compare_results(run(0), run(0)).notes)
    (told,) = [note for note in compare_results(run(0), run(50)).notes if "rubric" in note]
    assert told == (
        "the new run: the check rubric itself broke in 50 trials, which its numbers leave out"
    )


def test_nothing_is_compared_with_nothing():
    with pytest.raises(InputError, match="no trial is there"):
        compare_results(run({}), run(many(2, 1, 1)))
    with pytest.raises(InputError, match="no trial was judged"):
        compare_results(run(many(2, 1, 1)), run({}, left_out=1))
    twice = Results((*run({"a": (1, 1)}).trials, *run({"a": (1, 1)}).trials))
    with pytest.raises(InputError, match="a trial 0 is there twice"):
        compare_results(twice, twice)


def test_it_is_written_as_json_values():
    found = compare_results(run(many(3, 2, 1)), run(many(3, 2, 2))).to_dict()
    assert found["schema"] == "passhat.comparison/1"
    assert found["success"]["difference"] == 0.5


def test_when_a_run_stopped_is_no_pin_to_name_and_is_told():
    base = run(many(20, 5, 4), pins={"model": "m", "until": "half"})
    new = run(many(20, 5, 4), pins={"model": "m", "until": "decided"})
    found = compare_results(base, new, names=("old", "new"))
    assert found.pins == ()
    stopped = [note for note in found.notes if "stopped when it was decided" in note]
    assert [note.partition(":")[0] for note in stopped] == ["old", "new"]
    usual = compare_results(run(many(20, 5, 4)), run(many(20, 5, 4))).notes
    assert not [note for note in usual if "stopped" in note]
    decision = decide(new, None, base, names=("new", "old"))
    assert [note for note in decision.notes if "stopped" in note] == stopped[::-1]


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (
            {"estimate": "my-cases"},
            "no estimate 'my-cases': take one of kind-of-cases, these-cases",
        ),
        ({"pairing": "both"}, "no pairing 'both': take one of paired, unpaired"),
    ],
)
def test_a_word_that_is_none_is_not_taken_for_another(option, why):
    held = run({"a": (2, 1), "b": (2, 2)})
    with pytest.raises(UsageError, match=why):
        compare_results(held, held, **option)
    policy = {"soft": [{"metric": "success_rate", "min": 0.1}]}
    if "pairing" in option:
        with pytest.raises(UsageError, match=why):
            decide(held, policy, **option)
    else:
        with pytest.raises(UsageError, match=why):
            decide(held, Policy(soft=(SoftRule("success_rate", min=0.1),), **option))
