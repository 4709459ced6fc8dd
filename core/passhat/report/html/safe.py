"""Text that a model or a tool wrote, made fit to stand in a page; the template escapes it besides."""

from __future__ import annotations

import re

_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\U000e0000-\U000e007f]"
)


def shown(text: str) -> str:
    r"""The text without characters that are no text, or that turn the direction of what follows.

    Line breaks stay; each of the others is shown as `�`, for a reader to see that it was there.

    >>> shown("refund\u202egnp\x00.exe")
    'refund�gnp�.exe'
    """
    return _UNFIT.sub("\ufffd", text)
