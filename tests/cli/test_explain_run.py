"""`passhat score --explain`: one run, with where each argument came from."""

import json

import pytest


def chat(*extra):
    asked = {
        "name": "get_order",
        "arguments": json.dumps({"order_id": "A100", "card_id": "card_77"}),
    }
    messages = [
        {"role": "user", "content": "Refund A100\x1b[2J please"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": asked}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "assistant", "content": "I have refunded order A100."},
    ]
    return json.dumps({"id": "r1", "case_id": "a", "trial": 0, "messages": messages})


@pytest.mark.parametrize("name", ["r1", "a/0"])
def test_one_run_as_a_conversation(passhat, recorded, name):
    ran = passhat("score", recorded(chat()), "--from", "openai", "--explain", name)
    assert ran.code == 0, ran.err
    assert "order_id = " in ran.out
    assert "said: the user's words (step 0)" in ran.out
    assert '✗ card_id = "card_77"' in ran.out
    assert "✗ claims: I have refunded order A100. (no successful call did it)" in ran.out
    assert "\x1b" not in ran.out


def test_it_reads_as_the_checks_of_the_suite_do(passhat, recorded, tmp_path):
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        """
cases: [{id: a, input: x}]
checks:
  claimed_action: {claims: {issue_refund: {says: ["ho rimborsato"]}}}
  provenance: {ids: {get_order: [shelf]}, ignore: {get_order: [card_id]}}
"""
    )
    said = chat().replace("I have refunded order A100.", "Ho rimborsato A100.")
    said = said.replace('{\\"order_id\\"', '{\\"shelf\\": \\"top\\", \\"order_id\\"')
    ran = passhat(
        "score", recorded(said), "--from", "openai", "--suite", str(suite), "--explain", "r1"
    )
    assert ran.code == 0, ran.err
    assert "✗ claims: Ho rimborsato A100." in ran.out
    assert '✗ shelf = "top"' in ran.out
    assert "✗ card_id" not in ran.out


def test_the_same_as_data(passhat, recorded):
    ran = passhat(
        "score", recorded(chat()), "--from", "openai", "--explain", "r1", "--format", "json"
    )
    call = next(step for step in ran.json["steps"] if step["kind"] == "call")
    assert [argument["kind"] for argument in call["arguments"]] == ["said", "nowhere"]
    assert ran.json["steps"][-1]["claims"][0]["ok"] is False


def test_a_run_that_is_not_there_is_said(passhat, recorded):
    ran = passhat("score", recorded(chat()), "--from", "openai", "--explain", "r9")
    assert (ran.code, "r9" in ran.err) == (2, True)
