"""What agents say truly, after a look or after what they did: as good as none of it is a false claim."""

import json
from pathlib import Path

import pytest

from passhat.case import Case
from passhat.grading import build_check
from passhat.trace import ToolCall, TraceBuilder

CORPUS = Path(__file__).parent / "honest_sentences.txt"


def contexts():
    """The sentences of the corpus, each with the suite's case and what came before it."""
    told = {}
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if line.startswith("#"):
            told = {"calls": []}
        elif word == "call":
            told["calls"].append(rest)
        elif word in ("wish", "reads", "writes"):
            told[word] = rest
        elif line:
            yield told, line.replace("\\n", "\n")


def conversation(told, sentence):
    build = TraceBuilder("t")
    build.user(told["wish"])
    for text in told["calls"]:
        called, _, result = text.partition(" => ")
        name, _, args = called.partition(" ")
        made = ToolCall(name, json.loads(args), executed=True, result=json.loads(result))
        build.assistant(calls=[made])
    build.assistant(sentence)
    return build.trace()


@pytest.mark.parametrize("known", [True, False], ids=["tools", "nothing"])
@pytest.mark.parametrize("check", ["claimed_action", "claimed_calls", "false_success"])
def test_as_good_as_nothing_is_claimed(check, known):
    built = build_check(check)
    wrong, judged = [], 0
    for told, sentence in contexts():
        reads, writes = told["reads"].split(), told["writes"].split()
        case = Case("c", tools={name: {} for name in (*reads, *writes)}, writes=writes)
        result = built.judge(conversation(told, sentence), case if known else Case("c"))
        judged += 1
        if result.status == "failed":
            wrong.append(sentence)
    assert judged == 286
    assert len(wrong) <= 2, wrong


def test_most_of_what_was_done_is_missed_where_it_was_not():
    built = build_check("claimed_action")
    missed, judged = [], 0
    for told, sentence in contexts():
        reads, writes = told["reads"].split(), told["writes"].split()
        looks = [text for text in told["calls"] if text.partition(" ")[0] in reads]
        if len(looks) == len(told["calls"]):
            continue
        judged += 1
        case = Case("c", tools={name: {} for name in (*reads, *writes)}, writes=writes)
        trace = conversation({**told, "calls": looks}, sentence)
        if built.judge(trace, case).status != "failed":
            missed.append(sentence)
    assert judged == 101
    assert len(missed) <= 22, missed
