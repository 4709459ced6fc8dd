"""Small drawings of numbers, one line of text each."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"
_MOST_DOTS = 8

PLAIN = str.maketrans(
    {
        "●": "o",
        "○": "-",
        "━": "=",
        "·": ".",
        "▁": "_",
        "▂": ",",
        "▃": "-",
        "▄": "~",
        "▅": "=",
        "▆": "+",
        "▇": "*",
        "█": "#",
        "▏": "|",
        "▎": "|",
        "▍": "|",
        "▌": "|",
        "▋": "#",
        "▊": "#",
        "▉": "#",
        "┐": "\\",
        "├": "+",
        "┘": "/",
        "│": "|",
        "─": "-",
        "–": "-",
        "−": "-",
        "≠": "!",
        "≤": "<",
        "↻": "@",
        "�": "?",
        "…": "~",
        "→": ">",
        "✓": "+",
        "✗": "x",
        "‼": "!",
        "×": "x",
    }
)
"""What stands for each mark where the terminal has ASCII only."""


def bar(value: float, most: float, width: int) -> str:
    """A bar as long as the value is of the most, padded to the width.

    >>> bar(5, 10, 8)
    '████    '
    >>> bar(1, 100, 8)
    '▏       '
    """
    if most <= 0 or value <= 0:
        return " " * width
    eighths = max(1, round(8 * width * min(value / most, 1.0)))
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def track(low: float, point: float, high: float, other: float, width: int) -> str:
    """A line from 0 to 1 with an interval and its point `●` on it, and another point `○`.

    >>> track(0.25, 0.5, 0.75, 1.0, 9)
    '··━━●━━·○'
    """
    last = width - 1
    cells = ["·"] * width
    for at in range(round(low * last), round(high * last) + 1):
        cells[at] = "━"
    cells[round(other * last)] = "○"
    cells[round(point * last)] = "●"
    return "".join(cells)


def strip(passed: int, of: int) -> str:
    """A dot a trial, those that passed filled; numbers where there are too many.

    >>> strip(3, 4), strip(7, 20)
    ('●●●○', '7/20')
    """
    return "●" * passed + "○" * (of - passed) if of <= _MOST_DOTS else f"{passed}/{of}"
