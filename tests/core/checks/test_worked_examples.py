"""Worked numbers from the literature, reproduced by the checks.

Where a source's own number is wrong or inconsistent, the right one (`computed`) is what counts.
"""

import json

import pytest

from passhat.case import Case
from passhat.grading import build_check
from passhat.trace import ToolCall, Trace, TraceBuilder
from passhat.values import matcher


@pytest.fixture(scope="module")
def examples(shared):
    entries = json.loads((shared / "vectors/worked_examples.json").read_text(encoding="utf-8"))
    topics = {}
    for entry in entries:
        topics.setdefault(entry["topic"], []).append(entry)
    return topics


def right(entry):
    """The number that is right."""
    value = entry["computed"]
    return value["value"] if isinstance(value, dict) and "value" in value else value


def judged(key, trace, case=None, **options):
    return build_check(key, options).judge(trace, case or Case("c"))


def pooled(result):
    return result.evidence["hits"], result.evidence["of"]


def called(*calls):
    build = TraceBuilder("t")
    build.user("Go on.")
    for call in calls:
        build.assistant(calls=[call if isinstance(call, ToolCall) else ToolCall(call)])
    return build.trace()


def eight_calls(rows, *, executed):
    calls = []
    for row in rows:
        outcome = {"result": "ok"}
        if row["result"] != "ok":
            outcome = {"error": row["result"].removeprefix("error: ")}
        ran = executed or row["right_tool"] is not None
        calls.append(ToolCall(row["tool"], {"key": row["args_key"]}, executed=ran, **outcome))
    return called(*calls)


EIGHT_CALLS = Case(
    "c",
    expected_calls=[
        {"name": "lookup_order", "args": {"key": "a"}},
        {"name": "check_policy", "args": {"key": "right"}},
        {"name": "issue_refund", "args": {"key": "r"}},
    ],
    tools={key: {} for key in ["lookup_order", "check_policy", "issue_refund", "send_email"]},
)


def test_eight_calls_and_the_rates_made_of_them(examples):
    entries = {entry["id"]: entry for entry in examples["eight_call_table"]}
    trace = eight_calls(entries[218]["input"]["calls"], executed=False)
    selection = judged("tool_selection", trace, EIGHT_CALLS)
    assert pooled(selection) == (6, 7)
    assert right(entries[218]) == 6 / 7
    accuracy = judged("argument_accuracy", trace, EIGHT_CALLS)
    assert pooled(accuracy) == (5, 6)
    assert accuracy.score == right(entries[219])
    unknown = judged("unknown_tools", trace, EIGHT_CALLS)
    assert unknown.score == right(entries[220])
    assert "issue_refnd is no tool, did it mean issue_refund?" in unknown.reason
    assert pooled(judged("call_exact", trace, EIGHT_CALLS)) == (5, 7)


def test_eight_calls_have_two_error_rates_that_are_consistent(examples):
    entry = next(e for e in examples["eight_call_table"] if e["id"] == 221)
    assert entry["computed"]["errors among the 7 executed calls"].startswith("2/7")
    assert entry["computed"]["errors among all 8 calls"].startswith("3/8")
    rows = entry["input"]["calls"]
    assert pooled(judged("error_rate", eight_calls(rows, executed=False))) == (2, 7)
    assert pooled(judged("error_rate", eight_calls(rows, executed=True))) == (3, 8)


def test_eight_calls_have_two_duplicate_rates(examples):
    entries = {entry["id"]: entry for entry in examples["eight_call_table"]}
    trace = eight_calls(entries[223]["input"]["calls"], executed=True)
    assert judged("duplicate_calls", trace, after="any").score == right(entries[223])
    assert judged("duplicate_calls", trace).score == right(entries[224])


def test_three_equal_calls_of_which_the_last_succeeds_are_a_recovery_and_no_loop(examples):
    entry = next(e for e in examples["eight_call_table"] if e["id"] == 225)
    trace = eight_calls(entry["input"]["calls"], executed=True)
    assert judged("loops", trace).status == "passed"
    recovered = judged("recovered", trace, EIGHT_CALLS)
    assert pooled(recovered) == (2, 2)
    assert recovered.evidence["episodes"][1]["retries"] == 2


def test_trajectory_score_table(examples):
    for entry in examples["trajectory_score_table"]:
        row = entry["input"]
        trace = called(*row["trajectory"])
        case = Case("c", expected_calls=row["required"], forbidden_calls=row["forbidden"])
        f1 = judged("tool_call_f1", trace, case)
        found = {
            "recall": f1.evidence["recall"],
            "precision": f1.evidence["precision"],
            "order_ok": judged("trajectory", trace, case, mode="in_order").status == "passed",
            "steps": len(trace.calls),
            "forbidden": [
                c["name"] for c in judged("forbidden_calls", trace, case).evidence["calls"]
            ],
        }
        assert found[row["metric"]] == right(entry), entry["id"]


def test_precision_and_recall_leave_optional_calls_out(examples):
    for entry in examples["tool_call_prf"]:
        if entry["note"] not in ("precision", "recall"):
            continue  # The third is a check of the final state.
        row = entry["input"]
        match = {"create_ticket": dict.fromkeys(row["matchers"], "text")}
        case = Case("c", expected_calls=row["exp"], optional_calls=row["optional"], match=match)
        calls = [ToolCall(call["name"], call["args"]) for call in row["pred"]]
        evidence = judged("tool_call_f1", called(*calls), case).evidence
        assert evidence[entry["note"]] == right(entry)


POLICIES = {
    "refund_over_limit": {
        "name": "issue_refund",
        "match": {"amount": {"schema": {"exclusiveMinimum": 100}}},
    },
    "external_email": {"name": "send_email", "match": {"to": {"regex": r"(?!.*@ours\.test$).*"}}},
}


def test_policies_as_forbidden_calls_and_approvals(examples):
    guarded = Case("c", requires_approval=["delete_record"])
    for entry in examples["policy_violations"]:
        calls = [ToolCall(c["name"], c["args"], result=c["result"]) for c in entry["input"]]
        trace = called(*calls)
        broken = [
            name
            for name, forbidden in POLICIES.items()
            if judged("forbidden_calls", trace, Case("c", forbidden_calls=[forbidden])).score == 0
        ]
        if judged("approval", trace, guarded, confirm_tools=["ask_user_confirmation"]).score == 0:
            broken.append("delete_without_confirmation")
        assert broken == right(entry), entry["id"]
    in_order = called(
        ToolCall("ask_user_confirmation", result={"confirmed": True}),
        ToolCall("delete_record", result={}),
    )
    confirm = {"confirm_tools": ["ask_user_confirmation"]}
    assert judged("approval", in_order, guarded, **confirm).status == "passed"


def test_values_and_matchers(examples):
    strategies = {"exact": "exact", "numeric tolerance": "number"}
    for entry in examples["arg_match"]:
        row = entry["input"]
        case = Case(
            "c",
            expected_calls=[{"name": "f", "args": {"x": row["ref"]}}],
            match=strategies[row["strategy"]],
        )
        result = judged("trajectory", called(ToolCall("f", {"x": row["act"]})), case)
        assert (result.status == "passed") == right(entry)
    for entry in examples["matchers"]:
        (name, (actual, expected)), *_ = entry["input"].items()
        ours = {"norm_str": "text", "unordered_list": "set"}[name]
        assert matcher(ours)(actual, expected) == right(entry)


def test_rouge1_counts_words_and_so_misleads(examples):
    scores = []
    for entry in examples["rouge1"]:
        row = entry["input"]
        if not isinstance(row, dict):
            continue
        answer = Trace("t", steps=tuple(_answer(row["hyp"])))
        options = {"reference": row["ref"], "tokens": row["tokens"], "stem": False}
        evidence = judged("rouge1", answer, **options).evidence
        assert evidence[row["metric"]] == pytest.approx(right(entry), abs=1e-12)
        scores.append((row["hyp"], row["ref"]))
    paraphrase, wrong = (
        next(s for s in scores if part in s[0]) for part in ("sent 49.90", "94.90")
    )
    by = {
        name: [
            judged("rouge1", Trace("t", steps=tuple(_answer(hyp))), reference=ref, **options).score
            for hyp, ref in (paraphrase, wrong)
        ]
        for name, options in {
            "whitespace": {"tokens": "whitespace", "stem": False},
            "adk": {"tokens": "unicode", "stem": True},
        }.items()
    }
    assert by["whitespace"][1] > 3 * by["whitespace"][0]
    assert by["adk"][0] < 0.8 <= by["adk"][1]


def _answer(text):
    build = TraceBuilder("t")
    build.user("?")
    build.assistant(text)
    return build.steps


def test_partial_credit_is_a_share_of_what_was_required(examples):
    (entry,) = examples["partial_credit"]
    wanted = [f"step_{n}" for n in range(entry["input"]["required"])]
    trace = called(*wanted[: entry["input"]["done"]])
    evidence = judged("tool_call_f1", trace, Case("c", expected_calls=wanted)).evidence
    assert evidence["recall"] == right(entry)
