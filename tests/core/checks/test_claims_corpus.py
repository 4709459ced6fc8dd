"""How right and how complete the checks of honesty are on sentences from several domains."""

import re
from collections import Counter
from pathlib import Path

import pytest

from passhat.case import Case
from passhat.checks.claim_words import claiming, telling_words
from passhat.grading import build_check
from passhat.trace import ToolCall, TraceBuilder

HERE = Path(__file__).parent


def lines(corpus):
    for line in (HERE / corpus).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, tool, sentence = (part.strip() for part in line.split("|", 2))
            name, *args = tool.split()
            yield kind, name, dict(arg.split("=", 1) for arg in args), sentence


def conversation(sentence, *calls):
    build = TraceBuilder("t")
    build.user("Please help me with this.")
    for call in calls:
        build.assistant(calls=[call])
    build.assistant(sentence)
    return build.trace()


def done(tool, args=None, result="ok"):
    return ToolCall(tool, args or {}, executed=True, result=result)


def told(corpus, status):
    """How many lines of each kind fail, and those that are judged wrongly."""
    found, wrong = Counter(), []
    for kind, tool, args, sentence in lines(corpus):
        failed = status(kind, tool, args, sentence) == "failed"
        found[kind, failed] += 1
        if failed != (kind == "false"):
            wrong.append((kind, sentence))
    return found, wrong


def precision(found):
    right = found["false", True]
    return right / (right + found["true", True] + found["none", True])


def recall(found):
    return found["false", True] / (found["false", True] + found["false", False])


@pytest.mark.parametrize("writes", [True, False], ids=["writes", "tools"])
@pytest.mark.parametrize(
    ("corpus", "sentences", "least"),
    [("claims_corpus.txt", 300, 0.88), ("claims_further_corpus.txt", 90, 0.66)],
)
def test_claims_to_have_acted(corpus, sentences, least, writes):
    def status(kind, tool, args, sentence):
        own = [done(tool, args, {"ok": True})] if kind == "true" else []
        trace = conversation(sentence, done("search_records", {"query": "x"}), *own)
        case = Case("c", writes=[tool]) if writes else Case("c", tools={tool: {}})
        return build_check("claimed_action").judge(trace, case).status

    found, wrong = told(corpus, status)
    assert found.total() >= sentences
    assert precision(found) >= 0.98, wrong
    assert recall(found) >= least, wrong


@pytest.mark.parametrize(
    "before", [(), (done("list_shelves", {"room": "B"}, ["x"]),)], ids=["alone", "others"]
)
@pytest.mark.parametrize(
    ("corpus", "sentences", "least"),
    [("calls_corpus.txt", 160, 0.85), ("calls_further_corpus.txt", 20, 0.7)],
)
def test_claims_to_have_looked_things_up(corpus, sentences, least, before):
    def status(kind, tool, args, sentence):
        own = [done(tool, args, {"ok": True})] if kind == "true" else []
        case = Case("c", tools={tool: {}, "notify_staff": {}})
        return (
            build_check("claimed_calls").judge(conversation(sentence, *before, *own), case).status
        )

    found, wrong = told(corpus, status)
    assert found.total() >= sentences
    assert precision(found) >= 0.97, wrong
    assert recall(found) >= least, wrong


@pytest.mark.parametrize(
    ("corpus", "sentences", "least"),
    [("success_corpus.txt", 70, 0.8), ("success_further_corpus.txt", 15, 0.6)],
)
def test_claims_of_success_after_a_failure(corpus, sentences, least):
    def status(kind, tool, args, sentence):
        failed = ToolCall(tool, args, executed=True, error="500 internal")
        own = [done(tool, args, {"ok": True})] if kind == "true" else []
        trace = conversation(sentence, failed, *own)
        return build_check("false_success").judge(trace, Case("c", writes=[tool])).status

    found, wrong = told(corpus, status)
    assert found.total() >= sentences
    assert precision(found) >= 0.97, wrong
    assert recall(found) >= least, wrong


@pytest.mark.parametrize(
    ("corpus", "least"), [("claims_corpus.txt", 0.88), ("claims_further_corpus.txt", 0.66)]
)
def test_claims_where_a_suite_has_the_tools_of_all_domains(corpus, least):
    both = (*lines("claims_corpus.txt"), *lines("claims_further_corpus.txt"))
    tools = sorted({name for _, name, _, _ in both})

    def status(kind, tool, args, sentence):
        own = [done(tool, args, {"ok": True})] if kind == "true" else []
        trace = conversation(sentence, done("search_records", {"query": "x"}), *own)
        return build_check("claimed_action").judge(trace, Case("c", writes=tools)).status

    found, wrong = told(corpus, status)
    assert precision(found) >= 0.95, wrong
    assert recall(found) >= least, wrong


def test_a_form_is_passed_over_only_where_it_is_not_found():
    told = 0
    corpora = ("claims", "claims_further", "success", "success_further")
    spoken = [line for name in corpora for line in lines(f"{name}_corpus.txt")]
    for _, _, _, sentence in spoken:
        text = sentence.casefold()
        words = frozenset(re.findall(r"\w+", text))
        for form in claiming():
            if form.pattern.search(text):
                told += 1
                assert form.may_be_in(words), (form, text)
                assert not words.isdisjoint(telling_words()), text
    assert told > 200
