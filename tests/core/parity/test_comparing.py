"""Doors beside `passhat.grade`: equal, differing, not carrying, not judging, broken and absent."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from msgspec.structs import replace as with_fields

from passhat import Case, Suite, UsageError
from passhat.parity import Told, Verdict, compare_doors, comparing, told_of
from passhat.parity.pytest_door import PytestDoor
from passhat.recordings.openai_chat import OpenAIChat
from passhat.report.blocks import Heading
from passhat.report.parity import parity_blocks
from passhat.scoring import grade
from passhat.testing import call, calls, says, trace_of, user

SUITE = Suite(
    "shop",
    (
        Case("a", "Where is A1?", expected_calls=["lookup"]),
        Case("b", "Bye", response_must_include=["bye"]),
    ),
)
RUNS = (
    trace_of(user("Where is A1?"), call("lookup").returns(1), says("Here."), id="r1"),
    trace_of(user("Where is A1?"), says("No idea."), id="r2"),
    trace_of(user("Bye"), says("bye"), id="r3"),
)


@dataclass
class Fake:
    """A door that says what `passhat.grade` says, but for what a test changes."""

    change: Any = None
    kind: str = "ours"
    requires: tuple[str, ...] = ()
    name: str = "fake"
    about: str = "a door of a test"
    not_carried: tuple[str, ...] = ()

    def carries(self, told):
        return told

    def verdicts(self, suite, attempts):
        found = [Verdict(told_of(grade(one.trace, one.case))) for one in attempts]
        return [
            self.change(v, a) if self.change else v for v, a in zip(found, attempts, strict=True)
        ]


@pytest.fixture
def through(monkeypatch):
    """Compares one door with `passhat.grade`."""

    def run(door, traces=RUNS, suite=SUITE, **options):
        line = "pip install fake" if "no-such-distribution" in door.requires else ""
        monkeypatch.setattr(comparing, "_offered", lambda suite: iter([(door, line)]))
        named = None if line else [door.name]
        return compare_doors(suite, traces, **{"doors": named, **options})

    return run


def changed(**fields):
    """A door that says something else of run r2's case."""

    def change(verdict, attempt):
        if attempt.trace.id != "r2":
            return verdict
        first, *rest = verdict.told
        return replace(verdict, told=(replace(first, **fields), *rest))

    return change


def test_a_door_that_says_the_same_is_equal(through):
    found = through(Fake())
    assert found.exit_code == 0
    assert found.complete
    (door,) = found.doors
    assert (door.runs, door.verdicts, door.count("equal"), door.findings) == (3, 6, 6, ())


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"status": "passed"}, "status"),
        ({"score": 0.0 + 2**-52}, "score"),
        ({"score": None}, "score"),
        ({"reason": "trajectory: lookup(...) was not called "}, "reason"),
        ({"key": "other"}, "key"),
    ],
)
def test_a_bit_that_is_not_the_same_is_found(through, fields, named):
    found = through(Fake(changed(**fields)))
    assert found.exit_code == 1
    (one,) = found.doors[0].findings
    assert (one.outcome, one.trace, one.case, one.field) == ("differs", "r2", "a", named)


def test_a_check_that_a_door_leaves_out_or_adds_is_found(through):
    left = through(Fake(lambda verdict, _: replace(verdict, told=verdict.told[:1])))
    assert left.doors[0].count("differs") == 3
    more = Told("extra", "passed", 1.0)
    added = through(Fake(lambda verdict, _: replace(verdict, told=(*verdict.told, more))))
    assert added.doors[0].count("differs") == 3
    assert added.doors[0].findings[0].key == "extra"


def test_what_a_door_says_of_what_it_has_is_not_carried(through):
    timed = [with_fields(one, started=0.0, ended=9.0) for one in RUNS]
    suite = Suite("s", (Case("a", "Where is A1?", budget={"seconds": 5}),))

    def timeless(verdict, attempt):
        seen = with_fields(attempt.trace, started=None, ended=None)
        return Verdict(told_of(grade(seen, attempt.case)), seen=seen)

    found = through(Fake(timeless), timed[:1], suite)
    assert found.exit_code == 3
    (door,) = found.doors
    assert door.count("not_carried") == 2
    assert dict(door.fields) == {"started": 1, "ended": 1}
    assert door.findings[0].ours == "failed"
    assert door.findings[0].theirs == "not_evaluated"
    assert door.findings[0].why == "it has another started, ended"


def test_no_check_says_anything_of_a_run_that_its_surroundings_lost():
    lost = with_fields(RUNS[0], error="APIConnectionError('x')", outcome="infrastructure_error")
    whole, *checks = told_of(grade(lost, SUITE.cases[0]))
    assert whole.status == "infrastructure_error"
    assert {one.status for one in checks} == {"not_evaluated"}
    assert whole.tables == ()


def test_calls_that_come_another_way_are_no_excuse(through):
    def mangled(verdict, attempt):
        steps = [s for s in attempt.trace.steps if type(s).__name__ != "ToolCall"]
        seen = with_fields(attempt.trace, steps=tuple(steps))
        return Verdict(told_of(grade(seen, attempt.case)), seen=seen)

    found = through(Fake(mangled), RUNS[:1])
    assert found.exit_code == 1
    assert found.doors[0].findings[0].outcome == "differs"


def test_why_nothing_could_be_judged_may_go_by_what_came_another_way(through):
    def without_state(verdict, attempt):
        steps = [s for s in attempt.trace.steps if type(s).__name__ != "ToolCall"]
        gaps = ("final_state: this door has none",)
        seen = with_fields(attempt.trace, steps=tuple(steps), gaps=gaps)
        return Verdict(told_of(grade(seen, attempt.case)), seen=seen)

    suite = Suite("s", (Case("a", "Where is A1?", expected_final_state={"orders": []}),))
    (door,) = through(Fake(without_state), RUNS[:1], suite).doors
    found = {(one.key, one.field): one.outcome for one in door.findings}
    assert found["final_state", "reason"] == "not_carried"
    assert "calls" in door.findings[0].why


def test_what_a_door_does_not_judge_is_not_green(through):
    found = through(Fake(lambda verdict, _: Verdict(why_not="two turns")))
    assert found.exit_code == 3
    assert found.doors[0].count("not_judged") == 3
    assert found.doors[0].findings[0].why == "two turns"


def test_a_door_that_breaks_costs_itself_and_is_not_green(through):
    def broken(verdict, attempt):
        raise RuntimeError("no such method")

    found = through(Fake(broken))
    assert found.exit_code == 1
    assert found.doors[0].broken == "RuntimeError: no such method"


def test_a_door_that_gives_too_few_verdicts_is_broken(through):
    door = Fake()
    door.verdicts = lambda suite, attempts: []
    assert "0 verdicts on 3 runs" in through(door).doors[0].broken


def test_an_absent_framework_is_told_and_nothing_compared_is_not_green(through):
    found = through(Fake(requires=("no-such-distribution",)))
    assert found.doors[0].missing == "pip install fake"
    assert found.exit_code == 3
    with pytest.raises(UsageError, match="fake needs what is not installed: pip install fake"):
        through(Fake(requires=("no-such-distribution",)), doors=["fake"])


def test_one_door_that_nobody_asked_for_alone_compares_nothing(through):
    found = through(Fake(), doors=None)
    assert (found.exit_code, found.alone, found.differs) == (3, True, False)
    assert found.to_dict()["alone"] is True
    assert parity_blocks(found)[0] == Heading(
        "Only fake judged: it was compared with no other door.", "mixed"
    )
    assert through(Fake(changed(status="passed")), doors=None).exit_code == 1


def test_an_unknown_door_is_named_with_the_nearest(through):
    with pytest.raises(UsageError, match="there is no door 'fakr', did you mean fake"):
        through(Fake(), doors=["fakr"])


def test_runs_without_a_case_and_runs_that_nobody_can_judge_are_told(through):
    stranger = trace_of(user("What?"), id="r4")
    found = through(Fake(), [*RUNS, stranger])
    assert found.exit_code == 3
    assert found.unmatched[0].startswith("r4: no case_id")
    empty = through(Fake(), RUNS[:1], Suite("s", (Case("a", "Where is A1?"),)))
    assert empty.exit_code == 3
    assert empty.unjudged == ("r1: not_evaluated: the case requires no check",)


def test_no_runs_at_all_are_not_green(through):
    assert through(Fake(), []).exit_code == 3


def test_their_own_evaluator_is_set_beside_our_check_by_its_status(through):
    def theirs(verdict, attempt):
        if attempt.case.id == "b":
            return Verdict()  # The suite names no evaluator of theirs for it.
        return Verdict((Told("trajectory", "passed", 1.0, "theirs: 1"),))

    (door,) = through(Fake(theirs, kind="theirs")).doors
    assert (door.runs, door.verdicts, door.count("equal")) == (2, 2, 1)
    (one,) = door.findings
    assert (one.trace, one.ours, one.theirs) == ("r2", "failed", "passed")
    assert one.why == "theirs: 1; passhat: lookup(...) was not called"


def test_the_report_is_json_that_says_it_all(through):
    told = through(Fake(changed(status="passed"))).to_dict()
    assert told["schema"] == "passhat.parity/1"
    assert told["equal"] is False
    assert told["doors"][0]["findings"][0]["theirs"] == "passed"


def test_pytest_says_the_same_in_a_process_of_its_own(through, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    reason = "line one\nline two: and, more"
    odd = (
        with_fields(RUNS[0], id="r5", case_id="a", error=reason, outcome="agent_error"),
        with_fields(RUNS[0], id="r6", case_id="a", error=reason, outcome="infrastructure_error"),
        trace_of(user("Bye"), says("never \ud800 mind"), id="r7"),
        trace_of(
            user("Where is A1?"),
            calls(call("lookup", id=float("inf")).returns(1), call("other").fails("no")),
            id="r8",
        ),
    )
    found = through(PytestDoor(), [*RUNS, *odd])
    (door,) = found.doors
    assert door.broken == ""
    assert door.findings == ()
    assert door.verdicts == 14
    assert found.unjudged == (f"r6: infrastructure_error: {reason}",)


def test_checks_of_ones_own_are_loaded_in_pytests_process_too(through, tmp_path, monkeypatch):
    (tmp_path / "parity_own_checks.py").write_text(
        "import passhat\n\n\n"
        "@passhat.check('says_here')\n"
        "def says_here(trace, case):\n"
        "    return 'Here' in (trace.final_response or '')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import parity_own_checks  # noqa: F401

    suite = Suite("s", (Case("a", "Where is A1?", checks={"says_here": {}}),))
    (door,) = through(PytestDoor(), RUNS[:2], suite).doors
    assert (door.broken, door.findings) == ("", ())
    assert (door.runs, door.verdicts) == (2, 4)


def test_an_adapter_that_cannot_say_its_doors_costs_itself(monkeypatch):
    class Bad(OpenAIChat):
        def doors(self, suite):
            raise RuntimeError("no doors today")

    monkeypatch.setattr(comparing, "adapters", lambda: {"bad": Bad()})
    found = compare_doors(SUITE, RUNS)
    assert [(door.name, bool(door.broken)) for door in found.doors] == [
        ("pytest", False),
        ("bad", True),
    ]
    assert "no doors today" in found.doors[1].broken
    assert found.exit_code == 1
