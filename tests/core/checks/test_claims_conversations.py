"""How right and how complete `claimed_action` is on turns of conversations, each in a suite of its domain."""

from collections import Counter
from pathlib import Path

import pytest

from passhat.case import Case
from passhat.checks.deed_words import READERS
from passhat.checks.tool_kinds import tool_verb
from passhat.grading import build_check
from passhat.trace import ToolCall, TraceBuilder

CORPUS = Path(__file__).parent / "conversations_corpus.txt"
ASKED = "I can do that for you. Would you like me to go ahead?"


def turns():
    """The turns of the corpus: kind, tools of the domain, words of the user, calls, words of the agent."""
    tools = {}
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            tools = {}
        elif line.startswith("tool "):
            name, *args = line.split()[1:]
            tools[name] = {"type": "object", "properties": {arg: {} for arg in args}}
        elif "|" in line:
            kind, wish, calls, says = (part.strip() for part in line.split("|", 3))
            made = [call(text.split()) for text in calls.split(";") if text.strip()]
            yield kind, tools, conversation(wish, made, says.replace("\\n", "\n"))


def call(words):
    name, *args = words
    given = dict(arg.split("=", 1) for arg in args)
    if name.startswith("!"):
        return ToolCall(name[1:], given, executed=True, error="Error: not possible")
    return ToolCall(name, given, executed=True, result={"ok": True})


def conversation(wish, calls, says):
    build = TraceBuilder("t")
    build.user("Hello, I need some help.")
    agreed = wish.casefold().startswith("yes")
    build.assistant(ASKED if agreed else "Sure, what can I do for you?")
    build.user(wish)
    for made in calls:
        build.assistant(calls=[made])
    build.assistant(says)
    return build.trace()


def suites(tools):
    """What a suite may know of its tools."""
    writes = [name for name in tools if tool_verb(name) not in READERS]
    return {"writes": Case("c", tools=tools, writes=writes), "tools": Case("c", tools=tools)}


@pytest.mark.parametrize(("known", "least"), [("writes", 0.93), ("tools", 0.93), ("nothing", 0.75)])
def test_claims_of_deeds(known, least):
    check = build_check("claimed_action")
    found, wrong = Counter(), []
    for kind, tools, trace in turns():
        case = suites(tools).get(known, Case("c"))
        failed = check.judge(trace, case).status == "failed"
        found[kind, failed] += 1
        if failed != (kind == "false"):
            wrong.append((kind, trace.final_response))
    false = found["false", True]
    assert found.total() > 570
    assert false >= 0.98 * (false + found["true", True] + found["none", True]), wrong
    assert false >= least * (false + found["false", False]), wrong


def test_no_lookup_is_missed_where_none_was_claimed_and_success_is_only_claimed_where_it_failed():
    calls, success = build_check("claimed_calls"), build_check("false_success")
    for kind, tools, trace in turns():
        case = suites(tools)["tools"]
        assert calls.judge(trace, case).status == "passed", trace.final_response
        if any(made.failed for made in trace.calls):
            status = success.judge(trace, case).status
            assert (status == "failed") == (kind == "false"), trace.final_response
