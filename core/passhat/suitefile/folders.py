"""Paths that a suite names: inside the suite file's own folder, or not at all."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

from passhat.errors import UsageError


def inside(folder: Path | None, text: str) -> Path:
    """The file or folder that a suite's path leads to, links followed; nothing is opened.

    Args:
        folder: The folder of the suite file; None for a suite that is no file.
        text: The path as the suite writes it.

    Raises:
        UsageError: It is absolute, leads out of the folder (by `..` or by a link), or to nothing.
    """
    if folder is None:
        raise UsageError("a path is relative to a suite file, and this suite is none")
    windows = PureWindowsPath(text)
    if Path(text).is_absolute() or windows.drive or windows.root:
        raise UsageError(f"{text!r} is absolute; write it relative to the suite file")
    try:
        root = folder.resolve()
        found = (root / text).resolve()
        there = found.exists()
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{text!r} is no path: {why}") from error
    if not found.is_relative_to(root):
        raise UsageError(f"{text!r} leads out of the suite's folder")
    if not there:
        raise UsageError(f"there is no {text!r} in the suite's folder")
    return found
