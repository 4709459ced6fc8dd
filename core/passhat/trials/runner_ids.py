"""Who runs trials: a name that tells, on one machine, whether a runner is still alive."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path


def own_id() -> str:
    """A new name for a runner in this process: `host/pid/started/nonce`."""
    return f"{socket.gethostname()}/{os.getpid()}/{_started(os.getpid())}/{secrets.token_hex(4)}"


def is_dead(runner: str) -> bool:
    """Whether a runner's process is surely gone; one on another machine may be alive.

    >>> is_dead(own_id())
    False
    """
    parts = runner.rsplit("/", 3)
    if len(parts) != 4 or parts[0] != socket.gethostname() or not parts[1].isdecimal():
        return False
    pid = int(parts[1])
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
