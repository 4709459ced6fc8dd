"""Text of unknown origin made fit to print: a trace must not steer the terminal that shows it."""

from __future__ import annotations

_CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), "�")
_CONTROLS |= {ord(space): " " for space in "\t\n\r\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"}
_CONTROLS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def harmless(text: str) -> str:
    r"""The text on one line, without characters that control a terminal or turn its direction.

    >>> harmless("lookup\x1b[2J\nnow")
    'lookup\ufffd[2J now'
    """
    return text if text.isprintable() else text.translate(_CONTROLS)


def cut(text: str, most: int) -> str:
    """The text, cut to a number of characters.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
