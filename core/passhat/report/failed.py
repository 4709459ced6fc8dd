"""Failed trials as a report tells them: how bad, how, and what bears it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from passhat.reliability.labels import evidence_parts
from passhat.reliability.wording import natural_key
from passhat.result import FAILURE_CLASSES, CheckResult, Level, Trial
from passhat.state.changes import value_text

MOST_STATE = 50
"""As many places as the checks keep."""
_STATES = ("final_state", "state_unchanged")
_UNKNOWN = "a class that a label gives"


def level_of(trial: Trial) -> Level:
    """How bad a failure is: `critical` where the run did or said what it may not.

    A run that changed what nothing asked for is critical whatever its class, and so is one of which
    a critical class holds besides, unless somebody labelled it.
    """
    names = [trial.failed_as or ""]
    if trial.failure is not None and trial.failure.by == "rule":
        names += trial.failure.also
    if any(class_level(name) == "critical" for name in names):
        return "critical"
    changed = any(
        part.get("unexpected")
        for result in trial.results
        if result.status == "failed" and result.key in _STATES
        for part in evidence_parts(result)
    )
    return "critical" if changed else "warning"


def class_level(name: str) -> Level:
    """How bad a class of failures is; one that the rules do not know is a warning."""
    known = FAILURE_CLASSES.get(name)
    return known.level if known is not None else "warning"


def graver(lost: Iterable[Trial]) -> Counter[str]:
    """How many trials of a class that is a warning are critical all the same, by class."""
    named = [trial.failed_as or "" for trial in lost if level_of(trial) == "critical"]
    return Counter(name for name in named if class_level(name) != "critical")


def class_meaning(name: str) -> str:
    """What a class of failures means, in a few words."""
    known = FAILURE_CLASSES.get(name)
    return known.meaning if known is not None else _UNKNOWN


def class_words(name: str) -> str:
    """A class of failures as it is written in a sentence.

    >>> class_words("made_up_argument")
    'made-up argument'
    """
    return "made-up argument" if name == "made_up_argument" else name.replace("_", " ")


def why(trial: Trial) -> str:
    """Why a trial failed, in a sentence: what its class rests on, where it has one."""
    return (trial.failure.reason if trial.failure is not None else "") or trial.reason


def worst_first(trials: Iterable[Trial]) -> list[Trial]:
    """The failed trials, critical ones first, then by their case and number."""
    lost = [trial for trial in trials if trial.lost]
    return sorted(
        lost, key=lambda t: (level_of(t) != "critical", natural_key(t.case_id or ""), t.trial)
    )


def by_class(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Classes with how often they occur: critical ones first, then the most frequent."""
    return sorted(
        counts.items(), key=lambda item: (class_level(item[0]) != "critical", -item[1], item[0])
    )


def telling(trial: Trial) -> list[CheckResult]:
    """The results that say why a trial failed: required ones that did not pass, else all failed."""
    required = [r for r in trial.results if r.required and r.status in ("failed", "error")]
    return required or [r for r in trial.results if r.status == "failed"]


def alignment_of(trial: Trial) -> str:
    """Expected against actual calls, as text; empty where they were not compared or fit."""
    ranked = sorted(trial.results, key=lambda result: not result.required)
    for result in ranked:
        table = result.evidence.get("alignment")
        if result.status == "failed" and isinstance(table, str):
            return table
    return ""


class StateRow(NamedTuple):
    """One place in which the final state is not as it should be.

    Attributes:
        kind: `missed` (not as expected), or `added`, `removed`, `changed` (nothing asked for it).
        path: Where.
        expected: What was expected there; of a change, what was there before.
        actual: What is there.
    """

    kind: str
    path: str
    expected: str
    actual: str


def state_rows(trial: Trial) -> list[StateRow]:
    """Where the final state of a trial is not as it should be; at most 50 places."""
    rows: list[StateRow] = []
    for result in trial.results:
        if result.status != "failed" or result.key not in _STATES:
            continue
        for part in evidence_parts(result):
            rows += [
                StateRow("missed", path, *_sides(entry, "expected", "actual"))
                for path, entry in _entries(part, "missed")
            ]
            rows += [
                StateRow(str(entry.get("kind", "changed")), path, *_sides(entry, "before", "after"))
                for path, entry in _entries(part, "unexpected")
            ]
    return list(dict.fromkeys(rows))[:MOST_STATE]


def _entries(evidence: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    listed = evidence.get(name)
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("path"), str):
            yield entry["path"], entry


def _sides(entry: dict[str, Any], before: str, after: str) -> tuple[str, str]:
    """Both values as text; what was not there has no key."""
    left, right = (
        value_text(entry[name], 200) if name in entry else "absent" for name in (before, after)
    )
    return left, right


def marked_calls(trial: Trial) -> dict[int, list[str]]:
    """The calls that failed checks speak of: the call's index to the checks' keys."""
    found: dict[int, list[str]] = {}
    for result in trial.results:
        if result.status != "failed" or result.key not in _SPEAKING:
            continue
        for part in evidence_parts(result):
            for name, at in _SPEAKING[result.key]:
                listed = part.get(name)
                for entry in listed if isinstance(listed, list) else ():
                    if not isinstance(entry, dict) or entry.get("confirmed") is True:
                        continue
                    index = entry.get(at)
                    if isinstance(index, int) and result.key not in found.setdefault(index, []):
                        found[index].append(result.key)
    return found


def false_claims(trial: Trial) -> list[tuple[str, str]]:
    """What the agent said that is not so: the check that found it, and the sentence."""
    found: list[tuple[str, str]] = []
    for result in trial.results:
        if result.status != "failed" or result.key not in _CLAIMS:
            continue
        for part in evidence_parts(result):
            listed = part.get("claims")
            for entry in listed if isinstance(listed, list) else ():
                sentence = entry.get("sentence") if isinstance(entry, dict) else None
                if isinstance(sentence, str) and sentence and not entry.get("ok"):
                    found.append((result.key, sentence))
    return found


_CLAIMS = ("claimed_action", "claimed_calls", "false_success")
_SPEAKING: dict[str, tuple[tuple[str, str], ...]] = {
    "forbidden_calls": (("calls", "index"),),
    "policies": (("violations", "index"),),
    "precedence": (("violations", "index"),),
    "approval": (("calls", "index"),),
    "unknown_tools": (("calls", "index"),),
    "provenance": (("made_up", "call"),),
    "injection": (("calls", "index"), ("tainted", "call")),
    "guessed_arguments": (("calls", "index"),),
    "no_calls": (("calls", "index"),),
}
"""The lists in evidence that name calls which should not have been made so, and where."""
