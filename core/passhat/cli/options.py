"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """How results are written."""

    text = "text"
    json = "json"
    md = "md"
