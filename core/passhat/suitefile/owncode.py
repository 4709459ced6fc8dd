"""Checks of the user's own that a suite names by dotted path: `module:name` or `module.name`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module, invalidate_caches
from importlib.machinery import PathFinder
from pathlib import Path
from sysconfig import get_paths
from traceback import extract_tb
from types import FunctionType
from typing import Any

from passhat.errors import UsageError
from passhat.grading.catalogue import CATALOGUE, check, known_checks
from passhat.grading.protocol import FunctionCheck

_DOTTED = re.compile(r"[^\W\d][\w.]*[:.][^\W\d][\w.]*")
_MISSPELT = 0.85


def is_dotted(key: str) -> bool:
    """Whether a check's key is a dotted path, and not a known key or one that is a letter off.

    >>> is_dotted("own.checks:polite"), is_dotted("own.polite"), is_dotted("response.includes")
    (True, True, False)
    """
    if ":" in key:
        return True
    misspelt = get_close_matches(key, CATALOGUE, 1, _MISSPELT)
    return "." in key and key not in known_checks() and not misspelt


def own_check(path: str, folder: Path | None = None) -> str:
    """The key of the check that a dotted path leads to, imported and known to grading from now on.

    Args:
        path: `package.module:name`, or `package.module.name`, of a check made with
            `passhat.check`, or of a function `(trace, case) -> bool | float | CheckResult`, whose
            key is then its name. The module stands in `folder`, in the working folder, or is
            installed.
        folder: The suite's folder, where it has one.

    Raises:
        UsageError: It cannot be imported, or is neither.
    """
    if not _DOTTED.fullmatch(path):
        raise UsageError(f"{path!r} is no dotted path: it is written package.module:name")
    module, _, name = path.partition(":") if ":" in path else path.rpartition(".")
    found: Any = _imported(module, folder)
    try:
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError as error:
        raise UsageError(f"{path!r} is not there: {error}") from error
    if isinstance(found, FunctionCheck):
        return found.key
    if isinstance(found, FunctionType):
        function: Callable[..., Any] = found
        return check(found.__name__)(function).key
    raise UsageError(f"{path!r} is no check: make it one with @passhat.check")


def _imported(module: str, folder: Path | None) -> Any:
    """The module, imported.

    Raises:
        UsageError: There is none, another of its name is loaded already, or importing it fails.
    """
    with _looking_in(folder):
        _not_another(module)
        try:
            return import_module(module)
        except (Exception, SystemExit) as error:  # A module is anybody's code.
            if isinstance(error, ModuleNotFoundError) and _of(module, error.name):
                where = f"the suite's folder ({folder}), " if folder is not None else ""
                raise UsageError(
                    f"there is no module {error.name!r} in {where}the working folder "
                    f"({Path.cwd()}) or among what is installed"
                ) from error
            raise UsageError(
                f"importing {module!r} failed{_line_of(error)}: {type(error).__name__}: {error}"
            ) from error


@contextmanager
def _looking_in(folder: Path | None) -> Iterator[None]:
    """Puts the suite's folder and the working folder first where modules are looked for."""
    folders = [Path.cwd()] if folder is None else [folder.resolve(), Path.cwd()]
    before = list(sys.path)
    sys.path[:0] = [str(each) for each in folders]
    invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


def _not_another(module: str) -> None:
    """Refuses a module of whose name another one is loaded: its checks would be the wrong ones."""
    root = module.partition(".")[0]
    loaded = getattr(sys.modules.get(root), "__spec__", None)
    meant = PathFinder.find_spec(root)
    if loaded is not None and meant is not None and loaded.origin != meant.origin:
        raise UsageError(
            f"{root!r} is {meant.origin} here, and another module of that name is loaded already "
            f"({loaded.origin}); give them different names"
        )


def _of(module: str, name: str | None) -> bool:
    """Whether a name is that of the module, or of a package that it stands in."""
    return name is not None and f"{module}.".startswith(f"{name}.")


def _line_of(error: BaseException) -> str:
    """The file and the line that broke off the import, where they can be told."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" at {Path(error.filename).name}:{error.lineno}"
    others = tuple(get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
    frames = [
        frame
        for frame in extract_tb(error.__traceback__)
        if frame.filename != __file__ and not frame.filename.startswith((*others, "<"))
    ]
    return f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
