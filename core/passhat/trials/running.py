"""The runner: workers that claim trials, play them, grade them and write them down."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import PasshatError, UsageError
from passhat.grading import Grader
from passhat.grading.planning import plan_for
from passhat.reliability import Counts
from passhat.result import Trial
from passhat.suitefile.hashes import tools_hash
from passhat.trials.agenda import Agenda
from passhat.trials.journal import LEASE, Journal
from passhat.trials.planning import Job, seed_of, trials_of
from passhat.trials.retrying import Retries
from passhat.trials.standing import Standing, Unwatched, Watch
from passhat.trials.stopping import Limits, StopRule
from passhat.trials.trying import MODELS, Tried
from passhat.trials.trying_again import Persistent, Play

_LOOK_AGAIN = 0.05
_LOOK_AT_MOST = 1.0


@dataclass
class Runner:
    """Runs the trials of cases that a journal does not hold yet.

    Args:
        play: Plays one attempt.
        cases: The cases.
        journal: Keeps what is finished.
        grader: Grades the traces.
        trials: How often each case is tried; None asks the cases.
        concurrency: How many trials run at a time.
        retries: What becomes of trials that the surroundings broke.
        limits: What the run may cost, and how long it may take.
        rule: Which cases need no more.
        order: The trials in the order in which they are to be run; round by round if not given.
        seed: The seed of the run.
        vary: Whether other models may answer than in what the journal holds.
        hashes: The hash of each case, which its trials are pinned to.
        watch: Shows how it goes on.
    """

    play: Play
    cases: Sequence[Case]
    journal: Journal
    grader: Grader
    trials: int | None = None
    concurrency: int = 8
    retries: Retries = field(default_factory=Retries)
    limits: Limits = field(default_factory=Limits)
    rule: StopRule | None = None
    order: Sequence[tuple[str, int]] | None = None
    seed: int = 0
    vary: bool = False
    hashes: Mapping[str, str] = field(default_factory=dict)
    watch: Watch = field(default_factory=Unwatched)

    def __post_init__(self) -> None:
        total = sum(trials_of(case, self.trials) for case in self.cases)
        counts = {case.id: Counts(0, 0, case.id) for case in self.cases}
        self.standing = Standing(total, counts, limits=self.limits)
        self._by_id = {case.id: case for case in self.cases}
        self._agenda = Agenda(self.cases, self.trials, self.journal, self._earlier, self.order)
        self._models: set[str] = set()
        # Before anything is run: a check that does not exist costs no trial.
        for case in self.cases:
            plan_for(case, self.grader.checks)

    async def run(self) -> None:
        """Runs until nothing is left to run, or the run is stopped.

        Raises:
            UsageError: The journal cannot be written, or another model answers than in it.
        """
        self._began = time.monotonic()
        self._stopped = asyncio.Event()
        self._persistent = Persistent(self.play, self.retries, self.standing, self._stopped)
        self._judges = ThreadPoolExecutor(
            max(1, min(self.concurrency, 32)), thread_name_prefix="passhat-judge"
        )
        self._take_in()
        many = min(self.concurrency, max(1, self.standing.total))
        workers = [asyncio.ensure_future(self._work()) for _ in range(many)]
        beating = asyncio.ensure_future(self._beat())
        ticking: asyncio.TimerHandle | None = None
        if self.limits.seconds is not None:  # Wakes those that wait for the surroundings.
            loop = asyncio.get_running_loop()
            ticking = loop.call_later(self.limits.seconds, self._is_over)
        try:
            await asyncio.gather(*workers)
        finally:
            if ticking is not None:
                ticking.cancel()
            everyone = [*workers, beating]
            for task in everyone:
                task.cancel()
            await asyncio.gather(*everyone, return_exceptions=True)
            self._judges.shutdown(wait=False, cancel_futures=True)
            self._agenda.release()
        if self.standing.done >= self.standing.total:
            self.standing.reason = None  # A limit that was reached with the last trial cut nothing.
        if self.standing.reason is None:
            self.journal.complete(True)

    @property
    def saved(self) -> int:
        """How many trials the rule that stops has made unnecessary, for all runners together."""
        if not self._agenda.settled:
            return 0
        return max(0, self.standing.total - self.journal.finished)

    def stop(self, reason: str) -> None:
        """Starts no further trial; those that are running are finished."""
        if self.standing.reason is None:
            self.standing.reason = reason
        self._stopped.set()

    def results(self) -> Iterator[Trial]:
        """The finished trials by case, and one that was not run for each that is missing."""
        reason = self.standing.reason
        for case in self.cases:
            seen = set()
            for trial in self.journal.trials(case.id):
                seen.add(trial.trial)
                yield trial
            if case.id in self._agenda.settled or reason is None:
                continue
            for number in range(trials_of(case, self.trials)):
                if number not in seen:
                    yield Trial(
                        case.id, number, "", "not_run", reason=f"stopped: {reason}", tags=case.tags
                    )

    def _take_in(self) -> None:
        """Takes in what an earlier run finished."""
        for trial in self._agenda.take_in():
            self._models |= set(trial.pins.get(MODELS, ()))
            case = self._by_id[trial.case_id or ""]
            if trial.trial >= trials_of(case, self.trials):
                self.standing.total += 1  # More than are asked for now.
            self._earlier(trial)

    async def _beat(self) -> None:
        """Keeps the claims of this runner."""
        while True:
            await asyncio.sleep(LEASE / 3)
            self.journal.renew()

    async def _work(self) -> None:
        while (job := await self._next()) is not None:
            key = (job.case.id, job.trial)
            self.standing.running += 1
            kept = False
            try:
                await self._run(job)
                kept = True
            finally:
                self.standing.running -= 1
                if not kept:
                    with suppress(PasshatError):  # The journal may be what has failed.
                        self.journal.release(*key)

    async def _next(self) -> Job | None:
        """The next trial, claimed; None where there is none, or the run is stopped."""
        pause = _LOOK_AGAIN
        while not self._is_over():
            job = self._agenda.next()
            if job is None or isinstance(job, Job):
                return job
            if job == "busy":
                await self._persistent.sleep(pause)
                pause = min(pause * 1.5, _LOOK_AT_MOST)
            else:
                await asyncio.sleep(0)
        return None

    def _earlier(self, trial: Trial) -> None:
        """Counts a trial that another runner finished, or an earlier run."""
        self.standing.earlier += 1
        self._count(trial)

    def _count(self, trial: Trial) -> None:
        self.standing.add(trial)
        self.watch.trial(trial, self.standing)
        if self.rule is None:
            return
        settled = self.rule(trial, self.standing.counts)
        self._agenda.settled |= settled.cases
        if settled.everything:
            self._agenda.settled |= self.standing.counts.keys()

    def _is_over(self) -> bool:
        if self._stopped.is_set():
            return True
        running = self.standing.running
        why = self.limits.reached(time.monotonic() - self._began, running)
        if why is not None:
            self.watch.say(f"stops: {why}; what is running is finished")
            self.stop(why)
        return why is not None

    async def _run(self, job: Job) -> None:
        """Plays a trial and writes it down."""
        seed = seed_of(self.seed, job.case.id, job.trial)
        tried = await self._persistent(job.case, job.trial, seed)
        self._same_models(tried)
        trial = await self._judged(job, tried)
        with self.journal.together():
            kept = self.journal.finish(trial, tried.data)
            self._agenda.claim_ahead()
        if kept:
            self._count(trial)
        else:
            self._agenda.give_back(job)

    def _same_models(self, tried: Tried) -> None:
        """Refuses to add up what another model answers to what an earlier run holds.

        Raises:
            UsageError: None of the models is one that answered then.
        """
        now = set(tried.trace.pins.get(MODELS, ()))
        if self.vary or not now or not self._models or now & self._models:
            return
        raise UsageError(
            f"{_listed(now)} answers now, and {_listed(self._models)} did in what the journal "
            "holds; go on all the same with --vary (vary=True), or begin anew with --fresh "
            "(fresh=True)"
        )

    async def _judged(self, job: Job, tried: Tried) -> Trial:
        if tried.refused is not None:
            reason = tried.refused
            return Trial(job.case.id, job.trial, "", "not_run", reason=reason, tags=job.case.tags)
        # A check, or a matcher, may ask a model, which must not hold up the other trials.
        context, loop = contextvars.copy_context(), asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._judges, lambda: context.run(self._grade, tried, job.case, job.trial)
        )

    def _grade(self, tried: Tried, case: Case, number: int) -> Trial:
        trial = self.grader.grade(tried.trace, case, trial=number)
        pins: dict[str, Any] = {}
        if case.id in self.hashes:
            pins["case"] = self.hashes[case.id]
        if tried.trace.tools and "tools" not in trial.pins:
            pins["tools"] = tools_hash(tried.trace.tools)
        return replace(trial, pins={**trial.pins, **pins}) if pins else trial


def _listed(models: set[str]) -> str:
    return f"the model {', '.join(sorted(models))}"
