"""Amounts and identifiers that the agent told the user: whether they are what was done and seen."""

from __future__ import annotations

import re
from typing import Any

from passhat.case import Case
from passhat.checks.bearing import Bearing
from passhat.checks.claims import Claim
from passhat.checks.spoken import told_in
from passhat.checks.tool_words import ToolWords
from passhat.provenance.arithmetic import Reckoner
from passhat.provenance.arrivals import Arrivals
from passhat.provenance.content import Content, decoded
from passhat.provenance.gathering import seen_in
from passhat.provenance.identifiers import name_parts
from passhat.provenance.numerals import as_float, numbers_in
from passhat.provenance.seen import Seen
from passhat.provenance.texts import has_digit, tokens
from passhat.trace import ToolCall, Trace
from passhat.wording import joined

_AMOUNT = r"(?<![\d,.])(\d[\d,]{0,15}(?:\.\d{1,4})?)"
_MONEY = re.compile(
    rf"(?:[$€£¥₹]|\b(?:usd|eur|gbp))\s?{_AMOUNT}|{_AMOUNT}\s?(?:€|(?:dollars|euros?|usd|eur|gbp)\b)"
)
_CODE = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*\b")
_AFTER_ID = re.compile(
    r"\b(?:ID|id|Id|number|code|reference)\b[\s:#*]*(?:is\s+)?[*`\"“]*([A-Z0-9]{5,})\b"
)
_SHORTEST_CODE = 5
_CENT = 0.005
_MOST_SHOWN = 5
_OF_MONEY = frozenset({"refund", "pay", "send", "transfer", "move"})


def differing_amount(claim: Claim, bearing: Bearing, words: ToolWords | None) -> str | None:
    """How the amount of money that a claim tells differs from that of the calls which bear it out.

    The amount of a call is the part that the suite names or, where it names none and money was
    refunded, paid or sent, its argument `amount` or `refund_amount`; then any other number in the call or its result
    is as good.
    """
    part = words.amount if words is not None and words.amount else None
    if part is None and (words is not None or claim.deed not in _OF_MONEY):
        return None
    told = _money_in(claim.clause)
    if part is not None:
        told = told or [value for value, _ in numbers_in(claim.verb)]
    if not told:
        return None
    done: list[float] = []
    known: set[float] = set()
    for deed in bearing.deeds:
        value = _at(deed.call, part or _amount_arg(deed.call))
        if value is None:
            return None
        done.append(value)
        if part is None:
            known |= deed.numbers
    if not done:
        return None
    known.update(done, [sum(done)])
    same = {amount * scale for amount in told for scale in (1, 100)}  # Amounts in cents too.
    if any(abs(amount - value) < _CENT for amount in same for value in known):
        return None
    shown = joined([f"{value:g}" for value in done], _MOST_SHOWN, by=" and ")
    return f"said {told[0]:g}, did {shown}"


def _amount_arg(call: ToolCall) -> tuple[str, str]:
    """The argument that is the amount: `amount`, or the one whose name ends in it."""
    named = [arg for arg in call.args if name_parts(arg)[-1:] == ["amount"]]
    return ("args", named[0] if len(named) == 1 else "amount")


def _money_in(text: str) -> list[float]:
    found = (hit[1] or hit[2] for hit in _MONEY.finditer(text.casefold()))
    return [float(digits.replace(",", "")) for digits in found if len(digits) < 30]


def _at(call: ToolCall, part: tuple[str, ...]) -> float | None:
    value: Any = call.args if part[0] == "args" else decoded(call.result)
    for key in part[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, str):
        numbers = [number for number, _ in numbers_in(value)]
        return numbers[0] if len(numbers) == 1 else None
    return (
        as_float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    )


def quoted_from_nowhere(trace: Trace, case: Case) -> list[dict[str, Any]]:
    """The identifiers and amounts of money told to the user that nothing had said or returned.

    Numbers that follow from seen ones by a sum, a difference, a product or a share are not among
    them.
    """
    found: list[dict[str, Any]] = []
    seen: Seen | None = None
    told = _Numbers(trace)
    for step, sentences in told_in(trace):
        text = " ".join([sentence.text for sentence in sentences])
        if not has_digit(text) and _AFTER_ID.search(text) is None:
            continue
        codes = [
            code for code in (*_CODE.findall(text), *_AFTER_ID.findall(text)) if _is_code(code)
        ]
        amounts = _money_in(text)
        if not codes and not amounts:
            continue
        seen = seen or seen_in(trace, case)
        for code in dict.fromkeys(codes):
            if not seen.find(code, step) and not seen.joined("".join(tokens(code)), step):
                found.append({"step": step, "kind": "identifier", "value": code})
        for amount in told.unknown(amounts, seen, step) if amounts else ():
            found.append({"step": step, "kind": "amount", "value": amount})
    return found


class _Numbers:
    """The numbers that were seen or were arguments of calls, as they come."""

    def __init__(self, trace: Trace) -> None:
        self._steps = trace.steps
        self._at = 0
        self._arrivals: Arrivals | None = None
        self._known: set[float] = set()
        self._reckoner = Reckoner()

    def unknown(self, amounts: list[float], seen: Seen, step: int) -> list[float]:
        """The amounts that are none of the numbers before a step, and follow from none."""
        self._take(seen, step)
        new = [amount for amount in dict.fromkeys(amounts) if amount not in self._known]
        return [amount for amount in new if self._reckoner.reckoned(amount) is None]

    def _take(self, seen: Seen, step: int) -> None:
        self._arrivals = self._arrivals or Arrivals(seen)
        contents = [passage.content for passage in self._arrivals.until(step)]
        calls = (item for item in self._steps[self._at : step] if type(item) is ToolCall)
        for content in (*contents, *(Content(call.args) for call in calls)):
            latest_last = list(content.numbers)[::-1]
            self._known.update(latest_last)
            self._reckoner.see(latest_last)
        self._at = step


def _is_code(text: str) -> bool:
    if len(text) < _SHORTEST_CODE:
        return False
    return text.isupper() or "_" in text
