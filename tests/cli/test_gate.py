"""compare, gate, plan and history on the command line."""

import json

import jsonschema
import pytest

from passhat.reliability import Results
from passhat.result import CheckResult, Trial


@pytest.fixture
def kept(tmp_path):
    """A function that keeps results of `{case: (n, c)}`."""

    def keep(name, counts, *, failing=(), **pins):
        path = tmp_path / name
        Results(
            tuple(
                Trial(
                    case,
                    number,
                    f"t-{case}-{number}",
                    "passed" if number < c else "failed",
                    (CheckResult.of("policies", f"{case}/{number}" not in failing, "deleted it"),),
                    pins=pins,
                )
                for case, (n, c) in counts.items()
                for number in range(n)
            )
        ).save(path)
        return path

    return keep


def many(cases, n, c):
    return {f"c{at}": (n, c) for at in range(cases)}


@pytest.fixture
def base(kept):
    return kept("base.jsonl", many(150, 5, 4))


def test_accept_reject_and_inconclusive_have_their_codes(passhat, kept, base):
    same = kept("same.jsonl", many(150, 5, 4))
    worse = kept("worse.jsonl", {**many(150, 5, 4), **many(60, 5, 0)})
    few = kept("few.jsonl", many(12, 5, 4))
    codes = [passhat("gate", new, "--baseline", base).code for new in (same, worse, few)]
    assert codes == [0, 1, 3]
    assert passhat("gate", few, "--baseline", base, "--on-inconclusive", "warn").code == 0
    ran = passhat("gate", worse, "--baseline", base)
    assert ran.out.startswith("Reject: 'success_rate within 0.05 of the baseline' does not hold")
    assert "c0 #0 (t-c0-0) [4/5 -> 0/5 passed]" in ran.out
    ran = passhat("gate", few, "--baseline", base)
    assert "to settle it: " in ran.out


def test_a_policy_file_decides(passhat, kept, tmp_path):
    policy = tmp_path / "gate.yaml"
    policy.write_text("hard: [policies]\nsoft: [{metric: success_rate, min: 0.5}]\n")
    good = kept("good.jsonl", many(60, 2, 2))
    bad = kept("bad.jsonl", many(60, 2, 2), failing={"c3/1"})
    assert passhat("gate", good, "--policy", policy).code == 0
    ran = passhat("gate", bad, "--policy", policy)
    assert ran.code == 1
    assert "c3 #1 (t-c3-1): deleted it" in ran.out


def test_a_policy_that_asks_for_what_is_not_there_is_wrong_input(passhat, base, tmp_path):
    policy = tmp_path / "gate.yaml"
    policy.write_text("hard:\n  - polices\nsoft:\n  - metric: rates.loops\n    max: 0.1\n")
    ran = passhat("gate", base, "--policy", policy)
    assert ran.code == 2
    assert ran.out == ""
    assert "gate.yaml:2: $.hard[0]: the results have no check 'polices'" in ran.err
    assert "gate.yaml:4: $.soft[0]: rates.loops: the results have no rate 'loops'" in ran.err
    policy.write_text("hrad: [policies]\n")
    ran = passhat("gate", base, "--policy", policy)
    assert ran.code == 2
    assert "gate.yaml:1: $.hrad: unknown key, did you mean hard?" in ran.err


def test_a_table_of_any_tool_is_gated(passhat, tmp_path):
    rows = "".join(f"c{at},{n},{n != at % 5}\n" for at in range(40) for n in range(5))
    table = tmp_path / "other.csv"
    table.write_text(
        "case,trial,passed,note\n" + "".join(f"{row},x\n" for row in rows.splitlines())
    )
    ran = passhat("gate", "-", "--profile", "research", stdin=table.read_text())
    assert ran.code == 0
    assert "standard input" not in ran.out
    assert "columns that are not read: note" in ran.err
    assert passhat("gate", table, "--profile", "internal").code == 0


@pytest.mark.parametrize("text", ["", "\n", "case,passed\n"])
def test_an_empty_result_never_passes(passhat, tmp_path, text):
    empty = tmp_path / "empty.jsonl"
    empty.write_text(text if text.strip() == "" else "")
    assert passhat("gate", empty, "--profile", "research").code == 2
    table = tmp_path / "empty.csv"
    table.write_text(text)
    assert passhat("gate", table, "--profile", "research").code == 2


def test_a_policy_is_proposed_and_then_holds(passhat, base, tmp_path):
    policy = tmp_path / "gate.yaml"
    assert passhat("gate", base, "--write-policy", "-o", policy).code == 0
    assert "hard:\n  - check: policies" in policy.read_text()
    ran = passhat("gate", base, "--baseline", base, "--policy", policy)
    assert ran.code == 0
    assert passhat("gate", base, "--policy", policy, "--write-policy").code == 2


def test_decisions_are_written_in_every_form(passhat, kept, base, tmp_path):
    ran = passhat("gate", base, "--baseline", base, "--format", "json")
    schema = passhat("schema", "decision").json
    jsonschema.validate(ran.json, schema)
    assert (ran.json["verdict"], ran.json["exit_code"]) == ("accept", 0)
    assert passhat("gate", base, "--baseline", base, "--format", "md").out.startswith("## Accept: ")
    target = tmp_path / "decision.json"
    ran = passhat("gate", base, "--baseline", base, "--format", "json", "-o", target)
    assert ran.out == ""
    assert "Accept: " in ran.err
    assert json.loads(target.read_text())["schema"] == "passhat.decision/1"


def test_a_name_without_end_leaves_room_for_the_rest(passhat, tmp_path):
    table = tmp_path / "results.csv"
    table.write_text("case,trial,passed\n" + "".join(f"{'x' * 9000}{n},0,0\n" for n in range(9)))
    assert len(passhat("gate", table).out) < 3_000
    assert len(passhat("gate", table, "--format", "md").out) < 3_000


def test_nothing_is_written_over_what_was_read(passhat, base):
    before = base.read_bytes()
    for command in (("gate", base), ("gate", base, "--baseline", base), ("compare", base, base)):
        ran = passhat(*command, "-o", base)
        assert ran.code == 2
        assert "is what was read" in ran.err
    assert base.read_bytes() == before


def test_two_inputs_cannot_both_be_standard_input(passhat):
    assert passhat("gate", "-", "--baseline", "-").code == 2
    assert passhat("compare", "-", "-").code == 2


def test_compare_tells_what_changed(passhat, kept, base):
    new = kept("new.jsonl", {**many(150, 5, 4), **many(30, 5, 0), "extra": (1, 1)})
    ran = passhat("compare", base, new)
    assert ran.code == 0
    assert ran.out.startswith("Worse: success 80.0 % -> 64.0 %, -16.0 points")
    assert "1 case only in" in ran.out
    found = passhat("compare", base, new, "--format", "json").json
    jsonschema.validate(found, passhat("schema", "comparison").json)
    assert found["mcnemar"]["broke"] == 30
    md = passhat("compare", base, new, "--format", "md").out
    assert "| metric | base | new |" in md


def test_compare_refuses_other_pins_until_they_are_named(passhat, kept):
    one, two = (kept(f"{model}.jsonl", many(9, 2, 1), model=model) for model in ("m1", "m2"))
    ran = passhat("compare", one, two)
    assert ran.code == 2
    assert "say --vary model" in ran.err
    assert passhat("compare", one, two, "--vary", "model").code == 0
    assert passhat("gate", two, "--baseline", one).code == 2
    assert passhat("gate", two, "--baseline", one, "--vary", "model").code in (0, 1, 3)


def test_a_plan_is_told(passhat):
    ran = passhat("plan", "--rate", ".8", "--margin", ".05", "--power", ".8", "--below", "0.01")
    assert ran.code == 0
    assert "299 cases" in ran.out
    found = passhat("plan", "--rate", ".8", "--margin", ".05", "--format", "json").json
    assert [size["trials"] for size in found["sizes"]] == [1, 3, 5, 10]
    for wrong in (("--rate", "80"), ("--rate", "0.8", "--trials", "x")):
        assert passhat("plan", "--margin", ".05", *wrong).code == 2
    assert passhat("plan").code == 2


def test_runs_are_kept_and_their_history_shown(passhat, recorded, tmp_path, kept):
    folder = tmp_path / "runs"
    runs = "docs/data/runs.jsonl"
    ran = passhat("score", runs, "--success", "reward", "--save", folder)
    assert ran.code == 0
    assert "kept as " in ran.err
    passhat("score", runs, "--success", "reward", "--save", folder, "-o", tmp_path / "also.jsonl")
    assert len(list(folder.iterdir())) == 2
    assert (tmp_path / "also.jsonl").read_bytes() == sorted(folder.iterdir())[0].read_bytes()
    ran = passhat("history", folder)
    assert ran.code == 0
    assert ran.out.startswith("2 runs: the last passes ")
    jsonschema.validate(
        passhat("history", folder, "--format", "json").json, passhat("schema", "history").json
    )
    (folder / "broken.jsonl").write_text("{}\n")
    ran = passhat("history", folder)
    assert ran.code == 3
    assert "broken.jsonl" in ran.err
    assert passhat("history", tmp_path / "none").code == 2


def test_what_a_model_wrote_steers_no_terminal_and_no_page(passhat, kept):
    name = "\x1b[2Jx|<b>`"
    base, new = kept("b.jsonl", {name: (5, 5)}), kept("n.jsonl", {name: (5, 0)})
    for command in (("compare", base, new), ("gate", new, "--baseline", base)):
        assert "\x1b[2J" not in passhat(*command).out
        told = passhat(*command, "--format", "md").out
        assert "<b>" not in told
        assert "\x1b" not in told


def test_runs_that_could_not_be_read_are_not_forgotten_on_the_way(passhat, tmp_path):
    """Twenty good runs and eighty that no one could read: neither file nor CSV is green."""
    message = '{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}'
    runs = [f'{{"case_id": "c{at}", "reward": 1, "messages": [{message}]}}' for at in range(20)]
    recorded = tmp_path / "runs.jsonl"
    recorded.write_text("\n".join([*runs, *["{broken"] * 80]), encoding="utf-8")
    results, table = tmp_path / "results.jsonl", tmp_path / "results.csv"
    scored = passhat(
        "score",
        recorded,
        "--success",
        "reward",
        "-o",
        results,
        "--save",
        tmp_path / "kept",
        "--format",
        "json",
    )
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.read_bytes() == results.read_bytes()
    told = passhat("report", results, "--format", "json")
    both = [
        {name: ran.json[name] for name in ("unread", "sensitivity", "ledger")}
        for ran in (scored, told)
    ]
    assert both[0] == both[1]
    assert both[0]["unread"]["count"] == 80
    assert passhat("report", results, "-o", table).code == 0
    policy = tmp_path / "gate.yaml"
    policy.write_text("soft:\n- {metric: success_rate, min: 0.6}\n", encoding="utf-8")
    for path in (results, table):
        ran = passhat("gate", path, "--policy", policy)
        assert ran.code == 3
        assert "left out: 80 that could not be read" in ran.out


def test_recordings_are_no_results_and_it_is_said_how_they_become_some(passhat, base, tmp_path):
    recorded = tmp_path / "runs.jsonl"
    recorded.write_text('{"messages": [{"role": "user", "content": "hi"}]}\n')
    for ran in (passhat("gate", recorded), passhat("compare", base, recorded)):
        assert ran.code == 2
        assert "runs.jsonl:1: not a result: " in ran.err
        assert "made by: passhat score RECORDING -o results.jsonl" in ran.err
    broken = tmp_path / "broken.jsonl"
    broken.write_text(base.read_text().splitlines()[0] + "\n{}\n")
    assert "made by" not in passhat("gate", broken).err
