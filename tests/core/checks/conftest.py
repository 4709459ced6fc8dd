"""Short ways to make a trace of calls and to judge it."""

import pytest

from passhat.case import Case
from passhat.grading import build_check
from passhat.trace import ToolCall, Trace, TraceBuilder


@pytest.fixture
def run():
    """A function that makes a trace: `run("lookup", call("refund", error="no"), says="Done.")`.

    Each call is a request of its own, a list of calls is one request, and a text that begins with
    "user:" or "agent:" is said by them.
    """

    def make(*steps, says="Done.", **fields) -> Trace:
        build = TraceBuilder("t")
        build.user("Please help.")
        for step in steps:
            if isinstance(step, str) and step.startswith("user:"):
                build.user(step.removeprefix("user:").strip())
            elif isinstance(step, str) and step.startswith("agent:"):
                build.assistant(step.removeprefix("agent:").strip())
            else:
                calls = [c if isinstance(c, ToolCall) else answered(c) for c in _listed(step)]
                build.assistant(calls=calls)
        if says is not None:
            build.assistant(says)
        return build.trace(**fields)

    return make


def _listed(step):
    return step if isinstance(step, list) else [step]


def answered(name, args=None, **fields):
    result = {} if "error" in fields or "result" in fields else {"result": "ok"}
    return ToolCall(name, args or {}, **{"executed": True, **result, **fields})


@pytest.fixture
def call():
    """A function that makes a call that was answered with "ok", unless told otherwise."""
    return answered


@pytest.fixture
def judge():
    """A function that judges a trace by a check of that key with those options."""

    def judged(key, trace, case=None, /, **options):
        return build_check(key, options).judge(trace, case or Case("c"))

    return judged
