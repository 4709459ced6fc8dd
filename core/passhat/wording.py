"""How messages say lists: what was likely meant by a word, and the first of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def nearest_or_all(word: object, known: Iterable[str]) -> str:
    """What to say of a word that is not known: the one that was likely meant, or all there are.

    >>> nearest_or_all("txt", ["text", "number"]), nearest_or_all("x", ["text", "number"]), nearest_or_all("x", [])
    ('did you mean text?', 'there are text, number', 'there are none')
    """
    from difflib import get_close_matches

    words = list(known)
    near = get_close_matches(str(word), words, 1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(words) or 'none'}"


def joined(parts: Sequence[str], most: int = 3, by: str = ", ") -> str:
    """The parts in a row, and how many more there are.

    >>> joined(["a", "b"]), joined(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    head = by.join(parts[:most])
    return head if len(parts) <= most else f"{head} and {len(parts) - most} more"
