"""Finds the links of the repository's pages that lead nowhere.

    python tools/docs_links.py

Looks at files and at the headings of pages; nothing is fetched. Anchors from one page of the docs
to another are left to `mkdocs build --strict`, which knows those that it makes of docstrings.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docs_page import Page

ROOT = Path(__file__).resolve().parent.parent


def markdown_files(root: Path) -> list[Path]:
    """The pages of the repository: every markdown file that git tracks or could come to track."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return [root / name for name in listed.stdout.splitlines() if (root / name).is_file()]


def dead_links(paths: Iterable[Path], root: Path) -> list[str]:
    """The links of the pages that lead nowhere, each as `file:line: target: what is wrong`."""
    faults = []
    for path in paths:
        for link in Page(path).links:
            wrong = why_dead(path, link.target, root)
            if wrong:
                faults.append(f"{path.relative_to(root)}:{link.line}: {link.target}: {wrong}")
    return faults


def why_dead(path: Path, target: str, root: Path) -> str | None:
    """What is wrong with a link of the page at `path`, or None."""
    parts = urlsplit(target)
    if parts.scheme in ("http", "https", "mailto"):
        return None
    if parts.scheme or target.startswith("/"):
        return "neither a web address nor a path relative to the page"
    found = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not found.is_relative_to(root):
        return "leads out of the repository"
    if not found.exists():
        return "no such file"
    docs = root / "docs"
    if path.is_relative_to(docs):
        return (
            None if found.is_relative_to(docs) else "leads out of the docs, which are built alone"
        )
    if parts.fragment and found.suffix == ".md" and parts.fragment not in Page(found).anchors:
        return "no such heading"
    return None


def main() -> int:
    """Prints the dead links; 1 if there are any."""
    faults = dead_links(markdown_files(ROOT), ROOT)
    print(*faults, sep="\n", end="\n" if faults else "")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
