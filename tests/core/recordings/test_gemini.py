"""Gemini contents: what is theirs alone."""

import pytest

from passhat.recordings.gemini import adapter


def read(*parts, role="model"):
    return adapter.to_trace([{"role": role, "parts": list(parts)}])


def call_and(response):
    return adapter.to_trace(
        [
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": response}}]},
        ]
    ).calls[0]


@pytest.mark.parametrize(
    ("response", "result"),
    [
        ({"status": "ok"}, {"status": "ok"}),
        ({"output": {"status": "ok"}}, {"status": "ok"}),
        ({"output": "text"}, "text"),
        ({"result": "text"}, "text"),
        ({"result": None}, None),
        ({"result": [1]}, [1]),
        ({"result": {"n": 1}}, {"result": {"n": 1}}),
        ({"result": 1, "more": 2}, {"result": 1, "more": 2}),
        ({"error": None}, {"error": None}),
        (None, None),
    ],
)
def test_what_a_function_returned(response, result):
    call = call_and(response)
    assert call.succeeded
    assert call.result == result


def test_a_function_that_failed():
    assert call_and({"error": "no such order"}).error == "no such order"


def test_thoughts_are_no_part_of_the_answer():
    trace = read(
        {"text": "Hmm.", "thought": True}, {"text": "Yes", "thought": False}, {"text": "."}
    )
    message = trace.messages[0]
    assert (message.text, message.reasoning, message.content) == ("Yes.", "Hmm.", None)


def test_code_that_the_model_ran_is_a_call():
    trace = read(
        {"executable_code": {"language": "PYTHON", "code": "1/0"}},
        {"code_execution_result": {"outcome": "OUTCOME_FAILED", "output": "ZeroDivisionError"}},
        {"text": "It failed."},
    )
    call = trace.calls[0]
    assert (call.name, call.args) == ("code_execution", {"language": "PYTHON", "code": "1/0"})
    assert call.error == "ZeroDivisionError"
    assert trace.final_response == "It failed."


@pytest.mark.parametrize(
    ("outcomes", "error"),
    [(("OK", "FAILED"), "1\nno"), (("FAILED", "OK"), "1\nno"), (("OK", "OK"), None)],
)
def test_code_that_gave_several_outputs_failed_where_one_says_so(outcomes, error):
    first, last = (f"OUTCOME_{outcome}" for outcome in outcomes)
    trace = read(
        {"executableCode": {"language": "PYTHON", "code": "print(1); f()"}},
        {"codeExecutionResult": {"outcome": first, "output": "1\n"}},
        {"codeExecutionResult": {"outcome": last, "output": "no"}},
        {"text": "Ran."},
    )
    (call,) = trace.calls
    assert (call.error, trace.gaps) == (error, ())
    assert error or call.result == "1\nno"


def test_a_response_in_the_models_name_is_no_answer_of_the_model():
    parts = (
        [{"functionCall": {"name": "f", "args": {}}}],
        [{"functionResponse": {"name": "f", "response": {"output": "ok"}}}],
    )
    trace = adapter.to_trace([{"role": "model", "parts": each} for each in parts])
    assert (trace.calls[0].result, len(trace.messages), trace.gaps) == ("ok", 1, ())


def test_signatures_stay_with_what_they_sign():
    trace = read({"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "s"})
    assert trace.calls[0].extensions == {"thoughtSignature": "s"}
    assert adapter.to_trace(adapter.from_trace(trace)) == trace


def test_the_row_states_instruction_tools_and_usage():
    trace = adapter.to_trace(
        {
            "contents": [{"parts": [{"text": "hi"}]}],
            "system_instruction": {"parts": [{"text": "Be brief."}]},
            "tools": [
                {
                    "function_declarations": [
                        {
                            "name": "f",
                            "parameters": {
                                "type": "OBJECT",
                                "properties": {"type": {"type": "STRING", "nullable": True}},
                            },
                        }
                    ]
                },
                {"google_search": {}},
            ],
            "usageMetadata": {
                "promptTokenCount": 9,
                "candidatesTokenCount": 2,
                "thoughtsTokenCount": 3,
            },
        }
    )
    assert [message.text for message in trace.messages] == ["Be brief.", "hi"]
    assert trace.tools == {
        "f": {"type": "object", "properties": {"type": {"type": ["string", "null"]}}},
        "google_search": {},
    }
    assert (trace.total_usage.output_tokens, trace.total_usage.reasoning_tokens) == (5, 3)
