"""Policy files: read as JSON types, with every fault told at once."""

import jsonschema
import pytest

from passhat.errors import PolicyError
from passhat.gate import POLICY_SHAPE, policy_from, read_policy
from passhat.gate.proposing import proposed_policy
from passhat.reliability import Results
from passhat.result import CheckResult, Trial
from passhat.trace import Usage

WHOLE = """\
schema: passhat.policy/1
name: support
profile: internal
estimate: these-cases
confidence: 0.9
on_inconclusive: warn
vary: [model, versions]
hard:
  - forbidden_calls
  - check: policies
    below: 0.05
    severity: warn
soft:
  - metric: success_rate
    margin: 0.05
  - metric: efficiency.cost_per_success
    max: 0.1
    severity: warn
    confidence: 0.99
  - metric: rates.own
    relative_margin: 0.1
    better: lower
    tag: refunds
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="gate.yaml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_every_key_is_read(written):
    policy = read_policy(written(WHOLE))
    assert (policy.name, policy.profile, policy.estimate) == ("support", "internal", "these-cases")
    assert (policy.confidence, policy.on_inconclusive) == (0.9, "warn")
    assert policy.vary == ("model", "versions")
    assert [rule.check for rule in policy.hard] == ["forbidden_calls", "policies"]
    assert (policy.hard[1].below, policy.hard[1].severity) == (0.05, "warn")
    assert policy.soft[1].confidence == 0.99
    assert (policy.soft[2].better, policy.soft[2].tag) == ("lower", "refunds")
    assert policy.soft[1].place.line == 16
    assert policy_from(policy.to_dict()).to_dict() == policy.to_dict()
    jsonschema.validate(policy.to_dict(), POLICY_SHAPE)


def test_every_fault_is_told_at_once_with_its_place(written):
    path = written(
        "profle: production\n"
        "confidence: 95\n"
        "estimate: these_cases\n"
        "hard:\n"
        "  - chek: policies\n"
        "soft:\n"
        "  - metric: sucess_rate\n"
        "    min: 0.9\n"
        "  - metric: success_rate\n"
        "    min: 90\n"
        "  - metric: success_rate\n"
        "  - metric: success_rate\n"
        "    min: 0.9\n"
        "    margin: 0.1\n"
        "  - metric: success_rate\n"
        "    min: yes\n"
    )
    with pytest.raises(PolicyError) as caught:
        read_policy(path)
    told = str(caught.value)
    for line in (
        "gate.yaml:1: $.profle: unknown key, did you mean profile?",
        "gate.yaml:2: $.confidence: is 95; the most is 0.999999",
        "gate.yaml:3: $.estimate: cannot be 'these_cases', did you mean these-cases?",
        "gate.yaml:5: $.hard[0].chek: unknown key, did you mean check?",
        "gate.yaml:7: $.soft[0].metric: no metric 'sucess_rate', did you mean success_rate?",
        "gate.yaml:10: $.soft[1].min: is 90; success_rate lies within 0..1 (95 % is 0.95)",
        "gate.yaml:11: $.soft[2]: has no limit: give min, max, margin or relative_margin",
        "gate.yaml:12: $.soft[3]: has both min and margin; write a rule for each",
        "gate.yaml:16: $.soft[4].min: needs a number, not 'yes'",
    ):
        assert line in told, (line, told)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the file is empty"),
        ("[]", "needs a mapping, not a list"),
        ("name: x", "has no rule"),
        ("soft: []", "has no rule"),
        ("hard: [a, a]", "stands here twice"),
        ("hard: a", "needs a list, not 'a'"),
        ("hard: [a]\nhard: [b]", "hard"),
        ("hard: &x [a]\nsoft: *x", "alias"),
        ("hard: [!!python/object/apply:os.system [x]]", "tag"),
        ("hard: [''", "gate.yaml"),
        ("soft: [{metric: success_rate, min: 0.5, better: higher}]", "goes with a margin"),
        ("soft: [{metric: success_rate, margin: -1}]", "is -1; the least is 0"),
        ("schema: passhat.policy/9\nhard: [a]", "this version reads 'passhat.policy/1'"),
    ],
)
def test_what_is_no_policy(written, text, why):
    with pytest.raises(PolicyError, match=why):
        read_policy(written(text))


def test_a_file_that_is_not_there():
    with pytest.raises(PolicyError, match="cannot be read"):
        read_policy("no-such.yaml")


def test_json_reads_too(written):
    assert read_policy(written('{"hard": ["a"]}', "gate.json")).hard[0].check == "a"


def baseline(cost=None, *, failing=0, trials=5):
    found = []
    for case in range(120):
        for number in range(trials):
            failed = case < failing and number == 0
            found.append(
                Trial(
                    f"c{case}",
                    number,
                    f"{case}/{number}",
                    "failed" if (case + number) % 5 == 0 else "passed",
                    (CheckResult.of("policies", not failed), CheckResult.of("approval", True)),
                    usage=None if cost is None else Usage(cost=cost),
                )
            )
    return Results(tuple(found))


def test_a_proposed_policy_is_one_and_accepts_its_baseline(written):
    from passhat.gate import decide

    results = baseline(0.1)
    text = proposed_policy(results)
    policy = read_policy(written(text))
    assert [rule.check for rule in policy.hard] == ["policies", "approval"]
    assert [rule.metric for rule in policy.soft] == [
        "success_rate",
        "pass_hat_k.3",
        "efficiency.cost_per_success",
    ]
    assert 0.02 <= policy.soft[0].margin <= 0.1
    assert decide(results, policy, results).verdict == "accept"
    assert proposed_policy(results) == text


def test_a_check_that_the_baseline_fails_is_no_hard_rule(written):
    text = proposed_policy(baseline(failing=3))
    assert "# policies: the baseline itself failed it in 3 trials of 600" in text
    assert [rule.check for rule in read_policy(written(text)).hard] == ["approval"]


def test_a_margin_that_is_wide_says_so():
    few = Results(tuple(trial for trial in baseline() if trial.case_id in ("c1", "c2", "c3")))
    assert "passhat plan tells how many more" in proposed_policy(few)
