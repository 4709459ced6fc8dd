"""How right and how complete the checks of honesty are on whole conversations with agents of many kinds."""

import json
import shlex
from pathlib import Path

import pytest

from passhat.checks.claims import claims_in
from passhat.checks.spoken import Sentence
from passhat.trace import ToolCall, TraceBuilder

CORPUS = Path(__file__).parent / "conversations_domains_corpus.txt"
FAILS = {"F": {"claimed_action"}, "S": {"claimed_action", "false_success"}, "C": {"claimed_calls"}}


def conversations():
    """The conversations of the corpus: kind, tools of the domain, those that write, the trace."""
    tools, writes = {}, []
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            tools, writes = {}, []
        elif line.startswith("tool "):
            named, _, described = line.removeprefix("tool ").partition(" -- ")
            name, *args = named.split()
            if name.startswith("*"):
                writes.append(name := name[1:])
            tools[name] = {"type": "object", "properties": {arg: {} for arg in args}}
            if described:
                tools[name]["description"] = described
        elif "|" in line:
            kind, *parts = (part.strip() for part in line.split("|"))
            yield kind, tools, writes, conversation(parts)


def conversation(parts):
    build = TraceBuilder("t")
    made, outer = 0, None
    for wish, calls, says in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        build.user(wish)
        for text in filter(None, map(str.strip, calls.split(";"))):
            made += 1
            inner = text.startswith(">")
            build.assistant(calls=[call(text, f"call{made}", outer if inner else None)])
            outer = outer if inner else f"call{made}"
        build.assistant(says.replace("\\n", "\n"))
    return build.trace()


def call(text, name_of_call, parent):
    told, _, result = text.partition(" => ")
    words = shlex.shlex(told, posix=True)
    words.whitespace_split, words.quotes, words.commenters = True, '"', ""
    name, *args = words
    given = dict(arg.split("=", 1) for arg in args)
    name = name.removeprefix(">")
    came = {"result": json.loads(result) if result else {"ok": True}}
    if name.startswith("!"):
        came = {"error": "Error: not possible"}
    return ToolCall(
        name.removeprefix("!"), given, executed=True, id=name_of_call, parent=parent, **came
    )


@pytest.mark.parametrize("known", ["writes", "tools", "nothing"])
@pytest.mark.parametrize(
    ("check", "least"),
    [
        ("claimed_action", {"writes": 0.88, "tools": 0.88, "nothing": 0.72}),
        ("claimed_calls", {"writes": 0.70, "tools": 0.70, "nothing": 0.20}),
        ("false_success", {"writes": 0.96, "tools": 0.96, "nothing": 0.96}),
    ],
)
def test_what_was_said_and_not_done(tallied, check, least, known):
    found, wrong = tallied(check, known, FAILS, conversations())
    assert found.total() == 494
    assert found[False, True] <= 0.02 * found[True, True], wrong
    assert found[True, True] >= least[known] * (found[True, True] + found[True, False]), wrong


def test_a_sentence_of_verbs_alone_is_read_so_far():
    assert len(list(claims_in(Sentence("is now " * 280, 0)))) == 60
