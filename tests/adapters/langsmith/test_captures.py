"""What the real client sends to `/runs/multipart`, captured as it goes over the wire, is read."""

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import passhat
from passhat.errors import TraceError
from passhat.trace import Trace
from passhat_langsmith import adapter

langsmith = pytest.importorskip("langsmith")


@pytest.fixture
def wire() -> Iterator[tuple[str, list[bytes], dict[str, Any]]]:
    """A server that keeps the bodies it is sent as they are."""
    bodies: list[bytes] = []
    flags: dict[str, Any] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            told = '{"version":"0.18.5","instance_flags":{"zstd_compression_enabled":%s}}'
            self._tell(told % ("true" if flags.get("zstd") else "false"))

        def do_POST(self) -> None:
            if "chunked" in (self.headers.get("Transfer-Encoding") or ""):
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            else:
                body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies.append(body)
            self._tell("{}")

        def _tell(self, text: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", bodies, flags
    server.shutdown()
    server.server_close()


@langsmith.traceable(run_type="tool")
def lookup(id: str) -> dict[str, str]:
    return {"id": id, "said": "--\r\nboundary"}


@langsmith.traceable
def ask(question: str) -> str:
    lookup("A1")
    return "It has shipped."


@pytest.mark.parametrize("zstd", [True, False])
def test_captured_bodies(wire: Any, zstd: bool, tmp_path: Path) -> None:
    url, bodies, flags = wire
    flags["zstd"] = zstd
    client = langsmith.Client(api_url=url, api_key="x")
    with langsmith.tracing_context(client=client, enabled=True):
        ask("Where is A1?")
        client.flush()
        ask("And A2?")
        client.flush()
    client.close()
    assert len(bodies) >= 2
    path = tmp_path / "captured"
    path.write_bytes(b"".join(bodies))
    found = list(adapter.read_traces(path))
    assert all(isinstance(one, Trace) for one in found), found
    assert [
        (one.calls[0].name, one.calls[0].result["said"], one.final_response, one.gaps)
        for one in found
        if isinstance(one, Trace)
    ] == [("lookup", "--\r\nboundary", "It has shipped.", ())] * 2
    scored = passhat.score(path, checks=["error_rate"])
    assert len(scored) == 2


BODY = (
    b'--x\r\nContent-Disposition: form-data; name="post.%(id)s"\r\n'
    b"Content-Type: application/json\r\n\r\n"
    b'{"id":"%(id)s","trace_id":"%(id)s","name":"a","run_type":"chain"}\r\n'
    b'--x\r\nContent-Disposition: form-data; name="post.%(id)s.outputs"\r\n\r\n%(out)s\r\n'
)


def body(id: str, outputs: str, end: bytes = b"--x--\r\n") -> bytes:
    return BODY % {b"id": id.encode(), b"out": outputs.encode()} + end


def read(path: Path, content: bytes) -> list[Any]:
    path.write_bytes(content)
    return list(adapter.read_traces(path))


def test_a_broken_part_costs_its_trace_and_names_the_run(tmp_path: Path) -> None:
    path = tmp_path / "captured"
    for broken in ('{"a', "[" * 100_000):
        bad, good = read(path, body("r1", broken) + body("r2", '{"output": "Yes."}'))
        assert isinstance(bad, TraceError)
        assert "run r1: the part post.r1.outputs is no JSON" in str(bad)
        assert good.final_response == "Yes."


def test_bodies_that_are_cut_or_began_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "captured"
    whole = body("r1", '{"output": "Yes."}')
    for cut in range(len(whole)):
        found = read(path, whole[:cut])
        assert all(isinstance(one, Trace | TraceError) for one in found)
    patch = whole.replace(b"post.", b"patch.").replace(b',"run_type":"chain"', b"")
    (error,) = read(path, patch)
    assert "run r1: the request that began it was not captured" in str(error)


def test_a_run_whose_beginning_was_not_captured_may_be_a_call(tmp_path: Path) -> None:
    late = {"trace_id": "r1", "parent_run_id": "r1", "outputs": {"output": "refunded"}}
    patch = _body(("patch.t1", "application/json", json.dumps(late).encode()))
    (trace,) = read(tmp_path / "captured", body("r1", '{"output": "Yes."}') + patch)
    assert "calls: run t1: its kind was not recorded; it may be a call" in trace.gaps
    case = passhat.Case("c", forbidden_calls=["refund"])
    assert passhat.grade(trace, case).status == "not_evaluated"


def test_a_patch_stands_over_a_post_and_feedback_is_a_score(tmp_path: Path) -> None:
    patch = (
        b'--x\r\nContent-Disposition: form-data; name="patch.r1.outputs"\r\n\r\n'
        b'{"output": "Late."}\r\n'
        b'--x\r\nContent-Disposition: form-data; name="feedback.f1"\r\n\r\n'
        b'{"run_id": "r1", "key": "thumbs", "score": 1}\r\n--x--\r\n'
    )
    (trace,) = read(tmp_path / "captured", body("r1", "{}", b"") + patch)
    assert trace.final_response == "Late."
    assert trace.scores == {"thumbs": 1.0}


def _body(*parts: tuple[str, str, bytes]) -> bytes:
    head = b'--b\r\nContent-Disposition: form-data; name="%s"\r\nContent-Type: %s\r\n\r\n%s\r\n'
    told = (head % (name.encode(), kind.encode(), held) for name, kind, held in parts)
    return b"".join(told) + b"--b--\r\n"


def _posted(id: str, *more: tuple[str, str, bytes]) -> bytes:
    run = json.dumps({"id": id, "run_type": "chain", "name": "r", "end_time": "2026-01-01"})
    return _body((f"post.{id}", "application/json", run.encode()), *more)


def test_compressed_and_plain_bodies_stand_in_one_file(tmp_path: Path) -> None:
    """The client sends some of its bodies compressed, and others plain."""
    zstandard = pytest.importorskip("zstandard")
    pack = zstandard.ZstdCompressor().compress
    path = tmp_path / "captured"
    bodies = [pack(_posted("a")), _posted("b"), pack(_posted("c")), pack(_posted("d"))]
    path.write_bytes(b"".join(bodies))
    assert [one.id for one in adapter.read_traces(path) if isinstance(one, Trace)] == list("abcd")
    path.write_bytes(b"".join([bodies[0], bodies[2][:4] + b"broken", bodies[3]]))
    *found, fault = adapter.read_traces(path)
    assert [type(one) for one in found] == [Trace]
    assert isinstance(fault, TraceError)
    assert f"behind byte {len(bodies[0])}" in fault.message


@pytest.mark.parametrize("patched", [{"id": []}, {"attachments": 5}, {"end_time": 10**400}])
def test_odd_values_of_a_part_cost_nothing_else(tmp_path: Path, patched: dict[str, Any]) -> None:
    patch = _body(
        ("patch.r1", "application/json", json.dumps(patched).encode()),
        ("attachment.r1.note", "text/plain", b"hi"),
        (
            "feedback.f1",
            "application/json",
            b'{"run_id": "r1", "key": "k", "score": 1%s}' % (b"0" * 400),
        ),
    )
    (trace,) = read(tmp_path / "captured", body("r1", '{"output": "Yes."}') + patch)
    assert (trace.id, trace.final_response, trace.ended, trace.scores) == ("r1", "Yes.", None, {})
    (attachment,) = trace.extensions["attachments"]
    assert attachment["text"] == "hi"


def test_attachments_come_along(tmp_path: Path) -> None:
    path = tmp_path / "captured"
    note = ("attachment.a.note", "text/plain; length=7", b"it is\r\n")
    image = ("attachment.a.image", "image/png", b"\x89PNG\r\n\r\n\xff")
    path.write_bytes(_posted("a", note, image))
    (trace,) = adapter.read_traces(path)
    assert isinstance(trace, Trace)
    assert trace.extensions["attachments"] == [
        {"run": "a", "name": "note", "mime_type": "text/plain", "size": 7, "text": "it is\r\n"},
        {
            "run": "a",
            "name": "image",
            "mime_type": "image/png",
            "size": 9,
            "base64": b64encode(b"\x89PNG\r\n\r\n\xff").decode(),
        },
    ]
