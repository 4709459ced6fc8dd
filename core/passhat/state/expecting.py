"""What was expected of a state and what became of it: the goals reached, and what else changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from passhat.state.changes import Change, StateDiff
from passhat.state.documents import as_states_of_documents, by_label
from passhat.state.equality import CONTAINERS, Sameness
from passhat.state.misses import Miss, misses
from passhat.state.paths import Record, Steps, path_text, step_text
from passhat.state.placing import own_label, placed_rows
from passhat.state.rowkeys import Columns, Row, all_mappings, is_table
from passhat.state.rules import StateRules
from passhat.state.wanted import Wanted, wanted_tree
from passhat.values import ABSENT


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a state.

    Attributes:
        misses: The places that are not as expected.
        unexpected: What changed beside them, and was not allowed to; None where the initial state
            is not known and so nobody can tell.
    """

    misses: tuple[Miss, ...]
    unexpected: tuple[Change, ...] | None


def outcome(expected: Any, initial: Any, final: Any, rules: StateRules) -> Outcome:
    """What became of a state, beside what was expected of it.

    Args:
        expected: Rows or documents that must be there; or, where the rules say exact, the state.
        initial: The state before; `ABSENT` where it is not known.
        final: The state after.
        rules: How they compare.

    Raises:
        UsageError: The expected state has a matcher that is none.
        InputError: A declared key does not hold, or a value lies in itself.
        NotEvaluated: A matcher needs a judge that was not given.

    >>> before = {"refunds": {}, "orders": {"A1": {"status": "open"}}}
    >>> after = {"refunds": {"A1": {"amount": 10}}, "orders": {"A1": {"status": "void"}}}
    >>> became = outcome({"refunds": {"A1": {"amount": 12}}}, before, after, StateRules())
    >>> [str(miss) for miss in became.misses], [str(change) for change in became.unexpected]
    (['refunds[A1].amount is 10, not 12'], ['orders[A1].status: "open" -> "void"'])
    """
    wanted = wanted_tree(expected, rules.match)
    if rules.exact:
        wrong = _differing(wanted, final, rules)
        return Outcome(tuple(miss for record in wrong.values() for miss in record), ())
    before, after, parts = _faced(wanted, initial, final, rules)
    misses = tuple(miss for part in parts for miss in part.misses)
    if initial is ABSENT:
        return Outcome(misses, () if rules.allows_all else None)
    spoken_of = _spoken_of(parts)
    changes = rules.changes(before, after)
    return Outcome(misses, tuple(c for c in changes if not _covers(spoken_of, c.steps)))


@dataclass(frozen=True, slots=True)
class Goal:
    """One record (or one value of its own) that was expected.

    Attributes:
        path: The record.
        reached: Whether it is as expected.
        held: Whether it was so from the start; None where the initial state is not known.
    """

    path: str
    reached: bool
    held: bool | None = None


def goals(expected: Any, initial: Any, final: Any, rules: StateRules) -> tuple[Goal, ...]:
    """The records that were expected, and whether each was reached; as `outcome` judges.

    Where the whole state is expected, they are the records that had to change, and those that
    should not have; or the whole as one, where nobody knows how the state was.

    >>> [goal.reached for goal in goals({"n": 1, "m": 2}, {"n": 0}, {"n": 1}, StateRules())]
    [True, False]
    """
    wanted = wanted_tree(expected, rules.match)
    known = initial is not ABSENT
    if not rules.exact:
        before, _, parts = _faced(wanted, initial, final, rules)
        return tuple(
            Goal(
                path_text(part.steps),
                not part.misses,
                _held(part, before, rules.sameness) if known else None,
            )
            for part in parts
        )
    wrong = _differing(wanted, final, rules)
    if not known:
        return (Goal(path_text(()), not wrong),)
    needed = _differing(wanted, initial, rules)
    return tuple(Goal(path, path not in wrong, path not in needed) for path in {**needed, **wrong})


def _faced(
    wanted: Any, initial: Any, final: Any, rules: StateRules
) -> tuple[Any, Any, list[_Part]]:
    """The two states with their tables as documents, and what is wanted of the second."""
    # What is expected of a table as one value, as that it is empty, is held against its list.
    named = wanted.items() if isinstance(wanted, Mapping) else ()
    names = [name for name, node in named if isinstance(node, Mapping) or (node and is_table(node))]
    before, after, columns = as_states_of_documents(initial, final, rules.sameness, names)
    return before, after, list(_parts(wanted, after, columns, rules.sameness))


def _differing(wanted: Any, state: Any, rules: StateRules) -> dict[str, list[Miss]]:
    """The places of a state that are not as wanted, by record."""
    if isinstance(wanted, Mapping) and isinstance(state, Mapping):
        state = {
            name: by_label(value, name) if isinstance(wanted.get(name), Mapping) else value
            for name, value in state.items()
        }
    found = StateDiff(
        tuple(
            change
            for change in rules.changes(wanted, state)
            if not (isinstance(change.before, Wanted) and change.before.accepts(change.after))
        )
    )
    return {
        record.path: [Miss(c.steps, c.before, c.after) for c in record.changes]
        for record in found.records
    }


class _Part(NamedTuple):
    """A record that is expected: where it is, what is wanted of it, and what of that is not so.

    Attributes:
        steps: The way to the record that it speaks of; to the table, where it speaks of none.
        wanted: What is wanted; `ABSENT` where it speaks of no record.
        misses: The places that are not so.
    """

    steps: Steps
    wanted: Any
    misses: tuple[Miss, ...]


def _parts(
    wanted: Any, state: Any, columns: Mapping[str, Columns | None], sameness: Sameness
) -> Iterator[_Part]:
    """The records that are expected, each faced with the one that it speaks of."""
    if not isinstance(wanted, Mapping) or not isinstance(state, Mapping):
        yield _part(wanted, state, (), sameness)
        return
    for name, node in wanted.items():
        if sameness.ignored(sameness.patterns.after(sameness.patterns.start, name)):
            continue
        actual = state.get(name, ABSENT)
        holds: Any = {} if actual is ABSENT else actual
        if node and isinstance(node, Mapping) and isinstance(holds, Mapping):
            records = name in columns or (
                all(isinstance(inner, Mapping | Wanted) for inner in node.values())
                and all_mappings(holds.values())
            )
            for key, inner in node.items():
                step = Record((key,)) if records else str(key)
                yield _part(inner, holds.get(key, ABSENT), (name, step), sameness)
        elif (
            node and is_table(node) and isinstance(holds, Mapping) and all_mappings(holds.values())
        ):
            yield from _rows(name, node, holds, columns.get(name), sameness)
        else:
            yield _part(node, actual, (name,), sameness)


def _part(wanted: Any, actual: Any, steps: Steps, sameness: Sameness) -> _Part:
    states = sameness.patterns.start
    for step in steps:
        states = sameness.patterns.after(states, step)
    return _Part(steps, wanted, misses(wanted, actual, steps, sameness, states))


def _held(part: _Part, before: Any, sameness: Sameness) -> bool:
    """Whether a record was as wanted from the start."""
    for step in part.steps:
        before = before.get(step_text(step), ABSENT) if isinstance(before, Mapping) else ABSENT
    return part.wanted is not ABSENT and not _part(part.wanted, before, part.steps, sameness).misses


def _rows(
    name: str,
    rows: Sequence[Row],
    documents: Mapping[str, Row],
    columns: Columns | None,
    sameness: Sameness,
) -> Iterator[_Part]:
    states = sameness.patterns.after(sameness.patterns.start, name)
    states = sameness.patterns.after(states, Record())

    def fits(row: Row, actual: Row) -> bool:
        return not misses(row, actual, (), sameness, states)

    def telling(field: str, value: Any) -> bool:
        if isinstance(value, (*CONTAINERS, Wanted)):
            return False
        # Numbers may be near enough without being the same.
        exact = isinstance(value, str) or sameness.tolerance is None
        return exact and not sameness.ignored(sameness.patterns.after(states, field))

    after = sameness.patterns.after
    by_key = not any(sameness.ignored(after(states, column)) for column in columns or ())
    places = placed_rows(rows, documents, columns, fits, telling, by_key=by_key)
    for row, place in zip(rows, places, strict=True):
        own = own_label(row, columns)
        if place is not None:
            yield _part(row, documents[place], (name, Record((place,))), sameness)
        elif own is not None:
            yield _part(row, ABSENT, (name, Record((own,))), sameness)
        else:
            yield _Part((name,), ABSENT, (Miss((name,), row, ABSENT, row=True),))


def _spoken_of(parts: Sequence[_Part]) -> Any:
    """What is wanted, as a tree of the texts of steps; what it does not hold was not spoken of."""
    tree: dict[str, Any] = {}
    for part in parts:
        if part.wanted is ABSENT:
            continue
        if not part.steps:
            return part.wanted
        holder = tree
        for step in part.steps[:-1]:
            holder = holder.setdefault(step_text(step), {})
        holder[step_text(part.steps[-1])] = part.wanted
    return tree


def _covers(tree: Any, steps: Steps) -> bool:
    """Whether a place was spoken of: it, what it lies in as one value, or something in it."""
    for step in steps:
        if not isinstance(tree, Mapping):
            return True
        if step_text(step) not in tree:
            return False
        tree = tree[step_text(step)]
    return True
