"""Datasets on the server: a suite pushed to one, and pulled from it, page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from passhat.case import Suite
from passhat.errors import UsageError
from passhat_langsmith.cases import OURS, Json
from passhat_langsmith.journal import PullJournal
from passhat_langsmith.keeping import lacks_files
from passhat_langsmith.needs import need_langsmith
from passhat_langsmith.patience import patiently
from passhat_langsmith.pushing import (
    chunks,
    digest_of,
    examples_for,
    is_of,
    place_of,
    pushed_digest,
    same,
)
from passhat_langsmith.storing import (
    PAGE,
    dataset_of,
    example_pages,
    made,
    named,
    tag_version,
    version_of,
    with_files,
    write,
)
from passhat_langsmith.suites import to_suite

if TYPE_CHECKING:
    from langsmith import Client

Progress: TypeAlias = Callable[[int, int], None]
_WRITTEN = 500
"""Examples that are written with one; the client sends fewer where they are large."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """What `push_suite` did.

    Args:
        dataset: The dataset's name.
        dataset_id: Its id.
        created: The ids of cases that became examples.
        updated: Those whose example was changed.
        unchanged: How many examples were as they should be.
        edited: The ids of cases whose example somebody changed in LangSmith since it was pushed;
            they were left as they are, but for `overwrite`.
        gone: The ids of examples that were pushed once and that no case stands for any more; they
            were left, but for `prune`.
        others: How many examples of the dataset came from elsewhere; they are never touched.
        version: The dataset's version that this made, an ISO time; None where nothing changed.
        without_files: The ids of cases that name attached files whose contents the suite does not
            hold, and whose examples are new: they have none.
    """

    dataset: str
    dataset_id: str
    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: int = 0
    edited: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    others: int = 0
    version: str | None = None
    without_files: tuple[str, ...] = ()


def push_suite(
    client: Client,
    suite: Suite,
    dataset: str | None = None,
    *,
    overwrite: bool = False,
    prune: bool = False,
    tag: str | None = None,
    progress: Progress | None = None,
) -> Pushed:
    """Makes a dataset hold a suite: new cases are added, changed ones updated, nothing else touched.

    Pushing again changes nothing, so that a push which was interrupted goes on where it stopped.
    `metadata["dataset_split"]` of a case (a name, or a list of them) is the split of its example.
    Requests wait as long as the server asks.

    Args:
        client: LangSmith's client.
        suite: The suite.
        dataset: The name of the dataset, made where there is none; by default the suite's.
        overwrite: Whether examples that were edited in LangSmith since they were pushed become
            what the case says again.
        prune: Whether examples that were pushed and that no case stands for any more are deleted.
        tag: A tag for the version that this makes (`"prod"`), for `pull_suite(version="prod")`.
        progress: Called with how many examples were dealt with, and how many there are.

    Returns:
        What was done, and what was left.

    Raises:
        UsageError: The suite has no cases, or something that JSON cannot hold.
        PasshatError: The server refused something, or stayed busy.
        MissingExtraError: LangSmith is not installed.
    """
    need_langsmith()
    name = named(suite.name if dataset is None else dataset)
    wanted = examples_for(suite, name)
    id = (dataset_of(client, name) or made(client, name)).id
    tell = progress or _silently
    done = unchanged = others = 0
    edited: list[str] = []
    gone: list[str] = []
    update: list[Json] = []
    missing = dict(wanted)
    seen: set[str] = set()
    for page in example_pages(client, id):
        for example in page:
            if example["id"] in seen:
                continue  # One that was added meanwhile moved it to the next page.
            seen.add(example["id"])
            mine = missing.pop(example["id"], None)
            if mine is None:
                gone += [example["id"]] if is_of(example, suite.name) else []
                others += not is_of(example, suite.name)
            elif same(example, mine):
                unchanged += 1
            elif not overwrite and _is_edited(example, mine):
                edited.append(_case_id(mine))
            else:
                update.append(mine)
        done = unchanged + len(edited)
        tell(done, len(wanted))
    stamps: list[str] = []
    for create, rows in ((True, list(missing.values())), (False, update)):
        for chunk in chunks(rows, _WRITTEN):
            stamps.append(write(client, id, chunk, create=create))
            done += len(chunk)
            tell(done, len(wanted))
    if prune:
        for ids in chunks(gone, PAGE):
            patiently(lambda ids=ids: client.delete_examples(ids), "deleting examples")  # type: ignore[misc]  # bound at once
    # Of deleting no time is told, and a tag is for what is left.
    version = version_of(client, id) if prune and gone else max(stamps, default=None)
    if tag is not None:
        tag_version(client, id, version, tag)
    return Pushed(
        name,
        str(id),
        tuple(map(_case_id, missing.values())),
        tuple(map(_case_id, update)),
        unchanged,
        tuple(edited),
        tuple(gone),
        others,
        version,
        tuple(id for id in map(_case_id, missing.values()) if lacks_files(suite.by_id[id])),
    )


def edited_in(client: Client, suite: Suite, dataset: str) -> tuple[str, ...]:
    """The ids of cases whose example somebody edited since it was pushed; nothing is written.

    Raises:
        UsageError: The suite has no cases, or something that JSON cannot hold.
        PasshatError: The server refused something, or stayed busy.
    """
    need_langsmith()
    name = named(dataset)
    wanted = examples_for(suite, name)
    held = dataset_of(client, name)
    if held is None:
        return ()
    return tuple(
        _case_id(wanted[example["id"]])
        for page in example_pages(client, held.id)
        for example in page
        if example["id"] in wanted and _is_edited(example, wanted[example["id"]])
    )


def _is_edited(example: Json, mine: Json) -> bool:
    """Whether somebody changed an example since it was pushed, into something else than the case."""
    return not same(example, mine) and pushed_digest(example) not in (None, digest_of(example))


def pull_suite(
    client: Client,
    dataset: str | UUID,
    *,
    name: str | None = None,
    version: str | datetime | None = None,
    splits: Sequence[str] | None = None,
    progress: Progress | None = None,
    journal: str | Path | None = None,
    files: bool = True,
) -> Suite:
    """The suite that a dataset holds.

    What was pushed comes back whole; examples that were made in LangSmith are read as `to_suite`
    reads them. The names and contents of attached files, and the run that an example was made of,
    stand in the case's `extensions["langsmith"]`; a push attaches them again. Requests wait as long
    as the server asks.

    Args:
        client: LangSmith's client.
        dataset: Its name or id.
        name: The suite's name; by default that of the suite that was pushed, or the dataset's.
        version: A tag, or a time: the dataset as it was then.
        splits: Only the examples of these splits.
        progress: Called with how many examples were read, and how many the dataset has.
        journal: A file that keeps what was read: a reading that was stopped goes on from there, and
            where all was read, it begins anew.
        files: Whether to read what is attached to examples; without it their names alone come along.

    Raises:
        UsageError: There is no such dataset, or it has no examples (of those splits, at that time);
            or the journal is of another dataset.
        SuiteError: An example has faults; all are told at once.
        PasshatError: The server refused something, or stayed busy.
        MissingExtraError: LangSmith is not installed.
    """
    need_langsmith()
    held = dataset_of(client, dataset)
    if held is None:
        raise UsageError(f"there is no dataset {str(dataset)!r} in this workspace")
    as_of = version.isoformat() if isinstance(version, datetime) else version
    kept = PullJournal(
        journal,
        {
            "dataset": str(held.id),
            "version": as_of,
            "splits": splits and list(splits),
            "files": files,
        },
        lambda: version_of(client, held.id, as_of),
    )
    tell = progress or _silently
    total = held.example_count or 0
    start = len(kept.examples)
    for page in example_pages(client, held.id, kept.as_of, splits, start, files=True):
        kept.add([with_files(client, one) for one in page] if files else page)
        tell(len(kept.examples), max(total, len(kept.examples)))
    kept.finish()
    examples = list({one["id"]: one for one in kept.examples}.values())
    if not examples:
        where = f" of the splits {', '.join(splits)}" if splits else ""
        raise UsageError(f"the dataset {held.name!r} has no examples{where}")
    examples = sorted(map(_current, examples), key=place_of)
    if name is None and not any(map(is_of, examples)):
        name = str(held.name)
    return to_suite(examples, name=name)


def _silently(done: int, total: int) -> None:
    """Tells nobody."""


def _current(example: Json) -> Json:
    """An example without the exact case that rides beside it, where it was edited since."""
    if pushed_digest(example) in (None, digest_of(example)):
        return example
    metadata = example["metadata"]
    ours = {key: held for key, held in metadata[OURS].items() if key != "exact"}
    return {**example, "metadata": {**metadata, OURS: ours}}


def _case_id(example: Json) -> str:
    return str(example["metadata"][OURS]["id"])
