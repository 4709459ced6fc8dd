"""Lines appended to a file under its lock, by whichever process comes first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from passhat.errors import UsageError
from passhat.trials.journal import unwritable


@dataclass
class LockedLines:
    """A file of lines, of which each is written whole or not at all.

    Attributes:
        file: The file.
        take: Is given each whole line with where it begins, once and in order, whoever wrote it.
    """

    file: Path
    take: Callable[[bytes, int], None]
    _fd: int = -1
    _read: int = 0
    _inside: bool = False
    _waiting: list[bytes] | None = None

    @contextmanager
    def locked(self, *, create: bool = False) -> Iterator[None]:
        """Within it this process alone writes, and has taken all that was written before.

        Args:
            create: Whether to make the file where there is none.

        Raises:
            UsageError: The file cannot be opened or written.
        """
        import fcntl

        if self._inside:
            yield
            return
        try:
            if self._fd < 0:
                self._fd = os.open(self.file, os.O_RDWR | (os.O_CREAT if create else 0), 0o666)
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        except OSError as error:
            raise self._unwritable(error) from error
        self._inside = True
        try:
            self._catch_up()
            yield
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            self._inside = False
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is appended within it is written in one go, at its end.

        Raises:
            UsageError: The file cannot be written.
        """
        with self.locked():
            self._waiting = []
            try:
                yield
                waiting, self._waiting = self._waiting, None
                if waiting:
                    self._write(waiting)
            finally:
                self._waiting = None

    def append(self, line: bytes) -> None:
        """Writes a line behind the last whole one; only for use within `locked`."""
        if self._waiting is None:
            self._write([line])
        else:
            self._waiting.append(line)

    def at(self, place: int, size: int) -> bytes:
        """The bytes that stand at a place."""
        # By the file that is open: an agent may have gone to another folder.
        return os.pread(self._fd, size, place)

    def close(self) -> None:
        """Lets go of the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _write(self, lines: list[bytes]) -> None:
        data = b"".join(lines)
        try:
            if os.fstat(self._fd).st_size > self._read:
                os.ftruncate(self._fd, self._read)
            done = 0
            while done < len(data):
                done += os.pwrite(self._fd, data[done:], self._read + done)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._fd, self._read)
            raise
        for line in lines:
            self._pass_on(line)

    def _catch_up(self) -> None:
        """Takes in the lines that were written since, by whomever."""
        if os.fstat(self._fd).st_size <= self._read:
            return
        with os.fdopen(os.dup(self._fd), "rb") as opened:
            opened.seek(self._read)
            for line in opened:
                if not line.endswith(b"\n"):
                    break  # Cut by a kill: it was never finished.
                self._pass_on(line)

    def _pass_on(self, line: bytes) -> None:
        at = self._read
        self._read += len(line)
        self.take(line, at)

    def _unwritable(self, error: OSError) -> UsageError:
        return unwritable(self.file, error.strerror)
