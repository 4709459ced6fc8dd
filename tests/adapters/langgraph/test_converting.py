"""`passhat convert` on checkpoint databases: traces into other forms, and single-step cases."""

import json

from passhat import grade, read_traces
from passhat.convert import convert_file
from passhat.suitefile import read_suite
from passhat_langgraph import next_calls


def answers(scripted):
    asked = scripted.ai("One moment.", ("lookup", {"order_id": "A1"}, "c1"))
    return [asked, scripted.ai("It is in Leeds.")]


def recorded(scripted, shop, saver, on):
    graph = scripted.react(answers(scripted), [shop.lookup], saver=saver)
    graph.invoke({"messages": [("user", "Where is A1?")]}, on("t1"))
    return graph


def test_a_database_becomes_traces_in_other_forms(scripted, shop, saver, on, tmp_path):
    recorded(scripted, shop, saver, on)
    for to in ("passhat", "openai", "langsmith", "adk", "openevals"):
        report = convert_file(saver.path, tmp_path / f"{to}.jsonl", to=to)
        assert (report.from_format, report.what, report.count) == ("langgraph", "traces", 1)
        (back,) = read_traces(tmp_path / f"{to}.jsonl", to)
        assert [(call.name, call.args) for call in back.calls] == [("lookup", {"order_id": "A1"})]
        assert back.final_response == "It is in Leeds."
    chat = json.loads((tmp_path / "openai.jsonl").read_text())["messages"]
    assert [message["role"] for message in chat] == ["user", "assistant", "tool", "assistant"]


def test_each_decision_becomes_a_single_step_case(scripted, shop, saver, on, tmp_path):
    recorded(scripted, shop, saver, on)
    report = convert_file(saver.path, tmp_path / "steps.yaml", to="passhat", way="steps")
    assert (report.what, report.count) == ("suite", 2)
    first, second = read_suite(tmp_path / "steps.yaml").cases
    assert [call.name for call in first.expected_calls] == ["lookup"]
    assert second.expected_calls == ()
    done = list(shop.done)
    for case, answer in zip((first, second), answers(scripted), strict=True):
        graph = scripted.react([answer], [shop.lookup])
        step = next_calls(graph, {"messages": case.input})
        assert grade(step, case).passed, (step, case)
    wrong = scripted.react([answers(scripted)[1]], [shop.lookup])
    assert not grade(next_calls(wrong, {"messages": first.input}), first).passed
    assert shop.done == done
