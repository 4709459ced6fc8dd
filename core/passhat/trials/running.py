"""The runner: workers that claim trials, play them, grade them and write them down."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
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
from passhat.trials.journal import AGAIN, LEASE, Journal
from passhat.trials.planning import Job, in_order, jobs, seed_of, trials_of
from passhat.trials.retrying import Retries
from passhat.trials.standing import Standing, Unwatched, Watch
from passhat.trials.stopping import Limits, StopRule
from passhat.trials.trying import MODELS, Tried, finished

Play = Callable[[Case, int, int], Awaitable[Tried]]
"""Plays one attempt: the case, the number of the attempt, its seed."""

_LOOK_AGAIN = 0.05
_LOOK_AT_MOST = 1.0
_QUICK = 0.002
"""Cases that are graded within so many seconds are graded in place: a judge that asks a model takes
longer, and gets a thread."""
_STRIDE = 200
"""After how many finished trials the search for work lets others have a turn."""


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
        self._jobs = self._planned()
        self._taken: deque[Job] = deque()
        self._settled: set[str] = set()
        self._known: dict[str, int] = {}
        self._models: set[str] = set()
        # Planned before anything is run, so that a check that does not exist costs no trial.
        self._quick = {case.id: self._at_once(case) for case in self.cases}
        self._budget = self.retries.budget(total)
        self._not_before = 0.0

    async def run(self) -> None:
        """Runs until nothing is left to run, or the run is stopped.

        Raises:
            UsageError: The journal cannot be written, or another model answers than in it.
        """
        self._began = time.monotonic()
        self._stopped = asyncio.Event()
        self._judges = ThreadPoolExecutor(
            max(1, min(self.concurrency, 32)), thread_name_prefix="passhat-judge"
        )
        self._take_in()
        workers = [asyncio.ensure_future(self._work()) for _ in range(self.concurrency)]
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
        if self.standing.done >= self.standing.total:
            self.standing.reason = None  # A limit that was reached with the last trial cut nothing.
        if self.standing.reason is None:
            self.journal.complete(True)

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
            if case.id in self._settled or reason is None:
                continue
            for number in range(trials_of(case, self.trials)):
                if number not in seen:
                    yield Trial(
                        case.id, number, "", "not_run", reason=f"stopped: {reason}", tags=case.tags
                    )

    def _take_in(self) -> None:
        """Takes in what an earlier run finished, in the order in which trials are run.

        So a limit of cost knows from the start what was spent, and a rule that stops sees the
        trials as it would have seen them without the interruption. It takes a bit of memory a trial.
        """
        for case in self.cases:
            for trial in self.journal.trials(case.id):
                if trial.status not in AGAIN:
                    self._known[case.id] = self._known.get(case.id, 0) | 1 << trial.trial
                    self._models |= set(trial.pins.get(MODELS, ()))
        left = dict(self._known)
        for job in self._planned() if left else ():
            if left.get(job.case.id, 0) >> job.trial & 1:
                left[job.case.id] &= ~(1 << job.trial)
                self._earlier(job.case.id, job.trial)
        for case_id, bits in left.items():  # More than are asked for now.
            for number in range(bits.bit_length()):
                if bits >> number & 1:
                    self.standing.total += 1
                    self._earlier(case_id, number)

    def _planned(self) -> Iterator[Job]:
        if self.order is None:
            return jobs(self.cases, self.trials)
        return in_order(self.cases, self.order)

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
        looked, pause = 0, _LOOK_AGAIN
        while True:
            if self._is_over():
                return None
            job = next(self._jobs, None)
            if job is None:
                if not self._taken:
                    return None
                job = self._taken.popleft()
                again = True
            else:
                again = False
            if job.case.id in self._settled:
                self.standing.saved += 1
                continue
            if self._known.get(job.case.id, 0) >> job.trial & 1:
                looked = await self._breathe(looked)
                continue
            claim = self.journal.claim(job.case.id, job.trial)
            if claim == "ours":
                return job
            if claim == "done":
                self._earlier(job.case.id, job.trial)
                looked = await self._breathe(looked)
                continue
            self._taken.append(job)
            if again:
                await self._sleep(pause)
                pause = min(pause * 1.5, _LOOK_AT_MOST)

    async def _breathe(self, looked: int) -> int:
        """Lets others have a turn now and then, in a long search for work."""
        if looked % _STRIDE == _STRIDE - 1:
            await asyncio.sleep(0)
        return looked + 1

    def _earlier(self, case_id: str, number: int) -> None:
        """Takes in a trial that another runner finished, or an earlier run."""
        trial = self.journal.trial(case_id, number)
        if trial is not None:
            self.standing.earlier += 1
            self._count(trial)

    def _count(self, trial: Trial) -> None:
        self.standing.add(trial)
        self.watch.trial(trial, self.standing)
        if self.rule is None:
            return
        settled = self.rule(trial, self.standing.counts)
        self._settled |= settled.cases
        if settled.everything:
            self._settled |= self.standing.counts.keys()

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
        tried = await self._tried(job)
        self._same_models(tried)
        trial = await self._judged(job, tried)
        if self.journal.finish(trial, tried.data):
            self._count(trial)
        else:
            self._taken.append(job)  # Another runner took it over; it counts there, once.

    async def _tried(self, job: Job) -> Tried:
        """What becomes of a trial, which is tried again where the surroundings break it."""
        seed = seed_of(self.seed, job.case.id, job.trial)
        broken: list[str] = []
        times = 0
        while True:
            await self._gate()
            tried = await self.play(job.case, job.trial, seed)
            times += 1
            wait = self._wait(tried, times, seed)
            if wait is None:
                break
            broken.append(f"{tried.trace.error} (then {wait:.3g} s)")
            await self._sleep(wait)
            if self._stopped.is_set():
                break
        if broken and tried.refused is None:
            tried = _told_of_retries(tried, broken, times)
        return tried

    def _wait(self, tried: Tried, times: int, seed: int) -> float | None:
        """How long to wait before the trial is tried again, None where it is not."""
        if tried.refused is not None or tried.trace.outcome != "infrastructure_error":
            return None
        wait = self.retries.wait(times, tried.retry_after, seed=seed)
        if wait is None or self._budget <= 0 or self._stopped.is_set():
            return None
        self._budget -= 1
        self.standing.retries += 1
        if tried.retry_after is not None:
            self._not_before = max(self._not_before, time.monotonic() + tried.retry_after)
        return wait

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
        case = job.case
        if self._quick[case.id]:
            return self._grade(tried, case, job.trial)
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._judges, lambda: context.run(self._grade, tried, case, job.trial)
        )

    def _at_once(self, case: Case) -> bool:
        """Whether a case's checks are ours alone, and ask nobody."""
        plan = plan_for(case, self.grader.checks)
        checks = [part.check for planned in plan for part in planned.parts]
        return all(
            type(check).__module__.startswith("passhat.") and "judge" not in check.needs
            for check in checks
        )

    def _grade(self, tried: Tried, case: Case, number: int) -> Trial:
        began = time.perf_counter()
        trial = self.grader.grade(tried.trace, case, trial=number)
        self._quick[case.id] = time.perf_counter() - began < _QUICK
        pins: dict[str, Any] = {}
        if case.id in self.hashes:
            pins["case"] = self.hashes[case.id]
        if tried.trace.tools and "tools" not in trial.pins:
            pins["tools"] = tools_hash(tried.trace.tools)
        return replace(trial, pins={**trial.pins, **pins}) if pins else trial

    async def _gate(self) -> None:
        """Waits while a server has asked to be left alone."""
        while (wait := self._not_before - time.monotonic()) > 0 and not self._stopped.is_set():
            await self._sleep(wait)

    async def _sleep(self, seconds: float) -> None:
        """Waits for so long, or until the run is stopped."""
        if self._stopped.is_set():
            await asyncio.sleep(min(seconds, _LOOK_AGAIN))
            return
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            pass


def _listed(models: set[str]) -> str:
    return f"the model {', '.join(sorted(models))}"


def _told_of_retries(tried: Tried, broken: list[str], times: int) -> Tried:
    """What became of an attempt, with what broke the attempts before it."""
    trace = tried.trace
    error = trace.error
    if trace.outcome == "infrastructure_error" and times > 1:
        error = f"{error}; tried {times} times"
    told = {**trace.extensions, "retries": broken}
    return finished(replace(trace, error=error, extensions=told), tried.retry_after)
