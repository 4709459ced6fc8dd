"""Whether the user who played a scenario stayed in their role, and got what they wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from msgspec import UNSET

from passhat.case import Case
from passhat.checks.asking import asked
from passhat.checks.wording import sentences
from passhat.grading.protocol import CheckBase
from passhat.result import CheckResult
from passhat.surroundings import Scenario
from passhat.trace import Message, ToolCall, Trace


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


@dataclass(frozen=True, slots=True)
class ScenarioSuccess(CheckBase):
    """The user of a scenario got what its `success` says, as a judge decides.

    `success` is in words, which no rule can decide: without a judge it is not evaluated. The judge is
    given `success`, the `goal`, the `conversation`, and the `calls` with what they came to. What can be
    said of the state or of the answer says `success_check` without one.

    Args:
        ask: The judge: a callable `(question, about) -> bool | None`, None where it cannot tell.
    """

    key: ClassVar[str] = "scenario_success"
    needs: ClassVar[tuple[str, ...]] = ("scenario", "calls")
    ask: Any = field(default=None)

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """1.0 where the user got it, else 0.0."""
        scenario = Scenario.of(case.scenario)
        if not scenario.success:
            return self.nothing("the scenario does not say what its success is")
        if self.ask is None:
            return self.nothing("success is in words, and no judge is given (ask)")
        about = {
            "success": scenario.success,
            "goal": scenario.goal,
            "conversation": [
                {"role": message.role, "text": message.text}
                for message in trace.messages
                if message.role in ("user", "assistant") and message.text
            ],
            "calls": [_told(call) for call in trace.calls],
        }
        answer = asked(self.key, self.ask, _GOT_IT, about)
        if answer is None:
            return self.nothing("the judge cannot tell")
        why = "" if answer else f"the user did not get what they wanted: {scenario.success}"
        return self.rate(int(answer), 1, why)


_GOT_IT = "Did the user get what `success` says, by what was said and done?"


def _told(call: ToolCall) -> dict[str, Any]:
    told = {"name": call.name, "args": call.args, "executed": call.executed}
    if call.error is not None:
        return {**told, "error": call.error}
    return told if call.result is UNSET else {**told, "result": call.result}
