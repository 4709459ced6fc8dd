"""The airline runs of tau-bench, with the database before and after each, where they are at hand."""

import json
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Airline:
    """Recorded runs, and the state of the world around each."""

    folder: Path

    def _read(self, name: str) -> Any:
        return json.loads(self.folder.joinpath(name).read_bytes())

    @cached_property
    def before(self) -> dict[str, dict[str, Any]]:
        tables = ("flights", "reservations", "users")
        return {name: self._read(f"state_before/{name}.json") for name in tables}

    @cached_property
    def runs(self) -> list[dict[str, Any]]:
        return self._read("runs.json")

    @cached_property
    def counted(self) -> list[dict[str, Any]]:
        """What was counted elsewhere, for half of the runs."""
        lines = self.folder.joinpath("replay.jsonl").read_bytes().splitlines()
        return [json.loads(line) for line in lines]

    @cached_property
    def _agent(self) -> dict[str, Any]:
        return self._read("agent_patches.json")

    @cached_property
    def _gold(self) -> dict[str, Any]:
        return self._read("gold_patches.json")

    def after(self, task: int, trial: int) -> dict[str, dict[str, Any]]:
        """The state that a run left."""
        return self._patched(self._agent[f"{task}/{trial}"])

    def gold(self, task: int) -> dict[str, dict[str, Any]]:
        """The state that the reference actions leave."""
        return self._patched(self._gold[str(task)])

    def _patched(self, patch: dict[str, Any]) -> dict[str, dict[str, Any]]:
        state = {name: dict(table) for name, table in self.before.items()}
        for name, change in patch.items():
            for key in change.get("delete", ()):
                del state[name][key]
            state[name].update(change.get("put", {}))
        return state


@pytest.fixture(scope="session")
def airline(shared: Path) -> Airline:
    """The recorded airline runs."""
    return Airline(shared / "real" / "tau_airline")


@pytest.fixture
def calls_made():
    """A function that counts the calls which a function makes, those of Python's own functions too.

    The count is the same on any machine, so that it can hold how work grows.
    """

    def counted(function):
        count = 0

        def on_event(frame, event, argument):
            nonlocal count
            count += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(on_event)
        try:
            function()
        finally:
            sys.setprofile(before)
        return count

    return counted
