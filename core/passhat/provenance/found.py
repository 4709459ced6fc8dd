"""Where a value came from, and what a trace may still spend on finding that out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from passhat.provenance.seen import Hit

_MOST_EFFORT = 1_500


class Found(Struct, frozen=True, eq=False):
    """Where a value came from.

    Attributes:
        hits: The places.
        how: In what way it differs from what stands there; empty where it does not.
        note: The derivation in words.
        values: What stands at the places, where that is not the value.
    """

    hits: list[Hit]
    how: str = ""
    note: str = ""
    values: tuple[Any, ...] = ()


@dataclass(slots=True)
class Effort:
    """What the searches of a trace may still cost, so that its work grows with its size alone.

    Attributes:
        left: How much is left.
        bounded: Whether the last search left something out, or was not made.
    """

    left: int = _MOST_EFFORT
    bounded: bool = False

    def spend(self, cost: int) -> bool:
        """Whether a search may be made; it is paid for then, and else said to be left out."""
        if self.left <= 0:
            self.bounded = True
            return False
        self.left -= cost
        return True
