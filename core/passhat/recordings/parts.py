"""Content: a text, or a list of parts of which some are text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from passhat.recordings.shapes import wrong

SPOKEN, LISTED = "", "\n"
"""How parts become one text: what a model wrote stands as it was cut, other parts are lines."""


def text_part(part: dict[str, Any]) -> str | None:
    """The text of a part that is nothing but text; it may stand under `content`.

    >>> text_part({"type": "text", "text": "hi"}), text_part({"type": "text", "content": "hi"})
    ('hi', 'hi')
    """
    key = "text" if "text" in part or part.get("type") != "text" else "content"
    said = part.get(key)
    if not isinstance(said, str):
        return None
    return said if all(part[other] is None for other in part.keys() - {"type", key}) else None


def text_and_parts(
    content: Any,
    path: str,
    joint: str,
    text_of: Callable[[dict[str, Any]], str | None] = text_part,
) -> tuple[str, list[Any] | None]:
    r"""All the text of a content, and its parts as recorded where text is not all there is.

    Args:
        content: Text, a list of parts, or null.
        path: Where it stands.
        joint: What stands between the texts of two parts.
        text_of: The text of a part that is nothing but text; None for any other.

    Raises:
        TraceError: It is none of these.

    >>> text_and_parts([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "$", LISTED)
    ('a\nb', None)
    >>> text_and_parts([{"type": "text", "text": "see"}, {"type": "image"}], "$", LISTED)
    ('see', [{'type': 'text', 'text': 'see'}, {'type': 'image'}])
    >>> text_and_parts([{"type": "audio", "transcript": "hi"}], "$", LISTED)
    ('hi', [{'type': 'audio', 'transcript': 'hi'}])
    """
    if content is None:
        return "", None
    if isinstance(content, str):
        return content, None
    if not isinstance(content, list):
        raise wrong("content is text or a list of parts", content, path)
    texts: list[str] = []
    only_text = True
    for at, part in enumerate(content):
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, dict):
            raise wrong("a part is text or an object", part, f"{path}[{at}]")
        said = text_of(part)
        if said is None:
            only_text = False
            said = part.get("text", part.get("transcript"))
        if isinstance(said, str):
            texts.append(said)
    return joint.join(texts), None if only_text else content
