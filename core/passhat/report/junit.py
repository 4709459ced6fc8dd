"""Results as JUnit XML, which CI systems show as tests: a test case for each case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

from passhat.reliability.estimators import pass_hat_k
from passhat.reliability.results import is_unread, with_unread
from passhat.reliability.wording import counted
from passhat.report.failed import alignment_of, class_words, level_of, state_rows, telling, why
from passhat.result import Trial

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\ufdd0-\ufdef]")
_MOST_TRIALS = 50
_MOST_TAGS = 20
_LONGEST = 20_000
_LONGEST_NAME = 1_000
_BROKEN = ("check_error",)


def junit_report(trials: Iterable[Trial], *, name: str = "passhat") -> str:
    """The trials as JUnit XML: a test suite for each suite, and in it a test case for each case.

    A test case fails if one of its trials does; its text has each failed trial with why, the
    expected against the actual calls and the state's difference. One whose trials could not all be
    judged is an error where a check broke, and is skipped where none counts; attempts that could
    not be read are an error together. Properties say how many trials there were, how many passed, and pass^k for all of them.

    Args:
        trials: The trials. Those of one suite have the same pin `suite`, where they have one.
        name: What to call their suite; where there are several, the pin stands beside it.

    Returns:
        A document, UTF-8; characters that XML does not allow stand as `�`.

    >>> print(junit_report([Trial("a", 0, "a/0", "passed")]).splitlines()[1])
    <testsuites name="passhat" tests="1" failures="0" errors="0" skipped="0">
    """
    pinned: dict[str, dict[str, list[Trial]]] = {}
    for trial in with_unread(trials):
        # What could not be read is of no suite that is known, and stands with the first.
        suite = next(iter(pinned), "") if is_unread(trial) else str(trial.pins.get("suite") or "")
        cases = pinned.setdefault(suite, {})
        cases.setdefault(_case_of(trial), []).append(trial)
    several = len(pinned) > 1
    suites = {f"{name} {pin}" if several and pin else name: held for pin, held in pinned.items()}
    root = ElementTree.Element("testsuites")
    totals: dict[str, int] = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite, held in suites.items():
        found = [_test_case(suite, case, runs) for case, runs in held.items()]
        counts = {
            "tests": len(found),
            "failures": sum(case.find("failure") is not None for case in found),
            "errors": sum(case.find("error") is not None for case in found),
            "skipped": sum(case.find("skipped") is not None for case in found),
        }
        seconds = sum(float(case.attrib["time"]) for case in found)
        given = {key: str(value) for key, value in counts.items()}
        element = ElementTree.SubElement(
            root, "testsuite", {"name": _name(suite), **given, "time": f"{seconds:.3f}"}
        )
        element.extend(found)
        for key, value in counts.items():
            totals[key] += value
    root.attrib.update({"name": _name(name), **{key: str(n) for key, n in totals.items()}})
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case_of(trial: Trial) -> str:
    return trial.case_id or ("(could not be read)" if is_unread(trial) else "(no case)")


def _test_case(suite: str, case: str, trials: list[Trial]) -> ElementTree.Element:
    trials = sorted(trials, key=lambda trial: trial.trial)
    taken = sum(trial.seconds or 0 for trial in trials)
    element = ElementTree.Element(
        "testcase", {"classname": _name(suite), "name": _name(case), "time": f"{taken:.3f}"}
    )
    counting = [trial for trial in trials if trial.passed or trial.lost]
    caseless = all(trial.case_id is None for trial in trials)
    passed = sum(trial.passed for trial in counting)
    properties = ElementTree.SubElement(element, "properties")
    for key, value in _properties(trials, counting, passed):
        ElementTree.SubElement(properties, "property", {"name": key, "value": value})
    lost = [trial for trial in counting if trial.lost]
    broken = [trial for trial in trials if trial.status in _BROKEN]
    if lost and not caseless:
        worst = min(lost, key=lambda trial: level_of(trial) != "critical")
        message = f"{len(lost)} of {counted(len(counting), 'trial')} failed: {why(worst)}"
        _add(element, "failure", message, worst.failed_as or "", _told(lost))
    elif broken:
        _add(element, "error", broken[0].reason, "check_error", _told(broken))
    elif is_unread(trials[0]):
        told = "\n".join(trial.reason for trial in trials[:_MOST_TRIALS])
        _add(element, "error", f"{counted(len(trials), 'run')} {trials[0].reason}", "unread", told)
    elif caseless or not counting:
        kinds = ", ".join(dict.fromkeys(trial.status for trial in trials))
        ElementTree.SubElement(
            element, "skipped", {"message": _name(f"{kinds}: {trials[0].reason}")}
        )
    left_out = [trial for trial in trials if trial not in counting]
    if left_out and counting:
        lines = [f"trial {t.trial}: {t.status}: {t.reason}" for t in left_out[:_MOST_TRIALS]]
        ElementTree.SubElement(element, "system-out").text = _fit("\n".join(lines))
    return element


def _properties(
    trials: list[Trial], counting: list[Trial], passed: int
) -> Iterator[tuple[str, str]]:
    yield "trials", str(len(trials))
    yield "counted", str(len(counting))
    yield "passed", str(passed)
    if counting:
        n = len(counting)
        yield f"pass^{n}", f"{pass_hat_k(n, passed, n):g}"
        yield "success_rate", f"{passed / n:.4g}"
    for trial in trials[:_MOST_TRIALS]:
        said = (
            f"{trial.status}: {class_words(trial.failed_as)}" if trial.failed_as else trial.status
        )
        yield f"trial.{trial.trial}", _name(said)
    for tag in list(dict.fromkeys(tag for trial in trials for tag in trial.tags))[:_MOST_TAGS]:
        yield "tag", _name(tag)


def _add(parent: ElementTree.Element, tag: str, message: str, kind: str, text: str) -> None:
    element = ElementTree.SubElement(parent, tag, {"message": _name(message), "type": _name(kind)})
    element.text = _fit(text)


def _told(trials: list[Trial]) -> str:
    """Trials with why they failed, at length."""
    blocks = [_block(trial) for trial in trials[:_MOST_TRIALS]]
    if len(trials) > _MOST_TRIALS:
        blocks.append(f"and {len(trials) - _MOST_TRIALS} more trials")
    return "\n\n".join(blocks)


def _block(trial: Trial) -> str:
    kind = f"{level_of(trial)}, {class_words(trial.failed_as)}" if trial.failed_as else trial.status
    lines = [f"trial {trial.trial} ({trial.trace_id}): {kind}: {why(trial)}"]
    lines += [f"  {result.key}: {result.reason}" for result in telling(trial)]
    lines += [f"    {line}" for line in alignment_of(trial).splitlines()]
    lines += [
        f"  {row.path}: {row.kind}: {row.expected} -> {row.actual}" for row in state_rows(trial)
    ]
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _name(text: str) -> str:
    """A text for an attribute: on one line, and not too long."""
    fit = " ".join(_fit(text).split())
    return fit if len(fit) <= _LONGEST_NAME else f"{fit[: _LONGEST_NAME - 1]}…"


def _fit(text: str) -> str:
    r"""The text without characters that XML does not allow.

    >>> _fit("a\x00b\ud800")
    'a\ufffdb\ufffd'
    """
    return _UNFIT.sub("\ufffd", text)
