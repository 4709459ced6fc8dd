"""Traces of which the root alone tells, and what recordings of real agents hold beside calls."""

from typing import Any

import pytest

from passhat.trace import Message
from passhat_langsmith import to_trace

Json = dict[str, Any]


def human(text: str) -> Json:
    return {"type": "human", "content": text}


def ai(text: str = "", *calls: str, **more: Any) -> Json:
    asked = [{"id": id, "name": "look", "args": {}, "type": "tool_call"} for id in calls]
    return {"type": "ai", "content": text, "tool_calls": asked, **more}


def gave(id: str) -> Json:
    return {"type": "tool", "tool_call_id": id, "content": f"gave {id}", "status": "success"}


def root(inputs: Any, *messages: Json, **more: Any) -> Json:
    held = {"id": "r", "name": "agent", "run_type": "chain", "inputs": inputs}
    return {**held, "outputs": {"messages": list(messages)}, **more}


def told(trace: Any) -> list[tuple[int, str, str]]:
    return [(one.turn, one.role, one.text) for one in trace.messages]


def test_parts_of_a_provider_in_a_message_of_langchains() -> None:
    """LangChain writes the items of OpenAI's Responses into the content, and the calls beside it."""
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I must look."}]}
    part = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    content = [thought, {"type": "text", "text": "Looking."}, part]
    messages = [human("Where?"), {**ai("", "c1"), "content": content}, gave("c1"), ai("Here.")]
    trace = to_trace(root({"messages": messages[:1]}, *messages))
    assert told(trace) == [
        (0, "user", "Where?"),
        (0, "assistant", "Looking."),
        (0, "assistant", "Here."),
    ]
    assert [(one.id, one.result, one.request) for one in trace.calls] == [("c1", "gave c1", 0)]
    assert trace.messages[1].reasoning == "I must look."


def test_items_of_one_response_are_one_request() -> None:
    def call(id: str) -> Json:
        return {"type": "function_call", "call_id": id, "name": "look", "arguments": "{}"}

    def output(id: str) -> Json:
        return {"type": "function_call_output", "call_id": id, "output": f"gave {id}"}

    thought = {
        "type": "reasoning",
        "id": "rs",
        "summary": [{"type": "summary_text", "text": "Hm."}],
    }
    said = {"type": "message", "role": "assistant", "id": "m", "status": "completed"}
    words = {**said, "content": [{"type": "output_text", "text": "Looking."}]}
    items = [thought, words, call("c1"), call("c2")]
    history = [{"role": "user", "content": "Where?"}, *items, output("c1"), output("c2")]
    answer = {**said, "id": "m2", "content": [{"type": "output_text", "text": "Here."}]}

    def asked(id: str, given: list[Json], gave: list[Json]) -> Json:
        held = {"id": id, "run_type": "llm", "parent_run_id": "r", "trace_id": "r"}
        response = {"object": "response", "id": f"resp-{id}", "model": "m", "output": gave}
        return {**held, "inputs": {"input": given}, "outputs": response}

    first = {
        "id": "r",
        "run_type": "chain",
        "inputs": {"q": "Where?"},
        "outputs": {"output": "Here."},
    }
    whole = to_trace([first, asked("a", history[:1], items), asked("b", history, [answer])])
    alone = to_trace(root({"messages": history[:1]}, *history, answer))
    for trace in (whole, alone):
        assert told(trace) == [
            (0, "user", "Where?"),
            (0, "assistant", "Looking."),
            (0, "assistant", "Here."),
        ]
        assert [(one.id, one.request, one.answered) for one in trace.calls] == [
            ("c1", 0, 1),
            ("c2", 0, 1),
        ]
        assert [one.result for one in trace.calls] == ["gave c1", "gave c2"]
        assert trace.messages[1].reasoning == "Hm."
        assert "context" not in trace.extensions


def test_what_openais_agents_record() -> None:
    """The items of a response without what is around them, and a run of its own for a handoff."""

    def item(kind: str, id: str, **more: Any) -> Json:
        return {"type": kind, "call_id": id, "id": f"i-{id}", "status": "completed", **more}

    def run(id: str, kind: str, **more: Any) -> Json:
        held = {"id": id, "run_type": kind, "parent_run_id": "r", "trace_id": "r", **more}
        return {"name": "look", "inputs": {}, "outputs": {}, **held}

    asked = [{"role": "user", "content": "Refund A1."}]
    first = [
        {"type": "web_search_call", "id": "w1", "status": "completed", "action": {"query": "x"}},
        item("function_call", "c1", name="look", arguments="{}"),
        item("custom_tool_call", "c2", name="sql", input="SELECT 1"),
    ]
    gave = [
        {"type": "function_call_output", "call_id": "c1", "output": "shipped"},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "1"},
    ]
    over = [item("function_call", "h1", name="transfer_to_refunder", arguments="{}")]
    handed = [
        {"type": "function_call_output", "call_id": "h1", "output": '{"assistant": "refunder"}'}
    ]
    words = [{"type": "output_text", "text": "Done."}]
    last = {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "status": "completed",
        "content": words,
    }
    history = [*asked, *first, *gave]
    trace = to_trace(
        [
            {
                "id": "r",
                "run_type": "chain",
                "inputs": {"input": asked},
                "outputs": {"output": [last]},
            },
            run("a", "llm", inputs={"input": asked}, outputs={"output": first}),
            run("t", "tool", outputs={"output": "shipped"}),
            run("b", "llm", inputs={"input": history}, outputs={"output": over}),
            run("h", "chain", name="Handoff", inputs={"from_agent": "desk", "to_agent": None}),
            run(
                "c", "llm", inputs={"input": [*history, *over, *handed]}, outputs={"output": [last]}
            ),
        ]
    )
    assert [(one.name, one.id, one.request, one.executed) for one in trace.calls] == [
        ("web_search", "w1", 0, True),  # The provider's own: what came after it had seen it.
        ("look", "c1", 1, True),
        ("sql", "c2", 1, None),
        ("transfer_to_refunder", "h1", 2, None),
    ]
    assert [one.result for one in trace.calls[1:3]] == ["shipped", "1"]
    assert trace.calls[2].args == {"input": "SELECT 1"}
    assert (trace.final_response, trace.gaps) == ("Done.", ())
    assert "context" not in trace.extensions


def test_what_langchain_for_javascript_records() -> None:
    """Its tools have their arguments as a text, and the message they gave serialised."""

    def lc(of: str, **kwargs: Any) -> Json:
        return {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain_core", "messages", of],
            "kwargs": kwargs,
        }

    def run(id: str, kind: str, at: int, **more: Any) -> Json:
        held = {"id": id, "name": "look", "run_type": kind, "parent_run_id": "r", "trace_id": "r"}
        return {**held, "start_time": 1767225600000 + at, "end_time": 1767225600500 + at, **more}

    asked = [
        {"name": "look", "args": {"id": id}, "id": f"c-{id}", "type": "tool_call"} for id in "AB"
    ]
    said = lc("AIMessageChunk", content="", tool_calls=asked)
    user = lc("HumanMessage", content="Where?")
    gave = lc("ToolMessage", content="shipped B", tool_call_id="c-B", name="look")
    failed = "Error: no A\n    at look (file:///app/index.js:3:9)\n    at async invoke (x.js:1)"
    trace = to_trace(
        [
            {"id": "r", "run_type": "chain", "inputs": {"messages": [user]}, "outputs": {"x": 1}},
            run(
                "m",
                "llm",
                1,
                inputs={"messages": [[user]]},
                outputs={"generations": [[{"text": "", "message": said}]]},
            ),
            run("t", "tool", 2, inputs={"input": '{"id":"B"}'}, outputs={"output": gave}),
            run("u", "tool", 3, inputs={"input": '{"id":"A"}'}, error=failed),
        ]
    )
    assert [(one.id, one.result or None, one.error) for one in trace.calls] == [
        ("c-A", None, "Error: no A"),
        ("c-B", "shipped B", None),
    ]


def test_what_a_thread_said_before_the_question_is_context() -> None:
    """A graph with a checkpointer gives all its messages back, and its question came alone."""
    before = [human("First?"), ai("", "c0"), gave("c0"), ai("One.")]
    trace = to_trace(
        root(
            {"messages": [human("Second?")]},
            *before,
            human("Second?"),
            ai("", "c1"),
            gave("c1"),
            ai("Two."),
        )
    )
    assert told(trace)[0] == (0, "user", "Second?")
    assert [one.id for one in trace.calls] == ["c1"]
    assert [one["content"] for one in trace.extensions["context"]] == [
        "First?",
        "",
        "gave c0",
        "One.",
    ]


def test_a_conversation_inside_one_run_has_all_its_turns() -> None:
    """As a simulated user makes it: only the first question was there at the beginning."""
    messages = [human("Hi."), ai("", "c1"), gave("c1"), ai("Which?"), human("A1."), ai("", "c2")]
    trace = to_trace(root({"messages": [human("Hi.")]}, *messages, gave("c2"), ai("Done.")))
    assert [(one.id, one.turn, one.result) for one in trace.calls] == [
        ("c1", 0, "gave c1"),
        ("c2", 1, "gave c2"),
    ]
    assert [one.text for one in trace.messages if one.role == "user"] == ["Hi.", "A1."]
    assert trace.final_response == "Done."


def test_an_answer_that_code_wrote_is_the_last_word() -> None:
    """A model chose the way, and a node, or a limit of LangChain's, answered without one."""
    routed = {"id": "m", "run_type": "llm", "parent_run_id": "r", "trace_id": "r"}
    asked = {"inputs": {"messages": [[human("Pay me.")]]}}
    chosen = {"outputs": {"generations": [[{"message": ai("refund")}]]}}
    for messages, last in (
        ([human("Pay me."), ai("We do not pay.", name="desk")], "We do not pay."),
        ([human("Pay me."), ai("refund")], "refund"),
        ([ai("Hello."), human("Pay me.")], "refund"),
        ([human("Pay me."), ai("", "c1")], "refund"),
    ):
        trace = to_trace(
            [root({"messages": messages[:1]}, *messages), {**routed, **asked, **chosen}]
        )
        assert trace.final_response == last
        answers = [one for one in trace.messages if one.role == "assistant"]
        assert len(answers) == 1 + (last != "refund")
        assert answers[-1].agent == ("desk" if last != "refund" else None)


@pytest.mark.parametrize("kind", [list, tuple])
def test_one_message_as_a_role_and_a_text(kind: Any) -> None:
    trace = to_trace(root({"messages": kind(["user", "Where?"])}, human("Where?"), ai("Here.")))
    assert told(trace) == [(0, "user", "Where?"), (0, "assistant", "Here.")]


def test_a_graph_that_a_node_of_its_name_calls_is_no_second_visit() -> None:
    def run(id: str, name: str, node: str, place: str, parent: str | None) -> Json:
        held = {
            "id": id,
            "name": name,
            "run_type": "chain",
            "parent_run_id": parent,
            "trace_id": "r",
        }
        about = {"langgraph_node": node, "langgraph_checkpoint_ns": place}
        return {**held, "inputs": {"q": "x"}, "outputs": {}, "extra": {"metadata": about}}

    runs = [
        {"id": "r", "run_type": "chain", "name": "team", "inputs": {"q": "x"}, "outputs": {"a": 1}},
        run("n", "orders", "orders", "orders:1", "r"),
        run("c", "call_agent", "orders", "orders:1", "n"),
        run("g", "orders", "orders", "orders:1", "c"),
        run("m", "model", "model", "orders:1|model:2", "g"),
        run(
            "o", "orders", "orders", "orders:1|orders:3", "g"
        ),  # A node in the graph, called so too.
    ]
    assert [one.node for one in to_trace(runs).nodes] == ["orders", "model", "orders"]


@pytest.mark.parametrize("kind", ["chain", "agent"])
def test_a_run_that_holds_nothing_says_so(kind: str) -> None:
    """Some instrumentations leave such spans, and a trace without calls would be taken for one."""
    held = {"id": "r", "run_type": kind, "inputs": {}, "outputs": {}, "end_time": "2026-01-01"}
    assert to_trace(held).gaps == ("calls: run r: nothing that it was given or did was recorded",)
    assert to_trace({**held, "inputs": {"q": "x"}}).gaps == ()


def test_runs_of_the_newer_api_are_objects_of_their_own() -> None:
    run = pytest.importorskip("langsmith.types.run").Run
    about = {"thread_id": "T", "ls_model_name": "m1"}
    event = {"name": "new_token", "time": "2026-01-01T00:00:02Z"}
    held = {"trace_id": "r", "parent_run_ids": ["r"], "run_type": "LLM", "events": [event]}
    asked = {"inputs": {"messages": [human("Hi.")]}, "outputs": {"output": "Hello."}}
    objects = [
        run(id="m", metadata=about, **held, **asked),
        run(
            id="r",
            trace_id="r",
            run_type="CHAIN",
            metadata=about,
            inputs={"q": "Hi."},
            outputs={"output": "Hello."},
            feedback_stats={"thumbs": {"n": 1, "avg": 1.0}},
        ),
    ]
    trace = to_trace(objects)
    assert (trace.metadata["thread_id"], trace.scores) == ("T", {"thumbs": 1.0})
    assert (trace.messages[-1].model, trace.messages[-1].first_token) == ("m1", 1767225602.0)
    assert to_trace(objects[1]).gaps[0].startswith("calls: run r: the runs inside it are not here")


def test_a_tool_that_does_not_exist_did_not_run_in_a_file_of_messages_either() -> None:
    answer = {
        "type": "tool",
        "tool_call_id": "c1",
        "content": "Error: look is not a valid tool, try one of [find].",
        "status": "error",
    }
    trace = to_trace({"trace_id": "t", "messages": [human("Go."), ai("", "c1"), answer, ai("No.")]})
    (call,) = trace.calls
    assert (call.executed, call.error) == (False, answer["content"])
    assert isinstance(trace.steps[-1], Message)
