"""What ADK passes over in silence is said, and nothing that a file names is imported."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from passhat.cli.app import app
from passhat_adk.linting import lint

Json = dict[str, Any]
FINE: Json = {"criteria": {"tool_trajectory_avg_score": 1.0}}
LOOSE: Json = {
    "criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"}}
}


def case(**more: Any) -> Json:
    turn = {"user_content": {"parts": [{"text": "hi"}], "role": "user"}}
    return {"eval_id": "c", "conversation": [turn], **more}


def said(folder: Path, config: Json | None, *cases: Json) -> str:
    path = folder / "s.evalset.json"
    value = {"eval_set_id": "s", "eval_cases": list(cases or (case(),))}
    path.write_text(json.dumps(value))
    if config is not None:
        (folder / "test_config.json").write_text(json.dumps(config))
    return "\n".join(map(str, lint(path)))


def custom(path: str, **criteria: Any) -> Json:
    return {
        "criteria": criteria or {"mine": 1.0},
        "custom_metrics": {"mine": {"code_config": {"name": path}}},
    }


def criteria(**stated: Any) -> Json:
    return {"criteria": stated}


def test_unknown_keys_are_told_in_one_order(tmp_path: Path) -> None:
    names = [f"my_{letter}" for letter in "hgfedcba"]
    keys = dict.fromkeys(names, 1)
    stated = {**keys, **criteria(hallucinations_v1={"threshold": 1, "judge_model_options": keys})}
    told = re.findall(r"unknown key (my_.)", said(tmp_path, stated))
    assert told == sorted(names) * 2


def test_what_is_fine_is_fine(tmp_path: Path) -> None:
    assert said(tmp_path, FINE) == ""


@pytest.mark.parametrize(
    ("config", "told"),
    [
        (criteria(tool_trajectory_avg_score={"threshold": 1, "match_typ": "X"}), "did you mean match_type?"),
        (criteria(tool_trajectory_avg_score={"threshold": 1, "match_type": "SOME"}), "no match type 'SOME'"),
        (criteria(tool_trajectory_avg_score={"match_type": "EXACT"}), "needs a threshold"),
        (criteria(tool_trajectory_avg_score=0), "passes whatever happens"),
        ({"criteria": {"mine": 1}, "custom_metrics": {"mine": {
            "code_config": {"name": "json.dumps", "args": [1]}}}},
         "code_config.args: code_config holds a name alone: ADK refuses the whole file"),
        ({"criteria": {"mine": 1}, "custom_metrics": {"mine": {
            "codeConfig": {"name": "json.dumps"}, "metricinfo": {}}}},
         "metricinfo: unknown key metricinfo, did you mean metric_info? ADK passes it over"),
        (criteria(tool_trajectory_score=1.0), "did you mean tool_trajectory_avg_score?"),
        (criteria(token_usage_v1=100.0), "takes no threshold"),
        (criteria(hallucinations_v1={"threshold": 1, "judge_model_options": {"model": "m"}}),
         "unknown key model, did you mean judge_model? ADK refuses the criterion"),
        (criteria(passhat_trajectory={"threshold": 1.0, "mod": "exact"}), "did you mean mode?"),
        (criteria(passhat_trajektory=1.0), "did you mean passhat_trajectory?"),
        (criteria(rubric_based_tool_use_quality_v1={"threshold": 1, "rubrics": [{"name": "r"}]}),
         "rubric without rubric_id; ADK refuses the criterion"),
        ({"criterias": {}}, "did you mean criteria?"),
        ({"criteria": {}}, "no criteria"),
        (custom("no_such_package.metrics.fn"), "there is no module 'no_such_package'"),
        (custom("json.no_such_function"), "has no 'no_such_function'"),
        (custom("passhat_adk.metrics.passhat_nothing"), "passhat has no metric"),
        (custom("agent.my_metrics.fn"), "what `adk eval` calls the agent's folder"),
        (custom("nothing"), "no dotted path"),
        (custom("json.dumps", tool_trajectory_avg_score=1.0), "never runs"),
    ],
)  # fmt: skip
def test_configurations(tmp_path: Path, config: Json, told: str) -> None:
    assert told in said(tmp_path, config)


@pytest.mark.parametrize(
    "code", ["agents/shop/agent.py", "agents/services.py", "conftest.py", None]
)
def test_a_metric_of_ours_that_nothing_makes_known(tmp_path: Path, code: str | None) -> None:
    folder = tmp_path / "agents" / "shop"
    folder.mkdir(parents=True)
    if code is not None:
        (tmp_path / code).write_text("import passhat_adk\n\npasshat_adk.register()\n")
    told = said(folder, criteria(passhat_case=1.0))
    assert ("custom_metrics does not name passhat_case" in told) == (code is None)
    named = {"passhat_case": {"code_config": {"name": "passhat_adk.metrics.passhat_case"}}}
    assert said(folder, {**criteria(passhat_case=1.0), "custom_metrics": named}) == ""


@pytest.mark.parametrize("file", ["agent.py", "shared/apps.py", None])
def test_a_criterion_on_state_that_nothing_records(tmp_path: Path, file: str | None) -> None:
    asked = case(final_session_state={"a": 1})
    (tmp_path / "shared").mkdir()
    stated = {**criteria(passhat_final_state=1.0, passhat_budget=1.0), "custom_metrics": {
        name: {"code_config": {"name": f"passhat_adk.metrics.{name}"}}
        for name in ("passhat_final_state", "passhat_budget")
    }}  # fmt: skip
    assert said(tmp_path, stated, asked) == ""  # the agent is elsewhere
    (tmp_path / "agent.py").write_text("import passhat_adk\n")
    if file is not None:
        (tmp_path / file).write_text("from passhat_adk import TracePlugin\n")
    told = said(tmp_path, stated, asked)
    assert ("passhat_final_state needs the state of the session" in told) == (file is None)
    assert "passhat_budget needs" not in told
    if file is None:
        assert "cannot be judged, and every case fails" in told
        stated["criteria"]["passhat_final_state"] = {"threshold": 1.0, "required": False}
        assert "cannot be judged, and ADK passes the case by the others" in said(
            tmp_path, stated, asked
        )


def test_a_key_that_is_marked_as_a_comment_is_one(tmp_path: Path) -> None:
    assert said(tmp_path, {"_comment": "why", **FINE}) == ""


@pytest.mark.parametrize("mode", ["EXACT", "IN_ORDER"])
def test_calls_without_args_match_none_of_adks(tmp_path: Path, mode: str) -> None:
    expected = {"tool_uses": [{"name": "look"}, {"name": "say", "args": {}}]}
    asked = case()
    asked["conversation"][0]["intermediate_data"] = expected
    criterion: Json = {"threshold": 1.0, "match_type": mode}
    told = said(tmp_path, criteria(tool_trajectory_avg_score=criterion), asked)
    assert "look without args" in told
    assert "say" not in told
    free = criteria(tool_trajectory_avg_score={**criterion, "ignore_args": True})
    assert said(tmp_path, free, asked) == ""
    (tmp_path / "test_config.json").unlink()
    assert "look without args" in said(tmp_path, None, asked)  # ADK's defaults are EXACT


def test_a_configuration_that_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "test_configs.json").write_text("{}")
    found = said(tmp_path, None)
    assert "no test_config.json beside it (test_configs.json is there; is that it?)" in found
    assert "response_match_score 0.8" in found


def test_a_configuration_that_only_the_command_line_names(tmp_path: Path) -> None:
    folder = tmp_path / "evalsets"
    folder.mkdir()
    (tmp_path / "tsconfig.json").write_text("{}")
    found = said(folder, None)
    assert "no test_config.json beside it: ADK takes its defaults" in found
    (tmp_path / "eval_config.json").write_text(json.dumps(FINE))
    found = said(folder, None)
    assert "beside it (../eval_config.json is there; is that it?)" in found
    assert "unless `adk eval --config_file_path` names another" in found


@pytest.mark.parametrize(
    ("config", "cases", "told"),
    [
        (LOOSE, [case()], "IN_ORDER passes whatever is called"),
        (FINE, [case(session_input={"app_name": "", "user_id": "u"})], "app_name is empty"),
        (FINE, [case(session_input={"app_name": "a", "user_id": "u", "session_id": "x"})], "pinned"),
        (
            FINE,
            [
                case(session_input={"app_name": "a", "user_id": "u"}),
                case(eval_id="d", session_input={"app_name": "b", "user_id": "u"}),
            ],
            "name several apps (a, b)",
        ),
        (FINE, [case(rubrics=[{"rubric_id": "r"}, {"rubric_id": "r"}])], "'r' comes twice"),
        (FINE, [case(final_session_state={"a": 1})], "reads final_session_state nowhere"),
        (FINE, [case(), case()], "is the eval_id of eval_cases[0] too"),
        (
            FINE,
            [
                {
                    "eval_id": "c",
                    "conversation_scenario": {
                        "starting_prompt": "a", "conversation_plan": "b", "user_persona": "BORED",
                    },
                }
            ],
            "no persona 'BORED'",
        ),
    ],
)  # fmt: skip
def test_eval_sets(tmp_path: Path, config: Json, cases: list[Json], told: str) -> None:
    assert told in said(tmp_path, config, *cases)


def test_a_scenario_and_a_metric_that_needs_a_conversation(tmp_path: Path) -> None:
    scenario = {"starting_prompt": "hi", "conversation_plan": "Get it."}
    played = {"eval_id": "c", "conversation_scenario": scenario}
    told = said(tmp_path, FINE, played)
    assert "does not evaluate tool_trajectory_avg_score" in told
    assert said(tmp_path, criteria(hallucinations_v1=0.5), played) == ""


def test_a_threshold_of_nothing_lets_no_metric_of_ours_pass(tmp_path: Path) -> None:
    named = {"passhat_case": {"code_config": {"name": "passhat_adk.metrics.passhat_case"}}}
    assert said(tmp_path, {**criteria(passhat_case=0.0), "custom_metrics": named}) == ""


def test_a_check_that_some_cases_say_nothing_of_fails_them(tmp_path: Path) -> None:
    key = {"text_property": '{"before": [["look", "pay"]]}'}
    asked = case(rubrics=[{"rubric_id": "r", "type": "PASSHAT_CHECK", "rubric_content": key}])
    name = "passhat_precedence"
    named = {name: {"code_config": {"name": f"passhat_adk.metrics.{name}"}}}
    required = {**criteria(**{name: 1.0}), "custom_metrics": named}
    told = said(tmp_path, required, asked, case(eval_id="other"))
    assert "1 case of 2 (other) without before: passhat_precedence cannot judge them" in told
    assert said(tmp_path, required, asked) == ""
    informs = {**required, **criteria(**{name: {"threshold": 1.0, "required": False}})}
    assert said(tmp_path, informs, asked, case(eval_id="other")) == ""


def test_a_rubric_of_a_turn_may_not_repeat_one_of_the_case(tmp_path: Path) -> None:
    both = case(rubrics=[{"rubric_id": "r"}])
    both["conversation"][0]["rubrics"] = [{"rubric_id": "r"}]
    assert "ADK ends the whole run there" in said(tmp_path, FINE, both)


def rubric(id: str, kind: str | None = None) -> Json:
    said = {"rubric_id": id, "rubric_content": {"text_property": "Is polite."}}
    return said if kind is None else {**said, "type": kind}


def test_rubrics_that_no_metric_judges(tmp_path: Path) -> None:
    final = "rubric_based_final_response_quality_v1"
    asked = case(rubrics=[rubric("polite"), rubric("brief", "FINAL_RESPONSE_QUALITY")])
    turn = [rubric("calls", "TOOL_USE_QUALITY"), rubric("style", "STYLE")]
    asked["conversation"][0]["rubrics"] = turn
    assert said(tmp_path, criteria(**{final: 0.8}), asked).splitlines() == [
        f"{tmp_path}/s.evalset.json: $.eval_cases[0].{told}"
        for told in (
            "rubrics: c: 1 rubric (polite) without a type: ADK judges those of "
            "FINAL_RESPONSE_QUALITY, TOOL_USE_QUALITY, TRAJECTORY_QUALITY, and passes over these",
            "conversation[0].rubrics: c: 1 rubric (calls) of the type TOOL_USE_QUALITY, which "
            "rubric_based_tool_use_quality_v1 judges, and that is no criterion",
            "conversation[0].rubrics: c: 1 rubric (style) of the type 'STYLE': ADK judges those of "
            "FINAL_RESPONSE_QUALITY, TOOL_USE_QUALITY, TRAJECTORY_QUALITY, and passes over these",
        )
    ]
    assert "judges those of" not in said(tmp_path, custom("json.dumps", mine=1.0), asked)
    (tmp_path / "test_config.json").unlink()
    told = said(tmp_path, None, asked)
    assert "(polite) without a type" in told
    assert "(brief)" not in told  # `adk eval --config_file_path` may name a criterion for it


def test_rubrics_that_a_metric_judges(tmp_path: Path) -> None:
    asked = case(rubrics=[rubric("brief", "FINAL_RESPONSE_QUALITY")])
    own = {"text_property": '{"before": [["look", "pay"]]}'}
    ours = {"rubric_id": "o", "type": "PASSHAT_CHECK", "rubric_content": own}
    asked["conversation"][0]["rubrics"] = [ours]
    judged = criteria(rubric_based_final_response_quality_v1=0.8)
    assert said(tmp_path, judged, asked) == ""


@pytest.mark.filterwarnings("ignore")
def test_adk_itself_passes_over_rubrics_of_another_type() -> None:
    final = pytest.importorskip(
        "google.adk.evaluation.rubric_based_final_response_quality_v1"
    ).RubricBasedFinalResponseQualityV1Evaluator
    from google.adk.evaluation.eval_metrics import EvalMetric, RubricsBasedCriterion
    from google.adk.evaluation.eval_rubrics import Rubric

    own = Rubric.model_validate(rubric("own"))
    criterion = RubricsBasedCriterion(threshold=0.8, rubrics=[own])
    judge = final(EvalMetric(metric_name="m", threshold=0.8, criterion=criterion))
    kinds = (None, "FINAL_RESPONSE_QUALITY", "TOOL_USE_QUALITY", "TRAJECTORY_QUALITY")
    judge.create_effective_rubrics_list(
        [Rubric.model_validate(rubric(str(kind), kind)) for kind in kinds]
    )
    told = [one.rubric_id for one in judge.get_effective_rubrics_list()]
    assert told == ["own", "FINAL_RESPONSE_QUALITY"]


def test_an_app_that_is_not_the_agents_folder(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "agent.py").write_text("raise SystemExit('imported')")
    other = case(session_input={"app_name": "store", "user_id": "u"})
    assert "app_name is 'store' and the agent's folder 'shop'" in said(folder, FINE, other)


@pytest.mark.parametrize("name", ["shop/refunds", "a\\b", "..", "C:refunds"])
def test_a_set_whose_results_adk_does_not_store(tmp_path: Path, name: str) -> None:
    assert said(tmp_path, FINE) == ""
    path = tmp_path / "s.evalset.json"
    path.write_text(json.dumps({"eval_set_id": name, "eval_cases": [case()]}))
    assert "ADK stores no results of a set called" in str(lint(path)[0])


def test_older_shapes_and_what_loads_them(tmp_path: Path) -> None:
    path = tmp_path / "a.test.json"
    path.write_text(json.dumps([{"query": "hi", "reference": "ho"}]))
    assert "only AgentEvaluator loads it" in "\n".join(map(str, lint(path)))


def test_a_list_of_events_is_no_eval_set(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps([{"author": "user", "content": {"parts": [{"text": "hi"}]}}]))
    assert lint(path) == ()
    ran = CliRunner().invoke(app, ["validate", str(path)])
    assert "ADK's sessions hold no suite" in str(ran.exception)


@pytest.mark.parametrize("value", [[case()], [{"eval_set_id": "s", "eval_cases": [case()]}]])
def test_a_list_of_cases_or_of_one_eval_set_is_judged_as_one(tmp_path: Path, value: Json) -> None:
    path = tmp_path / "s.evalset.json"
    path.write_text(json.dumps(value))
    assert "no test_config.json beside it" in "\n".join(map(str, lint(path)))


def test_nothing_that_is_named_is_imported(tmp_path: Path) -> None:
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')\ndef fn(a, b, c): ...\n")
    assert "it takes 3 arguments, and ADK calls it with 4" in said(tmp_path, custom("trap.fn"))
    assert "trap" not in sys.modules


def test_validate_shows_it_and_exits_with_2(tmp_path: Path) -> None:
    said(tmp_path, criteria(tool_trajectory_avg_score={"threshold": 1, "match_typ": "X"}))
    ran = CliRunner().invoke(app, ["validate", str(tmp_path / "s.evalset.json")])
    assert ran.exit_code == 2
    assert "did you mean match_type?" in ran.output
    said(tmp_path, FINE)
    assert CliRunner().invoke(app, ["validate", str(tmp_path / "s.evalset.json")]).exit_code == 0


def test_a_configuration_alone_is_judged_as_one(tmp_path: Path) -> None:
    path = tmp_path / "test_config.json"
    path.write_text(json.dumps(FINE))
    ran = CliRunner().invoke(app, ["validate", str(path)])
    assert ran.exit_code == 0, ran.output
    assert "no faults; it has no cases" in ran.output
    told = CliRunner().invoke(app, ["validate", str(path), "--format", "json"])
    assert json.loads(told.stdout)["valid"] is True
    path.write_text(json.dumps({"critera": FINE["criteria"]}))
    ran = CliRunner().invoke(app, ["validate", str(path)])
    assert ran.exit_code == 2
    assert "unknown key critera, did you mean criteria?" in ran.output


def test_init_makes_the_case_a_criterion_and_leaves_the_rest(tmp_path: Path) -> None:
    agent = tmp_path / "agents" / "shop"
    agent.mkdir(parents=True)
    (agent / "test_config.json").write_text(json.dumps({**FINE, "my": 1}))
    run = CliRunner().invoke(app, ["adk", "init", str(agent), "--services"])
    assert run.exit_code == 0, run.output
    written = json.loads((agent / "test_config.json").read_bytes())
    assert written["criteria"] == {
        "tool_trajectory_avg_score": 1.0, "passhat_case": {"threshold": 1.0},
    }  # fmt: skip
    assert written["my"] == 1
    assert "passhat_adk.register()" in (agent.parent / "services.py").read_text()
    again = CliRunner().invoke(app, ["adk", "init", str(agent), "--services"])
    assert "already" in again.output
    (agent.parent / "services.py").write_text("mine = 1\n")
    refused = CliRunner().invoke(app, ["adk", "init", str(agent), "--services"])
    assert "add `passhat_adk.register()`" in str(refused.exception)
    assert (agent.parent / "services.py").read_text() == "mine = 1\n"


def test_importing_the_adapter_and_converting_loads_no_framework(tmp_path: Path) -> None:
    code = (
        "import sys\nbefore = set(sys.modules)\nimport passhat_adk\n"
        "assert 'passhat.trace' not in sys.modules, 'not lazy'\n"
        "passhat_adk.to_trace([{'author': 'user', 'content': {'parts': [{'text': 'hi'}]}}])\n"
        "passhat_adk.adapter, passhat_adk.to_suite, passhat_adk.from_suite, passhat_adk.register\n"
        "import passhat_adk.metrics\n"
        "loaded = [n for n in set(sys.modules) - before if n.split('.')[0] in ('google', 'pydantic', 'pandas')]\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_names_that_others_rely_on() -> None:
    import passhat_adk

    assert sorted(passhat_adk.__all__) == passhat_adk.__all__
    assert set(passhat_adk.__all__) <= set(dir(passhat_adk))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = passhat_adk.nothing
