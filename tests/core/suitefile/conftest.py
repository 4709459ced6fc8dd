"""A suite that has every key, and what reads a text as a suite file."""

from pathlib import Path

import pytest

from passhat.errors import SuiteError
from passhat.suitefile import read_suite
from passhat.suitefile.document import Document
from passhat.suitefile.files import fill

WHOLE = """\
schema: passhat.suite/1
name: support
metadata: {owner: billing}
tools:
  lookup_order: {type: object, properties: {order_id: {type: string}}}
  refund: {type: object, properties: {id: {type: string}, amount: {type: number}}}
  escalate:
writes: [refund]
defaults:
  mode: in_order
  tags: [shop]
checks:
  loops: {required: true}
cases:
  - id: refund_open
    input: Refund order A1, please.
    user: {name: Ada}
    tags: [happy path]
    metadata: {ticket: 7}
    trials: 3
    reference: anything
    initial_state: {orders: [{id: A1, status: open}]}
    expected_calls:
      - lookup_order
      - name: refund
        args: {id: A1, amount: 49.9}
        match: {amount: {number: {abs: 0.01}}, id: text}
        extra_args: forbid
        optional: false
      - [escalate, {name: lookup_order, optional: true}]
    counts: true
    retries: fold
    nested: exclude
    match: {refund: {id: auto}}
    before:
      - [lookup_order, refund]
      - [lookup_order, refund, {same: {lookup_order: order_id, refund: id}}]
      - [{name: lookup_order, args: {}}, {name: refund, where: "a.args.order_id == b.args.id"}]
    optional_calls: [escalate]
    forbidden_calls: [{name: refund, args: {amount: 1000}}]
    expected_final_state: {orders: [{id: A1, status: refunded}]}
    state: {ignore: [orders.updated], allow: [log], exact: true}
    response: {includes: [refunded, 49.9], excludes: sorry, matches: "A[0-9]", number: {value: 49.9, abs: 0.01}}
    success_check: refunds['A1'].amount == 49.9
    policies:
      - {name: no big refunds, deny: "call.name == 'refund' && call.args.amount > 100"}
      - {name: known order, require: "calls_before.exists(c, c.name == 'lookup_order')"}
    budget: {turns: 2, requests: 5, tool_calls: 4, tokens: 9000, cost: 0.5, seconds: 60}
    optimal_steps: 2
    requires_approval: true
    route: [refunds, billing]
    refuse: false
    clarify: false
    scenario: {persona: hurried, goal: a refund, known_facts: {order: A1}, rules: [be brief], max_turns: 6}
    faults: [{tool: refund, fault: timeout, when: {first: 2, rate: 0.5}, expect: retry}]
    approvals: [{tool: refund, decision: edit, args: {amount: 5}}]
    checks: {trajectory: {at_least: 1, required: true}, budget: }
    extensions: {tracker: 12}
  - id: chat
    turns:
      - Hello
      - input: Refund everything.
        refuse: true
        expected_calls: []
        forbidden_calls: [refund]
        requires_approval: [refund]
"""


@pytest.fixture
def whole() -> str:
    return WHOLE


@pytest.fixture(scope="session")
def whole_value():
    document = Document()
    fill(document, WHOLE.encode(), "yaml")
    return document.value


@pytest.fixture
def suite_file(tmp_path: Path):
    """Writes a text to a file and gives its path."""

    def written(text: str, name: str = "support.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture
def faults_of(suite_file):
    """The faults of a text, a line each, with the file's bare name."""

    def told(text: str, name: str = "support.yaml", **options) -> list[str]:
        path = suite_file(text, name)
        with pytest.raises(SuiteError) as caught:
            read_suite(path, **options)
        return [line.replace(f"{path.parent}/", "") for line in str(caught.value).splitlines()]

    return told
