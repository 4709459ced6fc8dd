"""What a tool does, told by its name: whether it changes something, and what kind of deed it does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from passhat.case import Case
from passhat.checks.claim_words import ANY_DOERS, DOERS, LOOKED_AT, NOUNLIKE, READERS
from passhat.provenance.identifiers import name_parts

_VERBS = READERS.union(ANY_DOERS, *DOERS.values())
_DESCRIBED = 200


@lru_cache(maxsize=4096)
def tool_verb(name: str) -> str | None:
    """The verb in a tool's name that tells what it does; None where it has none that is known.

    >>> tool_verb("cancel_reservation"), tool_verb("orders.getStatus"), tool_verb("crm")
    ('cancel', 'get', None)
    >>> tool_verb("order_lookup"), tool_verb("refund_status"), tool_verb("refund_order")
    ('lookup', 'get', 'refund')
    """
    parts = name_parts(name)
    verbs = [part for part in parts if part in _VERBS]
    if verbs and verbs[0] == parts[0] and verbs[0] in NOUNLIKE:
        reading = next((verb for verb in verbs if verb in READERS), None)
        if reading is not None or parts[-1] in LOOKED_AT:
            return reading or "get"
    return verbs[0] if verbs else None


def is_writing(name: str, case: Case) -> bool:
    """Whether a tool changes something: the suite's `writes` say so, or else its name does."""
    if case.writes is not None:
        return name in case.writes
    return tool_verb(name) not in READERS


def can_do(name: str, schema: Any, deed: str) -> bool:
    """Whether a tool does a kind of deed, by its name and what its schema says of it."""
    verb = tool_verb(name)
    if deed == "do" or verb is None or verb in ANY_DOERS:
        return True
    doers = DOERS[deed]
    if verb in doers or not doers.isdisjoint(name_parts(name)):
        return True
    described = schema.get("description") if isinstance(schema, Mapping) else None
    words = (
        re.findall(r"[a-z]+", described[:_DESCRIBED].lower()) if isinstance(described, str) else []
    )
    return any(word in doers or word.removesuffix("s") in doers for word in words)
