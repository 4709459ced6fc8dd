"""Which production traces are scored: those that a sample takes, and those that something flags."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from typing import Literal, TypeAlias

from passhat_langsmith.cases import Json
from passhat_langsmith.errors import is_handoff, is_pause, outcome_of
from passhat_langsmith.runs import seconds_of

Flag: TypeAlias = Literal["error", "limit", "thumbs_down", "slow"]
FLAGS: tuple[Flag, ...] = ("error", "limit", "thumbs_down", "slow")
THUMBS = ("user_score", "user_feedback", "thumbs", "thumbs_up", "thumb", "feedback")
SAMPLED = "sampled"
"""The tag of trials whose traces the sample took, whatever they are flagged as."""


def tags_of(
    root: Json, sample: float, always: Collection[str], slow: float, thumbs: Collection[str]
) -> tuple[str, ...]:
    """Why a trace is scored; empty where it is not."""
    drawn = int(sha256(str(root["id"]).encode()).hexdigest()[:12], 16) / 16**12 < sample
    flags = {flag for flag in _flags(root, slow, thumbs) if flag in always}
    return (*((SAMPLED,) if drawn else ()), *(f"flagged:{flag}" for flag in sorted(flags)))


def _flags(root: Json, slow: float, thumbs: Collection[str]) -> Iterator[Flag]:
    error = root.get("error")
    if isinstance(error, str) and error and not is_pause(error) and not is_handoff(error):
        yield "limit" if outcome_of(error) == "limit" else "error"
    began, ended = seconds_of(root.get("start_time")), seconds_of(root.get("end_time"))
    if began is not None and ended is not None and ended - began > slow:
        yield "slow"
    stats = root.get("feedback_stats")
    for key, one in (stats if isinstance(stats, Mapping) else {}).items():
        mean = one.get("avg") if isinstance(one, Mapping) else None
        if isinstance(mean, int | float) and (
            (key in thumbs and mean < 1) or (key == "thumbs_down" and mean > 0)
        ):
            yield "thumbs_down"
