"""NaN, Infinity and numbers too large: what JSON cannot hold, told where a suite was read with it."""

from __future__ import annotations

import re
from typing import Any

from passhat.case import Case, Suite
from passhat.convert.ledger import FieldNote
from passhat.convert.sources import OURS, Source
from passhat.jsontext import read_bytes
from passhat.values.parts import leaves

TAG = "$float"
_BARE = re.compile(rb"[:\[,\s]-?(?:NaN|Infinity|[\d.]+[eE]\+?\d{3,}|\d{309,})")


def nonnumbers(source: Source, suite: Suite) -> list[FieldNote]:
    """What a source writes as a number and JSON has no number for, field by field.

    It is `{"$float": "NaN"}` in the suite and in all that is written of it, which is a value of its
    own: one NaN equals another here, and in no framework. A source that wrote it so has no such
    note.
    """
    if source.format == OURS or not source.is_file or not _BARE.search(read_bytes(source.given)):
        return []
    parts: list[tuple[str | None, str, Any]] = [
        (None, name, getattr(suite, name)) for name in ("metadata", "extensions", "tools")
    ]
    parts += [
        (case.id, name, getattr(case, name))
        for case in suite.cases
        for name in Case.__struct_fields__
    ]
    made = []
    for case, name, value in parts:
        found = [(path, word) for path, word in leaves(value) if path.endswith(TAG)]
        if found:
            word = found[0][1]
            judged = name in ("expected_calls", "forbidden_calls", "turns")
            run = f"actual [f(x={word})], expected [f(x={word})]: theirs False, ours True"
            made.append(
                FieldNote(
                    case,
                    name,
                    "approximated",
                    f'JSON has no {word}: it is {{"{TAG}": "{word}"}} now',
                    run if judged and word == "NaN" else "",
                    tuple(path.removesuffix(TAG).removesuffix(".") for path, _ in found),
                    "read",
                )
            )
    return made
