"""Agents that are run here and traced by the real client, to a stand-in that keeps what it is sent."""

import asyncio
import contextlib
import importlib.util
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from passhat.trace import Interrupt, Trace
from passhat_langsmith import aevaluate, to_trace, to_traces

langsmith = pytest.importorskip("langsmith")
pytest.importorskip("langgraph")
agents = pytest.importorskip("langchain.agents")

from langchain.agents.middleware import HumanInTheLoopMiddleware, wrap_tool_call  # noqa: E402
from langchain_core.documents import Document  # noqa: E402
from langchain_core.language_models import BaseChatModel  # noqa: E402
from langchain_core.messages import AIMessage, ToolMessage  # noqa: E402
from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: E402
from langchain_core.retrievers import BaseRetriever  # noqa: E402
from langchain_core.tools import tool  # noqa: E402
from langchain_core.tracers.langchain import wait_for_all_tracers  # noqa: E402
from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from langgraph.types import Command, interrupt  # noqa: E402

Record = Callable[[Callable[[], Any]], list[dict[str, Any]]]


class Scripted(BaseChatModel):
    """A model that gives its answers one after another."""

    answers: list[AIMessage]
    at: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Any:
        return self

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any
    ) -> Any:
        self.at += 1
        said = self.answers[self.at - 1].model_copy()
        return ChatResult(generations=[ChatGeneration(message=said)])


def says(text: str = "", *calls: tuple[str, dict[str, Any], str]) -> AIMessage:
    return AIMessage(
        text,
        tool_calls=[{"name": name, "args": args, "id": id} for name, args, id in calls],
        usage_metadata={"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
    )


@tool
def lookup(id: str) -> str:
    """Looks an order up."""
    return f"shipped {id}"


@tool
def broken(id: str) -> str:
    """Breaks."""
    raise ValueError(f"no {id}")


@tool
def approve(id: str) -> str:
    """Asks somebody."""
    return f"said {interrupt({'approve?': id})}"


@wrap_tool_call  # type: ignore[arg-type]  # its overloads do not take a plain function
def told_as_messages(request: Any, handler: Any) -> Any:
    try:
        return handler(request)
    except ValueError as error:
        return ToolMessage(str(error), tool_call_id=request.tool_call["id"], status="error")


@pytest.fixture
def record(stand_in: Any) -> Iterator[Record]:
    """Runs something, and gives the runs of it that the stand-in was sent, as JSON."""
    with stand_in(zstd=True) as server:
        client = langsmith.Client(api_url=server.url, api_key="x")

        def recorded(action: Callable[[], Any]) -> list[dict[str, Any]]:
            tracing = langsmith.tracing_context(project_name="p", client=client, enabled=True)
            with tracing, contextlib.suppress(ValueError):
                action()
            wait_for_all_tracers()
            client.flush()
            found = json.loads(json.dumps(list(server.runs.values())))
            server.runs.clear()
            return list(found)

        yield recorded
        client.close()


def asked(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def agent(*answers: AIMessage, tools: Sequence[Any] = (lookup,), **more: Any) -> Any:
    return agents.create_agent(Scripted(answers=list(answers)), list(tools), **more)


def calls(trace: Trace) -> list[tuple[str, Any, str | None]]:
    return [(one.id, one.result or None, one.error) for one in trace.calls]  # type: ignore[misc]  # all have ids


def test_parallel_failed_and_hallucinated_tools(record: Record) -> None:
    wanted = [("lookup", {"id": "1"}, "c1"), ("nope", {}, "c2"), ("broken", {"id": "2"}, "c3")]
    made = agent(
        says("", *wanted, ("lookup", {"wrong": 1}, "c4")),
        says("Done."),
        tools=[lookup, broken],
        middleware=[told_as_messages],
    )
    trace = to_trace(record(lambda: made.invoke(asked("All of it."))))
    found = calls(trace)
    assert [one[0] for one in found] == ["c1", "c2", "c3", "c4"]
    assert found[0][1:] == ("shipped 1", None)
    assert "nope is not a valid tool" in (found[1][2] or "")
    assert found[2][2] == "ValueError('no 2')"
    assert "Field required" in (found[3][2] or "")
    assert trace.final_response == "Done."
    assert trace.total_usage is not None
    assert trace.total_usage.input_tokens == 20
    assert trace.outcome == "completed"


def test_a_tool_that_does_not_exist_did_not_run_though_no_other_did(record: Record) -> None:
    made = agent(says("", ("nope", {}, "c1")), says("Sorry."))
    (call,) = to_trace(record(lambda: made.invoke(asked("Go.")))).calls
    assert (call.executed, call.answered) == (False, 1)


@wrap_tool_call  # type: ignore[arg-type]  # its overloads do not take a plain function
def from_a_cache(request: Any, handler: Any) -> Any:
    return ToolMessage("shipped before", tool_call_id=request.tool_call["id"])


def test_whether_a_tool_ran_whose_answer_came_from_a_cache_is_unknown(record: Record) -> None:
    made = agent(says("", ("lookup", {"id": "1"}, "c1")), says("."), middleware=[from_a_cache])
    (call,) = to_trace(record(lambda: made.invoke(asked("Go.")))).calls
    assert (call.executed, call.result) == (None, "shipped before")


@pytest.mark.parametrize(
    ("decision", "args", "executed"),
    [
        ({"type": "reject", "message": "no"}, {"id": "1"}, False),
        (
            {"type": "edit", "edited_action": {"name": "lookup", "args": {"id": "2"}}},
            {"id": "2"},
            True,
        ),
    ],
)
def test_what_a_person_decided_of_a_call(
    record: Record, decision: Any, args: dict[str, Any], executed: bool
) -> None:
    made = agent(
        says("", ("lookup", {"id": "1"}, "c1")),
        says("Done."),
        checkpointer=InMemorySaver(),
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"lookup": True})],
    )
    config = {"configurable": {"thread_id": "T"}}
    runs = record(lambda: made.invoke(asked("Go."), config))
    later = record(lambda: made.invoke(Command(resume={"decisions": [decision]}), config))
    (call,) = to_trace([*runs, *later]).calls
    assert (call.args, call.executed, call.request) == (args, executed, 0)
    assert ("asked" in call.extensions) is executed
    (gap,) = to_trace(later).gaps
    assert "goes on from a run that is not here" in gap


def test_what_stands_beside_results_and_messages_is_kept(record: Record) -> None:
    from langchain.agents.structured_output import ToolStrategy
    from pydantic import BaseModel

    class Out(BaseModel):
        answer: str

    @tool(response_format="content_and_artifact")
    def search(q: str) -> tuple[str, list[int]]:
        """Searches."""
        return "2 found", [1, 2]

    made = agent(
        says("", ("search", {"q": "x"}, "c1")),
        says("", ("Out", {"answer": "42"}, "c2")),
        tools=[search],
        response_format=ToolStrategy(Out),
    )
    trace = to_trace(record(lambda: made.invoke(asked("Go."))))
    assert trace.calls[0].extensions == {"artifact": [1, 2]}
    assert trace.extensions["outputs"] == [{"structured_response": {"answer": "42"}}]


def test_a_node_that_is_a_graph_of_its_name_is_visited_once(record: Record) -> None:
    from langgraph.graph import START, MessagesState, StateGraph

    inner = agent(says("", ("lookup", {"id": "1"}, "c1")), says("Here."), name="alice")
    builder = StateGraph(MessagesState).add_node("alice", inner).add_edge(START, "alice")
    trace = to_trace(record(lambda: builder.compile().invoke(asked("Go."))))
    assert [one.node for one in trace.nodes] == ["alice", "model", "tools", "model"]


def test_an_agent_inside_a_tool(record: Record) -> None:
    inner = agent(says("", ("lookup", {"id": "9"}, "s1")), says("It is 9."), name="inner")

    @tool
    def ask(question: str) -> str:
        """Asks the other agent."""
        return str(inner.invoke(asked(question))["messages"][-1].content)

    outer = agent(says("", ("ask", {"question": "Find 9."}, "c1")), says("Nine."), tools=[ask])
    trace = to_trace(record(lambda: outer.invoke(asked("Which?"))))
    assert calls(trace) == [("c1", "It is 9.", None)]
    assert [one.id for one in trace.calls] == ["c1"]
    assert trace.final_response == "Nine."
    nested = [step for step in trace.steps if getattr(step, "parent", None) == "c1"]
    assert [one.id for one in nested] == ["s1"]  # type: ignore[union-attr]  # calls alone have parents


@pytest.mark.parametrize("by", ["tool", "middleware"])
def test_a_pause_and_what_it_was_answered(record: Record, by: str) -> None:
    """The graph's own run says nothing of it: its nodes' errors do, and the next run's input."""
    if by == "tool":
        more: dict[str, Any] = {"tools": [lookup, approve]}
        first, answer = (
            says("", ("lookup", {"id": "1"}, "c0"), ("approve", {"id": "1"}, "c1")),
            "yes",
        )
    else:
        more = {"middleware": [HumanInTheLoopMiddleware(interrupt_on={"lookup": True})]}
        first = says("", ("lookup", {"id": "1"}, "c1"))
        answer = {"decisions": [{"type": "approve"}]}  # type: ignore[assignment]  # either does
    made = agent(first, says("Done."), checkpointer=InMemorySaver(), **more)
    config = {"configurable": {"thread_id": "T"}}
    runs = record(lambda: made.invoke(asked("Go."), config))
    trace = to_trace(runs)
    assert trace.outcome == "interrupted"
    (pause,) = (step for step in trace.steps if isinstance(step, Interrupt))
    assert pause.pending == ("c1",)
    assert isinstance(pause.value, dict)
    runs += record(lambda: made.invoke(Command(resume=answer), config))
    trace = to_trace(runs)
    assert trace.outcome == "completed"
    (pause,) = (step for step in trace.steps if isinstance(step, Interrupt))
    assert (pause.answer, pause.resolved) == (answer, True)
    assert trace.calls[-1].result in ("said yes", "shipped 1")
    assert [one.text for one in trace.steps if getattr(one, "role", "") == "user"] == ["Go."]
    assert trace.final_response == "Done."


def test_turns_of_a_thread(record: Record) -> None:
    made = agent(
        says("", ("lookup", {"id": "1"}, "c1")),
        says("One."),
        says("", ("lookup", {"id": "2"}, "c2")),
        says("Two."),
        says("Again."),
        checkpointer=InMemorySaver(),
    )
    config = {"configurable": {"thread_id": "T"}}

    def talk() -> None:
        for text in ("First?", "Second?", "Second?"):
            made.invoke(asked(text), config)

    trace = to_trace(record(talk))
    assert [len(turn.calls) for turn in trace.turns] == [1, 1, 0]
    assert [one.turn for one in trace.calls] == [0, 1]
    assert [one.text for one in trace.steps if getattr(one, "role", "") == "user"] == [
        "First?",
        "Second?",
        "Second?",
    ]


def test_a_chain_with_a_retriever(record: Record) -> None:
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [Document(page_content="Thirty days.", metadata={"source": "faq"})]

    prompt = ChatPromptTemplate.from_messages(
        [("system", "Use {context}"), ("human", "{question}")]
    )
    chain = (
        {"context": Shelf(), "question": RunnablePassthrough()}
        | prompt
        | Scripted(answers=[says("Thirty days.")])
    )
    trace = to_trace(record(lambda: chain.invoke("How long?")))
    (retrieval,) = trace.extensions["retrievals"]
    assert "Thirty days." in str(retrieval["outputs"])
    assert [one.role for one in trace.steps] == ["user", "system", "assistant"]  # type: ignore[union-attr]  # messages alone
    assert trace.final_response == "Thirty days."


def test_functions_that_are_traced_and_a_model_that_gives_its_answer_in_pieces(
    record: Record,
) -> None:
    @langsmith.traceable(run_type="llm")
    def model(messages: Any) -> Iterator[str]:
        yield "It "
        yield "shipped."

    @langsmith.traceable
    def answer(question: str) -> str:
        return "".join(model([{"role": "user", "content": question}]))

    trace = to_trace(record(lambda: answer("Where?")))
    assert (trace.final_response, trace.gaps) == ("It shipped.", ())


@pytest.mark.filterwarnings("ignore:langsmith.wrappers._openai_agents is deprecated")
def test_wrapped_openai_clients(record: Record) -> None:
    openai = pytest.importorskip("openai")
    from langsmith.wrappers import wrap_openai

    chat = _chat_servers()

    def script(messages: list[dict[str, Any]]) -> Any:
        return (
            chat.says("Found.") if messages[-1]["role"] == "tool" else chat.asks("lookup", id="7")
        )

    with chat.ChatServer(script) as server:
        client = wrap_openai(openai.OpenAI(base_url=server.url, api_key="x"))

        @langsmith.traceable(run_type="tool", name="lookup")
        def look(id: str) -> dict[str, str]:
            return {"id": id}

        @langsmith.traceable
        def ask(question: str) -> str:
            messages: list[Any] = [{"role": "user", "content": question}]
            while True:
                said = client.chat.completions.create(model="m", messages=messages)
                message = said.choices[0].message
                if not message.tool_calls:
                    return str(message.content)
                messages.append(message)
                for one in message.tool_calls:
                    gave = json.dumps(look(**json.loads(one.function.arguments)))
                    messages.append({"role": "tool", "tool_call_id": one.id, "content": gave})

        trace = to_trace(record(lambda: ask("Where?")))
        alone = to_trace(
            record(
                lambda: client.chat.completions.create(
                    model="m", messages=[{"role": "user", "content": "Where?"}]
                )
            )
        )
    assert [(one.name, one.args, one.result) for one in trace.calls] == [
        ("lookup", {"id": "7"}, {"id": "7"})
    ]
    assert trace.final_response == "Found."
    assert [one.name for one in alone.calls] == ["lookup"]


def _chat_servers() -> Any:
    path = Path(__file__).resolve().parents[2] / "servers" / "chat.py"
    spec = importlib.util.spec_from_file_location("chat_servers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_batch_is_a_trace_each(record: Record) -> None:
    made = agent(says("One."), says("Two."))
    traces = to_traces(record(lambda: made.batch([asked("1?"), asked("2?")])))
    assert sorted(one.final_response or "" for one in traces) == ["One.", "Two."]


def test_an_async_target_that_raised_has_no_traceback_in_its_reason() -> None:
    async def raising(inputs: dict[str, Any]) -> dict[str, Any]:
        raise ValueError("kaput")

    data = [{"inputs": {"q": "?"}, "outputs": {"trajectory": ["lookup"]}}]
    results = asyncio.run(aevaluate(raising, data, trials=1, local=True))
    assert [(one.status, one.reason) for one in results] == [("agent_error", "ValueError('kaput')")]
