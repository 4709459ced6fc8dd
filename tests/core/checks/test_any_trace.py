"""Any trace and any case give a trial: a verdict, or why there is none, and never an exception."""

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passhat.case import MODES, Case, ExpectedCall, Turn
from passhat.grading import CATALOGUE, Grader, build_check, grade
from passhat.result import encode_trial
from passhat.trace import Interrupt, Message, NodeVisit, StateUpdate, ToolCall, Trace, Usage

NAMES = st.sampled_from(["a", "b", "refund", "ask", ""])
TEXTS = st.one_of(
    st.sampled_from(["yes", "No.", "Shall I?", "I can't", "```\n{}\n```", "49.90", "a"]),
    st.text(max_size=8),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(), st.integers(), TEXTS)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
ARGS = st.dictionaries(st.sampled_from(["x", "y", "id"]), JSON, max_size=2)
REQUESTS = st.one_of(st.none(), st.integers(0, 4))
MAYBE = st.sampled_from([None, "no", "1", "2"])

CALLS = st.builds(
    ToolCall,
    NAMES,
    ARGS,
    args_error=st.sampled_from([None, None, "{x"]),
    id=MAYBE,
    request=REQUESTS,
    agent=st.one_of(st.none(), NAMES),
    parent=st.sampled_from([None, None, "1"]),
    executed=st.sampled_from([None, True, False]),
    result=st.one_of(st.just(msgspec.UNSET), JSON),
    error=st.sampled_from([None, None, "no"]),
    answered=REQUESTS,
)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant"]),
    TEXTS,
    content=JSON,
    agent=st.one_of(st.none(), NAMES),
    request=REQUESTS,
    usage=st.one_of(st.none(), st.builds(Usage, st.integers(0, 9), st.none() | st.integers(0, 9))),
)
INTERRUPTS = st.builds(
    Interrupt,
    value=JSON,
    pending=st.lists(st.sampled_from(["1", "2"]), max_size=2).map(tuple),
    answer=st.one_of(st.just(msgspec.UNSET), JSON),
    resolved=st.booleans(),
)
NODES = st.builds(NodeVisit, NAMES, step=st.none() | st.integers(0, 2), error=MAYBE)
STEPS = st.lists(CALLS | MESSAGES | INTERRUPTS | NODES | st.builds(StateUpdate, ARGS), max_size=7)
SCHEMAS = st.sampled_from(
    [
        {},
        {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        {"type": "nonsense"},
        {"properties": {"y": {"enum": [1, "a"], "default": None}, "id": 3}},
        {"required": 5, "properties": [1]},
    ]
)
TOOLS = st.none() | st.dictionaries(NAMES, SCHEMAS, max_size=3)


@st.composite
def traces(draw):
    turn, placed = 0, []
    for step in draw(STEPS):
        turn += draw(st.sampled_from([0, 0, 0, 1, 2]))
        placed.append(msgspec.structs.replace(step, turn=turn))
    return Trace(
        "t",
        steps=tuple(placed),
        initial_state=draw(st.one_of(st.just(msgspec.UNSET), JSON)),
        outcome=draw(st.sampled_from(["completed", "completed", "interrupted", "agent_error"])),
        usage=draw(st.none() | st.builds(Usage, st.integers(0, 9), cost=st.floats(0, 9))),
        started=draw(st.none() | st.floats(0, 9)),
        ended=draw(st.none() | st.floats(0, 9)),
        tools=draw(TOOLS),
        scores=draw(st.dictionaries(st.just("reward"), st.floats(), max_size=1)),
        gaps=draw(st.sampled_from([(), (), ("calls: lost",), ("results: lost",)])),
    )


MATCHERS = st.sampled_from(
    ["exact", "text", "number", "any", "set", "date", "contains", "semantic"]
)
EXPECTED = st.builds(
    ExpectedCall,
    NAMES,
    st.none() | ARGS,
    match=st.none() | st.dictionaries(st.sampled_from(["x", "y"]), MATCHERS, max_size=1),
    extra_args=st.sampled_from(["allow", "forbid"]),
    optional=st.booleans(),
)
ENTRIES = st.none() | st.lists(EXPECTED | st.lists(EXPECTED, max_size=2), max_size=3)
RESPONSES = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "includes": TEXTS | st.lists(TEXTS | st.integers(), max_size=2),
        "excludes": st.lists(TEXTS, max_size=2),
        "equals": JSON,
        "matches": st.sampled_from(["a", "(", ["^y"]]),
        "json": JSON,
        "number": JSON,
    },
)
KEYS = {
    "expected_calls": ENTRIES,
    "mode": st.none() | st.sampled_from(MODES),
    "before": st.none() | st.lists(st.tuples(NAMES, NAMES), max_size=2),
    "optional_calls": st.none() | st.lists(NAMES, max_size=1),
    "forbidden_calls": st.none() | st.lists(EXPECTED, max_size=2),
    "response": RESPONSES,
    "budget": st.none() | st.dictionaries(
        st.sampled_from(["turns", "tool_calls", "tokens", "cost", "seconds", "nonsense"]),
        st.integers(-1, 9),
        max_size=2,
    ),
    "requires_approval": st.none() | st.booleans() | st.lists(NAMES, max_size=2),
    "route": st.none() | NAMES | st.lists(NAMES, max_size=2),
    "refuse": st.none() | st.booleans(),
    "clarify": st.none() | st.booleans(),
}  # fmt: skip
TURNS = st.none() | st.lists(st.builds(Turn, **KEYS), max_size=2)
CASES = st.builds(
    Case,
    st.just("c"),
    JSON,
    turns=TURNS,
    counts=st.none() | st.booleans(),
    retries=st.sampled_from([None, "fold", "count"]),
    nested=st.sampled_from([None, "include"]),
    match=st.sampled_from([None, "auto", "text", {"a": {"x": "number"}}]),
    initial_state=JSON,
    reference=JSON,
    writes=st.none() | st.lists(NAMES, max_size=1),
    tools=TOOLS,
    **KEYS,
)
SLOW = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


def checked(trial):
    for result in trial.results:
        assert result.status in ("passed", "failed", "not_evaluated", "error")
        assert (result.score is None) == (result.status in ("not_evaluated", "error"))
        assert result.score is None or 0 <= result.score <= 1
        assert result.reason or result.status == "passed", result
        assert "the check broke" not in result.reason, result
        if "of" in result.evidence and result.score is not None:
            assert 0 <= result.evidence["hits"] <= result.evidence["of"]
    encode_trial(trial)


@SLOW
@given(traces(), st.none() | CASES)
def test_any_trace_and_any_case_give_a_trial(trace, case):
    trial = grade(trace, case)
    checked(trial)
    required = [result for result in trial.results if result.required]
    if trial.status == "passed":
        assert case is not None
        assert required
        assert all(result.status == "passed" for result in required)
    if not trace.steps:
        assert trial.status != "passed"


EVERY = [
    build_check(key, {"recorded_score": {"score": "reward"}, "node_trajectory": {"expected": ["a"]}}.get(key))
    for key in CATALOGUE
]  # fmt: skip


@SLOW
@given(traces(), CASES)
def test_every_check_takes_any_trace_and_any_case(trace, case):
    grader = Grader(checks=EVERY)
    trial = grader.grade(trace, case)
    checked(trial)
    assert [result.key for result in trial.results] == list(CATALOGUE)
    assert grader.grade(trace, case) == trial


@pytest.mark.parametrize("depth", [10_000])
def test_deep_values_are_no_matter(depth):
    deep = []
    for _ in range(depth):
        deep = [deep]
    call = ToolCall("a", {"x": deep}, result=deep, request=0)
    trace = Trace("t", steps=(Message("user", "hi"), call, call, call), initial_state=deep)
    tools = {"a": {"properties": {"x": {"type": "array"}}}}
    case = Case("c", expected_calls=[{"name": "a", "args": {"x": 1}}], tools=tools, writes=["a"])
    trial = Grader(checks=EVERY).grade(trace, case)
    checked(trial)
    assert trial.status == "failed"
    assert not [r.key for r in trial.results if r.status == "error"]
