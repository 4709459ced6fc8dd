"""`passhat run`: its output, its exit codes, Ctrl-C, and what it refuses."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest

from passhat.reliability import read_results
from passhat.trials.showing import Lines

AGENT = """
import os
import subprocess
import time
def agent(case):
    if case.id == "bad":
        return "no"
    return "yes"
def slow(case):
    time.sleep(0.2)
    return "yes"
def down(case):
    raise ConnectionError("down")
def loud(case):
    print("I am an agent")
    return "yes"
def loud_below(case):
    os.write(1, b"raw\\n")
    subprocess.run(["echo", "I am a program"])
    return "yes"
class Odd(Exception):
    pass
def odd(case):
    raise Odd("warehouse 7")
not_an_agent = 7
"""
CASES = [{"id": name, "input": "ok?", "response": {"equals": "yes"}} for name in ("good", "bad")]


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with an agent and a suite, which is the current one."""
    (tmp_path / "agent_of_a_test.py").write_text(AGENT)
    (tmp_path / "suite.json").write_text(json.dumps({"name": "s", "cases": CASES}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("agent_of_a_test", None)
    return tmp_path


def args(name="agent", *more):
    return ["run", "suite.json", "--agent", f"agent_of_a_test:{name}", "--trials", "3", *more]


def test_it_runs_sums_up_and_writes_results_and_traces(passhat, shop):
    ran = passhat(*args("agent", "-o", "r.jsonl", "--traces", "t.jsonl", "-k", "1,3"))
    assert ran.code == 0
    assert "6 runs of 2 cases · agent_of_a_test:agent · judged by suite.json" in ran.out
    assert "passhat: 6/6 trials; passes 50 %, 3 in a row 50 %" in ran.err
    assert [t.passed for t in read_results("r.jsonl")] == [True] * 3 + [False] * 3
    again = passhat("score", "t.jsonl", "--suite", "suite.json", "--format", "json")
    assert again.json["pass_hat_k"]["1"] == 0.5
    assert sorted(p.name for p in shop.glob("r.*")) == ["r.journal", "r.jsonl"]


@pytest.mark.parametrize(
    ("more", "code"),
    [((), 0), (("--fail",), 1), (("--agent", "agent_of_a_test:down", "--retries", "0"), 3)],
)
def test_its_exit_codes(passhat, shop, more, code):
    assert passhat(*args("agent", "--quiet", *more)).code == code


def test_its_formats(passhat, shop):
    assert passhat(*args("agent", "--format", "json")).json["ledger"]["passed"] == 3
    assert "|" in passhat(*args("agent", "--format", "md")).out
    ran = passhat(*args("agent", "-o", "-", "--format", "json"))
    assert len(ran.out.splitlines()) == 6
    assert json.loads(ran.out.splitlines()[0])["schema"] == "passhat.result/1"


def test_what_an_agent_prints_is_no_result(passhat, shop):
    for more in ((), ("--isolate",)):
        ran = passhat(*args("loud", "--format", "json", *more))
        assert ran.json["ledger"]["passed"] == 6
    assert "I am an agent" in passhat(*args("loud", "-o", "-")).err


@pytest.mark.parametrize("more", [(), ("--isolate",)])
def test_what_an_agents_programs_print_is_no_result(shop, more):
    command = [sys.executable, "-m", "passhat", *args("loud_below", "--format", "json", *more)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout)["ledger"]["passed"] == 6
    assert ran.stderr.count("I am a program") == ran.stderr.count("raw\n") == 6


def test_errors_are_of_the_surroundings_when_it_is_said(passhat, shop):
    ran = passhat(*args("odd", "--format", "json"))
    assert ran.json["ledger"]["agent_error"] == 6
    more = ("--infrastructure", "^Odd: warehouse", "--retries", "0", "--format", "json")
    ran = passhat(*args("odd", *more))
    assert (ran.code, ran.json["ledger"]["infrastructure_error"]) == (3, 6)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--agent", "nothing"), "give package.module:name"),
        (("--agent", "agent_of_a_test:not_an_agent"), "no callable, but int"),
        (("--agent", "agent_of_a_test:nobody"), "has no 'nobody'"),
        (("--trials", "0"), "trials is a whole number from 1 on"),
        (("-k", "0"), "-k 0"),
        (("--pin", "model"), "give NAME=VALUE"),
        (("--infrastructure", "("), "no regular expression"),
        (("--resume", "--fresh"), "exclude each other"),
        (("--max-cost", "0"), "max_cost is more than 0"),
        (("--journal", "r.jsonl", "-o", "r.jsonl"), "the journal or the suite itself"),
        (("-o", "suite.json"), "the journal or the suite itself"),
        (("--checks", "no_such_check"), "no_such_check"),
    ],
)
def test_what_means_nothing_is_told(passhat, shop, more, told):
    ran = passhat(*args("agent", *more))
    assert ran.code == 2
    assert told in ran.err
    assert not list(shop.glob("*.jsonl"))


def test_a_suite_that_changed_is_refused_and_named(passhat, shop):
    assert passhat(*args("agent", "-o", "r.jsonl", "--max-seconds", "0.000001")).code == 3
    changed = [CASES[0], {**CASES[1], "input": "ok now?"}]
    (shop / "suite.json").write_text(json.dumps({"name": "s", "cases": changed}))
    ran = passhat(*args("agent", "-o", "r.jsonl", "--resume"))
    assert ran.code == 2
    assert "the suite: case bad changed" in ran.err
    assert passhat(*args("agent", "-o", "r.jsonl", "--resume", "--vary")).code == 0


def test_results_that_cannot_be_written_are_no_reason_to_lose_trials(passhat, shop):
    ran = passhat(*args("agent", "-o", "no/r.jsonl", "--journal", "j.journal"))
    assert ran.code == 2
    assert "cannot be written" in ran.err
    ran = passhat(*args("agent", "-o", "r.jsonl", "--journal", "j.journal", "--resume"))
    assert (ran.code, len(read_results("r.jsonl"))) == (0, 6)


def begun(shop, *more, **options):
    command = [sys.executable, "-m", "passhat", *args("slow", "--concurrency", "1", *more)]
    return subprocess.Popen(command, cwd=shop, text=True, **options)


@pytest.mark.parametrize(
    ("number", "name"), [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")]
)
def test_a_signal_ends_it_cleanly_and_resume_goes_on(passhat, shop, number, name):
    process = begun(shop, "-o", "r.jsonl", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 30
    while not finished(shop / "r.journal") and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    told = re.search(
        rf"stopped by {name}: (\d) of 6 trials are finished and kept in r\.journal", err
    )
    assert told
    assert "--resume" in err
    done = int(told[1])
    assert [t.status for t in read_results(shop / "r.jsonl")].count("passed") == done
    ran = passhat(*args("slow", "-o", "r.jsonl", "--resume"))
    assert ran.code == 0
    assert len(read_results("r.jsonl")) == 6
    assert "6/6 trials" in ran.err


def finished(journal):
    import sqlite3

    if not journal.exists():
        return 0
    try:
        db = sqlite3.connect(journal)
        try:
            return db.execute("SELECT count(*) FROM trials WHERE status = 'passed'").fetchone()[0]
        finally:
            db.close()
    except sqlite3.Error:
        return 0


def test_on_a_terminal_it_shows_a_bar(shop):
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = begun(shop, stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait(timeout=30) == 0
    assert b"passes 100 %" in shown
    assert re.search(rb"[1-5]/6", shown)


def test_lines_come_now_and_then(capsys):
    from passhat.reliability import Counts
    from passhat.result import Trial
    from passhat.trials.standing import Standing

    now = [0.0]
    lines = Lines(sys.stderr, clock=lambda: now[0])
    standing = Standing(100, {"a": Counts(0, 0, "a")})
    for number in range(100):
        trial = Trial("a", number, "t", "passed" if number % 4 else "failed")
        standing.add(trial)
        lines.trial(trial, standing)
        now[0] += 0.5
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 10
    assert told[0] == "passhat: 11/100 trials; passes 73 %, 5 in a row 12 %; 2.2/s"
    assert told[-1].startswith("passhat: 100/100 trials; passes 75 %")
