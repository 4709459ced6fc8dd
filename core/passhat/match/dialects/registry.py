"""The dialects there are, and what they answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from passhat.errors import UsageError
from passhat.match.dialects.adk import ADK
from passhat.match.dialects.agentevals import AGENTEVALS, OPENEVALS
from passhat.match.dialects.bfcl import BFCL
from passhat.match.dialects.calls import trajectories
from passhat.match.dialects.deepeval import DEEPEVAL
from passhat.match.dialects.dialect import Dialect, FrameworkError, Mode, Question, Raises, Verdict
from passhat.match.dialects.ragas import RAGAS
from passhat.match.dialects.vertex import VERTEX

DIALECTS: tuple[Dialect, ...] = (AGENTEVALS, OPENEVALS, ADK, RAGAS, DEEPEVAL, VERTEX, BFCL)


def find_dialect(name: str) -> Dialect:
    """The dialect of a framework: `agentevals` (the newest there is) or `agentevals@0.0.9`.

    Raises:
        UsageError: There is no such dialect, or not of this version.

    >>> find_dialect("adk").id
    'adk@2.13'
    """
    word, _, version = name.partition("@")
    known = [dialect for dialect in DIALECTS if dialect.name == word]
    if not known:
        raise UsageError(f"{word!r} is no dialect{_nearest(word, [d.name for d in DIALECTS])}")
    for dialect in reversed(known):
        if version in ("", dialect.version):
            return dialect
    versions = ", ".join(dialect.version or "none in particular" for dialect in known)
    raise UsageError(f"{word} is not known at version {version}: known is {versions}")


def find_mode(dialect: Dialect, mode: str, args: str = "exact") -> Mode:
    """One of a dialect's modes, by name, however it is spelt: `in_order`, `IN_ORDER`, `In Order`.

    Raises:
        UsageError: It has no such mode, or the mode has no such argument mode.
    """
    found = dialect.modes.get(mode, dialect.modes.get(in_our_spelling(mode)))
    if found is None:
        raise UsageError(f"{dialect.id} has no mode {mode!r}{_nearest(mode, dialect.modes)}")
    if args not in found.arguments:
        raise UsageError(
            f"{dialect.id} {mode} compares no arguments by {args!r}"
            f"{_nearest(args, found.arguments)}"
        )
    return found


def in_our_spelling(mode: str) -> str:
    """A mode's name as we write it: ADK writes `IN_ORDER`, and takes `In Order` and `in-order`."""
    return mode.strip().casefold().replace("-", "_").replace(" ", "_")


def _nearest(word: str, known: Mapping[str, Any] | list[str]) -> str:
    close = get_close_matches(word, known, n=1, cutoff=0.6)
    guess = f", did you mean {close[0]}?" if close else ""
    return f"{guess} (known: {', '.join(known)})"


def verdict(
    dialect: str | Dialect,
    mode: str,
    actual: Any,
    expected: Any,
    args: str = "exact",
    *,
    tools: Mapping[str, Mapping[str, Any]] | None = None,
) -> Verdict:
    """What a framework would answer about these calls, bugs included.

    Args:
        dialect: `agentevals`, `openevals`, `adk`, `ragas`, `deepeval`, `vertex` or `bfcl`, with a
            version (`agentevals@0.0.9`) or without (the newest known).
        mode: One of its modes.
        actual: The calls that were made: names, mappings with `name` and `args`, or objects with
            these. Lists of calls inside are assistant messages to agentevals and openevals, and
            turns to ADK; without them each call is a message of its own, and all are one turn.
            Arguments given as text are the model's JSON, not yet read.
        expected: The calls that were expected, likewise; None where there is no expectation at
            all. For `bfcl` each argument is the list of its allowed values.
        args: How arguments compare: `exact`, `ignore`, `subset` or `superset`, as far as the
            framework has them.
        tools: JSON Schemas of the arguments by tool, which `bfcl` looks at.

    Returns:
        True or False where the framework says yes or no, a number in 0..1 where it scores,
        `Raises` where it raises, None where it gives no score.

    Raises:
        UsageError: There is no such dialect, mode or argument mode, or something is no call.

    >>> verdict("agentevals@0.0.9", "superset", ["search", "book"], ["book"])
    True
    >>> refund = {"name": "refund", "args": {"amount": 1}}
    >>> verdict("deepeval", "default", [refund, refund], [refund, refund])
    0.5
    >>> verdict("adk", "exact", [["a"], ["b"]], [["a"], ["c"]])
    0.5
    >>> print(verdict("agentevals", "strict", [{"name": "a", "args": "{"}], ["a"]))
    raises JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
    """
    found = find_dialect(dialect) if isinstance(dialect, str) else dialect
    asked = find_mode(found, mode, args)
    if expected is None:
        if found.without_expected is not None:
            return found.without_expected
        expected = ()
    return answer(asked, Question(*trajectories(actual, expected), args, tools))


def answer(mode: Mode, question: Question) -> Verdict:
    """What a mode answers, with an exception of the framework as a value."""
    try:
        return mode.judge(question)
    except FrameworkError as error:
        return error.raises
    except RecursionError as error:
        return Raises("RecursionError", str(error))


def dialect_modes() -> Iterator[tuple[Dialect, Mode, str]]:
    """Every mode of every dialect with each of its argument modes, in a fixed order."""
    for dialect in DIALECTS:
        for mode in dialect.modes.values():
            for args in mode.arguments:
                yield dialect, mode, args


def spelling(dialect: Dialect, mode: Mode, args: str) -> str:
    """A mode in one word, as `explain` takes it: `agentevals:superset`, `adk:exact:ignore`."""
    return f"{dialect.name}:{mode.name}" + ("" if args == "exact" else f":{args}")
