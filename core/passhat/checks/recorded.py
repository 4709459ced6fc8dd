"""What the source itself recorded of the run."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar

from passhat.case import Case
from passhat.checks.wording import nearest
from passhat.grading.protocol import CheckBase
from passhat.result import CheckResult
from passhat.trace import Trace
from passhat.wording import joined


@dataclass(frozen=True, slots=True)
class RecordedScore(CheckBase):
    """A score that the source recorded (a reward, a feedback) is high enough.

    Args:
        score: The score's name; or a key of the metadata whose value is a number, true or false.
        at: From which value on it is a success. Recorded scores have any scale, so the check's own
            score is 1 or 0, and the recorded one is in the evidence.
    """

    key: ClassVar[str] = "recorded_score"
    score: str
    at: float = 1.0

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """Whether it is."""
        value = trace.scores.get(self.score)
        if value is None and (kept := self._kept(trace)) is not None:
            if not isinstance(kept, bool | int | float):
                return self.nothing(f"the recorded {self.score} is no number: {kept!r:.60}")
            value = kept
        if value is None:
            there = joined(list(trace.scores), 8)
            near = nearest(self.score, trace.scores)
            guess = f"did you mean {near}? " if near else ""
            has = f"{guess}it has {there}" if there else "it has none"
            return self.nothing(f"the trace has no score {self.score!r}: {has}")
        if isinstance(value, float) and isnan(value):
            return self.nothing(f"the recorded {self.score} is no number")
        ok = value >= self.at
        said = "" if ok else f"the recorded {self.score} is {value!r}, under {self.at:g}"
        return self.verdict(ok, said, recorded=value)

    def _kept(self, trace: Trace) -> Any:
        """What the source said under that name, where it was not taken for a score."""
        kept = trace.metadata.get(self.score)
        return trace.extensions.get(self.score) if kept is None else kept
