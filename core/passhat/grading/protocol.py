"""What a check is: one small frozen object that decides one property of one trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, runtime_checkable

from passhat.case import Case
from passhat.result import CheckResult
from passhat.trace import Trace


@runtime_checkable
class Check(Protocol):
    """Decides one property of one trace.

    A check is a frozen dataclass: its options are its fields, so that a suite file can name it,
    and it is a pure function of the trace and the case.

    Attributes:
        key: Its stable name.
        needs: What must be at hand, or the check is not evaluated: parts of the trace (`calls`,
            `results`, `response`, `nodes`, `usage`, `initial_state`, `final_state`), the tool
            catalogue (`tools`), or keys of the case (`expected_calls`, ...). A run that was
            recorded and gave no answer has a `response` that is None: that is for the check to
            judge.
    """

    @property
    def key(self) -> str:
        """The check's stable name."""
        ...

    @property
    def needs(self) -> tuple[str, ...]:
        """What must be at hand."""
        ...

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """What the check says of the trace."""
        ...


class CheckBase:
    """What the checks of the catalogue share.

    Attributes:
        key: Its stable name.
        needs: What must be at hand.
        lower_is_better: Whether the score is a share of what should not be; then it must be 0
            where no threshold is given.
    """

    __slots__ = ()

    key: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    lower_is_better: ClassVar[bool] = False

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """What the check says of the trace."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it judges")

    def verdict(self, ok: bool, reason: str = "", **evidence: Any) -> CheckResult:
        """A result that holds or does not."""
        return CheckResult(self.key, "passed" if ok else "failed", float(ok), reason, evidence)

    def rate(self, hits: float, of: float, reason: str = "", **evidence: Any) -> CheckResult:
        """A result with a share as its score: passed where it is the best there is.

        A share of nothing is the best there is; a check for which it is none says `nothing`.
        """
        best = 0.0 if self.lower_is_better else 1.0
        score = hits / of if of else best
        return CheckResult(
            self.key,
            "passed" if score == best else "failed",
            score,
            reason,
            {"hits": hits, "of": of, **evidence},
        )

    def nothing(self, reason: str, **evidence: Any) -> CheckResult:
        """A result that says why there was nothing to judge."""
        return CheckResult.not_evaluated(self.key, reason, **evidence)


@dataclass(frozen=True, slots=True)
class FunctionCheck:
    """A check made of a function `(trace, case) -> bool | float | CheckResult`.

    Args:
        key: The check's name.
        function: Decides; a float is a score in 0..1. The first line of its docstring is the reason
            where it gives none.
        needs: What must be at hand.
    """

    key: str
    function: Callable[[Trace, Case], bool | float | CheckResult]
    needs: tuple[str, ...] = ()

    def __call__(self, trace: Trace, case: Case) -> bool | float | CheckResult:
        """What the function itself says."""
        return self.function(trace, case)

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """What the function says, as a result.

        Raises:
            TypeError: The function gave something else.
        """
        said = self.function(trace, case)
        if isinstance(said, CheckResult):
            return said
        if isinstance(said, bool):
            return CheckResult.of(self.key, said, "" if said else self._told("does not hold"))
        if not isinstance(said, int | float):
            raise TypeError(f"a check gives a bool, a score or a CheckResult, not {said!r}")
        score = f"score {said:.4g}"
        if said == 1:
            return CheckResult(self.key, "passed", 1.0, score)
        return CheckResult(self.key, "failed", float(said), self._told(score))

    def _told(self, verdict: str) -> str:
        """A verdict with what was asked for: the first line of the function's docstring."""
        lines = (getattr(self.function, "__doc__", None) or "").strip().splitlines()
        return f"{verdict}: {lines[0]}" if lines else verdict
