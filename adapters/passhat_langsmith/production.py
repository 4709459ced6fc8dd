"""Production traces: a sample of them, and all that are flagged, scored where they are recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import NAMESPACE_URL, UUID, uuid5

from msgspec.structs import replace

from passhat.case import Case
from passhat.errors import TraceError, UsageError
from passhat.grading import Grader
from passhat.reliability import Results
from passhat.result import CheckResult, Trial, results_of
from passhat.suitefile.hashes import case_hash
from passhat.trace import Trace
from passhat_langsmith.cases import Json
from passhat_langsmith.convert import to_trace
from passhat_langsmith.flagging import FLAGS, SAMPLED, THUMBS, Flag, tags_of
from passhat_langsmith.journal import ScoringJournal
from passhat_langsmith.judging import PREFIX
from passhat_langsmith.needs import need_all_sent, need_langsmith
from passhat_langsmith.patience import patiently, status_of
from passhat_langsmith.querying import began, is_root, project_of, run_pages, whole_traces
from passhat_langsmith.runs import seconds_of

if TYPE_CHECKING:
    from langsmith import Client

    from passhat_langsmith.datasets import Pushed

Redact: TypeAlias = Callable[[Any], Any] | Literal[False]
_NOTHING = Trace("")


@dataclass(frozen=True)
class ProjectScores:
    """What `score_project` found.

    Args:
        results: A trial for each trace that was judged, its own case each; its tags say whether it
            was `sampled` and how it is flagged (`flagged:error`). `results.unread` holds the
            traces that could not be read.
        project: The project's name.
        seen: How many traces there were.
        running: How many of them had not ended, and were left for later.
        written: How many feedbacks were written.
        known: How many were there already.
    """

    results: Results
    project: str
    seen: int = 0
    running: int = 0
    written: int = 0
    known: int = 0
    _client: Any = field(default=None, repr=False)
    _project_id: Any = field(default=None, repr=False)
    _since: Any = field(default=None, repr=False)

    @property
    def sample(self) -> Results:
        """The trials of the sample alone: rates over all would count flagged traces too often."""
        kept = tuple(trial for trial in self.results if SAMPLED in trial.tags)
        return Results(kept, about=self.results.about)

    @property
    def failures(self) -> tuple[Trial, ...]:
        """The trials that failed, newest first."""
        return tuple(one for one in self.results if one.status in ("failed", "agent_error"))

    def add_failures_to(
        self, dataset: str, *, redact: Redact | None = None, limit: int | None = None
    ) -> Pushed:
        """Makes each trace that failed a case of a dataset, with the expectation left to correct.

        A case holds what was asked; what the run did, and why it failed, stands in its reference,
        which brings no check: until somebody says what is expected, its runs are not evaluated,
        never passed. What was corrected in LangSmith is not overwritten by adding again.

        Args:
            dataset: The dataset's name; it is made where there is none.
            redact: A function that takes the JSON of a case and gives it without what must not be
                kept (LangSmith's `create_anonymizer` makes one); or False, to keep all as it is.
            limit: The most cases to add.

        Raises:
            UsageError: Nothing failed, or `redact` is not said, or gives no object.
            PasshatError: The server refused, or stayed busy.
        """
        if redact is None:
            raise UsageError(
                "production traces hold what users wrote: name a function that redacts a case "
                "(redact=...), or waive it with redact=False"
            )
        from passhat_langsmith.drafts import draft_suite

        failed = self.failures[:limit]
        if not failed:
            raise UsageError("no trace failed, so there is nothing to add")
        traces = {one.trace_id: self._trace(one.trace_id) for one in failed}
        suite = draft_suite(self.project, [(traces[one.trace_id], one) for one in failed], redact)
        from passhat_langsmith.datasets import push_suite

        return push_suite(self._client, suite, dataset)

    def _trace(self, id: str) -> Trace:
        pages = run_pages(self._client, self._project_id, since=self._since, trace_id=id)
        return to_trace([run for page in pages for run in page])


def score_project(
    client: Client,
    project: str | UUID,
    checks: Any,
    *,
    sample: float = 0.1,
    always: Collection[Flag] = FLAGS,
    since: datetime | timedelta | None = timedelta(days=1),
    until: datetime | None = None,
    feedback: bool = True,
    slow: float = 30.0,
    thumbs: Collection[str] = THUMBS,
    extend_retention: bool = False,
    journal: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ProjectScores:
    """Scores the traces of a project: a sample of them, and all that are flagged.

    Runs are read with one query a page, and the traces are built here. Requests wait as long as the
    server asks. Each feedback has an id of its trace and its key, so that it is written once
    however often this runs; what is there already is not written again.

    Args:
        client: LangSmith's client.
        project: The project's name or id.
        checks: The checks to require: keys, objects, or keys with options, as in `passhat.grade`;
            or a case, whose expectations hold for every trace (`forbidden_calls`, `policies`, ...).
        sample: The share of traces to score, 0 to 1. Which ones, is decided by their ids: the same
            each time.
        always: Which traces are scored whatever the sample says: those that ended in an `error`, at
            a `limit` of the agent's own, with `thumbs_down`, or after more than `slow` seconds.
        since: Only traces that began since; a time, or how long before now. None: all there are.
        until: Only traces that began then or before; now by default.
        feedback: Whether to write the results to the runs as feedback.
        slow: Seconds from which on a trace is slow.
        thumbs: The keys of feedback that are thumbs: 1 is up, 0 or -1 is down.
        extend_retention: Whether traces that get feedback are kept longer, which costs; newer
            versions of LangSmith ask for it, older ones extend it always.
        journal: A file that keeps what was done: a scoring that was stopped goes on from there, and
            where all was done, a new one begins.
        progress: Called with how many traces were seen, and how many were judged.

    Returns:
        The scores. Rates over all of them count flagged traces too often: `.sample` has those that
        stand for the project.

    Raises:
        UsageError: There is no such project or check, the sample is no share, the client drops
            feedback because it samples, or the journal is of another scoring.
        PasshatError: The server refused, or stayed busy; with a journal, the next call goes on.
        MissingExtraError: LangSmith is not installed.
    """
    need_langsmith()
    if not 0 <= sample <= 1:
        raise UsageError(f"the sample is a share, 0 to 1, not {sample!r}")
    if unknown := set(always) - set(FLAGS):
        raise UsageError(f"always: there is no flag {min(unknown)!r}; there are {', '.join(FLAGS)}")
    if feedback:
        need_all_sent(client)
    case = checks if isinstance(checks, Case) else Case("")
    asked = None if isinstance(checks, Case) else [checks] if isinstance(checks, str) else checks
    grader = Grader(asked, inform=False)
    keys = [one.key for one in grader.grade(_NOTHING, case).results]
    if not keys:
        raise UsageError("there is no check, so nothing would be judged")
    held = project_of(client, project)
    now = datetime.now(UTC)
    start = now - since if isinstance(since, timedelta) else since or began(held)
    judged = case_hash(case if case is checks else Case("", extensions={"checks": asked}))
    head = {"project": str(held.id), "checks": keys, "judged": judged, "sample": sample}
    kept = ScoringJournal(journal, head)
    start, end = kept.window(start, until or now)
    judging = _Judging(
        client, partial(grader.grade, case=case), str(held.id), feedback, extend_retention
    )
    trials = list(kept.trials.values())
    seen = running = 0
    for runs, horizon in whole_traces(run_pages(client, held.id, since=start, until=end)):
        root = next(filter(is_root, runs))
        seen += 1
        tags = tags_of(root, sample, always, slow, thumbs)
        if root.get("end_time") is None:
            running += 1
        elif tags and root["id"] not in kept.trials:
            try:
                trial = judging.trial(runs, root, tags)
            except TraceError as error:
                kept.add_unread(error)
            else:
                trials.append(trial)
                kept.add(trial, horizon)
        if progress is not None:
            progress(seen, len(trials))
    kept.finish()
    about = {
        "source": f"langsmith:project/{held.name}",
        "format": "langsmith",
        "judged_by": f"checks {', '.join(keys)}",
    }
    results = Results(tuple(trials), unread=tuple(kept.unread), about=about)
    return ProjectScores(
        results,
        str(held.name),
        seen,
        running,
        judging.written,
        judging.known,
        client,
        held.id,
        start,
    )


class _Judging:
    """Judges traces, and writes what it says to their roots."""

    def __init__(
        self,
        client: Client,
        grade: Callable[[Trace], Trial],
        project_id: str,
        feedback: bool,
        extend: bool,
    ) -> None:
        self.written = self.known = 0
        self._client, self._grade, self._project_id = client, grade, project_id
        self._feedback = feedback
        # Without it, feedback that names its trace goes to a queue, and its failures to nobody.
        tells = "extend_trace_retention" in signature(client.create_feedback).parameters
        self._more: Json = {} if not tells else {"extend_trace_retention": extend}
        self._names_trace = tells and not extend

    def trial(self, runs: list[Json], root: Json, tags: tuple[str, ...]) -> Trial:
        trace = to_trace(runs)
        judged = self._grade(trace)
        judged = replace(judged, case_id=trace.id, tags=tuple(dict.fromkeys((*judged.tags, *tags))))
        if self._feedback:
            stats = root.get("feedback_stats")
            there = stats if isinstance(stats, Mapping) else {}
            for result in results_of(judged):
                if PREFIX + result.key in there:
                    self.known += 1
                else:
                    self._write(root, result)
                    self.written += 1
        return judged

    def _write(self, root: Json, result: CheckResult) -> None:
        from passhat_langsmith.row import FEEDBACK_CONFIG, feedback_of

        told = feedback_of(result)
        start = seconds_of(root.get("start_time"))

        def write() -> None:
            try:
                self._client.create_feedback(
                    run_id=root["id"],
                    trace_id=root["id"] if self._names_trace else None,
                    key=told.key,
                    score=told.score,
                    value=told.value,
                    comment=told.comment,
                    source_info=told.evaluator_info,
                    feedback_source_type="model",
                    feedback_config=FEEDBACK_CONFIG,  # type: ignore[arg-type]  # a dict of its keys
                    extra=told.extra,
                    feedback_id=uuid5(NAMESPACE_URL, f"passhat:{root['id']}:{told.key}"),
                    session_id=self._project_id,
                    start_time=datetime.fromtimestamp(start, UTC) if start else None,
                    stop_after_attempt=1,
                    **self._more,
                )
            except Exception as error:
                if status_of(error) != 409:  # It is there: an earlier try came through after all.
                    raise

        patiently(write, f"writing feedback on run {root['id']}")
