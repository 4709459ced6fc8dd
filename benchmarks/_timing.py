"""How long things take, side by side."""

from __future__ import annotations

import time
from collections.abc import Callable


def best(*actions: Callable[[], object], times: int = 6) -> list[float]:
    """The least CPU time of each action, taken by turns."""
    spans: list[list[float]] = [[] for _ in actions]
    for _ in range(times):
        for action, taken in zip(actions, spans, strict=True):
            begun = time.process_time()
            action()
            taken.append(time.process_time() - begun)
    return [min(taken) for taken in spans]
