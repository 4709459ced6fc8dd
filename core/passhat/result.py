"""Verdicts: what one check says of one trace, and what one attempt came to."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias, TypeGuard

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


class CheckResult(Struct, frozen=True, gc=False, repr_omit_defaults=True):
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

    @property
    def counts(self) -> tuple[float, float] | None:
        """The `hits` and `of` of the evidence; None where they are not both there as numbers."""
        hits, of = self.evidence.get("hits"), self.evidence.get("of")
        return (hits, of) if _is_number(hits) and _is_number(of) else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


Level: TypeAlias = Literal["critical", "warning"]


class FailureClass(NamedTuple):
    """A kind of failure.

    Attributes:
        level: `critical` where the run did or said what it may not; `warning` where it only did not
            do what it should.
        meaning: What it means, in a few words.
    """

    level: Level
    meaning: str


FAILURE_CLASSES: dict[str, FailureClass] = {
    "agent_error": FailureClass("warning", "the agent raised an error, or hit a limit"),
    "policy_violation": FailureClass("critical", "did what it may not do, or may not do yet"),
    "made_up_argument": FailureClass("critical", "called a tool with a value from nowhere"),
    "claimed_action": FailureClass("critical", "says that it did what it did not do"),
    "looped": FailureClass("warning", "repeated the same call without getting anywhere"),
    "gave_up": FailureClass("warning", "declined, handed over or stopped, and did nothing"),
    "wrong_tool": FailureClass("warning", "called another tool than the right one"),
    "wrong_target": FailureClass("warning", "the right tool, on the wrong thing or values"),
    "incomplete": FailureClass("warning", "a part of the task was not done"),
    "wrong_answer": FailureClass("warning", "the answer is not the one that was expected"),
    "over_budget": FailureClass("warning", "took more than it may"),
    "unclassified": FailureClass("warning", "failed, and no rule says how"),
}
"""The classes of failures that the rules give, in the order in which they take precedence."""


class Failure(Struct, frozen=True, gc=False, omit_defaults=True, repr_omit_defaults=True):
    """Why a failed trial has its class.

    Attributes:
        by: Who says so: `rule`, or who labelled the trial (`person`, `judge`, a name).
        check: The check whose result it rests on; None where it is none.
        reason: What happened, in a sentence.
        also: The classes that hold as well, and come after it.
        rule: The class that the rules give, where a label says another.
    """

    by: str = "rule"
    check: str | None = None
    reason: str = ""
    also: tuple[str, ...] = ()
    rule: str | None = None


class TimelineStep(Struct, frozen=True, gc=False, omit_defaults=True, repr_omit_defaults=True):
    """One step of a run, short enough to be kept with its result.

    Attributes:
        kind: `message`, `call`, `state`, `node`, `interrupt`, or `left_out` for steps that are not
            kept (`text` says how many).
        turn: The turn it belongs to, counted from 0.
        name: Who spoke, the tool, or the node.
        text: What was said or asked; the arguments of a call, as JSON; what changed.
        result: What came back, as JSON or text; None where nothing did.
        error: Why it failed, where it did.
        index: Of a call, its place among all calls of the run, counted from 0.
        nested: Whether the call was made inside another one.
        executed: Of a call, whether it ran; None where that is unknown.
        at: Seconds since the run began, where known.
    """

    kind: Literal["message", "call", "state", "node", "interrupt", "left_out"]
    turn: int = 0
    name: str = ""
    text: str = ""
    result: str | None = None
    error: str | None = None
    index: int | None = None
    nested: bool = False
    executed: bool | None = None
    at: float | None = None


class Trial(Struct, frozen=True, gc=False, repr_omit_defaults=True):
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
        failure_class: The kind of failure, where it failed (`failed` or `agent_error`): one of
            `FAILURE_CLASSES`, or what a label says instead.
        failure: Why it has that class.
        timeline: The steps of the run in short, where they were kept; failed trials alone have them.
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
    failure: Failure | None = None
    timeline: tuple[TimelineStep, ...] = ()

    def result(self, key: str) -> CheckResult | None:
        """What the check of that key said, or None if it did not run."""
        return next((result for result in self.results if result.key == key), None)

    @property
    def passed(self) -> bool:
        """Whether the attempt succeeded."""
        return self.status == "passed"

    @property
    def score(self) -> float | None:
        """1 where the attempt succeeded, 0 where it failed; None where it does not count."""
        return float(self.passed) if self.status in COUNTED else None

    @property
    def lost(self) -> bool:
        """Whether the attempt counts as a failure."""
        return self.status in ("failed", "agent_error")

    @property
    def failed_as(self) -> str | None:
        """How it failed: its failure class, `unclassified` without one; None where it did not."""
        if not self.lost:
            return None
        told = "agent_error" if self.status == "agent_error" else "unclassified"
        return self.failure_class or told

    def __str__(self) -> str:
        head = f"{self.case_id or '(no case)'} trial {self.trial}: {self.status}"
        required = [result for result in self.results if result.required]
        if self.reason and self.reason not in {f"{r.key}{_told(r.reason)}" for r in required}:
            head += f" ({self.reason})"
        lines = [head]
        for result in required:
            lines.append(f"  {_MARKS[result.status]} {result.key}{_told(result.reason)}")
            table = result.evidence.get("alignment") if result.status == "failed" else None
            lines += [f"      {line}" for line in str(table or "").split("\n") if table]
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


def results_of(trial: Trial) -> tuple[CheckResult, ...]:
    """What the checks say of a run; nothing of one that its surroundings lost.

    So it is told where each check has a score of its own: failures of a network would else be
    counted as the agent's.

    >>> lost = Trial("c", 0, "t", "infrastructure_error", (CheckResult.of("a", False),), "429")
    >>> results_of(lost)[0].reason
    'the run was lost to its surroundings: 429'
    """
    if trial.status != "infrastructure_error":
        return trial.results
    why = f"the run was lost to its surroundings: {trial.reason}"
    return tuple([
        CheckResult(one.key, "not_evaluated", None, why, required=one.required)
        for one in trial.results
    ])  # fmt: skip


class _Line(Trial, frozen=True, omit_defaults=False):
    schema: str = RESULT_SCHEMA


_HEAD = b'{"schema":"passhat.result/1",'
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Line).decode
_decode_ours = msgspec.json.Decoder(Trial).decode


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
        if isinstance(data, bytes) and data.startswith(_HEAD):
            return _decode_ours(data)
        line = _decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"not a result: {error}", place) from error
    if line.schema != RESULT_SCHEMA:
        raise InputError(f"schema is {line.schema!r}, not {RESULT_SCHEMA!r}", place)
    return Trial(**{name: getattr(line, name) for name in Trial.__struct_fields__})
