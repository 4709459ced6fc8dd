"""What is attached to runs, and to examples: files with a name and a type, kept as text."""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import sha256
from os import PathLike
from typing import Any

from passhat_langsmith.plain import is_mapping, plain
from passhat_langsmith.runs import Run

_LARGE = 1 << 20
"""Bytes beyond which of a file its digest alone is kept."""
_PREFIX = "attachment."

Json = dict[str, Any]


def attachments_of(run: Run) -> tuple[list[Json], list[str]]:
    r"""What is attached to a run, and what of it is not kept, a sentence each.

    Each has the id of the run, a name, and what is known of `mime_type`, `size`, `url` and `path`. The
    content is `text`, or `base64` where it is none.

    >>> attachments_of(Run("r", files={"note": ("text/plain", b"hi")}))
    ([{'run': 'r', 'name': 'note', 'mime_type': 'text/plain', 'size': 2, 'text': 'hi'}], [])
    """
    found: list[Json] = []
    gaps: list[str] = []
    if not is_mapping(run.files):
        return found, gaps
    for key, held in run.files.items():
        name = str(key).removeprefix(_PREFIX)
        one: Json = {"run": run.id, "name": name}
        found.append(one)
        content = _described(one, held)
        if content is not None and len(content) > _LARGE:
            one |= {"size": len(content), "sha256": sha256(content).hexdigest()}
            gaps.append(f"run {run.id}: the attachment {name!r} is too large to be kept")
        elif content is not None:
            one |= {"size": len(content), **content_as_json(content)}
        elif one.keys().isdisjoint(("url", "path")):
            gaps.append(f"run {run.id}: the content of the attachment {name!r} is not there")
    return found, gaps


def content_as_json(content: bytes) -> Json:
    r"""A file's content as JSON holds it: `text` where it is UTF-8, else `base64`.

    >>> content_as_json(b"hi"), content_as_json(b"\xff")
    ({'text': 'hi'}, {'base64': '/w=='})
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}
    return {"text": text}


def content_of(held: Json) -> bytes | None:
    r"""The content that JSON holds; None where it holds none.

    >>> content_of({"text": "hi"}), content_of({"base64": "/w=="}), content_of({"base64": "?"})
    (b'hi', b'\xff', None)
    """
    if isinstance(held.get("text"), str):
        return str(held["text"]).encode(errors="surrogatepass")
    try:
        return b64decode(held["base64"], validate=True)
    except (KeyError, TypeError, ValueError):
        return None


def _described(one: Json, held: Any) -> bytes | None:
    """Puts in what is known of an attachment; gives its content where that is there."""
    if isinstance(held, tuple | list) and len(held) == 2:  # As a run is given it: type and content.
        one["mime_type"] = plain(held[0])
        return _content(one, held[1])
    if is_mapping(held):  # As the server tells of it, perhaps with a reader of what was fetched.
        if (kind := held.get("mime_type")) is not None:
            one["mime_type"] = plain(kind)
        if (url := held.get("presigned_url") or held.get("s3_url")) is not None:
            one["url"] = plain(url)
        return _read(held.get("reader"))
    return _content(one, held)


def _content(one: Json, held: Any) -> bytes | None:
    if isinstance(held, bytes | bytearray):
        return bytes(held)
    if isinstance(held, PathLike):  # A path is told, never followed.
        one["path"] = str(held)
    elif isinstance(held, str):
        one["url"] = held
    return None


def _read(reader: Any) -> bytes | None:
    """What a reader holds, which is left where it stands; None where that could not be fetched."""
    try:
        at = reader.tell()
        reader.seek(0)
        content = reader.read()
        reader.seek(at)
    except Exception:  # LangSmith puts a reader there that raises what fetching it raised.
        return None
    return content if isinstance(content, bytes) else None
