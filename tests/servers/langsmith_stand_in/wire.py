"""The wire: requests read, faults played, answers written."""

import json
import socket
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from langsmith_stand_in.bodies import unzipped


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


def handler_of(server: Any) -> type[BaseHTTPRequestHandler]:
    """The handler that serves what a server answers, with the faults it has."""

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
                body = unzipped(body)
            with server.lock:
                asked = f"{self.command} {where.path}"
                server.asked.append(asked)
                fault = server.fault_for(asked)
            if fault is not None and fault.slow:
                time.sleep(fault.slow)
            if fault is not None and fault.cut and not fault.after:
                self._cut()
                return
            if fault is not None and fault.status is not None:
                self._tell(fault.status, {"detail": "as asked for"}, fault.retry_after)
                return
            with server.lock:
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
