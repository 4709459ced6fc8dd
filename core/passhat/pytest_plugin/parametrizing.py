"""A suite as the parameters of a test."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection

    import pytest


def cases(
    suite: str | Path | Any, argname: str = "case", *, tags: Collection[str] = ()
) -> pytest.MarkDecorator:
    """A decorator that runs a test once for each case of a suite.

    A case that says how many `trials` it wants is run as so many, as with the marker `passhat`; the
    test's id is that of its case.

    Args:
        suite: A suite, or its file; a relative path is one beside the file that asks.
        argname: The name of the test's argument that takes the case.
        tags: Only the cases that have one of these; all without.

    Raises:
        SuiteError: The suite has faults.
        UsageError: No case has one of the tags.

    >>> from passhat import Case, Suite
    >>> mark = cases(Suite("s", cases=(Case("a"), Case("b", trials=3))))
    >>> [parameter.id for parameter in mark.args[1]]
    ['a', 'b']
    """
    import pytest

    from passhat.case import Suite
    from passhat.errors import UsageError
    from passhat.suitefile.reading import read_suite

    if not isinstance(suite, Suite):
        beside = Path(sys._getframe(1).f_globals.get("__file__", ".")).parent
        suite = read_suite(beside / suite)
    chosen = [case for case in suite.cases if not tags or not set(tags).isdisjoint(case.tags)]
    if not chosen:
        raise UsageError(f"no case of the suite has one of the tags {', '.join(sorted(tags))}")
    return pytest.mark.parametrize(
        argname,
        [
            pytest.param(
                case,
                id=case.id,
                marks=[pytest.mark.passhat(trials=case.trials)] if case.trials else [],
            )
            for case in chosen
        ],
    )
