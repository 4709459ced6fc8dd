"""What people and judges say of failed trials."""

import pytest

from passhat.errors import InputError, UsageError
from passhat.reliability import FailureLabel, FailureLabels, Results, read_labels
from passhat.result import Failure, Trial

LOST = Trial(
    "a", 0, "t0", "failed", failure_class="incomplete", failure=Failure(reason="no refund")
)
OTHER = Trial("=b", 1, "t1", "agent_error", failure_class="agent_error")
WON = Trial("a", 2, "t2", "passed")
BARE = Trial("c", 0, "t3", "failed")
RESULTS = Results((LOST, OTHER, WON, BARE))


def written(tmp_path, text, name="labels.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "case,trial,failure_class,by,note\na,0,gave_up,Ann,it stopped\n",
        "trace_id,label,by,reason,more\r\nt0,gave_up,Ann,it stopped,x\r\n,,,,\r\n",
        '{"case": "a", "trial": 0, "failure_class": "gave_up", "by": "Ann", "note": "it stopped"}\n',
        '{"trace_id": "t0", "label": "gave_up", "by": "Ann", "note": "it stopped", "x": 1}\n',
    ],
)
def test_a_label_goes_before_the_rule_which_is_kept_beside_it(tmp_path, text):
    labels = read_labels(written(tmp_path, text))
    found = RESULTS.relabelled(labels)
    assert found.trials[0].failure_class == "gave_up"
    assert found.trials[0].failure == Failure("Ann", None, "it stopped", (), "incomplete")
    assert found.trials[1:] == RESULTS.trials[1:]
    assert found.summary().failure_classes == {"gave_up": 1, "agent_error": 1, "unclassified": 1}
    assert RESULTS.trials[0].failure_class == "incomplete"
    assert labels.unused(RESULTS) == ()


def test_a_table_of_all_trials_can_be_given_back(tmp_path):
    text = (
        "case,trial,trace_id,status,failure_class\n"
        "a,0,t0,failed,incomplete\n'=b,1,t1,agent_error,looped\na,2,t2,passed,\nc,0,t3,failed,\n"
    )
    found = RESULTS.relabelled(read_labels(written(tmp_path, text)))
    assert [trial.failed_as for trial in found] == ["incomplete", "looped", None, "unclassified"]
    assert found.trials[0].failure.by == "rule"
    assert found.trials[1].failure.rule == "agent_error"


def test_a_label_of_a_label_keeps_what_the_rule_said():
    once = RESULTS.relabelled({("a", 0): "gave_up"})
    twice = once.relabelled({"t0": FailureLabel("looped", "judge")})
    assert twice.trials[0].failure == Failure("judge", None, "no refund", (), "incomplete")


def test_a_judge_is_asked_of_failed_trials_only():
    asked = []

    def judge(trial):
        asked.append(trial.trace_id)
        return "too_slow" if trial.trace_id == "t3" else None

    found = RESULTS.relabelled(judge)
    assert asked == ["t0", "t1", "t3"]
    assert (found.trials[3].failure_class, found.trials[3].failure.by) == ("too_slow", "judge")
    with pytest.raises(UsageError, match="a mapping or a judge"):
        RESULTS.relabelled(7)


def test_labels_that_meet_no_failed_trial_are_told():
    labels = FailureLabels({("a", 2): "gave_up", "nope": "looped", "t0": "looped"})
    assert labels.unused(RESULTS) == (("a", 2), "nope")
    assert RESULTS.relabelled(labels).trials[2] == WON


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case,trial\na,0\n", "labels.csv:1: labels need a column failure_class; there are: case, trial"),
        ("", "labels need a column failure_class; there are: none"),
        ("case,trial,failure_class\na,x,looped\n", "labels.csv:2: trial is a number from 0, not 'x'"),
        ("case,failure_class\na,looped\n", "labels.csv:2: a label names a trial"),
        ("trace_id,label\nt,looped\nt,gave_up\n", "labels.csv:3: trace t has two classes: looped, gave_up"),
        ("trace_id,label\nt," + "x" * 101 + "\n", "at most 100 characters"),
        ('trace_id,label\n"t,looped\n', "not CSV"),
        ('{"trace_id": "t", "label": ["x"]}', "failure_class is a text"),
        ('{"trace_id": "t", "label": "x"}\n[]', "labels.csv:2"),
    ],
)  # fmt: skip
def test_faults_name_their_place(tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        read_labels(written(tmp_path, text))
    assert message in str(caught.value)
