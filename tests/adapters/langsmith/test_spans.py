"""Runs that OpenTelemetry or wrap_gemini made."""

import json
import warnings
from typing import Any

import pytest

from passhat.trace import Message, Trace
from passhat_langsmith import offline_client, to_trace

ARGS = {"id": "A1"}


def run(id: str, kind: str, at: int, **more: Any) -> dict[str, Any]:
    metadata = more.pop("metadata", {})
    return {
        "id": id,
        "trace_id": "r",
        "parent_run_id": None if id == "r" else "r",
        "run_type": kind,
        "name": more.pop("name", kind),
        "start_time": f"2026-01-01T00:00:0{at}",
        "end_time": f"2026-01-01T00:00:0{at + 1}",
        "inputs": {},
        "outputs": None,
        "extra": {"metadata": metadata},
        **more,
    }


def conventions() -> list[dict[str, Any]]:
    user = {"role": "user", "parts": [{"type": "text", "content": "Where is A1?"}]}
    call = {"type": "tool_call", "id": "c1", "name": "lookup", "arguments": ARGS}
    asked = {"role": "assistant", "parts": [call], "finish_reason": "tool_calls"}
    gave = {"type": "tool_call_response", "id": "c1", "response": "shipped"}
    said = {"role": "assistant", "parts": [{"type": "text", "content": "It has shipped."}]}

    def model(given: Any, answer: Any) -> dict[str, Any]:
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m1",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 2,
            "gen_ai.input.messages": json.dumps(given),
            "gen_ai.output.messages": json.dumps([answer]),
        }

    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "lookup",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": json.dumps(ARGS),
        "gen_ai.tool.call.result": '"shipped"',
    }
    root = {"gen_ai.operation.name": "invoke_agent"}
    history = [user, asked, {"role": "tool", "parts": [gave]}]
    return [
        run("r", "chain", 0, metadata=root),
        run("m1", "chain", 1, metadata=model([user], asked)),
        run("t1", "chain", 2, name="execute_tool lookup", metadata=tool),
        run("m2", "chain", 3, metadata=model(history, said)),
    ]


def numbered(given: str, gave: str, inner: str) -> list[dict[str, Any]]:
    def messages(prefix: str, *rows: dict[str, Any]) -> dict[str, Any]:
        return {
            f"{prefix}.{at}.{inner}{key}": value
            for at, row in enumerate(rows)
            for key, value in row.items()
        }

    wrap = "tool_call.function." if inner else ""
    named = "tool_call." if inner else ""
    call = {
        f"tool_calls.0.{named}id": "c1",
        f"tool_calls.0.{wrap}name": "lookup",
        f"tool_calls.0.{wrap}arguments": json.dumps(ARGS),
    }
    user = {"role": "user", "content": "Where is A1?"}
    asked = {"role": "assistant", **call}
    result = {"role": "tool", "content": "shipped", "tool_call_id": "c1"}
    said = {"role": "assistant", "content": "It has shipped."}
    model = {
        "gen_ai.request.model": "m1",
        "gen_ai.usage.prompt_tokens": 10,
        "gen_ai.usage.completion_tokens": 2,
    }
    first = {**model, **messages(given, user), **messages(gave, asked)}
    last = {**model, **messages(given, user, asked, result), **messages(gave, said)}
    return [
        run("r", "chain", 0),
        run("m1", "llm", 1, metadata=first),
        run("t1", "tool", 2, name="lookup", inputs=ARGS, outputs={"output": "shipped"}),
        run("m2", "llm", 3, metadata=last),
    ]


def received() -> list[dict[str, Any]]:
    """As the service keeps spans: messages in inputs and outputs, calls in OpenAI's form."""
    function = {"name": "lookup", "arguments": json.dumps(ARGS)}
    user = {"role": "user", "content": "Where is A1?"}
    asked = {"role": "assistant", "tool_calls": [{"id": "c1", "function": function}]}
    result = {"role": "tool", "content": "shipped", "tool_call_id": "c1"}
    said = {"role": "assistant", "content": "It has shipped."}
    more = {"gen_ai.request.model": "m1", "gen_ai.usage.input_tokens": 10}
    about = {"metadata": {**more, "gen_ai.usage.output_tokens": 2}}
    return [
        run("r", "chain", 0),
        run("m1", "llm", 1, inputs={"messages": [user]}, outputs={"messages": [asked]}, **about),
        run("t1", "tool", 2, name="lookup", inputs=ARGS, outputs={"output": "shipped"}),
        run(
            "m2",
            "llm",
            3,
            inputs={"messages": json.dumps([user, asked, result])},
            outputs={"messages": [said]},
            **about,
        ),
    ]


def told(trace: Trace) -> Any:
    calls = [(call.name, dict(call.args), call.result, call.executed) for call in trace.calls]
    words = [(one.role, one.text) for one in trace.steps if isinstance(one, Message) and one.text]
    return words, calls, trace.total_usage.input_tokens, trace.pins.get("model"), trace.gaps


@pytest.mark.parametrize(
    "runs",
    [
        conventions(),
        numbered("gen_ai.prompt", "gen_ai.completion", ""),
        numbered("llm.input_messages", "llm.output_messages", "message."),
        received(),
    ],
    ids=["conventions", "openllmetry", "openinference", "received"],
)
def test_spans_of_opentelemetry(runs: list[dict[str, Any]]) -> None:
    assert told(to_trace(runs)) == (
        [("user", "Where is A1?"), ("assistant", "It has shipped.")],
        [("lookup", ARGS, "shipped", True)],
        20,
        "m1",
        (),
    )


def test_what_langsmiths_own_exporter_writes() -> None:
    """`gen_ai.prompt` and `gen_ai.completion` are the inputs and outputs of the run as JSON."""
    runs = received()
    for one in runs[1:]:
        if one["run_type"] == "llm":
            held = {"gen_ai.prompt": json.dumps(one.pop("inputs"))}
            held["gen_ai.completion"] = json.dumps(one.pop("outputs"))
            one["extra"]["metadata"] |= held
    runs[3]["extra"]["metadata"]["gen_ai.prompt"] = json.dumps(
        {
            "messages": json.loads(
                json.loads(runs[3]["extra"]["metadata"]["gen_ai.prompt"])["messages"]
            )
        }
    )
    words, calls, *_ = told(to_trace(runs))
    assert (words[-1], calls[0][0]) == (("assistant", "It has shipped."), "lookup")


@pytest.mark.parametrize("named", [True, False])
def test_what_langsmiths_own_exporter_writes_of_tools_and_nodes(named: bool) -> None:
    message = {"type": "tool", "tool_call_id": "c1", "content": "shipped", "status": "success"}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "lookup",
        "gen_ai.prompt": json.dumps(ARGS),
        "gen_ai.completion": json.dumps({"output": message} if named else {"found": "A1"}),
        "langsmith.metadata.langgraph_node": "tools",
    }
    node = {"gen_ai.operation.name": "chain", "langsmith.metadata.langgraph_node": "tools"}
    trace = to_trace(
        [
            run("r", "chain", 0, inputs={"q": "?"}, outputs={"output": "Done."}),
            run("n", "chain", 1, name="tools", metadata=node),
            run("t", "tool", 1, metadata=tool, parent_run_id="n"),
        ]
    )
    (call,) = trace.calls
    assert (call.name, call.args, call.node) == ("lookup", ARGS, "tools")
    assert call.result == ("shipped" if named else {"found": "A1"})
    assert ([one.node for one in trace.nodes], trace.gaps) == (["tools"], ())


@pytest.mark.parametrize("value", ["{", "[1]", '{"a"', "5", "null", ""])
def test_attributes_that_are_broken_are_gaps(value: str) -> None:
    runs = conventions()
    runs[1]["extra"]["metadata"]["gen_ai.output.messages"] = value
    trace = to_trace(runs)
    assert trace.id == "r"


def test_runs_of_wrap_gemini() -> None:
    genai = pytest.importorskip("google.genai")
    langsmith = pytest.importorskip("langsmith")
    wrappers = pytest.importorskip("langsmith.wrappers")
    types = genai.types

    def answer(part: Any) -> Any:
        content = types.Content(role="model", parts=[part])
        return types.GenerateContentResponse(
            candidates=[types.Candidate(content=content)],
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=10, candidates_token_count=2
            ),
        )

    call = types.Part(function_call=types.FunctionCall(name="lookup", args=ARGS))
    script = iter([answer(call), answer(types.Part(text="It has shipped."))])
    client = offline_client()
    model = genai.Client(api_key="x")
    model.models.generate_content = lambda **_: next(script)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It is in beta, it says.
        wrapped = wrappers.wrap_gemini(model, tracing_extra={"client": client})
    roots: list[Any] = []

    @langsmith.traceable(client=client)
    def agent(question: str) -> Any:
        roots.append(langsmith.get_current_run_tree())
        contents = [{"role": "user", "parts": [{"text": question}]}]
        wrapped.models.generate_content(model="m1", contents=contents)
        asked = {"role": "model", "parts": [{"functionCall": {"name": "lookup", "args": ARGS}}]}
        response = {"name": "lookup", "response": {"state": "shipped"}}
        gave = {"role": "user", "parts": [{"functionResponse": response}]}
        return wrapped.models.generate_content(model="m1", contents=[*contents, asked, gave]).text

    with langsmith.tracing_context(enabled=True, client=client):
        agent("Where is A1?")
    words, calls, tokens, name, gaps = told(to_trace(roots[0]))
    assert words == [("user", "Where is A1?"), ("assistant", "It has shipped.")]
    assert calls == [("lookup", ARGS, {"state": "shipped"}, True)]
    assert (tokens, name, gaps) == (20, "m1", ())


def test_an_answer_that_the_numbered_messages_leave_out() -> None:
    """OpenInference numbers no calls that it cannot read, and tells them in `output.value` alone."""
    call = {"name": "search", "args": {"q": "x"}, "id": "c1", "type": "tool_call"}
    message = {"type": "ai", "content": "", "tool_calls": [call]}
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.output_messages.0.message.role": "assistant",
        "output.value": json.dumps({"generations": [[{"message": message}]]}),
    }
    trace = to_trace({"id": "r", "run_type": "chain", "extra": {"metadata": attributes}})
    assert [(one.name, one.args) for one in trace.calls] == [("search", {"q": "x"})]


LANGCHAIN = json.dumps({"input_str": "{'id': 'A1'}", "tags": [], "metadata": {}, "inputs": ARGS})
SERIALISED = {"lc": 1, "type": "constructor", "id": ["x", "ToolMessage"],
              "kwargs": {"type": "tool", "content": "shipped", "tool_call_id": "c1"}}  # fmt: skip


@pytest.mark.parametrize(
    "attributes",
    [
        {
            "traceloop.span.kind": "tool", "traceloop.entity.name": "lookup",
            "traceloop.entity.input": json.dumps({"args": [], "kwargs": ARGS}),
            "traceloop.entity.output": '"shipped"',
        },
        {
            "traceloop.span.kind": "tool", "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "lookup", "gen_ai.tool.call.arguments": LANGCHAIN,
            "gen_ai.tool.call.result": json.dumps({"output": SERIALISED, "kwargs": {}}),
        },
        {
            "openinference.span.kind": "TOOL", "tool.name": "lookup",
            "input.value": json.dumps(ARGS),
            "output.value": json.dumps({"type": "tool", "data": SERIALISED["kwargs"]}),
        },
    ],
    ids=["traceloop's decorator", "traceloop in LangChain", "openinference in LangChain"],
)  # fmt: skip
def test_what_instrumentations_put_around_a_tools_arguments_and_result(
    attributes: dict[str, str],
) -> None:
    """As the packages of 2026 write it, each captured from a span of its own."""
    (call,) = to_trace(run("r", "chain", 0, name="span", metadata=attributes)).calls
    assert (call.name, call.args, call.result) == ("lookup", ARGS, "shipped")


def test_the_tools_that_openinference_numbers_were_offered() -> None:
    schema = {"type": "function", "function": {"name": "lookup", "parameters": {"type": "object"}}}
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.output_messages.0.message.content": "Hello.",
        "llm.tools.0.tool.json_schema": json.dumps(schema),
    }
    trace = to_trace(run("r", "chain", 0, metadata=attributes))
    assert list(trace.tools or ()) == ["lookup"]


@pytest.mark.parametrize(
    "cached",
    [
        {"gen_ai.usage.cache_read.input_tokens": 4, "gen_ai.usage.reasoning.output_tokens": 1},
        {
            "llm.token_count.prompt_details.cache_read": 4,
            "llm.token_count.completion_details.reasoning": 1,
        },
    ],
    ids=["conventions", "openinference"],
)
def test_instructions_and_tokens_that_newer_spans_tell_apart(cached: dict[str, int]) -> None:
    runs = conventions()
    instructions = json.dumps([{"type": "text", "content": "Be brief."}])
    for one in (runs[1], runs[3]):
        one["extra"]["metadata"] |= {"gen_ai.system_instructions": instructions, **cached}
    trace = to_trace(runs)
    assert [one.text for one in trace.messages if one.role == "system"] == ["Be brief."]
    total = trace.total_usage
    assert total is not None
    assert (total.cached_input_tokens, total.reasoning_tokens) == (8, 2)
    assert trace.gaps == ()


@pytest.mark.parametrize("value", ["{", "5", "[5]", "[]", '"Be brief."'])
def test_instructions_that_are_broken_break_nothing(value: str) -> None:
    runs = conventions()
    runs[1]["extra"]["metadata"]["gen_ai.system_instructions"] = value
    assert [one.name for one in to_trace(runs).calls] == ["lookup"]
