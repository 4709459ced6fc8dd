"""Tables in CSV, which hold no runs: what to do with one."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice

_HEADING = re.compile(r"\s*[A-Za-z][\w .:/?()%-]{0,60}")
_ROWS = 2
_COLUMNS = 2
"""One heading alone may be any word."""


def table_advice(head: bytes) -> str | None:
    r"""What to do with a file that begins like a table; None where it does not.

    >>> table_advice(b"case,trial,passed\na,0,1\n")
    'it is a table of results, not a recording: it goes to passhat report, gate and compare'
    >>> table_advice(b"Dear team, we are late, as ever.\n") is None
    True
    """
    try:
        text = io.StringIO(head.decode("utf-8-sig", "replace"), newline="")
        rows = list(islice(csv.reader(text), _ROWS))
    except csv.Error:
        return None
    if len(rows) < _ROWS or not _COLUMNS <= len(rows[0]) == len(rows[1]):
        return None
    if not all(map(_HEADING.fullmatch, rows[0])):
        return None
    names = {name.strip() for name in rows[0]}
    if "case" in names and names & {"passed", "status"}:
        return (
            "it is a table of results, not a recording: it goes to passhat report, gate and compare"
        )
    return (
        "it seems a table in CSV, and runs are read from JSON: export them as JSON or JSONL; or, where "
        "it says what passed, name its columns case, trial and passed, and passhat gate takes it"
    )
