"""One run as a conversation: what was said and called, with where each argument came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from msgspec import UNSET

from passhat.case import Case
from passhat.checks.deed_index import Deeds
from passhat.checks.honesty import judged_claims
from passhat.checks.provenance import Provenance, origin_entry
from passhat.checks.quoted import quoted_from_nowhere
from passhat.checks.tool_words import ToolWords, words_of_tools
from passhat.match.writing import write_value
from passhat.provenance import Origin, trace_arguments
from passhat.report.harmless import harmless
from passhat.result import Trial
from passhat.trace import Interrupt, Message, ToolCall, Trace

_INDENT = 12
_LONGEST_SAID = 600
_LEAST_WIDTH = 60
_NO_CASE = Case("")
_CLAIMING = ("false_success", "claimed_action")
_JUDGED = ("ids", "ignore")


def conversation(trace: Trace, case: Case | None = None) -> list[dict[str, Any]]:
    """The steps of a run as data: words with the claims in them, calls with their arguments' origins.

    The words and the arguments that the case's `checks` name for `claimed_action`, `false_success` and
    `provenance` count as they do there.

    Each step has `step`, its index in the trace, and `kind`: `message` (with `role`, `text`,
    `reasoning`, the agent's `claims`, and the ids and amounts `quoted` from nowhere), `call` (with
    `index`, `name`, `arguments`, `result`, `error`) or `interrupt`.
    """
    known = case or _NO_CASE
    options = known.checks or {}
    words = {tool.tool: tool for key in _CLAIMING for tool in _words_of(options.get(key, {}))}
    judge = Provenance(**{key: options.get("provenance", {}).get(key, {}) for key in _JUDGED})
    by_call: dict[int, list[Origin]] = {}
    for origin in trace_arguments(trace, case):
        by_call.setdefault(origin.call, []).append(origin)
    claims: dict[int, list[dict[str, Any]]] = {}
    for judged in judged_claims("claimed_action", Deeds(trace, known, words), None):
        claims.setdefault(judged.claim.sentence.step, []).append(judged.entry())
    quoted: dict[int, list[dict[str, Any]]] = {}
    for one in quoted_from_nowhere(trace, known):
        quoted.setdefault(one["step"], []).append(one)
    found: list[dict[str, Any]] = []
    index = -1
    for at, step in enumerate(trace.steps):
        if type(step) is Message:
            entry = _message(step)
            if at in claims:
                entry["claims"] = claims[at]
            if at in quoted:
                entry["quoted"] = quoted[at]
            found.append({"step": at, **entry})
        elif type(step) is ToolCall:
            index += 1
            origins = by_call.get(index, [])
            found.append({"step": at, **_call(step, index, origins, judge)})
        elif type(step) is Interrupt:
            answer = None if step.answer is UNSET else step.answer
            found.append({"step": at, "kind": "interrupt", "value": step.value, "answer": answer})
    return found


def _message(said: Message) -> dict[str, Any]:
    entry = {"kind": "message", "role": said.role, "turn": said.turn, "text": said.text}
    return {**entry, "reasoning": said.reasoning} if said.reasoning else entry


def _call(
    call: ToolCall, index: int, origins: Sequence[Origin], judge: Provenance
) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": "call", "turn": call.turn, "index": index}
    entry |= {"name": call.name, "error": call.error}
    entry["arguments"] = [
        {**origin_entry(origin), "made_up": judge.is_made_up(origin)} for origin in origins
    ]
    if call.args_error is not None:
        entry["args_error"] = call.args_error
    if call.result is not UNSET:
        entry["result"] = call.result
    return entry


def _words_of(options: Mapping[str, Any]) -> tuple[ToolWords, ...]:
    """How the suite says that claims sound, by the options of a check."""
    return words_of_tools(options.get("claims", {}))


def conversation_text(trace: Trace, case: Case | None, trial: Trial, *, width: int = 100) -> str:
    """The run as text: its verdict, then each step, made-up arguments and false claims marked `✗`."""
    width = max(width, _LEAST_WIDTH)
    name = trial.case_id or "(no case)"
    lines = [harmless(f"{name} trial {trial.trial} ({trace.id}): {trial.status}")]
    if trial.reason:
        lines += _wrapped("  ", trial.reason, width)
    for entry in conversation(trace, case):
        lines += _lines(entry, width)
    return "\n".join(lines) + "\n"


def _lines(entry: dict[str, Any], width: int) -> Iterator[str]:
    if entry["kind"] == "message":
        yield from _said(entry, width)
    elif entry["kind"] == "call":
        yield from _called(entry, width)
    else:
        yield from _wrapped(_head("interrupt"), write_value(entry["value"]), width)


def _said(entry: dict[str, Any], width: int) -> Iterator[str]:
    role = "agent" if entry["role"] == "assistant" else entry["role"]
    text = " ".join(entry["text"].split())
    if text:
        cut = text if len(text) <= _LONGEST_SAID else f"{text[: _LONGEST_SAID - 1]}…"
        yield from _wrapped(_head(role), cut, width)
    for claim in entry.get("claims", ()):
        if not claim["ok"]:
            mark = "✗ claims" if claim["ok"] is False else "? may claim"
            said = f"{mark}: {claim['sentence']} ({claim['why']})"
            yield from _wrapped(" " * _INDENT, said, width)
    for one in entry.get("quoted", ()):
        said = f"? tells {one['value']}, which nothing said or returned"
        yield from _wrapped(" " * _INDENT, said, width)


def _called(entry: dict[str, Any], width: int) -> Iterator[str]:
    yield from _wrapped(_head(f"call {entry['index']}"), entry["name"], width)
    if "args_error" in entry:
        said = f"✗ no JSON object: {write_value(entry['args_error'])}"
        yield from _wrapped(" " * (_INDENT + 2), said, width)
    rows = [
        (f"{argument['path'].removeprefix('$.')} = {write_value(argument['value'])}", argument)
        for argument in entry["arguments"]
    ]
    wide = min(max((len(said) for said, _ in rows), default=0), width // 2 - _INDENT)
    for said, argument in rows:
        mark = "✗" if argument["made_up"] else " "
        left = f"{' ' * _INDENT}{mark} {harmless(said).ljust(wide)}  "
        yield from _wrapped(left, argument["origin"], width)
    if entry["error"] is not None:
        yield from _wrapped(" " * _INDENT + "! ", write_value(entry["error"]), width)
    elif "result" in entry:
        yield from _wrapped(" " * _INDENT + "→ ", write_value(entry["result"]), width)


def _head(label: str) -> str:
    return f"{label:<{_INDENT}}"


def _wrapped(head: str, text: str, width: int) -> list[str]:
    """The text after its head, in lines of at most the width; further lines stand under it."""
    indent = len(head) if len(head) < width - 20 else _INDENT + 4
    parts = wrap(
        harmless(text), width, initial_indent=" " * len(head), subsequent_indent=" " * indent
    )
    return [head + parts[0][len(head) :], *parts[1:]] if parts else [head.rstrip()]
