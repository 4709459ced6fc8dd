"""Long work that stopped goes on where it was, and a journal that is broken or of other work is told."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langsmith_projects import trace

from passhat.case import Case, Suite
from passhat.errors import InputError, PasshatError, UsageError
from passhat_langsmith import pull_suite, push_suite, score_project

CHECKS = Case("any", forbidden_calls=["refund"])


def test_a_pull_that_stopped_goes_on_where_it_was(server: Any, client: Any, tmp_path: Path) -> None:
    suite = Suite("many", [Case(f"c{at}", f"text {at}") for at in range(250)])
    push_suite(client, suite)
    journal = tmp_path / "pull.jsonl"
    server.fail("GET /examples", status=400, skip=2)
    with pytest.raises(PasshatError, match="reading examples"):
        pull_suite(client, "many", journal=journal)
    with journal.open("ab") as file:
        file.write(b'[{"id": "cut')  # As a process that was ended leaves it.
    asked = server.count("GET /examples")
    assert pull_suite(client, "many", journal=journal) == suite
    assert server.count("GET /examples") == asked + 1
    for other in ({"splits": ["x"]}, {"version": "latest"}, {"files": False}):
        with pytest.raises(UsageError, match="keeps another dataset"):
            pull_suite(client, "many", journal=journal, **other)


def test_a_pull_that_was_finished_begins_anew(server: Any, client: Any, tmp_path: Path) -> None:
    journal = tmp_path / "pull.jsonl"
    for count in (2, 3):
        suite = Suite("growing", [Case(f"c{at}", f"text {at}") for at in range(count)])
        push_suite(client, suite)
        assert pull_suite(client, "growing", journal=journal) == suite


@pytest.mark.parametrize("line", ["5", "[5]", '[{"id": 5}]', "{"])
def test_a_line_of_a_pull_that_is_broken_is_named(
    server: Any, client: Any, tmp_path: Path, line: str
) -> None:
    push_suite(client, Suite("refunds", [Case("c", "Hi?")]))
    journal = tmp_path / "pull.jsonl"
    server.fail("GET /examples", status=400)
    with pytest.raises(PasshatError, match="reading examples"):
        pull_suite(client, "refunds", journal=journal)
    with journal.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(InputError, match="a line of the journal is no") as raised:
        pull_suite(client, "refunds", journal=journal)
    assert raised.value.place.line == 2


@pytest.mark.parametrize("read", [{"splits": ("base",)}, {"version": "prod"}])
def test_a_pull_is_of_one_version_whatever_is_changed_meanwhile(
    server: Any, client: Any, tmp_path: Path, read: dict[str, Any]
) -> None:
    """Pages are told by offsets, and what was deleted on one that was read would hide another."""
    suite = Suite("many", [Case(f"c{at}", f"text {at}") for at in range(250)])
    push_suite(client, suite, tag="prod")
    journal = tmp_path / "pull.jsonl"
    server.fail("GET /examples", status=400, skip=1)
    with pytest.raises(PasshatError, match="reading examples"):
        pull_suite(client, "many", journal=journal, **read)
    fewer = Suite("many", [Case("new", "text"), *suite.cases[5:]])
    assert len(push_suite(client, fewer, prune=True, tag="prod").gone) == 5
    assert pull_suite(client, "many", journal=journal, **read) == suite
    assert set(pull_suite(client, "many", **read).by_id) == set(fewer.by_id)


def test_what_stopped_goes_on(served: Any, connected: Any, tmp_path: Path) -> None:
    for number in range(1, 301):
        served.add_runs("support", trace(number, "lookup", "look"))
    journal = tmp_path / "scoring.jsonl"
    served.fail("POST /feedback", status=400, skip=200)
    with pytest.raises(PasshatError, match="writing feedback on run"):
        score_project(connected, "support", CHECKS, sample=1, journal=journal)
    with journal.open("ab") as file:
        file.write(b'{"case_id": "cut')
    served.add_runs("support", trace(301))  # Came later: it is no part of this scoring.
    served.runs[str(UUID(int=301 << 64))]["start_time"] = (
        datetime.now(UTC) + timedelta(minutes=1)
    ).isoformat()
    scores = score_project(connected, "support", CHECKS, sample=1, journal=journal)
    assert len(scores.results) == 300
    assert len(served.kept) == 300
    assert scores.written == 100
    assert scores.seen < 300  # Pages that were done are not read again.
    with pytest.raises(UsageError, match="keeps another scoring"):
        score_project(connected, "support", CHECKS, sample=0.5, journal=journal)


def test_what_is_done_is_followed_by_another_scoring(
    served: Any, connected: Any, tmp_path: Path
) -> None:
    def scored() -> list[str]:
        journal = tmp_path / "scoring.jsonl"
        scores = score_project(connected, "support", CHECKS, sample=1, journal=journal)
        return [trial.trace_id for trial in scores.results]

    served.add_runs("support", trace(1))
    assert scored() == [str(UUID(int=1 << 64))]
    served.add_runs("support", trace(2))
    assert scored() == [str(UUID(int=2 << 64)), str(UUID(int=1 << 64))]
    assert len(served.kept) == 2


def test_what_could_not_be_read_is_told_when_a_scoring_goes_on(
    served: Any, connected: Any, tmp_path: Path
) -> None:
    journal = tmp_path / "scoring.jsonl"
    for number in range(1, 301):
        served.add_runs("support", trace(number))
    broken = str(UUID(int=300 << 64))
    served.runs[broken]["inputs"] = [5]
    served.fail("POST /feedback", status=400, skip=200)
    with pytest.raises(PasshatError, match="writing feedback on run"):
        score_project(connected, "support", CHECKS, sample=1, journal=journal)
    scores = score_project(connected, "support", CHECKS, sample=1, journal=journal)
    assert len(scores.results) == 299
    (error,) = scores.results.unread
    assert f"run {broken}: inputs are an object" in str(error)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (CHECKS, Case("any", forbidden_calls=["lookup"])),
        ({"budget": {"tool_calls": 1}}, {"budget": {"tool_calls": 2}}),
    ],
)
def test_a_journal_is_of_the_same_checks_with_the_same_options(
    server: Any, client: Any, tmp_path: Path, first: Any, second: Any
) -> None:
    server.add_runs("support", trace(1))
    journal = tmp_path / "scoring.jsonl"
    score_project(client, "support", first, sample=1, journal=journal)
    with pytest.raises(UsageError, match="keeps another scoring"):
        score_project(client, "support", second, sample=1, journal=journal)
    score_project(client, "support", first, sample=1, journal=journal)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[5]", "no object"),
        ("{", "no JSON"),
        ('{"until": 5}', "until is no time"),
        ('{"schema": "passhat.result/1"}', "not a result"),
    ],
)
def test_a_line_of_a_journal_that_is_broken_is_named(
    server: Any, client: Any, tmp_path: Path, line: str, said: str
) -> None:
    server.add_runs("support", trace(1))
    server.fail("POST /feedback", status=400)
    journal = tmp_path / "scoring.jsonl"
    with pytest.raises(PasshatError, match="writing feedback on run"):
        score_project(client, "support", CHECKS, sample=1, journal=journal)
    with journal.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(InputError, match=said) as raised:
        score_project(client, "support", CHECKS, sample=1, journal=journal)
    assert (raised.value.place.file, raised.value.place.line) == (str(journal), 2)
