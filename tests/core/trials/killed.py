"""Runs an agent and kills the runners at random instants, again and again; tells what came of it.

Called as a program, which has no threads of its own when it forks:
`killed.py JOURNAL LOG ROUNDS RUNNERS SEED`.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from passhat.case import Case, Suite
from passhat.trials.runs import run

CASES, TRIALS = 40, 10
SUITE = Suite("killed", [Case(f"c{n}", "ok?", response={"equals": "yes"}) for n in range(CASES)])


def agent_with(log):
    """An agent that writes down that it was called, and passes some cases and fails others."""

    def agent(case):
        file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{case.id}\n".encode())
        os.close(file)
        time.sleep(0.01)
        return "yes" if random.Random(case.id).random() < 0.7 else "no"

    return agent


def runner(journal, log):
    """A process that goes on with the run."""
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            run(agent_with(log), SUITE, TRIALS, concurrency=2, journal=journal, resume=True)
        finally:
            os._exit(0)
    return pid


def main(journal, log, rounds, runners, seed):
    # What a run imports, it imports here once, and not in each of the processes below.
    run(lambda case: "yes", Suite("first", SUITE.cases[:1]), 1, journal=f"{log}.first")
    chance = random.Random(int(seed))
    log = Path(log)
    log.touch()
    killed = 0
    for number in range(int(rounds)):
        before = log.stat().st_size
        pids = [runner(journal, log) for _ in range(int(runners))]
        if number % 2:  # Else at any instant, also while the journal is being opened.
            until = time.monotonic() + 10
            while log.stat().st_size == before and time.monotonic() < until:
                time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.05))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for pid in pids:
            _, status = os.waitpid(pid, 0)
            killed += os.waitstatus_to_exitcode(status) == -signal.SIGKILL
    pids = [runner(journal, log) for _ in range(int(runners) - 1)]
    results = run(agent_with(log), SUITE, TRIALS, concurrency=2, journal=journal, resume=True)
    for pid in pids:
        os.waitpid(pid, 0)
    print(
        json.dumps(
            {
                "killed": killed,
                "calls": len(log.read_text().splitlines()),
                "trials": [[t.case_id, t.trial, t.status] for t in results],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
