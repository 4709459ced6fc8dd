"""The action and the recipes of the docs: of the right shape, and each of their commands runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/guide/ci.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r'```yaml title="([^"]+)"\n(.*?)```', PAGE, flags=re.S))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
BIN = Path(sys.executable).parent
GOOD = "case,trial,passed\n" + "".join(f"c{i},{t},1\n" for i in range(60) for t in range(3))
BAD = "case,trial,passed\n" + "".join(f"c{i},{t},{t % 2}\n" for i in range(60) for t in range(3))
FEW = "case,trial,passed\n" + "".join(f"c{i},{t},1\n" for i in range(3) for t in range(3))


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        ("vendor.github-actions", "action.yml"),
        *(("vendor.github-workflows", name) for name in BLOCKS if "gitlab" not in name),
        *(("vendor.gitlab-ci", name) for name in BLOCKS if "gitlab" in name),
    ],
)
def test_the_files_are_what_their_hosts_take(schema, name, tmp_path):
    path = ROOT / name
    if name in BLOCKS:
        path = tmp_path / name
        path.write_text(BLOCKS[name], encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


def test_the_inputs_of_the_recipes_are_those_of_the_action():
    for name, text in BLOCKS.items():
        if "gitlab" in name:
            continue
        for step in yaml.safe_load(text)["jobs"]["gate"]["steps"]:
            if "passhat@" in step.get("uses", ""):
                assert step["with"].keys() <= ACTION["inputs"].keys()


def test_no_input_is_pasted_into_a_command():
    assert [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step["run"]] == []


@pytest.fixture
def job(tmp_path):
    """A job's folder, with the recordings of the docs in it."""
    folder = tmp_path / "job"
    folder.mkdir()
    for name in ("runs.jsonl", "suite.yaml"):
        shutil.copy(ROOT / "docs/data" / name, folder)
    return folder


# Charts take most of the time, and only some tests look at them.
PAGELESS = f'''#!/bin/sh
case "$*" in *"--format html"*) exit 0 ;; esac
exec "{BIN}/passhat" "$@"
'''


def act(folder, *, pages=True, **inputs):
    """Runs the action's steps as its host would; gives the exit code, what was said and written."""
    first = BIN
    if not pages:
        first = folder / "bin"
        first.mkdir(exist_ok=True)
        (first / "passhat").write_text(PAGELESS, encoding="utf-8")
        (first / "passhat").chmod(0o755)
    given = {name: str(spec["default"]) for name, spec in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    outputs = {}
    summary, said, code = folder / "summary.md", "", 0
    summary.touch()

    def filled(value):
        for name, text in given.items():
            value = value.replace(f"${{{{ inputs.{name} }}}}", text)
        for name, text in outputs.items():
            value = value.replace(f"${{{{ steps.{name} }}}}", text)
        return re.sub(r"\$\{\{ steps\.[^}]*\}\}", "", value)

    for step in ACTION["runs"]["steps"]:
        if step["name"] == "Install passhat" or (step.get("id") == "score" and given["results"]):
            continue
        told = folder / "step-output"
        told.write_text("", encoding="utf-8")
        env = {
            **os.environ,
            **{name: filled(value) for name, value in step["env"].items()},
            "PATH": f"{first}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(told),
            "GITHUB_STEP_SUMMARY": str(summary),
        }
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        said, code = said + ran.stdout + ran.stderr, ran.returncode
        for line in told.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            outputs[f"{step['id']}.outputs.{name}"] = value
        if code:
            break
    return code, said, outputs.get("gate.outputs.decision"), summary.read_text(encoding="utf-8")


def test_recorded_runs_are_scored_gated_and_reported(job):
    code, said, decision, summary = act(job, runs="nothing/*.gz\nr?ns.jsonl", suite="suite.yaml")
    assert (code, decision) == (2, None)
    assert "nothing/*.gz" in said
    code, said, decision, summary = act(job, runs="r?ns.jsonl", suite="suite.yaml")
    assert (code, decision) == (1, "reject")
    assert "✗ no forbidden_calls failure" in said
    assert summary.startswith("## Reject")
    assert "pass^k" in summary
    folder = job / "passhat-report"
    written = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert written.keys() == {"results.jsonl", "gate.json", "junit.xml", "report.html"}
    assert min(written.values()) > 500


def test_runs_are_found_however_deep_they_lie(job):
    for at, folder in enumerate(("runs", "runs/a", "runs/a b/c")):
        (job / folder).mkdir(parents=True)
        rows = (job / "runs.jsonl").read_text(encoding="utf-8").splitlines()
        (job / folder / "own.jsonl").write_text(rows[at], encoding="utf-8")
    act(job, runs="runs/**/*.jsonl", suite="suite.yaml", pages=False)
    results = (job / "passhat-report/results.jsonl").read_text(encoding="utf-8")
    assert results.count('"trace_id":"own.jsonl') == 3


@pytest.mark.parametrize(
    ("text", "inputs", "expected"),
    [
        (GOOD, {}, (0, "accept")),
        (BAD, {}, (1, "reject")),
        (FEW, {}, (3, "inconclusive")),
        (FEW, {"on_inconclusive": "warn"}, (0, "inconclusive")),
        (GOOD, {"policy": "gate.yaml"}, (2, "error")),
    ],
)
def test_results_of_any_tool_are_gated(job, text, inputs, expected):
    (job / "gate.yaml").write_text(
        "soft:\n  - {metric: checks.tone.mean, min: 0.9}\n", encoding="utf-8"
    )
    (job / "results.csv").write_text(text, encoding="utf-8")
    code, said, decision, _ = act(job, pages=False, results="results.csv", **inputs)
    assert (code, decision) == expected, said


def test_a_baseline_counts_where_there_is_one(job):
    (job / "gate.yaml").write_text(
        "soft:\n  - {metric: success_rate, margin: 0.05}\n", encoding="utf-8"
    )
    (job / "results.csv").write_text(BAD, encoding="utf-8")
    inputs = {"results": "results.csv", "policy": "gate.yaml", "baseline": "base.csv"}
    inputs["pages"] = False
    code, said, decision, _ = act(job, **inputs)
    assert "::warning::passhat: no baseline at base.csv" in said
    assert (code, decision) == (2, "error")
    (job / "base.csv").write_text(GOOD, encoding="utf-8")
    assert act(job, **inputs)[0::2][:2] == (1, "reject")
    (job / "results.csv").write_text(GOOD, encoding="utf-8")
    assert act(job, **inputs)[0::2][:2] == (0, "accept")


def test_runs_that_could_not_be_judged_fail_the_job(job):
    (job / "gate.yaml").write_text(
        "soft:\n  - {metric: success_rate, min: 0.1}\n", encoding="utf-8"
    )
    text = (job / "runs.jsonl").read_text(encoding="utf-8")
    first = text.splitlines()[0].replace("refund-damaged", "nobody-knows").replace("A1001", "A9")
    (job / "runs.jsonl").write_text(f"{text}{first}\n", encoding="utf-8")
    code, said, _, _ = act(
        job, pages=False, runs="runs.jsonl", suite="suite.yaml", policy="gate.yaml"
    )
    assert code == 3
    assert "some runs could not be judged" in said


def test_paths_may_have_spaces_and_inputs_are_never_run(job):
    """Inputs may come from a pull request: names of branches, files of others."""
    (job / "my runs").mkdir()
    for name in ("runs.jsonl", "suite.yaml"):
        (job / name).rename(job / "my runs" / f"the {name}")
    (job / "my policy.yaml").write_text("hard: [unknown_tools]\n", encoding="utf-8")
    code, said, decision, _ = act(
        job,
        runs="my runs/*.jsonl",
        suite="my runs/the suite.yaml",
        policy="my policy.yaml",
        baseline="$(touch ran)`touch ran`\n::error::planted",
        output="my report; touch ran",
    )
    assert (code, decision) == (0, "accept"), said
    assert (job / "my report; touch ran/report.html").stat().st_size > 500
    assert "\n::error::planted" not in said
    hostile = '$(touch ran)`touch ran`"; touch ran; "'
    scoring = dict.fromkeys(("runs", "suite", "success", "from"), hostile)
    gating = dict.fromkeys(("policy", "profile", "vary", "on_inconclusive", "output"), hostile)
    baseline = "my runs/the runs.jsonl"
    for inputs in (scoring, gating | {"results": hostile, "baseline": baseline}):
        code, said, _, _ = act(job, pages=False, **inputs)
        assert code == 2, said
        assert not list(job.rglob("ran"))
    code, said, _, _ = act(job, runs="--help")
    assert code == 2
    assert "Usage" not in said


def test_an_action_without_inputs_says_what_it_needs(job):
    code, said, decision, _ = act(job)
    assert (code, decision) == (2, None)
    assert "::error::passhat: name runs or results" in said


@pytest.mark.parametrize(
    ("event", "baseline", "taken"),
    [
        ("pull_request", True, ["gate"]),
        ("pull_request", False, ["gate"]),
        ("push", True, ["gate", "cp", "save"]),
        ("push", False, ["cp", "save"]),
    ],
)
def test_the_first_run_of_main_becomes_the_baseline(event, baseline, taken):
    """Held to margins it could not be, as there is nothing to hold it to; no pull request is let pass."""
    known = {
        "github.event_name == 'pull_request'": event == "pull_request",
        "hashFiles('baseline.jsonl') != ''": baseline,
        "github.ref == 'refs/heads/main'": event == "push",
    }
    steps = yaml.safe_load(BLOCKS["agent-with-baseline.yml"])["jobs"]["gate"]["steps"]
    names = {"OWNER/passhat": "gate", "actions/cache/save": "save", "cp": "cp"}
    ran = []
    for step in steps:
        begins = re.split("[@ ]", step.get("uses", step.get("run")))[0]
        conditions = step.get("if", "").split(" || ") if "if" in step else []
        if begins in names and (not conditions or any(known[one] for one in conditions)):
            ran.append(names[begins])
    assert ran == taken


def test_a_run_without_a_verdict_hides_no_rejection_in_gitlab(job):
    job_of = yaml.safe_load(BLOCKS["agent.gitlab-ci.yml"])["agent"]
    text = (job / "runs.jsonl").read_text(encoding="utf-8")
    first = text.splitlines()[0].replace("refund-damaged", "nobody-knows").replace("A1001", "A9")
    (job / "runs.jsonl").write_text(f"{text}{first}\n", encoding="utf-8")
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    script = "\n".join(["set -e", *job_of["script"][1:]])
    ran = subprocess.run(script, shell=True, cwd=job, env=env, capture_output=True, check=False)
    assert ran.returncode == 1
    assert ran.returncode not in job_of["allow_failure"]["exit_codes"]


def test_the_gitlab_job_runs(job):
    script = yaml.safe_load(BLOCKS["agent.gitlab-ci.yml"])["agent"]["script"]
    assert script[0].startswith("pip install")
    env = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    codes = [
        subprocess.run(
            line, shell=True, cwd=job, env=env, capture_output=True, check=False
        ).returncode
        for line in script[1:]
    ]
    assert codes == [0, 0, 0, 1]
    assert (job / "junit.xml").stat().st_size > 500
    assert (job / "report.html").stat().st_size > 500
