"""What is changed for the whole process while single steps run, and heeded only within them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Within:
    """The contexts in which steps run: the first to enter sets up, the last to leave puts back.

    Args:
        begin: Sets up, at each entering; it is told whether no other is within.
        end: Puts back, once none is within.
    """

    def __init__(self, begin: Callable[[bool], None], end: Callable[[], None]) -> None:
        self._begin = begin
        self._end = end
        self._here: ContextVar[bool] = ContextVar("within", default=False)
        self._lock = threading.Lock()
        self._running = 0

    @property
    def here(self) -> bool:
        """Whether the current context is within."""
        return self._here.get()

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Within it, the current context is one of them, and those that are copied from it."""
        with self._lock:
            self._begin(not self._running)
            self._running += 1
        token = self._here.set(True)
        try:
            yield
        finally:
            self._here.reset(token)
            with self._lock:
                self._running -= 1
                if not self._running:
                    self._end()
