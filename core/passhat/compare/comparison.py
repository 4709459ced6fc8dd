"""A comparison of two runs: a frozen struct, and its file form `passhat.comparison/1`."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, field

from passhat.compare.estimating import Estimate, Pairing
from passhat.compare.pins import PinChange
from passhat.compare.sharing import Sharing
from passhat.reliability.wording import counted, share_text

COMPARISON_SCHEMA = "passhat.comparison/1"

Verdict: TypeAlias = Literal["better", "worse", "unclear"]
CaseKind: TypeAlias = Literal["broke", "healed", "noise"]


class Change(Struct, frozen=True):
    """What differs in one metric.

    Attributes:
        metric: Its name, as in policies.
        base: Its value in the first run.
        new: Its value in the second.
        difference: The second less the first.
        interval: Both ends of the difference's confidence interval; None where there are too few
            cases for one.
        cases: The cases it rests on: those of both runs, or of the second where they are unpaired.
        p: Two-sided, that there is no difference but chance; None where no test was made.
        p_adjusted: The same, corrected for the number of metrics or tags looked at.
        verdict: `better` or `worse` where the (corrected) p is below 1 less the confidence.
    """

    metric: str
    base: float
    new: float
    difference: float
    interval: tuple[float, float] | None
    cases: int
    p: float | None = None
    p_adjusted: float | None = None
    verdict: Verdict = "unclear"


class CaseChange(Struct, frozen=True):
    """A case that passed more or less often than before.

    Attributes:
        case_id: The case.
        kind: `broke` or `healed` where its own trials show it, corrected for the number of cases;
            else `noise`: a change that chance alone explains.
        base: Trials that count, and passes, in the first run.
        new: The same in the second.
        p: Fisher's exact two-sided p.
        p_adjusted: Corrected for the number of cases that could show a change.
    """

    case_id: str
    kind: CaseKind
    base: tuple[int, int]
    new: tuple[int, int]
    p: float
    p_adjusted: float


class CasesChanged(Struct, frozen=True):
    """McNemar's exact test over cases, each taken as passing where most of its trials pass.

    Attributes:
        broke: Cases that mostly passed before, and mostly fail now.
        healed: Cases that mostly failed before, and mostly pass now.
        ties: Cases left out, for half of their trials pass in one run.
        p: Two-sided, that breaking and healing are equally likely.
    """

    broke: int
    healed: int
    ties: int
    p: float


class Comparison(Struct, frozen=True, kw_only=True):
    """Two runs compared.

    Attributes:
        base: What the first run is called.
        new: What the second run is called.
        pairing: `paired` by case, or `unpaired`.
        estimate: What the intervals are of: `kind-of-cases` or `these-cases`.
        confidence: Their level.
        correction: For looking at many tags, checks and measures: `holm` or `bh`.
        sharing: Which cases were compared, and which were not.
        pins: The pins that the runs do not share.
        trials: Trials that count, on the compared cases, in either run.
        left_out: Attempts that do not count, in either run.
        success: The success rate.
        mcnemar: Cases that broke against cases that healed; None where they are unpaired.
        pass_hat_k: pass^k, for each k that all cases allow, from 2 on.
        checks: Each check's share of trials in which it held.
        efficiency: What successful trials took.
        tags: The success rate by tag.
        cases: The cases that changed: broken ones, healed ones, then noise, the largest first.
        unchanged: How many cases did not change.
        notes: What a reader should know before trusting the numbers.
    """

    base: str
    new: str
    pairing: Pairing
    estimate: Estimate
    confidence: float
    correction: str
    sharing: Sharing
    pins: tuple[PinChange, ...] = ()
    trials: tuple[int, int] = (0, 0)
    left_out: tuple[int, int] = (0, 0)
    success: Change
    mcnemar: CasesChanged | None = None
    pass_hat_k: tuple[Change, ...] = ()
    checks: tuple[Change, ...] = ()
    efficiency: tuple[Change, ...] = ()
    tags: dict[str, Change] = field(default_factory=dict)
    cases: tuple[CaseChange, ...] = ()
    unchanged: int = 0
    notes: tuple[str, ...] = ()

    def of_kind(self, kind: CaseKind) -> tuple[CaseChange, ...]:
        """The cases that broke, that healed, or that chance explains."""
        return tuple(case for case in self.cases if case.kind == kind)

    @property
    def sentence(self) -> str:
        """The comparison in a sentence."""
        change = self.success
        moved = points(change.difference)
        ends = f" ({interval_points(change.interval)})" if change.interval else ""
        numbers = f"{share_text(change.base)} -> {share_text(change.new)}, {moved}{ends}"
        cases = counted(change.cases, "case")
        over = f"over {cases}" if self.pairing == "paired" else f"on cases of its own ({cases})"
        if change.verdict == "unclear":
            return f"No difference is shown: success {numbers}, {over}."
        word = "Better" if change.verdict == "better" else "Worse"
        return f"{word}: success {numbers}, {over}."

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON values, `passhat.comparison/1`."""
        values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return {"schema": COMPARISON_SCHEMA, **values}

    def __str__(self) -> str:
        return "\n".join((self.sentence, *self.notes))


def points(value: float) -> str:
    """A difference of shares in points, with its sign.

    >>> points(-0.052), points(0.0)
    ('-5.2 points', '0.0 points')
    """
    text = f"{100 * value:+.1f}"
    return f"{'0.0' if text in ('+0.0', '-0.0') else text} points"


def interval_points(ends: tuple[float, float]) -> str:
    """The ends of a difference in points.

    >>> interval_points((-0.0812, 0.013))
    '-8.1 to +1.3'
    """
    low, high = (f"{100 * end:+.1f}" for end in ends)
    return f"{low} to {high}"
