"""The canonical cases: each key of a case and of a suite, with something in it that can be lost."""

from __future__ import annotations

from typing import Any

from passhat.case import Case, Suite
from passhat.suitefile import suite_from

_CALL = {"name": "lookup_order", "args": {"order_id": "A1"}}
_REFUND = {"name": "issue_refund", "args": {"order_id": "A1", "amount": 49.9}}
_STATE = {"orders": {"A1": {"status": "open", "total": 49.9, "note": None}}}
_TOOLS = {
    "lookup_order": {"type": "object", "properties": {"order_id": {"type": "string"}}},
    "issue_refund": {
        "type": "object",
        "properties": {"order_id": {"type": "string"}, "amount": {"type": "number"}},
        "required": ["order_id"],
    },
    "delete_order": {"type": "object"},
}

_CASES: dict[str, dict[str, Any]] = {
    "id": {"id": "refund: Größe 1/2 ✓"},
    "input": {"input": {"question": "Where is A1?", "urgent": True, "tries": 0}},
    "input_text": {"input": "Where is order A1?\n  It is late — été 🙂"},
    "input_messages": {
        "input": [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "Where is A1?"},
        ]
    },
    "turns": {
        "turns": [
            {"input": "Where is A1?", "expected_calls": [_CALL], "mode": "exact"},
            {"input": "Thanks.", "expected_calls": [], "response": {"includes": ["welcome"]}},
        ]
    },
    "user": {"user": {"name": "Ann", "vip": False}},
    "tags": {"tags": ["refunds", "a b", "été"]},
    "metadata": {"metadata": {"owner": "ann", "since": 2024, "deep": {"list": [1, None, "x"]}}},
    "trials": {"trials": 7},
    "reference": {"reference": {"answer": "It has shipped.", "sources": ["A1"]}},
    "reference_text": {"reference": "It has shipped."},
    "initial_state": {"initial_state": _STATE},
    "expected_calls": {
        "expected_calls": [
            "lookup_order",
            {**_REFUND, "match": {"amount": {"number": {"abs": 0.01}}}, "extra_args": "forbid"},
            [{"name": "notify", "optional": True}, _CALL],
        ]
    },
    "expected_calls_none": {"expected_calls": []},
    "mode": {"expected_calls": [_CALL, _REFUND], "mode": "in_order"},
    "mode_exact": {"expected_calls": [_CALL, _REFUND], "mode": "exact"},
    "mode_unordered": {"expected_calls": [_CALL, _REFUND], "mode": "unordered"},
    "mode_superset": {"expected_calls": [_CALL, _REFUND], "mode": "superset"},
    "mode_subset": {"expected_calls": [_CALL, _REFUND], "mode": "subset"},
    "counts": {"expected_calls": [_CALL], "counts": False},
    "retries": {"expected_calls": [_CALL], "mode": "exact", "retries": "count"},
    "parallel": {"expected_calls": [_CALL, _REFUND], "mode": "in_order", "parallel": "ordered"},
    "nested": {"expected_calls": [_CALL], "nested": "include"},
    "match": {"expected_calls": [_CALL], "match": {"lookup_order": {"order_id": "text"}}},
    "before": {"before": [["lookup_order", _REFUND]]},
    "optional_calls": {"expected_calls": [_CALL], "optional_calls": ["notify"]},
    "forbidden_calls": {"forbidden_calls": ["delete_order", _REFUND]},
    "expected_final_state": {"expected_final_state": {"orders": {"A1": {"status": "refunded"}}}},
    "state": {
        "expected_final_state": {"orders": {"A1": {"status": "refunded"}}},
        "state": {"ignore": ["orders.updated_at"], "exact": True},
    },
    "response": {"response": {"includes": ["shipped"], "excludes": ["sorry"], "matches": "A\\d"}},
    "response_must_include": {"response_must_include": ["shipped", "A1"]},
    "success_check": {"success_check": "size(calls) == 1 && response.contains('A1')"},
    "policies": {"policies": [{"name": "no refunds", "deny": "call.name == 'issue_refund'"}]},
    "budget": {"budget": {"tool_calls": 3, "seconds": 9.5}},
    "optimal_steps": {"optimal_steps": 2},
    "requires_approval": {"requires_approval": ["issue_refund"]},
    "route": {"route": ["refunds", "orders"]},
    "refuse": {"refuse": True},
    "clarify": {"clarify": True},
    "scenario": {
        "scenario": {"persona": "hurried", "goal": "a refund of A1", "known_facts": ["order A1"]}
    },
    "faults": {"faults": [{"tool": "lookup_order", "fault": "timeout"}]},
    "approvals": {"approvals": "decline"},
    "checks": {
        "expected_calls": [_CALL],
        "checks": {"tool_call_f1": {"at_least": 0.8}, "error_rate": {"at_most": 0.25}},
    },
    "tools": {"tools": _TOOLS},
    "writes": {"tools": _TOOLS, "writes": ["issue_refund"]},
    "extensions": {"extensions": {"shop": {"ticket": [1, {"x": None}]}}},
    "everything": {
        "input": "Refund A1, please.",
        "tags": ["refunds"],
        "metadata": {"owner": "ann"},
        "trials": 3,
        "reference": "A1 is refunded.",
        "initial_state": _STATE,
        "expected_calls": [_CALL, _REFUND],
        "mode": "in_order",
        "before": [["lookup_order", "issue_refund"]],
        "forbidden_calls": ["delete_order"],
        "expected_final_state": {"orders": {"A1": {"status": "refunded"}}},
        "response": {"includes": ["refunded"]},
        "budget": {"tool_calls": 3},
        "checks": {"loops": {"required": True}},
        "extensions": {"shop": {"ticket": 7}},
    },
}


def _case(name: str, stated: dict[str, Any]) -> Case:
    given = {} if stated.keys() & {"input", "turns", "scenario"} else {"input": f"Do {name}."}
    value = {"name": "canonical", "cases": [{"id": name, **given, **stated}]}
    return suite_from(value).cases[0]


CANONICAL_CASES: dict[str, Case] = {name: _case(name, stated) for name, stated in _CASES.items()}
"""A case for each key that a case may have, under the name of the key, and some for what the key
may hold: `input_messages`, `mode_subset`, `everything`."""

CANONICAL_SUITE: Suite = suite_from(
    {
        "name": "canonical",
        "tools": _TOOLS,
        "writes": ["issue_refund"],
        "defaults": {"trials": 4, "forbidden_calls": ["delete_order"]},
        "checks": {"loops": {"required": True}},
        "metadata": {"owner": "ann", "version": 3},
        "extensions": {"shop": {"ticket": 7}},
        "cases": [
            {"id": "first", "input": "Where is A1?", "expected_calls": [_CALL]},
            {"id": "second", "input": "Refund A1.", "expected_calls": [_REFUND], "trials": 2},
        ],
    }
)
"""A suite with each key that a suite may have, and two cases."""
