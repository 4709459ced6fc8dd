"""Eval data of the two older shapes, where it is of the ordinary shape, as a suite of ours.

The same as the careful reader makes of it, which reads it as an `EvalSet` first.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from passhat.case import Case, Suite
from passhat.errors import UsageError
from passhat_adk.criteria import Meaning, meaning_of
from passhat_adk.expected import stated_by_turns
from passhat_adk.ordinary import as_type
from passhat_adk.ordinarycases import expected, judged_alike, turn_of


class _Use(Struct, forbid_unknown_fields=True, gc=False):
    name: str = field(name="tool_name")
    args: dict[str, Any] = field(name="tool_input")


class _Spoken(Struct, gc=False):
    author: Any = ""
    text: str = ""


class _Row(Struct, forbid_unknown_fields=True, gc=False):
    query: str
    expected_tool_use: list[_Use] | None = None
    expected_intermediate_agent_responses: list[_Spoken] | None = None
    reference: str | None = None


class _Rows(Struct, forbid_unknown_fields=True, gc=False):
    name: Annotated[str, Meta(min_length=1)]
    data: Annotated[list[_Row], Meta(min_length=1)]
    initial_session: None = None


def ordinary_rows(source: Any) -> list[Any] | None:
    """The rows, or named lists of rows, of a list in an older shape; None for what is otherwise.

    Args:
        source: The list, or the JSON text of one.
    """
    rows = as_type(source, list[_Rows])
    return rows if rows is not None else as_type(source, list[_Row])


def suite_of_rows(rows: list[Any], name: str, config: dict[str, Any] | None) -> Suite | None:
    """The suite that ordinary rows are; None where the criteria or the names ask for a careful reader.

    Args:
        rows: Rows, which are one case, or named lists of rows.
        name: What the suite, and the case of a plain list of rows, are called.
        config: The configuration as JSON; None where there is none.
    """
    try:
        meaning = meaning_of(config)
    except UsageError:
        return None
    named = rows if rows and type(rows[0]) is _Rows else [_Rows(name, rows)]
    if not (rows and name and judged_alike(meaning)) or len({one.name for one in named}) < len(
        named
    ):
        return None
    cases = tuple([_case(one, meaning) for one in named])
    kept = {} if config is None else {"config": config}
    return Suite(name, cases, checks=meaning.checks, extensions={"adk": kept})


def _case(held: _Rows, meaning: Meaning) -> Case:
    turns, references, leftovers = [], [], []
    for row in held.data:
        uses = row.expected_tool_use or []
        calls = expected(uses, meaning)
        turns.append(turn_of(row.query, calls, meaning))
        references.append(row.reference or None)
        whole = len(calls) == len(uses) > 0 and not row.expected_intermediate_agent_responses
        leftovers.append({} if whole else {"intermediate_data": _between(row)})
    stated = stated_by_turns(turns, references, meaning)
    if any(leftovers):
        stated["extensions"] = {"adk": {"conversation": leftovers}}
    return Case(held.name, **stated)


def _between(row: _Row) -> dict[str, Any]:
    """What a row expects between question and answer, as an `EvalSet` has it."""
    data: dict[str, Any] = {}
    if uses := row.expected_tool_use:
        data["tool_uses"] = [{"name": use.name, "args": use.args} for use in uses]
    if spoken := row.expected_intermediate_agent_responses:
        data["intermediate_responses"] = [[one.author, [{"text": one.text}]] for one in spoken]
    return data
