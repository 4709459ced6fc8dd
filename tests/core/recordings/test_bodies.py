"""What a provider's API responded, alone or beside the request: the readers of OpenAI and Gemini."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import passhat
from passhat.adapter import read_traces, sniffed
from passhat.errors import TraceError
from passhat.recordings import to_trace
from passhat.recordings.gemini import adapter as gemini
from passhat.recordings.openai_chat import adapter as openai
from passhat.trace import Usage

USER = {"role": "user", "content": "Where is A1?"}
MESSAGE = {
    "role": "assistant",
    "content": None,
    "refusal": None,
    "annotations": [],
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"id": "A1"}'}}
    ],
}
COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1_760_000_000,
    "model": "gpt-4o-2024-08-06",
    "choices": [
        {"index": 0, "message": MESSAGE, "logprobs": None, "finish_reason": "tool_calls"},
    ],
    "usage": {
        "prompt_tokens": 9,
        "completion_tokens": 2,
        "total_tokens": 11,
        "prompt_tokens_details": {"cached_tokens": 4},
    },
    "service_tier": "default",
}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
REQUEST = {"model": "gpt-4o", "messages": [USER], "tools": TOOLS, "temperature": 0}

ASKED = {"role": "user", "parts": [{"text": "Where is A1?"}]}
CALLING = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"id": "A1"}}}]}
CAMEL = {
    "candidates": [{"content": CALLING, "finishReason": "STOP", "index": 0}],
    "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11},
    "modelVersion": "gemini-2.5-flash",
    "responseId": "r1",
}
SNAKE = {
    "sdk_http_response": {"headers": {}},
    "candidates": [{"content": CALLING, "finish_reason": "STOP", "safety_ratings": None}],
    "usage_metadata": {"prompt_token_count": 9, "candidates_token_count": 2},
    "model_version": "gemini-2.5-flash",
    "response_id": "r1",
}


KEYS = st.sampled_from(
    [
        *("message", "content", "role", "parts", "finishReason", "finish_reason", "tool_calls"),
        *("messages", "contents", "error", "usage", "model", "delta", "text", "functionCall"),
    ]
)


def ended(body, *choice, **more):
    """The body whose only answer ended otherwise."""
    key = "choices" if "choices" in body else "candidates"
    return {**body, key: [{**body[key][0], **more}]}


def completion(**more):
    return ended(COMPLETION, **more)


def candidate(**more):
    return ended(CAMEL, **more)


def test_a_completion_is_a_run_of_one_request():
    trace = to_trace(COMPLETION)
    assert (trace.id, trace.source, trace.outcome) == ("chatcmpl-1", "openai", "completed")
    assert [(call.name, call.args, call.executed) for call in trace.calls] == [
        ("f", {"id": "A1"}, None)
    ]
    message = trace.messages[0]
    assert message.model == "gpt-4o-2024-08-06"
    assert message.usage == Usage(input_tokens=9, output_tokens=2, cached_input_tokens=4)
    assert message.extensions == {"finish_reason": "tool_calls"}
    assert trace.total_usage == message.usage
    assert trace.pins == {"model": "gpt-4o-2024-08-06"}
    assert trace.metadata["service_tier"] == "default"
    assert trace.gaps == ()


def test_a_request_gives_what_came_before_the_answer():
    trace = to_trace({"request": REQUEST, "response": COMPLETION, "case_id": "a", "reward": 1})
    assert [message.text for message in trace.messages] == ["Where is A1?", ""]
    assert (trace.case_id, trace.scores, len(trace.calls)) == ("a", {"reward": 1.0}, 1)
    assert trace.tools == {"f": {"type": "object"}}
    assert trace.metadata["temperature"] == 0
    assert trace.metadata["request"] == {"model": "gpt-4o"}
    assert trace.pins == {"model": "gpt-4o-2024-08-06"}


def test_what_stands_beside_has_the_say():
    beside = {"id": "mine", "error": None, "usage": {"prompt_tokens": 100}, "outcome": "limit"}
    trace = to_trace({**beside, "request": REQUEST, "response": COMPLETION})
    assert (trace.id, trace.error, trace.outcome) == ("mine", None, "limit")
    assert trace.total_usage == Usage(input_tokens=100)
    assert trace.metadata["response"] == {"id": "chatcmpl-1"}


@pytest.mark.parametrize(
    ("body", "outcome", "error"),
    [
        (completion(finish_reason="stop"), "completed", None),
        (completion(finish_reason="length"), "limit", None),
        (completion(finish_reason="content_filter"), "completed", None),
        (candidate(finishReason="MAX_TOKENS"), "limit", None),
        (candidate(finishReason="SAFETY"), "completed", None),
        (
            candidate(finishReason="MALFORMED_FUNCTION_CALL", content=None, finishMessage="f(("),
            "agent_error",
            "MALFORMED_FUNCTION_CALL: f((",
        ),
        (ended(SNAKE, finish_reason="MAX_TOKENS", content={}), "limit", None),
    ],
)
def test_how_a_run_ended_is_told_by_the_reason(body, outcome, error):
    trace = to_trace(body)
    assert (trace.outcome, trace.error) == (outcome, error)
    assert set(trace.messages[0].extensions) & {"finish_reason", "finishReason"}


@pytest.mark.parametrize("body", [CAMEL, SNAKE, {"response": CAMEL}, {"response": SNAKE}])
def test_a_candidate_is_a_run_of_one_request(body):
    trace = to_trace(body)
    assert (trace.id, trace.source, trace.outcome) == ("r1", "gemini", "completed")
    assert [(call.name, call.args) for call in trace.calls] == [("f", {"id": "A1"})]
    assert trace.messages[0].usage == Usage(input_tokens=9, output_tokens=2)
    assert trace.messages[0].model == "gemini-2.5-flash"
    assert trace.pins == {"model": "gemini-2.5-flash"}


def test_a_request_to_gemini_gives_what_came_before_the_answer():
    request = {
        "contents": [ASKED],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
    }
    trace = to_trace({"key": "request-1", "request": request, "response": CAMEL})
    assert [message.text for message in trace.messages] == ["Be brief.", "Where is A1?", ""]
    assert trace.tools == {"f": {}}
    assert trace.metadata["key"] == "request-1"


def test_calls_that_the_client_library_made_are_in_its_response():
    given = {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"n": 1}}}]}
    said = {"content": {"parts": [{"text": "It is one."}]}, "finish_reason": "STOP"}
    history = [ASKED, CALLING, given]
    trace = to_trace({"candidates": [said], "automatic_function_calling_history": history})
    assert [(call.name, call.result) for call in trace.calls] == [("f", {"n": 1})]
    assert trace.final_response == "It is one."


@pytest.mark.parametrize("body", [COMPLETION, CAMEL])
def test_of_alternatives_the_first_is_read_and_the_others_are_kept(body):
    key = "choices" if body is COMPLETION else "candidates"
    trace = to_trace({**body, key: body[key] * 3})
    assert len(trace.calls) == 1
    assert trace.metadata[key] == body[key] * 2
    assert trace.gaps == (f"only the first of 3 {key} was read",)


@pytest.mark.parametrize(
    ("value", "error", "outcome"),
    [
        (
            {"error": {"message": "slow down", "type": "requests", "code": "rate_limit_exceeded"}},
            "rate_limit_exceeded: slow down",
            "infrastructure_error",
        ),
        (
            {"error": {"message": "bad tool", "type": "invalid_request_error", "code": None}},
            "invalid_request_error: bad tool",
            "agent_error",
        ),
    ],
)
def test_a_request_that_was_refused_is_a_run_that_ended_so(value, error, outcome):
    trace = to_trace({"request": REQUEST, "response": value})
    assert (trace.error, trace.outcome) == (error, outcome)
    assert [message.role for message in trace.messages] == ["user"]


@pytest.mark.parametrize("nothing", [None, []])
def test_an_error_may_come_with_an_empty_place_for_the_answers(nothing):
    body = {"choices": nothing, "error": {"message": "no", "code": "server_error"}}
    trace = to_trace({"request": REQUEST, "response": body})
    assert (trace.error, trace.outcome) == ("server_error: no", "infrastructure_error")


def id_or_place(reader, body):
    try:
        return reader.to_trace(body).id
    except TraceError as error:
        return error.place.path


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
        max_leaves=12,
    )
)
def test_any_body_is_a_trace_or_a_named_error(value):
    for reader in (openai, gemini):
        for key in ("choices", "candidates"):
            for body in ({key: value}, {"request": value, "response": {key: [value]}}):
                assert id_or_place(reader, body)


def test_pieces_of_a_stream_are_told_and_take_no_other_run_with_them(tmp_path):
    piece = {"candidates": [{"content": CALLING}], "responseId": "r2"}
    path = tmp_path / "stream.json"
    path.write_text(json.dumps([CAMEL, CAMEL, piece, {**CAMEL, "responseId": "r2"}, SNAKE]))
    *whole, stream, last = gemini.read_traces(path)
    assert [len(trace.calls) for trace in (*whole, last)] == [1, 1, 1]
    assert str(stream).endswith(
        "$[2]: 2 pieces of one streamed response: put their parts together first"
    )


def test_a_line_of_a_gemini_batch_that_failed_is_how_its_run_ended():
    trace = gemini.to_trace({"key": "a", "error": {"code": 503, "status": "UNAVAILABLE"}})
    assert (trace.outcome, trace.metadata) == ("infrastructure_error", {"key": "a"})


def test_an_overloaded_gemini_is_of_the_surroundings():
    error = {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}
    trace = to_trace({"request": {"contents": [ASKED]}, "response": {"error": error}})
    assert (trace.error, trace.outcome) == ("UNAVAILABLE: overloaded", "infrastructure_error")


def test_files_of_a_batch_and_lists_of_bodies_are_told_by_what_they_hold(tmp_path):
    batch = {
        "id": "batch_req_1",
        "custom_id": "case-1",
        "response": {"status_code": 200, "request_id": "q", "body": COMPLETION},
        "error": None,
    }
    path = tmp_path / "batch.jsonl"
    path.write_text(f"{json.dumps(batch)}\n" * 2)
    assert sniffed(path).name == "openai"
    (first, _) = read_traces(path)
    assert (first.id, first.metadata["custom_id"]) == ("batch_req_1", "case-1")
    assert first.metadata["response"] == {"id": "chatcmpl-1"}
    assert len(first.calls) == 1
    path = tmp_path / "bodies.json"
    path.write_text(json.dumps([CAMEL, CAMEL], indent=1))
    assert sniffed(path).name == "gemini"
    assert [len(trace.calls) for trace in read_traces(path)] == [1, 1]


@pytest.mark.parametrize("end", range(220, 700, 20))
def test_a_long_body_is_told_by_its_beginning(end, tmp_path):
    for reader, body in ((openai, COMPLETION), (gemini, CAMEL)):
        head = json.dumps({"response": body}).encode()[:end]
        assert reader.sniff(tmp_path, head) >= 0.3


@pytest.mark.parametrize(
    ("reader", "value", "said"),
    [
        (openai, {"choices": []}, "$.choices: the response has no choices"),
        (openai, {"choices": [5]}, "$.choices[0]: each of the choices is an object"),
        (openai, {"choices": [{"delta": {"content": "x"}}]}, "$.choices[0]: a choice needs a "
         "message: put the pieces of a stream together first"),
        (openai, {"response": {"choices": [{"message": {"role": "assistant", "tool_calls": 5}}]}},
         "$.response.choices[0].message.tool_calls: tool calls are a list"),
        (openai, {"request": {"messages": [5]}, "response": COMPLETION},
         "$.request.messages[0]: each of the entries of messages is an object"),
        (openai, {"response": {"body": {"choices": [{}]}}}, "$.response.body.choices[0]: a choice"),
        (gemini, {"candidates": []}, "$.candidates: the response has no candidates"),
        (gemini, {"candidates": [{"content": "x"}]}, "$.candidates[0].content: the content of a"),
        (gemini, {"response": {"candidates": [{"content": {"parts": 5}}]}},
         "$.response.candidates[0].content.parts: parts are a list"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_where_it_stands(reader, value, said):
    with pytest.raises(TraceError) as error:
        reader.to_trace(value)
    assert str(error.value).startswith(said)


def test_a_body_is_graded_by_its_calls():
    case = passhat.Case("a", expected_calls=[{"name": "f", "args": {"id": "A1"}}])
    for body in (COMPLETION, CAMEL):
        assert passhat.grade(to_trace(body), case).status == "passed"


def test_writing_keeps_the_model_and_the_usage_of_a_request(tmp_path):
    for reader, body in ((openai, COMPLETION), (gemini, CAMEL)):
        trace = reader.to_trace(body)
        assert reader.to_trace(reader.from_trace(trace)) == trace
