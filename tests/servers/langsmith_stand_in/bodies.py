"""Bodies on the wire: multipart, and compressed with zstandard."""

import json
import re
from typing import Any


def unzipped(body: bytes) -> bytes:
    """The body as it was before it was compressed."""
    import zstandard

    return zstandard.ZstdDecompressor().stream_reader(body).read()


def parts_of(body: bytes, kind: str) -> list[tuple[str, Any]]:
    """The parts of a multipart body with their names: JSON, or an attachment's kind and bytes."""
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
