"""Values but for their numbers, so that what is the same within a tolerance is found many at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from passhat.state.equality import CONTAINERS, Sameness, Tolerance
from passhat.state.patterns import States
from passhat.values import canonical

if TYPE_CHECKING:
    import numpy as np

    Truths: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.bool_]]

_DEEP = 64


class Shape(NamedTuple):
    """A value in two parts: what it is but for its numbers, and its numbers in order."""

    rest: Hashable
    numbers: tuple[float, ...]


def shape_of(value: Any, states: States, sameness: Sameness, depth: int = 0) -> Shape:
    """The two parts of a value; two values of one `rest` have equally many numbers.

    What is ignored is left out. A number that is no finite float belongs to the rest.

    >>> shape_of({"b": [1, True], "a": 0.5}, frozenset(), Sameness()).numbers
    (0.5, 1.0)
    """
    if not isinstance(value, CONTAINERS) or depth > _DEEP:
        number = _number(value)
        return Shape(canonical(value), ()) if number is None else Shape(_NUMBER, (number,))
    mapping = isinstance(value, Mapping)
    entries = value.items() if isinstance(value, Mapping) else enumerate(value)
    parts: list[tuple[Hashable, Shape]] = []
    for name, item in entries:
        below = sameness.patterns.after(states, name)
        if not sameness.ignored(below):
            key = canonical(name) if mapping else None
            parts.append((key, shape_of(item, below, sameness, depth + 1)))
    if mapping or sameness.as_sets:
        parts.sort(key=lambda part: (repr(part[0]), repr(part[1].rest), part[1].numbers))
    rest = tuple((key, shape.rest) for key, shape in parts)
    numbers = tuple(number for _, shape in parts for number in shape.numbers)
    return Shape((_MAPPING if mapping else _LIST, rest), numbers)


_NUMBER, _MAPPING, _LIST = object(), "mapping", "list"


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) and number == value else None


def near_pairs(
    old: Sequence[Shape | None], new: Sequence[Shape | None], tolerance: Tolerance
) -> Truths:
    """Which of some values are the same as which others within a tolerance; None is like nothing."""
    import numpy as np

    found: Truths = np.zeros((len(old), len(new)), dtype=np.bool_)
    theirs = _by_rest(new)
    for rest, rows in _by_rest(old).items():
        columns = theirs.get(rest)
        if columns:
            found[np.ix_(rows, columns)] = _near(
                np.array([shape.numbers for at in rows if (shape := old[at]) is not None]),
                np.array([shape.numbers for at in columns if (shape := new[at]) is not None]),
                tolerance,
            )
    return found


def _by_rest(shapes: Sequence[Shape | None]) -> dict[Hashable, list[int]]:
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at, shape in enumerate(shapes):
        if shape is not None:
            groups[shape.rest].append(at)
    return groups


def _near(x: Any, y: Any, tolerance: Tolerance) -> Truths:
    """Which rows of numbers are near which others in each of them, as `math.isclose` has it."""
    import numpy as np

    found: Truths = np.ones((len(x), len(y)), dtype=np.bool_)
    for a, b in zip(x.T, y.T, strict=True):
        allowed = np.maximum(np.abs(a)[:, None], np.abs(b)[None, :]) * tolerance.rel
        found &= np.abs(a[:, None] - b[None, :]) <= np.maximum(allowed, tolerance.abs)
    return found


def near_rows(
    old: Sequence[Shape], new: Sequence[Shape], tolerance: Tolerance, most: int
) -> list[tuple[int, int]]:
    """One-to-one pairs of rows that are the same within a tolerance, as many as can be.

    Rows of one `rest` of which there are more than `most` pairs are faced in the order of their
    numbers; then there may be more.
    """
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    pairs: list[tuple[int, int]] = []
    theirs = _by_rest(new)
    for rest, rows in _by_rest(old).items():
        columns = theirs.get(rest, [])
        if len(rows) * len(columns) > most:
            faced = zip(
                sorted(rows, key=lambda at: old[at].numbers),
                sorted(columns, key=lambda at: new[at].numbers),
                strict=False,
            )
            pairs += [
                (i, j)
                for i, j in faced
                if all(map(tolerance.allows, old[i].numbers, new[j].numbers))
            ]
        elif columns:
            x, y = (
                np.array([shapes[at].numbers for at in side])
                for shapes, side in ((old, rows), (new, columns))
            )
            chosen = maximum_bipartite_matching(
                csr_array(_near(x, y, tolerance)), perm_type="column"
            )
            pairs += [(rows[i], columns[j]) for i, j in enumerate(chosen.tolist()) if j >= 0]
    return pairs
