"""The world of one trial: its own copy of the state, that only its tools change."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from passhat.errors import InputError, Place, UsageError
from passhat.jsontext import head_of
from passhat.state import Snapshot, snapshot
from passhat.state.sources.sqlite import HEADER
from passhat.trace.builder import copied


class World(Protocol):
    """The state that the tools of one trial share.

    Attributes:
        state: What tools are given whose first parameter is `state`.
    """

    state: Any

    def taken(self) -> Snapshot | None:
        """The state as it is now; None where there is none to tell of."""
        ...

    def close(self) -> None:
        """Lets go of what the world holds."""
        ...


class NoWorld:
    """A world without a state: tools that answer by their arguments alone."""

    state: Any = None

    def taken(self) -> Snapshot | None:
        """Nothing."""
        return None

    def close(self) -> None:
        """Nothing is held."""


class ValueWorld:
    """A state in memory, copied for the trial.

    >>> start = {"orders": {"A1": "open"}}
    >>> world = ValueWorld(start)
    >>> world.state["orders"]["A1"] = "sent"
    >>> start, world.taken().value
    ({'orders': {'A1': 'open'}}, {'orders': {'A1': 'sent'}})
    """

    def __init__(self, value: Any) -> None:
        self.state = copied(value)

    def taken(self) -> Snapshot:
        """The state as it is now."""
        return snapshot(self.state)

    def close(self) -> None:
        """Nothing is held."""


class SqliteWorld:
    """A SQLite database, copied for the trial into a file of its own; tools get a connection to it.

    Raises:
        InputError: The file cannot be read, or is no database.
    """

    def __init__(self, path: Path) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="passhat-", ignore_cleanup_errors=True)
        self.path = Path(self._folder.name, path.name)
        try:
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source:
                self.state = sqlite3.connect(self.path, check_same_thread=False)
                source.backup(self.state)
        except sqlite3.Error as error:
            self._folder.cleanup()
            raise InputError(f"cannot be copied: {error}", Place(str(path))) from error

    def taken(self) -> Snapshot:
        """The tables as the connection sees them."""
        return snapshot(self.state)

    def close(self) -> None:
        """Closes the connection and removes the copy."""
        self.state.close()
        self._folder.cleanup()


class HookWorld:
    """A world outside: the user's hook puts it back before each trial, and another looks at it."""

    def __init__(
        self, reset: Callable[..., Any], look: Callable[[Any], Any] | None, case: Any
    ) -> None:
        self.state = reset(case) if _takes_one(reset) else reset()
        self._look = look

    def taken(self) -> Snapshot | None:
        """What the hook that looks sees; without one, the state that the reset gave, if it is one."""
        if self._look is not None:
            return snapshot(self._look(self.state))
        return None if self.state is None else snapshot(self.state)

    def close(self) -> None:
        """The world outside stays as the trial left it; the next reset is the next trial's."""


def _takes_one(function: Callable[..., Any]) -> bool:
    import inspect

    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def world_of(source: Any) -> World:
    """The world that begins in a state: nothing, a value, or a file or folder of one.

    Raises:
        InputError: A file cannot be read.
        UsageError: It is no state.
    """
    if source is None:
        return NoWorld()
    if isinstance(source, Snapshot):
        return ValueWorld(source.value)
    if isinstance(source, str | Path):
        path = Path(source)
        if path.is_file() and head_of(path, len(HEADER)) == HEADER:
            return SqliteWorld(path)
        return ValueWorld(snapshot(source).value)
    if isinstance(source, Mapping | list | tuple):
        return ValueWorld(snapshot(source).value)
    raise UsageError(
        f"a state is a mapping, a list, or the path of a file or folder, not {source!r:.100}; for "
        "another world give `reset` and `look`"
    )
