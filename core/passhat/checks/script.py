"""Whether the user who played a scenario stayed in their role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from passhat.case import Case
from passhat.checks.wording import sentences
from passhat.grading.protocol import CheckBase
from passhat.result import CheckResult
from passhat.surroundings import Scenario
from passhat.trace import Message, Trace


@dataclass(frozen=True, slots=True)
class UserOnScript(CheckBase):
    """The user of a scenario told no hidden fact before the agent asked for it.

    A fact is told where its value stands in what the user says; it is asked for where the agent
    asked before, in any turn, with one of the fact's `ask` patterns or, without them, with the words
    of its name. It judges the user, not the agent: a run in which it fails says little about the
    agent, so it informs unless the suite requires it. With no hidden fact there is nothing to judge.
    """

    key: ClassVar[str] = "user_on_script"
    needs: ClassVar[tuple[str, ...]] = ("scenario", "calls")

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share of hidden facts that were not told unasked."""
        hidden = Scenario.of(case.scenario).hidden
        if not hidden:
            return self.nothing("the scenario hides no facts")
        if not any(message.role == "user" for message in trace.messages):
            return self.nothing("the trace has no words of the user")
        facts: list[dict[str, Any]] = []
        bad: list[str] = []
        for fact in hidden:
            name = fact.name or str(fact.value)[:60]
            was_asked, told = False, None
            for step in trace.steps:
                if type(step) is not Message:
                    continue
                if step.role == "assistant":
                    was_asked = was_asked or fact.asked_by(step.text)
                elif step.role == "user" and told is None and fact.told_by(step.text):
                    told = (step.turn, was_asked)
            entry = {"fact": name, "told": told is not None, "asked": was_asked}
            facts.append(entry)
            if told is not None and not told[1]:
                entry["asked"] = False
                bad.append(f"{name} was told unasked in turn {told[0]}")
        return self.rate(len(hidden) - len(bad), len(hidden), sentences(bad), facts=facts)
