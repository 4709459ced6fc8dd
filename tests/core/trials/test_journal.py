"""The journal: kept before it counts, pinned, shared by runners, and honest about damage."""

import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing

import pytest

from passhat.case import Case, Suite
from passhat.errors import InputError, UsageError
from passhat.result import Trial
from passhat.scoring import score
from passhat.trace import Message, Trace, Usage, decode_trace
from passhat.trials.journal import LEASE, open_journal
from passhat.trials.pins import pins_of
from passhat.trials.runs import Run, run
from passhat.trials.sandbox import Sandbox
from passhat.trials.stopping import Stop

SUITE = Suite("s", [Case(name, "ok?", response={"equals": "yes"}) for name in ("a", "b", "c")])
NAMES = ["run.journal", "run.jsonl"]


class Counting:
    """An agent that counts its calls."""

    def __init__(self, answer="yes"):
        self.calls = 0
        self.answer = answer

    def __call__(self, case):
        self.calls += 1
        return self.answer


def went(agent, file, suite=SUITE, trials=4, **options):
    return run(agent, suite, trials, journal=file, **options)


def half(file, **options):
    """A run that a limit stops after some trials."""
    agent = Counting()

    def rule(trial, counts):
        if agent.calls >= 5:
            running._runner.stop("enough")
        return Stop()

    with Run(agent, SUITE, trials=4, concurrency=1, journal=file, until=rule, **options) as running:
        running.play()
    return agent.calls


@pytest.fixture(params=NAMES)
def file(request, tmp_path):
    return tmp_path / request.param


def test_a_run_is_taken_up_where_it_stopped(file):
    before = half(file)
    agent = Counting()
    results = went(agent, file, resume=True)
    assert before + agent.calls == len(results) == 12
    assert {(t.case_id, t.trial) for t in results} == {(c, n) for c in "abc" for n in range(4)}


def test_resuming_what_is_not_there_begins_it_and_what_is_complete_runs_nothing(file):
    first, second = Counting(), Counting()
    assert went(first, file, resume=True).trials == went(second, file, resume=True).trials
    assert (first.calls, second.calls) == (12, 0)


def test_more_trials_may_be_asked_for_later(file):
    went(Counting(), file)
    more = Counting()
    assert len(went(more, file, trials=6, resume=True)) == 18
    assert more.calls == 6


def test_an_unfinished_journal_is_not_thrown_away_unasked(file):
    half(file)
    with pytest.raises(UsageError, match=r"holds 5 finished trials.*--resume.*--fresh"):
        went(Counting(), file)
    agent = Counting()
    went(agent, file, fresh=True)
    assert agent.calls == 12


def test_a_complete_journal_gives_way_to_a_new_run(file):
    went(Counting(), file)
    agent = Counting("no")
    assert {t.status for t in went(agent, file)} == {"failed"}
    assert agent.calls == 12


def test_other_pins_are_refused_and_named_unless_told(file):
    half(file, pins={"model": "small"})
    changed = Suite("s", [*SUITE.cases[:2], Case("c", "ok?!"), Case("d", "new")])
    with pytest.raises(UsageError) as refused:
        run(len, changed, 4, journal=file, resume=True, seed=7, pins={"model": "large"})
    for told in ("case c changed, case d new", "Counting, now builtins:len", "seed: 0, now 7"):
        assert told in str(refused.value)
    assert "pin model: small, now large" in str(refused.value)
    agent = Counting()
    assert len(went(agent, file, resume=True, vary=True)) == 12
    assert agent.calls == 7


class Model(Counting):
    """Says which model answered."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def __call__(self, case):
        self.calls += 1
        return Trace("t", steps=(Message("assistant", "yes", request=0, model=self.model),))


def test_another_model_than_in_what_is_finished_is_refused_unless_told(file):
    went(Model("small-1"), file, trials=2)
    with pytest.raises(UsageError, match=r"model large-1 answers now, and the model small-1 did"):
        went(Model("large-1"), file, trials=4, resume=True)
    agent = Model("small-1")
    assert len(went(agent, file, trials=4, resume=True)) == 12
    assert agent.calls == 6
    results = went(Model("large-1"), file, trials=5, resume=True, vary=True)
    models = [tuple(trial.pins["models"]) for trial in results]
    assert (models.count(("small-1",)), models.count(("large-1",))) == (12, 3)


def test_what_was_resumed_under_other_pins_is_told(file):
    went(Counting(), file, trials=2)
    with Run(len, SUITE, trials=2, journal=file, resume=True, vary=True) as running:
        running.play()
        (told,) = running.notes
    assert told.startswith("resumed under other pins")
    assert "builtins:len" in told


def test_what_an_earlier_run_spent_counts_and_its_trials_are_seen_in_order(file):
    class Spending(Counting):
        def __call__(self, case):
            self.calls += 1
            said = Message("assistant", "yes", request=0)
            return Trace("t", steps=(said,), usage=Usage(cost=1.0))

    went(Spending(), file, trials=2)
    seen = []

    def rule(trial, counts):
        seen.append((trial.case_id, trial.trial))
        return Stop()

    agent = Spending()
    options = {"trials": 9, "resume": True, "max_cost": 8.0, "concurrency": 1, "until": rule}
    results = went(agent, file, **options)
    assert agent.calls == 2
    assert seen[:6] == [(c, n) for n in (0, 1) for c in "abc"]
    assert [t.status for t in results].count("not_run") == 19


def test_a_changed_file_of_the_agent_is_another_agent(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "changing_agent.py"
    module.write_text("def agent(case):\n    return 'yes'\n")
    import changing_agent

    old = pins_of(SUITE, changing_agent.agent)
    module.write_text("def agent(case):\n    return 'no!'\n")
    new = pins_of(SUITE, changing_agent.agent)
    assert old.differences(new) == ["the file of the agent changing_agent:agent has changed"]
    assert old.differences(old) == []


def test_the_traces_are_kept_to_be_judged_anew(file):
    with Run(Counting(), SUITE, trials=2, journal=file) as running:
        running.play()
        traces = [decode_trace(data) for data in running.traces()]
    assert sorted((t.case_id, t.trial) for t in traces) == [(c, n) for c in "abc" for n in (0, 1)]
    assert {t.final_response for t in traces} == {"yes"}
    assert traces[0].pins["agent"].endswith("Counting")


def test_two_runners_share_the_work_and_do_nothing_twice(file):
    calls = {"one": [], "two": []}
    open_journal(file, _pins(), resume=True).close()

    def agent(name):
        def called(case):
            calls[name].append(case.id)
            time.sleep(0.01)
            return "yes"

        return called

    found = {}

    def work(name):
        with Run(
            agent(name), SUITE, trials=20, concurrency=2, journal=file, resume=True, vary=True
        ) as running:
            running.play()
            found[name] = list(running.results())

    threads = [threading.Thread(target=work, args=(name,)) for name in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls["one"]) + len(calls["two"]) == 60
    assert min(len(calls["one"]), len(calls["two"])) > 5
    assert found["one"] == found["two"]
    assert len(found["one"]) == 60


def _pins():
    return pins_of(SUITE, Counting())


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def test_a_claim_holds_until_its_lease_is_over_and_a_late_result_is_void(file):
    clock = Clock()
    first = open_journal(file, _pins(), clock=clock)
    second = open_journal(file, _pins(), resume=True, clock=clock)
    assert first.claim("a", 0) == "ours"
    assert second.claim("a", 0) == "taken"
    clock.now += LEASE - 1
    first.renew()
    clock.now += LEASE - 1
    assert second.claim("a", 0) == "taken"
    clock.now += 2
    assert second.claim("a", 0) == "ours"
    assert second.finish(Trial("a", 0, "t", "failed"), b"null")
    assert not first.finish(Trial("a", 0, "t", "passed"), b"null")
    assert [t.status for t in first.trials("a")] == ["failed"] or file.suffix == ".jsonl"
    assert first.claim("a", 0) == "done"
    assert first.trial("a", 0).status == "failed"
    first.release("a", 0)
    assert second.trial("a", 0).status == "failed"
    assert list(second.traces()) == []
    first.close()
    second.close()


def test_a_claim_of_a_process_that_is_gone_is_free_at_once(file):
    code = f"""
    import os
    from passhat.case import Case, Suite
    from passhat.trials.journal import open_journal
    from passhat.trials.pins import pins_of
    suite = Suite("s", [Case(n, "ok?", response={{"equals": "yes"}}) for n in ("a", "b", "c")])
    journal = open_journal({str(file)!r}, pins_of(suite, len))
    journal.claim("a", 0)
    os._exit(0)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
    journal = open_journal(file, _pins(), resume=True, vary=True)
    assert journal.claim("a", 0) == "ours"
    journal.close()


def test_what_another_runner_is_at_is_not_begun_anew(file):
    first = open_journal(file, _pins())
    first.claim("a", 0)
    with pytest.raises(UsageError, match="another runner is at this journal"):
        open_journal(file, _pins(), fresh=True)
    first.close()


def test_what_the_surroundings_broke_is_tried_again_by_a_later_run(file):
    class Broken(Counting):
        def __call__(self, case):
            self.calls += 1
            if case.id == "b":
                raise ConnectionRefusedError
            return "yes"

    results = went(Broken(), file, trials=2, retries=0)
    assert [t.status for t in results if t.case_id == "b"] == ["infrastructure_error"] * 2
    agent = Counting()
    results = went(agent, file, trials=2, resume=True, vary=True)
    assert agent.calls == 2
    assert {t.status for t in results} == {"passed"}


@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04 an archive", b'{"schema":"passhat.result/1"}\n', b"\x00" * 100, b"[]"],
)
def test_the_file_of_another_program_is_left_as_it_is(tmp_path, content):
    file = tmp_path / "other"
    file.write_bytes(content)
    for options in ({}, {"resume": True}, {"fresh": True}):
        with pytest.raises(InputError, match=r"other: no journal of passhat"):
            went(Counting(), file, **options)
    assert file.read_bytes() == content


def test_the_database_of_another_program_is_left_as_it_is(tmp_path):
    file = tmp_path / "other.db"
    db = sqlite3.connect(file)
    db.execute("CREATE TABLE about (key, value)")
    db.commit()
    db.close()
    before = file.read_bytes()
    for options in ({}, {"resume": True}, {"fresh": True}):
        with pytest.raises(InputError, match="database of another program"):
            went(Counting(), file, **options)
    assert file.read_bytes() == before


def test_a_record_that_was_cut_costs_itself_alone(tmp_path):
    file = tmp_path / "run.jsonl"
    half(file)
    whole = file.read_bytes().splitlines(keepends=True)
    finished = max(n for n, line in enumerate(whole) if b'"finished"' in line)
    for kept in range(1, len(whole[finished]), 97):
        file.write_bytes(b"".join(whole[:finished]) + whole[finished][:kept])
        agent = Counting()
        assert len(went(agent, file, resume=True)) == 12
        assert agent.calls == 8


def test_a_damaged_record_in_the_middle_is_told_and_run_again(tmp_path):
    file = tmp_path / "run.jsonl"
    half(file)
    lines = file.read_bytes().splitlines(keepends=True)
    first = min(n for n, line in enumerate(lines) if b'"finished"' in line)
    lines[first] = lines[first][:40] + b"\xff\n"
    file.write_bytes(b"".join(lines))
    agent = Counting()
    with Run(agent, SUITE, trials=4, journal=file, resume=True) as running:
        running.play()
        assert len(list(running.results())) == 12
        assert [note for note in running.notes if f"run.jsonl:{first + 1}: a damaged" in note]
    assert agent.calls == 8


def test_a_damaged_first_record_is_told(tmp_path):
    file = tmp_path / "run.jsonl"
    half(file)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b'{"schema":"passhat.journal/1", cut\n' + b"".join(lines[1:]))
    with pytest.raises(InputError, match=r"run\.jsonl:1: the first record"):
        went(Counting(), file, resume=True)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_database_that_was_cut_is_told_and_left_as_it_is(tmp_path, share):
    file = tmp_path / "run.journal"
    suite = Suite("s", [Case(f"c{n}", "x" * 4000) for n in range(30)])
    went(Counting("y" * 2000), file, suite, trials=2)
    data = file.read_bytes()
    cut = data[: int(len(data) * share)]
    file.write_bytes(cut)
    with pytest.raises(InputError, match=r"run\.journal: the journal is damaged"):
        went(Counting(), file, suite, trials=3, resume=True, vary=True)
    assert file.read_bytes()[:100] == cut[:100]


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
from passhat.case import Case, Suite
from passhat.errors import PasshatError
from passhat.trials.runs import run
suite = Suite("s", [Case("a", "ok?", response={"excludes": "no"})])
try:
    run(lambda case: "y" * 20_000, suite, 60, concurrency=2, journal=sys.argv[1])
except PasshatError as error:
    print(error)
    sys.exit(2)
"""


@pytest.mark.parametrize("size", [30_000, 300_000])
def test_a_full_disk_ends_the_run_and_what_is_finished_stays(file, size):
    """A file may grow so far and no further: what a full disk does to a write."""
    command = [sys.executable, "-c", FULL, str(file), str(size)]
    told = subprocess.run(command, capture_output=True, text=True)
    assert told.returncode == 2, told.stderr
    assert "cannot be written" in told.stdout
    suite = Suite("s", [Case("a", "ok?", response={"excludes": "no"})])
    agent = Counting("y")
    results = run(agent, suite, 60, journal=file, resume=True, vary=True)
    assert [t.status for t in results] == ["passed"] * 60
    assert agent.calls < 60 or size == 30_000


def test_a_journal_in_no_folder_is_told(tmp_path):
    for name in NAMES:
        with pytest.raises(UsageError, match="cannot be written"):
            went(Counting(), tmp_path / "no" / name)
    with pytest.raises(InputError, match="cannot be read"):
        went(Counting(), tmp_path)


def test_a_trial_whose_record_is_damaged_is_run_again_and_the_others_stay(file):
    agent = Counting("yes, by heart")
    suite = Suite("s", [Case(name, "ok?", response={"includes": ["yes"]}) for name in "abc"])
    went(agent, file, suite)
    assert agent.calls == 12
    if file.suffix == ".journal":
        with closing(sqlite3.connect(file)) as db:
            db.execute("UPDATE trials SET result = x'7b22ff' WHERE case_id = 'b' AND trial = 2")
            db.commit()
    else:
        data = file.read_bytes()
        record = data.index(b'"case_id":"b","trial":2,"trace_id"')
        at = data.index(b'"key":"', record) + len('"key":"')
        file.write_bytes(data[:at] + b"\xff" + data[at + 1 :])
    with Run(agent, suite, trials=4, journal=file, resume=True) as running:
        running.play()
        results = list(running.results())
        assert any("damaged" in note and "run again" in note for note in running.notes)
    assert agent.calls == 13
    assert len({(t.case_id, t.trial) for t in results}) == len(results) == 12
    assert {t.status for t in results} == {"passed"}


def test_a_journal_is_pinned_to_the_files_of_the_sandbox_and_the_user(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "pinned_tools.py"
    module.write_text("def ping():\n    return 'pong'\n")
    from pinned_tools import ping  # type: ignore[import-not-found]

    def pins():
        return pins_of(SUITE, went, beside={"sandbox": Sandbox([ping]), "user": None})

    before = pins()
    assert before.differences(pins()) == []
    module.write_text("def ping():\n    return 'no'\n")
    assert before.differences(pins()) == [
        "the sandbox: a file in which it stands has changed",
    ]
    assert before.differences(pins_of(SUITE, went)) == ["the sandbox: none now"]


def test_a_journal_is_scored_like_the_traces_that_are_in_it(file):
    agent = Counting()
    half(file)
    before = file.read_bytes()
    some = score(file, SUITE)
    assert {t.status for t in some} == {"passed"}
    assert file.read_bytes() == before
    with Run(agent, SUITE, trials=4, journal=file, resume=True, vary=True) as running:
        running.play()
        during = score(file, SUITE)
        ours = {(t.case_id, t.trial, t.status) for t in running.results()}
    assert {(t.case_id, t.trial, t.status) for t in during} == ours
    assert {(t.case_id, t.trial, t.status) for t in score(file, SUITE)} == ours
    assert len(ours) == 12


def test_a_journal_that_is_cut_off_says_so_when_it_is_scored(tmp_path):
    file = tmp_path / "run.journal"
    went(Counting(), file)
    file.write_bytes(file.read_bytes()[:12000])
    with pytest.raises(InputError, match="the journal cannot be read"):
        score(file, SUITE)


def test_of_runners_that_begin_at_once_the_later_joins_where_it_may(file, monkeypatch):
    pins = pins_of(SUITE, Counting())
    with closing(open_journal(file, pins, resume=True)):
        monkeypatch.setattr("passhat.trials.journal._kind", lambda file: None)  # As both saw it.
        with pytest.raises(UsageError, match="another runner has just begun"):
            open_journal(file, pins)
        with closing(open_journal(file, pins, resume=True)) as joined:
            assert joined.claim("a", 0) == "ours"
