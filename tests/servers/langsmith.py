"""A stand-in for LangSmith's API on the loopback: what the real client asks for, and what it sends.

It keeps datasets with their versions, runs, projects and feedback, pages as the service does
(more than a hundred runs in one query are refused), and derives what the service derives: the
session of a run, its status, the statistics of its feedback. It reads multipart bodies, plain or
compressed with zstandard, and can fail on request: `fail("POST /feedback", status=429)`.
"""

import json
import re
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

Json = dict[str, Any]
NOW = "2026-01-01T00:00:00+00:00"
TENANT = "00000000-0000-4000-8000-000000000001"


@dataclass
class Fault:
    """What goes wrong with the next requests that match: a status, a wait, or a cut connection.

    Args:
        match: The beginning of the method and the path.
        status: The status to answer with.
        times: How often.
        retry_after: Seconds for the header of that name.
        slow: Seconds to wait before the answer.
        cut: Whether to close the connection; `after` does so once the request was carried out.
        skip: How many requests that match go well before.
    """

    match: str
    status: int | None = None
    times: int = 1
    retry_after: float | None = None
    slow: float = 0.0
    cut: bool = False
    after: bool = False
    skip: int = 0


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


class LangSmithServer:
    """The server, what it holds, and what it was sent.

    Args:
        version: The version that it says it is; from 0.16.0 on the client uses the newer API.
        zstd: Whether it asks for compressed bodies.

    Attributes:
        sets: The datasets, by id.
        sessions: The projects and experiments, by id.
        runs: The runs, by id, as they were sent.
        parts: What came in multipart bodies, by the name of the part: `post.<id>.outputs`,
            `feedback.<id>`, ...
        feedback: What was posted as feedback by itself, in order.
        kept: The feedback that there is, by its id.
        asked: Every request, as method and path.
        encodings: The content encodings of multipart bodies.
        faults: What is to go wrong.
        files: The contents of what was attached to examples.
    """

    def __init__(self, version: str = "0.18.5", *, zstd: bool = False) -> None:
        self.version = version
        self.zstd = zstd
        self.sets: dict[str, Dataset] = {}
        self.sessions: dict[str, Json] = {}
        self.runs: dict[str, Json] = {}
        self.parts: dict[str, Any] = {}
        self.feedback: list[Json] = []
        self.kept: dict[str, Json] = {}
        self.comparisons: list[Json] = []
        self.asked: list[str] = []
        self.encodings: set[str | None] = set()
        self.faults: list[Fault] = []
        self.files: list[bytes] = []
        self._lock = threading.RLock()
        self._stamp = ""
        self._sorted: list[Json] | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> "LangSmithServer":
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def fail(self, match: str, **how: Any) -> Fault:
        """Makes the next requests that match fail."""
        fault = Fault(match, **how)
        with self._lock:
            self.faults.append(fault)
        return fault

    def count(self, match: str) -> int:
        """How many requests there were of a method and a path that begin so."""
        return sum(one.startswith(match) for one in self.asked)

    def sent(self, kind: str) -> list[Any]:
        """The parts of a kind, such as `feedback`."""
        return [held for name, held in self.parts.items() if name.split(".")[0] == kind]

    def now(self) -> str:
        """A time, later than all that were given before."""
        stamp = datetime.now(UTC).isoformat(timespec="microseconds")
        while stamp <= self._stamp:
            stamp = datetime.now(UTC).isoformat(timespec="microseconds")
        self._stamp = stamp
        return stamp

    # What a test sets up, and looks at.

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
            self._keep(held, str(one["id"]), one, stamp)

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
        self._sorted = None

    def _keep(self, held: Dataset, id: str, one: Json, stamp: str) -> None:
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

    # Answers.

    def answer(
        self, method: str, path: str, query: Json, body: bytes, kind: str
    ) -> tuple[int, Any]:
        """The status and the body that a request is answered with."""
        where = path.strip("/").split("/")
        for answered in (self._about_runs, self._about_feedback, self._about_datasets):
            if (told := answered(method, where, query, body, kind)) is not None:
                return told
        match method, where:
            case "GET", ["info"]:
                return 200, {
                    "version": self.version,
                    "instance_flags": {
                        "dataset_examples_multipart_enabled": True,
                        "zstd_compression_enabled": self.zstd,
                    },
                    "batch_ingest_config": BATCH,
                }
            case "POST", ["sessions"]:
                made = {"tenant_id": TENANT, "start_time": NOW, **json.loads(body)}
                made.setdefault("id", str(uuid4()))
                if any(one["name"] == made["name"] for one in self.sessions.values()):
                    return 409, {"detail": "a project of that name exists"}
                self.sessions[made["id"]] = made
                return 200, made
            case "PATCH", ["sessions", id]:
                told = json.loads(body)
                self.sessions[id] |= {key: held for key, held in told.items() if held is not None}
                return 200, self.sessions[id]
            case "GET", ["sessions"]:
                names = query.get("name")
                found = self.sessions.values()
                return 200, [one for one in found if names is None or one["name"] in names]
            case "GET", ["files", number]:
                return 200, self.files[int(number)]
            case "GET", ["sessions", id]:
                return (200, self.sessions[id]) if id in self.sessions else (404, {})
        return 404, {"detail": f"the stand-in has no {method} {path}"}

    # Datasets.

    def _about_datasets(
        self, method: str, where: list[str], query: Json, body: bytes, kind: str
    ) -> tuple[int, Any] | None:
        match method, where:
            case "GET", ["datasets"]:
                names = query.get("name")
                held = [one for one in self.sets.values() if names is None or one.name in names]
                return 200, [self._dataset(one) for one in held]
            case "POST", ["datasets"]:
                told = json.loads(body)
                if any(one.name == told["name"] for one in self.sets.values()):
                    return 409, {"detail": "a dataset of that name exists"}
                made = self.named(told["name"])
                made.about = told
                return 200, self._dataset(made)
            case "POST", ["datasets", "comparative"]:
                stamps = {"tenant_id": TENANT, "created_at": NOW, "modified_at": NOW}
                self.comparisons.append({"id": str(uuid4()), **json.loads(body), **stamps})
                return 200, self.comparisons[-1]
            case "GET", ["datasets", id]:
                return (200, self._dataset(self.sets[id])) if id in self.sets else (404, {})
            case "GET", ["datasets", id, "version"]:
                held_tags, asked = self.sets[id].tags, query
                if "tag" in asked and asked["tag"][0] in held_tags:
                    tag = asked["tag"][0]
                    return 200, {"tags": [tag], "as_of": held_tags[tag]}
                stamps = self._stamps(self.sets[id])
                return (200, {"tags": [], "as_of": stamps[-1]}) if stamps else (404, {})
            case "PUT", ["datasets", id, "tags"]:
                told = json.loads(body)
                stamp = datetime.fromisoformat(told["as_of"]).isoformat(timespec="microseconds")
                if stamp not in self._stamps(self.sets[id]):
                    return 404, {"detail": "no version of that time"}
                self.sets[id].tags[told["tag"]] = stamp
                return 200, {}
            case (("POST" | "PATCH"), ["v1", "platform", "datasets", id, "examples"]):
                return self._take_examples(method, self.sets[id], _parts(body, kind))
            case "GET", ["examples"]:
                return self._list_examples(query)
            case "GET", ["examples", id]:
                every = (one for held in self.sets.values() for one in held.at(None))
                return next(((200, one) for one in every if one["id"] == id), (404, {}))
            case "DELETE", ["examples"]:
                stamp = self.now()
                for each in self.sets.values():
                    for id in each.examples.keys() & set(query.get("example_ids", [])):
                        each.keep(id, stamp, None)
                return 200, {}
        return None

    def _list_examples(self, query: Json) -> tuple[int, Any]:
        as_of = query.get("as_of", [None])[0]
        if "dataset" in query:
            held = self.sets[query["dataset"][0]].at(as_of)
        else:
            held = [one for each in self.sets.values() for one in each.at(as_of)]
        if "id" in query:
            wanted = set(query["id"])
            held = [one for one in held if one["id"] in wanted]
        splits = query.get("splits")
        if splits is not None:
            held = [one for one in held if set(splits) & set(one["metadata"]["dataset_split"])]
        at = int(query.get("offset", ["0"])[0])
        page = held[at : at + min(100, int(query.get("limit", ["100"])[0]))]
        return 200, [_selected(one, query.get("select", _SHOWN)) for one in page]

    def _take_examples(
        self, method: str, held: Dataset, parts: list[tuple[str, Any]]
    ) -> tuple[int, Any]:
        told: dict[str, Json] = {}
        for name, value in parts:
            id, _, what = name.partition(".")
            if what.startswith("attachment."):
                urls = told.setdefault(id, {}).setdefault("attachment_urls", {})
                where = f"{self.url}/files/{len(self.files)}"
                urls[what] = {"presigned_url": where, "mime_type": value[0]}
                self.files.append(value[1])
            else:
                told.setdefault(id, {}).update({what: value} if what else value)
        every = [each.examples for each in self.sets.values()]
        stamp = self.now()
        if method == "POST":
            if taken := sorted(id for id in told if any(id in each for each in every)):
                return 409, {"detail": f"examples that exist: {taken[:3]}"}
        elif missing := sorted(told.keys() - held.examples.keys()):
            return 404, {"detail": f"no such examples: {missing[:3]}"}
        for id, one in told.items():
            versions = held.examples.get(id)
            before = versions[-1][1] if method == "PATCH" and versions else None
            self._keep(held, id, {**(before or {}), **one}, stamp)
        return 201, {"count": len(told), "example_ids": list(told), "as_of": stamp}

    @staticmethod
    def _stamps(held: Dataset) -> list[str]:
        return sorted({stamp for each in held.examples.values() for stamp, _ in each})

    def _dataset(self, held: Dataset) -> Json:
        return {
            "data_type": "kv",
            **held.about,
            "id": held.id,
            "name": held.name,
            "created_at": NOW,
            "modified_at": NOW,
            "example_count": len(held.at(None)),
            "tenant_id": TENANT,
        }

    # Runs.

    def _about_runs(
        self, method: str, where: list[str], query: Json, body: bytes, kind: str
    ) -> tuple[int, Any] | None:
        match method, where:
            case "POST", ["runs", "multipart"]:
                self._take(_parts(body, kind))
                return 202, {}
            case "POST", ["runs"]:
                told = json.loads(body)
                self._run(told["id"], told)
                return 202, {}
            case "PATCH", ["runs", id]:
                self._run(id, json.loads(body))
                return 202, {}
            case "POST", ["runs", "query"]:
                return self._query(json.loads(body))
            case "GET", ["runs", id]:
                return (200, self._shown(self.runs[id])) if id in self.runs else (404, {})
            case "POST", ["api", "v2", "runs", "query"]:
                return self._query_v2(json.loads(body))
        return None

    def _take(self, parts: list[tuple[str, Any]]) -> None:
        for name, value in parts:
            self.parts[name] = value
            what, id, *more = name.split(".")
            if what in ("post", "patch"):
                self._run(id, {more[0]: value} if more else value)
            elif what == "feedback":
                self.kept[id] = value

    def _run(self, id: str, told: Json) -> None:
        held = self.runs.setdefault(id, {"id": id})
        held |= {key: value for key, value in told.items() if value is not None}
        if "session_id" not in held and "session_name" in held:
            held["session_id"] = self.project(held["session_name"])
        self._sorted = None

    def _shown(self, run: Json) -> Json:
        """A run with what the service derives."""
        stats: dict[str, list[float]] = {}
        for one in self.kept.values():
            if one.get("run_id") == run["id"]:
                stats.setdefault(one["key"], [])
                if one.get("score") is not None:
                    stats[one["key"]].append(float(one["score"]))
        shown = {"inputs": {}, "outputs": None, "extra": {}, "error": None, "tags": [], **run}
        shown.setdefault("parent_run_id", None)
        order = [part[22:] for part in str(run.get("dotted_order", "")).split(".")]
        shown["parent_run_ids"] = order[:-1]
        shown["status"] = (
            "error" if run.get("error") else "success" if run.get("end_time") else "pending"
        )
        held = {
            key: {"n": max(1, len(all_)), "avg": sum(all_) / len(all_) if all_ else None}
            for key, all_ in stats.items()
        }
        shown["feedback_stats"] = {**(run.get("feedback_stats") or {}), **held}
        shown.pop("session_name", None)
        return shown

    def _newest_first(self) -> list[Json]:
        if self._sorted is None:
            self._sorted = sorted(self.runs.values(), key=_started, reverse=True)
        return self._sorted

    def _found(self, told: Json) -> list[Json]:
        found = self._newest_first()
        if told.get("session"):
            found = [one for one in found if one.get("session_id") in told["session"]]
        if told.get("is_root") is not None:
            found = [one for one in found if (one.get("parent_run_id") is None) is told["is_root"]]
        for key, name in (("trace", "trace_id"), ("parent_run", "parent_run_id")):
            if told.get(key):
                found = [one for one in found if one.get(name) == told[key]]
        if told.get("id"):
            found = [one for one in found if one["id"] in told["id"]]
        if told.get("reference_example"):
            wanted = told["reference_example"]
            found = [one for one in found if one.get("reference_example_id") in wanted]
        if told.get("start_time"):
            found = [one for one in found if _started(one) >= _seconds(told["start_time"])]
        return [one for one in found if _passes(told.get("filter") or "", one)]

    def _query(self, told: Json) -> tuple[int, Any]:
        limit = told.get("limit") or 100
        if limit > 100:
            return 400, {"detail": "limit must be at most 100"}
        found, at = self._found(told), int(told.get("cursor") or 0)
        page = [self._shown(one) for one in found[at : at + limit]]
        more = str(at + limit) if at + limit < len(found) else None
        return 200, {"runs": page, "cursors": {"next": more}}

    def _query_v2(self, told: Json) -> tuple[int, Any]:
        size, at = told.get("page_size") or 100, int(told.get("cursor") or 0)
        if size > 1000:
            return 422, {"detail": "page_size must be at most 1000"}
        since = told.get("min_start_time") or datetime.fromtimestamp(time.time() - 86_400, UTC)
        until = told.get("max_start_time")
        found = self._found(
            {
                "session": told.get("project_ids"),
                "is_root": told.get("is_root"),
                "trace": told.get("trace_id"),
                "start_time": str(since),
                "filter": told.get("filter"),
            }
        )
        if until is not None:
            found = [one for one in found if _started(one) <= _seconds(until)]
        selects = {name.lower() for name in told.get("selects") or ["ID"]} | {"id"}
        page = [_as_v2(self._shown(one), selects) for one in found[at : at + size]]
        more = str(at + size) if at + size < len(found) else None
        return 200, {"items": page, "next_cursor": more}

    # Feedback.

    def _about_feedback(
        self, method: str, where: list[str], query: Json, body: bytes, kind: str
    ) -> tuple[int, Any] | None:
        stamps = {"created_at": NOW, "modified_at": NOW}
        match method, where:
            case "POST", ["feedback"]:
                told = json.loads(body)
                self.feedback.append(told)
                self.kept[told["id"]] = told
                return 200, {**told, **stamps}
            case "GET", ["feedback"]:
                held = list(self.kept.values())
                for key, name in (("run", "run_id"), ("session", "session_id")):
                    if key in query:
                        held = [one for one in held if one.get(name) in query[key]]
                at, most = (int(query.get(key, [given])[0]) for key, given in _PAGED)
                return 200, [{**one, **stamps} for one in held[at : at + min(100, most)]]
        return None

    # The wire.

    def _fault(self, asked: str) -> Fault | None:
        for one in self.faults:
            if one.times > 0 and asked.startswith(one.match):
                if one.skip > 0:
                    one.skip -= 1
                    return None
                one.times -= 1
                return one
        return None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = 65_536

            def _serve(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                chunked = "chunked" in (self.headers.get("Transfer-Encoding") or "")
                body = self._chunks() if chunked else self.rfile.read(size)
                where = urlsplit(self.path)
                kind = self.headers.get("Content-Type") or ""
                encoding = self.headers.get("Content-Encoding")
                if kind.startswith("multipart/"):
                    server.encodings.add(encoding)
                if encoding == "zstd":
                    body = _unzipped(body)
                with server._lock:
                    asked = f"{self.command} {where.path}"
                    server.asked.append(asked)
                    fault = server._fault(asked)
                if fault is not None and fault.slow:
                    time.sleep(fault.slow)
                if fault is not None and fault.cut and not fault.after:
                    self._cut()
                    return
                if fault is not None and fault.status is not None:
                    self._tell(fault.status, {"detail": "as asked for"}, fault.retry_after)
                    return
                with server._lock:
                    status, told = server.answer(
                        self.command, where.path, parse_qs(where.query), body, kind
                    )
                if fault is not None and fault.cut:
                    self._cut()
                    return
                self._tell(status, told, None)

            def _cut(self) -> None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

            def _tell(self, status: int, told: Any, retry_after: float | None) -> None:
                data = told if isinstance(told, bytes) else json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                if retry_after is not None:
                    self.send_header("Retry-After", f"{retry_after:g}")
                self.end_headers()
                self.wfile.write(data)

            def _chunks(self) -> bytes:
                found = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    found += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return found

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing: what was asked is kept."""

            def handle(self) -> None:
                """Serves until the other side, or a fault, closes the connection."""
                try:
                    super().handle()
                except (OSError, ValueError):
                    self.close_connection = True

            def finish(self) -> None:
                """Closes what is still open."""
                try:
                    super().finish()
                except (OSError, ValueError):
                    self.close_connection = True

        return Handler


def _unzipped(body: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(body).read()


def _parts(body: bytes, kind: str) -> list[tuple[str, Any]]:
    """The parts of a multipart body that are JSON, with their names."""
    boundary = b"--" + kind.split("boundary=")[1].strip('"').encode()
    found = []
    for part in body.split(boundary)[1:-1]:
        head, _, held = part.partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]*)"', head)
        if name is None or name[1].startswith(b"attachment."):
            continue
        if b".attachment." in name[1]:
            kind = re.search(rb"Content-Type: *([^;\r\n]+)", head, re.IGNORECASE)
            told: Any = (kind[1].decode() if kind else None, held.removesuffix(b"\r\n"))
        else:
            told = json.loads(held)
        found.append((name[1].decode(), told))
    return found


_PAGED = (("offset", "0"), ("limit", "100"))
_ALWAYS = ("id", "dataset_id", "inputs", "created_at", "modified_at")
_SHOWN = ("outputs", "metadata", "source_run_id")


def _selected(example: Json, names: Sequence[str]) -> Json:
    """An example as it is listed: files are shown only where they are asked for."""
    return {key: held for key, held in example.items() if key in _ALWAYS or key in names}


def _seconds(told: Any) -> float:
    when = datetime.fromisoformat(str(told))
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _started(run: Json) -> float:
    return _seconds(run["start_time"]) if run.get("start_time") else 0.0


_COMPARED = re.compile(r'(eq|neq|gt|gte|lt|lte)\((\w+), "([^"]*)"\)')


def _passes(filter: str, run: Json) -> bool:
    """Whether a run passes a filter: comparisons, all of which must hold."""
    for sign, name, value in _COMPARED.findall(filter):
        held, wanted = run.get(name), value
        if name.endswith("_time"):
            held, wanted = _seconds(held), _seconds(value)
        if not {
            "eq": held == wanted,
            "neq": held != wanted,
            "gt": held > wanted,
            "gte": held >= wanted,
            "lt": held < wanted,
            "lte": held <= wanted,
        }[sign]:
            return False
    return True


def _as_v2(run: Json, selects: set[str]) -> Json:
    """A run as the newer API shows it: what was selected, its words in capitals."""
    shown = {**run, "project_id": run.get("session_id")}
    shown["run_type"] = str(run["run_type"]).upper()
    shown["status"] = str(run["status"]).upper()
    shown["metadata"] = (run.get("extra") or {}).get("metadata") or {}
    return {key: value for key, value in shown.items() if key in selects}


BATCH = {
    "use_multipart_endpoint": True,
    "size_limit": 100,
    "size_limit_bytes": 20_971_520,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 16,
    "scale_down_nempty_trigger": 4,
}
