"""A stand-in for LangSmith's API on the loopback: what the real client asks for, and what it sends.

It keeps datasets with their versions, runs, projects and feedback, pages as the service does
(more than a hundred runs in one query are refused), and derives what the service derives: the
session of a run, its status, the statistics of its feedback. It reads multipart bodies, plain or
compressed with zstandard, and can fail on request: `fail("POST /feedback", status=429)`.
"""

import threading
from http.server import ThreadingHTTPServer
from typing import Any

from langsmith_stand_in.datasets import about_datasets
from langsmith_stand_in.feedback import about_feedback
from langsmith_stand_in.held import Asked, Held, Json
from langsmith_stand_in.runs import about_runs
from langsmith_stand_in.sessions import about_sessions
from langsmith_stand_in.wire import Fault, handler_of

BATCH = {
    "use_multipart_endpoint": True,
    "size_limit": 100,
    "size_limit_bytes": 20_971_520,
    "scale_up_qsize_trigger": 1000,
    "scale_up_nthreads_limit": 16,
    "scale_down_nempty_trigger": 4,
}


class LangSmithServer(Held):
    """The server, what it holds, and what it was sent.

    Args:
        version: The version that it says it is; from 0.16.0 on the client uses the newer API.
        zstd: Whether it asks for compressed bodies.
        **flags: What else it says of itself.

    Attributes:
        asked: Every request, as method and path.
        encodings: The content encodings of multipart bodies.
        faults: What is to go wrong.
        lock: Held while something is answered.
    """

    def __init__(self, version: str = "0.18.5", *, zstd: bool = False, **flags: bool) -> None:
        super().__init__()
        self.version = version
        self.flags = flags
        self.zstd = zstd
        self.asked: list[str] = []
        self.encodings: set[str | None] = set()
        self.faults: list[Fault] = []
        self.lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(self))
        self._server.daemon_threads = True
        # How long closing may take: the half second that is usual, after each test, is a minute.
        often = {"poll_interval": 0.01}
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs=often, daemon=True
        )
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "LangSmithServer":
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail(self, match: str, **how: Any) -> Fault:
        """Makes the next requests that match fail."""
        fault = Fault(match, **how)
        with self.lock:
            self.faults.append(fault)
        return fault

    def count(self, match: str) -> int:
        """How many requests there were of a method and a path that begin so."""
        return sum(one.startswith(match) for one in self.asked)

    def sent(self, kind: str) -> list[Any]:
        """The parts of a kind, such as `feedback`."""
        return [held for name, held in self.parts.items() if name.split(".")[0] == kind]

    def answer(
        self, method: str, path: str, query: Json, body: bytes, kind: str
    ) -> tuple[int, Any]:
        """The status and the body that a request is answered with."""
        asked = Asked(method, path.strip("/").split("/"), query, body, kind)
        for answered in (about_runs, about_feedback, about_datasets, about_sessions):
            if (told := answered(self, asked)) is not None:
                return told
        match method, asked.where:
            case "GET", ["info"]:
                return 200, {
                    "version": self.version,
                    "instance_flags": {
                        "dataset_examples_multipart_enabled": True,
                        "zstd_compression_enabled": self.zstd,
                        **self.flags,
                    },
                    "batch_ingest_config": BATCH,
                }
            case "GET", ["files", number]:
                return 200, self.files[int(number)]
        return 404, {"detail": f"the stand-in has no {method} {path}"}

    def fault_for(self, asked: str) -> Fault | None:
        """What is to go wrong with a request, if anything; it goes wrong once less then."""
        for one in self.faults:
            if one.times > 0 and asked.startswith(one.match):
                if one.skip > 0:
                    one.skip -= 1
                    return None
                one.times -= 1
                return one
        return None
