"""Who runs trials: a name that tells, on one machine, whether a runner is still alive."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path

_HERE: set[str] = set()
"""The runners of this process that have not retired."""


def own_id() -> str:
    """A new name for a runner in this process: `host/pid/started/nonce`."""
    pid = os.getpid()
    name = f"{socket.gethostname()}/{pid}/{_started(pid)}/{secrets.token_hex(4)}"
    _HERE.add(name)
    return name


def retire(runner: str) -> None:
    """Says that a runner of this process is gone, though the process is not."""
    _HERE.discard(runner)


def is_dead(runner: str) -> bool:
    """Whether a runner is surely gone; one on another machine may be alive.

    >>> is_dead(own_id())
    False
    """
    parts = runner.rsplit("/", 3)
    if len(parts) != 4 or parts[0] != socket.gethostname() or not parts[1].isdecimal():
        return False
    pid = int(parts[1])
    if pid == os.getpid() and _started(pid) == parts[2]:
        return runner not in _HERE
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return _started(pid) != parts[2]


def _started(pid: int) -> str:
    """When a process began, as the system counts it; empty where the system does not say.

    A process that has ended and is not yet fetched by its parent has not begun, for our purpose.
    """
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = told.rpartition(")")[2].split()
    return "ended" if fields[0] in "ZX" else fields[19]
