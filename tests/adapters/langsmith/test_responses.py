"""Responses of a provider's API, as a function that asked it gave them back."""

from typing import Any

import pytest

from passhat.trace import Usage
from passhat_langsmith import offline_client, to_trace

langsmith = pytest.importorskip("langsmith")

ARGS = {"id": 1}


def openai() -> list[Any]:
    function = {"name": "lookup", "arguments": '{"id": 1}'}
    asked = {"role": "assistant", "content": None}
    asked["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    usage |= {"prompt_tokens_details": {"cached_tokens": 3}}
    about = {"object": "chat.completion", "model": "m1", "usage": usage}
    said = {"role": "assistant", "content": "It has shipped."}
    return [{**about, "choices": [{"message": one}]} for one in (asked, said)]


def openai_responses() -> list[Any]:
    asked = {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": '{"id": 1}'}
    said = {"type": "message", "role": "assistant"}
    said["content"] = [{"type": "output_text", "text": "It has shipped."}]
    usage = {"input_tokens": 10, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 3}}
    about = {"object": "response", "model": "m1", "usage": usage}
    return [{**about, "id": f"r{at}", "output": [one]} for at, one in enumerate((asked, said))]


def anthropic() -> list[Any]:
    asked = {"type": "tool_use", "id": "c1", "name": "lookup", "input": ARGS}
    said = {"type": "text", "text": "It has shipped."}
    usage = {"input_tokens": 7, "cache_read_input_tokens": 3, "output_tokens": 5}
    about = {"type": "message", "role": "assistant", "model": "m1", "usage": usage}
    return [{**about, "id": f"m{at}", "content": [one]} for at, one in enumerate((asked, said))]


def gemini() -> list[Any]:
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "cachedContentTokenCount": 3}
    about = {"modelVersion": "m1", "usageMetadata": usage}
    parts = {"functionCall": {"name": "lookup", "args": ARGS}}, {"text": "It has shipped."}
    return [
        {**about, "candidates": [{"content": {"role": "model", "parts": [one]}}]} for one in parts
    ]


def genai() -> list[Any]:
    types = pytest.importorskip("google.genai").types
    return [types.GenerateContentResponse.model_validate(one) for one in gemini()]


def asked_again(first: Any) -> Any:
    """What a program sends next: the answer, and what its calls gave."""
    if not isinstance(first, dict):
        types = pytest.importorskip("google.genai").types
        gave = types.Part.from_function_response(name="lookup", response={"result": "shipped"})
        return [first.candidates[0].content, types.Content(role="user", parts=[gave])]
    if "candidates" in first:
        gave = {"functionResponse": {"name": "lookup", "response": {"result": "shipped"}}}
        return [first["candidates"][0]["content"], {"role": "user", "parts": [gave]}]
    if "choices" in first:
        gave = {"role": "tool", "tool_call_id": "c1", "content": "shipped"}
        return [first["choices"][0]["message"], gave]
    if "output" in first:
        gave = {"type": "function_call_output", "call_id": "c1", "output": "shipped"}
        return [*first["output"], gave]
    gave = {"type": "tool_result", "tool_use_id": "c1", "content": "shipped"}
    answer = {"role": "assistant", "content": first["content"]}
    return [answer, {"role": "user", "content": [gave]}]


def traced(answers: list[Any], key: str, *, tool_runs: bool) -> Any:
    script = iter(answers)
    client = offline_client()
    roots: list[Any] = []

    @langsmith.traceable(run_type="llm", client=client)
    def model(**given: Any) -> Any:
        return next(script)

    @langsmith.traceable(run_type="tool", client=client)
    def lookup(id: int) -> str:
        return "shipped"

    @langsmith.traceable(client=client)
    def agent(question: str) -> str:
        roots.append(langsmith.get_current_run_tree())
        user = {"role": "user", "content": question}
        history = [{"role": "user", "parts": [{"text": question}]} if key == "contents" else user]
        first = model(**{key: history})
        if tool_runs:
            lookup(**ARGS)
        model(**{key: [*history, *asked_again(first)]})
        return "It has shipped."

    with langsmith.tracing_context(enabled=True, client=client):
        agent("Where is 1?")
    return to_trace(roots[0])


@pytest.mark.parametrize("tool_runs", [True, False], ids=["traced tool", "untraced tool"])
@pytest.mark.parametrize(
    ("provider", "key"),
    [
        (openai, "messages"),
        (openai_responses, "input"),
        (anthropic, "messages"),
        (gemini, "contents"),
        (genai, "contents"),
    ],
)
def test_a_response_is_read_with_its_model_and_what_it_used_up(
    provider: Any, key: str, tool_runs: bool
) -> None:
    trace = traced(provider(), key, tool_runs=tool_runs)
    words = [(one.role, one.text) for one in trace.messages if one.text]
    assert words == [("user", "Where is 1?"), ("assistant", "It has shipped.")]
    (call,) = trace.calls
    assert (call.name, call.args, call.result) == ("lookup", ARGS, "shipped")
    assert (call.request, call.answered, call.executed) == (0, 1, True)
    total = trace.total_usage
    assert (total.input_tokens, total.output_tokens, total.cached_input_tokens) == (20, 10, 6)
    assert trace.pins == {"model": "m1"}
    assert trace.gaps == ()
    assert "context" not in trace.extensions


def test_what_gemini_takes_beside_the_contents() -> None:
    declared = {"functionDeclarations": [{"name": "lookup", "parameters": {"type": "OBJECT"}}]}
    config = {"system_instruction": {"parts": [{"text": "Be brief."}]}, "tools": [declared]}
    trace = to_trace({
        "id": "r",
        "run_type": "llm",
        "inputs": {"contents": "Where is 1?", "config": config},
        "outputs": gemini()[1],
    })  # fmt: skip
    words = [(one.role, one.text) for one in trace.messages]
    assert words[0] == ("system", "Be brief.")
    assert words[-1] == ("assistant", "It has shipped.")
    assert list(trace.tools or ()) == ["lookup"]
    assert trace.gaps == ()


def test_thoughts_and_pictures_of_gemini() -> None:
    thought = {"text": "I should look.", "thought": True}
    picture = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    answer = {"candidates": [{"content": {"parts": [thought, {"text": "Here:"}, picture]}}]}
    run = {"id": "r", "run_type": "llm", "inputs": {"contents": ["hi"]}, "outputs": answer}
    said = to_trace(run).messages[-1]
    assert (said.text, said.reasoning) == ("Here:", "I should look.")
    assert picture in (said.content or ())


@pytest.mark.parametrize(
    "answer",
    [
        {"candidates": []},
        {"candidates": [None]},
        {"candidates": [{"finishReason": "SAFETY"}]},
        {"candidates": [{"content": {"parts": [{"functionCall": None}]}}]},
        {"candidates": [{"content": {"parts": None}}], "usageMetadata": "none"},
        {"choices": [], "usage": 5},
    ],
)
def test_a_broken_response_is_a_gap(answer: Any) -> None:
    run = {"id": "r", "run_type": "llm", "inputs": {"contents": ["hi"]}, "outputs": answer}
    trace = to_trace(run)
    assert trace.calls == ()
    assert trace.gaps or trace.messages[-1].content


def test_a_text_that_a_model_completed() -> None:
    """OpenAI's older API, which takes a prompt and has a text for each choice."""
    outputs = {
        "object": "text_completion",
        "model": "m1",
        "choices": [{"text": " Paris.", "index": 0}],
        "usage_metadata": {"input_tokens": 5, "output_tokens": 2},
    }
    trace = to_trace(
        {"id": "r", "run_type": "llm", "inputs": {"prompt": "Capital?"}, "outputs": outputs}
    )
    assert [one.text for one in trace.messages] == ["Capital?", " Paris."]
    assert (trace.messages[-1].model, trace.total_usage) == ("m1", Usage(5, 2))
