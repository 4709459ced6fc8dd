"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer


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
RequiredChecks: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="A,B", help="Require these checks instead of those of the cases."),
]
