"""`evaluate`: LangSmith's own, made safe, with our results."""

from __future__ import annotations

import warnings
from asyncio import to_thread
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any
from uuid import UUID

from passhat.case import Suite
from passhat.errors import PasshatError, UsageError
from passhat.reliability import Results
from passhat.result import Trial
from passhat_langsmith.arrival import ExperimentError, what_is_missing
from passhat_langsmith.examples import as_examples
from passhat_langsmith.guarding import Guard
from passhat_langsmith.judging import Judge
from passhat_langsmith.needs import need_all_sent, need_langsmith

if TYPE_CHECKING:
    from langsmith import Client


def offline_client() -> Client:
    """A LangSmith client that makes no connection, for `evaluate(client=..., upload_results=False)`.

    Runs stay in memory, whole, those of LangChain and LangGraph too. It refuses feedback, which it
    could only drop.

    Raises:
        MissingExtraError: LangSmith is not installed.
    """
    need_langsmith()
    from passhat_langsmith.offline import OfflineClient

    return OfflineClient()


def evaluate(
    target: Any,
    data: Any,
    *,
    suite: Suite | None = None,
    trials: int = 5,
    local: bool = False,
    evaluators: Sequence[Any] = (),
    client: Client | None = None,
    within: float = 60.0,
    **options: Any,
) -> Results:
    """An experiment of LangSmith's, each example n times, judged and counted.

    Args:
        target: A function of `inputs`, or a Runnable or graph. A function is given a copy of the
            inputs each time, so that what it does to them reaches no other trial.
        data: The name of a dataset, examples (LangSmith's, or dicts), or a suite.
        suite: The suite whose cases the examples stand for; by default each example says itself
            what it expects, as with `as_evaluator`.
        trials: How often each example is tried.
        local: Whether to make no connection at all. While it runs, nothing that this process traces by
            LangSmith's default client is sent either: threads of a target's own would use that one.
        evaluators: Further row evaluators of your own.
        client: The client; an offline one where `local` is set.
        within: Seconds in which the server must show the runs and the feedback that it was sent: the
            client drops in silence what it cannot send. 0 does not ask it.
        **options: Passed to LangSmith's `evaluate`: `experiment_prefix`, `max_concurrency`,
            `summary_evaluators`, `metadata`, ...

    Returns:
        A trial for each run, example by example; `native` is LangSmith's own object.

    Raises:
        UsageError: There are no examples, or two of one id, a dataset was named although `local` is
            set, the target is async (`aevaluate` is for those), the client drops what it is given
            because it samples, or an option is one that this sets itself.
        ExperimentError: A run, or the feedback of an evaluator, is missing from LangSmith's results or
            on its server, or a summary evaluator raised. What came is in its `results`.
        MissingExtraError: LangSmith is not installed.
        Exception: What stopped the experiment, which LangSmith keeps to itself.
    """
    guard = Guard()
    guarded = guard.target(target, awaits=False)
    asked = _Asked(data, suite, trials, local, evaluators, client, within, options, guard)
    from langsmith import evaluate as theirs

    with _quiet(), asked.clients():
        native: Any = theirs(guarded, **asked.arguments())
        native.wait()
    return asked.results(list(native), native)


async def aevaluate(
    target: Any,
    data: Any,
    *,
    suite: Suite | None = None,
    trials: int = 5,
    local: bool = False,
    evaluators: Sequence[Any] = (),
    client: Client | None = None,
    within: float = 60.0,
    **options: Any,
) -> Results:
    """The same as `evaluate`, in async code and for async targets; others are called as they are.

    Raises:
        UsageError: As `evaluate`.
        ExperimentError: As `evaluate`.
        MissingExtraError: LangSmith is not installed.
        Exception: What stopped the experiment.
    """
    guard = Guard()
    guarded = guard.target(target, awaits=True)
    asked = _Asked(data, suite, trials, local, evaluators, client, within, options, guard)
    from langsmith import aevaluate as theirs

    with _quiet(), asked.clients():
        native: Any = await theirs(guarded, **asked.arguments())
        await native.wait()
    return await to_thread(asked.results, [row async for row in native], native)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without warnings that LangSmith gives of its own doing.

    Where warnings are errors, the first would stop the experiment, and the second would lose the
    feedback of summary evaluators, silently.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="'upload_(runs|results)' parameter is in beta")
        warnings.filterwarnings("ignore", message="The following arguments are no longer used in")
        yield


_OURS = frozenset({"num_repetitions", "upload_results", "upload_runs", "blocking"})


class _Asked:
    """What is asked of LangSmith's `evaluate`, and what its answer must hold."""

    def __init__(
        self,
        data: Any,
        suite: Suite | None,
        trials: int,
        local: bool,
        evaluators: Sequence[Any],
        client: Client | None,
        within: float,
        options: dict[str, Any],
        guard: Guard,
    ) -> None:
        need_langsmith()
        if trials < 1:
            raise UsageError(f"trials are 1 or more, not {trials}")
        if taken := _OURS & options.keys():
            raise UsageError(f"{min(taken)!r} is set by `trials` and `local`")
        if local and isinstance(data, str | UUID):
            raise UsageError(
                f"a dataset that is named ({str(data)!r}) is on the server, and `local` makes no "
                "connection; give its examples, or a suite"
            )
        if local and client is not None:
            raise UsageError("`local` uses a client that sends nothing, so none is given")
        self.suite = data if isinstance(data, Suite) else suite
        self.trials = trials
        self._local = local
        self._data = data if isinstance(data, str | UUID) else as_examples(data)
        self._client = offline_client() if local else client or _client()
        if not local:
            need_all_sent(self._client)
        self._within, self._guard = 0.0 if local else within, guard
        from passhat_langsmith.row import PasshatEvaluator

        self._judge = Judge(self.suite, {})
        self._evaluators = [PasshatEvaluator(self._judge), *guard.rows(evaluators)]
        summaries = guard.summaries(options.get("summary_evaluators") or ())
        self._options = {**options, "summary_evaluators": summaries} if summaries else options

    def clients(self) -> AbstractContextManager[None]:
        """What holds while theirs runs: where that is local, there is no client but ours."""
        if not self._local:
            return nullcontext()
        from passhat_langsmith.offline import only

        return only(self._client)

    def arguments(self) -> dict[str, Any]:
        """The arguments of LangSmith's own function."""
        return {
            **self._options,
            "data": self._data,
            "evaluators": self._evaluators,
            "num_repetitions": self.trials,
            "client": self._client,
            "upload_results": not self._local,
        }

    def results(self, rows: list[Any], native: Any) -> Results:
        """Our results, once every run and every key is found in theirs, and on the server.

        Raises:
            UsageError: The target is async.
            ExperimentError: Something is missing, or broke.
        """
        self._guard.need_sync()
        stated = [example.id for example in self._data] if isinstance(self._data, list) else []
        # As they were given: several at once end in any order.
        examples = dict.fromkeys(map(str, [*stated, *(row["example"].id for row in rows)]))
        faults = [error.message for error in self._guard.broken]
        if len(rows) != len(examples) * self.trials or not rows:
            faults.append(
                f"LangSmith gave {len(rows)} runs, where {len(examples)} examples were to be tried "
                f"{self.trials} times each"
            )
        keys = {key for one in self._evaluators for key in getattr(one, "feedback_keys", ())}
        by_example: defaultdict[str, list[Any]] = defaultdict(list)
        for row in rows:
            came = {one.key for one in row["evaluation_results"]["results"]}
            if missing := keys - came:
                faults.append(f"run {row['run'].id} has no feedback {', '.join(sorted(missing))}")
            by_example[str(row["example"].id)].append(row)
        trials: list[Trial] = []
        for held in (by_example[id] for id in examples):
            held.sort(key=lambda row: row["run"].start_time)
            trials += [
                self._judge.remembered(row["run"], row["example"], number)
                for number, row in enumerate(held)
            ]
        suite = self.suite or Suite("langsmith", tuple(self._judge.cases.values()))
        name = getattr(native, "experiment_name", None)
        about = {"source": name or suite.name, "format": "langsmith", "judged_by": suite.name}
        results = Results(tuple(trials), suite, about=about, native=native)
        if self._within > 0 and name and rows:
            sums = self._guard.summarised
            faults += what_is_missing(self._client, name, rows, sums, self._within)
        if faults:
            raise ExperimentError("; ".join(faults), results) from _cause(self._guard.broken)
        return results


def _cause(broken: Sequence[PasshatError]) -> BaseException | None:
    return broken[0].__cause__ if broken else None


def _client() -> Client:
    from langsmith import Client

    return Client()
