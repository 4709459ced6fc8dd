"""Every worked example of the literature, computed by what a user calls, and compared.

Where a source's own number is wrong or inconsistent, the right one (`computed`) is what counts. The
numbers over many trials have a table of their own, beside the tests of `reliability`.
"""

import json
import runpy
from itertools import pairwise
from pathlib import Path

import pytest

from passhat.case import Case
from passhat.grading import build_check, grade
from passhat.grading.protocol import FunctionCheck
from passhat.match import match_trajectory
from passhat.match.dialects import verdict
from passhat.recordings import to_trace
from passhat.reliability import Summariser
from passhat.result import Trial
from passhat.state import diff
from passhat.suitefile.reading import suite_from
from passhat.trace import ToolCall, TraceBuilder, Usage
from passhat.values import matcher
from passhat_adk.config import read_config
from passhat_adk.configlint import lint_config
from passhat_adk.criteria import criteria_of, match_type, threshold_of

EXCEPTIONS = {
    36: "names of labels, without a run that they are of",
    83: "figures quoted from a README; the one of these runs is asserted with the recordings",
    134: "targets that a document sets, with nothing to compute",
}
"""Entries that nothing can compute, by id, with the reason."""


def judged(key, trace, case=None, **options):
    return build_check(key, options).judge(trace, case or Case("c"))


def share(result):
    return result.evidence["hits"], result.evidence["of"]


def said(text):
    build = TraceBuilder("t")
    build.user("?")
    build.assistant(text)
    return build.trace()


def called(*calls, **fields):
    build = TraceBuilder("t")
    build.user("Go on.")
    for call in calls:
        build.assistant(calls=[call if isinstance(call, ToolCall) else ToolCall(call)])
    return build.trace(**fields)


def text_of(given):
    return {"create_ticket": dict.fromkeys(given["matchers"], "text")}


# Calls.


def tool_call_prf(entry):
    given = entry["input"]
    calls = [ToolCall(call["name"], call["args"]) for call in given["pred"]]
    if "final-state" in entry["note"]:
        made = [call.args for call in calls if call.name == "create_ticket"]
        trace = called(*calls, initial_state={"tickets": []}, final_state={"tickets": made})
        wanted = [call["args"] for call in given["exp"]]
        case = Case("c", expected_final_state={"tickets": wanted})
        return judged("final_state", trace, case).status == "passed"
    case = Case(
        "c", expected_calls=given["exp"], optional_calls=given["optional"], match=text_of(given)
    )
    return judged("tool_call_f1", called(*calls), case).evidence[entry["note"]]


def trajectory_match(entry):
    given = entry["input"]
    how = text_of(given) if "matchers" in given else "contains"
    # Theirs leaves optional calls in; ours never counts them against a run.
    return match_trajectory(given["pred"], given["exp"], given["mode"], match=how).ok


def max_matching(entry):
    return match_trajectory(entry["input"]["pred"], entry["input"]["exp"], match="contains").recall


def ragas_flex_extra(entry):
    search, ticket = {"name": "search", "args": {"q": "vpn"}}, {"name": "ticket", "args": {}}
    f1 = verdict("ragas@0.4.3", "f1", [search, ticket], [search])
    assert f"{f1:.4f}" == entry["note"].rpartition(" ")[2]
    return verdict("ragas@0.4.3", "accuracy_flex", [search, ticket], [search])


def trajectory_modes_set(entry):
    given = entry["input"]
    if not isinstance(given, dict):
        row = {"id": "a", "expected_tools": ["x"], "trajectory_mode": given.split("'")[1]}
        (case,) = suite_from([row]).cases
        return f"agentevals/seed 000/seed 004 {case.mode!r}"
    row = {"id": "a", "expected_tools": given["expected"], "trajectory_mode": given["mode"]}
    (case,) = suite_from([row]).cases
    counts = case.counts is not False
    return match_trajectory(given["actual"], case.expected_calls, case.mode, counts=counts).ok


LOOKUP, POLICY, REFUND, CONFIRM = REFERENCE = (
    "lookup_order",
    "check_policy",
    "issue_refund",
    "send_confirmation",
)
RUNS = {
    "A1": REFERENCE,
    "A2": [LOOKUP, *REFERENCE],
    "A3": [POLICY, LOOKUP, REFUND, CONFIRM],
    "A4": [LOOKUP, POLICY, REFUND],
    "A5": [*REFERENCE, "delete_account"],
    "A6": [LOOKUP, REFUND, POLICY, CONFIRM],
}


def six_run_table(entry):
    given = entry["input"]
    if isinstance(given, str):
        a5 = {m: match_trajectory(RUNS["A5"], REFERENCE, m) for m in ("exact", "in_order")}
        subset = match_trajectory(RUNS["A5"], REFERENCE, "subset")
        return [*(m.ok for m in a5.values()), subset.ok, [subset.precision, subset.recall]]
    if "per_run" in given:
        summary = Summariser()
        for at, passed in enumerate(given["per_run"]):
            summary.add(Trial(f"c{at}", 0, f"t{at}", "passed" if passed else "failed"))
        return summary.summary().pass_hat_k[1]
    if "mode" not in given:
        return _as_agentevals_found(given["real agentevals 0.0.9"])
    mode = given["mode"]
    if mode in ("precision", "recall"):
        return getattr(match_trajectory(given["actual"], given["reference"]), mode)
    # Their any-order allows extras; their subset compares sets of names.
    ours = {"any_order": "superset"}.get(mode, mode)
    counts = mode != "subset"
    return int(match_trajectory(given["actual"], given["reference"], ours, counts=counts).ok)


def _as_agentevals_found(real):
    """Where agentevals differs from the table's columns, after its verdicts are compared."""
    columns = {"unordered": ("superset", True), "subset": ("subset", False)}
    differs = []
    for name, verdicts in real.items():
        for mode, holds in verdicts.items():
            assert verdict("agentevals@0.0.9", mode, RUNS[name], REFERENCE) is holds
            ours = {"strict": "exact"}.get(mode, mode)
            assert match_trajectory(RUNS[name], REFERENCE, ours).ok is holds
            if mode in columns:
                column, counts = columns[mode]
                if match_trajectory(RUNS[name], REFERENCE, column, counts=counts).ok != holds:
                    differs.append([name, mode])
    return {"differs": differs}


def trajectory_score_table(entry):
    row = entry["input"]
    trace = called(*row["trajectory"])
    case = Case("c", expected_calls=row["required"], forbidden_calls=row["forbidden"])
    f1 = judged("tool_call_f1", trace, case).evidence
    forbidden = judged("forbidden_calls", trace, case).evidence.get("calls", ())
    return {
        "recall": f1["recall"],
        "precision": f1["precision"],
        "order_ok": judged("trajectory", trace, case, mode="in_order").status == "passed",
        "steps": len(trace.calls),
        "forbidden": [call["name"] for call in forbidden],
    }[row["metric"]]


def agentevals_example(entry):
    calls = to_trace(entry["input"]).calls
    expected = [
        {"name": "lookup_order", "args": {"order_id": "A123"}},
        {"name": "issue_refund", "args": {"order_id": "A123", "amount": 49.90}},
    ]
    score = verdict("agentevals@0.0.9", "superset", calls, expected)
    assert match_trajectory(calls, expected, "superset").ok is score
    return {"key": "trajectory_superset_match", "score": score, "comment": None}


def partial_credit(entry):
    wanted = [f"step_{n}" for n in range(entry["input"]["required"])]
    trace = called(*wanted[: entry["input"]["done"]])
    return judged("tool_call_f1", trace, Case("c", expected_calls=wanted)).evidence["recall"]


# Eight calls, and the rates made of them.

EIGHT_CALLS = Case(
    "c",
    expected_calls=[
        {"name": "lookup_order", "args": {"key": "a"}},
        {"name": "check_policy", "args": {"key": "right"}},
        {"name": "issue_refund", "args": {"key": "r"}},
    ],
    tools={key: {} for key in ["lookup_order", "check_policy", "issue_refund", "send_email"]},
)


def eight_calls(rows, *, executed):
    calls = []
    for row in rows:
        outcome = {"result": "ok"}
        if row["result"] != "ok":
            outcome = {"error": row["result"].removeprefix("error: ")}
        ran = executed or row["right_tool"] is not None
        calls.append(ToolCall(row["tool"], {"key": row["args_key"]}, executed=ran, **outcome))
    return called(*calls)


def eight_call_table(entry):
    rows = entry["input"]["calls"]
    planned, ran = eight_calls(rows, executed=False), eight_calls(rows, executed=True)
    if entry["id"] == 218:
        assert share(judged("call_exact", planned, EIGHT_CALLS)) == (5, 7)
        hits, of = share(judged("tool_selection", planned, EIGHT_CALLS))
        return hits / of
    if entry["id"] == 219:
        return judged("argument_accuracy", planned, EIGHT_CALLS).score
    if entry["id"] == 220:
        unknown = judged("unknown_tools", planned, EIGHT_CALLS)
        assert "issue_refnd is no tool, did it mean issue_refund?" in unknown.reason
        return unknown.score
    if entry["id"] == 221:
        told = {
            "errors among the 7 executed calls": share(judged("error_rate", planned)),
            "errors among all 8 calls": share(judged("error_rate", ran)),
        }
        return {name: f"{hits}/{of} = {hits / of:.3f}" for name, (hits, of) in told.items()}
    if entry["id"] == 225:
        # Three equal calls of which the last succeeds are a recovery and, in ours, no loop.
        assert judged("loops", ran).status == "passed"
        recovered = judged("recovered", ran, EIGHT_CALLS)
        assert share(recovered) == (2, 2)
        assert recovered.evidence["episodes"][1]["retries"] == 2
        again = judged("duplicate_calls", ran, after="any").evidence["calls"]
        row = next(
            [one["repeats"], one["index"], other["index"]]
            for one, other in pairwise(again)
            if [other["repeats"], other["index"]] == [one["index"], one["index"] + 1]
        )
        numbers = ", ".join(str(at + 1) for at in row)
        return f"calls {numbers} are {len(row)} identical calls in a row"
    after = "any" if entry["id"] == 223 else "success"
    return judged("duplicate_calls", ran, after=after).score


# Policies, values, answers, states.

POLICIES = {
    "refund_over_limit": {
        "name": "issue_refund",
        "match": {"amount": {"schema": {"exclusiveMinimum": 100}}},
    },
    "external_email": {"name": "send_email", "match": {"to": {"regex": r"(?!.*@ours\.test$).*"}}},
}


def policy_violations(entry):
    calls = [ToolCall(c["name"], c["args"], result=c["result"]) for c in entry["input"]]
    trace = called(*calls)
    broken = [
        name
        for name, forbidden in POLICIES.items()
        if judged("forbidden_calls", trace, Case("c", forbidden_calls=[forbidden])).score == 0
    ]
    guarded = Case("c", requires_approval=["delete_record"])
    if judged("approval", trace, guarded, confirm_tools=["ask_user_confirmation"]).score == 0:
        broken.append("delete_without_confirmation")
    return broken


def arg_match(entry):
    row = entry["input"]
    how = {"exact": "exact", "numeric tolerance": "number"}[row["strategy"]]
    wanted = [{"name": "f", "args": {"x": row["ref"]}}]
    case = Case("c", expected_calls=wanted, match=how)
    return judged("trajectory", called(ToolCall("f", {"x": row["act"]})), case).status == "passed"


def matchers(entry):
    (name, (actual, expected)), *_ = entry["input"].items()
    return matcher({"norm_str": "text", "unordered_list": "set"}[name])(actual, expected)


ISSUED = "your refund of 49.90 has been issued to your original card"
PARAPHRASE = "we have sent 49.90 back to the card you originally paid with"
WRONG = "your refund of 94.90 has not been issued to your original card"


def rouge1(entry):
    row = entry["input"]
    if isinstance(row, dict):
        options = {"reference": row["ref"], "tokens": row["tokens"], "stem": False}
        return judged("rouge1", said(row["hyp"]), **options).evidence[row["metric"]]
    theirs = row.startswith("ADK")
    how = {"tokens": "unicode", "stem": True} if theirs else {"tokens": "whitespace", "stem": False}
    good, bad = (
        judged("rouge1", said(answer), reference=ISSUED, **how).score
        for answer in (PARAPHRASE, WRONG)
    )
    return good < 0.8 <= bad if theirs else bad > 3 * good


def groundedness(entry):
    claims, supported = entry["input"]["claims"], entry["input"]["supported"]
    judge = dict(zip(claims, map(bool, supported), strict=True)).__getitem__

    def grounded(trace, case):
        told = trace.final_response.split("; ")
        return sum(map(judge, told)) / len(told)

    check = FunctionCheck("groundedness", grounded, needs=("response",))
    return grade(said("; ".join(claims)), Case("c"), [check]).result("groundedness").score


def state_diff(entry):
    given = entry["input"]
    if "assert_one_ticket" in given:
        trace = called("go", initial_state=given["before"], final_state=given["after"])
        case = Case(
            "c",
            expected_final_state={"tickets": [given["assert_one_ticket"]]},
            state={"ignore": [f"*.{name}" for name in given["ignore"]]},
        )
        return judged("final_state", trace, case).status == "passed"
    changes = diff(given["before"], given["after"], ignore=[f"*.{n}" for n in given["ignore"]])
    found = {table: {"added": [], "removed": []} for table in given["before"]}
    for change in changes.to_dict()["changes"]:
        row = change["after" if change["kind"] == "added" else "before"]
        # Ours shows rows whole, the columns that are passed over too.
        shown = {name: value for name, value in row.items() if name not in given["ignore"]}
        found[change["path"].partition("[")[0]][change["kind"]].append(shown)
    return found


def cost_per_success(entry):
    trials, summary = 100, Summariser()
    for at in range(trials):
        status = "passed" if at < round(entry["input"]["success_rate"] * trials) else "failed"
        usage = Usage(cost=entry["input"]["mean_cost"])
        summary.add(Trial("c", at, f"t{at}", status, usage=usage))
    return summary.summary().efficiency.cost_per_success


# Shapes.


def dataset_row(entry):
    row = {"id": "ticket", "input": "My laptop broke", **entry["input"]}
    (case,) = suite_from([row]).cases
    assert case.expected_calls[0].match == {"title": "semantic", "description": "semantic"}
    assert case.expected_final_state == row["expected_final_state"]
    return "dataset row shape"


def adk_shape(entry):
    given = entry["input"]
    config = read_config(given if "criteria" in given else {"criteria": given})
    assert not lint_config(config, "test_config.json")
    criteria = criteria_of(config)
    thresholds = {name: threshold_of(criterion) for name, criterion in criteria.items()}
    if "criteria" not in given:
        return thresholds
    assert match_type(criteria["tool_trajectory_avg_score"]) == "in_order"
    return "accepted"


TOPICS = {
    one.__name__: one
    for one in (
        adk_shape,
        agentevals_example,
        arg_match,
        cost_per_success,
        dataset_row,
        eight_call_table,
        groundedness,
        matchers,
        max_matching,
        partial_credit,
        policy_violations,
        ragas_flex_extra,
        rouge1,
        six_run_table,
        state_diff,
        tool_call_prf,
        trajectory_match,
        trajectory_modes_set,
        trajectory_score_table,
    )
}


@pytest.fixture(scope="module")
def entries(shared):
    return json.loads((shared / "vectors/worked_examples.json").read_text(encoding="utf-8"))


def right(entry):
    computed = entry["computed"]
    if entry["id"] == 221:
        return {name: value for name, value in computed.items() if name.startswith("errors")}
    return computed["value"] if isinstance(computed, dict) and "value" in computed else computed


@pytest.mark.parametrize("topic", TOPICS)
def test_every_worked_example_of_the_topic(entries, topic):
    mine = [e for e in entries if e["topic"] == topic and e["id"] not in EXCEPTIONS]
    assert mine
    for entry in mine:
        ours, theirs = TOPICS[topic](entry), right(entry)
        if type(theirs) is float:
            theirs = pytest.approx(theirs, abs=1e-12)
        assert ours == theirs, (entry["id"], ours)


def test_no_entry_is_left_out(entries):
    beside = Path(__file__).with_name("reliability") / "test_worked_examples.py"
    topics = {*TOPICS, *runpy.run_path(str(beside))["TOPICS"]}
    assert {e["id"] for e in entries if e["topic"] not in topics} <= EXCEPTIONS.keys()
    assert EXCEPTIONS.keys() <= {e["id"] for e in entries}
    assert len(entries) == 204
