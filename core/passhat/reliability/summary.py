"""What many trials come to: a frozen summary, and its file form `passhat.summary/1`."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct, field

from passhat.reliability.efficiency import Efficiency
from passhat.reliability.faulted import FaultSummary
from passhat.reliability.labels import LabelTable, Refusals
from passhat.reliability.ledger import LeftOut, Sensitivity, Unread
from passhat.reliability.parting import ToolParting
from passhat.reliability.rates import CheckCounts, Rate
from passhat.reliability.wording import counted, percent

SUMMARY_SCHEMA = "passhat.summary/1"


class PartingPoint(Struct, frozen=True):
    """One way in which a case's runs differ from what was expected.

    Attributes:
        kind: `missing` (no such call), `wrong_argument`, `extra` (a call too many), `forbidden`,
            or `order` (the right calls in the wrong order).
        tool: The tool; empty for `order`.
        arg: The argument, for `wrong_argument`.
        failed: In how many of the case's failed trials.
        passed: In how many of its passed trials.
    """

    kind: str
    tool: str
    arg: str | None
    failed: int
    passed: int


class CaseSummary(Struct, frozen=True):
    """What the trials of one case come to.

    Attributes:
        case_id: The case.
        n: Trials that count: passed, failed and agent_error.
        c: Those that passed.
        left_out: The trials that do not count, by status.
        pass_hat_k: The case's own pass^k, for each k that its n allows.
        tool_calls: Calls a trial, on average; None where no trial says.
        tool_errors: Calls that failed, over all its trials.
        failure_classes: How its failed trials failed, most frequent first.
        compared: Trials whose calls were compared with expected ones.
        parting: Where the calls of its failed trials part from the expected ones, most telling
            first.
        tags: Its labels.
    """

    case_id: str
    n: int
    c: int
    left_out: dict[str, int] = field(default_factory=dict)
    pass_hat_k: dict[int, float] = field(default_factory=dict)
    tool_calls: float | None = None
    tool_errors: int = 0
    failure_classes: dict[str, int] = field(default_factory=dict)
    compared: int = 0
    parting: tuple[PartingPoint, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def flaky(self) -> bool:
        """Whether some of its trials passed and some did not."""
        return 0 < self.c < self.n


class TagSummary(Struct, frozen=True):
    """What the trials that bear one label come to.

    Attributes:
        cases: Cases with a trial that counts.
        n: Trials that count.
        c: Those that passed.
        pass_hat_k: pass^k over those cases, for each k that all of them allow.
    """

    cases: int
    n: int
    c: int
    pass_hat_k: dict[int, float]


class Intervals(Struct, frozen=True):
    """Confidence intervals `(low, high)` by k, with the cases as the sampling unit."""

    pass_hat_k: dict[int, tuple[float, float]] = field(default_factory=dict)
    pass_at_k: dict[int, tuple[float, float]] = field(default_factory=dict)


class Summary(Struct, frozen=True, kw_only=True):
    """What many trials come to.

    Attributes:
        about: What was summarised: `source`, `format`, `judged_by`, `stopped`, where known.
        trials: All trials, those left out included.
        pass_hat_k: By k, the chance that all of k attempts at a case pass, 0 to 1, the mean over
            cases; empty where nothing could be judged.
        pass_at_k: By k, the chance that at least one of k attempts passes.
        intervals: Confidence intervals of both.
        confidence: Their level.
        method: How they were made.
        ledger: Trials by status; `passed`, `failed` and `agent_error` count in n, the rest is left
            out.
        sensitivity: What pass^k would be, had all that was left out failed, or passed.
        cases: The cases: flaky ones first, then those that never pass, then those that always do.
        checks: What each check said, over the trials that ran.
        rates: Pooled rates with their numerators and denominators, over the trials that ran.
        efficiency: What successful trials took.
        failure_classes: How trials failed, most frequent first.
        tools: Tool by tool, where the calls part from the expected ones, worst first.
        tool_confusion: Which tool was called where another was expected.
        routing: Which route was taken where another was expected.
        refusals: Refusals too many and too few.
        faults: What faults of tools came to, where some struck.
        tags: The same numbers by label.
        left_out: The trials that do not count, by why.
        unread: Recorded attempts that could not be read.
        notes: What a reader should know before trusting the numbers.
    """

    about: dict[str, str] = field(default_factory=dict)
    trials: int = 0
    pass_hat_k: dict[int, float] = field(default_factory=dict)
    pass_at_k: dict[int, float] = field(default_factory=dict)
    intervals: Intervals = field(default_factory=Intervals)
    confidence: float = 0.95
    method: str = "auto"
    ledger: dict[str, int] = field(default_factory=dict)
    sensitivity: Sensitivity = field(default_factory=Sensitivity)
    cases: tuple[CaseSummary, ...] = ()
    checks: dict[str, CheckCounts] = field(default_factory=dict)
    rates: dict[str, Rate] = field(default_factory=dict)
    efficiency: Efficiency = field(default_factory=Efficiency)
    failure_classes: dict[str, int] = field(default_factory=dict)
    tools: tuple[ToolParting, ...] = ()
    tool_confusion: LabelTable | None = None
    routing: LabelTable | None = None
    refusals: Refusals | None = None
    faults: FaultSummary | None = None
    tags: dict[str, TagSummary] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    unread: Unread = field(default_factory=Unread)
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """The trials that count."""
        return sum(case.n for case in self.cases)

    @property
    def c(self) -> int:
        """Those that passed."""
        return sum(case.c for case in self.cases)

    @property
    def counted_cases(self) -> tuple[CaseSummary, ...]:
        """The cases with a trial that counts."""
        return tuple(case for case in self.cases if case.n)

    @property
    def judged(self) -> bool:
        """Whether every attempt was read and judged: nothing was left out, and there was one."""
        return self.n > 0 and self.sensitivity.left_out == 0

    @property
    def runs(self) -> int:
        """The recorded attempts, those that could not be read included."""
        return self.trials - self.ledger.get("not_run", 0) + self.unread.count

    @property
    def cases_with_runs(self) -> int:
        """The cases of which at least one attempt is recorded."""
        return sum(bool(case.n or case.left_out.keys() - {"not_run"}) for case in self.cases)

    @property
    def not_run(self) -> str:
        """How many cases have no run, in words; empty where each has one."""
        trials, without = self.ledger.get("not_run", 0), len(self.cases) - self.cases_with_runs
        if not trials:
            return ""
        if trials > without:
            return f"{counted(trials, 'trial')} never ran"
        return f"{counted(without, 'case')} {'has' if without == 1 else 'have'} no run"

    @property
    def unjudged(self) -> str:
        """How many runs could not be judged and how many cases have none, in words."""
        told = [self.not_run] if self.not_run else []
        if left_out := self.runs - self.n:
            told.insert(0, f"{left_out:,} of {counted(self.runs, 'run')} could not be judged")
        return ", ".join(told)

    @property
    def verdict(self) -> str:
        """The summary in a sentence, and in a second one how many runs could not be judged."""
        unjudged = self.unjudged if self.n else ""
        return f"{_verdict(self)} {unjudged}." if unjudged else _verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON values, `passhat.summary/1`."""
        values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return {"schema": SUMMARY_SCHEMA, **values}

    def __str__(self) -> str:
        lines = [self.verdict]
        for k, value in self.pass_hat_k.items():
            low, high = self.intervals.pass_hat_k[k]
            at_low, at_high = self.intervals.pass_at_k[k]
            lines.append(
                f"pass^{k} {value:.3f} ({low:.3f} to {high:.3f})"
                f"   pass@{k} {self.pass_at_k[k]:.3f} ({at_low:.3f} to {at_high:.3f})"
            )
        if not self.n:
            lines += self.unread.errors[:_FEW]
            lines += [
                f"{item.reason}: {', '.join(item.runs[:_FEW])}" for item in self.left_out[:_FEW]
            ]
        return "\n".join((*lines, *self.notes))


_FEW = 3


def _verdict(summary: Summary) -> str:
    counting = summary.counted_cases
    if not counting:
        if not summary.runs and summary.not_run:
            return f"Nothing could be judged: {summary.not_run}."
        return f"Nothing could be judged: of {counted(summary.runs, 'run')}, none has a verdict."
    n, c = summary.n, summary.c
    cases = counted(len(counting), "case")
    if c == n:
        if n == 1:
            return "The only run passed."
        return f"{'Both' if n == 2 else f'All {n:,}'} runs of {cases} passed."
    if c == 0:
        return f"No run passed: 0 of {n:,}, over {cases}."
    once = summary.pass_hat_k.get(1, c / n)
    most = max(summary.pass_hat_k, default=1)
    if most == 1:
        return f"Passes {percent(once)} of the time: {c:,} of {counted(n, 'run')}, over {cases}."
    if not any(case.flaky for case in counting):
        passing = sum(case.c == case.n for case in counting)
        return f"Passes {passing:,} of {cases}, and each of them every time."
    often = summary.pass_hat_k[most]
    in_a_row = (
        f"{most} times in a row only {percent(often)} of the time"
        if often
        else f"never {most} times in a row"
    )
    return f"Passes {percent(once)} of the time, but {in_a_row}."
