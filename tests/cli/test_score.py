"""`passhat score`: its exit codes, what it prints and what it writes."""

import json

import jsonschema
import pytest

from passhat.reliability import read_results
from passhat.suitefile.schemas import json_schema


def chat(case_id, number, *calls, said="Done.", **row):
    """A recorded run: a line of OpenAI chat messages."""
    messages = [{"role": "user", "content": f"please {case_id}"}]
    for at, (name, args) in enumerate(calls):
        function = {"name": name, "arguments": json.dumps(args)}
        asked = [{"id": f"c{at}", "type": "function", "function": function}]
        messages.append({"role": "assistant", "content": None, "tool_calls": asked})
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": "ok"})
    messages.append({"role": "assistant", "content": said})
    stated = {"case_id": case_id, "trial": number} if case_id is not None else {}
    return json.dumps({"id": f"{case_id}-{number}", **stated, "messages": messages, **row})


LOOKUP = ("lookup", {"id": "A1"})
REFUND = ("refund", {"amount": 5})
CASE = {"id": "a", "expected_calls": ["lookup"]}


@pytest.mark.parametrize(
    ("lines", "options", "code"),
    [
        ([chat("a", 0, reward=1)], [], 0),
        ([chat("a", 0, reward=1), chat("a", 1, reward=0)], [], 0),
        ([chat("a", 0, reward=1), chat("a", 1, reward=0)], ["--fail"], 1),
        ([chat("a", 0, reward=1)], ["--fail"], 0),
        ([chat("a", 0, reward=1), "{broken"], [], 3),
        ([chat("a", 0, reward=0), "{broken"], ["--fail"], 1),
        ([chat("a", 0, reward=1), "{broken"], ["--strict"], 2),
        (["{broken", "{broken"], [], 2),
        ([chat("a", 0)], [], 3),
        ([chat(None, 0, reward=1)], [], 3),
        ([chat(None, 0, reward=1)], ["--case", "a"], 0),
        ([chat(None, 0, reward=1, metadata={"task": "a"})], ["--case-key", "task"], 0),
        ([chat("a", 0, reward=1)], ["-k", "2"], 2),
        ([chat("a", 0, reward=1)], ["-k", "0"], 2),
        ([chat("a", 0, reward=1)], ["-k", "one"], 2),
        ([chat("a", 0, reward=1)], ["--from", "nobody"], 2),
        ([chat("a", 0, reward=1)], ["--confidence", "95"], 2),
        ([chat("a", 0, reward=1)], ["--method", "wald"], 2),
        ([chat("a", 0, reward=1)], ["--format", "xml"], 2),
        ([chat("a", 0, reward=1)], ["--checks", ","], 2),
        ([chat("a", 0, reward=1)], ["--checks", "trajectry"], 2),
        ([chat("a", 0, reward=1)], ["--no-such-option"], 2),
    ],
)
def test_exit_codes_by_a_recorded_score(passhat, recorded, lines, options, code):
    ran = passhat("score", recorded(*lines), "--from", "openai", "--success", "reward", *options)
    assert ran.code == code, ran.out + ran.err
    assert "Traceback" not in ran.err
    if code == 2:
        assert ran.out == ""
        assert ran.err


@pytest.mark.parametrize(
    ("lines", "cases", "code"),
    [
        ([chat("a", 0, LOOKUP)], [CASE], 0),
        ([chat("a", 0)], [CASE], 0),
        ([chat("b", 0, LOOKUP)], [CASE], 3),
        ([chat("a", 0, LOOKUP), chat("b", 0, LOOKUP)], [CASE], 3),
        ([chat("a", 0, LOOKUP)], [CASE, {"id": "b", "expected_calls": ["lookup"]}], 3),
        ([chat("a", 0, LOOKUP)], [{"id": "a"}], 3),
        ([chat("a", 0, LOOKUP)], [{**CASE, "expected_final_state": {"orders": []}}], 3),
        ([chat("a", 0, LOOKUP)], [{**CASE, "budget": {"cost": 1}}], 3),
        ([chat("a", 0, LOOKUP)], [{**CASE, "forbiden_calls": []}], 2),
    ],
)
def test_exit_codes_by_a_suite(passhat, recorded, suite, lines, cases, code):
    ran = passhat("score", recorded(*lines), "--suite", suite(*cases), "--format", "json")
    assert ran.code == code, ran.out + ran.err
    if code == 3:
        assert ran.json["sensitivity"]["left_out"] > 0
        assert "could not be judged" in ran.err or "has no run" in ran.err


def test_a_suite_and_recorded_expectations_contradict(passhat, recorded, suite):
    ran = passhat("score", recorded(chat("a", 0)), "--suite", suite(CASE), "--expected")
    assert (ran.code, ran.out) == (2, "")
    assert "--suite or --expected" in ran.err


def test_recordings_without_expectations_cannot_be_graded_by_them(passhat, recorded):
    ran = passhat("score", recorded(chat("a", 0)), "--expected")
    assert (ran.code, ran.out) == (2, "")


def test_a_missing_file_is_named(passhat, tmp_path):
    ran = passhat("score", tmp_path / "absent.jsonl", "--success", "reward")
    assert ran.code == 2
    assert "absent.jsonl: cannot be read" in ran.err


def test_a_recording_and_a_suite_in_each_others_place_are_told(passhat, recorded, suite):
    runs, cases = recorded(chat("a", 0, LOOKUP), chat("a", 1)), suite(CASE)
    ran = passhat("score", runs, "--suite", runs)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"passhat: {runs}: this is a recording (openai), not a suite")
    assert len(ran.err.splitlines()) == 1
    ran = passhat("score", cases, "--suite", cases)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"passhat: {cases}: this is a suite, not a recording")


def test_of_many_faults_the_first_are_told(passhat, recorded, suite):
    many = suite(*({"id": f"c{n}", "mod": "exact"} for n in range(25)))
    ran = passhat("score", recorded(chat("a", 0)), "--suite", many)
    assert (ran.code, ran.out) == (2, "")
    assert "$.cases[9].mod: unknown key" in ran.err
    assert "$.cases[10].mod" not in ran.err
    assert "and 15 more faults, which `passhat validate` tells" in ran.err


def test_the_nearest_reader_is_told(passhat, recorded):
    ran = passhat("score", recorded(chat("a", 0)), "--from", "opanai")
    assert "there is no reader 'opanai', did you mean openai?" in ran.err


def test_an_empty_list_is_nothing_to_score(passhat, recorded):
    ran = passhat("score", recorded("[]", name="runs.json"), "--from", "openai")
    assert ran.code == 2
    assert "nothing to score" in ran.err


def test_too_large_a_k_says_which_case_and_what_to_do(passhat, recorded):
    lines = [chat("a", 0, reward=1), chat("b", 0, reward=1), chat("b", 1, reward=1)]
    ran = passhat("score", recorded(*lines), "--success", "reward", "-k", "1,2")
    assert ran.code == 2
    assert "case 'a': k=2 draws from n=1" in ran.err
    assert "run at least 2 trials, or take a k of 1 or less" in ran.err


def test_what_could_not_be_judged_is_named_with_its_reason(passhat, recorded, suite):
    lines = [chat("a", 0, LOOKUP), chat("zz", 0, LOOKUP), "{broken"]
    ran = passhat("score", recorded(*lines), "--suite", suite(CASE))
    assert ran.code == 3
    assert ran.out.startswith("The only run passed. 2 of 3 runs could not be judged.")
    assert "2 runs left out" in ran.out
    assert "runs.jsonl:3" in ran.out
    assert "zz-0" in ran.out
    assert "had they all failed: pass^1 0.333" in ran.out
    assert "2 of 3 runs could not be judged" in ran.err


def test_cases_without_a_run_are_no_runs(passhat, recorded, suite):
    cases = [CASE, {"id": "b", "expected_calls": []}, {"id": "c", "expected_calls": []}]
    lines = [chat("a", n, LOOKUP) for n in range(2)] + ["{broken"]
    ran = passhat("score", recorded(*lines), "--suite", suite(*cases))
    assert ran.code == 3
    lines = ran.out.splitlines()
    assert lines[0].startswith("Both runs of 1 case passed. 1 of 3 runs could not be judged")
    assert lines[2].startswith("3 runs of 1 of 3 cases · ")
    assert "1 run left out · 2 cases have no run" in lines
    assert "2 passed · 2 cases have no run · 1 unreadable" in ran.out
    assert ran.err == "passhat: 1 of 3 runs could not be judged, 2 cases have no run\n"


def test_json_is_a_summary_by_its_schema(passhat, recorded):
    lines = [chat(case, n, LOOKUP, reward=n % 2) for case in "ab" for n in range(4)]
    ran = passhat("score", recorded(*lines), "--success", "reward", "--format", "json", "-k", "1,4")
    assert ran.code == 0
    jsonschema.Draft202012Validator(json_schema("summary")).validate(ran.json)
    assert ran.json["schema"] == "passhat.summary/1"
    assert ran.json["pass_hat_k"] == {"1": 0.5, "4": 0.0}
    assert ran.json["pass_at_k"] == {"1": 0.5, "4": 1.0}
    assert ran.json["about"]["judged_by"] == "recorded score reward"
    assert [(case["case_id"], case["n"], case["c"]) for case in ran.json["cases"]] == [
        ("a", 4, 2),
        ("b", 4, 2),
    ]


def test_k_is_from_one_to_the_fewest_trials_by_default(passhat, recorded):
    lines = [chat("a", n, reward=1) for n in range(3)] + [chat("b", n, reward=1) for n in range(7)]
    ran = passhat("score", recorded(*lines), "--success", "reward", "--format", "json")
    assert list(ran.json["pass_hat_k"]) == ["1", "2", "3"]


def test_results_are_written_and_the_summary_still_printed(passhat, recorded, tmp_path):
    lines = [chat("a", 0, LOOKUP, reward=1), chat("a", 1, LOOKUP, reward=0)]
    target = tmp_path / "results.jsonl"
    ran = passhat("score", recorded(*lines), "--success", "reward", "-o", target)
    assert ran.code == 0
    assert ran.out.startswith("Passes 50 % of the time")
    assert [(trial.case_id, trial.status) for trial in read_results(target)] == [
        ("a", "passed"),
        ("a", "failed"),
    ]
    validator = jsonschema.Draft202012Validator(json_schema("result"))
    for line in target.read_text().splitlines():
        validator.validate(json.loads(line))


def test_nothing_is_written_where_nothing_was_read(passhat, recorded, tmp_path):
    target = tmp_path / "results.jsonl"
    target.write_text("before")
    ran = passhat("score", recorded("{broken"), "--from", "openai", "-o", target)
    assert ran.code == 2
    assert target.read_text() == "before"


def test_standard_input(passhat):
    lines = "".join(f"{chat('a', n, reward=1)}\n" for n in range(2))
    ran = passhat("score", "-", "--success", "reward", "--format", "json", stdin=lines)
    assert ran.code == 0, ran.err
    assert ran.json["pass_hat_k"] == {"1": 1.0, "2": 1.0}
    assert ran.json["about"]["source"] == "standard input"


def test_several_files(passhat, recorded):
    one = recorded(chat("a", 0, reward=1), name="one.jsonl")
    two = recorded(chat("a", 1, reward=0), name="two.jsonl")
    ran = passhat("score", one, two, "--success", "reward", "--format", "json")
    assert ran.json["pass_hat_k"] == {"1": 0.5, "2": 0.0}
    assert ran.json["about"]["source"] == "2 files"


def test_markdown(passhat, recorded):
    ran = passhat(
        "score", recorded(chat("a", 0, reward=1)), "--success", "reward", "--format", "md"
    )
    assert ran.code == 0
    assert ran.out.startswith("## The only run passed.\n")


def test_checks_are_required_instead(passhat, recorded, suite):
    lines = [chat("a", 0, LOOKUP, REFUND)]
    case = {**CASE, "forbidden_calls": ["refund"]}
    by_all = passhat("score", recorded(*lines), "--suite", suite(case), "--format", "json")
    by_one = passhat(
        "score",
        recorded(*lines),
        "--suite",
        suite(case),
        "--format",
        "json",
        "--checks",
        "trajectory",
    )
    assert (by_all.json["ledger"]["failed"], by_one.json["ledger"]["passed"]) == (1, 1)


def test_checks_alone_are_a_verdict_on_runs_that_name_their_case(passhat, recorded):
    lines = [chat("a", 0), chat("a", 1, LOOKUP), chat("b", 0)]
    ran = passhat("score", recorded(*lines), "--checks", "no_calls,loops", "--format", "json")
    assert ran.code == 0, ran.err
    assert ran.json["about"]["judged_by"] == "checks no_calls, loops"
    assert [(c["case_id"], c["n"], c["c"]) for c in ran.json["cases"]] == [("a", 2, 1), ("b", 1, 1)]


@pytest.mark.parametrize(
    ("line", "checks", "reason"),
    [
        (chat(None, 0), "no_calls", "the trace joins no case: it names none"),
        (chat("a", 0), "trajectory", "trajectory: the case states no expected_calls"),
    ],
)
def test_checks_alone_are_no_verdict_where_they_lack_something(
    passhat, recorded, line, checks, reason
):
    ran = passhat("score", recorded(line), "--checks", checks)
    assert ran.code == 3
    assert reason in ran.out


def test_a_trace_cannot_steer_the_terminal(passhat, recorded):
    lines = [chat("a\x1b[2J\x07", n, ("lo\x1b]0;x\x07okup", {}), reward=n) for n in range(2)]
    ran = passhat("score", recorded(*lines), "--success", "reward", "--all")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out


def test_colours_only_where_they_are_wanted(passhat, recorded, monkeypatch):
    path = recorded(chat("a", 0, reward=1))
    assert "\x1b[" not in passhat("score", path, "--success", "reward").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in passhat("score", path, "--success", "reward").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in passhat("score", path, "--success", "reward").out


def test_results_are_never_written_over_the_recording(passhat, recorded):
    path = recorded('{"id": "1", "case_id": "a", "messages": [], "scores": {"ok": 1}}')
    before = path.read_bytes()
    ran = passhat("score", path, "--from", "openai", "--success", "ok", "-o", path)
    assert ran.code == 2
    assert "is what was read; name another file" in ran.err
    assert path.read_bytes() == before


def test_results_on_standard_output_have_it_to_themselves(passhat, recorded):
    row = '{"id": "1", "case_id": "a", "scores": {"ok": 1}, "messages": [{"role": "user", "content": "hi"}]}'
    ran = passhat("score", recorded(row), "--success", "ok", "--format", "json", "-o", "-")
    (line,) = ran.out.splitlines()
    assert json.loads(line)["schema"] == "passhat.result/1"
    assert json.loads(ran.err)["schema"] == "passhat.summary/1"
