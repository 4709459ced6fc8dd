"""`passhat parity` as a shell sees it: what it prints, and its exit codes."""

import json

from passhat.recordings.native import adapter
from passhat.testing import call, says, trace_of, user


def message(*calls):
    asked = [{"function": {"name": name, "arguments": args}} for name, args in calls]
    return {"role": "assistant", "content": "", "tool_calls": asked}


def recorded_to(folder, *traces):
    path = folder / "traces.jsonl"
    adapter.write_traces(traces, path)
    return path


RUN = trace_of(user("Where?"), call("lookup", id="A1").returns({}), says("Here."), id="r1")


def test_the_same_at_every_door_is_0(passhat, suite, tmp_path):
    cases = suite({"id": "a", "input": "Where?", "expected_calls": ["lookup"]}, name="shop")
    ran = passhat("parity", cases, recorded_to(tmp_path, RUN), "--doors", "pytest,openevals")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("The same at 2 doors: 2 verdicts, to the last bit.\n")
    assert "openevals: messages have no state" in ran.out


def test_who_differs_on_which_case_and_why_is_1(passhat, tmp_path):
    row = {
        "id": "a",
        "inputs": "x",
        "outputs": [],
        "reference_outputs": [message(("search", "{}"), ("search", '{"x": 1}'))],
        "trajectory_match_mode": "superset",
        "tool_args_match_mode": "superset",
    }
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(row) + "\n")
    run = trace_of(
        user("x"), call("search", x=1).returns(1), call("search", x=2).returns(1), id="r"
    )
    traces = recorded_to(tmp_path, run)
    doors = ("--doors", "openevals,openevals:trajectory_match")
    ran = passhat("parity", rows, traces, *doors)
    assert ran.code == 1
    assert ran.out.startswith("openevals:trajectory_match says something else; passhat's own ")
    assert "✗ openevals:trajectory_match · a · r · trajectory" in ran.out
    assert "first come, first served" in " ".join(ran.out.split())
    told = passhat("parity", rows, traces, *doors, "--format", "json")
    assert told.code == 1
    assert [door["differs"] for door in told.json["doors"]] == [0, 1]
    page = tmp_path / "parity.md"
    assert passhat("parity", rows, traces, *doors, "--format", "md", "-o", page).code == 1
    assert "| openevals:trajectory\\_match |" in page.read_text()


def test_what_a_door_does_not_carry_is_3(passhat, suite, tmp_path):
    from msgspec.structs import replace

    timed = replace(RUN, started=0.0, ended=1.0)
    cases = suite({"id": "a", "input": "Where?", "budget": {"seconds": 5}}, name="shop")
    ran = passhat("parity", cases, recorded_to(tmp_path, timed), "--doors", "openevals")
    assert ran.code == 3
    assert "~ openevals · a · r1 · budget" in ran.out
    assert "it has another started, ended" in ran.out


def test_wrong_input_is_2_and_says_so(passhat, suite, tmp_path):
    cases = suite({"id": "a", "input": "Where?", "expected_calls": ["lookup"]}, name="shop")
    traces = recorded_to(tmp_path, RUN)
    swapped = passhat("parity", traces, cases)
    assert swapped.code == 2
    assert "holds recorded runs, which expect nothing" in swapped.err
    unknown = passhat("parity", cases, traces, "--doors", "langsmit")
    assert unknown.code == 2
    assert "did you mean langsmith?" in unknown.err
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"schema":"passhat.trace/1","id":5}\n')
    nothing = passhat("parity", cases, broken, "--doors", "openevals")
    assert nothing.code == 2
    assert "nothing could be read" in nothing.err
    assert passhat("parity", cases, tmp_path / "nowhere.jsonl").code == 2


def test_a_run_that_cannot_be_read_costs_itself_and_is_told(passhat, suite, tmp_path):
    cases = suite({"id": "a", "input": "Where?", "expected_calls": ["lookup"]}, name="shop")
    traces = recorded_to(tmp_path, RUN)
    with traces.open("a") as file:
        file.write('{"schema":"passhat.trace/1","id":5}\n')
    ran = passhat("parity", cases, traces, "--doors", "openevals")
    assert ran.code == 3
    assert "1 run: cannot be read" in ran.out
