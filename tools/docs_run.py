"""Runs pages of the docs and holds what they print against what they say.

    python tools/docs_run.py README.md docs/guide/score.md        tells the differences
    UPDATE_DOCS=1 python tools/docs_run.py docs/guide/score.md    writes them into the page

The blocks of a page run in the order they stand, in a temporary folder that begins as a copy of
`docs/data`, or of the folder that the page names in `<!-- folder: examples/refunds -->`; the
folder `.` has `examples/` and `docs/data/` in it, as the repository has.

- A block titled with a file's name (```yaml title="suite.yaml") is written to that file.
- A ```python block runs, and its names are there for the blocks that follow. What a statement
  prints stands below it in `#> ` comments.
- A ```console block is a session: each `$ ` line is a command for bash, and what it prints
  follows. After a command that does not exit with 0 the session asks `$ echo $?`.

A line of output that is only `...` stands for any lines. Blocks in other languages are shown and
not run; one that looks as if it should run is a fault.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import sys
import tempfile
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from docs_blocks import TERMINAL, run_console, run_python
from docs_page import Block, Page

ROOT = Path(__file__).resolve().parent.parent
DATA = "docs/data"
FILE_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)*\.\w+")


@dataclass
class Run:
    """What running a page gave.

    Attributes:
        lines: The page as it should read.
        faults: What is wrong with the page that no new output mends, each with its place.
    """

    lines: list[str]
    faults: list[str] = field(default_factory=list)


def run_page(page: Page, folder: Path) -> Run:
    """The page as it should read, once its blocks have run in `folder`, which they may change.

    What a python block raises is not caught: the traceback names the line of the page.
    """
    run = Run(list(page.lines))
    names = sys.modules["page"] = ModuleType("page")
    ran: list[tuple[Block, list[str]]] = []
    for block in page.blocks:
        if block.title and FILE_NAME.fullmatch(block.title):
            file = folder / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        faults: list[str] = []
        if block.language == "python":
            with chdir(folder):
                ran.append((block, run_python(block, page.path, names)))
        elif block.language == "console":
            lines, faults = run_console(block, folder)
            ran.append((block, lines))
        elif any(line.startswith(("$ ", ">>> ", "#> ")) for line in block.lines):
            language = block.language or "plain"
            faults = [f"a {language} block is not run; write it as python or console"]
        run.faults += [f"{page.path}:{block.first}: {fault}" for fault in faults]
    for block, lines in reversed(ran):
        start = block.first - 1
        indented = [f"{block.indent}{line}" if line else "" for line in lines]
        run.lines[start : start + len(block.lines)] = indented
    return run


def lay_out(page: Page, folder: Path) -> None:
    """Copies what the page's blocks work on into `folder`.

    Raises:
        FileNotFoundError: The page names a folder that is not there.
    """
    wanted = {DATA: folder} if page.folder is None else {page.folder: folder}
    if page.folder == ".":
        wanted = {name: folder / name for name in ("examples", DATA)}
    for name, copy in wanted.items():
        if page.folder not in (None, ".") or (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy, dirs_exist_ok=True)


def main(paths: list[str]) -> int:
    """Runs the pages; 1 if one of them does not read as it should."""
    os.environ.update(TERMINAL)
    sys.path.insert(0, "")  # As in an interactive session: modules of the page's folder are found.
    wrong = False
    for path in paths:
        page = Page(Path(path).resolve())
        with tempfile.TemporaryDirectory() as folder:
            lay_out(page, Path(folder))
            run = run_page(page, Path(folder))
        changed = run.lines != page.lines
        if changed and os.environ.get("UPDATE_DOCS"):
            page.path.write_text("\n".join(run.lines) + "\n", encoding="utf-8")
            print(f"{path}: written anew")
        elif changed:
            wrong = True
            print(
                *difflib.unified_diff(page.lines, run.lines, path, "as run", lineterm=""), sep="\n"
            )
        if run.faults:
            wrong = True
            print(*run.faults, sep="\n")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
