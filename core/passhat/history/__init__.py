"""Runs over time: where they are kept, and how they moved."""

from passhat.history.saving import run_path
from passhat.history.trend import (
    HISTORY_SCHEMA,
    RunPoint,
    Trend,
    Unsteady,
    read_history,
    trend_of,
)

__all__ = [
    "HISTORY_SCHEMA",
    "RunPoint",
    "Trend",
    "Unsteady",
    "read_history",
    "run_path",
    "trend_of",
]
