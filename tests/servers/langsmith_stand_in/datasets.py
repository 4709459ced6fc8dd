"""Answers about datasets, their versions and their examples."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from langsmith_stand_in.bodies import parts_of
from langsmith_stand_in.held import NOW, TENANT, Answer, Asked, Dataset, Held, Json

_ALWAYS = ("id", "dataset_id", "inputs", "created_at", "modified_at")
_SHOWN = ("outputs", "metadata", "source_run_id")


def about_datasets(held: Held, asked: Asked) -> Answer | None:
    """The answer to a request that is about datasets or their examples; None for any other."""
    query, body = asked.query, asked.body
    match asked.method, asked.where:
        case "GET", ["datasets"]:
            names = query.get("name")
            found = [one for one in held.sets.values() if names is None or one.name in names]
            return 200, [_shown(one) for one in found]
        case "POST", ["datasets"]:
            told = json.loads(body)
            if any(one.name == told["name"] for one in held.sets.values()):
                return 409, {"detail": "a dataset of that name exists"}
            made = held.named(told["name"])
            made.about = told
            return 200, _shown(made)
        case "POST", ["datasets", "comparative"]:
            stamps = {"tenant_id": TENANT, "created_at": NOW, "modified_at": NOW}
            held.comparisons.append({"id": str(uuid4()), **json.loads(body), **stamps})
            return 200, held.comparisons[-1]
        case "GET", ["datasets", id]:
            return (200, _shown(held.sets[id])) if id in held.sets else (404, {})
        case "GET", ["datasets", id, "version"]:
            tags = held.sets[id].tags
            if "tag" in query and query["tag"][0] in tags:
                tag = query["tag"][0]
                return 200, {"tags": [tag], "as_of": tags[tag]}
            stamps = _stamps(held.sets[id])
            return (200, {"tags": [], "as_of": stamps[-1]}) if stamps else (404, {})
        case "PUT", ["datasets", id, "tags"]:
            told = json.loads(body)
            stamp = datetime.fromisoformat(told["as_of"]).isoformat(timespec="microseconds")
            if stamp not in _stamps(held.sets[id]):
                return 404, {"detail": "no version of that time"}
            held.sets[id].tags[told["tag"]] = stamp
            return 200, {}
        case (("POST" | "PATCH"), ["v1", "platform", "datasets", id, "examples"]):
            return _take_examples(held, asked.method, held.sets[id], parts_of(body, asked.kind))
        case "GET", ["examples"]:
            return _list_examples(held, query)
        case "GET", ["examples", id]:
            every = (one for each in held.sets.values() for one in each.at(None))
            return next(((200, one) for one in every if one["id"] == id), (404, {}))
        case "DELETE", ["examples"]:
            stamp = held.now()
            for each in held.sets.values():
                for id in each.examples.keys() & set(query.get("example_ids", [])):
                    each.keep(id, stamp, None)
            return 200, {}
    return None


def _list_examples(held: Held, query: Json) -> Answer:
    as_of = query.get("as_of", [None])[0]
    if "dataset" in query:
        found = held.sets[query["dataset"][0]].at(as_of)
    else:
        found = [one for each in held.sets.values() for one in each.at(as_of)]
    if "id" in query:
        wanted = set(query["id"])
        found = [one for one in found if one["id"] in wanted]
    splits = query.get("splits")
    if splits is not None:
        found = [one for one in found if set(splits) & set(one["metadata"]["dataset_split"])]
    at = int(query.get("offset", ["0"])[0])
    page = found[at : at + min(100, int(query.get("limit", ["100"])[0]))]
    return 200, [_selected(one, query.get("select", _SHOWN)) for one in page]


def _take_examples(
    held: Held, method: str, dataset: Dataset, parts: list[tuple[str, Any]]
) -> Answer:
    told: dict[str, Json] = {}
    for name, value in parts:
        id, _, what = name.partition(".")
        if what.startswith("attachment."):
            urls = told.setdefault(id, {}).setdefault("attachment_urls", {})
            where = f"{held.url}/files/{len(held.files)}"
            urls[what] = {"presigned_url": where, "mime_type": value[0]}
            held.files.append(value[1])
        else:
            told.setdefault(id, {}).update({what: value} if what else value)
    every = [each.examples for each in held.sets.values()]
    stamp = held.now()
    if method == "POST":
        if taken := sorted(id for id in told if any(id in each for each in every)):
            return 409, {"detail": f"examples that exist: {taken[:3]}"}
    elif missing := sorted(told.keys() - dataset.examples.keys()):
        return 404, {"detail": f"no such examples: {missing[:3]}"}
    for id, one in told.items():
        versions = dataset.examples.get(id)
        before = versions[-1][1] if method == "PATCH" and versions else None
        held.keep(dataset, id, {**(before or {}), **one}, stamp)
    return 201, {"count": len(told), "example_ids": list(told), "as_of": stamp}


def _stamps(dataset: Dataset) -> list[str]:
    return sorted({stamp for each in dataset.examples.values() for stamp, _ in each})


def _shown(dataset: Dataset) -> Json:
    return {
        "data_type": "kv",
        **dataset.about,
        "id": dataset.id,
        "name": dataset.name,
        "created_at": NOW,
        "modified_at": NOW,
        "example_count": len(dataset.at(None)),
        "tenant_id": TENANT,
    }


def _selected(example: Json, names: Sequence[str]) -> Json:
    """An example as it is listed: files are shown only where they are asked for."""
    return {key: held for key, held in example.items() if key in _ALWAYS or key in names}
