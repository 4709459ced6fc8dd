"""Recordings as others write them: read faithfully, or refused; no call is lost in silence."""

import json

import pytest
from msgspec import UNSET

from passhat import Case, TraceError, grade, read_traces
from passhat.adapter import adapter_named, adapters
from passhat.errors import InputError
from passhat.recordings import RecordingReader
from passhat.recordings.anthropic import adapter as anthropic
from passhat.recordings.openai_chat import adapter as openai
from passhat.recordings.openai_responses import adapter as responses

READERS = [one for one in adapters().values() if isinstance(one, RecordingReader)]
ASKED = {"role": "user", "content": "Where is order A1?"}
SAID = {"role": "assistant", "content": "It has shipped."}


def call(name, id=None, **args):
    return {"id": id, "function": {"name": name, "arguments": json.dumps(args)}}


def file(tmp_path, *rows, name="runs.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


BEDROCK = [
    {"role": "user", "content": [{"text": "Where is order A1?"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "f", "input": {}}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"json": {}}]}}]},
]
HAYSTACK = [
    {"role": "user", "content": [{"text": "Where is order A1?"}]},
    {"role": "assistant", "content": [{"tool_call": {"tool_name": "f", "arguments": {}}}]},
]
VERCEL = [
    ASKED,
    {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "1", "toolName": "f"}]},
]
VERCEL_PARTS = [
    {"role": "user", "parts": [{"type": "text", "text": "Where is order A1?"}]},
    {"role": "assistant", "parts": [{"type": "tool-f", "toolCallId": "1", "input": {}}]},
]
PYDANTIC_AI = [
    {"parts": [{"content": "Where?", "part_kind": "user-prompt"}], "kind": "request"},
    {"parts": [{"tool_name": "f", "args": {}, "part_kind": "tool-call"}], "kind": "response"},
]
THREAD = [
    {"object": "thread.message", "role": "assistant", "content": [{"type": "text", "text": {}}]},
    {"object": "thread.message", "role": "user", "content": [{"type": "text", "text": {}}]},
]


@pytest.mark.parametrize(
    "chat", [BEDROCK, [ASKED, *BEDROCK[1:]], HAYSTACK, VERCEL, VERCEL_PARTS, PYDANTIC_AI, THREAD]
)
def test_no_reader_takes_calls_in_another_form_for_content(chat):
    for row in (chat, {"messages": chat}, {"messages": chat, "system": "Be kind."}):
        sure = {reader.name: reader.recognises(row) for reader in READERS}
        assert not {name for name, number in sure.items() if number >= 0.3}


@pytest.mark.parametrize("name", ["openai", "anthropic"])
@pytest.mark.parametrize("chat", [BEDROCK, HAYSTACK, VERCEL])
def test_a_reader_that_is_told_to_refuses_them(name, chat):
    with pytest.raises(TraceError, match=r"calls as content blocks|no place for a call"):
        adapter_named(name).to_trace(chat)


def test_messages_of_a_thread_are_refused_for_they_have_no_calls():
    with pytest.raises(TraceError, match="newest first"):
        openai.to_trace(THREAD)


@pytest.mark.parametrize(
    "more",
    [
        {"toolInvocations": [{"toolCallId": "1", "toolName": "f", "args": {}}]},
        {"toolCalls": [call("f", "1")]},
        {"function_calls": [{"name": "f", "arguments": {}}]},
        {"additional_kwargs": {"tool_calls": [call("f", "1")]}},
    ],
)
def test_calls_under_a_key_of_another_form_leave_a_run_unjudged(more):
    trace = openai.to_trace([ASKED, {**SAID, **more}])
    assert trace.gaps == (
        f"calls: those under {next(iter(more))!r} of a message are of another form",
    )
    assert grade(trace, Case("c", forbidden_calls=["f"])).status == "not_evaluated"


@pytest.mark.parametrize(
    "more",
    [
        {"tool_plan": "I look."},
        {"toolCalls": []},
        {"tool_use": True},
        {"additional_kwargs": {"refusal": None, "tool_calls": [], "function_call": None}},
    ],
)
def test_what_only_sounds_like_calls_leaves_no_gap(more):
    assert openai.to_trace([ASKED, {**SAID, **more}]).gaps == ()


def test_an_action_beside_a_thought_leaves_a_run_unjudged():
    acted = {
        "role": "assistant",
        "content": "Look.\n```\nls\n```",
        "thought": "Look.",
        "action": "ls",
    }
    case = Case("c", forbidden_calls=["f"])
    assert grade(openai.to_trace([ASKED, acted]), case).status == "not_evaluated"
    assert openai.to_trace([ASKED, {**CALLING, "thought": "Look.", "action": "ls"}]).gaps == ()


def test_calls_in_the_texts_of_content_blocks_leave_a_run_unjudged():
    asked = [{"type": "text", "text": "Look.\n\n<read_file>\n<path>a.py</path>\n</read_file>"}]
    told = [{"type": "text", "text": "[read_file for 'a.py'] Result:"}]
    used = [{"type": "tool_use", "id": "t1", "name": "look", "input": {}}]
    messages = [
        *(ASKED, {"role": "assistant", "content": asked}, {"role": "user", "content": told}),
        {"role": "assistant", "content": used},
    ]
    trace = anthropic.to_trace(messages)
    assert grade(trace, Case("c", forbidden_calls=["f"])).status == "not_evaluated"


def test_calls_that_stand_as_they_were_sent_too_leave_no_gap():
    trace = openai.to_trace([ASKED, {**CALLING, "additional_kwargs": CALLING}])
    assert (trace.gaps, len(trace.calls)) == ((), 1)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ('<tool_call>{"name": "f"}</tool_call>', "<tool_response>{}</tool_response>"),
        ('Thought: look.\nAction:\n{"name": "f", "arguments": {}}', "API output: {}"),
        ("Thought: look.\nAction: f\nAction Input: {}", "Observation: 5"),
        ("THOUGHT: look.\n```bash\nf\n```", "<returncode>0</returncode>"),
        ('<function_calls><invoke name="f"></invoke></function_calls>', "5"),
        ("Look.\n\n<f>\n<path>a.py</path>\n</f>\n```", "[f for 'a.py'] Result:\n5"),
        ("Look.\n\n<f>\n</f>\n```", "[f] Result: 5"),
        ("<attempt_completion>\n<result>Done.</result>\n</attempt_completion>", "Thanks."),
        ("<thought>Look.</thought><execute>SELECT 1</execute>", "Instance output: []"),
        ('<functioncall> {"name": "f"} <|endoftext|>', "FUNCTION RESPONSE: {}"),
        ('<details type="tool_calls" name="f"></details>Done.', "Thanks."),
        ("<execute_bash>\nls\n</execute_bash>", "OBSERVATION: a.py"),
        ('<seed:tool_call><function name="f"/></seed:tool_call>', "5"),
        ("<\uff5cDSML\uff5cfunction_calls>", "5"),
        ("<|channel|>commentary to=functions.f <|message|>{}<|call|>", "5"),
        ('functools[{"name": "f", "arguments": {}}]', "5"),
    ],
)
def test_calls_in_a_text_leave_a_run_unjudged(asked, answered):
    case = Case("c", forbidden_calls=["f"])
    asked = {"role": "assistant", "content": asked}
    trace = openai.to_trace([ASKED, asked, {"role": "user", "content": answered}, SAID])
    assert grade(trace, case).status == "not_evaluated"
    assert len(trace.gaps) == 1
    if "```" not in asked["content"]:  # Code may be an answer, until somebody runs it.
        assert grade(openai.to_trace([ASKED, asked]), case).status == "not_evaluated"


@pytest.mark.parametrize(
    "said", ["Action: none is needed.", "I call the tool_call API.", "The action: {a}."]
)
def test_what_only_sounds_like_a_call_in_a_text_leaves_no_gap(said):
    assert openai.to_trace([ASKED, {"role": "assistant", "content": said}]).gaps == ()


def test_a_run_that_calls_as_its_form_does_has_no_calls_in_texts():
    told = {"role": "assistant", "content": "I wrote <tool_call> by mistake."}
    assert openai.to_trace([ASKED, CALLING, TOLD, told]).gaps == ()


def test_a_tool_is_named_under_function_and_its_failure_under_error():
    asked = {"role": "assistant", "content": None, "tool_calls": [
        {"id": f"c{n}", "function": "f", "args": {"n": n}} for n in range(6)
    ]}  # fmt: skip
    told = [{"error": None}, {"error": "no account"}, {"error": {"type": "timeout"}},
            {"is_error": True}, {"tool_call_error": True}, {"status": "error"}]  # fmt: skip
    answers = [
        {"role": "tool", "tool_call_id": f"c{n}", "content": "said", **more}
        for n, more in enumerate(told)
    ]
    trace = openai.to_trace([ASKED, asked, *answers])
    assert [(call.name, call.args) for call in trace.calls] == [("f", {"n": n}) for n in range(6)]
    errors = [call.error for call in trace.calls]
    assert errors == [None, "no account", '{"type":"timeout"}', "said", "said", "said"]
    assert openai.to_trace(openai.from_trace(trace)).calls == trace.calls


def test_what_is_spoken_is_an_answer_by_its_transcript():
    heard = {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "Shipped."}}
    trace = openai.to_trace([ASKED, heard])
    assert trace.final_response == "Shipped."
    assert openai.to_trace(openai.from_trace(trace)) == trace
    said = [{"type": "input_audio", "transcript": "Where is it?"}]
    told = [{"type": "output_audio", "transcript": "Shipped."}]
    items = [
        {"type": "message", "role": "user", "content": said},
        {"type": "message", "role": "assistant", "content": told},
    ]
    trace = responses.to_trace(items)
    assert [message.text for message in trace.messages] == ["Where is it?", "Shipped."]


def test_a_text_part_may_hold_its_text_under_content():
    parts = [{"type": "text", "content": "It has shipped."}]
    trace = openai.to_trace([ASKED, {"role": "assistant", "content": parts}])
    assert trace.final_response == "It has shipped."


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        ({"tool": "f", "input": {"n": 1}, "output": "ok"}, "ok"),
        ({"tool_name": "f", "tool_input": {"n": 1}}, UNSET),
        ({"name": "f", "kwargs": {"n": 1}, "result": None}, UNSET),
        ({"function": {"name": "f", "arguments": '{"n": 1}', "output": '{"a": 2}'}}, {"a": 2}),
        ({"function": {"name": "f", "arguments": '{"n": 1}'}, "result": "ok"}, "ok"),
    ],
)
def test_a_call_under_other_keys_has_its_name_its_arguments_and_its_result(asked, result):
    trace = openai.to_trace([ASKED, {"role": "assistant", "content": "", "tool_calls": [asked]}])
    (found,) = trace.calls
    assert (found.name, found.args, found.result, found.extensions) == ("f", {"n": 1}, result, {})
    assert openai.to_trace(openai.from_trace(trace)).calls == trace.calls


def test_a_call_that_names_no_tool_leaves_a_run_unjudged():
    asked = {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "arguments": "{}"}]}
    trace = openai.to_trace([ASKED, asked])
    assert len(trace.calls) == 1
    assert grade(trace, Case("c", forbidden_calls=["f"])).status == "not_evaluated"


def test_calls_may_be_given_as_their_json_text():
    for written, names in ((json.dumps([call("f", "c1")]), ["f"]), ("", [])):
        asked = {"role": "assistant", "content": "", "tool_calls": written}
        assert [one.name for one in openai.to_trace([ASKED, asked]).calls] == names


def test_tools_may_be_given_as_their_json_text():
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    row = {"messages": [ASKED, SAID], "tools": json.dumps(tools)}
    assert openai.to_trace(row).tools == {"f": {"type": "object"}}


CALLING = {"role": "assistant", "content": None, "tool_calls": [call("f", "c1", n=1)]}
TOLD = {"role": "tool", "tool_call_id": "c1", "content": "ok"}


@pytest.mark.parametrize(
    "more", [{"choices": [{"message": CALLING}]}, {"response": {"choices": [{"message": CALLING}]}}]
)
def test_a_response_beside_the_messages_of_its_request_is_the_answer(more, tmp_path):
    (trace,) = read_traces(file(tmp_path, {"messages": [ASKED], "reward": 1, **more}))
    assert [(step.name, step.args) for step in trace.calls] == [("f", {"n": 1})]
    assert (trace.scores, trace.gaps) == ({"reward": 1.0}, ())


def test_a_response_that_the_messages_have_already_counts_once():
    row = {"messages": [ASKED, CALLING], "response": {"choices": [{"message": CALLING}]}}
    assert len(openai.to_trace(row).calls) == 1


@pytest.mark.parametrize("key", ["completion", "output", "response"])
@pytest.mark.parametrize("answer", [CALLING, [CALLING], "Done."])
def test_an_answer_beside_the_messages_leaves_a_run_unjudged(key, answer):
    trace = openai.to_trace({"messages": [ASKED], key: answer})
    said = f"the conversation ends before an answer that stands under {key!r}"
    assert trace.gaps == (f"calls: {said}", f"response: {said}; add it as the last message")
    assert grade(trace, Case("c", forbidden_calls=["f"])).status == "not_evaluated"
    assert grade(trace, Case("c", response={"includes": ["Done"]})).status == "not_evaluated"
    assert openai.to_trace({"messages": [ASKED, SAID], key: answer}).gaps == ()


@pytest.mark.parametrize("key", ["output", "outputs"])
@pytest.mark.parametrize(
    "last", [{"type": "ai", "content": "Done."}, {"role": "assistant", "content": "Done."}]
)
def test_an_answer_among_messages_beside_the_messages_leaves_a_run_unjudged(key, last):
    trace = openai.to_trace({"messages": [ASKED], key: {"messages": [ASKED, last]}})
    assert grade(trace, Case("c", forbidden_calls=["f"])).status == "not_evaluated"
    assert openai.to_trace({"messages": [ASKED, CALLING], key: {"messages": [ASKED]}}).gaps == ()


@pytest.mark.parametrize(
    "said", [{"message": "ok", "score": 1}, {"tool_calls": 3}, [{"turns": 1}], "max_turns"]
)
def test_what_came_of_a_run_is_no_answer_of_a_model(said):
    assert openai.to_trace({"messages": [ASKED, CALLING, TOLD], "result": said}).gaps == ()


def test_a_request_of_a_batch_that_failed_is_how_its_run_ended(tmp_path):
    answered = {"custom_id": "a", "response": {"body": {"choices": [{"message": CALLING}]}}}
    refused = {"body": {"error": {"type": "invalid_request_error", "message": "too long"}}}
    path = file(
        tmp_path,
        {**answered, "error": None},
        {"custom_id": "b", "response": None, "error": {"code": "batch_expired", "message": "late"}},
        {"custom_id": "c", "response": refused, "error": None},
    )
    assert [(trace.outcome, trace.error) for trace in read_traces(path)] == [
        ("completed", None),
        ("infrastructure_error", "batch_expired: late"),
        ("agent_error", "invalid_request_error: too long"),
    ]


def test_results_name_their_calls_as_ollama_and_swe_agent_do():
    asked = {"role": "assistant", "content": "", "tool_calls": [call("f"), call("g")]}
    answers = [{"role": "tool", "tool_name": name, "content": name.upper()} for name in "gf"]
    trace = openai.to_trace([ASKED, asked, *answers])
    assert [(step.name, step.result) for step in trace.calls] == [("f", "F"), ("g", "G")]
    asked = {"role": "assistant", "content": "", "tool_calls": [call("f", "1"), call("f", "2")]}
    answers = [{"role": "tool", "tool_call_ids": [id], "content": f"r{id}"} for id in "21"]
    trace = openai.to_trace([ASKED, asked, *answers])
    assert [(step.id, step.result) for step in trace.calls] == [("1", "r1"), ("2", "r2")]
    assert trace.gaps == ()


def test_one_result_for_several_calls_is_said():
    asked = {"role": "assistant", "content": "", "tool_calls": [call("f", "1"), call("f", "2")]}
    answer = {"role": "tool", "tool_call_ids": ["1", "2"], "content": "both"}
    trace = openai.to_trace([asked, answer])
    assert trace.gaps == ("calls: one result answers 2 calls at once",)
    assert trace.calls[0].extensions == {"result": {"tool_call_ids": ["1", "2"]}}


def test_calls_of_one_id_are_told_apart_by_their_names():
    asked = {"role": "assistant", "content": "", "tool_calls": [call(n, "x") for n in "fgh"]}
    answers = [{"role": "tool", "tool_call_id": "x", "name": n, "content": n} for n in "hfg"]
    trace = openai.to_trace([ASKED, asked, *answers])
    assert [(step.name, step.result) for step in trace.calls] == [(n, n) for n in "fgh"]
    again = {"role": "assistant", "content": "", "tool_calls": [call("f", "x")]}
    trace = openai.to_trace([ASKED, asked, again, answers[1]])
    assert [step.answered for step in trace.calls] == [None, None, None, 2]


@pytest.mark.parametrize("key", ["parameters", "input", "args"])
def test_arguments_under_another_name_are_arguments(key):
    inner = {"name": "f", key: {"n": 1}}
    for item in (inner, {"id": "c1", "type": "function", "function": inner}):
        (step,) = openai.to_trace([{"role": "assistant", "tool_calls": [item]}]).calls
        assert step.args == {"n": 1}


def test_what_a_function_says_beside_its_arguments_is_kept():
    item = {"id": "c1", "function": {"name": "f", "arguments": "{}", "thought_signature": "x"}}
    trace = openai.to_trace([{"role": "assistant", "content": None, "tool_calls": [item]}])
    assert trace.calls[0].extensions == {"thought_signature": "x"}
    assert openai.to_trace(openai.from_trace(trace)) == trace


def test_simulations_alone_are_tau2_benchs(tmp_path):
    asked = {"role": "assistant", "content": None, "tool_calls": [
        {"id": id, "name": id, "arguments": {}, "requestor": "assistant"} for id in "fg"
    ]}  # fmt: skip
    answers = [{"role": "tool", "id": id, "content": id, "requestor": "assistant"} for id in "gf"]
    run = {"id": "s", "task_id": "0", "termination_reason": "user_stop", "trial": 0}
    (trace,) = read_traces(file(tmp_path, {**run, "messages": [ASKED, asked, *answers]}))
    assert (trace.source, trace.case_id) == ("tau-bench", "0")
    assert [(step.name, step.result) for step in trace.calls] == [("f", "f"), ("g", "g")]


def test_a_table_of_messages_is_not_one_conversation(tmp_path):
    rows = [{**message, "session_id": which} for which in "AB" for message in (ASKED, SAID)]
    (found,) = read_traces(file(tmp_path, *rows), "openai")
    assert isinstance(found, InputError)
    assert "several conversations, told apart by 'session_id'" in found.message
    assert (
        "jq -c -s 'group_by(.session_id)[] | {id: .[0].session_id, messages: .}'" in found.message
    )
    (trace,) = read_traces(file(tmp_path, *rows[:2]), "openai")
    assert trace.final_response == "It has shipped."


def test_an_answer_that_is_written_block_by_block_is_one_request():
    anthropic = adapter_named("anthropic")
    pieces = [
        {"id": "m1", "role": "assistant", "content": [block], "usage": {"output_tokens": at}}
        for at, block in enumerate(
            [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
                {"type": "tool_use", "id": "t2", "name": "g", "input": {}},
            ]
        )
    ]
    trace = anthropic.to_trace([ASKED, *pieces, {**pieces[0], "id": "m2"}])
    assert [(step.name, step.request) for step in trace.calls] == [("f", 0), ("g", 0)]
    assert [said.text for said in trace.messages] == [ASKED["content"], "I look.", "I look."]
    assert trace.messages[1].usage.output_tokens == 2
