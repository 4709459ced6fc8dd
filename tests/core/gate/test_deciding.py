"""What a gate decides, and what it says of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import passhat
from passhat.compare import Tallies
from passhat.errors import InputError, PolicyError, TraceError, UsageError
from passhat.gate import Policy, SoftRule, decide, decide_tallies
from passhat.reliability import Results, zero_failures_bound
from passhat.result import CheckResult, Trial
from passhat.trace import Usage


def run(counts, *, checks=(), pins=None, cost=None, more=(), tags=None):
    """Results with `{case: (n, c)}`, and checks `{key: trials in which it fails}`."""
    trials = []
    for case, (n, c) in counts.items():
        for number in range(n):
            name = f"{case}/{number}"
            results = [
                CheckResult.of(key, name not in failing, f"{key} broke")
                for key, failing in dict(checks).items()
            ]
            trials.append(
                Trial(
                    case,
                    number,
                    f"t-{name}",
                    "passed" if number < c else "failed",
                    tuple(results),
                    pins=dict(pins or {}),
                    tags=(tags or {}).get(case, ()),
                    usage=None if cost is None else Usage(cost=cost),
                )
            )
    return Results((*trials, *more))


def many(cases, n, c):
    return {f"c{at}": (n, c) for at in range(cases)}


def least(limit, metric="success_rate", **more):
    return {"soft": [{"metric": metric, "min": limit, **more}]}


def test_a_limit_is_held_broken_or_open():
    assert decide(run(many(60, 1, 1)), least(0.9)).verdict == "accept"
    assert decide(run(many(60, 5, 2)), least(0.9)).verdict == "reject"
    open_one = decide(run({**many(20, 1, 1), "x": (1, 0)}), least(0.9))
    assert open_one.verdict == "inconclusive"
    assert [open_one.exit_code, decide(run(many(60, 5, 2)), least(0.9)).exit_code] == [3, 1]


def test_all_of_few_cases_is_not_enough():
    decision = decide(run(many(10, 5, 5)), least(0.9))
    assert decision.verdict == "inconclusive"
    (rule,) = decision.rules
    assert rule.value == 1
    assert rule.interval[0] == pytest.approx(1 - zero_failures_bound(10))
    assert rule.settling.cases > 10


def test_a_baseline_is_kept_up_with_within_the_margin():
    base = run(many(200, 5, 4))
    assert decide(run(many(200, 5, 4)), None, base).verdict == "accept"
    worse = {**many(200, 5, 4), **{f"c{at}": (5, 0) for at in range(50)}}
    decision = decide(run(worse), None, base)
    assert decision.verdict == "reject"
    (rule,) = decision.rules
    assert rule.difference == pytest.approx(-0.2)
    assert (rule.baseline, rule.value) == pytest.approx((0.8, 0.6))
    assert rule.runs[0] == "c0 #0 (t-c0/0) [4/5 -> 0/5 passed]"
    assert decision.shared == 200


def test_better_is_always_within_the_margin():
    base = run(many(60, 3, 1))
    assert decide(run(many(60, 3, 3)), None, base).accepted


def test_a_hard_rule_is_broken_by_one_trial_that_is_named():
    policy = {"hard": ["forbidden_calls"], **least(0.1)}
    held = decide(run(many(100, 2, 2), checks={"forbidden_calls": ()}), policy)
    assert held.verdict == "accept"
    assert held.rules[0].bound == pytest.approx(0.02951, abs=1e-5)
    assert "fewer than 3.0 % of such cases have one" in held.rules[0].reason
    broken = decide(run(many(100, 2, 2), checks={"forbidden_calls": {"c7/1"}}), policy)
    assert broken.verdict == "reject"
    assert broken.rules[0].failures == 1
    assert broken.rules[0].runs == ("c7 #1 (t-c7/1): forbidden_calls broke",)


def test_cases_are_the_unit_of_the_bound_not_trials():
    policy = {"hard": [{"check": "policies", "below": 0.05}]}
    few = decide(run(many(10, 50, 50), checks={"policies": ()}), policy)
    assert few.verdict == "inconclusive"
    assert few.rules[0].settling.cases == 59
    assert decide(run(many(59, 1, 1), checks={"policies": ()}), policy).verdict == "accept"


def test_a_hard_rule_that_only_warns_does_not_reject():
    policy = {"hard": [{"check": "loops", "severity": "warn"}], **least(0.1)}
    decision = decide(run(many(30, 1, 1), checks={"loops": {"c1/0"}}), policy)
    assert decision.verdict == "accept"
    assert [rule.subject for rule in decision.warnings] == ["loops"]


@pytest.mark.parametrize("status", ["error", "not_evaluated"])
def test_a_check_that_judged_nothing_is_no_pass(status):
    trials = [
        Trial("a", n, f"{n}", "passed", (CheckResult("policies", status, None, "why"),))
        for n in range(3)
    ]
    decision = decide(Results(tuple(trials)), {"hard": ["policies"]})
    assert decision.verdict == "inconclusive"


def test_a_check_that_broke_once_is_not_accepted_for_the_rest():
    broke = Trial("z", 0, "z", "check_error", (CheckResult("policies", "error", None, "boom"),))
    decision = decide(
        run(many(30, 1, 1), checks={"policies": ()}, more=[broke]), {"hard": ["policies"]}
    )
    assert decision.verdict == "inconclusive"
    assert "broke in 1 trial" in decision.rules[0].reason


@pytest.mark.parametrize(
    ("policy", "why"),
    [
        ({"hard": ["forbiden_calls"]}, "no check 'forbiden_calls': did you mean forbidden_calls"),
        (least(0.5, "checks.policies.mean"), "no check 'policies'"),
        (least(0.5, "rates.precedence"), "no rate 'precedence'"),
        (least(0.5, "pass_hat_k.9"), "needs 9 of every case"),
        (least(0.5, tag="vip"), "no case has the tag 'vip'"),
        ({"soft": [{"metric": "success_rate", "margin": 0.1}]}, "there is no baseline"),
        ({"soft": [{"metric": "efficiency.cost", "max": 1}]}, "no trial that passed has 'cost'"),
    ],
)
def test_what_the_results_do_not_have_is_an_error_never_a_pass(policy, why):
    with pytest.raises(PolicyError, match=why):
        decide(run(many(30, 3, 3), checks={"forbidden_calls": ()}), policy)


def test_all_that_is_absent_is_told_at_once():
    policy = {"hard": ["a", "b"], "soft": [{"metric": "rates.c", "min": 0.1}]}
    with pytest.raises(PolicyError) as caught:
        decide(run(many(3, 1, 1)), policy)
    assert [fault.place.path for fault in caught.value.faults] == [
        "$.hard[0]",
        "$.hard[1]",
        "$.soft[0]",
    ]


def test_a_policy_without_a_rule_decides_nothing():
    with pytest.raises(PolicyError, match="has no rule"):
        decide(run(many(3, 1, 1)), Policy())


def test_an_empty_result_never_passes():
    with pytest.raises(InputError, match="nothing can be decided on nothing"):
        decide(Results(()))
    unjudged = Results((Trial("a", 0, "t", "infrastructure_error"),))
    decision = decide(unjudged, least(0.0))
    assert decision.verdict == "inconclusive"
    assert decision.exit_code == 3
    with pytest.raises(InputError, match="no trial was judged"):
        decide(run(many(3, 1, 1)), None, unjudged)


def test_what_was_left_out_can_undo_an_acceptance():
    lost = [Trial("lost", n, f"l{n}", "infrastructure_error") for n in range(2)]
    few = decide(run(many(200, 1, 1), more=lost), least(0.9))
    assert few.verdict == "accept"
    assert "2 infrastructure_error" in few.notes[0]
    lost = [Trial(f"lost{n}", 0, f"l{n}", "not_evaluated") for n in range(30)]
    decision = decide(run(many(200, 1, 1), more=lost), least(0.9))
    assert decision.verdict == "inconclusive"
    assert decision.rules[0].settling.words == "running again what was left out: 30 trials"
    assert decision.ledger == {"passed": 200, "not_evaluated": 30}


def test_it_can_undo_one_against_a_baseline_too():
    base = run(many(200, 5, 5))
    lost = [Trial(f"c{n}", 9, f"l{n}", "infrastructure_error") for n in range(150)]
    assert decide(run(many(200, 5, 5)), None, base).verdict == "accept"
    decision = decide(run(many(200, 5, 5), more=lost), None, base)
    assert decision.verdict == "inconclusive"
    caseless = [Trial(None, 0, f"l{n}", "not_evaluated") for n in range(30)]
    assert decide(run(many(200, 5, 5), more=caseless), None, base).verdict == "inconclusive"
    unread = Results(run(many(200, 5, 5)).trials, unread=tuple([TraceError("broken")] * 30))
    assert decide(unread, None, base).verdict == "inconclusive"


def test_cases_of_the_same_suite_that_were_not_run_count_as_left_out():
    pins = {"suite": "s"}
    base = run(many(200, 2, 2), pins=pins)
    part = run(many(120, 2, 2), pins=pins)
    assert decide(part, None, base).verdict == "inconclusive"
    assert decide(run(many(120, 2, 2)), None, run(many(200, 2, 2))).verdict == "accept"


def test_left_out_trials_never_undo_a_rejection():
    lost = [Trial("x", n, f"l{n}", "infrastructure_error") for n in range(500)]
    assert decide(run(many(60, 5, 1), more=lost), least(0.9)).verdict == "reject"


def test_the_error_of_rejecting_is_held_over_the_whole_policy():
    # 26 of 40: just below 0.8 at 95 %, but not at 99 %.
    results = run({**many(40, 1, 0), **{f"c{at}": (1, 1) for at in range(26)}}, cost=1.0)
    alone = decide(results, least(0.8))
    assert alone.verdict == "reject"
    rules = [{"metric": "success_rate", "min": 0.8}] + [
        {"metric": "efficiency.cost", "max": limit} for limit in (2, 3, 4, 5)
    ]
    together = decide(results, {"soft": rules})
    assert together.rules[0].verdict == "inconclusive"
    assert "over 5 rules (Holm)" in together.family


def test_a_rule_that_warns_takes_no_part_in_the_correction():
    results = run({**many(40, 1, 0), **{f"c{at}": (1, 1) for at in range(26)}})
    rules = [{"metric": "success_rate", "min": 0.8}] + [
        {"metric": "pass_at_k.1", "min": 0.1 + at / 100, "severity": "warn"} for at in range(9)
    ]
    assert decide(results, {"soft": rules}).rules[0].verdict == "reject"


def test_holm_goes_on_once_the_clearest_rule_is_broken():
    results = run({**many(40, 1, 0), **{f"c{at}": (1, 1) for at in range(26)}}, cost=9.0)
    rules = [{"metric": "success_rate", "min": 0.8}, {"metric": "efficiency.cost", "max": 2}]
    assert [rule.verdict for rule in decide(results, {"soft": rules}).rules] == ["reject", "reject"]


def test_a_rule_may_ask_for_more_confidence():
    results = run(many(50, 1, 1))
    assert decide(results, least(0.93)).verdict == "accept"
    assert decide(results, least(0.93, confidence=0.99)).verdict == "inconclusive"


def test_costs_are_held_to_a_limit_and_to_a_baseline():
    policy = {"soft": [{"metric": "efficiency.cost_per_success", "max": 0.5}]}
    assert decide(run(many(20, 2, 2), cost=0.4), policy).verdict == "accept"
    assert decide(run(many(20, 2, 1), cost=0.4), policy).verdict == "reject"
    relative = {"soft": [{"metric": "efficiency.cost", "relative_margin": 0.2}]}
    base = run(many(20, 2, 2), cost=1.0)
    assert decide(run(many(20, 2, 2), cost=1.1), relative, base).verdict == "accept"
    assert decide(run(many(20, 2, 2), cost=1.3), relative, base).verdict == "reject"


def test_a_tag_is_judged_by_its_own_cases():
    tags = {f"c{at}": ("hard",) if at < 40 else ("easy",) for at in range(100)}
    counts = {name: (1, 0 if "hard" in tags[name] else 1) for name in tags}
    results = run(counts, tags=tags)
    assert decide(results, least(0.9, tag="easy")).verdict == "accept"
    assert decide(results, least(0.9, tag="hard")).verdict == "reject"
    relative = {"soft": [{"metric": "success_rate", "margin": 0.1, "tag": "hard"}]}
    assert decide(results, relative, run(many(100, 1, 1))).verdict == "reject"


def test_these_cases_are_known_better_than_their_kind():
    results = run({f"c{at}": (20, 20 if at % 5 else 0) for at in range(20)})
    kind = decide(results, least(0.75))
    these = decide(results, {**least(0.75), "estimate": "these-cases"})
    assert kind.verdict == "inconclusive"
    assert these.verdict == "accept"
    assert "more trials would not do" in kind.rules[0].settling.words


def test_what_would_settle_it_is_more_trials_where_they_make_the_noise():
    decision = decide(run({f"c{at}": (4, 3) for at in range(40)}), least(0.7))
    settling = decision.rules[0].settling
    assert settling.trials is not None
    assert settling.cases > 40
    onto = decide(run({f"c{at}": (4, 3) for at in range(40)}), least(0.75))
    assert "nothing: the estimate lies on the limit itself" in onto.rules[0].settling.words
    near = decide(run({f"c{at}": (4, 3) for at in range(40)}), least(0.749))
    assert near.rules[0].settling.words.startswith("nothing within reach")


def test_what_would_settle_it_settles_it():
    counts = {f"c{at}": (5, 4 if at % 2 else 5) for at in range(30)}
    settling = decide(run(counts), least(0.86)).rules[0].settling
    more = {f"c{at}": (5, 4 if at % 2 else 5) for at in range(settling.cases)}
    assert decide(run(more), least(0.86)).verdict == "accept"


def test_pins_that_differ_are_refused_unless_the_policy_or_the_call_names_them():
    base, new = (run(many(60, 1, 1), pins={"model": model}) for model in ("m1", "m2"))
    with pytest.raises(UsageError, match="--vary model"):
        decide(new, None, base)
    assert decide(new, None, base, vary=["model"]).verdict == "accept"
    policy = {"vary": ["model"], "soft": [{"metric": "success_rate", "margin": 0.2}]}
    decision = decide(new, policy, base)
    assert decision.verdict == "accept"
    assert [change.name for change in decision.pins] == ["model"]


def test_a_baseline_of_other_cases_is_compared_unpaired_when_asked():
    new = run({f"n{at}": (1, 1) for at in range(200)})
    base = run({f"b{at}": (1, 1) for at in range(200)})
    with pytest.raises(InputError, match="share no case"):
        decide(new, None, base)
    assert decide(new, None, base, pairing="unpaired").verdict == "accept"


def test_profiles_ask_for_what_there_is_and_say_what_there_is_not():
    results = run(many(100, 1, 1), checks={"forbidden_calls": ()})
    decision = decide(results, "production")
    assert [rule.subject for rule in decision.rules] == ["forbidden_calls", "success_rate"]
    assert "not asked, for the results have no such check: policies" in decision.notes[0]
    research = decide(run(many(100, 1, 0)), "research")
    assert research.verdict == "accept"
    assert research.family.startswith("no rule can reject")
    own = decide(results, {"profile": "internal", **least(0.5)})
    assert [rule.rule for rule in own.rules][1:] == ["success_rate at least 0.5"]
    assert (own.confidence, own.on_inconclusive) == (0.9, "warn")


def test_an_inconclusive_gate_may_only_warn():
    decision = decide(run(many(5, 1, 1)), {**least(0.9), "on_inconclusive": "warn"})
    assert (decision.verdict, decision.exit_code, decision.accepted) == ("inconclusive", 0, False)


def test_nothing_judged_fails_whatever_the_policy_lets_pass():
    unjudged = Results((Trial("a", 0, "t", "infrastructure_error"),))
    decision = decide(unjudged, {**least(0.5), "on_inconclusive": "warn"})
    assert (decision.verdict, decision.exit_code) == ("inconclusive", 3)
    assert decision.sentence == "Inconclusive: no trial was judged."
    warns = decide(unjudged, least(0.5, severity="warn"))
    assert (warns.verdict, warns.exit_code) == ("inconclusive", 3)


def test_an_acceptance_says_what_it_warns_of():
    policy = {
        "hard": [{"check": "loops", "severity": "warn"}],
        "soft": [
            {"metric": "success_rate", "min": 0.1},
            {"metric": "pass_hat_k.2", "min": 0.6, "severity": "warn"},
        ],
    }
    decision = decide(run(many(30, 3, 2), checks={"loops": {"c1/0"}}), policy)
    assert (decision.verdict, decision.exit_code) == ("accept", 0)
    assert decision.sentence == (
        "Accept with 2 warnings: its one rule holds, by 90 trials of 30 cases. "
        "Warning: 'no loops failure'; 'pass_hat_k.2 at least 0.6' do not hold."
    )


def test_a_policy_of_warnings_alone_says_that_it_cannot_reject():
    decision = decide(run(many(60, 5, 4)), least(0.99, severity="warn"))
    assert (decision.verdict, decision.exit_code) == ("accept", 0)
    assert decision.sentence == (
        "Accept with 1 warning: no rule can reject, by 300 trials of 60 cases. "
        "Warning: 'success_rate at least 0.99' does not hold."
    )
    assert decision.family == (
        "no rule can reject, so accept says nothing; each warns wrongly at most 5 % of the time"
    )
    also = {"soft": [*least(0.9)["soft"], *least(0.99, "pass_hat_k.1", severity="warn")["soft"]]}
    neither = decide(run({**many(40, 1, 1), "x": (1, 0), "y": (1, 0), "z": (1, 0)}), also)
    assert neither.sentence == (
        "Inconclusive: 'success_rate at least 0.9' cannot be told, by 43 trials of 43 cases. "
        "Warning: 'pass_hat_k.1 at least 0.99' does not hold."
    )
    open_one = decide(run(many(10, 1, 1)), least(0.99, severity="warn"))
    assert open_one.sentence.endswith("Warning: 'success_rate at least 0.99' cannot be told.")


def test_a_number_of_cases_that_can_be_had_is_within_reach():
    (rule,) = decide(run(many(1, 1, 1)), least(0.9)).rules
    assert rule.settling.cases == 29


def test_a_decision_is_told_and_written():
    decision = passhat.decide(run(many(10, 2, 1)), least(0.9))
    assert (
        str(decision)
        .splitlines()[0]
        .startswith("Reject: 'success_rate at least 0.9' does not hold")
    )
    values = decision.to_dict()
    assert (values["schema"], values["exit_code"]) == ("passhat.decision/1", 1)
    assert values["rules"][0]["limit"] == 0.9


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30),
    st.floats(0.01, 0.3),
)
def test_more_is_let_pass_by_a_wider_margin(cases, margin):
    order = {"reject": 0, "inconclusive": 1, "accept": 2}
    base = Tallies.of_counts((f"c{at}", 4, c) for at, (c, _) in enumerate(cases))
    new = Tallies.of_counts((f"c{at}", 4, c) for at, (_, c) in enumerate(cases))
    narrow, wide = (
        decide_tallies(new, Policy(soft=(SoftRule("success_rate", margin=own),)), base).verdict
        for own in (margin, margin + 0.1)
    )
    assert order[narrow] <= order[wide]
