"""The two questions that scoring answers: of a recording, and of one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passhat.adapter import looks_like
from passhat.case import Case, Suite
from passhat.errors import InputError, TraceError, UsageError
from passhat.grading import grade as grade_trace
from passhat.jsontext import file_name
from passhat.reliability import Results
from passhat.result import Trial
from passhat.scoring.joined import Scoring
from passhat.trace import Trace

if TYPE_CHECKING:
    from passhat.grading.planning import ChecksSpec

GRADED: ContextVar[tuple[Callable[[Trial], object], ...]] = ContextVar("graded", default=())
"""Who is told of each trial that `grade` gives: a framework's own test tracking."""


def score(
    path: str | Path | Iterable[str | Path],
    suite: Suite | str | Path | None = None,
    *,
    format: str | None = None,
    success: str | None = None,
    expected: bool = False,
    case_key: str | None = None,
    case: str | None = None,
    checks: ChecksSpec | None = None,
    allow_code: bool = False,
    error_pattern: str | None = None,
    timelines: bool = False,
) -> Results:
    """The results of recorded traces: each read, joined to its case, and graded.

    Args:
        path: The recording, or several; `-` is standard input.
        suite: The suite to grade by, or its file.
        format: Which reader to use (`openai`, `tau-bench`, ...); None asks each file.
        success: The recorded score whose value (1 or more) is the verdict; then expectations
            inform.
        expected: Whether to grade by the expectations that the recordings themselves carry.
        case_key: The metadata key that names a trace's case.
        case: The case of traces that do not name theirs.
        checks: The checks to require, instead of those that the cases' expectations bring.
        allow_code: Whether the suite may name checks of its own to import.
        error_pattern: A regular expression; a call whose answer matches it has failed.
        timelines: Whether failed trials keep the steps of their runs, in short, for reports.

    Returns:
        A trial for each trace, those that could not be judged included, and one for each case of
        the suite that no trace joins; `unread` holds the traces that could not be read.

    Raises:
        UsageError: The options contradict each other, or name what does not exist.
        InputError: Nothing could be read: a file cannot be opened, does not tell what it is, or
            holds no trace that can be read.
        SuiteError: The suite has faults.

    >>> from passhat.demo import SUITE, TRACES
    >>> results = score(TRACES, SUITE)
    >>> print(results.summary().verdict)
    Passes 75 % of the time, but 4 times in a row only 42 % of the time.
    """
    sources = [path] if isinstance(path, str | Path) else list(path)
    scoring = Scoring(
        sources,
        suite,
        format=format,
        success=success,
        expected=expected,
        case_key=case_key,
        case=case,
        checks=checks,
        allow_code=allow_code,
        error_pattern=error_pattern,
        timelines=timelines,
    )
    trials: list[Trial] = []
    unread: list[TraceError] = []
    for item in scoring:
        if isinstance(item, TraceError):
            unread.append(item)
        else:
            trials.append(item)
    if not scoring.read:
        raise nothing_read(unread, scoring)
    return Results(tuple(trials), scoring.suite, tuple(unread), scoring.about)


def nothing_read(unread: Sequence[TraceError | str], scoring: Scoring) -> InputError:
    """The error of recordings that hold no trace that can be read."""
    if not unread:
        return InputError("nothing to score: no run is recorded there")
    mistaken = [
        f"{file_name(source)} looks like {looks}: leave --from (format=) out"
        for source, reader in scoring.sources
        if (looks := looks_like(Path(source), reader))
    ]
    told = "\n".join([*map(str, unread[:5]), *mistaken])
    return InputError(f"nothing could be read:\n{told}")


def grade(
    trace: Trace | Sequence[Any] | Mapping[str, Any],
    case: Case | Mapping[str, Any] | None,
    checks: ChecksSpec | None = None,
) -> Trial:
    """The verdict on one run: what each check said, and what the attempt came to.

    Args:
        trace: What happened: a trace, or messages as OpenAI, Anthropic, Gemini or LangChain write
            them (a list of them, or a mapping that holds them); those that could be any of these
            are taken for OpenAI's.
        case: What was expected, as a case or as a mapping of its keys; None where the run joins no
            case, which is never a pass.
        checks: The checks to run, by key, as objects, or by key with options; they are required.
            By default those that the case's expectations bring and its `checks` name, and others
            that inform.

    Raises:
        TraceError: The messages cannot be read.
        UsageError: A check is named that does not exist, or with an option it has not; or the case
            is none.

    >>> messages = [
    ...     {"role": "user", "content": "Where is A1?"},
    ...     {"role": "assistant", "tool_calls": [
    ...         {"id": "1", "function": {"name": "lookup", "arguments": '{"id": "A1"}'}}]},
    ... ]
    >>> grade(messages, Case("where", expected_calls=["lookup"])).status
    'passed'
    >>> grade(messages, Case("where", expected_calls=["lookup", "answer"])).reason
    'trajectory: answer(...) was not called'
    """
    if not isinstance(trace, Trace):
        from passhat.recordings import to_trace

        trace = to_trace(trace)
    if isinstance(case, Mapping):
        unknown = case.keys() - set(Case.__struct_fields__)
        if unknown or not isinstance(case.get("id"), str):
            what = f"has no key {min(unknown, key=str)!r}" if unknown else "needs an id"
            raise UsageError(f"a case {what}: its keys are {', '.join(Case.__struct_fields__)}")
        case = Case(**case)
    if case is not None and not isinstance(case, Case):
        raise UsageError(f"case is a Case, or a mapping of its keys, not {case!r}")
    if isinstance(checks, str):
        checks = (checks,)
    trial = grade_trace(trace, case, checks)
    for tell in GRADED.get():
        tell(trial)
    return trial
