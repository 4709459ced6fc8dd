"""Rows of LangSmith's own command line, by the keys that runs have everywhere else.

`langsmith trace export`, `trace get` and `run list` call the id `run_id`, and gather what is known of
metadata, tokens and cost under keys of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_GATHERED = ("token_usage", "costs")


def as_run(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the command line as a run.

    >>> row = {"run_id": "r", "run_type": "llm", "token_usage": {"prompt_tokens": 3}, "costs": None}
    >>> made = as_run(row)
    >>> made["id"], made["prompt_tokens"], made["extra"]
    ('r', 3, {'metadata': None})
    """
    made = {**row, "id": row["run_id"], "extra": {"metadata": row.get("custom_metadata")}}
    for key in _GATHERED:
        held = row.get(key)
        if isinstance(held, Mapping):
            made |= held
    return made
