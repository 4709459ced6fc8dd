"""With `local`, no connection is made, from the first import to the last exit handler."""

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("langsmith")

_BLOCKED = """
    import atexit, socket, sys
    tried = []
    def tell():
        print("tried", sorted(set(tried)))
    atexit.register(tell)  # First registered, so last to run.
    def refuse(self, address, *rest):
        tried.append(str(address))
        raise OSError("no network in this test")
    socket.socket.connect = socket.socket.connect_ex = refuse
    def refuse_name(host, *rest, **more):
        tried.append(str(host))
        raise OSError("no names in this test")
    socket.getaddrinfo = refuse_name
"""

_GRAPH = """
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    @tool
    def lookup(id: str) -> str:
        "Looks an order up."
        return "shipped"

    def answers():
        while True:
            yield AIMessage("", tool_calls=[{"name": "lookup", "args": {"id": "A1"}, "id": "c1"}])
            yield AIMessage("It has shipped.")

    model = GenericFakeChatModel(messages=answers())
    builder = StateGraph(MessagesState)
    builder.add_node("agent", lambda state: {"messages": [model.invoke(state["messages"])]})
    builder.add_node("tools", ToolNode([lookup]))
    builder.add_edge(START, "agent")
    builder.add_conditional_edges("agent", tools_condition)
    builder.add_edge("tools", "agent")
    graph = builder.compile()
    inputs = {"messages": [{"role": "user", "content": "Where is A1?"}]}
"""

_CHAIN = """
    from langchain_core.documents import Document
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda
    from langchain_core.tools import tool

    class Shelf(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            return [Document(page_content="Thirty days.")]

    @tool
    def lookup(id: str) -> str:
        "Looks an order up."
        return "shipped"

    def answers():
        while True:
            yield AIMessage("It has shipped.")

    prompt = ChatPromptTemplate.from_messages([("system", "{context}"), ("human", "{question}")])
    shelf = RunnableLambda(lambda held: held["question"]) | Shelf()
    chain = (
        RunnableLambda(lambda held: held | {"order": lookup.invoke({"id": held["id"]})})
        | {"context": shelf, "question": lambda held: held["question"]}
        | prompt
        | GenericFakeChatModel(messages=answers())
        | StrOutputParser()
    )
    inputs = {"question": "Where is A1?", "id": "A1"}

    import asyncio
    import passhat_langsmith
    from passhat.case import Case, Suite
    suite = Suite("s", [Case("a", inputs, expected_calls=["lookup"], mode="exact")])
    for target in (chain, lambda inputs: chain.invoke(inputs)):
        results = passhat_langsmith.evaluate(target, suite, trials=2, local=True)
        print([one.status for one in results])
        tree = list(results.native)[0]["run"]
        print("inside", len(passhat_langsmith.to_trace(tree).calls))
    awaited = passhat_langsmith.aevaluate(chain, suite, trials=2, local=True)
    print([one.status for one in asyncio.run(awaited)])
"""

_OURS = """
    import passhat_langsmith
    from passhat.case import Case, Suite
    suite = Suite("s", [Case("a", inputs, expected_calls=["lookup"], mode="exact")])
    for target in (graph, lambda inputs: graph.invoke(inputs)):
        results = passhat_langsmith.evaluate(target, suite, trials=2, local=True)
        print([one.status for one in results])
        print(len(results.trials[0].results))
"""

_ELSEWHERE = """
    import threading
    from concurrent.futures import ThreadPoolExecutor
    import langsmith
    from langchain_core.tracers import LangChainTracer
    import passhat_langsmith
    from passhat.case import Case, Suite
    suite = Suite("s", [Case("a", inputs, expected_calls=["lookup"], mode="exact")])

    def in_a_thread(inputs):  # Without the context of the thread that started it.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(graph.invoke, inputs).result()

    def with_a_tracer(inputs):
        return graph.invoke(inputs, {"callbacks": [LangChainTracer()]})

    @langsmith.traceable(run_type="tool", name="lookup")
    def looked_up(id):
        return "shipped"

    def traced_in_a_thread(inputs):
        thread = threading.Thread(target=looked_up, args=("A1",))
        thread.start()
        thread.join()
        return graph.invoke(inputs)

    for target in (in_a_thread, with_a_tracer, traced_in_a_thread):
        results = passhat_langsmith.evaluate(target, suite, trials=2, local=True)
        print([one.status for one in results])
    print("client", langsmith.run_trees._CLIENT)
"""

_THEIRS = """
    from uuid import uuid4
    from langsmith import Client, evaluate
    from langsmith.schemas import Example
    from urllib3 import Retry
    data = [Example(id=uuid4(), inputs=inputs, outputs={})]
    client = Client(api_url="http://127.0.0.1:9", api_key="x", info={}, retry_config=Retry(0))
    evaluate(lambda inputs: graph.invoke(inputs), data=data, client=client, upload_results=False)
"""


def alone(script: str, **environment: str) -> str:
    """What a script prints that runs in a process of its own, with no settings of LangSmith's."""
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("LANGSMITH_", "LANGCHAIN_"))
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(_BLOCKED + script)],
        env=clean | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout


@pytest.mark.parametrize("tracing", ["true", "false"])
def test_local_makes_no_connection_for_langgraph_targets_either(tracing: str) -> None:
    pytest.importorskip("langgraph")
    told = alone(_GRAPH + _OURS, LANGSMITH_TRACING=tracing, LANGSMITH_API_KEY="x")
    assert told.count("['passed', 'passed']") == 2
    assert told.splitlines()[-1] == "tried []"


@pytest.mark.parametrize("tracing", ["true", "false"])
def test_local_makes_no_connection_for_langchain_targets_either(tracing: str) -> None:
    pytest.importorskip("langchain_core")
    told = alone(_CHAIN, LANGSMITH_TRACING=tracing, LANGSMITH_API_KEY="x")
    assert told.count("['passed', 'passed']") == 3
    assert told.count("inside 1") == 2
    assert told.splitlines()[-1] == "tried []"


def test_local_makes_no_connection_from_threads_and_tracers_of_a_target_either() -> None:
    pytest.importorskip("langgraph")
    told = alone(_GRAPH + _ELSEWHERE, LANGSMITH_TRACING="true", LANGSMITH_API_KEY="x")
    assert told.count("['passed', 'passed']") == 3
    assert told.splitlines()[-2:] == ["client None", "tried []"]


@pytest.mark.slow
def test_theirs_alone_would_connect() -> None:
    """What the test above guards against is real, and it would see it."""
    pytest.importorskip("langgraph")
    assert "127.0.0.1" in alone(_GRAPH + _THEIRS).splitlines()[-1]
