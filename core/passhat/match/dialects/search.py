"""The smallest run on which two ways of judging part, by trying all small runs in order of size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, TypeAlias

Run: TypeAlias = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""The actual calls and the expected ones."""

NAMES: Final = ("a", "b")
PLAIN_ARGS: Final[tuple[Mapping[str, Any], ...]] = (
    {},
    {"x": 1},
    {"x": 2},
    {"x": 1.0},
    {"x": "1"},
    {"x": 1, "y": 2},
)
"""Arguments without booleans, which Python takes for numbers."""
ALL_ARGS: Final[tuple[Mapping[str, Any], ...]] = (*PLAIN_ARGS, {"x": True})


def runs(args: Sequence[Mapping[str, Any]] = ALL_ARGS, most: int = 4) -> Iterator[Run]:
    """All runs with up to `most` calls on both sides together, smallest first.

    Smaller means fewer calls, then fewer arguments. Tools are named in the order in which they
    appear, since a run and the same run with other names are one.

    >>> [(len(actual), len(expected)) for actual, expected in runs([{}], most=1)]
    [(0, 0), (0, 1), (1, 0)]
    """
    sizes = sorted({len(one) for one in args})
    by_size = {size: [one for one in args if len(one) == size] for size in sizes}
    for count in range(most + 1):
        spellings = [names for names in product(NAMES, repeat=count) if _in_order(names)]
        for weights in sorted(product(sizes, repeat=count), key=sum):
            for cut, names in product(range(count + 1), spellings):
                for chosen in product(*(by_size[weight] for weight in weights)):
                    calls = [
                        {"name": name, "args": dict(one)}
                        for name, one in zip(names, chosen, strict=True)
                    ]
                    yield calls[:cut], calls[cut:]


def _in_order(names: Sequence[str]) -> bool:
    seen = list(dict.fromkeys(names))
    return seen == list(NAMES[: len(seen)])


def smallest(
    differ: Callable[[list[dict[str, Any]], list[dict[str, Any]]], bool],
    args: Sequence[Mapping[str, Any]] = ALL_ARGS,
) -> Run | None:
    """The first run, in order of size, on which two ways of judging differ; None if there is none.

    >>> smallest(lambda actual, expected: len(actual) > len(expected), [{}])
    ([{'name': 'a', 'args': {}}], [])
    """
    return next((run for run in runs(args) if differ(*run)), None)
