"""Short ways to make a trace of calls and to judge it."""

from collections import Counter

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


@pytest.fixture
def tallied():
    """A function that judges conversations, and gives how many of `(false, failed)`, and which are wrong.

    It takes a check, what the case knows of tools (`writes`, `tools`, `nothing`), which checks each
    kind of conversation has to fail, and conversations as (kind, tools, those that write, trace).
    """

    def tally(check, known, fails, conversations):
        built = build_check(check)
        found, wrong = Counter(), []
        for kind, tools, writes, trace in conversations:
            case = Case("c")
            if known != "nothing":
                case = Case("c", tools=tools, writes=writes if known == "writes" else None)
            result = built.judge(trace, case)
            failed, false = result.status == "failed", check in fails.get(kind, ())
            found[false, failed] += 1
            if failed != false:
                wrong.append((kind, result.reason or trace.final_response))
        return found, wrong

    return tally
