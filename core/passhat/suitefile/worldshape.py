"""The shape of what a case says of the world around the agent: faults, approvals, its user."""

from __future__ import annotations

from passhat.suitefile.shapeparts import (
    ANY,
    BOUND,
    FLAG,
    MAPPING,
    NAME,
    NAMES,
    SHARE,
    TEXT,
    TEXTS,
    Schema,
    closed,
    said,
)
from passhat.surroundings.approvals import DECISIONS
from passhat.surroundings.faults import ALIASES, EXPECTS, FAULT_KINDS, HIDINGS, PHRASINGS

_CALL_NUMBERS: Schema = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1},
    ]
}
_APPROVAL_KEYS: Schema = {
    "decision": said("What is answered.", {"enum": list(DECISIONS)}),
    "args": said("For edit: the arguments that take the place of the call's own.", MAPPING),
    "where": said("Only calls with these arguments.", MAPPING),
    "message": said("What is said with it.", TEXT),
    "calls": said("Only these calls of the tool, counted from 1.", _CALL_NUMBERS),
}
_FAULT_KEYS: Schema = {
    "tool": said("The tool; * is any.", NAME),
    "fault": said(
        "What goes wrong.", {"enum": [*FAULT_KINDS, *ALIASES, *(int(word) for word in ALIASES)]}
    ),
    "when": said(
        "Which calls it strikes, counted from 1; all that is stated must hold.",
        {
            "anyOf": [
                *_CALL_NUMBERS["anyOf"],
                closed(
                    {
                        "calls": _CALL_NUMBERS,
                        "first": {"type": "integer", "minimum": 1},
                        "after": {"type": "integer", "minimum": 1},
                        "rate": SHARE,
                        "args": {"type": "object", "minProperties": 1},
                    },
                    minProperties=1,
                ),
            ]
        },
    ),
    "expect": said("What the agent should do.", {"enum": list(EXPECTS)}),
    "fallback": said("The tools that stand in for this one.", NAMES),
    "message": said("What the error says.", TEXT),
    "answer": said("What the call answers with instead.", ANY),
    "seconds": said("How long it takes.", BOUND),
    "retry_after": said("The seconds that the error asks to wait.", BOUND),
    "applied": said("Whether the call did its work before it failed.", FLAG),
    "share": said("The share of the answer that is there.", SHARE),
    "size": said("How many characters the answer has at least.", {"type": "integer", "minimum": 1}),
    "instruction": said("The instruction that is planted.", NAME),
    "at": said("Where in the answer it is planted: items[0].note.", NAME),
    "phrased": said("How it is phrased.", {"enum": list(PHRASINGS)}),
    "hidden": said("How it is hidden.", {"enum": list(HIDINGS)}),
    "calls": said(
        "The calls that obeying it would make.",
        {"type": "array", "items": {"$ref": "#/$defs/expected_call"}},
    ),
    "category": said("What the attack is counted under.", NAME),
}
_RULE_KEYS: Schema = {
    "when": said("A pattern in what the agent says.", NAME),
    "say": said("What the user says to it; one of several, by the seed.", TEXTS),
    "end": said("Whether the user says no more after that.", FLAG),
    "once": said("Whether it is said once only.", FLAG),
}

SURROUNDING_DEFS: Schema = {
    "fault": closed(_FAULT_KEYS, "tool", "fault"),
    "approval": {
        "anyOf": [
            {"type": "string", "enum": ["approve", "decline"]},
            closed(_APPROVAL_KEYS, "decision"),
        ]
    },
}
"""What is referred to by name."""

SURROUNDINGS: Schema = {
    "scenario": said(
        "For simulated users.",
        closed(
            {
                "persona": said("Who the user is.", ANY),
                "goal": said("What the user wants.", TEXT),
                "known_facts": said("What the user knows and may tell at any time.", ANY),
                "hidden_facts": said("What the user tells only when asked.", ANY),
                "rules": said(
                    "What the user says to what, or, for a user who is a model, rules in words.",
                    {
                        "anyOf": [
                            TEXT,
                            {
                                "type": "array",
                                "items": {"anyOf": [TEXT, closed(_RULE_KEYS, "when")]},
                                "minItems": 1,
                            },
                        ]
                    },
                ),
                "success": said("When the user has what they want.", ANY),
                "max_turns": said(
                    "How many messages the user sends at most.", {"type": "integer", "minimum": 1}
                ),
            }
        ),
    ),
    "faults": said(
        "Faults to inject into tools.", {"type": "array", "items": {"$ref": "#/$defs/fault"}}
    ),
    "approvals": said(
        "Answers to calls that wait for a confirmation: a word for all, or by tool.",
        {
            "anyOf": [
                {"type": "string", "enum": ["approve", "decline"]},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/approval"}},
                {
                    "type": "array",
                    "items": closed({"tool": NAME, **_APPROVAL_KEYS}, "tool"),
                },
            ]
        },
    ),
}
"""The keys of a case."""
