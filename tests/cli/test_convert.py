"""`passhat convert`: what it writes, says and exits with."""

import json

import pytest

SUITE = """\
schema: passhat.suite/1
name: shop
cases:
  - id: A1
    input: Refund A1
    tags: [money]
    expected_calls: [{name: refund, args: {order: A1}, extra_args: forbid}]
    mode: superset
"""
CHAT = {
    "id": "t",
    "messages": [
        {"role": "user", "content": "hi", "mood": "curious"},
        {"role": "assistant", "content": "Hello."},
    ],
}


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(SUITE)
    return path


def test_it_tells_what_became_of_each_field(passhat, shop, tmp_path):
    ran = passhat("convert", shop, "--to", "adk", "-o", tmp_path / "shop.evalset.json")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("1 case from passhat to adk: ")
    assert (
        "translated    mode of A1: tool_trajectory_avg_score ANY_ORDER is mode superset" in ran.err
    )
    assert "carried       tags of A1: in a rubric" in ran.err


def test_standard_input_to_standard_output(passhat):
    ran = passhat("convert", "-", "--from", "passhat", "--to", "langsmith", stdin=SUITE)
    assert ran.code == 0
    assert json.loads(ran.out)["inputs"] == {"input": "Refund A1"}
    assert "1 case from passhat to langsmith" in ran.err


@pytest.mark.parametrize("form", ["json", "md"])
def test_the_account_is_written(form, passhat, shop, tmp_path):
    report = tmp_path / f"report.{form}"
    ran = passhat("convert", shop, "--to", "openevals", "-o", tmp_path / "x", "--report", report)
    assert ran.code == 0
    text = report.read_text()
    if form == "json":
        found = json.loads(text)
        assert found["schema"] == "passhat.fidelity/1"
        assert found["lossless"]
        assert ("A1", "input") in [(note["case"], note["field"]) for note in found["notes"]]
    else:
        assert "| A1 | mode | translated |" in text
    again = passhat("convert", shop, "--to", "openevals", "-o", tmp_path / "y", "--report", report)
    assert again.code == 2
    assert "--force" in again.err
    assert not (tmp_path / "y").exists()


def test_strict_exits_with_1_and_writes_nothing(passhat, recorded, tmp_path):
    runs = recorded(json.dumps(CHAT))
    report = tmp_path / "r.json"
    target = tmp_path / "x.jsonl"
    lossy = passhat(
        "convert", runs, "--to", "langgraph", "-o", target, "--strict", "--report", report
    )
    assert lossy.code == 1
    assert "(not written)" in lossy.err
    assert not target.exists()
    assert not json.loads(report.read_text())["written"]
    whole = passhat("convert", runs, "--to", "passhat", "-o", target, "--strict")
    assert whole.code == 0
    assert target.exists()


def test_traces_go_from_form_to_form(passhat, recorded, tmp_path):
    runs = recorded(json.dumps(CHAT), json.dumps({**CHAT, "id": "u"}))
    ran = passhat("convert", runs, "--to", "adk", "-o", tmp_path / "x.jsonl", "--format", "json")
    assert ran.code == 0
    found = json.loads(ran.err)
    assert found["count"] == 2
    assert "messages' extensions.mood" in found["fields"]
    back = passhat("convert", tmp_path / "x.jsonl", "--to", "openai", "-o", "-")
    assert [json.loads(line)["id"] for line in back.out.splitlines()] == ["t", "u"]


def test_recorded_runs_become_cases_and_steps(passhat, recorded, tmp_path):
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    chat = [
        CHAT["messages"][0],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "1"},
        CHAT["messages"][1],
    ]
    runs = recorded(json.dumps({"id": "t", "messages": chat}))
    cases = passhat("convert", runs, "--to", "passhat", "--as", "cases", "-o", "-")
    assert "expected_calls:" in cases.out
    ran = passhat("convert", runs, "--to", "passhat", "--as", "steps", "-o", tmp_path / "s.json")
    assert ran.code == 0
    first, second = json.loads((tmp_path / "s.json").read_text())["cases"]
    assert first["id"] == "t/0"
    assert [message["role"] for message in first["input"]] == ["user"]
    assert first["expected_calls"] == [{"name": "f", "args": {}, "extra_args": "forbid"}]
    assert [message["role"] for message in second["input"]] == ["user", "assistant", "tool"]
    assert second["expected_calls"] == []


def test_what_an_agent_inside_a_call_decided_is_no_step_of_the_run(passhat, tmp_path):
    def asks(request, name, id, answered, **more):
        args = {"request": request, "id": id, "answered": answered, "result": "ok", **more}
        return {"kind": "tool_call", "name": name, "executed": True, **args}

    def says(request, text):
        return {"kind": "message", "role": "assistant", "text": text, "request": request}

    steps = [
        {"kind": "message", "role": "user", "text": "Pay A1"},
        says(0, "I ask the clerk."),
        asks(0, "ask_clerk", "d1", 3),
        {"kind": "message", "role": "system", "text": "You are a clerk."},
        says(1, "I pay."),
        asks(1, "pay", "p1", 2, parent="d1"),
        says(2, "Paid."),
        says(3, "It is paid."),
    ]
    runs = tmp_path / "runs.jsonl"
    runs.write_text(json.dumps({"schema": "passhat.trace/1", "id": "t", "steps": steps}))
    ran = passhat("convert", runs, "--to", "passhat", "--as", "steps", "-o", tmp_path / "s.json")
    assert ran.code == 0, ran.err
    first, second = json.loads((tmp_path / "s.json").read_text())["cases"]
    assert [call["name"] for call in first["expected_calls"]] == ["ask_clerk"]
    assert [message["role"] for message in second["input"]] == ["user", "assistant", "tool"]
    assert (second["expected_calls"], second["reference"]) == ([], "It is paid.")


def test_runs_of_one_case_become_one_case_that_all_of_them_join(passhat, recorded, tmp_path):
    def run(*tools):
        calls = [
            {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
            for name in tools
        ]
        asked = {"role": "assistant", "content": None, "tool_calls": calls}
        told = [{"role": "tool", "tool_call_id": name, "content": "1"} for name in tools]
        return json.dumps({"case_id": "a", "messages": [CHAT["messages"][0], asked, *told]})

    runs = recorded("\n".join([run("f"), run("f"), run("g")]))
    suite = tmp_path / "suite.yaml"
    ran = passhat("convert", runs, "--to", "passhat", "--as", "cases", "-o", suite)
    assert "made of the first run" in ran.err
    scored = passhat("score", runs, "--suite", suite, "--format", "json")
    case = json.loads(scored.out)["cases"]
    assert [(one["case_id"], one["n"], one["c"]) for one in case] == [("a", 3, 2)]


@pytest.mark.parametrize("first", ["Pay", " Pay"])
def test_runs_that_name_no_case_and_were_asked_the_same_are_attempts_at_one(
    passhat, recorded, tmp_path, first
):
    def run(asked, tool):
        call = {"id": "c", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        chat = [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "1"},
        ]
        return json.dumps({"messages": chat})

    runs = recorded(
        "\n".join([run(first, "f"), run("Pay", "f"), run("Stop", "h"), run("Pay", "g")])
    )
    suite = tmp_path / "suite.yaml"
    ran = passhat("convert", runs, "--to", "passhat", "--as", "cases", "-o", suite)
    assert "it was asked the same as the first run of a case" in ran.err
    scored = passhat("score", runs, "--suite", suite, "--format", "json")
    assert [(one["n"], one["c"]) for one in json.loads(scored.out)["cases"]] == [(3, 2), (1, 1)]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--to", "nope"), "there is no format 'nope', there are passhat, adk"),
        (("--to", "openai"), "cannot hold a suite"),
        (("--to", "adk", "-o", "no/where.json"), "no/where.json: cannot be written"),
        (("--to", "adk", "--report", "-"), "--report names a file"),
        (("--to", "adk", "--from", "langsmith"), "shop.yaml"),
        (("--to", "adk", "-o", "langsmith:dataset/x"), "address of langsmith"),
    ],
)
def test_wrong_usage_exits_with_2(args, told, passhat, shop, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = passhat("convert", shop, *args)
    assert ran.code == 2
    assert told in ran.err
    assert "Traceback" not in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["shop.yaml"]
