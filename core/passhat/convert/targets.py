"""Where a conversion is written: whole or not at all, and over nothing without being told to."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from passhat.convert.drafts import draft_folder
from passhat.errors import Place, UsageError
from passhat.jsontext.files import STANDARD

_SUFFIX = {"passhat": ".yaml", "adk": ".evalset.json"}


@dataclass(frozen=True, slots=True)
class Draft:
    """Files that are written but not yet in place.

    Attributes:
        path: Where to write.
        target: What the file becomes; `-` for standard output.
        force: Whether it may take the place of what is there.
    """

    path: Path
    target: str
    force: bool

    def commit(self) -> None:
        """Puts all that was written in its place, or nothing of it.

        Raises:
            UsageError: Something else is there, or it cannot be written.
        """
        beside = [path for path in sorted(self.path.parent.iterdir()) if path != self.path]
        if self.target == STANDARD or _is_device(Path(self.target)):
            if beside:
                names = ", ".join(path.name for path in beside)
                raise UsageError(f"{names} belongs beside it; name a file with -o")
            self._pour()
            return
        final = Path(self.target).resolve()
        moves = [(self.path, final), *((path, final.parent / path.name) for path in beside)]
        moves = [(one, there) for one, there in moves if not _same(one, there)]
        for _, there in moves:
            if there.exists() and not self.force:
                raise UsageError(
                    "it is there already, and says something else; --force writes over it",
                    Place(str(there)),
                )
        _move(moves)

    def _pour(self) -> None:
        with self.path.open("rb") as file:
            if self.target == STANDARD:
                shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            else:
                with Path(self.target).open("wb") as device:
                    shutil.copyfileobj(file, device)


@contextmanager
def drafted(target: str, format: str, *, force: bool, what: str = "suite") -> Iterator[Draft]:
    """A draft in a folder beside the target, which is gone afterwards.

    Raises:
        UsageError: The target cannot be written, or is there already.
    """
    check_target(target, force=force)
    final = Path(target)
    elsewhere = target == STANDARD or _is_device(final)
    suffix = _SUFFIX.get(format, ".jsonl") if what == "suite" else ".jsonl"
    name = f"converted{suffix}" if elsewhere else final.name
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(
                draft_folder(None if elsewhere else final.resolve().parent)
            )
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror}", Place(target)) from error
        draft = Draft(folder / name, target, force)
        try:
            yield draft
        except UsageError as error:
            if error.place is None or error.place.file != str(draft.path):
                raise
            raise UsageError(error.message, Place(target)) from error  # Nobody knows of the draft.


def check_target(target: str, *, force: bool) -> None:
    """Says what speaks against writing a target, before anything is read.

    Raises:
        UsageError: It is there already and must not be replaced, or cannot be written.
    """
    if target == STANDARD:
        return
    path = Path(target)
    parent = path.resolve().parent
    if not parent.is_dir():
        raise UsageError(f"cannot be written: there is no folder {path.parent}", Place(target))
    if path.is_dir():
        raise UsageError("cannot be written: it is a folder", Place(target))
    if not os.access(parent, os.W_OK) and not _is_device(path):
        raise UsageError("cannot be written: the folder lets nobody write", Place(target))
    if path.exists() and not _is_device(path) and not force:
        raise UsageError("it is there already; --force writes over it", Place(target))


def _is_device(path: Path) -> bool:
    return path.exists() and not path.is_file() and not path.is_dir()


def _same(one: Path, there: Path) -> bool:
    return there.is_file() and one.read_bytes() == there.read_bytes()


def _move(moves: list[tuple[Path, Path]]) -> None:
    """Moves all files to their places; where one cannot be moved, those before it are moved back."""
    done: list[tuple[Path, Path | None]] = []
    at = moves[0][1] if moves else Path()
    try:
        for one, there in moves:
            at = there
            kept: Path | None = None
            if there.exists():
                kept = one.with_name(f".{there.name}.{secrets.token_hex(4)}")
                shutil.copy2(there, kept)
                shutil.copymode(there, one)
            one.replace(there)
            done.append((there, kept))
    except OSError as error:
        for there, kept in reversed(done):
            with suppress(OSError):
                if kept is None:
                    there.unlink()
                else:
                    kept.replace(there)
        raise UsageError(f"cannot be written: {error.strerror}", Place(str(at))) from error
