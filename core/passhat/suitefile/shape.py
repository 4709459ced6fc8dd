"""The shape of a suite file as JSON Schema: which keys there are, and what kind of value each has."""

from __future__ import annotations

from passhat.case import SUITE_SCHEMA
from passhat.suitefile.shapeparts import (
    ANY,
    BOUND,
    COUNT,
    FLAG,
    INCLUDED,
    MAPPING,
    MODE,
    NAME,
    NAMES,
    SHARE,
    TEXT,
    TEXTS,
    Schema,
    closed,
    said,
)
from passhat.suitefile.worldshape import SURROUNDING_DEFS, SURROUNDINGS

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_EXPECTED_CALL_KEYS: Schema = {
    "name": said("The tool.", NAME),
    "args": said("Arguments that must be there; left out, any will do.", MAPPING),
    "match": said(
        "How arguments compare: {argument: matcher}, or one for all (auto: by the tool's schema).",
        {"type": ["object", "string"]},
    ),
    "extra_args": said("Whether further arguments are allowed.", {"enum": ["allow", "forbid"]}),
    "optional": said("Whether the call may be left out.", FLAG),
}
_JOIN_KEYS: Schema = {
    "same": said(
        "Joins the two calls: an argument of both, or {tool: argument} of each.",
        {"anyOf": [NAME, {"type": "object", "additionalProperties": NAME}]},
    ),
    "where": said("CEL over the two calls, `a` and `b`.", NAME),
}
_EXPECTED_CALL = {"$ref": "#/$defs/expected_call"}
_INPUT: Schema = {
    "anyOf": [
        TEXT,
        MAPPING,
        {"type": "array", "items": {"type": "object", "required": ["role"]}},
        {"type": "null"},
    ]
}

_DEFS: Schema = {
    **SURROUNDING_DEFS,
    "expected_call": {"anyOf": [NAME, closed(_EXPECTED_CALL_KEYS, "name")]},
    "before": {
        "type": "array",
        "minItems": 2,
        "maxItems": 3,
        "prefixItems": [{"$ref": "#/$defs/side"}, {"$ref": "#/$defs/side"}, closed(_JOIN_KEYS)],
    },
    "side": {"anyOf": [NAME, closed({**_EXPECTED_CALL_KEYS, **_JOIN_KEYS}, "name")]},
    "check": {
        "type": ["object", "null"],
        "properties": {
            "at_least": said("Passes from this score on.", SHARE),
            "at_most": said("Passes up to this score.", SHARE),
            "required": said("Whether the trial's status depends on it.", FLAG),
            "mode": said("Of a check that has one, instead of the case's.", MODE),
        },
    },
    "policy": closed(
        {
            "name": NAME,
            "deny": said("CEL that may hold of no call.", NAME),
            "require": said("CEL that must hold of each call.", NAME),
        },
        "name",
        oneOf=[{"required": ["deny"]}, {"required": ["require"]}],
    ),
    "tool": {
        "anyOf": [
            NAME,
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
_LABELS: Schema = {"anyOf": [NAME, {"type": "array", "items": NAME, "minItems": 1}]}

_EXPECTATIONS: Schema = {
    "expected_calls": said(
        "The calls expected; a list inside the list is a group in any order.",
        {
            "type": "array",
            "items": {
                "anyOf": [
                    NAME,
                    closed(_EXPECTED_CALL_KEYS, "name"),
                    {"type": "array", "items": _EXPECTED_CALL},
                ]
            },
        },
    ),
    "mode": said("How the actual calls relate to the expected ones.", MODE),
    "before": said(
        "Pairs [A, B]: A before B.", {"type": "array", "items": {"$ref": "#/$defs/before"}}
    ),
    "optional_calls": said("Tools that never count against a run.", NAMES),
    "forbidden_calls": said(
        "Calls that must not be made.", {"type": "array", "items": _EXPECTED_CALL}
    ),
    "response": said(
        "What the final answer must and must not say.",
        closed(
            {
                "includes": said("What it has to include.", INCLUDED),
                "excludes": said("What it may not include.", INCLUDED),
                "equals": said("The whole of it: a text, or a JSON value.", ANY),
                "matches": said("Patterns to be found in it.", TEXTS),
                "json": said(
                    "The JSON it is: true for any, {equals, contains, schema}, or keys it has.",
                    ANY,
                ),
                "number": said(
                    "A number that it holds, within a tolerance.",
                    {
                        "anyOf": [
                            {"type": "number"},
                            closed(
                                {"value": {"type": "number"}, "abs": BOUND, "rel": BOUND}, "value"
                            ),
                        ]
                    },
                ),
            }
        ),
    ),
    "response_must_include": said("Short for response: {includes: ...}.", INCLUDED),
    "budget": said(
        "Upper bounds.",
        closed(
            dict.fromkeys(("turns", "requests", "tool_calls", "tokens", "cost", "seconds"), BOUND)
        ),
    ),
    "requires_approval": said(
        "Tools that need a confirmation first; true means all of `writes`.",
        {"anyOf": [FLAG, NAMES]},
    ),
    "route": said("The label, or labels, that the task belongs to.", _LABELS),
    "refuse": said("Whether the agent should refuse.", FLAG),
    "clarify": said("Whether the agent should ask before it acts.", FLAG),
    "checks": said("Options of checks by key.", _CHECKS),
}
_STATE: Schema = closed(
    {
        "ignore": said("Paths that are passed over.", NAMES),
        "allow": said("Paths that may change without being asked for.", NAMES),
        "exact": said("Whether the whole state must be as expected.", FLAG),
        "match": said("{path: matcher} for what is expected there.", MAPPING),
        "keys": said("{table: column or columns} that tell rows apart.", MAPPING),
        "tolerance": said(
            "How far numbers may be apart.", {"type": ["number", "object"], "minimum": 0}
        ),
        "lists": said(
            "How lists that are no tables compare.", {"enum": ["align", "position", "set"]}
        ),
    }
)
_TURN: Schema = {"input": said("What the user says.", _INPUT), **_EXPECTATIONS}
_CASE: Schema = {
    "id": said("The case's id, unique in its suite.", NAME),
    "input": said("What the agent is given: text, messages, or a mapping.", _INPUT),
    "turns": said(
        "The turns of a conversation; a bare text is what the user says.",
        {"type": "array", "items": {"anyOf": [TEXT, closed(_TURN)]}, "minItems": 1},
    ),
    "user": ANY,
    "tags": said("Labels to group by.", NAMES),
    "metadata": MAPPING,
    "trials": said("How many attempts to make.", {"type": "integer", "minimum": 1}),
    "reference": said("Any JSON to compare with by hand or by a judge.", ANY),
    "initial_state": said(
        "The state before: tables or documents, or a path relative to the suite file.",
        {"type": ["object", "array", "string"], "minLength": 1},
    ),
    "counts": said("False compares as sets: a repeat is no extra.", FLAG),
    "retries": said("Whether a failed attempt counts as a call.", {"enum": ["fold", "count"]}),
    "parallel": said(
        "Whether calls asked for together have an order.", {"enum": ["free", "ordered"]}
    ),
    "nested": said(
        "Whether calls made inside other calls are judged.", {"enum": ["exclude", "include"]}
    ),
    "match": said(
        "How arguments compare: {tool: {argument: matcher}}, or auto.",
        {"type": ["object", "string"]},
    ),
    "expected_final_state": said(
        "Rows or documents that must be there in the end.", {"type": ["object", "array"]}
    ),
    "state": said("How the final state compares.", _STATE),
    "success_check": said("CEL over the final state, the response and the calls.", NAME),
    "policies": {"type": "array", "items": {"$ref": "#/$defs/policy"}},
    "optimal_steps": said("How many calls the shortest way takes.", COUNT),
    **SURROUNDINGS,
    "tools": said("The tools that may be used.", _TOOLS),
    "writes": said("The tools that change the world.", NAMES),
    "extensions": said("Keys of other tools, carried along unread.", MAPPING),
    **_EXPECTATIONS,
}
_SUITE: Schema = {
    "schema": {"const": SUITE_SCHEMA},
    "name": NAME,
    "tools": said("The tools: name to JSON Schema of the arguments, or a list.", _TOOLS),
    "writes": said("The tools that change the world.", NAMES),
    "defaults": said(
        "Case keys for every case that does not state them.",
        closed({name: shape for name, shape in _CASE.items() if name != "id"}),
    ),
    "checks": said("Options of checks by key, for every case.", _CHECKS),
    "cases": {"type": "array", "items": {"$ref": "#/$defs/case"}, "minItems": 1},
    "metadata": MAPPING,
    "extensions": said("Keys of other tools, carried along unread.", MAPPING),
}

SUITE_SHAPE: Schema = {
    "$schema": DRAFT,
    "title": SUITE_SCHEMA,
    "description": "A suite: named cases, the tools they may use, and what applies to all.",
    **closed(_SUITE, "cases"),
    "$defs": {**_DEFS, "case": closed(_CASE, "id")},
}
