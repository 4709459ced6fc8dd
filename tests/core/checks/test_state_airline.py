"""Real runs: the end state, the outputs in the answers and a finished run give the recorded reward."""

import pytest

from passhat.case import Case
from passhat.grading import grade
from passhat.state import StateRules, outcome
from passhat.trace import Trace


def finished(run):
    """Whether the simulation came to its end: the user stopped it, or the agent handed over."""
    last = run["traj"][-1]
    called = [call["function"]["name"] for m in run["traj"] for call in m.get("tool_calls") or ()]
    stopped = last["role"] == "user" and "###STOP###" in last["content"]
    return stopped or (last["role"] == "tool" and "transfer_to_human_agents" in called)


def told(run):
    """Whether every required output stands in one of the agent's replies."""
    replies = [
        message["content"].lower().replace(",", "")
        for message in run["traj"]
        if message["role"] == "assistant" and message["content"] and not message.get("tool_calls")
    ]
    outputs = run["info"]["task"]["outputs"]
    return all(any(output.lower() in reply for reply in replies) for output in outputs)


def test_the_recorded_rewards_of_all_runs(airline):
    """All two hundred, though the counts were made for half of them alone."""
    assert len(airline.runs) == 200
    alone = 0
    for run in airline.runs:
        task, trial = run["task_id"], run["trial"]
        trace = Trace(
            f"{task}/{trial}",
            initial_state=airline.before,
            final_state=airline.after(task, trial),
        )
        case = Case("c", expected_final_state=airline.gold(task), state={"exact": True})
        status = grade(trace, case, ["final_state"]).status
        assert status in ("passed", "failed")
        reward = status == "passed" and told(run) and finished(run)
        assert float(reward) == run["reward"], (task, trial)
        alone += (status == "passed") != bool(run["reward"])
    assert alone > 0  # The state alone does not.


def test_the_outputs_and_equality_that_were_recorded(airline):
    runs = {(run["task_id"], run["trial"]): run for run in airline.runs}
    for row in airline.counted:
        run = runs[row["task_id"], row["trial"]]
        assert told(run) is row["outputs_found"]
        assert (
            float(row["db_equal_by_eq"] and told(run) and finished(run)) == row["reward_recorded"]
        )


@pytest.mark.parametrize("task", range(0, 50, 7))
def test_a_mismatch_says_what_differs(airline, task):
    after, gold = airline.after(task, 0), airline.gold(task)
    misses = outcome(gold, airline.before, after, StateRules(exact=True)).misses
    assert bool(misses) is (after != gold)
    assert all(str(miss).split(".")[0].split("[")[0] in airline.before for miss in misses)
