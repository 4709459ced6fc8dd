"""Numbers worked out in the literature of agent evaluation, and ours."""

import json
from fractions import Fraction
from math import comb, erf, sqrt

import pytest

from passhat.reliability import (
    Confusion,
    LabelScores,
    binomial_tail,
    cohen_kappa,
    half_width,
    iid_pass_at_k,
    iid_pass_hat_k,
    mean_pass_at_k,
    mean_pass_hat_k,
    newcombe,
    pass_at_k,
    pass_hat_k,
    rule_of_three,
    wilson,
    zero_failures_needed,
)

Z_196 = erf(1.96 / sqrt(2))
"""The confidence at which z is 1.96, as these examples have it."""


def pass_hat_k_of_suite(entry):
    if isinstance(entry["input"], str):
        return mean_pass_hat_k([(4, 4), (4, 3), (4, 2)], 4)
    counts = [(n, c) for c, n in entry["input"]["tasks_c_n"]]
    return mean_pass_hat_k(counts, entry["input"]["k"])


def pass_at_k_of_suite(entry):
    counts = [(n, c) for c, n in entry["input"]["tasks_c_n"]]
    return mean_pass_at_k(counts, entry["input"]["k"])


def named_metric(n, c, metric):
    estimator = pass_hat_k if "^" in metric else pass_at_k
    return estimator(n, c, int(metric[len("pass^") :].split()[0]))


def pass_k_dataset(entry):
    n, metric = entry["input"]["n"], entry["input"]["metric"]
    values = [named_metric(n, c, metric) for c in entry["input"]["successes"]]
    return values if "per task" in metric else sum(values) / len(values)


def pass_rate_runs(entry):
    if "runs" in entry["input"]:
        runs = entry["input"]["runs"]
        return {
            "first3_all": {name: pass_hat_k(3, sum(r[:3]), 3) == 1 for name, r in runs.items()},
            "all5": {name: pass_hat_k(5, sum(r), 5) == 1 for name, r in runs.items()},
            "unbiased_pass^3_from_5": {
                name: str(Fraction(pass_hat_k(5, sum(r), 3)).limit_denominator(100))
                for name, r in runs.items()
            },
        }
    outcomes = entry["input"]["outcomes"]
    n, c = len(outcomes), sum(outcomes)
    if entry["note"] == "pass rate":
        return pass_hat_k(n, c, 1)
    return named_metric(n, c, entry["note"]) == 1


def unbiased(entry):
    if isinstance(entry["input"], str):
        return [comb(8, 3), comb(10, 3), comb(2, 3), comb(10, 8)]
    return named_metric(entry["input"]["n"], entry["input"]["c"], entry["input"]["metric"])


def unbiased_table(entry):
    n, c, k, metric = (entry["input"][name] for name in ("n", "c", "k", "metric"))
    return {
        "pass^k unbiased": lambda: pass_hat_k(n, c, k),
        "pass@k unbiased": lambda: pass_at_k(n, c, k),
        "(c/n)^k": lambda: iid_pass_hat_k(c / n, k),
    }[metric]()


def iid_formula_table(entry):
    known = iid_pass_hat_k if entry["input"]["metric"].startswith("pass^") else iid_pass_at_k
    return known(entry["input"]["p"], entry["input"]["k"])


def aggregate(entry):
    n = entry["input"]["n"]
    value = mean_pass_hat_k([(n, c) for c in entry["input"]["c"]], entry["input"]["k"])
    return f"about {value:.0%}" if isinstance(entry["computed"], str) else value


def pass_at_k_pair(entry):
    mix = [(3, 1)] * 4 + [(3, 2)]
    assert mean_pass_at_k(mix, 1) == pytest.approx(0.4)
    return {
        next(name for name in entry["computed"] if name.startswith(start)): value
        for start, value in {
            "n=10": pass_at_k(10, 4, 3),
            "i.i.d.": iid_pass_at_k(0.4, 3),
            "n=5": pass_at_k(5, 2, 3),
            "n=3": mean_pass_at_k(mix, 3),
        }.items()
    }


def wilson_table(entry):
    found = wilson(entry["input"]["n"], entry["input"]["c"], Z_196)
    return list(found) if isinstance(entry["computed"], list) else 100 * found.width


def zero_failures(entry):
    if "n" in entry["input"]:
        return rule_of_three(entry["input"]["n"])
    below = float(entry["input"]["claim"].strip("<%")) / 100
    methods = {
        "rule_of_three": "rule_of_three",
        "exact_one_sided": "exact",
        "exact_one_sided_95": "exact",
        "wilson_two_sided": "wilson",
        "clopper_pearson_two_sided": "clopper_pearson",
    }
    return {name: zero_failures_needed(below, method=methods[name]) for name in entry["computed"]}


def delta_interval(entry):
    given = entry["input"]
    if "n" not in given:
        (c2, n2), (c1, n1) = (map(int, given[name].split("/")) for name in ("a", "b"))
        return pass_hat_k(n1, c1, 1) - pass_hat_k(n2, c2, 1)
    n = given["n"]
    low, _ = newcombe(n, round(given["pB"] * n), n, round(given["pA"] * n))
    return "Real improvement" if low > 0 else "Not distinguishable from zero"


def kappa(entry):
    given = entry["input"]
    found = cohen_kappa(
        [
            [given["both_pass"], given["judge_pass_human_fail"]],
            [given["judge_fail_human_pass"], given["both_fail"]],
        ]
    )
    if isinstance(entry["computed"], list):
        judge = given["both_pass"] + given["judge_pass_human_fail"]
        return [judge, given["both_pass"] + given["judge_fail_human_pass"]]
    return found.chance if entry["expected"] == 0.5 else found.kappa


def routing_matrix(entry):
    rows = entry["input"]["rows_true_cols_pred"]
    found = Confusion(tuple(entry["input"]["labels"]), tuple(map(tuple, rows)))
    per_label = found.per_label
    if isinstance(entry["computed"], str):
        times = {(m.expected, m.actual): m.times for m in found.mistakes}
        out, sql = times["out_of_scope", "docs"], times["sql", "docs"]
        return f"{out} out-of-scope to docs; {sql} sql to docs"
    if isinstance(entry["computed"], dict) and "macro_f1" in entry["computed"]:
        return {
            "macro_f1": found.macro.f1,
            "per_class": {
                label: {"precision": s.precision, "recall": s.recall, "f1": s.f1}
                for label, s in per_label.items()
            },
        }
    if entry["expected"] == 100:
        return found.total
    return per_label["sql"].recall if entry["note"] == "sql recall" else found.accuracy


def wald_half_widths(entry):
    points = entry["computed"]["wald_half_width_points"]
    n = entry["input"]["n"]
    ours = {rate: 100 * half_width(n, float(rate), Z_196, "wald") for rate in points}
    return {"wald_half_width_points": ours}


def counted(estimator, *names):
    return lambda entry: estimator(*(entry["input"][name] for name in names))


TOPICS = {
    "pass_hat_k": (pass_hat_k_of_suite, 3),
    "pass_at_k": (pass_at_k_of_suite, 3),
    "pass_k_single": (
        lambda e: named_metric(e["input"]["n"], e["input"]["c"], e["input"]["metric"]),
        3,
    ),
    "pass_k_dataset": (pass_k_dataset, 5),
    "pass_rate_runs": (pass_rate_runs, 7),
    "pass_at_k_code": (counted(pass_at_k, "n", "c", "k"), 25),
    "pass_at_k_pair": (pass_at_k_pair, 1),
    "unbiased": (unbiased, 3),
    "unbiased_table": (unbiased_table, 13),
    "iid_formula_table": (iid_formula_table, 10),
    "aggregate": (aggregate, 2),
    "success_rate": (lambda e: pass_hat_k(e["input"]["n"], e["input"]["c"], 1), 1),
    "wilson_table": (wilson_table, 5),
    "wilson_code": (wilson_table, 1),
    "interval": (wald_half_widths, 1),
    "rule_of_three": (zero_failures, 1),
    "rare_events": (zero_failures, 2),
    "binomial_tail": (counted(binomial_tail, "n", "x", "p"), 1),
    "delta_interval": (delta_interval, 3),
    "kappa": (kappa, 3),
    "routing_matrix": (routing_matrix, 5),
    "summary_f1": (lambda e: LabelScores(**e["input"]).recall, 1),
}


def right_answer(entry):
    computed = entry["computed"]
    if isinstance(computed, dict) and set(computed) == {"fraction", "value"}:
        return computed["value"]
    return computed


def agree(ours, theirs, path=""):
    """Equal, but for numbers, which differ by at most 1e-9; those of a list by rounding to six places."""
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), path
        for name, value in theirs.items():
            agree(ours[name], value, f"{path}.{name}")
    elif isinstance(theirs, list):
        assert ours == pytest.approx(theirs, abs=5.1e-7), path
    elif isinstance(theirs, str | bool) or theirs is None:
        assert ours == theirs, path
    else:
        assert ours == pytest.approx(theirs, abs=1e-9), path


def rounds_to(ours, printed):
    """Whether our number, or our first, is what was printed, once rounded to as many places."""
    number = next(iter(ours.values())) if isinstance(ours, dict) else ours
    places = len(str(printed).partition(".")[2])
    return round(number, places) == pytest.approx(printed)


def test_every_worked_example_of_these_topics(shared):
    entries = json.loads((shared / "vectors/worked_examples.json").read_text())
    done = dict.fromkeys(TOPICS, 0)
    for entry in entries:
        if entry["topic"] not in TOPICS:
            continue
        ours = TOPICS[entry["topic"]][0](entry)
        agree(ours, right_answer(entry), f"{entry['id']} {entry['topic']}")
        if entry["verdict"] == "ok" and type(entry["expected"]) in (int, float):
            assert rounds_to(ours, entry["expected"]), entry
        done[entry["topic"]] += 1
    print(done, "together", sum(done.values()))
    assert done == {topic: number for topic, (_, number) in TOPICS.items()}
