"""Verdicts recorded from the libraries themselves, bugs included."""

import json

import pytest

from passhat.match.dialects.bfcl import error_type
from passhat.match.dialects.calls import trajectories
from passhat.match.dialects.dialect import Question, Raises, Trajectory
from passhat.match.dialects.registry import verdict

AGENTEVALS = [
    (mode, args)
    for mode in ("strict", "unordered", "subset", "superset")
    for args in ("exact", "ignore", "subset", "superset")
]


def suffix(args):
    return "" if args == "exact" else f"_args_{args}"


COLUMNS = {
    **{f"agentevals_{m}{suffix(a)}": ("agentevals@0.0.9", m, a) for m, a in AGENTEVALS},
    **{f"adk_{m}": ("adk@2.13", m, "exact") for m in ("exact", "in_order", "any_order")},
    **{
        f"adk_{m}_ignore_args": ("adk@2.13", m, "ignore")
        for m in ("exact", "in_order", "any_order")
    },
    **{
        f"ragas_{api}{m}": ("ragas@0.4.3", m, "exact")
        for api in ("", "coll_")
        for m in ("accuracy_strict", "accuracy_flex", "f1")
    },
    **{
        f"deepeval_{m}_{column}": ("deepeval@4.3.1", m, args)
        for m in ("default", "ordering", "exact")
        for column, args in (("names", "ignore"), ("args", "exact"))
    },
}
ONE_MESSAGE = {
    f"agentevals_strict_parallelmsg{suffix(args)}": ("agentevals@0.0.9", "strict", args)
    for args in ("exact", "ignore", "subset", "superset")
}


@pytest.fixture(scope="module")
def pairs(shared):
    lines = (shared / "vectors" / "dialects.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_recorded_column_is_checked(pairs):
    assert len(pairs) == 222
    known = {*COLUMNS, *ONE_MESSAGE, "id", "gen", "pred", "exp", "truth"}
    assert {key for pair in pairs for key in pair} == known


@pytest.mark.parametrize("column", COLUMNS)
def test_recorded_verdicts(pairs, column):
    dialect, mode, args = COLUMNS[column]
    for pair in pairs:
        got = verdict(dialect, mode, pair["pred"], pair["exp"], args)
        assert type(got) is type(pair[column])
        assert got == pytest.approx(pair[column], abs=1e-12), pair["id"]


@pytest.mark.parametrize("column", ONE_MESSAGE)
def test_all_calls_in_one_message(pairs, column):
    dialect, mode, args = ONE_MESSAGE[column]
    for pair in pairs:
        got = verdict(dialect, mode, [pair["pred"]], [pair["exp"]], args)
        assert got is pair[column], pair["id"]


def turns(recorded):
    """ADK's invocations: none at all, without calls, or lists of [name, args] and perhaps an id."""
    if recorded is None:
        return None
    groups = [
        None if turn is None else [{"name": call[0], "args": call[1]} for call in turn]
        for turn in recorded
    ]
    return groups or Trajectory((), grouped=True)


@pytest.mark.parametrize(
    ("column", "mode", "args"),
    [
        ("EXACT", "exact", "exact"),
        ("IN_ORDER", "in_order", "exact"),
        ("ANY_ORDER", "any_order", "exact"),
        ("EXACT_ignore_args", "exact", "ignore"),
    ],
)
def test_adk_turn_by_turn(shared, column, mode, args):
    cases = json.loads((shared / "vectors" / "adk_trajectory.json").read_text(encoding="utf-8"))
    assert len(cases) == 30
    for case in cases:
        first, second = case[column]
        got = verdict("adk@2.13", mode, turns(case["actual"]), turns(case["expected"]), args)
        if isinstance(first, str):
            assert isinstance(got, Raises)
            assert (got.type, got.message[: len(second)]) == (first, second), case["id"]
        else:
            assert got == first, case["id"]
            assert second == {None: "NOT_EVALUATED", 1.0: "PASSED"}.get(got, "FAILED")


def test_bfcl(shared):
    lines = (shared / "vectors" / "bfcl.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1088
    for row in map(json.loads, lines):
        actual, expected = (
            [{"name": name, "args": args} for call in row[side] for name, args in call.items()]
            for side in ("pred", "possible")
        )
        tools = {
            function["name"]: {
                "properties": {name: {"type": word} for name, word in function["types"].items()},
                "required": function["required"],
            }
            for function in row["functions"]
        }
        mode = next(m for m in ("parallel", "multiple", "simple") if m in row["category"])
        got = verdict("bfcl", mode, actual, expected, tools=tools)
        assert got is row["bfcl_valid"], (row["id"], row["variant"])
        if not got:
            question = Question(*trajectories(actual, expected), tools=tools)
            assert error_type(question, mode) == row["error_type"], (row["id"], row["variant"])
