"""Datasets and their examples where the server holds them, a request at a time."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from passhat.errors import PasshatError, UsageError
from passhat_langsmith.attachments import content_as_json
from passhat_langsmith.cases import FETCHED, Json
from passhat_langsmith.patience import is_missing, patiently, status_of
from passhat_langsmith.plain import plain
from passhat_langsmith.pushing import chunks

if TYPE_CHECKING:
    from langsmith import Client

PAGE = 100
"""Examples that are read with a request: what LangSmith gives at most."""
_PATIENCE = 60.0
"""Seconds to wait for a file."""
_log = logging.getLogger("passhat_langsmith")
_FIELDS = ("inputs", "outputs", "metadata", "source_run_id", "attachment_urls")


def named(dataset: str | UUID) -> str:
    """The name, or the id, of a dataset as a text.

    Raises:
        UsageError: It is empty, or half a surrogate pair is in it.
    """
    name = str(dataset)
    if not name or any("\ud800" <= one <= "\udfff" for one in name):
        raise UsageError(f"{name!r} is no name of a dataset")
    return name


def dataset_of(client: Client, dataset: str | UUID) -> Any:
    """A dataset by its id or its name; None where there is none."""
    name = named(dataset)
    try:
        by: Json = {"dataset_id": UUID(name)}
    except ValueError:
        by = {"dataset_name": name}

    def read() -> Any:
        try:
            return client.read_dataset(**by)
        except Exception as error:
            if is_missing(error):
                return None
            raise

    return patiently(read, "reading the dataset")


def made(client: Client, name: str) -> Any:
    """A new dataset of that name."""

    def make() -> Any:
        try:
            return client.create_dataset(name)
        except Exception as error:
            if status_of(error) != 409:
                raise
            return client.read_dataset(dataset_name=name)  # An earlier try made it after all.

    return patiently(make, "making the dataset")


def example_pages(
    client: Client,
    dataset_id: Any,
    as_of: str | None = None,
    splits: Sequence[str] | None = None,
    start: int = 0,
    *,
    files: bool = False,
) -> Iterator[list[Json]]:
    """The examples of a dataset as JSON, a request at a time; with `files`, what is attached too."""
    asked = {
        "dataset": str(dataset_id),
        "limit": PAGE,
        "as_of": as_of,
        "splits": splits,
        "select": _FIELDS if files else None,
    }
    offset = start
    while True:
        page = _listed(client, {**asked, "offset": offset})
        if page:
            yield page
        if len(page) < PAGE:
            return
        offset += len(page)


def _listed(client: Client, asked: Json) -> list[Json]:
    """Examples as the server writes them.

    Not by `list_examples`: in a workspace without projects it asks for the workspace's id again
    for each example, and it makes a model of each.
    """
    params = {key: held for key, held in asked.items() if held is not None}
    return patiently(
        lambda: client.request_with_retries("GET", "/examples", params=params).json(),
        "reading examples",
    )


def with_files(client: Client, example: Json) -> Json:
    """An example with the contents of what is attached to it, where the server gives them."""
    urls = example.get("attachment_urls") or {}
    found: Json = {}
    for key, held in urls.items():
        name = str(key).removeprefix("attachment.")
        url = held.get("presigned_url") if isinstance(held, dict) else None
        if not url or not isinstance(url, str):
            _log.warning("example %s: no address of the attachment %r", example["id"], name)
            continue
        if not url.startswith(("http://", "https://")):
            url = f"{client.api_url.rstrip('/')}/{url.lstrip('/')}"
        try:
            answer = patiently(partial(_got, client, url), f"reading the attachment {name!r}")
        except PasshatError as error:
            _log.warning("example %s: %s", example["id"], error)
            continue
        found[name] = {"mime_type": held.get("mime_type"), **content_as_json(answer)}
    return {**example, FETCHED: found} if found else example


def _got(client: Client, url: str) -> bytes:
    """What stands at an address that the server signed: no key goes there."""
    answer = client.session.get(url, timeout=_PATIENCE)
    answer.raise_for_status()
    return bytes(answer.content)


def write(client: Client, dataset_id: Any, rows: list[Json], *, create: bool) -> str:
    """Creates or updates examples; the version that this makes."""
    from langsmith.schemas import ExampleCreate

    if "reference_outputs" not in ExampleCreate.model_fields:  # As older versions call them.
        rows = [_with_outputs(row) for row in rows]

    def attempt() -> Any:
        if not create:
            updates = [_with_outputs(_replacing_files(row)) for row in rows]
            return client.update_examples(dataset_id=dataset_id, updates=updates)
        # An earlier try, the client's own too, may have come through before the line was cut.
        todo = missing() if attempts else rows
        attempts.append(1)
        try:
            return create_all(todo)
        except Exception as error:
            left = missing() if status_of(error) == 409 else todo
            if len(left) == len(todo):
                raise
            return create_all(left)

    def create_all(todo: list[Json]) -> Any:
        return client.create_examples(dataset_id=dataset_id, examples=todo) if todo else {}

    def missing() -> list[Json]:
        known = {
            one["id"]
            for some in chunks(rows, PAGE)
            for one in _listed(client, {**asked, "id": [row["id"] for row in some]})
        }
        return [row for row in rows if row["id"] not in known]

    attempts: list[int] = []
    asked = {"dataset": str(dataset_id), "limit": PAGE}
    answer = patiently(attempt, "writing examples")
    stamp = answer.get("as_of") if isinstance(answer, dict) else getattr(answer, "as_of", None)
    return str(plain(stamp) or "")


def _replacing_files(row: Json) -> Json:
    """An update whose files stand instead of those that there are."""
    return {**row, "attachments_operations": {"retain": []}} if "attachments" in row else row


def _with_outputs(row: Json) -> Json:
    return {("outputs" if key == "reference_outputs" else key): held for key, held in row.items()}


def version_of(client: Client, dataset_id: Any, stated: str | None = None) -> str | None:
    """The time of a dataset's version, since a tag may be moved while it is read.

    Args:
        client: LangSmith's client.
        dataset_id: The dataset.
        stated: A tag, or a time, which is itself; None for the version that there is.

    Returns:
        The time; the tag itself where the server knows no version of it, and None where nothing was
        ever in the dataset.
    """
    if stated is not None and _is_time(stated):
        return stated

    def read() -> Any:
        try:
            return client.read_dataset_version(dataset_id=dataset_id, tag=stated or "latest")
        except Exception as error:
            if is_missing(error):
                return None
            raise

    found = patiently(read, "reading the version")
    if found is None or (stated is not None and stated not in (found.tags or ())):
        return stated
    return str(plain(found.as_of))


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def tag_version(client: Client, dataset_id: Any, version: str | None, tag: str) -> None:
    """Tags a version of a dataset, by its time; None is the one that there is."""
    stamp = version or version_of(client, dataset_id)
    if stamp is None:
        raise UsageError(f"the dataset has no version that could be tagged {tag!r}")
    as_of = datetime.fromisoformat(stamp)
    patiently(
        lambda: client.update_dataset_tag(dataset_id=dataset_id, as_of=as_of, tag=tag),
        "tagging the version",
    )
