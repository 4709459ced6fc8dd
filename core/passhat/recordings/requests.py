"""One recorded answer of a model, put together or split into the requests it was.

A provider that runs a tool itself puts the result into the same answer. What the model says or
asks for after it was said in the knowledge of it, so that is a request of its own. Some logs have
an entry for each part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from passhat.recordings.shapes import Entry, word

PartKind: TypeAlias = Literal["call", "ran", "result", "thought", "content"]
"""What a part is; a call that was `ran` by the provider ends its request."""
Placed: TypeAlias = tuple[str, Any]
"""A part with the path it stands at."""


class Request(Struct, eq=False):
    """The parts of one request, sorted by what they are."""

    calls: list[Placed] = field(default_factory=list)
    results: list[Placed] = field(default_factory=list)
    thoughts: list[Any] = field(default_factory=list)
    content: list[Any] = field(default_factory=list)
    ended: bool = False


def split(parts: Iterable[Any], path: str, kind_of: Callable[[Any], PartKind]) -> list[Request]:
    """The requests that an answer's parts belong to, at least one.

    Args:
        parts: The parts, in order.
        path: Where the list of them stands.
        kind_of: What a part is.

    >>> kinds = {"c": "call", "r": "result", "t": "content"}
    >>> [len(request.content) for request in split("tcrt", "$", kinds.__getitem__)]
    [1, 1]
    """
    requests = [Request()]
    for at, part in enumerate(parts):
        kind = kind_of(part)
        if requests[-1].ended and kind != "result":
            requests.append(Request())
        here = requests[-1]
        here.ended = kind in ("ran", "result")
        if kind in ("call", "ran"):
            here.calls.append((f"{path}[{at}]", part))
        elif kind == "result":
            here.results.append((f"{path}[{at}]", part))
        elif kind == "thought":
            here.thoughts.append(part)
        else:
            here.content.append(part)
    return requests


def whole(entries: list[Entry]) -> list[Entry]:
    """The messages of a chat, of which answers with one id are one that was written in pieces.

    Between two pieces may stand what tools gave: a log has it where a tool ran before the model had
    ended. It stands behind the whole answer then.

    >>> pieces = [{"role": "assistant", "id": "m1", "content": [part]} for part in "ab"]
    >>> whole([("$[0]", pieces[0]), ("$[1]", pieces[1])])
    [('$[0]', {'role': 'assistant', 'id': 'm1', 'content': ['a', 'b']})]
    """
    found: list[Entry] = []
    at = -1
    for path, entry in entries:
        last = found[at][1] if at >= 0 else {}
        if entry.get("id") is not None and entry["id"] == last.get("id") and _joins(last, entry):
            more = {**entry, "content": [*last["content"], *entry["content"]]}
            found[at] = found[at][0], more
            continue
        if not _only_results(entry):
            at = len(found) if entry.get("role") == "assistant" else -1
        found.append((path, entry))
    return found


def _joins(last: dict[str, Any], entry: dict[str, Any]) -> bool:
    pieces = (last, entry)
    return all(
        piece.get("role") == "assistant" and isinstance(piece.get("content"), list)
        for piece in pieces
    )


def _only_results(entry: dict[str, Any]) -> bool:
    """Whether a message holds what tools gave, and nothing that anybody said."""
    content = entry.get("content")
    if not isinstance(content, list) or not content or entry.get("role") != "user":
        return False
    return all(word(part, "type").endswith("tool_result") for part in content)
