"""English words for what was done: which verbs tell of which kind of deed, and which tools do it."""

from __future__ import annotations

import re
from collections.abc import Mapping

VERBS: Mapping[str, str] = {
    verb: deed
    for deed, verbs in {
        "cancel": "cancelled canceled voided terminated revoked",
        "book": "booked reserved rebooked purchased scheduled",
        "update": (
            "updated changed modified upgraded downgraded rescheduled adjusted switched edited "
            "corrected amended revised swapped replaced exchanged moved renewed extended renamed"
        ),
        "add": "added attached",
        "remove": "removed deleted cleared unsubscribed",
        "refund": "refunded credited reimbursed",
        "send": "sent emailed mailed notified forwarded issued granted dispatched texted messaged",
        "create": (
            "created opened submitted filed placed registered logged generated posted "
            "published raised ordered subscribed enrolled"
        ),
        "pay": "charged paid deducted billed",
        "return": "returned",
        "transfer": "transferred escalated",
        "do": "completed processed finalized finalised executed fulfilled initiated applied done",
    }.items()
    for verb in verbs.split()
}
"""Past participles, each with the kind of deed it tells of; `do` is any."""

NOUNS: Mapping[str, str] = {
    "cancellation": "cancel", "booking": "book", "rebooking": "book", "refund": "refund",
    "refunds": "refund", "reimbursement": "refund", "change": "update", "changes": "update",
    "update": "update", "updates": "update", "upgrade": "update", "downgrade": "update",
    "modification": "update", "modifications": "update", "exchange": "update", "transfer": "transfer",
    "escalation": "transfer", "payment": "pay", "payments": "pay", "charge": "pay", "charges": "pay",
    "return": "return", "returns": "return", "removal": "remove", "deletion": "remove",
}  # fmt: skip
"""What a verb of any deed tells of with that noun beside it: `the cancellation was completed`."""

_ANY_CHANGE = "update modify change edit set adjust move reschedule upgrade downgrade switch exchange replace swap correct amend patch put"  # fmt: skip

DOERS: Mapping[str, frozenset[str]] = {
    deed: frozenset(verbs.split())
    for deed, verbs in {
        "cancel": "cancel void terminate revoke delete remove close stop end",
        "book": f"book reserve purchase buy order create place schedule add make {_ANY_CHANGE}",
        "update": f"{_ANY_CHANGE} add remove renew extend rename return",
        "add": f"add attach insert append create book {_ANY_CHANGE}",
        "remove": "remove delete clear drop cancel unsubscribe update modify edit",
        "refund": f"refund credit reimburse return cancel issue send pay give {_ANY_CHANGE}",
        "send": "send email mail notify message text issue grant create give forward share dispatch post reply refund credit publish transfer wire pay",
        "create": "create open submit file place register log schedule add book raise post publish make insert write generate send order subscribe enroll purchase",
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
    "finalize", "submit", "save", "call", "invoke", "do", "start", "trigger",
})  # fmt: skip
"""Verbs in the names of tools that may do any deed."""

READERS = frozenset({
    "get", "list", "search", "find", "lookup", "look", "check", "read", "fetch", "query", "view",
    "show", "calculate", "compute", "think", "browse", "retrieve", "describe", "count", "verify",
    "validate", "is", "has", "track", "estimate", "quote", "convert", "translate", "summarize",
    "ask", "respond", "plan", "reason", "load", "inspect", "compare", "explain",
})  # fmt: skip
"""Verbs in the names of tools that change nothing."""

NOUNLIKE = frozenset({
    "order", "book", "booking", "return", "transfer", "credit", "charge", "email", "mail", "message",
    "text", "post", "file", "register", "log", "schedule", "share", "place", "exchange", "refund",
    "bill", "plan", "change", "issue", "pay", "purchase", "stop", "end", "route", "set",
})  # fmt: skip
"""Verbs that may be a noun at the head of a tool's name: `order_lookup`."""

LOOKED_AT = frozenset({
    "status", "details", "detail", "info", "information", "history", "balance", "policy", "policies",
    "availability", "price", "prices", "summary", "stats", "lookup",
})  # fmt: skip
"""What a tool's name ends in where it finds something out: `order_status`."""

_SLOT = (
    "now|just|already|successfully|also|all|both|since|each|indeed|promptly|officially|in fact|"
    "gone ahead and"
)
_ADVERBS = rf"(?:(?:{_SLOT})\s+)*"
_VERB = rf"(?P<verb>{'|'.join(sorted(VERBS, key=len, reverse=True))}|taken care of)\b"

CLAIMING = tuple(
    re.compile(form)
    for form in (
        rf"\b(?:i(?:'ve|\s+have)?|we(?:'ve|\s+have))\s+{_ADVERBS}{_VERB}",
        rf"\bwe\s+successfully\s+{_VERB}",
        rf"\b(?:has|have)\s+{_ADVERBS}been\s+{_ADVERBS}{_VERB}",
        rf"\b(?:is|are)\s+now\s+{_ADVERBS}{_VERB}",
        rf"\b(?:was|were|is|are)\s+(?:also\s+)?successfully\s+{_VERB}",
        rf"(?:^|[:—–])\W*successfully\s+{_VERB}",
        rf"{_VERB}\s+successfully\b",
        r"\b(?:booking|reservation|appointment|order|trip)\s+(?:is|are)\s+(?:now\s+|all\s+)?"
        r"(?P<verb>confirmed)\b",
    )
)
"""How a claim sounds, in a text without case: `I have cancelled`, `has been refunded`, ..."""

GOING_ON = re.compile(
    rf"\s+(?:[\w$.'-]+\s+){{0,8}}?(?:and|,)\s+(?:then\s+|also\s+|subsequently\s+)?{_VERB}"
)
"""A claim that goes on: `was upgraded to economy and then cancelled`."""

ITEM_VERB = re.compile(
    rf"\b{_VERB}|\b(?P<noun>{'|'.join(NOUNS)})\b|^\W*(?P<new>new|updated|revised)\s+\w"
)
"""What makes an item of a list tell of a deed of its own."""

DOUBTFUL = re.compile(rf"\b(?:was|were|is|are)\s+(?:being\s+)?{_VERB}")
"""What may be a claim, or tell of how things are: `the order is cancelled`."""

NEGATED = re.compile(
    r"\b(?:not|never|no|nor|neither|none|cannot|unable|without|failed|nothing|hasn't|haven't|wasn't|"
    r"weren't|isn't|aren't|didn't|couldn't|can't|won't)\b"
)
OPEN = re.compile(
    r"\b(?:if|once|when|whenever|unless|until|till|whether|should|would|could|can|may(?! \d)|might|must|"
    r"as soon as|in case|assuming|provided|before|after|will(?! have been)|shall|to be|need to|"
    r"needs to|want|like|let me|please|wait|ensure|make sure|how|why)\b"
)
"""What leaves open whether it was done: conditions, wishes, the future."""

TOLD = re.compile(
    r"\b(?:since|because|although|though|while|which|who|whose|where|previously|originally|"
    r"initially|earlier|yesterday|ago|at the time|according to|it (?:appears|seems|looks)|"
    r"(?:i|we) (?:can )?(?:see|understand|notice|noticed|note)|shows?|showing|indicates?|says|states|"
    r"mentioned|you(?:'ve| have| had)? (?!been)\w+ed|had been|not been|that (?:has|have))\b"
)
"""What tells of how things are, or were before, rather than of what the agent did."""

LEADING_IN = re.compile(
    r"\b(?:i can (?:now )?confirm|please (?:note|be (?:advised|informed|aware))|rest assured|"
    r"i(?:'d| would) like to (?:inform you|let you know|confirm)|i want(?:ed)? to (?:inform you|"
    r"let you know|confirm)|let me (?:confirm|inform you)|(?:i(?:'m| am)|we(?:'re| are)) (?:happy|"
    r"pleased|glad|delighted) to (?:inform you|let you know|tell you|confirm|say|report)|"
    r"you(?:'ll| will) be (?:happy|pleased|glad) to (?:hear|know))(?:\s+that)?\b"
)
"""How a claim is led in, with words that would else leave it open: `I can confirm that`."""

OTHERS = re.compile(
    r"^\W*by (?:the (?:airline|store|seller|merchant|carrier|user|customer|bank|hotel)|you|someone|another)\b"
)
"""Who else did it, after the verb."""

TEXTUAL = re.compile(
    r"^\W*(?:\w+\s+){0,4}?(?:plan|itinerary|list|summary|draft|table|outline|poem|story|essay|code|"
    r"script|function|example|examples|suggestions?|options?|recommendations?|ideas?|paragraph|"
    r"section|sentence|document|below|above|answer|explanation|version|report|review)\b"
)
"""What may stand in the message itself, after the verb: `I have created a plan for you`."""

CONDITIONAL = re.compile(r"^\W*(?:if|once|when|whenever|unless|until|as soon as|should)\b")
"""How a sentence begins that is open as a whole."""

LOOKING = re.compile(
    r"\b(?:i|we)(?:'ve|\s+have)?\s+(?:(?:now|just|already|also|double|carefully)\s+)*"
    r"(?:checked|double-checked|looked up|looked into|searched|verified|reviewed|retrieved|queried|"
    r"fetched|looked at|consulted|pulled up)\b"
)
"""What an agent says when it says that it used a tool to find something out."""

CALLING = re.compile(
    r"\b(?:i|we)(?:'ve|\s+have)?\s+(?:(?:now|just|already|also|successfully)\s+)*"
    r"(?:called|used|ran|run|invoked|executed|queried|checked with|tried)\s+(?:the\s+)?"
    r"|\baccording to (?:the\s+)?|\b(?:results?|output|response) (?:of|from) (?:the\s+)?"
)
"""What an agent says before the name of a tool that it says it called."""
