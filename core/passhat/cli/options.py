"""Options that several commands share, and what their values are read as."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from passhat.errors import UsageError


class Format(StrEnum):
    """How results are written."""

    text = "text"
    json = "json"
    md = "md"


class Method(StrEnum):
    """How intervals are made."""

    auto = "auto"
    t = "t"
    percentile = "percentile"
    bca = "bca"


Recorder: TypeAlias = Annotated[
    str | None,
    typer.Option("--from", metavar="NAME", help="What recorded them (see passhat adapters)."),
]
CaseKey: TypeAlias = Annotated[
    str | None, typer.Option(metavar="KEY", help="The metadata key that names a run's case; or id.")
]
CaseOfAll: TypeAlias = Annotated[
    str | None, typer.Option(metavar="ID", help="The case of runs that do not name theirs.")
]
RequiredChecks: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="Require these checks instead of those of the cases."),
]
AllowCode: TypeAlias = Annotated[
    bool, typer.Option("--allow-code", help="Let the suite name checks of your own to import.")
]
VariedPins: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="PIN", help="A pin in which the two runs may differ; repeatable."),
]
Ks: TypeAlias = Annotated[
    str | None, typer.Option("-k", metavar="1,2,3", help="The ks of pass^k and pass@k.")
]
Confidence: TypeAlias = Annotated[
    float, typer.Option(metavar="LEVEL", help="The level of the intervals.")
]
IntervalMethod: TypeAlias = Annotated[Method, typer.Option(help="How intervals are made.")]
BootstrapSeed: TypeAlias = Annotated[
    int, typer.Option(metavar="N", help="For bootstrap intervals.")
]
SummaryFormat: TypeAlias = Annotated[Format, typer.Option(help="How the summary is written.")]
Everything: TypeAlias = Annotated[
    bool, typer.Option("--all", help="List every case, tool and check.")
]
WrittenTo: TypeAlias = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="Where to; - is standard output.")
]


def parsed_ks(text: str | None) -> list[int] | None:
    """The ks of `-k 1,2,4`, in order; None where none are given.

    Raises:
        UsageError: They are no whole numbers from 1 on.

    >>> parsed_ks("4,1,1")
    [1, 4]
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"-k {text}: give whole numbers from 1 on, as in -k 1,2,4")
    return sorted({int(part) for part in parts})


def check_names(text: str | None) -> list[str] | None:
    """The keys that `--checks` names, None where it is not given.

    Raises:
        UsageError: It names none.

    >>> check_names("trajectory, budget")
    ['trajectory', 'budget']
    """
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise UsageError("--checks names no check, give keys as in --checks trajectory,budget")
    return names
