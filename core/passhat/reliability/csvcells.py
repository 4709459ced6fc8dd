"""Texts in the cells of a CSV table, so that no spreadsheet takes one for a formula."""

from __future__ import annotations

_FORMULA = tuple("=+-@\t\r\n|")
_UNFIT = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000)), "\ufffd")


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula: one that it would has a `'` before it.

    >>> guarded("=cmd|' /C calc'!A0"), guarded("plain")
    ("'=cmd|' /C calc'!A0", 'plain')
    """
    fit = text.translate(_UNFIT).replace("\r\n", "\n").replace("\r", "\n")
    return f"'{fit}" if _risky(fit) else fit


def unguarded(text: str) -> str:
    """The text that was guarded.

    >>> unguarded("'=1+1"), unguarded("'tis"), unguarded(guarded("'=1"))
    ('=1+1', "'tis", "'=1")
    """
    return text[1:] if text.startswith("'") and _risky(text[1:]) else text


def _risky(text: str) -> bool:
    """Whether it begins a formula, be it behind guards of its own."""
    return text.lstrip(" '").startswith(_FORMULA)
