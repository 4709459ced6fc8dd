"""Whether a value is an identifier, a quantity or free text: by the schema, the name, the shape."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from passhat.provenance.texts import has_digit

_ID_WORDS = frozenset({
    "id", "ids", "uuid", "uuids", "guid", "identifier", "identifiers", "sku", "skus", "iban", "isbn",
    "vin", "pnr", "ssn", "asin", "ean",
})  # fmt: skip
_CODE_WORDS = frozenset({
    "number", "numbers", "no", "code", "codes", "key", "keys", "account", "accounts", "card",
    "cards", "phone", "mobile", "telephone", "tel", "fax", "ref", "reference", "references", "token",
    "tracking", "serial", "plate", "ticket", "order", "invoice", "reservation", "booking", "username",
    "login", "handle",
})  # fmt: skip
_QUANTITIES = frozenset({
    "page", "line", "count", "limit", "max", "min", "total", "version", "row", "column", "step",
    "zip", "postal", "area", "status", "country", "currency", "language", "year", "port", "house",
})  # fmt: skip
_FREE_WORDS = frozenset({
    "query", "queries", "question", "prompt", "text", "summary", "thought", "thoughts", "reasoning",
    "message", "body", "content", "description", "note", "notes", "comment", "comments", "reason",
    "explanation", "expression", "formula", "code", "sql", "script", "command", "subject", "title",
    "instructions", "instruction", "feedback", "details", "context", "keywords", "q", "regex",
    "pattern", "snippet", "input", "review", "rationale", "plan", "answer", "response", "search",
})  # fmt: skip
_RESERVED = frozenset({
    "me", "self", "all", "any", "none", "null", "default", "primary", "current", "latest", "main",
    "root", "unknown", "n/a", "na", "auto", "anonymous", "guest", "admin", "system", "user", "test",
})  # fmt: skip
_FEW_WORDS = 3
_SHORTEST_NUMBER = 1_000
_LONGEST = 200
_PHONE_DIGITS = 7
_EMAIL = re.compile(r"(?<![\w.+'-])[\w.+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}")
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_CODED = re.compile(
    r"(?!.*\D(?:19|20)\d\d$)(?:[A-Za-z]+(?:_[A-Za-z]+)*_\d{3,}|[A-Z]{1,5}-?\d{4,})"
    r"|(?=.*\d)[0-9a-f]{16,}"
)
"""Codes by their own shape, unless they end in a year: `report_2024`."""
_PHONE = re.compile(r"\+?[\d\s().-]{7,20}")
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_DIGIT_CLASS = re.compile(r"\\d|\[[^\]]*0-9")
_SAYS_ID = re.compile(r"\b(?:id|identifier|uuid)\b", re.IGNORECASE)


def name_parts(name: str) -> list[str]:
    """The words of a name, in lower case.

    >>> name_parts("flightNumber"), name_parts("payment_ids")
    (['flight', 'number'], ['payment', 'ids'])
    """
    return list(_parts(name))


def _parts(name: str) -> tuple[str, ...]:
    return _short_parts(name) if len(name) < _LONGEST else _split(name)


def _split(name: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in _NAME_PARTS.findall(name))


_short_parts = lru_cache(maxsize=4096)(_split)


def is_free_text(name: str, value: str) -> bool:
    """Whether an argument holds text that the model writes itself: a query, a summary, code."""
    if "\n" in value or len(value) > _LONGEST:
        return True
    parts = _parts(name)
    if not parts or parts[-1] not in _FREE_WORDS:
        return False
    if parts[-1] == "code":
        return len(parts) == 1 and (" " in value or "(" in value)
    return not (len(parts) > 1 and parts[-1] in _ID_WORDS)


def is_prose(value: str) -> bool:
    """Whether a text is too long to have been looked up: more than a few words."""
    return len(value.split()) > _FEW_WORDS


def is_identifier(name: str, value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value names one particular thing, so that it must have come from somewhere.

    Args:
        name: The argument's name; for an item of a list, the list's.
        value: The value, text or a number.
        schema: The JSON Schema of the argument, empty where none is known.

    >>> is_identifier("payment_id", "credit_card_7334", {}), is_identifier("amount", 7334, {})
    (True, False)
    >>> is_identifier("origin", "JFK", {}), is_identifier("flight", "credit_card_7334", {})
    (False, True)
    """
    parts = _parts(name)
    if isinstance(value, int | float):
        if not isinstance(value, int) or _counts(parts):
            return False
        return _named(parts, schema) or (_coded(parts) and abs(value) >= _SHORTEST_NUMBER)
    text = value.strip()
    if not text or len(text) > _LONGEST or text.lower() in _RESERVED:
        return False
    if ("@" in text and _EMAIL.fullmatch(text)) or (len(text) >= 32 and _UUID.fullmatch(text)):
        return True
    digits = has_digit(text)
    if schema.get("format") == "uuid":
        return True
    if " " in text:
        return (
            sum(map(str.isdigit, text)) >= _PHONE_DIGITS
            and _PHONE.fullmatch(text) is not None
            and _coded(parts)
        )
    if _named(parts, schema):
        return digits or any(mark in text for mark in "_-.@") or _is_locator(text)
    if digits and (_coded(parts) or _DIGIT_CLASS.search(str(schema.get("pattern", "")))):
        return not text.isdigit() or len(text) > 3
    return bool(_CODED.fullmatch(text)) and not _counts(parts)


def _is_locator(text: str) -> bool:
    """Whether a text without a digit is a code all the same, as `QWERTY`: capitals, and enough."""
    return len(text) > 3 and text.isalpha() and text.isupper()


def is_named_identifier(name: str) -> bool:
    """Whether a name alone says that what stands under it is an identifier.

    >>> is_named_identifier("user_id"), is_named_identifier("user")
    (True, False)
    """
    return _parts(name)[-1:] != () and _parts(name)[-1] in _ID_WORDS


def is_reserved(value: str) -> bool:
    """Whether a value under an identifier's name stands for something that needs no source: `me`."""
    return value.strip().lower() in _RESERVED


def _named(parts: tuple[str, ...], schema: Mapping[str, Any]) -> bool:
    """Whether the name, or what the schema says of it, is that of an identifier."""
    if parts and parts[-1] in _ID_WORDS:
        return True
    description = schema.get("description")
    return isinstance(description, str) and bool(_SAYS_ID.search(description[:200]))


def _coded(parts: tuple[str, ...]) -> bool:
    return bool(parts) and parts[-1] in _CODE_WORDS and not _counts(parts)


def _counts(parts: tuple[str, ...]) -> bool:
    """Whether the name is that of a quantity: `number_of_bags`, `page_number`, `zip_code`."""
    return (
        parts[:2] == ("number", "of")
        or parts[:1] in (("num",), ("n",))
        or not _QUANTITIES.isdisjoint(parts)
        or parts == ("number",)
    )


@lru_cache(maxsize=8192)
def shape(text: str) -> str:
    """The shape of a value: runs of letters and of digits, and the marks between them.

    >>> shape("HAT136"), shape("credit_card_4421486"), shape("M20IZO")
    ('A9', 'a_a_9', 'A9A')
    """
    out: list[str] = []
    for char in text[:_LONGEST]:
        kind = "9" if char.isdigit() else char
        if char.isalpha():
            kind = "A" if char.isupper() else "a"
        if not out or out[-1] != kind:
            out.append(kind)
    return "".join(out)
