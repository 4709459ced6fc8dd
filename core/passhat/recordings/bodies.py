"""Response bodies: what a model's provider answered to one request, alone or beside that request.

A provider's API has no form for a whole run. What is kept of one is its last response, or the
request with the conversation so far and the response to it; together they are a run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from passhat.errors import Place, TraceError
from passhat.failing import outcome_of_words
from passhat.recordings.conversation import error_text
from passhat.recordings.shapes import Entry, objects, word

_SURROUNDINGS = frozenset(
    {
        *("server_error", "rate_limit_exceeded", "insufficient_quota"),
        *("RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED"),
        *("batch_expired", "batch_cancelled"),
    }
)
"""What a provider calls an error of its own."""


class Exchange(Struct, frozen=True):
    """One request to a model's provider and the response to it.

    Attributes:
        request: The body of the request with the path it stands at; empty where it is not there.
        response: The body of the response with its path.
        around: What is said beside the two.
    """

    request: Entry
    response: Entry
    around: dict[str, Any]

    def tells(self, asked: str, answers: str) -> bool:
        """Whether it has a conversation or an answer; an error alone may be any provider's."""
        return asked in self.request[1] or answers in self.response[1]

    def entries(self, key: str) -> list[Entry]:
        """The conversation that the request carried under a key.

        Raises:
            TraceError: It is no list of objects.
        """
        path, request = self.request
        return objects(request.get(key), f"{path}.{key}", f"entries of {key}")

    def answer(self, key: str) -> Entry | None:
        """The first answer that the response has under a key; None where it has an error instead.

        Raises:
            TraceError: The answers are no list of objects, or there is neither one nor an error.
        """
        path, response = self.response
        found = objects(response.get(key), f"{path}.{key}", key)
        if found:
            return found[0]
        if isinstance(response.get("error"), dict):
            return None
        raise TraceError(f"the response has no {key}", Place(path=f"{path}.{key}"))

    def row(self, asked: str, read: Sequence[str], said: dict[str, Any]) -> dict[str, Any]:
        """All else that the three say, as the keys of one row.

        What stands beside has the say over the response, and that over the request; what one of
        them said otherwise is kept under its name. So are further answers: they are alternatives.

        Args:
            asked: The key of the conversation in the request.
            read: The keys of the response that were read, that of the answers first.
            said: What they say of the row.
        """
        row = _over(_but(self.request[1], [asked]), said | _but(self.response[1], read), "request")
        row = _over(row, _but(self.around), "response")
        if isinstance(row.get("error"), dict):
            row |= error_fields(row["error"])
        answers = self.response[1].get(read[0])
        if isinstance(answers, list) and len(answers) > 1:
            row[read[0]] = answers[1:]
            row.setdefault("gaps", [f"only the first of {len(answers)} {read[0]} was read"])
        return row


def _but(holder: dict[str, Any], known: Sequence[str] = ()) -> dict[str, Any]:
    return {key: item for key, item in holder.items() if key not in known and item is not None}


def _over(below: dict[str, Any], above: dict[str, Any], name: str) -> dict[str, Any]:
    """Two objects as one, of which the second has the say; the first's own word is kept."""
    other = {key: below[key] for key in below.keys() & above.keys() if below[key] != above[key]}
    return {**below, **above, **({name: other} if other else {})}


def exchange(value: Any, asked: str, answers: str) -> Exchange | None:
    """The exchange that a value is, None where it is none.

    It is a response body; or an object with one under `response`, and perhaps the request under
    `request`, each as it is or (in the files of a batch) under `body`. Or the request itself, with
    what was answered beside its conversation, where that ends before the answer.

    Args:
        value: The value.
        asked: The key under which a request of the form has its conversation.
        answers: The key under which a response of the form has its answers.

    >>> exchange({"choices": []}, "messages", "choices").response
    ('$', {'choices': []})
    >>> exchange({"id": 1, "response": {"choices": []}}, "messages", "choices").around
    {'id': 1}
    >>> exchange({"messages": [], "choices": []}, "messages", "choices") is None
    True
    """
    if not isinstance(value, dict):
        return None
    if asked in value:
        return _answered(value, asked, answers)
    if isinstance(value.get(answers), list):
        return Exchange(("$", {}), ("$", value), {})
    request, response = _body(value, "request"), _body(value, "response")
    batched = "custom_id" in value or isinstance(value.get("key"), str)
    if batched and isinstance(value.get("error"), dict):
        response = ("$", {"error": value["error"]})
    known = batched or isinstance(request[1].get(asked), list)
    failed = known and isinstance(response[1].get("error"), dict)
    if not failed and not isinstance(response[1].get(answers), list):
        return None
    return Exchange(request, response, _but(value, ("request", "response")))


def _answered(value: dict[str, Any], asked: str, answers: str) -> Exchange | None:
    """A request with the response in it, where the conversation does not have the answer itself."""
    chat = value[asked]
    ends = chat[-1] if isinstance(chat, list) and chat else None
    if not isinstance(ends, dict) or word(ends, "role") in ("assistant", "model"):
        return None
    request = ("$", {asked: chat})
    if isinstance(found := value.get(answers), list) and found:
        return Exchange(request, ("$", _but(value, (asked,))), {})
    response = _body(value, "response")
    if response[1].get(answers) or isinstance(response[1].get("error"), dict):
        return Exchange(request, response, _but(value, (asked, "response")))
    return None


def _body(value: dict[str, Any], key: str) -> Entry:
    """What stands under a key, with its path; an empty object where none does."""
    path, held = f"$.{key}", value.get(key)
    if isinstance(held, dict) and isinstance(held.get("body"), dict):
        path, held = f"{path}.body", held["body"]
    return path, held if isinstance(held, dict) else {}


def _is_of_a_server(code: Any) -> bool:
    """Whether a number is the status of a server, or of a quota, that failed."""
    return type(code) is int and (code in (408, 429) or 500 <= code <= 599)


def error_fields(error: dict[str, Any]) -> dict[str, Any]:
    """How a run ended by what a response calls its error, as the keys of a row.

    >>> error_fields({"code": "server_error", "message": "try again"})
    {'error': 'server_error: try again', 'outcome': 'infrastructure_error'}
    >>> error_fields({"code": 429, "message": "slow down"})["outcome"]
    'infrastructure_error'
    """
    named = [error.get(key) for key in ("status", "code", "type", "name", "status_code")]
    name = next((word for word in named if isinstance(word, str) and word), None)
    why = error.get("message")
    outcome = outcome_of_words(name, why if isinstance(why, str) else None)
    if name in _SURROUNDINGS or any(map(_is_of_a_server, named)):
        outcome = "infrastructure_error"
    return {
        "error": f"{name}: {why}" if name and why else error_text(why or name or error),
        "outcome": outcome,
    }
