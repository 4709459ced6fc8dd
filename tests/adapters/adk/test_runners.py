"""The example, run as users run it: pytest by AgentEvaluator, `adk eval`, `adk web`, the command line."""

import asyncio
import json
import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from passhat import score
from passhat_adk import from_suite, to_suite, to_trace, to_traces

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.slow]
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "adk"
SET = "refunds.evalset.json"
BIN = Path(sys.executable).parent


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the example, whose agents can be imported."""
    folder = tmp_path / "adk"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".adk", "__pycache__"))
    monkeypatch.syspath_prepend(str(folder / "agents"))
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == "refund_agent"]:
        del sys.modules[name]


def changed(example: Path, case: int, **keys: Any) -> Path:
    """The example's eval set with keys of a case changed."""
    path = example / "agents" / "refund_agent" / SET
    value = json.loads(path.read_bytes())
    value["eval_cases"][case] |= keys
    path.write_text(json.dumps(value))
    return path


def rubric(**keys: Any) -> list[dict[str, Any]]:
    content = {"text_property": json.dumps(keys)}
    return [{"rubric_id": "passhat:1", "rubric_content": content, "type": "PASSHAT_CHECK"}]


def command(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        args, cwd=cwd, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
    )  # fmt: skip


def test_the_example_is_sound(example: Path) -> None:
    path = f"agents/refund_agent/{SET}"
    done = command(str(BIN / "passhat"), "validate", path, cwd=example)
    assert done.returncode == 0, done.stdout + done.stderr


def test_agent_evaluator(scripted: ModuleType, example: Path) -> None:
    from google.adk.evaluation.agent_evaluator import AgentEvaluator

    def run(path: Path) -> None:
        asyncio.run(
            AgentEvaluator.evaluate("refund_agent", str(path), 2, print_detailed_results=False)
        )

    run(example / "agents" / "refund_agent" / SET)
    with pytest.raises(AssertionError, match=r"passhat_case for refund_agent Failed"):
        run(changed(example, 1, rubrics=rubric(forbidden_calls=["lookup_order"])))


def test_adk_eval_and_the_score_of_what_it_stored(
    scripted: ModuleType, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from click.testing import CliRunner
    from google.adk.cli.cli_tools_click import main

    asked = ["eval", "agents/refund_agent", f"agents/refund_agent/{SET}"]
    good = command(str(BIN / "adk"), *asked, cwd=example)
    assert good.returncode == 0, good.stdout + good.stderr
    changed(example, 1, rubrics=rubric(forbidden_calls=["lookup_order"]))
    monkeypatch.chdir(example)
    # In this process, where ADK is imported: that takes most of the time.
    bad = CliRunner().invoke(main, [*asked, "--print_detailed_results"])
    assert bad.exit_code == 1
    assert "Rubric: passhat_case" in bad.stdout
    assert "lookup_order" in bad.stdout.split("Rubric: passhat_forbidden_calls")[1]
    history = sorted((example / "agents").rglob("*.evalset_result.json"))
    results = score(history, format="adk")
    assert {c.case_id: (c.c, c.n) for c in results.summary([1]).cases} == {
        "delivered": (2, 2), "not_delivered": (1, 2), "asks_first": (2, 2),
    }  # fmt: skip
    assert len(history) == 2


def test_adk_web_lists_and_runs_our_metrics(scripted: ModuleType, example: Path) -> None:
    from fastapi.testclient import TestClient
    from google.adk.cli.fast_api import get_fast_api_app

    changed(example, 1, rubrics=rubric(forbidden_calls=["lookup_order"]))
    server = get_fast_api_app(agents_dir=str(example / "agents"), web=True)
    client = TestClient(server, "http://127.0.0.1:8000", client=("127.0.0.1", 50000))
    listed = client.get("/dev/apps/refund_agent/metrics-info")
    assert listed.status_code == 200, listed.text
    names = [info["metricName"] for info in listed.json()["metricsInfo"]]
    assert "passhat_case" in names
    assert "passhat_trajectory" in names
    ran = client.post(
        "/dev/apps/refund_agent/eval-sets/refunds/run",
        json={
            "evalCaseIds": ["not_delivered"],
            "evalMetrics": [
                {"metricName": "passhat_case", "threshold": 1.0, "criterion": {"threshold": 1.0}}
            ],
        },
    )
    assert ran.status_code == 200, ran.text
    assert "lookup_order" in json.dumps(ran.json())
    assert "forbidden" in json.dumps(ran.json())
    by_page = client.post(
        "/dev/apps/refund_agent/eval-sets/refunds/run",
        json={
            "evalCaseIds": ["delivered"],
            "evalMetrics": [
                {"metricName": name, "threshold": 1.0}
                for name in ("passhat_case", "passhat_trajectory", "response_match_score")
            ],
        },
    )
    assert by_page.status_code == 200, by_page.text
    (result,) = by_page.json()["runEvalResults"]
    said = {row["metricName"]: row for row in result["overallEvalMetricResults"]}
    assert said["passhat_trajectory"]["score"] == 1.0
    assert "passhat_rouge1" in [
        row["rubricId"] for row in said["passhat_case"]["details"]["rubricScores"]
    ]


def test_what_adk_itself_writes_is_read_and_comes_back(
    scripted: ModuleType, example: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commands for eval sets, its web server's sets, cases, sessions and results."""
    from click.testing import CliRunner
    from fastapi.testclient import TestClient
    from google.adk.cli.cli_tools_click import main
    from google.adk.cli.fast_api import get_fast_api_app

    agents = example / "agents"
    folder = agents / "refund_agent"
    scenario = {"starting_prompt": "Hi", "conversation_plan": "Get it.", "user_persona": "NOVICE"}
    (example / "scenarios.json").write_text(json.dumps({"scenarios": [scenario]}))
    session = {"app_name": "refund_agent", "user_id": "u", "state": {"tier": "gold"}}
    (example / "session.json").write_text(json.dumps(session))
    monkeypatch.chdir(example)
    made = CliRunner().invoke(main, ["eval_set", "create", "agents/refund_agent", "made"])
    assert made.exit_code == 0, made.output
    added = CliRunner().invoke(main, [
        "eval_set", "add_eval_case", "agents/refund_agent", "made",
        "--scenarios_file", "scenarios.json", "--session_input_file", "session.json",
    ])  # fmt: skip
    assert added.exit_code == 0, added.output

    server = get_fast_api_app(agents_dir=str(agents), web=True)
    client = TestClient(server, "http://127.0.0.1:8000", client=("127.0.0.1", 50000))

    def sent(method: str, path: str, body: Any = None) -> Any:
        answer = client.request(method, path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    held = sent("POST", "/apps/refund_agent/users/u/sessions", {"state": {"tier": "gold"}})
    for text in ("Please refund A1.", "And B2, please."):
        words = {"role": "user", "parts": [{"text": text}]}
        sent("POST", "/run", {"appName": "refund_agent", "userId": "u", "sessionId": held["id"],
                              "newMessage": words})  # fmt: skip
    ran = sent("GET", f"/apps/refund_agent/users/u/sessions/{held['id']}")
    sets = "/dev/apps/refund_agent/eval-sets"
    sent("POST", sets, {"evalSet": {"eval_set_id": "saved", "eval_cases": []}})
    sent("POST", f"{sets}/saved/add-session",
         {"evalId": "one", "sessionId": held["id"], "userId": "u"})  # fmt: skip
    case = sent("GET", f"{sets}/saved/eval-cases/one")
    criterion = {"threshold": 1.0, "matchType": "EXACT"}
    result = sent("POST", f"{sets}/saved/run", {
        "evalCaseIds": ["one"],
        "evalMetrics": [{"metricName": "tool_trajectory_avg_score", "threshold": 1.0,
                         "criterion": criterion}],
    })  # fmt: skip

    (played,) = to_suite(folder / "made.evalset.json").cases
    assert played.scenario is not None
    assert played.scenario["persona"]["id"] == "NOVICE"
    assert played.initial_state == {"tier": "gold"}
    suite = to_suite(folder / "saved.evalset.json")
    calls = [[call.name for call in turn.expected_calls or ()] for turn in suite.cases[0].turns]
    assert calls == [["lookup_order", "issue_refund"], ["lookup_order"]]
    (by_wire,) = to_suite({"eval_set_id": "saved", "eval_cases": [case]}).cases
    assert by_wire.turns == suite.cases[0].turns
    for name in ("made", "saved"):
        original = json.loads((folder / f"{name}.evalset.json").read_bytes())
        again = from_suite(to_suite(folder / f"{name}.evalset.json"))
        assert original["eval_cases"] == again["eval_cases"]
    trace = to_trace(ran)
    assert [[call.name for call in turn.calls] for turn in trace.turns] == calls
    (judged,) = to_traces(result)
    assert [[call.name for call in turn.calls] for turn in judged.turns] == calls
    assert judged.case_id == "one"
    assert judged.scores["final_eval_status"] == 1.0
    (example / "result.json").write_text(json.dumps(result))
    (stored,) = folder.rglob("*.evalset_result.json")
    for path in (example / "result.json", stored):
        assert [trial.status for trial in score(path)] == ["passed"]


def test_the_scripts_of_the_example(
    scripted: ModuleType, example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(example / "reliability.py"), run_name="__main__")
    assert "pass^5 1.00" in capsys.readouterr().out
    ran = command(sys.executable, "-m", "pytest", "-q", "test_refunds.py", cwd=example)
    assert ran.returncode == 0, ran.stdout
