"""A chat-completions server on the loopback that answers by a script, and fails on demand."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


@dataclass
class Failure:
    """What goes wrong with one request: a status, a wait, or a connection that is cut."""

    status: int | None = None
    retry_after: float | None = None
    slow: float = 0.0
    cut: bool = False


def says(text: str) -> Json:
    """An answer in text."""
    return {"role": "assistant", "content": text}


def asks(name: str, /, **args: Any) -> Json:
    """An answer that asks for one call."""
    function = {"name": name, "arguments": json.dumps(args)}
    call = {"id": f"call-{name}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


@dataclass
class ChatServer:
    """Answers `POST /v1/chat/completions`.

    Args:
        script: Gives the assistant's message for the messages of a request.
        failures: What goes wrong with the next requests, one each, the first first.
    """

    script: Callable[[list[Json]], Json]
    failures: list[Failure] = field(default_factory=list)
    requests: list[tuple[float, list[Json]]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: ThreadingHTTPServer | None = None

    def __enter__(self) -> "ChatServer":
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Says nothing."""

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer._answer(self, body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The base address for a client."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def _answer(self, handler: BaseHTTPRequestHandler, body: Json) -> None:
        with self._lock:
            failure = self.failures.pop(0) if self.failures else Failure()
            self.requests.append((time.monotonic(), body["messages"]))
        time.sleep(failure.slow)
        if failure.cut:
            handler.close_connection = True
            handler.connection.close()
            return
        status = failure.status or 200
        if status == 200:
            told: Json = {
                "id": "chat-1",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [
                    {"index": 0, "finish_reason": "stop", "message": self.script(body["messages"])}
                ],
                "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
            }
        else:
            told = {"error": {"message": f"failed with {status}", "type": "error"}}
        data = json.dumps(told).encode()
        try:
            handler.send_response(status)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(data)))
            if failure.retry_after is not None:
                handler.send_header("Retry-After", f"{failure.retry_after:g}")
            handler.end_headers()
            handler.wfile.write(data)
        except OSError:  # The client has given up.
            handler.close_connection = True
