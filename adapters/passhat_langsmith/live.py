"""Sources that are no files: `langsmith:project/NAME` and `langsmith:dataset/NAME`.

`langsmith:export/FOLDER` is a bulk export in Parquet, with all files below the folder.

Behind a `?` stand options: `since=2d` (or an ISO time), `limit=1000` traces; `version=prod`,
`splits=hard,easy`. The client is made of the environment: LANGSMITH_API_KEY, LANGSMITH_ENDPOINT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from msgspec.structs import replace

from passhat.adapter import Fidelity, FidelityNote
from passhat.case import Suite
from passhat.errors import TraceError, UsageError
from passhat.trace import Trace
from passhat_langsmith.cases import OURS
from passhat_langsmith.convert import read_export, to_trace
from passhat_langsmith.needs import need_langsmith
from passhat_langsmith.parquet import files_of

if TYPE_CHECKING:
    from langsmith import Client

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_OPTIONS = {"project": {"since", "limit"}, "dataset": {"version", "splits"}, "export": set[str]()}


@dataclass(frozen=True, slots=True)
class Source:
    """A source on the server.

    Args:
        kind: `project`, `dataset`, or `export`, a folder of Parquet files.
        name: Its name or id; for an export its path.
        options: What stands behind the `?`.
    """

    kind: str
    name: str
    options: dict[str, str]


def source_of(text: Any) -> Source | None:
    """The source that a text names; None for what names a file.

    Raises:
        UsageError: It names no source that there is, or with an option that it has not.

    >>> source_of("langsmith:project/support?since=2d")
    Source(kind='project', name='support', options={'since': '2d'})
    """
    if not isinstance(text, str | Path) or not str(text).startswith("langsmith:"):
        return None
    text = str(text)
    kind, slash, rest = text.removeprefix("langsmith:").partition("/")
    name, _, more = rest.partition("?")
    if kind not in _OPTIONS or not slash or not name:
        raise UsageError(
            f"{text}: a source of LangSmith is langsmith:project/NAME, langsmith:dataset/NAME or "
            "langsmith:export/FOLDER"
        )
    options = dict(parse_qsl(more, keep_blank_values=True))
    if unknown := options.keys() - _OPTIONS[kind]:
        known = ", ".join(sorted(_OPTIONS[kind])) or "none"
        raise UsageError(f"{text}: there is no option {min(unknown)!r}; there are: {known}")
    return Source(kind, name, options)


def traces_of(source: Source) -> Iterator[Trace | TraceError]:
    """The traces of a project or an experiment, newest first; one that cannot be read is its error.

    Those of an experiment on a pushed dataset are traces of the suite's own cases.

    Raises:
        UsageError: There is no such project, or an option cannot be read.
        PasshatError: The server refused, or stayed busy.
        MissingExtraError: LangSmith is not installed.
    """
    from passhat_langsmith.querying import began, project_of, run_pages, whole_traces

    if source.kind == "export":
        yield from read_export(files_of(source.name))
        return
    if source.kind != "project":
        raise UsageError(f"langsmith:{source.kind}/{source.name} holds cases, not runs")
    client = _client()
    held = project_of(client, source.name)
    since = _since(source.options.get("since")) or began(held)
    limit = source.options.get("limit")
    if limit is not None and not re.fullmatch(r"\d{1,15}", limit):
        raise UsageError(f"limit={limit}: a whole number of traces")
    cases = _case_ids(client, held)
    found = whole_traces(run_pages(client, held.id, since=since))
    for runs, _ in islice(found, int(limit) if limit else None):
        try:
            trace = to_trace(runs)
        except TraceError as error:
            yield error
            continue
        yield replace(trace, case_id=cases.get(trace.case_id or "", trace.case_id))


_EDITED = "somebody edited the example since it was pushed"


def left_by(source: Source, suite: Suite) -> Fidelity:
    """Which examples of a dataset a push would leave as they are; nothing is written.

    Raises:
        UsageError: It is no dataset, or an option is none of pushing.
        PasshatError: The server refused something, or stayed busy.
        MissingExtraError: LangSmith is not installed.
    """
    from passhat_langsmith.datasets import edited_in

    _need_dataset(source)
    edited = edited_in(_client(), suite, source.name)
    return Fidelity(tuple(FidelityNote(f"{id}: case", "lost", _EDITED) for id in edited))


def _need_dataset(source: Source) -> None:
    if source.kind != "dataset" or source.options:
        raise UsageError("a suite is pushed to langsmith:dataset/NAME, without options")


def push_to(source: Source, suite: Suite, *, overwrite: bool = False) -> Fidelity:
    """Pushes a suite to a dataset, and says which examples were left as they are.

    Raises:
        UsageError: It is no dataset, or an option is none of pushing.
        PasshatError: The server refused something, or stayed busy.
        MissingExtraError: LangSmith is not installed.
    """
    from passhat_langsmith.datasets import push_suite

    _need_dataset(source)
    done = push_suite(_client(), suite, source.name, overwrite=overwrite)
    why = f"{_EDITED}, and it was left; --force writes over it"
    return Fidelity(tuple(FidelityNote(f"{id}: case", "lost", why) for id in done.edited))


def suite_of(source: Source) -> Suite:
    """The suite of a dataset, or of the dataset that an experiment ran on.

    Raises:
        UsageError: There is none, or the project is no experiment.
        SuiteError: An example has faults.
        PasshatError: The server refused, or stayed busy.
        MissingExtraError: LangSmith is not installed.
    """
    from passhat_langsmith.datasets import pull_suite
    from passhat_langsmith.querying import project_of

    if source.kind == "export":
        raise UsageError(f"langsmith:export/{source.name} holds runs, which expect nothing")
    client = _client()
    if source.kind == "dataset":
        splits = source.options.get("splits")
        return pull_suite(
            client,
            source.name,
            version=source.options.get("version"),
            splits=splits.split(",") if splits else None,
        )
    held = project_of(client, source.name) if source.kind == "project" else None
    dataset = getattr(held, "reference_dataset_id", None)
    if dataset is None:
        raise UsageError(
            f"langsmith:{source.kind}/{source.name} is no experiment on a dataset: its runs expect "
            "nothing"
        )
    return pull_suite(client, dataset)


def _client() -> Client:
    need_langsmith()
    from langsmith import Client

    return Client(auto_batch_tracing=False)


def _case_ids(client: Client, project: Any) -> dict[str, str]:
    """For an experiment on a pushed dataset, the ids of its cases by those of the examples."""
    dataset = getattr(project, "reference_dataset_id", None)
    if dataset is None:
        return {}
    from passhat_langsmith.storing import example_pages

    found = {}
    for page in example_pages(client, dataset):
        for example in page:
            ours = (example.get("metadata") or {}).get(OURS)
            if isinstance(ours, dict) and isinstance(ours.get("id"), str):
                found[str(example["id"])] = ours["id"]
    return found


def _since(stated: str | None) -> datetime | None:
    if stated is None:
        return None
    try:
        if short := re.fullmatch(r"(\d+)([smhdw])", stated):
            return datetime.now(UTC) - timedelta(**{_UNITS[short[2]]: int(short[1])})
        found = datetime.fromisoformat(stated)
    except (ValueError, OverflowError):
        raise UsageError(f"since={stated}: as in 2d, 12h, or an ISO time") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
