"""The diff of real states: tau-bench's airline, counted independently for half of the runs."""

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
