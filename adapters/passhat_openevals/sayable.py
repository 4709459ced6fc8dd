"""Which settings of their evaluator say what a case expects, and why none do."""

from __future__ import annotations

from typing import Any

from passhat.adapter import FidelityNote
from passhat.case import Case, ExpectedCall, flat
from passhat.errors import TraceError, UsageError
from passhat.grading.catalogue import brought
from passhat.match.dialects import equivalents, find_dialect, parted, ways_of
from passhat_openevals.convert import are_messages
from passhat_openevals.references import calls_of, expected_from
from passhat_openevals.settings import KEYS, Settings


def settings_for(case: Case) -> tuple[Settings | None, list[FidelityNote]]:
    """The settings of theirs that judge a case as ours do; None, with why, where there are none."""
    what = f"{case.id}: mode"
    if not judging_keys(case):
        return None, []
    ours = f"judged by passhat_openevals.evaluator_for(row): {', '.join(judging_keys(case))}"
    why = _unsayable(case)
    settings = None if why else _same(case)
    if settings is not None and (limit := _parted(case, settings)):
        settings, why = None, f"theirs judge {limit} otherwise"
    if settings is None:
        why = why or f"no settings of theirs mean {case.effective_mode} as it compares arguments"
        return None, [FidelityNote(what, "translated", f"{ours}; {why}")]
    told = f"{settings.library} {settings.trajectory_match_mode}, arguments "
    told += f"{settings.tool_args_match_mode}, means the same"
    return settings, [FidelityNote(what, "translated", told)]


def settings_it_came_with(case: Case, stated: Any) -> tuple[Settings, list[FidelityNote]] | None:
    """The settings that a row stated, if its case still expects what was read of them alone.

    Args:
        case: The case.
        stated: What the row had for an evaluator; nothing in it where it had none.
    """
    if not isinstance(stated, dict) or (stated and not stated.keys() & set(KEYS)):
        return None
    try:
        settings = Settings.of(stated)
    except UsageError:
        return None
    if settings.mode != case.mode or not says(case, settings) or _beyond(case):
        return None
    ways = ways_of(settings.ours, case.expected_calls or ())
    if (case.retries, case.parallel) != (ways.get("retries"), ways.get("parallel")):
        return None
    said = "the settings that it came with" if stated else "no settings, as it came"
    return settings, [FidelityNote(f"{case.id}: mode", "kept", said)]


def says(case: Case, settings: Settings) -> bool:
    """Whether the reference messages of a case say its expected calls, compared by the settings."""
    if not are_messages(case.reference) and case.reference != []:
        return False
    try:
        groups = calls_of(case.reference)
    except TraceError:
        return False
    return expected_from(groups, settings.expected_call) == case.expected_calls


def judging_keys(case: Case) -> list[str]:
    """The checks that a case requires."""
    named = [key for key, how in (case.checks or {}).items() if how.get("required", True)]
    turns = [key for turn in case.turns or () for key in (*brought(turn), *(turn.checks or ()))]
    return list(dict.fromkeys((*brought(case), *turns, *named)))


def _parted(case: Case, settings: Settings) -> str | None:
    """In what settings part from a case whose mode they have."""
    calls = flat(case.expected_calls)
    return parted(case, settings.theirs) or next(iter(settings.reached(calls)), None)


def _unsayable(case: Case) -> str:
    """Why no settings of theirs can say what a case expects; empty where they may."""
    if why := _beyond(case):
        return why
    if case.effective_mode == "superset" and not case.expected_calls:
        return "where no call is expected, theirs pass every run, and we have nothing to judge"
    if case.effective_mode == "exact" and case.expected_calls:
        return "strict compares the roles of all messages, which a suite does not state"
    return ""


def _beyond(case: Case) -> str:
    """What a case asks for besides calls in a mode, and theirs cannot; empty where there is none."""
    if case.turns is not None:
        return "theirs know no turns"
    if extra := [key for key in judging_keys(case) if key != "trajectory"]:
        return f"theirs judge calls alone, not {', '.join(extra)}"
    if any(case.checks or {}):
        return "theirs have no thresholds"
    for key in ("match", "optional_calls"):
        if getattr(case, key):
            return f"theirs have no {key}"
    if case.counts is False or case.nested == "include":
        return "theirs have no such way to count"
    for call in flat(case.expected_calls):
        if call.optional or call.match:
            return f"theirs have no {'optional calls' if call.optional else 'match'}"
    return ""


def _same(case: Case) -> Settings | None:
    """The settings that mean the same, by the table of dialects."""
    mode = "unordered" if case.effective_mode == "exact" else case.effective_mode
    styles: dict[str, set[str]] = {}
    for call in flat(case.expected_calls):
        styles.setdefault(call.name, set()).add(_style(call))
    if any(len(found) > 1 for found in styles.values()):
        return None
    by_tool = {tool: found.pop() for tool, found in styles.items()}
    dialect = find_dialect("openevals")
    words: dict[str, str] = {}
    theirs = None
    for (name, their_mode, args), ours in equivalents.items():
        if name == dialect.id and ours is not None and ours.mode == mode and ours.counts:
            theirs = their_mode
            words.setdefault(ours.args, args)
    if theirs is None or any(style not in words for style in by_tool.values()):
        return None
    used = list(dict.fromkeys(words[style] for style in by_tool.values())) or ["exact"]
    base = used[0] if len(used) == 1 else "exact"
    others = {tool: words[style] for tool, style in by_tool.items() if words[style] != base}
    return Settings(theirs, base, others)


def _style(call: ExpectedCall) -> str:
    if call.args is None:
        return "ignore" if call.extra_args == "allow" else "none"
    return "equal" if call.extra_args == "forbid" else "contains"
