"""Expected calls whose arguments all compare exactly: matched as they are, without preparation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from passhat.case import ExpectedCall
from passhat.match.edges import Edges
from passhat.trace import ToolCall
from passhat.trace.derived import remembered
from passhat.values import json_equal
from passhat.values.equality import packed

_FEW = 3
_PATIENCE = 8


def packed_args(wanted: ExpectedCall) -> bytes | None:
    """The arguments expected, packed; empty where they cannot be, None where none are stated.

    They are remembered with the call.
    """
    return remembered(wanted, "_packed", _packed_args)


def _packed_args(wanted: ExpectedCall) -> bytes | None:
    return None if wanted.args is None else packed(wanted.args)


def accepts_plainly(wanted: ExpectedCall, want: bytes | None, call: ToolCall, have: bytes) -> bool:
    """Whether a call of the same tool has the arguments expected.

    Args:
        wanted: The expected call.
        want: Its `packed_args`: arguments that are the same to the byte are a quick yes.
        call: The call.
        have: Its arguments, packed; empty where they cannot be.
    """
    if want is None:
        return True
    if call.args_error is not None:
        return False
    return (want != b"" and have == want) or _hold(wanted.args, call.args)


def _hold(wanted: dict[str, Any] | None, have: dict[str, Any]) -> bool:
    for name, value in (wanted or {}).items():
        if name not in have:
            return False
        actual = have[name]
        if actual is not value and not json_equal(actual, value):
            return False
    return True


def plain_edges(
    calls: Sequence[ToolCall],
    expected: Sequence[ExpectedCall],
    wants: Sequence[bytes | None],
    haves: Sequence[bytes],
) -> tuple[Edges, bool] | None:
    """For each expected call the actual calls that satisfy it, by index, in order.

    Of a tool that was called often, only calls that have the expected texts and whole numbers are
    compared.

    Args:
        calls: The actual calls.
        expected: The expected calls.
        wants: The `packed_args` of each.
        haves: The arguments of each actual call, packed; empty where they cannot be.

    Returns:
        The edges, and whether all calls have the arguments of those that they satisfy to the byte;
        None where so many calls look alike that comparing them one by one would be slow.
    """
    by_name: dict[str, list[int]] = {}
    for at, call in enumerate(calls):
        if call.name in by_name:
            by_name[call.name].append(at)
        else:
            by_name[call.name] = [at]
    left = _PATIENCE * (len(calls) + len(expected))
    indexes: dict[tuple[str, ...], dict[Hashable, list[int]]] = {}
    rows: Edges = []
    to_the_byte = True
    for wanted, want in zip(expected, wants, strict=True):
        likely = by_name.get(wanted.name, [])
        if want is None:
            to_the_byte = to_the_byte and not likely
            rows.append(likely)
            continue
        if len(likely) > _FEW:
            likely = _alike(wanted, calls, likely, indexes)
        left -= len(likely)
        if left < 0:
            return None
        row = []
        for at in likely:
            call = calls[at]
            if call.args_error is not None:
                continue
            if haves[at] == want and want:
                row.append(at)
            elif _hold(wanted.args, call.args):
                to_the_byte = False
                row.append(at)
        rows.append(row)
    return rows, to_the_byte


def _alike(
    wanted: ExpectedCall,
    calls: Sequence[ToolCall],
    places: list[int],
    indexes: dict[tuple[str, ...], dict[Hashable, list[int]]],
) -> list[int]:
    """The calls of a tool that have the texts and whole numbers that one expects.

    `True` is found for 1 as well: these calls are only likely.
    """
    names, key = [wanted.name], []
    for name, value in (wanted.args or {}).items():
        if type(value) is str or type(value) is int:
            names.append(name)
            key.append(value)
    if not key:
        return places
    looked_at = tuple(names)
    index = indexes.get(looked_at)
    if index is None:
        index = indexes[looked_at] = {}
        args = looked_at[1:]
        for at in places:
            have = calls[at].args
            try:
                index.setdefault(tuple([have[name] for name in args]), []).append(at)
            except (KeyError, TypeError):  # It lacks one, or has a list or an object there.
                continue
    return index.get(tuple(key), [])
