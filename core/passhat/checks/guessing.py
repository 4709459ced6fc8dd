"""Whether optional arguments were filled with values that nobody had asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from passhat.case import Case, flat
from passhat.checks.asking import asked
from passhat.checks.provenance import origin_entry
from passhat.checks.reading import Nested, tool_catalogue
from passhat.checks.wording import named, plain, sentences
from passhat.grading.protocol import CheckBase
from passhat.match.trajectory import calls_with_inside
from passhat.match.writing import write_value
from passhat.provenance import Origin, trace_arguments
from passhat.result import CheckResult
from passhat.trace import ToolCall, Trace

_UNASKED = "Did the agent fill this optional argument with something that nobody asked for?"


@dataclass(frozen=True, slots=True)
class GuessedArguments(CheckBase):
    """The share of optional arguments that were filled with a value from nowhere; 0 is best.

    An argument is optional if the tool's schema has it and does not require it, and no expected
    call of that tool states it. Where its value came from is told by
    `passhat.provenance.trace_arguments`: constants of the schema and free text are not judged, and
    a value that follows from what was seen (a date written another way, a sum) is no guess.

    Args:
        nested: Instead of the case's `nested`.
        ask: Decides on free text: a callable `(question, about) -> bool | None`, true if nobody asked
            for it.
    """

    key: ClassVar[str] = "guessed_arguments"
    needs: ClassVar[tuple[str, ...]] = ("calls", "tools")
    lower_is_better: ClassVar[bool] = True
    nested: Nested | None = None
    ask: Any = None

    def judge(self, trace: Trace, case: Case) -> CheckResult:
        """The share."""
        catalogue = tool_catalogue(trace, case)
        origins: dict[tuple[int, str], list[Origin]] = {}
        for origin in trace_arguments(trace, case):
            if origin.kind not in (("constant",) if self.ask else ("constant", "written")):
                origins.setdefault((origin.call, origin.arg), []).append(origin)
        inside = (self.nested or case.nested) == "include"
        of, index = 0, -1
        found: list[dict[str, Any]] = []
        said: list[str] = []
        calls = calls_with_inside(trace) if inside else trace.all_calls
        for number, call in enumerate(calls):
            if call.parent is not None and not inside:
                continue
            index += 1
            for arg in _optional(call, catalogue, case):
                told = [self._guess(origin) for origin in origins.get((number, arg), [])]
                judged = [one for one in told if one is not None]
                of += bool(judged)
                guess = next((one for one in judged if one[1]), None)
                if guess is not None:
                    value = plain(guess[0].value)
                    entry = {**named(index, call), "arg": arg, "value": value, "decided": guess[2]}
                    found.append(entry)
                    said.append(f"{call.name}({arg}={write_value(value)}): nothing said so")
        if not of:
            return self.nothing("no call filled an optional argument with a value to judge")
        return self.rate(len(found), of, sentences(said), arguments=found)

    def _guess(self, origin: Origin) -> tuple[Origin, bool, str] | None:
        """Whether a value is a guess, and who decided; None where nobody can tell."""
        if origin.kind != "written":
            return origin, origin.kind == "nowhere", "rule"
        answer = asked(self.key, self.ask, _UNASKED, origin_entry(origin))
        return None if answer is None else (origin, answer, "judge")


def _optional(call: ToolCall, catalogue: Mapping[str, Any], case: Case) -> Iterator[str]:
    """The arguments of a call that are optional."""
    schema = catalogue.get(call.name)
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(schema, Mapping) or not isinstance(properties, Mapping):
        return
    required = schema.get("required")
    stated = set(required) if isinstance(required, list | tuple) else set()
    for expected in flat(case.expected_calls):
        if expected.name == call.name:
            stated.update(expected.args or ())
    for arg in call.args:
        if arg not in stated and isinstance(properties.get(arg), Mapping):
            yield arg
