"""A page of the docs as data: its fenced blocks, its headings and its links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)$")
TITLE = re.compile(r"title=\"([^\"]*)\"")
FOLDER = re.compile(r"<!--\s*folder:\s*(\S+)\s*-->")
HEADING = re.compile(r"^#{1,6}\s+(?P<text>.*?)\s*#*\s*$")
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
COMMENT = re.compile(r"<!--.*?-->")
LINK = re.compile(
    r"\]\(\s*<?(?P<inline>[^)\s>]+)>?(?:\s+[\"'][^\"']*[\"'])?\s*\)"
    r"|^\s*\[[^\]]+\]:\s*<?(?P<defined>[^\s>]+)>?"
    r"|(?:href|src)=[\"'](?P<html>[^\"']+)[\"']"
)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: its language, its title, and its lines without the fence's indent.

    Attributes:
        language: The first word of the fence, or "".
        title: What the fence says as `title="..."`, or None.
        lines: The lines between the fences, the indent taken away.
        first: The line of the page that `lines[0]` stands on, counted from 1.
        indent: What the fence is indented by.
    """

    language: str
    title: str | None
    lines: tuple[str, ...]
    first: int
    indent: str


@dataclass(frozen=True, slots=True)
class Link:
    """Where a page points to, and from which of its lines."""

    target: str
    line: int


class Page:
    """A markdown file, read once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = path.read_text(encoding="utf-8").splitlines()

    @cached_property
    def folder(self) -> str | None:
        """The folder that the page names in `<!-- folder: examples/refunds -->`."""
        found = FOLDER.search("\n".join(self.lines))
        return found[1] if found else None

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The fenced blocks, in order. A block that is never closed goes on to the end."""
        return self._parts[0]

    @cached_property
    def prose(self) -> tuple[tuple[int, str], ...]:
        """The lines outside the blocks with their numbers, code spans and comments blanked."""
        return self._parts[1]

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """What the prose points to: `[text](target)`, `[label]: target`, `href` and `src`."""
        return tuple(
            Link(found["inline"] or found["defined"] or found["html"], number)
            for number, line in self.prose
            for found in LINK.finditer(line)
        )

    @cached_property
    def anchors(self) -> frozenset[str]:
        """The headings as the anchors that code hosts give them; a repeated one is numbered."""
        seen: dict[str, int] = {}
        anchors = []
        for number, _ in self.prose:
            heading = HEADING.match(self.lines[number - 1])
            if heading:
                words = re.sub(r"[^\w\- ]", "", heading["text"].lower()).replace(" ", "-")
                again = seen.get(words, 0)
                seen[words] = again + 1
                anchors.append(f"{words}-{again}" if again else words)
        return frozenset(anchors)

    @cached_property
    def _parts(self) -> tuple[tuple[Block, ...], tuple[tuple[int, str], ...]]:
        blocks: list[Block] = []
        prose: list[tuple[int, str]] = []
        numbered = iter(enumerate(self.lines, 1))
        for number, line in numbered:
            opening = FENCE.match(line)
            if not opening:
                prose.append((number, COMMENT.sub("", CODE.sub("``", line))))
                continue
            fence, indent = opening["fence"], opening["indent"]
            closing = re.compile(rf"^ *{re.escape(fence[0])}{{{len(fence)},}}\s*$")
            inside: list[str] = []
            for _, text in numbered:
                if closing.match(text):
                    break
                inside.append(text.removeprefix(indent))
            title = TITLE.search(opening["info"])
            words = opening["info"].split()
            language = words[0] if words and "=" not in words[0] else ""
            blocks.append(Block(language, title and title[1], tuple(inside), number + 1, indent))
        return tuple(blocks), tuple(prose)
