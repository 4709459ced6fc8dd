"""What a reader says whose form holds no suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from passhat.adapter import Fidelity
from passhat.case import Suite
from passhat.errors import UsageError


class Suiteless:
    """Refuses suites, for readers of forms that hold recorded runs alone."""

    label: ClassVar[str]

    def read_suite(self, source: Any) -> tuple[Suite, Fidelity]:
        """Refused: recorded runs are no suite.

        Raises:
            UsageError: Always.
        """
        raise UsageError(f"{self.label} hold no suite: they record attempts, and expect nothing")

    def write_suite(self, suite: Suite, target: Path) -> Fidelity:
        """Refused: recorded runs are no suite.

        Raises:
            UsageError: Always.
        """
        raise UsageError(f"{self.label} cannot hold a suite; write it as a suite file")
