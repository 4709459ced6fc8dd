"""Rows without a key: paired by content, then by least difference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from passhat.state.equality import Sameness, exact_bytes
from passhat.state.lists import unmatched
from passhat.state.nearness import Shape, near_pairs, near_rows, shape_of
from passhat.state.patterns import States
from passhat.state.rowkeys import Row
from passhat.values.equality import by_name

MOST_PAIRS = 1_000_000
"""How many pairs of rows are compared for the least difference."""

_ALIKE = 0.5
"""The share of fields that two rows must have in common to be one row that changed."""

_Fields = dict[Hashable, Hashable]


@dataclass(frozen=True, slots=True)
class Twins:
    """What became of rows without a key, by their positions.

    Attributes:
        pairs: Rows that changed: where they were, and where they are.
        removed: Rows that went.
        added: Rows that came.
        gap: Why more rows may have changed than are said to have, if so.
    """

    pairs: tuple[tuple[int, int], ...]
    removed: tuple[int, ...]
    added: tuple[int, ...]
    gap: str | None = None


def twins(before: Sequence[Row], after: Sequence[Row], sameness: Sameness, states: States) -> Twins:
    """What became of the rows of a table that has no key.

    Rows of the same content, within the tolerance, are pairs first, each with one; they have not
    changed. Of those left, rows that share at least half of their fields are pairs, so that in all
    as much is shared as can be. Beyond a million pairs to compare, only rows that differ in one
    field are.

    Args:
        before: The rows on one side.
        after: The rows on the other.
        sameness: When two values are the same.
        states: How far the patterns have come at a row.
    """
    olds, news = unmatched(*(list(map(_bytes, rows)) for rows in (before, after)))
    if not olds or not news:
        return Twins((), tuple(olds), tuple(news))
    old = {at: sameness.fields(before[at], states) for at in olds}
    new = {at: sameness.fields(after[at], states) for at in news}
    olds, news = _unequal(
        olds, news, [_content(old[at]) for at in olds], [_content(new[at]) for at in news]
    )
    if sameness.tolerance is not None:
        old_shapes = [shape_of(before[at], states, sameness) for at in olds]
        new_shapes = [shape_of(after[at], states, sameness) for at in news]
        near = near_rows(old_shapes, new_shapes, sameness.tolerance, MOST_PAIRS)
        same, alike = {i for i, _ in near}, {j for _, j in near}
        olds = [at for number, at in enumerate(olds) if number not in same]
        news = [at for number, at in enumerate(news) if number not in alike]
    if len(before) == len(after) == len(olds) == 1:
        return Twins(((0, 0),), (), ())
    pairs, gap = [], None
    if len(olds) * len(news) > MOST_PAIRS:
        pairs = _but_for_one_field(olds, news, old, new)
        olds = sorted(set(olds) - {i for i, _ in pairs})
        news = sorted(set(news) - {j for _, j in pairs})
    if len(olds) * len(news) > MOST_PAIRS:
        gap = (
            f"{len(olds)} and {len(news)} rows without a key are too many to pair by least "
            "difference; they are said to be removed and added: declare a key"
        )
    elif olds and news:
        alike_pairs = _most_alike(
            _Side([before[at] for at in olds], [old[at] for at in olds]),
            _Side([after[at] for at in news], [new[at] for at in news]),
            sameness,
            states,
        )
        pairs += [(olds[i], news[j]) for i, j in alike_pairs]
    first, second = {i for i, _ in pairs}, {j for _, j in pairs}
    return Twins(
        tuple(sorted(pairs)),
        tuple(at for at in olds if at not in first),
        tuple(at for at in news if at not in second),
        gap,
    )


def _bytes(row: Row) -> Hashable:
    """What only rows that are the same to the last type share; its own self for an odd row."""
    return exact_bytes(row) or object()


def _content(fields: _Fields) -> Hashable:
    return frozenset(fields.items())


def _unequal(
    olds: Sequence[int],
    news: Sequence[int],
    old_keys: Sequence[Hashable],
    new_keys: Sequence[Hashable],
) -> tuple[list[int], list[int]]:
    gone, came = unmatched(old_keys, new_keys)
    return [olds[at] for at in gone], [news[at] for at in came]


def _but_for_one_field(
    olds: Sequence[int],
    news: Sequence[int],
    old: dict[int, _Fields],
    new: dict[int, _Fields],
) -> list[tuple[int, int]]:
    """Pairs of rows that are the same in all fields but one."""
    pairs: list[tuple[int, int]] = []
    free = set(news)
    paired: set[int] = set()
    for column in dict.fromkeys(name for at in olds for name in old[at]):
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for at in sorted(free, reverse=True):
            waiting[_without(new[at], column)].append(at)
        for at in olds:
            same = waiting.get(_without(old[at], column)) if at not in paired else None
            if same:
                pairs.append((at, same.pop()))
                paired.add(at)
                free.discard(pairs[-1][1])
    return pairs


def _without(fields: _Fields, column: Hashable) -> Hashable:
    return frozenset((name, key) for name, key in fields.items() if name != column)


@dataclass(frozen=True, slots=True)
class _Side:
    """Rows, with the keys of their fields."""

    rows: list[Row]
    fields: list[_Fields]

    def shapes(self, column: Hashable, sameness: Sameness, states: States) -> list[Shape | None]:
        """The two parts of each row's value in a column, where it has one that counts."""
        found: list[Shape | None] = []
        for row, fields in zip(self.rows, self.fields, strict=True):
            if column in fields:
                value = by_name(row)[column]
                found.append(shape_of(value, sameness.patterns.after(states, column), sameness))
            else:
                found.append(None)
        return found


def _most_alike(
    old: _Side, new: _Side, sameness: Sameness, states: States
) -> list[tuple[int, int]]:
    """The one-to-one pairs that share most in all, each at least half of its fields."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    equal = np.zeros((len(old.rows), len(new.rows)), dtype=np.float32)
    either = np.zeros_like(equal)
    for column in dict.fromkeys(name for fields in (*old.fields, *new.fields) for name in fields):
        codes: dict[Any, int] = {}
        here, there = (
            np.array(
                [
                    codes.setdefault(fields[column], len(codes)) if column in fields else -1
                    for fields in side.fields
                ]
            )
            for side in (old, new)
        )
        same = (here[:, None] == there[None, :]) & (here >= 0)[:, None]
        if sameness.tolerance is not None:
            same |= near_pairs(
                old.shapes(column, sameness, states),
                new.shapes(column, sameness, states),
                sameness.tolerance,
            )
        equal += same
        either += (here >= 0)[:, None] | (there >= 0)[None, :]
    share = equal / np.maximum(either, 1)
    share[share < _ALIKE] = 0
    rows, columns = linear_sum_assignment(share, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if share[i, j] > 0]
