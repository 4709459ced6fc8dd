"""What `passhat score` says where something is not as it should be, and how to go on."""

import json
import shlex

import pytest


def chat(reward=None, answer="ok", **stated):
    asked = {"id": "c", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Pay"},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "c", "content": answer},
        {"role": "assistant", "content": "Paid."},
    ]
    return json.dumps({"messages": messages, "reward": reward, **stated})


def test_the_keys_that_could_name_a_case_are_named(passhat, recorded):
    ran = passhat("score", recorded(chat(1, task="a", odd=[1])), "--success", "reward")
    assert ran.code == 3
    assert "name it with --case-key (the metadata has 'task') or --case" in " ".join(
        ran.out.split()
    )


def test_runs_without_a_verdict_make_a_suite_by_the_command_that_is_told(
    passhat, recorded, tmp_path, monkeypatch
):
    runs = recorded(chat(case_id="a"))
    ran = passhat("score", runs)
    assert ran.code == 3
    told = ran.err.strip().rpartition("a case for each task: passhat ")[2]
    monkeypatch.chdir(tmp_path)
    assert passhat(*shlex.split(told)).code == 0
    assert passhat("score", runs, "--suite", "suite.yaml").code == 0
    assert "suite to begin with" not in passhat("score", runs, "--success", "nope").err


def test_a_suite_of_several_files_is_made_of_one_that_holds_their_runs(passhat, recorded, tmp_path):
    one = recorded(chat(case_id="a"))
    other = tmp_path / "other.jsonl"
    other.write_text(chat(case_id="b"), encoding="utf-8")
    assert "first of" not in passhat("score", one).err
    assert "that is of the first of 2 files" in passhat("score", one, other).err


def test_a_score_that_is_misspelt_is_guessed(passhat, recorded):
    ran = passhat("score", recorded(chat(1, case_id="a")), "--success", "rewrd", "--format", "json")
    (left_out,) = ran.json["left_out"]
    assert "no score 'rewrd': did you mean reward? it has reward" in left_out["reason"]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"dialog": [], "task": 1}', "it begins with an object that has 'dialog', 'task'"),
        ("[[1, 2]]", "it begins with a list, and that with a number"),
        ("Dear team,", "it holds no JSON object"),
        ("[]\n", "it is an empty list"),
    ],
)
def test_a_file_of_no_known_form_is_described(passhat, recorded, text, seen):
    ran = passhat("score", recorded(text), "--success", "reward")
    assert (ran.code, f"does not tell what recorded it ({seen})" in ran.err) == (2, True), ran.err


def test_an_error_pattern_makes_errors_of_answers(passhat, recorded):
    runs = recorded(chat(1, "FAIL: no", case_id="a"), chat(1, case_id="b"))
    plain, told = (
        passhat("score", runs, "--success", "reward", "--format", "json", *more).json
        for more in ((), ("--error-pattern", "^FAIL"))
    )
    assert plain["rates"]["error_rate"] == {"value": 0.0, "of": 2.0, "hits": 0.0}
    assert told["rates"]["error_rate"] == {"value": 0.5, "of": 2.0, "hits": 1.0}
    broken = passhat("score", runs, "--success", "reward", "--error-pattern", "(")
    assert (broken.code, "is no regular expression" in broken.err) == (2, True)


def test_calls_in_excess_that_failed_a_run_are_where_calls_part(passhat, recorded, suite):
    cases = suite({"id": "a", "input": "Pay", "expected_calls": [], "mode": "exact"})
    ran = passhat("score", recorded(chat(case_id="a")), "--suite", cases)
    assert "Where calls part from the expected ones" in ran.out
    row = next(line for line in ran.out.splitlines() if line.split()[:1] == ["pay"])
    assert row.split() == ["pay", "1"]
