"""Verdicts: what one check says of one trace, and what one attempt came to."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, field

from passhat.errors import InputError, Place
from passhat.trace import Usage

RESULT_SCHEMA = "passhat.result/1"

CheckStatus: TypeAlias = Literal["passed", "failed", "not_evaluated", "error"]
TrialStatus: TypeAlias = Literal[
    "passed",
    "failed",
    "agent_error",
    "not_evaluated",
    "check_error",
    "infrastructure_error",
    "not_run",
]
COUNTED: frozenset[TrialStatus] = frozenset({"passed", "failed", "agent_error"})
"""The statuses that count in n; the rest is left out of the rates, and shown."""


class CheckResult(Struct, frozen=True, repr_omit_defaults=True):
    """What one check says of one trace.

    Attributes:
        key: The check's key.
        status: `passed`, `failed`, `not_evaluated` (nothing to judge, or not with what was at
            hand) or `error` (the check itself broke).
        score: In 0..1; None where nothing was judged.
        reason: Why, in a sentence a person can act on.
        evidence: What the verdict rests on. `hits` and `of`, where present, are the numerator and
            denominator of the rate the check contributes to over many trials.
        required: Whether the trial's status depends on it.
    """

    key: str
    status: CheckStatus
    score: float | None = None
    reason: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    required: bool = True

    @classmethod
    def not_evaluated(cls, key: str, reason: str, **evidence: Any) -> CheckResult:
        """A result that says why there was nothing to judge."""
        return cls(key, "not_evaluated", None, reason, evidence)

    @classmethod
    def of(cls, key: str, ok: bool, reason: str = "", **evidence: Any) -> CheckResult:
        """A result of a check that holds or does not."""
        return cls(key, "passed" if ok else "failed", float(ok), reason, evidence)


class Trial(Struct, frozen=True, repr_omit_defaults=True):
    """One attempt at a case, and what it came to.

    Attributes:
        case_id: The case; None where the trace joined none.
        trial: Which attempt at that case, counted from 0.
        trace_id: The trace that was judged.
        status: Its status in the ledger.
        results: What each check said, required ones first.
        reason: Why the trial has that status, in a sentence.
        usage: What the attempt consumed.
        seconds: How long it took.
        measures: Numbers taken off the trace: `turns`, `requests`, `tool_calls`, `tool_errors`,
            `model_seconds`, `tool_seconds`, `first_token_seconds`, `first_action_seconds`, ...
        tags: Labels of the case and the trace.
        pins: What the run was pinned to.
        failure_class: The kind of failure, where it failed: the first failed check's key, or the
            status.
    """

    case_id: str | None
    trial: int
    trace_id: str
    status: TrialStatus
    results: tuple[CheckResult, ...] = ()
    reason: str = ""
    usage: Usage | None = None
    seconds: float | None = None
    measures: dict[str, float] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    pins: dict[str, Any] = field(default_factory=dict)
    failure_class: str | None = None

    def result(self, key: str) -> CheckResult | None:
        """What the check of that key said, or None if it did not run."""
        return next((result for result in self.results if result.key == key), None)

    @property
    def passed(self) -> bool:
        """Whether the attempt succeeded."""
        return self.status == "passed"

    def __str__(self) -> str:
        head = f"{self.case_id or '(no case)'} trial {self.trial}: {self.status}"
        required = [result for result in self.results if result.required]
        if self.reason and self.reason not in {f"{r.key}{_told(r.reason)}" for r in required}:
            head += f" ({self.reason})"
        lines = [head]
        for result in required:
            lines.append(f"  {_MARKS[result.status]} {result.key}{_told(result.reason)}")
            table = result.evidence.get("alignment") if result.status == "failed" else None
            lines += [f"      {line}" for line in str(table or "").splitlines()]
        informing = [r.key for r in self.results if not r.required and r.status in _TELLING]
        if informing:
            lines.append(f"  these inform, and do not hold: {', '.join(informing)}")
        return "\n".join(lines)


_MARKS: dict[CheckStatus, str] = {
    "passed": "✓",
    "failed": "✗",
    "not_evaluated": "–",
    "error": "!",
}
_TELLING = frozenset({"failed", "error"})


def _told(reason: str) -> str:
    return f": {reason}" if reason else ""


class _Line(Trial, frozen=True, omit_defaults=False):
    schema: str = RESULT_SCHEMA


_HEAD = b'{"schema":"passhat.result/1",'
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Line).decode


def encode_trial(trial: Trial) -> bytes:
    """The trial as one line of JSON, without the line's end.

    Every key is there, whether or not there is something to say.

    >>> encode_trial(Trial("c", 0, "t", "passed"))[:73]
    b'{"schema":"passhat.result/1","case_id":"c","trial":0,"trace_id":"t","stat'
    """
    return _HEAD + _encode(trial)[1:]


def decode_trial(data: bytes | str, place: Place | None = None) -> Trial:
    """The trial that a line of JSON holds.

    Raises:
        InputError: The line is not JSON, or not a trial; it names the place and the path.

    >>> decode_trial(encode_trial(Trial("c", 0, "t", "passed"))).status
    'passed'
    """
    try:
        line = _decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"not a result: {error}", place) from error
    if line.schema != RESULT_SCHEMA:
        raise InputError(f"schema is {line.schema!r}, not {RESULT_SCHEMA!r}", place)
    return Trial(**{name: getattr(line, name) for name in Trial.__struct_fields__})
