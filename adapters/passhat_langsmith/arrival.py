"""What came of an experiment: whether the server holds what LangSmith's client sent it.

The client sends runs and feedback in the background, tries three times, and drops what the server
refused with a line in the log. So the server is asked what it holds, for as long as it may take it
to take in what it was sent.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from passhat.errors import PasshatError
from passhat.reliability import Results
from passhat.reliability.wording import counted
from passhat_langsmith.cases import Json
from passhat_langsmith.patience import patiently
from passhat_langsmith.pushing import chunks
from passhat_langsmith.querying import project_of, run_pages

if TYPE_CHECKING:
    from langsmith import Client

_log = logging.getLogger("passhat_langsmith")
_RUNS = 50
"""Runs whose feedback is asked for with one request: their ids stand in its address."""
_PAGE = 100
_LONGEST = 8.0
_NAMED = 3


class ExperimentError(PasshatError):
    """An experiment ran, and something of it is missing or broke.

    Attributes:
        message: What is missing, and what broke.
        results: What came, as `evaluate` would have returned it.

    >>> try:
    ...     raise ExperimentError("run r has no feedback judge", Results(()))
    ... except ExperimentError as error:
    ...     len(error.results)
    0
    """

    def __init__(self, message: str, results: Results) -> None:
        super().__init__(message)
        self.results = results


def what_is_missing(
    client: Client,
    experiment: str,
    rows: Sequence[Any],
    summaries: Collection[str],
    within: float,
) -> list[str]:
    """What of an experiment the server does not hold, a sentence each.

    Where it cannot be asked, that is a warning in the log: nothing is known to be missing.

    Args:
        client: The client that sent it.
        experiment: The experiment's name.
        rows: LangSmith's rows.
        summaries: The keys of the summary evaluators' feedback.
        within: Seconds that the server may take.
    """
    try:
        client.flush()
        id = project_of(client, experiment).id
        until, pause = time.monotonic() + within, 0.25
        while True:
            missing = _missing(client, id, rows, summaries)
            if not missing or time.monotonic() + pause > until:
                return missing
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST)
    except PasshatError as error:
        _log.warning("whether the server holds all of %s is not known: %s", experiment, error)
        return []


def _missing(
    client: Client, experiment: Any, rows: Sequence[Any], summaries: Collection[str]
) -> list[str]:
    pages = run_pages(client, experiment, roots=True, fields=("id", "end_time"))
    ended = {str(run["id"]) for page in pages for run in page if run.get("end_time")}
    lost = [str(row["run"].id) for row in rows if str(row["run"].id) not in ended]
    wanted: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for one in row["evaluation_results"]["results"]:
            wanted[str(one.target_run_id or row["run"].id), one.key] += 1
    held: Counter[tuple[str, str]] = Counter()
    for ids in chunks(dict.fromkeys(id for id, _ in wanted), _RUNS):
        held.update((str(one.get("run_id")), one["key"]) for one in _feedback(client, run=ids))
    keys: Counter[str] = Counter(key for _, key in (wanted - held).elements())
    said = []
    if lost:
        named = ", ".join(lost[:_NAMED]) + (", ..." if len(lost) > _NAMED else "")
        said.append(f"{len(lost)} of {counted(len(rows), 'run')} ({named})")
    said += [f"feedback {key} of {counted(count, 'run')}" for key, count in keys.items()]
    if summaries:
        of_all = {
            one["key"]
            for one in _feedback(client, session=str(experiment))
            if one.get("run_id") is None
        }
        said += [f"the summary {key}" for key in sorted(set(summaries) - of_all)]
    return [f"the server does not hold {one}" for one in said]


def _feedback(client: Client, **asked: Any) -> Iterator[Json]:
    offset = 0
    while True:
        params = {**asked, "limit": _PAGE, "offset": offset}
        page = patiently(
            lambda params=params: client.request_with_retries(  # type: ignore[misc]  # bound at once
                "GET", "/feedback", params=params
            ).json(),
            "reading feedback",
        )
        yield from page
        if len(page) < _PAGE:
            return
        offset += len(page)
