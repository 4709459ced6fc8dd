"""The diff of real states: tau-bench's airline, half of it counted elsewhere, all of it rewarded."""

from passhat.state import diff


def counts(before, after):
    return {
        table: {
            "added": found["added"],
            "removed": found["removed"],
            "changed": found["changed"],
            "leaf_changes": found["leaves"],
        }
        for table, found in diff(before, after, lists="position").counts().items()
    }


def test_every_count_is_reproduced(airline):
    assert len(airline.counted) == 100
    for row in airline.counted:
        agent, gold = airline.after(row["task_id"], row["trial"]), airline.gold(row["task_id"])
        assert counts(airline.before, agent) == row["diff_before_to_agent"], row
        assert counts(airline.before, gold) == row["diff_before_to_gold"], row
        assert counts(gold, agent) == row["diff_gold_to_agent"], row
        assert diff(agent, gold).equal is row["db_equal_by_eq"], row


def test_as_lists_of_rows_the_same_records_change(airline):
    """Without their keys outside, rows find their key themselves."""

    def as_rows(state):
        return {name: list(table.values()) for name, table in state.items() if name != "users"}

    for row in airline.counted[::10]:
        agent = airline.after(row["task_id"], row["trial"])
        expected = counts(airline.before, agent)
        expected.pop("users", None)
        assert counts(as_rows(airline.before), as_rows(agent)) == expected


def finished(messages):
    """Whether the user ended the run, or the agent handed it over; else its limit cut it."""
    called = [
        call["function"]["name"]
        for message in messages
        for call in message.get("tool_calls") or ()
        if message["role"] == "assistant"
    ]
    ended = any("###STOP###" in (m["content"] or "") for m in messages if m["role"] == "user")
    return ended or "transfer_to_human_agents" in called


def test_every_recorded_reward_is_reproduced(airline):
    """The end state as it should be, the outputs in the answer, and the run finished."""
    assert len(airline.runs) == 200
    by_state_alone = 0
    for run in airline.runs:
        task, trial = run["task_id"], run["trial"]
        equal = diff(airline.gold(task), airline.after(task, trial)).equal
        said = [m["content"] or "" for m in run["traj"] if m["role"] == "assistant"]
        text = " ".join(said).lower().replace(",", "")
        outputs = run["info"]["task"]["outputs"]
        told = all(output.lower().replace(",", "") in text for output in outputs)
        reached = equal and told and finished(run["traj"])
        assert reached is (run["reward"] == 1), (task, trial)
        by_state_alone += equal is (run["reward"] == 1)
    assert by_state_alone < 200
