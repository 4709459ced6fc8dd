"""What `passhat demo` shows: recorded runs of a shop's support agent, and a refund desk to play.

`SUITE` and `TRACES` are 48 recorded runs and their suite. `REFUNDS` is the suite of the refund desk,
which `demos` plays in each framework that is installed; an adapter joins in by `DemoAdapter`.

Names are loaded when they are first used, so that importing the room costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passhat.demo.desk import TOOLS, Move, Script, answered
    from passhat.demo.showing import Demo, DemoAdapter, demos, plain_demo, played

TRACES = Path(__file__).parent / "traces.jsonl"
"""The runs: 12 tasks, 4 attempts each, as OpenAI chat messages."""

SUITE = Path(__file__).parent / "suite.yaml"
"""What is expected of them."""

REFUNDS = Path(__file__).parent / "refunds.yaml"
"""What is expected of the refund desk."""

_ROOM_OF = {
    **dict.fromkeys(("TOOLS", "Move", "Script", "answered"), "desk"),
    **dict.fromkeys(("Demo", "DemoAdapter", "demos", "plain_demo", "played"), "showing"),
}

__all__ = [
    "REFUNDS",
    "SUITE",
    "TOOLS",
    "TRACES",
    "Demo",
    "DemoAdapter",
    "Move",
    "Script",
    "answered",
    "demos",
    "plain_demo",
    "played",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'passhat.demo' has no attribute {name!r}")
    value = getattr(import_module(f"passhat.demo.{_ROOM_OF[name]}"), name)
    globals()[name] = value
    return value
