"""What the stand-in holds: datasets with their versions, projects, runs and feedback."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import uuid4

Json = dict[str, Any]
Answer = tuple[int, Any]
"""A status and a body."""

NOW = "2026-01-01T00:00:00+00:00"
TENANT = "00000000-0000-4000-8000-000000000001"


class Asked(NamedTuple):
    """A request: its path in parts, and its body with the kind that it says it is."""

    method: str
    where: list[str]
    query: Json
    body: bytes
    kind: str


@dataclass
class Dataset:
    """A dataset: for each example its versions, oldest first; None where it was deleted."""

    id: str
    name: str
    about: Json
    examples: dict[str, list[tuple[str, Json | None]]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    _listed: dict[str | None, list[Json]] = field(default_factory=dict)

    def keep(self, id: str, stamp: str, example: Json | None) -> None:
        """Adds a version of an example; None deletes it."""
        self.examples.setdefault(id, []).append((stamp, example))
        self._listed.clear()

    def at(self, as_of: str | None) -> list[Json]:
        """The examples that there are, or that there were; the list is made once for all its pages."""
        until = self.tags.get(as_of or "", as_of)
        if until not in self._listed:
            self._listed[until] = self._at(until)
        return self._listed[until]

    def _at(self, until: str | None) -> list[Json]:
        found = []
        for versions in self.examples.values():
            held = [one for stamp, one in versions if until is None or stamp <= until]
            if held and held[-1] is not None:
                found.append(held[-1])
        return found


class Held:
    """What is held, and what a test sets up.

    Attributes:
        url: Where the server listens.
        sets: The datasets, by id.
        sessions: The projects and experiments, by id.
        runs: The runs, by id, as they were sent.
        parts: What came in multipart bodies, by the name of the part: `post.<id>.outputs`,
            `feedback.<id>`, ...
        feedback: What was posted as feedback by itself, in order.
        kept: The feedback that there is, by its id.
        comparisons: The comparative experiments.
        files: The contents of what was attached to examples.
        newest_first: The runs as they are queried; None once they have changed.
    """

    def __init__(self) -> None:
        self.url = ""
        self.sets: dict[str, Dataset] = {}
        self.sessions: dict[str, Json] = {}
        self.runs: dict[str, Json] = {}
        self.parts: dict[str, Any] = {}
        self.feedback: list[Json] = []
        self.kept: dict[str, Json] = {}
        self.comparisons: list[Json] = []
        self.files: list[bytes] = []
        self.newest_first: list[Json] | None = None
        self._stamp = ""

    def now(self) -> str:
        """A time, later than all that were given before."""
        stamp = datetime.now(UTC).isoformat(timespec="microseconds")
        while stamp <= self._stamp:
            stamp = datetime.now(UTC).isoformat(timespec="microseconds")
        self._stamp = stamp
        return stamp

    def named(self, name: str) -> Dataset:
        """The dataset of that name, made where there is none."""
        for one in self.sets.values():
            if one.name == name:
                return one
        made = Dataset(str(uuid4()), name, {})
        self.sets[made.id] = made
        return made

    def id_of(self, name: str) -> str:
        """The id of a dataset."""
        return self.named(name).id

    def examples(self, name: str) -> list[Json]:
        """The examples of a dataset as they are now."""
        return self.named(name).at(None)

    def add(self, name: str, examples: list[Json]) -> None:
        """Adds a dataset, with what the server puts into each example."""
        held, stamp = self.named(name), self.now()
        for one in examples:
            self.keep(held, str(one["id"]), one, stamp)

    def project(self, name: str, **about: Any) -> str:
        """The id of a project, made where there is none."""
        for id, one in self.sessions.items():
            if one["name"] == name:
                return id
        stated = {"tenant_id": TENANT, "start_time": NOW, "reference_dataset_id": None}
        made = {"id": str(uuid4()), "name": name, **stated, **about}
        self.sessions[made["id"]] = made
        return str(made["id"])

    def add_runs(self, project: str, runs: list[Json]) -> None:
        """Adds runs to a project, as if they had been traced."""
        id = self.project(project)
        for run in runs:
            self.runs[run["id"]] = {**run, "session_id": id}
        self.newest_first = None

    def keep(self, held: Dataset, id: str, one: Json, stamp: str) -> None:
        """Adds a version of an example, with what the server puts into it."""
        versions = held.examples.get(id, [])
        before = (versions[-1][1] if versions else None) or {}
        metadata = dict(one.get("metadata") or {})
        split = one.get("split") or metadata.get("dataset_split")
        split = split or before.get("metadata", {}).get("dataset_split") or ["base"]
        metadata["dataset_split"] = [split] if isinstance(split, str) else split
        kept = {
            "id": id,
            "dataset_id": held.id,
            "inputs": one.get("inputs", {}),
            "outputs": one.get("outputs"),
            "metadata": metadata,
            "created_at": before.get("created_at", stamp),
            "modified_at": stamp,
            "source_run_id": one.get("source_run_id"),
            "attachment_urls": one.get("attachment_urls") or {},
        }
        held.keep(id, stamp, kept)
