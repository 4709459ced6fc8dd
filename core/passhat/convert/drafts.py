"""Folders in which drafts are written, and those that a conversion which was killed left behind."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = ".passhat-draft-"
_FRESH = 60.0
"""Seconds in which a folder may be made, and not yet be held by who made it."""


@contextmanager
def draft_folder(beside: Path | None) -> Iterator[Path]:
    """A folder that is gone afterwards; what killed conversions left beside it goes with it.

    Who works in such a folder holds a lock on it, which ends with the process. So a folder that
    nobody holds was left behind, and what is in it is half of something that is nowhere else.

    Args:
        beside: The folder that it is made in; None for the system's own.

    Raises:
        OSError: It cannot be made.
    """
    if beside is not None:
        _clear(beside)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=beside))
    held = _hold(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def _clear(folder: Path) -> None:
    for left in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime < _FRESH or left.is_symlink():
                continue
            held = _hold(left)
            if held is not None:
                shutil.rmtree(left, ignore_errors=True)
                os.close(held)


def _hold(folder: Path) -> int | None:
    """A lock on a folder; None where somebody has it, or the system has no such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        return None
    return held
