"""What a tool does, told by its name: whether it changes something, and what kind of deed it does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from passhat.case import Case
from passhat.checks.claim_words import BASES, verb_forms
from passhat.checks.deed_words import ANY_DOERS, CHECKS, DOERS, LOOKED_AT, NOUNLIKE, NOUNS, READERS
from passhat.provenance.identifiers import name_parts

_SERVER = re.compile(r"__|[./:]")
_VERBS = READERS.union(ANY_DOERS, *DOERS.values())
_LAST = _VERBS - READERS - ANY_DOERS - NOUNLIKE
"""Verbs that tell what a tool does after a noun: `order_cancel`."""
_DESCRIBED = 200
_SHORTEST_VERB = 3
_VAGUE = frozenset({
    "do", "call", "invoke", "handle", "perform", "process", "execute", "apply", "complete", "confirm",
})  # fmt: skip
_PREFIXES = frozenset({"git", "gmail", "crm", "slack", "github", "jira", "api", "user", "account"})
_PLAIN = frozenset({
    "cancel", "book", "reserve", "refund", "reimburse", "send", "email", "mail", "pay", "charge", "buy",
    "purchase", "delete", "reschedule", "rename", "notify", "wire", "transfer", "escalate",
})  # fmt: skip
"""Verbs that tell of one kind of deed; `update`, `create`, `set` and the like may do any."""


@lru_cache(maxsize=4096)
def tool_verb(name: str) -> str | None:
    """The verb in a tool's name that tells what it does; None where it has none that is known.

    >>> tool_verb("cancel_reservation"), tool_verb("orders.getStatus"), tool_verb("crm")
    ('cancel', 'get', None)
    >>> tool_verb("trash_message"), tool_verb("deactivate_plan")
    (None, 'deactivate')
    >>> tool_verb("order_lookup"), tool_verb("refund_status"), tool_verb("refund_order")
    ('lookup', 'get', 'refund')
    >>> tool_verb("order_cancel"), tool_verb("claim.status"), tool_verb("mcp__crm__log_call")
    ('cancel', 'get', 'log')
    """
    parts = _own_parts(name)
    verbs = [part for part in parts if part in _VERBS]
    if verbs and verbs[0] == parts[0] and verbs[0] in NOUNLIKE:
        reading = next((verb for verb in verbs if verb in READERS and verb != "plan"), None)
        if reading is not None or parts[-1] in LOOKED_AT:
            return reading or "get"
    if parts[:1] and parts[0] in ("run", "execute", "perform") and parts[-1] in CHECKS:
        return "check"
    if len(parts) == 1 and parts[0] in LOOKED_AT:
        return "get"
    if parts[:1] and parts[0] in NOUNLIKE and parts[-1] in _LAST:
        return parts[-1]
    sure = [verb for verb in verbs if verb not in NOUNLIKE or verb == parts[0]]
    return sure[0] if sure else None


def is_writing(name: str, case: Case) -> bool:
    """Whether a tool changes something: the suite's `writes` say so, or else its name does."""
    if case.writes is not None:
        return name in case.writes
    return tool_verb(name) not in READERS


def only_hands_on(name: str, case: Case) -> bool:
    """Whether a tool in which other calls were made did what these did, and nothing besides."""
    return tool_verb(name) is None if case.writes is None else name not in case.writes


def further_verbs(names: Iterable[str]) -> dict[str, str]:
    """The verbs that stand first or last in the names of tools and are no common ones, by participle.

    >>> further_verbs(["close_ticket", "get_order", "reset_password"])["closed"]
    'close'
    >>> further_verbs(["enrollment_drop"])["dropped"]
    'drop'
    """
    found: dict[str, str] = {}
    for name in names:
        parts = _own_parts(name)
        verbs = parts[:1]
        if NOUNLIKE.issuperset(verbs) or not _VERBS.union(BASES).intersection(verbs):
            verbs = [*verbs, *(part for part in parts[1:][-1:] if part in _VERBS)]
        for verb in verbs:
            if not verb.isascii() or not verb.isalpha() or len(verb) < _SHORTEST_VERB:
                continue
            if verb in READERS or verb in BASES or verb in _VAGUE:
                continue
            found.update(dict.fromkeys(verb_forms(verb), verb))
    return found


def _own_parts(name: str) -> list[str]:
    """The words of a tool's name without those of the server or product that it belongs to.

    >>> _own_parts("github__create_issue"), _own_parts("slack_post_message"), _own_parts("claim.file")
    (['create', 'issue'], ['post', 'message'], ['file'])
    """
    parts = name_parts(_SERVER.split(name)[-1]) or name_parts(name)
    return parts[1:] if len(parts) > 1 and parts[0] in _PREFIXES else parts


def surely_else(name: str, deed: str) -> bool:
    """Whether the name of a tool is sure to tell of another kind of deed.

    >>> surely_else("send_email", "cancel"), surely_else("update_order", "cancel")
    (True, False)
    >>> surely_else("frobnicate", "cancel"), surely_else("reset_password", "send")
    (False, False)
    """
    verb = tool_verb(name)
    doers = DOERS.get(deed) or frozenset({deed})
    return verb in _PLAIN and verb not in doers and doers.isdisjoint(name_parts(name))


def can_do(name: str, schema: Any, deed: str) -> bool:
    """Whether a tool does a kind of deed, by its name and what its schema says of it."""
    verb = tool_verb(name)
    parts = name_parts(name)
    if deed == "send" and "draft" in parts and "send" not in parts:
        return False
    if deed == "do" or verb is None or verb in ANY_DOERS:
        return True
    doers = DOERS.get(deed) or frozenset({deed})
    if verb in doers or not doers.isdisjoint(parts) or any(NOUNS.get(p) == deed for p in parts):
        return True
    described = schema.get("description") if isinstance(schema, Mapping) else None
    words = (
        re.findall(r"[a-z]+", described[:_DESCRIBED].lower()) if isinstance(described, str) else []
    )
    return any(word in doers or word.removesuffix("s") in doers for word in words)
