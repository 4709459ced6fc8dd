"""What an agent wants to do next, nothing run: `NextStep`, and several of them from one state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from passhat.case import Case, ExpectedCall
from passhat.errors import UsageError
from passhat.grading import grade
from passhat.match import match_trajectory
from passhat.reliability import pass_hat_k
from passhat.trace import Message, ToolCall, Trace


class NextStep(Trace, frozen=True, omit_defaults=True, repr_omit_defaults=True, kw_only=True):
    """A trace up to the first tool decision: its calls were asked for and did not run.

    It grades as any trace does.

    Attributes:
        tried: What was about to run and was stopped: tools, or nodes, by name.
        settled: The calls that are behind it: those that were allowed to run or had run before,
            and those that a person refused or the user went on without (`executed` tells).

    >>> step = NextStep("s", steps=(ToolCall("lookup_order", {"order_id": "A1"}, executed=False),))
    >>> step.expect("lookup_order", order_id="A1") is step
    True
    """

    tried: tuple[str, ...] = ()
    settled: tuple[ToolCall, ...] = ()

    @property
    def text(self) -> str:
        """What the agent said with its decision, or its answer where it wants no tool."""
        said = [
            step for step in self.steps if isinstance(step, Message) and step.role == "assistant"
        ]
        return said[-1].text if said else ""

    def expect(
        self, name: str, /, args: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> NextStep:
        """Asserts that the agent wants to call a tool; gives the step, so that more can follow.

        Args:
            name: The tool's name.
            args: Arguments that the call must have, equal as JSON; others may be there.
            **kwargs: The same, by keyword.

        Raises:
            AssertionError: It does not; the message shows what it wants beside what was expected.
        """
        __tracebackhide__ = True
        expected = ExpectedCall(name, {**(args or {}), **kwargs})
        match = match_trajectory(self.calls, [expected])
        if not match.ok:
            said = f"\nit said: {self.text}" if self.text else ""
            raise AssertionError(f"{match.reason}\n{match.alignment()}{said}")
        return self

    def expect_answer(self) -> NextStep:
        """Asserts that the agent answers, and wants no tool.

        Raises:
            AssertionError: It wants one, and the message shows which; or it did not come to answer.
        """
        __tracebackhide__ = True
        match = match_trajectory(self.calls, [], "exact")
        if not match.ok:
            raise AssertionError(f"no call was expected\n{match.alignment()}")
        if self.tried:
            raise AssertionError(f"no call was expected, and {', '.join(self.tried)} was to run")
        if self.outcome == "interrupted":
            raise AssertionError("an answer was expected, and the run was interrupted before one")
        return self


class NextSteps(Sequence[NextStep]):
    """Several independent next steps from one state.

    >>> one = NextStep("s", steps=(ToolCall("lookup", executed=False),))
    >>> other = NextStep("s", steps=(ToolCall("refund", executed=False),))
    >>> steps = NextSteps([one, one, other])
    >>> case = Case("c", expected_calls=["lookup"])
    >>> steps.successes(case), round(steps.pass_hat_k(2, case), 3)
    (2, 0.333)
    """

    def __init__(self, steps: Sequence[NextStep]) -> None:
        self._steps = tuple(steps)

    @overload
    def __getitem__(self, index: int) -> NextStep: ...
    @overload
    def __getitem__(self, index: slice) -> NextSteps: ...
    def __getitem__(self, index: int | slice) -> NextStep | NextSteps:
        if isinstance(index, slice):
            return NextSteps(self._steps[index])
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[NextStep]:
        return iter(self._steps)

    def __repr__(self) -> str:
        return f"NextSteps({list(self._steps)!r})"

    def successes(self, case: Case) -> int:
        """How many of the steps pass a case.

        Raises:
            UsageError: One could not be judged; its reason is told.
        """
        trials = [grade(step, case) for step in self._steps]
        for trial in trials:
            if trial.status not in ("passed", "failed", "agent_error"):
                raise UsageError(f"a step cannot be judged: {trial.status}: {trial.reason}")
        return sum(trial.status == "passed" for trial in trials)

    def pass_hat_k(self, k: int, case: Case) -> float:
        """The chance that k steps drawn from these all pass a case: C(c, k) / C(n, k).

        Args:
            k: How many are drawn; at most as many as there are.
            case: What is expected of each.

        Raises:
            EstimationError: k is more than there are steps.
            UsageError: A step could not be judged.
        """
        return float(pass_hat_k(len(self._steps), self.successes(case), k))
