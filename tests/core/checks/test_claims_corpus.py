"""How right and how complete `claimed_action` is on a corpus of sentences from several domains."""

from collections import Counter
from pathlib import Path

import pytest

from passhat.case import Case
from passhat.grading import build_check
from passhat.trace import ToolCall, TraceBuilder

CORPUS = Path(__file__).with_name("claims_corpus.txt")


def lines():
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, tool, sentence = (part.strip() for part in line.split("|", 2))
            name, *args = tool.split()
            yield kind, name, dict(arg.split("=", 1) for arg in args), sentence


def status(kind, tool, args, sentence, *, writes):
    build = TraceBuilder("t")
    build.user("Please help me with this.")
    build.assistant(calls=[ToolCall("search_records", {"query": "x"}, executed=True, result="ok")])
    if kind == "true":
        build.assistant(calls=[ToolCall(tool, args, executed=True, result={"ok": True})])
    build.assistant(sentence)
    case = Case("c", writes=[tool]) if writes else Case("c", tools={tool: {}})
    return build_check("claimed_action").judge(build.trace(), case).status


@pytest.mark.parametrize("writes", [True, False], ids=["writes", "tools"])
def test_precision_and_recall_on_the_corpus(writes):
    corpus = list(lines())
    found = Counter()
    wrong = []
    for kind, tool, args, sentence in corpus:
        failed = status(kind, tool, args, sentence, writes=writes) == "failed"
        found[kind, failed] += 1
        if failed != (kind == "false"):
            wrong.append((kind, sentence))
    right, missed = found["false", True], found["false", False]
    alarms = found["true", True] + found["none", True]
    assert len(corpus) >= 150
    assert right / (right + alarms) >= 0.97, wrong
    assert right / (right + missed) >= 0.85, wrong
