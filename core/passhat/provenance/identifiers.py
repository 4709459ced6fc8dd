"""Whether a value is an identifier, a quantity or free text: by the schema, the name, the shape."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from passhat.provenance.texts import has_digit

_ID_WORDS = frozenset({
    "id", "ids", "uuid", "uuids", "guid", "identifier", "identifiers", "sku", "skus", "iban", "isbn",
    "vin", "pnr", "ssn", "asin", "ean", "upc", "imei", "iccid", "barcode", "barcodes", "passport",
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
    "0", "-1",
})  # fmt: skip
_CHOSEN_WORDS = frozenset({"idempotency", "nonce", "correlation", "dedupe", "deduplication"})
_CHOSEN = frozenset({"token", "request", "reference", "order", "ref"})
_NO_ONE = (0, -1)
"""What stands for none, or for the first, under the name of an identifier."""
_FEW_WORDS = 3
_SHORTEST_NUMBER = 1_000
_LONGEST = 200
_PHONE_DIGITS = 7
_EMAIL = re.compile(r"(?<![\w.+'-])[\w.+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,9}")
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_CODED = re.compile(
    r"(?!.*\D(?:19|20)\d\d$)(?:[A-Za-z]+(?:_[A-Za-z]+)*_\d{3,}|[A-Z]{1,5}-?\d{4,})"
    r"|(?=.*\d)[0-9a-f]{16,}|0x[0-9A-Fa-f]{16,}|[A-Z]{2}\d\d[A-Z0-9]{11,30}"
)
"""Codes by their own shape, unless they end in a year: `report_2024`."""
_PHONE = re.compile(r"\+?[\d\s().-]{7,20}")
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_DIGIT_CLASS = re.compile(r"\\d|\[[^\]]*0-9")
_SAYS_ID = re.compile(r"\b(?:id|identifier|uuid)\b", re.IGNORECASE)


class _Naming(NamedTuple):
    """What a name says of the values under it.

    Attributes:
        parts: Its words, in lower case.
        named: Whether they are identifiers.
        counts: Whether they are quantities: `number_of_bags`, `page_number`, `zip_code`.
        coded: Whether they may be codes, if they look like some.
        free: Whether they are text that the model writes itself.
        chosen: Whether they are identifiers that the caller chooses: `idempotency_key`.
    """

    parts: tuple[str, ...]
    named: bool
    counts: bool
    coded: bool
    free: bool
    chosen: bool


def _read(name: str) -> _Naming:
    parts = tuple([part.lower() for part in _NAME_PARTS.findall(name)])
    last = parts[-1] if parts else ""
    counts = (
        parts[:2] == ("number", "of")
        or parts[:1] in (("num",), ("n",))
        or not _QUANTITIES.isdisjoint(parts)
        or parts == ("number",)
    )
    coded = last in _CODE_WORDS and not counts and parts not in (("key",), ("keys",))
    chosen = not _CHOSEN_WORDS.isdisjoint(parts) or (
        parts[:1] == ("client",) and parts[1:2] != () and parts[1] in _CHOSEN
    )
    return _Naming(parts, last in _ID_WORDS, counts, coded, last in _FREE_WORDS, chosen)


_read_short = lru_cache(maxsize=4096)(_read)


def _naming(name: str) -> _Naming:
    return _read_short(name) if len(name) < _LONGEST else _read(name)


def name_parts(name: str) -> list[str]:
    """The words of a name, in lower case.

    >>> name_parts("flightNumber"), name_parts("payment_ids")
    (['flight', 'number'], ['payment', 'ids'])
    """
    return list(_naming(name).parts)


def names_codes() -> list[str]:
    """The words that say that a code follows: `order`, `ticket`, `ref`, ..."""
    return sorted(_CODE_WORDS)


def is_free_text(name: str, value: str) -> bool:
    """Whether an argument holds text that the model writes itself: a query, a summary, code."""
    if "\n" in value or len(value) > _LONGEST:
        return True
    naming = _naming(name)
    if naming.free and naming.parts[-1] == "code":
        return len(naming.parts) == 1 and (" " in value or "(" in value)
    return naming.free


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
    >>> is_identifier("idempotency_key", "refund_4711", {})  # The caller's to choose.
    False
    """
    naming = _naming(name)
    if naming.chosen:
        return False
    if not isinstance(value, str):
        if not isinstance(value, int) or naming.counts or value in _NO_ONE:
            return False
        return _named(naming, schema) or (naming.coded and abs(value) >= _SHORTEST_NUMBER)
    text = value.strip()
    if not text or len(text) > _LONGEST or text.lower() in _RESERVED:
        return False
    if ("@" in text and _EMAIL.fullmatch(text)) or (len(text) >= 32 and _UUID.fullmatch(text)):
        return True
    if schema and schema.get("format") == "uuid":
        return True
    if " " in text:
        return (
            naming.coded
            and sum(map(str.isdigit, text)) >= _PHONE_DIGITS
            and _PHONE.fullmatch(text) is not None
        )
    digits = has_digit(text)
    if _named(naming, schema):
        return digits or any(mark in text for mark in "_-.@") or _is_locator(text)
    if digits and (naming.coded or (schema and _wants_digits(schema))):
        return not text.isdigit() or len(text) > 3
    return not naming.counts and _CODED.fullmatch(text) is not None


def _wants_digits(schema: Mapping[str, Any]) -> bool:
    """Whether the pattern that a schema sets speaks of digits."""
    return _DIGIT_CLASS.search(str(schema.get("pattern", ""))) is not None


def _is_locator(text: str) -> bool:
    """Whether a text without a digit is a code all the same, as `QWERTY`: capitals, and enough."""
    return len(text) > 3 and text.isalpha() and text.isupper()


def is_named_identifier(name: str) -> bool:
    """Whether a name alone says that what stands under it is an identifier.

    >>> is_named_identifier("user_id"), is_named_identifier("user")
    (True, False)
    """
    return _naming(name).named


def is_reserved(value: str) -> bool:
    """Whether a value under an identifier's name stands for something that needs no source: `me`."""
    return value.strip().lower() in _RESERVED


def _named(naming: _Naming, schema: Mapping[str, Any]) -> bool:
    """Whether the name, or what the schema says of it, is that of an identifier."""
    if naming.named or not schema:
        return naming.named
    description = schema.get("description")
    return isinstance(description, str) and bool(_SAYS_ID.search(description[:200]))


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
