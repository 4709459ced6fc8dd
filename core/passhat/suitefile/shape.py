"""The shape of a suite file as JSON Schema: which keys there are, and what kind of value each has."""

from __future__ import annotations

from typing import Any

from passhat.case import MODES, SUITE_SCHEMA, Case, Suite, Turn
from passhat.surroundings.approvals import DECISIONS
from passhat.surroundings.faults import ALIASES, EXPECTS, FAULT_KINDS, HIDINGS, PHRASINGS

Schema = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_TEXT: Schema = {"type": "string"}
_NAME: Schema = {"type": "string", "minLength": 1}
_NAMES: Schema = {"type": "array", "items": _NAME}
_ANY: Schema = {}
_MAPPING: Schema = {"type": "object"}
_FLAG: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_MODE: Schema = {"enum": list(MODES)}
_BOUND: Schema = {"type": "number", "minimum": 0}
_TEXTS: Schema = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}
_TEXT_OR_NUMBER: Schema = {"type": ["string", "number"]}
_INCLUDED: Schema = {
    "anyOf": [_TEXT_OR_NUMBER, {"type": "array", "items": _TEXT_OR_NUMBER, "minItems": 1}]
}


def _closed(properties: Schema, *required: str, **more: Any) -> Schema:
    """A mapping with these keys and no others."""
    shape = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return {**shape, "required": list(required)} if required else shape


def _said(description: str, schema: Schema) -> Schema:
    return {"description": description, **schema}


_EXPECTED_CALL_KEYS: Schema = {
    "name": _said("The tool.", _NAME),
    "args": _said("Arguments that must be there; left out, any will do.", _MAPPING),
    "match": _said(
        "How arguments compare: {argument: matcher}, or one for all (auto: by the tool's schema).",
        {"type": ["object", "string"]},
    ),
    "extra_args": _said("Whether further arguments are allowed.", {"enum": ["allow", "forbid"]}),
    "optional": _said("Whether the call may be left out.", _FLAG),
}
_JOIN_KEYS: Schema = {
    "same": _said(
        "Joins the two calls: an argument of both, or {tool: argument} of each.",
        {"anyOf": [_NAME, {"type": "object", "additionalProperties": _NAME}]},
    ),
    "where": _said("CEL over the two calls, `a` and `b`.", _NAME),
}
_EXPECTED_CALL = {"$ref": "#/$defs/expected_call"}
_INPUT: Schema = {
    "anyOf": [
        _TEXT,
        _MAPPING,
        {"type": "array", "items": {"type": "object", "required": ["role"]}},
        {"type": "null"},
    ]
}

_CALL_NUMBERS: Schema = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1},
    ]
}
_APPROVAL_KEYS: Schema = {
    "decision": _said("What is answered.", {"enum": list(DECISIONS)}),
    "args": _said("For edit: the arguments that take the place of the call's own.", _MAPPING),
    "where": _said("Only calls with these arguments.", _MAPPING),
    "message": _said("What is said with it.", _TEXT),
    "calls": _said("Only these calls of the tool, counted from 1.", _CALL_NUMBERS),
}
_FAULT_KEYS: Schema = {
    "tool": _said("The tool; * is any.", _NAME),
    "fault": _said(
        "What goes wrong.", {"enum": [*FAULT_KINDS, *ALIASES, *(int(word) for word in ALIASES)]}
    ),
    "when": _said(
        "Which calls it strikes, counted from 1; all that is stated must hold.",
        {
            "anyOf": [
                *_CALL_NUMBERS["anyOf"],
                _closed(
                    {
                        "calls": _CALL_NUMBERS,
                        "first": {"type": "integer", "minimum": 1},
                        "after": {"type": "integer", "minimum": 1},
                        "rate": _SHARE,
                        "args": {"type": "object", "minProperties": 1},
                    },
                    minProperties=1,
                ),
            ]
        },
    ),
    "expect": _said("What the agent should do.", {"enum": list(EXPECTS)}),
    "fallback": _said("The tools that stand in for this one.", _NAMES),
    "message": _said("What the error says.", _TEXT),
    "answer": _said("What the call answers with instead.", _ANY),
    "seconds": _said("How long it takes.", _BOUND),
    "retry_after": _said("The seconds that the error asks to wait.", _BOUND),
    "applied": _said("Whether the call did its work before it failed.", _FLAG),
    "share": _said("The share of the answer that is there.", _SHARE),
    "size": _said(
        "How many characters the answer has at least.", {"type": "integer", "minimum": 1}
    ),
    "instruction": _said("The instruction that is planted.", _NAME),
    "at": _said("Where in the answer it is planted: items[0].note.", _NAME),
    "phrased": _said("How it is phrased.", {"enum": list(PHRASINGS)}),
    "hidden": _said("How it is hidden.", {"enum": list(HIDINGS)}),
    "calls": _said(
        "The calls that obeying it would make.",
        {"type": "array", "items": {"$ref": "#/$defs/expected_call"}},
    ),
    "category": _said("What the attack is counted under.", _NAME),
}
_RULE_KEYS: Schema = {
    "when": _said("A pattern in what the agent says.", _NAME),
    "say": _said("What the user says to it; one of several, by the seed.", _TEXTS),
    "end": _said("Whether the user says no more after that.", _FLAG),
    "once": _said("Whether it is said once only.", _FLAG),
}

_DEFS: Schema = {
    "fault": _closed(_FAULT_KEYS, "tool", "fault"),
    "approval": {
        "anyOf": [
            {"type": "string", "enum": ["approve", "decline"]},
            _closed(_APPROVAL_KEYS, "decision"),
        ]
    },
    "expected_call": {"anyOf": [_NAME, _closed(_EXPECTED_CALL_KEYS, "name")]},
    "before": {
        "type": "array",
        "minItems": 2,
        "maxItems": 3,
        "prefixItems": [{"$ref": "#/$defs/side"}, {"$ref": "#/$defs/side"}, _closed(_JOIN_KEYS)],
    },
    "side": {"anyOf": [_NAME, _closed({**_EXPECTED_CALL_KEYS, **_JOIN_KEYS}, "name")]},
    "check": {
        "type": ["object", "null"],
        "properties": {
            "at_least": _said("Passes from this score on.", _SHARE),
            "at_most": _said("Passes up to this score.", _SHARE),
            "required": _said("Whether the trial's status depends on it.", _FLAG),
            "mode": _said("Of a check that has one, instead of the case's.", _MODE),
        },
    },
    "policy": _closed(
        {
            "name": _NAME,
            "deny": _said("CEL that may hold of no call.", _NAME),
            "require": _said("CEL that must hold of each call.", _NAME),
        },
        "name",
        oneOf=[{"required": ["deny"]}, {"required": ["require"]}],
    ),
    "tool": {
        "anyOf": [
            _NAME,
            {
                "type": "object",
                "anyOf": [{"required": ["name"]}, {"required": ["function"]}],
            },
        ]
    },
}

_TOOLS: Schema = {
    "anyOf": [
        {"type": "object", "additionalProperties": {"type": ["object", "null"]}},
        {"type": "array", "items": {"$ref": "#/$defs/tool"}},
    ]
}
_CHECKS: Schema = {"type": "object", "additionalProperties": {"$ref": "#/$defs/check"}}
_LABELS: Schema = {"anyOf": [_NAME, {"type": "array", "items": _NAME, "minItems": 1}]}

_EXPECTATIONS: Schema = {
    "expected_calls": _said(
        "The calls expected; a list inside the list is a group in any order.",
        {
            "type": "array",
            "items": {
                "anyOf": [
                    _NAME,
                    _closed(_EXPECTED_CALL_KEYS, "name"),
                    {"type": "array", "items": _EXPECTED_CALL},
                ]
            },
        },
    ),
    "mode": _said("How the actual calls relate to the expected ones.", _MODE),
    "before": _said(
        "Pairs [A, B]: A before B.", {"type": "array", "items": {"$ref": "#/$defs/before"}}
    ),
    "optional_calls": _said("Tools that never count against a run.", _NAMES),
    "forbidden_calls": _said(
        "Calls that must not be made.", {"type": "array", "items": _EXPECTED_CALL}
    ),
    "response": _said(
        "What the final answer must and must not say.",
        _closed(
            {
                "includes": _said("What it has to include.", _INCLUDED),
                "excludes": _said("What it may not include.", _INCLUDED),
                "equals": _said("The whole of it: a text, or a JSON value.", _ANY),
                "matches": _said("Patterns to be found in it.", _TEXTS),
                "json": _said(
                    "The JSON it is: true for any, {equals, contains, schema}, or keys it has.",
                    _ANY,
                ),
                "number": _said(
                    "A number that it holds, within a tolerance.",
                    {
                        "anyOf": [
                            {"type": "number"},
                            _closed(
                                {"value": {"type": "number"}, "abs": _BOUND, "rel": _BOUND}, "value"
                            ),
                        ]
                    },
                ),
            }
        ),
    ),
    "response_must_include": _said("Short for response: {includes: ...}.", _INCLUDED),
    "budget": _said(
        "Upper bounds.",
        _closed(
            dict.fromkeys(("turns", "requests", "tool_calls", "tokens", "cost", "seconds"), _BOUND)
        ),
    ),
    "requires_approval": _said(
        "Tools that need a confirmation first; true means all of `writes`.",
        {"anyOf": [_FLAG, _NAMES]},
    ),
    "route": _said("The label, or labels, that the task belongs to.", _LABELS),
    "refuse": _said("Whether the agent should refuse.", _FLAG),
    "clarify": _said("Whether the agent should ask before it acts.", _FLAG),
    "checks": _said("Options of checks by key.", _CHECKS),
}
_TURN: Schema = {"input": _said("What the user says.", _INPUT), **_EXPECTATIONS}
_CASE: Schema = {
    "id": _said("The case's id, unique in its suite.", _NAME),
    "input": _said("What the agent is given: text, messages, or a mapping.", _INPUT),
    "turns": _said(
        "The turns of a conversation; a bare text is what the user says.",
        {"type": "array", "items": {"anyOf": [_TEXT, _closed(_TURN)]}, "minItems": 1},
    ),
    "user": _ANY,
    "tags": _said("Labels to group by.", _NAMES),
    "metadata": _MAPPING,
    "trials": _said("How many attempts to make.", {"type": "integer", "minimum": 1}),
    "reference": _said("Any JSON to compare with by hand or by a judge.", _ANY),
    "initial_state": _said(
        "The state before: tables or documents, or a path relative to the suite file.",
        {"type": ["object", "array", "string"], "minLength": 1},
    ),
    "counts": _said("False compares as sets: a repeat is no extra.", _FLAG),
    "retries": _said("Whether a failed attempt counts as a call.", {"enum": ["fold", "count"]}),
    "parallel": _said(
        "Whether calls asked for together have an order.", {"enum": ["free", "ordered"]}
    ),
    "nested": _said(
        "Whether calls made inside other calls are judged.", {"enum": ["exclude", "include"]}
    ),
    "match": _said(
        "How arguments compare: {tool: {argument: matcher}}, or auto.",
        {"type": ["object", "string"]},
    ),
    "expected_final_state": _said(
        "Rows or documents that must be there in the end.", {"type": ["object", "array"]}
    ),
    "state": _said(
        "How the final state compares.",
        _closed(
            {
                "ignore": _said("Paths that are passed over.", _NAMES),
                "allow": _said("Paths that may change without being asked for.", _NAMES),
                "exact": _said("Whether the whole state must be as expected.", _FLAG),
                "match": _said("{path: matcher} for what is expected there.", _MAPPING),
                "keys": _said("{table: column or columns} that tell rows apart.", _MAPPING),
                "tolerance": _said(
                    "How far numbers may be apart.", {"type": ["number", "object"], "minimum": 0}
                ),
                "lists": _said(
                    "How lists that are no tables compare.", {"enum": ["align", "position", "set"]}
                ),
            }
        ),
    ),
    "success_check": _said("CEL over the final state, the response and the calls.", _NAME),
    "policies": {"type": "array", "items": {"$ref": "#/$defs/policy"}},
    "optimal_steps": _said("How many calls the shortest way takes.", _COUNT),
    "scenario": _said(
        "For simulated users.",
        _closed(
            {
                "persona": _said("Who the user is.", _ANY),
                "goal": _said("What the user wants.", _TEXT),
                "known_facts": _said("What the user knows and may tell at any time.", _ANY),
                "hidden_facts": _said("What the user tells only when asked.", _ANY),
                "rules": _said(
                    "What the user says to what, or, for a user who is a model, rules in words.",
                    {
                        "anyOf": [
                            _TEXT,
                            {
                                "type": "array",
                                "items": {"anyOf": [_TEXT, _closed(_RULE_KEYS, "when")]},
                                "minItems": 1,
                            },
                        ]
                    },
                ),
                "success": _said("When the user has what they want.", _ANY),
                "max_turns": _said(
                    "How many messages the user sends at most.", {"type": "integer", "minimum": 1}
                ),
            }
        ),
    ),
    "faults": _said(
        "Faults to inject into tools.", {"type": "array", "items": {"$ref": "#/$defs/fault"}}
    ),
    "approvals": _said(
        "Answers to calls that wait for a confirmation: a word for all, or by tool.",
        {
            "anyOf": [
                {"type": "string", "enum": ["approve", "decline"]},
                {"type": "object", "additionalProperties": {"$ref": "#/$defs/approval"}},
                {
                    "type": "array",
                    "items": _closed({"tool": _NAME, **_APPROVAL_KEYS}, "tool"),
                },
            ]
        },
    ),
    "tools": _said("The tools that may be used.", _TOOLS),
    "writes": _said("The tools that change the world.", _NAMES),
    "extensions": _said("Keys of other tools, carried along unread.", _MAPPING),
    **_EXPECTATIONS,
}
_SUITE: Schema = {
    "schema": {"const": SUITE_SCHEMA},
    "name": _NAME,
    "tools": _said("The tools: name to JSON Schema of the arguments, or a list.", _TOOLS),
    "writes": _said("The tools that change the world.", _NAMES),
    "defaults": _said(
        "Case keys for every case that does not state them.",
        _closed({name: shape for name, shape in _CASE.items() if name != "id"}),
    ),
    "checks": _said("Options of checks by key, for every case.", _CHECKS),
    "cases": {"type": "array", "items": {"$ref": "#/$defs/case"}, "minItems": 1},
    "metadata": _MAPPING,
    "extensions": _said("Keys of other tools, carried along unread.", _MAPPING),
}

SUITE_SHAPE: Schema = {
    "$schema": DRAFT,
    "title": SUITE_SCHEMA,
    "description": "A suite: named cases, the tools they may use, and what applies to all.",
    **_closed(_SUITE, "cases"),
    "$defs": {**_DEFS, "case": _closed(_CASE, "id")},
}

CASE_KEYS = tuple(Case.__struct_fields__)
SUITE_KEYS = ("schema", *Suite.__struct_fields__)
TURN_KEYS = tuple(Turn.__struct_fields__)
