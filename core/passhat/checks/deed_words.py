"""English words for kinds of deeds: the verbs and nouns that tell of them, the verbs of tools that do them."""

from __future__ import annotations

from collections.abc import Mapping

VERBS: Mapping[str, str] = {
    verb: deed
    for deed, verbs in {
        "cancel": "cancelled canceled voided terminated revoked withdrawn withdrew",
        "book": "booked reserved rebooked scheduled arranged",
        "buy": "purchased bought",
        "sell": "sold",
        "update": (
            "updated changed modified upgraded downgraded rescheduled adjusted switched edited "
            "corrected amended revised swapped replaced exchanged renewed extended renamed"
        ),
        "move": "moved",
        "add": "added attached put",
        "remove": "removed deleted cleared unsubscribed",
        "refund": "refunded credited reimbursed",
        "send": "sent replied emailed mailed notified forwarded issued granted dispatched texted messaged",
        "create": (
            "created opened submitted filed placed registered logged generated posted "
            "published raised ordered subscribed enrolled"
        ),
        "pay": "charged paid deducted billed",
        "return": "returned",
        "transfer": "transferred escalated",
        "do": "completed processed finalized finalised executed fulfilled initiated applied done made",
    }.items()
    for verb in verbs.split()
} | {
    "turned on": "update", "turned off": "update", "switched on": "update", "switched off": "update",
    "taken down": "remove", "took down": "remove", "sent out": "send", "handed over": "transfer",
    "passed on": "send", "topped up": "add", "called off": "cancel", "signed up": "create", "set up": "create", "set": "update", "wired": "transfer",
}  # fmt: skip
"""Past participles, each with the kind of deed it tells of; `do` is any."""

OWN_WORK = frozenset({
    "fixed", "refactored", "rewritten", "rewrote", "patched", "implemented", "lowered",
    "increased", "decreased", "reduced", "dimmed", "simplified", "reverted", "restored",
    "reset", "enabled", "disabled", "activated", "deactivated", "reactivated", "suspended",
    "resumed", "paused", "froze", "frozen", "unfrozen", "unfroze", "blocked", "unblocked",
    "locked", "unlocked", "closed", "reopened", "assigned", "reassigned", "approved", "waived",
    "archived", "merged", "deployed", "installed", "uploaded", "saved", "written", "wrote",
    "committed", "pushed", "labeled", "labelled", "tagged", "linked", "enrolled", "granted",
    "redirected", "paired", "stopped", "started", "restarted", "recorded", "connected",
    "reported", "silenced", "muted", "informed", "alerted", "contacted",
})  # fmt: skip
"""Participles by which an agent tells of its own work (`I have fixed it`), whatever tool does it."""

OUTCOMES: Mapping[str, str] = {
    "off": "off disable deactivate stop",
    "on": "turn switch enable activate start",
    "active": "add activate reactivate enable resume unfreeze unblock restore unsuspend",
    "gone": "cancel delete remove clear trash drop",
    "live": "deploy publish release launch post",
    "back on": "turn switch enable resume restore",
    "out": "send publish release launch mail post",
    "up and running": "start restart deploy launch run",
}
"""How things are after a deed (`the lights are off`), with the verbs that ask for it."""

NOUNS: Mapping[str, str] = {
    "cancellation": "cancel", "booking": "book", "rebooking": "book", "refund": "refund",
    "refunds": "refund", "reimbursement": "refund", "change": "update", "changes": "update",
    "update": "update", "updates": "update", "upgrade": "update", "downgrade": "update",
    "modification": "update", "modifications": "update", "exchange": "update", "transfer": "transfer",
    "escalation": "transfer", "payment": "pay", "payments": "pay", "charge": "pay", "charges": "pay",
    "return": "return", "returns": "return", "removal": "remove", "deletion": "remove",
    "deployment": "deploy", "installation": "install", "activation": "activate",
    "referral": "refer", "discount": "discount", "adjustment": "update", "adjustments": "update",
    "correction": "update", "corrections": "update", "deactivation": "deactivate", "registration": "create", "enrollment": "create",
}  # fmt: skip
"""What a verb of any deed tells of with that noun beside it: `the cancellation was completed`."""

_ANY_CHANGE = "update modify change edit set adjust move reschedule upgrade downgrade switch exchange replace swap correct amend patch put"  # fmt: skip

DOERS: Mapping[str, frozenset[str]] = {
    deed: frozenset(verbs.split())
    for deed, verbs in {
        "cancel": "cancel void terminate revoke delete remove close stop end",
        "book": f"book reserve purchase buy order create place schedule add make hold {_ANY_CHANGE}",
        "buy": f"buy purchase order book create place checkout pay subscribe trade swap make add {_ANY_CHANGE}",
        "sell": f"sell place create trade order list close make {_ANY_CHANGE}",
        "update": f"{_ANY_CHANGE} write insert add remove renew extend rename return toggle enable disable activate deactivate",
        "move": f"{_ANY_CHANGE} transfer wire send add remove",
        "add": f"add attach insert append create book {_ANY_CHANGE}",
        "remove": "remove delete clear drop cancel unsubscribe update modify edit",
        "refund": f"refund credit reimburse return cancel issue send pay give {_ANY_CHANGE}",
        "send": "send email mail notify message text issue grant create give forward share dispatch post reply refund credit publish transfer wire pay",
        "create": "create set open submit file place register log schedule add book raise post publish make insert write generate draft send order subscribe enroll purchase",
        "pay": f"pay wire charge bill debit book purchase buy order place checkout transfer send add create {_ANY_CHANGE}",
        "return": f"return refund exchange create initiate request {_ANY_CHANGE}",
        "transfer": "transfer wire escalate handoff hand route connect assign forward send move",
    }.items()
}  # fmt: skip
"""Verbs in the names of tools that do a kind of deed."""

_GRADES = ("cabin", "class", "flight", "seat", "plan", "tier", "room", "subscription")

HINTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("upgraded", "downgraded", "upgrade", "downgrade"), _GRADES),
    "rescheduled": ("date", "time", "appointment", "flight", "meeting", "booking"),
    "renamed": ("name", "passenger", "title"),
}
"""What a verb speaks of though its sentence may not name it."""

ANY_DOERS = frozenset({
    "process", "execute", "run", "handle", "perform", "apply", "commit", "complete", "confirm",
    "finalize", "submit", "save", "call", "invoke", "do", "start", "trigger", "request",
})  # fmt: skip
"""Verbs in the names of tools that may do any deed."""

READERS = frozenset({
    "get", "list", "search", "find", "lookup", "look", "check", "read", "fetch", "query", "view",
    "show", "calculate", "compute", "think", "browse", "retrieve", "describe", "count", "verify",
    "validate", "is", "has", "track", "estimate", "quote", "convert", "translate", "summarize",
    "ask", "respond", "plan", "reason", "load", "inspect", "compare", "explain", "grep", "glob", "preview",
})  # fmt: skip
"""Verbs in the names of tools that change nothing."""

NOUNLIKE = frozenset({
    "order", "book", "booking", "return", "transfer", "credit", "charge", "email", "mail", "message",
    "text", "post", "file", "register", "log", "schedule", "share", "place", "exchange", "refund",
    "bill", "plan", "change", "issue", "pay", "purchase", "stop", "end", "route", "checkout",
})  # fmt: skip
"""Verbs that may be a noun at the head of a tool's name: `order_lookup`."""

CHECKS = frozenset({
    "test", "tests", "lint", "linter", "typecheck", "checks", "scan", "diagnostics", "speedtest",
    "benchmark", "benchmarks",
})  # fmt: skip
"""What a tool that runs something finds out by it: `run_tests`."""

LOOKED_AT = frozenset({
    "status", "details", "detail", "info", "information", "history", "balance", "policy", "policies",
    "availability", "price", "prices", "summary", "stats", "lookup",
})  # fmt: skip
"""What a tool's name ends in where it finds something out: `order_status`."""
