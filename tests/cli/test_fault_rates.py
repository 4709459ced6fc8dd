"""`passhat run` in a sandbox: `--sandbox`, `--user`, `--fault-rates` and what they refuse."""

import json
import sys

import pytest

MODULE = """
from passhat import Sandbox, ScriptedUser
def ping(n: int):
    return f"pong {n}"
sandbox = Sandbox([ping])
user = ScriptedUser(rules={"which": "Number seven."})
def agent(case, tools):
    for _ in range(2):
        said = tools.answer("ping", {"n": 1})
        if not said.startswith("Error"):
            return said
    return "Sorry, it did not work."
def loud(case, tools):
    print("I am an agent")
    return tools.answer("ping", {"n": 1})
def talks(case, messages, tools):
    return "Which?" if len(messages) < 2 else f"{messages[-1]['content']} pong"
"""
CASES = [{"id": name, "input": "ok?", "response": {"includes": "pong"}} for name in "abcd"]


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A folder with an agent, a sandbox and a suite, which is the current one."""
    (tmp_path / "shop_of_a_test.py").write_text(MODULE)
    (tmp_path / "suite.json").write_text(json.dumps({"name": "s", "cases": CASES}))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("shop_of_a_test", None)


def command(*more, agent="agent"):
    return (
        *("run", "suite.json", "--agent", f"shop_of_a_test:{agent}", "--quiet"),
        *("--sandbox", "shop_of_a_test:sandbox", "--trials", "4", *more),
    )


def test_pass_hat_k_is_drawn_against_the_rate(passhat, shop):
    ran = passhat(*command("--fault-rates", "0,.5,1", "-o", "r.jsonl", "--format", "json"))
    assert ran.code == 0
    points = {point["rate"]: point["summary"] for point in ran.json["points"]}
    assert points[0.0]["pass_hat_k"]["1"] == 1.0
    assert 0 < points[0.5]["pass_hat_k"]["1"] < 1
    assert points[1.0]["pass_hat_k"]["1"] == 0.0
    assert len((shop / "r.faults-0.5.jsonl").read_text().splitlines()) == 16
    again = passhat(*command("--fault-rates", "0,.5,1", "-o", "r.jsonl", "--resume"))
    assert again.code == 0
    assert again.out.splitlines()[0] == "pass^k against the fault rate"
    assert len(again.out.splitlines()) == 5


def test_what_an_agent_prints_is_no_result(passhat, shop):
    ran = passhat(*command("--fault-rates", "0,1", "--format", "json", agent="loud"))
    assert len(ran.json["points"]) == 2
    assert "I am an agent" in ran.err


def test_kinds_may_be_named(passhat, shop):
    ran = passhat(*command("--fault-rates", "1", "--fault-kinds", "empty", "--format", "md"))
    assert ran.code == 0
    assert "| 1 | 0.000 |" in ran.out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--fault-rates", "0,2"), "a chance from 0 to 1, not 2.0"),
        (("--fault-rates", "a"), "give chances, as in 0,.1,.2,.4"),
        (("--fault-rates", ","), "at least one fault rate"),
        (("--fault-rates", ".1", "--fault-kinds", "timeot"), "did you mean timeout"),
        (("--fault-kinds", "timeout"), "give both"),
        (("--fault-rates", ".1", "--fail"), "failures are expected"),
        (("--fault-rates", ".1", "-o", "-"), "name a file"),
        (("--fault-rates", ".1", "--until", "decided"), "leave one out"),
    ],
)
def test_what_cannot_mean_anything_is_refused(passhat, shop, more, said):
    ran = passhat(*command(*more))
    assert ran.code == 2
    assert said in ran.err
    assert not list(shop.glob("*.journal"))


def test_faults_need_a_sandbox(passhat, shop):
    ran = passhat("run", "suite.json", "--agent", "shop_of_a_test:talks", "--fault-rates", ".1")
    assert (ran.code, "give --sandbox" in ran.err) == (2, True)


def test_a_user_is_imported(passhat, shop):
    case = {"id": "a", "scenario": {"goal": "Ping."}, "response": {"includes": "seven. pong"}}
    (shop / "suite.json").write_text(json.dumps({"name": "s", "cases": [case]}))
    ran = passhat(*command("--user", "shop_of_a_test:user", "--format", "json", agent="talks"))
    assert ran.code == 0
    assert ran.json["pass_hat_k"]["4"] == 1.0
    ran = passhat(*command("--user", "shop_of_a_test:nobody", agent="talks"))
    assert (ran.code, "has no 'nobody'" in ran.err) == (2, True)
