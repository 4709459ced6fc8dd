"""A run: an agent, a suite and a journal on their way to results. `passhat.run` is its short form."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat.failing import FailureRules
from passhat.grading import Grader
from passhat.reliability import Results
from passhat.reliability.wording import counted
from passhat.result import Trial
from passhat.scoring import suite_of
from passhat.trials.agents import as_callable
from passhat.trials.asking import (
    answers_approvals,
    checked_cases,
    checked_surroundings,
    equally_often,
    keys_of,
    whole_numbers,
)
from passhat.trials.deciding import UNTIL, UntilDecided
from passhat.trials.driving import Interrupted, drive, same_folder
from passhat.trials.isolating import MEMORY_MIB, Isolated
from passhat.trials.journal import Journal, MemoryJournal, open_journal
from passhat.trials.pins import pins_of
from passhat.trials.retrying import Retries
from passhat.trials.running import Runner
from passhat.trials.standing import Standing, Unwatched, Watch
from passhat.trials.stopping import Limits, StopRule
from passhat.trials.trying import Trying

if TYPE_CHECKING:
    from passhat.gate import Policy
    from passhat.grading.planning import ChecksSpec


class Run:
    """An agent run on a suite: `play` runs what is missing, `results` gives all there is.

    The arguments are those of `passhat.run`; `agent_name` is how the agent is called in pins and
    reports.

    Attributes:
        suite: The suite.
        decided: What settles the policy's answer, with `until="decided"`.
        standing: How the run stands.
        interrupted: What interrupted it, where something did: `Ctrl-C`.

    Raises:
        UsageError: The arguments cannot mean anything, or the journal is not to be gone on with.
        InputError: The suite or the journal cannot be read.
        SuiteError: The suite has faults.
    """

    def __init__(
        self,
        agent: Any,
        suite: Suite | str | Path,
        *,
        trials: int | None = None,
        concurrency: int = 8,
        timeout: float | None = None,
        retries: int | Retries = 3,
        journal: str | Path | None = None,
        until: StopRule | Literal["decided"] | None = None,
        policy: Policy | Mapping[str, Any] | str | Path | None = None,
        baseline: Results | None = None,
        resume: bool = False,
        fresh: bool = False,
        vary: bool = False,
        seed: int = 0,
        sandbox: Any = None,
        user: Any = None,
        checks: ChecksSpec | None = None,
        failures: FailureRules | None = None,
        max_cost: float | None = None,
        max_seconds: float | None = None,
        isolate: bool = False,
        memory: float = MEMORY_MIB,
        pins: Mapping[str, Any] | None = None,
        allow_code: bool = False,
        agent_name: str | None = None,
    ) -> None:
        whole_numbers(trials=trials, concurrency=concurrency)
        if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0):
            raise UsageError(f"timeout is more than 0 seconds, not {timeout!r}")
        if until not in (None, "decided") and not callable(until):
            raise UsageError(f'until is "decided" or a rule that is called, not {until!r}')
        limits = Limits(max_cost, max_seconds)
        retrying = retries if isinstance(retries, Retries) else Retries(retries)
        self.suite, self._suite_name, self._suite_notes = suite_of(suite, allow_code=allow_code)
        checked_cases(self.suite.cases)
        called = as_callable(agent)
        checked_surroundings(called, sandbox, user)
        self._unanswered = sandbox is None and not answers_approvals(called)
        self.decided: UntilDecided | None = None
        if until == "decided":
            self.decided = until = UntilDecided(
                [case.id for case in self.suite.cases],
                equally_often(self.suite.cases, trials),
                policy,
                baseline=baseline,
                seed=seed,
            )
            pins = {**(pins or {}), UNTIL: "decided"}
        elif policy is not None or baseline is not None:
            raise UsageError('a policy and a baseline are for until="decided" (--until decided)')
        self._pins = pins_of(
            self.suite,
            agent,
            agent_name=agent_name,
            seed=seed,
            checks=keys_of(checks),
            declared=pins,
            beside={"sandbox": sandbox, "user": user},
        )
        trying = Trying(
            called,
            sandbox=sandbox,
            user=user,
            rules=failures or FailureRules(),
            timeout=timeout,
            pins=self._pins.of_trial(),
        )
        grader = Grader(checks, timelines=True)
        # Forked first, so that the journal is open in this process alone.
        self._isolated = Isolated(trying, self.suite.cases, memory=memory) if isolate else None
        if getattr(sandbox, "alone", False):
            concurrency = 1  # Waiting for the world must not take of a trial's time.
        self._journal_file = journal
        self._journal: Journal = MemoryJournal()
        try:
            if journal is not None:
                self._journal = open_journal(
                    journal, self._pins, resume=resume, fresh=fresh, vary=vary
                )
            self._runner = Runner(
                self._isolated or trying,
                self.suite.cases,
                self._journal,
                grader,
                trials=trials,
                concurrency=concurrency,
                retries=retrying,
                limits=limits,
                rule=until,
                order=self.decided.order if self.decided is not None else None,
                seed=seed,
                vary=vary,
                hashes=self._pins.cases,
            )
        except BaseException:
            self.close()
            raise
        if self.decided is not None:
            self._runner.standing.deciding = self.decided.so_far
        self.interrupted: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the journal, and of the processes of isolated trials."""
        if self._isolated is not None:
            self._isolated.close()
        self._journal.close()

    @property
    def standing(self) -> Standing:
        """How the run stands."""
        return self._runner.standing

    @property
    def saved(self) -> int:
        """How many trials the rule that stops has made unnecessary, for all runners together."""
        return self._runner.saved

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases of the suite."""
        return self.suite.cases

    @property
    def about(self) -> dict[str, str]:
        """What was run, and what it was judged by."""
        keys = ", ".join(self._pins.checks)
        return {
            "source": self._pins.agent,
            "judged_by": f"checks {keys}" if keys else self._suite_name,
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the results should know."""
        standing = self.standing
        told = [*self._suite_notes, *self._journal.notes]
        unanswered = [case.id for case in self.suite.cases if case.approvals is not None]
        if self._unanswered and unanswered:
            told.append(
                f"the approvals of {counted(len(unanswered), 'case')} ({unanswered[0]}, ...) answered "
                "nobody: they answer the tools of a sandbox, and the interrupts of a LangGraph or ADK "
                "agent"
            )
        if standing.retries:
            retries = counted(standing.retries, "retry", "retries")
            told.append(f"{retries} after errors of the surroundings")
        if self.decided is not None:
            told += self.decided.lines()
        if self.saved:
            told.append(f"{self.saved} trials were not needed: the rule that stops had its answer")
        if (limit := standing.limits.note()) is not None:
            told.append(limit)
        return tuple(told)

    def play(self, watch: Watch | None = None) -> None:
        """Runs what the journal does not hold yet.

        Where Ctrl-C or a signal ends it early, `interrupted` says so; what was finished stays.

        Args:
            watch: Shows how it goes on.

        Raises:
            UsageError: The journal cannot be written.
            MissingExtraError: The agent's framework is not installed.
        """
        self._runner.watch = watch or Unwatched()
        try:
            with same_folder():
                drive(self._runner.run)
        except Interrupted as stopped:
            self.interrupted = stopped.what
            self._runner.stop(stopped.what)
        except asyncio.CancelledError:
            self.interrupted = "a cancellation"
            self._runner.stop(self.interrupted)

    def results(self) -> Iterator[Trial]:
        """The finished trials by case, and one that was not run for each that is missing."""
        return self._runner.results()

    def traces(self) -> Iterator[bytes]:
        """The traces of the finished trials, as JSON; none without a journal."""
        return self._journal.traces()

    def how_to_go_on(self) -> str:
        """What to do to have the rest run."""
        done, total = self.standing.done, self.standing.total
        if self._journal_file is None:
            return f"{done} of {total} trials were finished; without a journal they are lost"
        return (
            f"{done} of {total} trials are finished and kept in {self._journal_file}; the same "
            "again with --resume (resume=True) runs the rest"
        )


def run(
    agent: Any,
    suite: Suite | str | Path,
    trials: int | None = None,
    concurrency: int = 8,
    timeout: float | None = None,
    retries: int | Retries = 3,
    journal: str | Path | None = None,
    until: StopRule | Literal["decided"] | None = None,
    *,
    policy: Policy | Mapping[str, Any] | str | Path | None = None,
    baseline: Results | None = None,
    resume: bool = False,
    fresh: bool = False,
    vary: bool = False,
    seed: int = 0,
    sandbox: Any = None,
    user: Any = None,
    checks: ChecksSpec | None = None,
    failures: FailureRules | None = None,
    max_cost: float | None = None,
    max_seconds: float | None = None,
    isolate: bool = False,
    memory: float = MEMORY_MIB,
    pins: Mapping[str, Any] | None = None,
    allow_code: bool = False,
    progress: bool = False,
) -> Results:
    """The results of an agent that is run on every case of a suite, several times each.

    Args:
        agent: A function, sync or async, that takes a case and gives a trace, messages, a
            framework's own result, or text; or a LangGraph graph or ADK agent.
        suite: The suite, or its file.
        trials: How often each case is tried; by default what the case says, else 5.
        concurrency: How many trials run at a time. Agents that are no coroutine functions run in
            threads.
        timeout: How many seconds a trial may take; one that takes longer is the agent's failure.
        retries: How often a trial is tried again that the surroundings broke (a connection, 429,
            5xx), with growing waits; `Retries` says more.
        journal: The file in which every finished trial is kept before the next is counted: SQLite,
            or JSONL where the name ends so. Without one, a run that is killed is lost.
        until: `decided` stops as soon as the policy's answer is settled (see `UntilDecided`); or a
            rule of your own that says which cases need no more trials.
        policy: What is to be decided, as of `passhat.decide`; for `until="decided"`.
        baseline: Results that the policy's margins are held to.
        resume: Whether to go on with what the journal holds. Another runner may be at it.
        fresh: Whether to throw away what the journal holds.
        vary: Whether to resume although suite, agent, versions or seed are not what they were.
        seed: For the waits, and for what is drawn in sandboxes.
        sandbox: The world of the tools; the agent is then called with the case and its tools.
        user: Who plays the user of scenarios.
        checks: The checks to require, instead of those that the cases' expectations bring.
        failures: Whose fault an exception is, where the names of classes do not tell.
        max_cost: What the trials may cost, in the currency of the traces.
        max_seconds: After these no trial is started.
        isolate: Whether each trial runs in a process of its own, which is ended in time.
        memory: How many MiB an isolated trial may take beside what is there.
        pins: What else the trials are pinned to: model ids, a prompt's version.
        allow_code: Whether the suite may name checks of its own to import.
        progress: Whether to show on standard error how the run goes on.

    Returns:
        The trials by case. What was not run (a limit was reached) is there too, as `not_run`.

    Raises:
        KeyboardInterrupt: Ctrl-C; it says how to go on.
        UsageError: The arguments cannot mean anything; the journal holds trials and neither
            `resume` nor `fresh` was given, or is pinned to something else; it cannot be written.
        InputError: The suite or the journal cannot be read.
        SuiteError: The suite has faults.
        MissingExtraError: The agent's framework is not installed.

    >>> suite = Suite("s", [Case("capital", "Of France?", response={"includes": ["Paris"]})])
    >>> results = run(lambda case: "Paris.", suite, trials=3)
    >>> results.summary().pass_hat_k[3]
    1.0
    """
    from passhat.trials.showing import shown

    with Run(
        agent,
        suite,
        trials=trials,
        concurrency=concurrency,
        timeout=timeout,
        retries=retries,
        journal=journal,
        until=until,
        policy=policy,
        baseline=baseline,
        resume=resume,
        fresh=fresh,
        vary=vary,
        seed=seed,
        sandbox=sandbox,
        user=user,
        checks=checks,
        failures=failures,
        max_cost=max_cost,
        max_seconds=max_seconds,
        isolate=isolate,
        memory=memory,
        pins=pins,
        allow_code=allow_code,
    ) as running:
        with shown(progress) as watch:
            running.play(watch)
        if running.interrupted is not None:
            raise KeyboardInterrupt(f"{running.interrupted}: {running.how_to_go_on()}")
        return Results(tuple(running.results()), running.suite, about=running.about)
