"""A stand-in for LangSmith's API on the loopback: what an experiment asks for, and what it sends.

It keeps the examples it is given and everything that is posted; it computes nothing of it.
"""

import json
import threading
from email.message import Message
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

Json = dict[str, Any]
NOW = "2026-01-01T00:00:00+00:00"


class LangSmithServer:
    """The server, its datasets, and what it was sent.

    Attributes:
        datasets: The examples of each dataset, by its name.
        sessions: The experiments that were begun, by id.
        parts: What came in multipart bodies, by the name of the part: `post.<id>.outputs`,
            `feedback.<id>`, ...
        feedback: What was posted as feedback by itself.
        asked: Every request, as method and path.
    """

    def __init__(self) -> None:
        self.datasets: dict[str, list[Json]] = {}
        self.sessions: dict[str, Json] = {}
        self.parts: dict[str, Any] = {}
        self.feedback: list[Json] = []
        self.asked: list[str] = []
        self._ids: dict[str, str] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
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

    def sent(self, kind: str) -> list[Any]:
        """The parts of a kind, such as `feedback`."""
        return [held for name, held in self.parts.items() if name.split(".")[0] == kind]

    def answer(
        self, method: str, path: str, query: Json, body: bytes, kind: str
    ) -> tuple[int, Any]:
        """The status and the body that a request is answered with."""
        self.asked.append(f"{method} {path}")
        match method, path.strip("/").split("/"):
            case "GET", ["info"]:
                return 200, {
                    "version": "0.18.5",
                    "instance_flags": {},
                    "batch_ingest_config": BATCH,
                }
            case "POST", ["runs", "multipart"]:
                self._take(body, kind)
                return 202, {}
            case "POST", ["sessions"]:
                made = {"tenant_id": str(uuid4()), "start_time": NOW, **json.loads(body)}
                made.setdefault("id", str(uuid4()))
                self.sessions[made["id"]] = made
                return 200, made
            case "PATCH", ["sessions", id]:
                self.sessions[id] |= json.loads(body)
                return 200, self.sessions[id]
            case "GET", ["sessions"]:
                return 200, list(self.sessions.values())
            case "GET", ["sessions", id]:
                return 200, self.sessions[id]
            case "GET", ["datasets"]:
                names = query.get("name", self.datasets)
                return 200, [self._dataset(name) for name in names if name in self.datasets]
            case "GET", ["examples"]:
                at = int(query.get("offset", ["0"])[0])
                named = {self.id_of(name): name for name in self.datasets}
                held = self.datasets[named[query["dataset"][0]]]
                return 200, held[at : at + int(query.get("limit", ["100"])[0])]
            case "POST", ["feedback"]:
                self.feedback.append(json.loads(body))
                return 200, {**self.feedback[-1], "created_at": NOW, "modified_at": NOW}
        return 404, {"detail": f"the stand-in has no {method} {path}"}

    def id_of(self, name: str) -> str:
        """The id of a dataset."""
        return self._ids.setdefault(name, str(uuid4()))

    def add(self, name: str, examples: list[Json]) -> None:
        """Adds a dataset, with what the server puts into each example."""
        more = {"dataset_id": self.id_of(name), "created_at": NOW, "modified_at": NOW}
        self.datasets[name] = [
            {**one, **more, "metadata": {**one["metadata"], "dataset_split": ["base"]}}
            for one in examples
        ]

    def _dataset(self, name: str) -> Json:
        return {
            "id": self.id_of(name),
            "name": name,
            "data_type": "kv",
            "created_at": NOW,
            "modified_at": NOW,
            "example_count": len(self.datasets[name]),
            "tenant_id": str(uuid4()),
        }

    def _take(self, body: bytes, kind: str) -> None:
        told = BytesParser().parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
        for part in told.walk():
            name = part.get_param("name", header="content-disposition")
            if isinstance(part, Message) and isinstance(name, str):
                held = part.get_payload(decode=True)
                assert isinstance(held, bytes)
                self.parts[name] = json.loads(held)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                chunked = "chunked" in (self.headers.get("Transfer-Encoding") or "")
                body = self._chunks() if chunked else self.rfile.read(size)
                where = urlsplit(self.path)
                kind = self.headers.get("Content-Type") or ""
                status, told = server.answer(
                    self.command, where.path, parse_qs(where.query), body, kind
                )
                data = json.dumps(told).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _chunks(self) -> bytes:
                found = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    found += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return found

            do_GET = do_POST = do_PATCH = _serve

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing: what was asked is kept."""

        return Handler


BATCH = {
    "use_multipart_endpoint": True,
    "size_limit": 100,
    "size_limit_bytes": 20_971_520,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 16,
    "scale_down_nempty_trigger": 4,
}
