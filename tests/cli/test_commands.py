"""The other commands: explain, validate, schema, adapters, demo, and `passhat` alone."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from passhat.demo import SUITE, TRACES


def test_alone_it_says_what_there_is(passhat):
    ran = passhat()
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80
    for command in ("demo", "score", "validate", "explain", "adapters", "schema"):
        assert f"passhat {command}" in ran.out


def test_version(passhat):
    ran = passhat("--version")
    assert ran.code == 0
    assert ran.out.startswith("passhat ")


@pytest.mark.parametrize(
    ("command", "usage", "argument"),
    [
        ("score", "[OPTIONS] FILE...", "FILE  "),
        ("validate", "[OPTIONS] FILE", "FILE  "),
        ("explain", "[OPTIONS] MODE", "MODE  "),
        ("schema", "[OPTIONS] KIND", "KIND  Which: trace, suite, result, summary, policy, "),
        ("demo", "[OPTIONS]", None),
    ],
)
def test_help_names_arguments_without_the_types_of_python(passhat, command, usage, argument):
    ran = passhat(command, "--help")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == f"Usage: passhat {command} {usage}"
    assert not {"<list[str]>", "<str>", "<int>", "<float>"} & set(ran.out.split())
    assert any(line.startswith(f"  {argument}") for line in lines) is (argument is not None)
    assert any("-h, --help" in line for line in lines)


def test_help_tells_what_each_command_does(passhat):
    assert "..." not in passhat("--help").out.partition("Commands:")[2]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "words", [("schema", "suite"), ("score", TRACES, "--suite", SUITE, "-o", "-")]
)
def test_output_that_finds_no_room_says_so_and_is_no_verdict(words):
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "passhat", *map(str, words)]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == "passhat: the output cannot be written: No space left on device\n"


def test_an_unknown_command_is_wrong_usage(passhat):
    assert passhat("scor").code == 2
    ran = passhat("schema", "sweet")
    assert ran.code == 2
    assert "Invalid value for 'KIND': 'sweet' is not one of 'trace'" in ran.err


def test_explain(passhat):
    ran = passhat("explain", "superset")
    assert ran.code == 0
    assert ran.out.startswith("passhat superset: ")
    assert max(map(len, ran.out.splitlines())) <= 80
    unknown = passhat("explain", "superst")
    assert (unknown.code, unknown.out) == (2, "")
    assert "did you mean superset?" in unknown.err


@pytest.mark.parametrize("kind", ["trace", "suite", "result", "summary"])
def test_schema(passhat, kind):
    ran = passhat("schema", kind)
    assert ran.code == 0
    jsonschema.Draft202012Validator.check_schema(ran.json)


def test_adapters(passhat):
    ran = passhat("adapters", "--format", "json")
    assert ran.code == 0
    found = {row["name"]: row for row in ran.json}
    assert found["openai"]["installed"] is True
    assert found["openai"]["requires"] == []
    assert "openai" in passhat("adapters").out
    assert passhat("adapters", "--format", "md").out.startswith("### Adapters")


def test_validate_a_good_suite(passhat):
    ran = passhat("validate", SUITE)
    assert ran.code == 0
    assert ran.out == f"{SUITE}: no faults, 12 cases, 10 tools\n"
    advised = passhat("validate", SUITE, "--advice", "--format", "json").json
    assert advised["valid"] is True
    assert {advice["kind"] for advice in advised["advice"]} >= {"few cases", "bad input"}


def test_validate_tells_every_fault_with_its_place(passhat, tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text("cases:\n  - id: a\n    forbiden_calls: [x]\n  - id: b\n    mode: any\n")
    ran = passhat("validate", path)
    assert ran.code == 2
    lines = ran.out.splitlines()
    assert lines[0] == (
        f"{path}:3: $.cases[0].forbiden_calls: unknown key, did you mean forbidden_calls?"
    )
    assert lines[1].startswith(f"{path}:5: $.cases[1].mode: ")
    assert "2 faults" in ran.err
    told = passhat("validate", path, "--format", "json")
    assert told.code == 2
    assert [fault["line"] for fault in told.json["faults"]] == [3, 5]


def test_validate_standard_input(passhat):
    ran = passhat("validate", "-", stdin="cases: [{id: a, expected_calls: []}]")
    assert (ran.code, ran.out) == (0, "standard input: no faults, 1 case\n")
    ran = passhat("validate", "-", stdin="cases: [{id: a, mod: exact}]")
    assert ran.code == 2
    assert ran.out.startswith("standard input:1: $.cases[0].mod: unknown key")
    assert ran.err == "passhat: standard input: 1 fault\n"


def test_a_recording_is_no_suite(passhat):
    ran = passhat("validate", TRACES)
    assert ran.code == 2
    assert ran.out.startswith(f"{TRACES}: this is a recording (openai), not a suite")
    assert len(ran.out.splitlines()) == 1


def test_validate_what_is_not_there(passhat, tmp_path):
    ran = passhat("validate", tmp_path / "absent.yaml")
    assert ran.code == 2
    assert "absent.yaml" in ran.out


def test_demo_shows_what_it_promises(passhat):
    ran = passhat("demo")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "Passes 75 % of the time, but 4 times in a row only 42 % of the time."
    assert len(lines) <= 75
    assert max(map(len, lines)) <= 80
    text = ran.out
    for verdict in (
        "ADK, IN_ORDER         ✓ passed",
        "ADK, ANY_ORDER        ✓ passed",
        "agentevals, superset  ✓ passed",
        "passhat               ✗ failed",
    ):
        assert verdict in text
    assert "forbidden: issue_refund" in text
    assert sum(line.startswith("  passhat ") and "✗" not in line for line in lines) == 4
    marks = [line for line in lines if line.startswith("  broken-lamp")]
    assert marks == [f"  broken-lamp    {'●●●●○':<21}{'●●●●○':<21}●●●●○"]
    assert "the same verdicts everywhere" in text


def test_starting_up_loads_nothing_heavy():
    code = (
        "import sys, passhat.cli.app; "
        "heavy = {'numpy', 'scipy', 'yaml', 'rich', 'jsonschema'} & set(sys.modules); "
        "print(sorted(heavy))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout.replace("'", '"')) == []


def test_a_reader_that_stops_reading_is_no_error():
    code = (
        "import os, sys; sys.argv = ['passhat', 'schema', 'suite'];"
        "from passhat.cli import main; main()"
    )
    ran = subprocess.run(
        ["bash", "-c", f'set -o pipefail; {sys.executable} -c "{code}" | true'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    assert ran.returncode == 0


def test_the_demo_is_ascii_where_the_terminal_is(passhat, monkeypatch):
    monkeypatch.setattr("passhat.cli.terminal.ascii_only", lambda: True)
    assert passhat("demo").out.isascii()


@pytest.mark.parametrize("command", [("explain", "superset"), ("demo",), ("adapters",)])
def test_commands_speak_json_and_markdown(passhat, command):
    assert passhat(*command, "--format", "json").json
    assert passhat(*command, "--format", "md").out
    assert passhat("explain", "IN_ORDER").out == passhat("explain", "in-order").out
    assert passhat("schema", "suite", "--format", "md").out.startswith("```json\n")
