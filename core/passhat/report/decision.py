"""A gate's decision, told to people."""

from __future__ import annotations

from collections.abc import Iterator

from passhat.gate import Decision, Outcome
from passhat.gate.decision import MARKS, Verdict
from passhat.reliability.wording import asked_percent, counted
from passhat.report.blocks import Block, Heading, Item, Note
from passhat.report.harmless import cut
from passhat.report.tables import Tone

_TONES: dict[Verdict, Tone] = {"accept": "good", "reject": "bad", "inconclusive": "mixed"}
_ESTIMATES = {
    "kind-of-cases": "the kind of cases these stand for",
    "these-cases": "these cases",
}
_LONGEST_RUN = 500
_LONGEST_NOTE = 1_000


def decision_blocks(decision: Decision) -> list[Block]:
    """The decision: its verdict in words, what was asked, each rule with its numbers, and notes."""
    tone = "mixed" if decision.accepted and decision.warnings else _TONES[decision.verdict]
    blocks: list[Block] = [
        Heading(decision.sentence, tone),
        Note(" · ".join(_asked(decision))),
    ]
    blocks += [_rule(rule) for rule in decision.rules]
    blocks += [Note(cut(note, _LONGEST_NOTE)) for note in (*_pins(decision), *decision.notes)]
    blocks.append(Note(f"errors: {decision.family}"))
    return blocks


def _asked(decision: Decision) -> Iterator[str]:
    if decision.policy:
        yield f"policy {decision.policy}"
    yield f"estimates {_ESTIMATES[decision.estimate]}"
    if decision.baseline is not None:
        on = f" on {counted(decision.shared, 'shared case')}" if decision.shared else ""
        yield f"against {decision.baseline}{on}"
    yield ", ".join(f"{count:,} {status}" for status, count in decision.ledger.items() if count)
    if decision.verdict == "inconclusive" and not decision.exit_code:
        yield "only warns"


def _pins(decision: Decision) -> Iterator[str]:
    for change in decision.pins:
        if change.base and change.new:
            yield f"varied: {change}"


def _rule(rule: Outcome) -> Item:
    below = [rule.reason, *(cut(run, _LONGEST_RUN) for run in rule.runs)]
    if rule.settling is not None:
        below.append(f"to settle it: {rule.settling.words}")
    warns = " (warns)" if rule.severity == "warn" else ""
    sure = (
        f", at {asked_percent(rule.confidence)}" if rule.kind == "soft" and rule.confidence else ""
    )
    tone: Tone = _TONES[rule.verdict]
    if rule.severity == "warn" and rule.verdict == "reject":
        tone = "mixed"
    return Item(
        MARKS[rule.verdict],
        f"{rule.rule}{warns}{sure if not rule.interval else ''}",
        tuple(below),
        tone,
    )
