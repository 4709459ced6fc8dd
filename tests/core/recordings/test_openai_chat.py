"""OpenAI chat messages: what is theirs alone."""

import pytest

from passhat.errors import TraceError
from passhat.recordings.openai_chat import adapter
from passhat.trace import Usage


def read(*messages, **row):
    return adapter.to_trace({"messages": list(messages), **row} if row else list(messages))


def test_the_older_function_call_and_its_answer():
    trace = read(
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "done"},
    )
    assert [(call.name, call.id, call.result) for call in trace.calls] == [("f", None, "done")]


def test_a_developer_is_a_system_and_stays_known():
    trace = read({"role": "developer", "content": "Be brief."})
    assert (trace.messages[0].role, trace.messages[0].text) == ("system", "Be brief.")
    assert adapter.from_trace(trace)["messages"][0]["role"] == "developer"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": None, "refusal": "I cannot."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
    ],
)
def test_a_refusal_is_what_the_agent_said(message):
    trace = read({"role": "user", "content": "Do it."}, message)
    assert trace.final_response == "I cannot."
    assert trace.messages[1].extensions["refusal"] == "I cannot."
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


def test_a_message_keeps_all_that_is_said_of_it():
    trace = read(
        {
            "role": "assistant",
            "name": "shipping",
            "id": "m1",
            "model": "gpt",
            "content": [{"type": "text", "text": "It "}, {"type": "text", "text": "left."}],
            "reasoning_content": "hmm",
            "usage": {
                "prompt_tokens": 10,
                "completion_tokens": 4,
                "prompt_tokens_details": {"cached_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            "annotations": [{"type": "url_citation"}],
        }
    )
    message = trace.messages[0]
    assert (message.text, message.content, message.reasoning) == ("It left.", None, "hmm")
    assert (message.agent, message.id, message.model) == ("shipping", "m1", "gpt")
    assert message.usage == Usage(10, 4, 0, 2)
    assert message.extensions == {"annotations": [{"type": "url_citation"}]}
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


def test_a_custom_tool_gets_its_text():
    call = {"id": "c1", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}}
    trace = read({"role": "assistant", "content": None, "tool_calls": [call]})
    assert (trace.calls[0].name, trace.calls[0].args) == ("shell", {"input": "ls -l"})
    assert adapter.from_trace(trace)["messages"][0]["tool_calls"] == [call]


def test_a_call_may_be_written_flat():
    trace = read(
        {"role": "assistant", "content": "", "tool_calls": [{"name": "f", "args": {"a": 1}}]}
    )
    assert trace.calls[0].args == {"a": 1}


def test_tool_results_in_parts_are_one_text():
    part = {"type": "text", "text": '{"a": 1}'}
    trace = read(
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "name": "f"}]},
        {"role": "tool", "tool_call_id": "c", "content": [part]},
    )
    assert trace.calls[0].result == {"a": 1}


@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use", "tool-call", "function_call"])
def test_calls_written_as_blocks_are_refused_rather_than_lost(kind):
    block = {"type": kind, "id": "t", "name": "f", "input": {}}
    with pytest.raises(TraceError, match=f"content blocks are no OpenAI chat's: {kind}") as caught:
        read({"role": "user", "content": "x"}, {"role": "assistant", "content": [block]})
    assert caught.value.place.path == "$[1].content"
    theirs = kind.endswith(("tool_use", "tool_result"))
    assert ("--from anthropic reads theirs" in caught.value.message) is theirs


@pytest.mark.parametrize(
    ("message", "place"),
    [
        ({"role": "wizard", "content": "x"}, "$.messages[0].role"),
        ({"role": "user", "content": 5}, "$.messages[0].content"),
        ({"role": "user", "content": [5]}, "$.messages[0].content[0]"),
        ({"role": "assistant", "tool_calls": {}}, "$.messages[0].tool_calls"),
        ({"role": "assistant", "tool_calls": [5]}, "$.messages[0].tool_calls[0]"),
        ({"role": "assistant", "tool_calls": [{"function": {"name": 5}}]}, "tool_calls[0].name"),
        (5, "$.messages[0]"),
    ],
)
def test_what_cannot_be_read_is_named(message, place):
    with pytest.raises(TraceError) as caught:
        read(message, id="x")
    assert caught.value.place.path.endswith(place)
